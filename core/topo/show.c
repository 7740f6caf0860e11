/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints an integer number of small units exactly in a larger unit. Division and remainder replace
 * floating point: 25 ns is 2.4999999…e-05 ms in a double. A topology that is written and read back
 * gives the same simulation to the bit.
 */
#include "asim/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* value / 10^digits followed by unit. */
static const char *show_decimal(char *buf, size_t size, uint64_t value, int digits,
                                const char *unit)
{
    uint64_t scale = 1;
    char part[24] = "";
    for (int i = 0; i < digits; i++)
        scale *= 10;
    if (value % scale) {
        int n = snprintf(part, sizeof part, ".%0*" PRIu64, digits, value % scale);
        while (part[n - 1] == '0')
            part[--n] = '\0';
    }
    snprintf(buf, size, "%" PRIu64 "%s%s", value / scale, part, unit);
    return buf;
}

/* Always Gbps, also below 1, as in published files. */
const char *asim_topo_show_rate(char *buf, size_t size, uint64_t rate_bps)
{
    return show_decimal(buf, size, rate_bps, 9, "Gbps");
}

/* Always ms: 12 decimals are whole femtoseconds. */
const char *asim_topo_show_delay(char *buf, size_t size, uint64_t delay_fs)
{
    return show_decimal(buf, size, delay_fs, 12, "ms");
}

/* Takes the first of 15, 16 and 17 digits that reads back as the same double. */
const char *asim_topo_show_real(char *buf, size_t size, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, size, "%.*g", digits, value);
        if (strtod(buf, NULL) == value)
            break;
    }
    return buf;
}
