/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The variables SimAI reads (simai.md#send-latency and simai.md#environment-variables), where
 * options say nothing. SimAI takes any word for no and a latency that is no number for 0; here both
 * are refused.
 */
#include "tools/simai.h"
#include "base/text.h"

#include <stdlib.h>

static int read_switch(const char *variable, int *on, struct asim_err *err)
{
    const char *value = getenv(variable);
    int64_t number = 0;

    if (value && *value && asim_text_i64(value, &number))
        return asim_err_set(
            err, ASIM_EINVAL,
            "the variable %s is '%.40s'; it must be a whole number, above 0 for yes.", variable,
            value);
    *on |= number > 0;
    return 0;
}

int asim_simai_env_switches(int *nvls, int *pxn, struct asim_err *err)
{
    int code = read_switch("AS_NVLS_ENABLE", nvls, err);

    return code ? code : read_switch("AS_PXN_ENABLE", pxn, err);
}

int asim_simai_env_latency(double *us, struct asim_err *err)
{
    const char *text = getenv("AS_SEND_LAT");

    if (*us >= 0 || !text || !*text)
        return 0;
    if (asim_text_double(text, us) || !(*us >= 0 && *us <= ASIM_SIMAI_LATENCY_US))
        return asim_err_set(err, ASIM_EINVAL,
                            "the variable AS_SEND_LAT is '%.40s'; it must be the delay before each "
                            "flow in us, from 0 to %g.",
                            text, ASIM_SIMAI_LATENCY_US);
    return 0;
}
