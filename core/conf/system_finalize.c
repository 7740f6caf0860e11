/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See system_finalize.h. Whether an algorithm of a name exists is known only where they are; here a
 * word is refused that no name can be, since the file and the key are known here only.
 *
 * Nothing is owned; a refusal leaves the struct to its reader.
 */
#include "conf/system_finalize.h"

#include <string.h>
#include "base/text.h"

/* Below a kilobyte a second the ns of a large reduction pass 64 bits, and would come out as those
 * of a free one (system-layer.md#endpoint-delay-and-reduction: only 0 is free). */
int asim_system_settle(struct asim_system *sys, const char *path, struct asim_err *err)
{
    double bw = sys->local_mem_bw_gbps;

    if (bw == 0 || bw >= 1e-6)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                       "local-mem-bw is '%g', expected 1e-06 to 1e+12 GB/s, or 0, where reductions "
                       "cost nothing.",
                       bw);
}

/* Letters, and digits behind them. */
int asim_system_check_word(const char *key, const char *word, const char *path,
                           struct asim_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = strspn(word, letters);
    char safe[80];

    if (n && !word[n + strspn(word + n, "0123456789")])
        return 0;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                       "key \"%s\" has the entry '%s', which cannot be the name of an algorithm; "
                       "expected letters, and behind them a number for those that take one, as in "
                       "ring or direct4.",
                       key, asim_text_safe(safe, sizeof safe, word));
}
