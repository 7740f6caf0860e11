/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The greatest common divisor (Euclid). Of a number and 0 it is the number.
 */
#ifndef ASIM_BASE_DIVISOR_H
#define ASIM_BASE_DIVISOR_H

#include <stdint.h>

static inline uint64_t asim_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

#endif
