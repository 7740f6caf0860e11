/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The characters that Python's repr() keeps: all except Unicode's categories "other" (controls,
 * formats, surrogates, private, unassigned) and "separator"; the blank is kept. Unassigned
 * characters depend on the version: this is Unicode 14.0, as in CPython 3.11.
 */
#include "json/print.h"

/* The first characters of runs: kept from [0] on, escaped from [1] on, and so on in turn. */
static const uint32_t run[] = {
#include "json/printable.inc"
};

int asim_jprint_is_printable(uint32_t c)
{
    size_t low = 0, high = sizeof run / sizeof *run;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (run[middle] <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low & 1;
}
