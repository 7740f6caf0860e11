/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A value on the command line that replaces many values of a file: one value for all, or a factor
 * written as "2x".
 */
#ifndef ASIM_BASE_OVERRIDE_H
#define ASIM_BASE_OVERRIDE_H

#include "asim/ext/option.h"

struct asim_override {
    double factor;  /* 0: `value` replaces; else the values are multiplied */
    uint64_t value; /* in the unit of the option's type */
};

/* text: a factor above 0 with "x" behind it, or a value of the type (ASIM_T_RATE, ASIM_T_TIME).
 * option: its name without dashes, for messages. 0 or ASIM_EINVAL. */
int asim_override_parse(struct asim_override *override, const char *option, enum asim_type type,
                        const char *text, struct asim_err *err);
/* The new value for an old one; at most UINT64_MAX. */
uint64_t asim_override_apply(const struct asim_override *override, uint64_t old);

#endif
