/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shared by the three files of the config.txt reader: what a row of the option table cannot say.
 *
 * netconf.c has the rows and the traits, netconf_read.c takes a file apart, netconf_warnings.c says
 * what a user should know about it.
 */
#ifndef ASIM_CONF_NETCONF_H
#define ASIM_CONF_NETCONF_H

#include "conf/conf.h"

/* How a bare number of a key is meant, where its row's type alone does not tell. */
enum asim_netconf_unit {
    ASIM_UNIT_NONE,
    ASIM_UNIT_BYTES, /* stored in 32 bits; sizes such as 4KiB accepted */
    ASIM_UNIT_MIB,   /* bare = MiB */
    ASIM_UNIT_NS,    /* stored as whole ns or us; times such as 5us accepted */
    ASIM_UNIT_US
};

struct asim_netconf_trait {
    const char *key;
    enum asim_netconf_unit unit;
    const char *builtin; /* the reference's built-in where it differs from the shipped value */
    unsigned modes;      /* bit per CC_MODE that looks at it; 0 = all */
};
extern const struct asim_netconf_trait asim_netconf_traits[];

enum { ASIM_NETCONF_KEYS_MAX = 96 };

/* Says, in at most two notes, which settings of the file have no effect (yet), and which keys it
 * lacks whose built-in value in the reference is another. seen: line per row, 0 = absent. */
int asim_netconf_warn(const struct asim_netconf *net, const unsigned *seen, const char *path,
                      const struct asim_diagnostics *notes, struct asim_err *err);

#endif
