/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inside the world: how its parts are joined. For the files of sim/ and for reports that need
 * more than events.
 *
 * Reports include this to look at ranks; they must treat everything in it as const.
 */
#ifndef ASIM_SIM_WORLD_H
#define ASIM_SIM_WORLD_H

#include "sim/sim.h"

/* Builds the packet network and the pools; the traces are open by now. */
int asim_world_connect(struct asim_world *world, struct asim_err *err);
void asim_world_disconnect(struct asim_world *world);

/* An error that names no place is about what that file says (NULL: none). Gives code. */
int asim_world_attach_source(int code, const char *path, struct asim_err *err);

/* Whether the packet network carries the messages, and not an analytical one or the caller's. */
static inline int asim_settings_has_packets(const struct asim_settings *set)
{
    return !set->mode && !set->backend;
}
/* Another network instead (settings.mode or .backend): its dimensions are the logical ones. */
int asim_world_open_shape(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err);
int asim_world_connect_analytical(struct asim_world *world, const struct asim_net_user *user,
                                  struct asim_err *err);

/* Where sentences go that the user should see, and one of them. */
#define asim_world_diagnostics(world)                                                              \
    (&(const struct asim_diagnostics){(world)->hooks.note, (world)->hooks.self})
#define asim_world_diagnose(world, ...) asim_diagnose(asim_world_diagnostics(world), __VA_ARGS__)

/* diagnostics.c: what was found at reading that is legal and seldom meant: values of ranks, traces.
 */
void asim_world_diagnose_values(struct asim_world *world);
void asim_world_diagnose_traces(struct asim_world *world);

#endif
