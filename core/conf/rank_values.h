/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A number per rank in a settings file: {"3": 1.5, "8-15": 2, "*": 1.1}. A rank takes the narrowest
 * range that holds it, the later one of two equal; ranks in none take the default.
 *
 * Wherever a range is allowed, "*" stands for all ranks; narrower ranges go before wider ones.
 */
#ifndef ASIM_CONF_RANK_VALUES_H
#define ASIM_CONF_RANK_VALUES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "conf/conf.h"

/* Values of 0 to most are accepted. key is borrowed for messages. */
struct asim_rank_values_key {
    const char *key, *path;
    double most;
    int whole; /* only whole numbers */
};
int asim_rank_values_read(struct asim_rank_values *values, const struct asim_rank_values_key *where,
                          const json_t *object, struct asim_err *err);
double asim_rank_values_get(const struct asim_rank_values *values, uint32_t rank, double def);
/* A rank that an entry begins with and n ranks do not have; UINT32_MAX: there is none. */
uint32_t asim_rank_values_beyond(const struct asim_rank_values *values, uint32_t n);
void asim_rank_values_fini(struct asim_rank_values *values);

#endif
