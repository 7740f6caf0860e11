/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A world over an analytical network: the YAML gives the logical dimensions and the speeds, and
 * one backend of family net/backend carries the messages. No topology, no routes, no packets: what
 * needs them finds world->fabric NULL.
 *
 * Everything else of a world (ranks, collectives, matching, reports) does not know which kind of
 * network it has, but for the backend's traits.
 */
#include "sim/world.h"

#include <string.h>

/* Fails with the list of modes. */
static const struct asim_net_backend *find(const char *mode, struct asim_err *err)
{
    return (const struct asim_net_backend *)(const void *)asim_family_find(
        asim_net_backend_table, "analytical network", mode, err);
}

/* Options of the packet network. */
static void note_idle(const struct asim_world *world, const struct asim_settings *set)
{
    const struct {
        const char *name;
        int is_given;
    } rows[] = {{"topology", set->topology != NULL},
                {"logical-topology-configuration", set->logical != NULL},
                {"pcap", set->pcap != NULL},
                {"reports", set->reports != NULL},
                {"per-event", set->per_event},
                {"threads", set->threads > 1},
                {"compare", set->compare}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_given)
            asim_world_diagnose(world, "--%s has no effect on an analytical network", rows[i].name);
}

/* set->shape, for tests and embedding programs, goes before the file. */
int asim_world_open_shape(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct asim_err why = {0};

    if (!find(set->mode, &why))
        return asim_err_set(err, ASIM_EUSAGE, "%s", why.text);
    note_idle(world, set);
    if (set->shape)
        world->shape = *set->shape;
    else if (!set->network)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no network given; say --network-configuration=FILE.yml with "
                            "topology, npus_count, bandwidth and latency of each dimension");
    else if (asim_netshape_read(&world->shape, set->network, err))
        return ASIM_EINVAL;
    world->dims.n = world->shape.n;
    for (size_t d = 0; d < world->shape.n; d++)
        world->dims.at[d] = world->shape.at[d].npus;
    return 0;
}

int asim_world_connect_analytical(struct asim_world *world, const struct asim_net_user *user,
                                  struct asim_err *err)
{
    struct asim_net_config config = {
        .shape = &world->shape, .ranks = world->n_ranks, .user = *user};

    world->backend = find(world->settings.mode, err);
    if (!world->backend || world->backend->open(&world->carrier, &config, err))
        return ASIM_EINVAL;
    world->queue = world->backend->queue ? world->backend->queue(world->carrier) : NULL;
    world->show.in_order = world->queue != NULL;
    return 0;
}
