/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The settings of the packet network: the keys of config.txt, those of the congestion controls
 * included. A program reads them here; it changes them with settings->net_overrides (asim/asim.h).
 */
#ifndef ASIM_NETCONF_H
#define ASIM_NETCONF_H

#include <stddef.h>
#include "asim/ext/option.h"

ASIM_C_BEGIN

struct asim_netconf;
struct asim_world;

/* The settings of a world over the packet network; they live as long as the world. */
ASIM_API const struct asim_netconf *asim_world_netconf(const struct asim_world *world);
/* Reads a file, or makes the defaults where path is NULL. *net is the caller's to close, NULL on
 * failure. */
ASIM_API int asim_netconf_open(struct asim_netconf **net, const char *path, struct asim_err *err);
/* NULL is fine. */
ASIM_API void asim_netconf_close(struct asim_netconf *net);

/* The keys with one value: the network's own, then the options of each congestion control; a key of
 * several congestion controls is listed once. Fills at most `room` rows. Returns the number of
 * keys. */
ASIM_API size_t asim_netconf_keys(const struct asim_option **rows, size_t room);
/* NULL for a key that does not exist. */
ASIM_API const struct asim_option *asim_netconf_key(const char *key);
/* Where net stores the value of that row, in the C type of row->type. */
ASIM_API const void *asim_netconf_field(const struct asim_netconf *net,
                                        const struct asim_option *row);
/* The value of KMIN_MAP, KMAX_MAP or PMAX_MAP as its line of the file has it: the number of rates,
 * then for each bit/s and KB (PMAX_MAP: a probability). Writes it to buf and returns its length,
 * like snprintf; "" for any other key. */
ASIM_API size_t asim_netconf_map(const struct asim_netconf *net, const char *key, char *buf,
                                 size_t size);

ASIM_C_END
#endif
