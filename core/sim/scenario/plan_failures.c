/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws the failures of a scenario. A part works for an exponential time with the stated mean,
 * fails, is repaired after the stated time, and works on. Draws are keyed by seed, line, part
 * and number: a part fails at the same times whatever else is in the scenario's other objects.
 */
#include "base/map.h"
#include "base/text.h"
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"

#include <math.h>

/* Uniform in [0, 1). */
static double draw(uint64_t seed, uint64_t part, uint64_t number)
{
    uint64_t bits = asim_mix64(asim_mix64(asim_mix64(seed) ^ part) ^ number);

    return (double)(bits >> 11) / 9007199254740992.0; /* 2^53 */
}

static int fail_part(struct asim_world *world, const struct asim_scenario_failure *failure,
                     const struct asim_plan_part *part, uint64_t key, struct asim_err *err)
{
    const struct asim_scenario_effect *effect = &failure->effect;
    double mean = (double)failure->mtbf_fs / ASIM_FS_PER_NS;
    double repair = (double)effect->for_fs / ASIM_FS_PER_NS;
    double at = (double)failure->from_fs / ASIM_FS_PER_NS;
    double until = (double)failure->until_fs / ASIM_FS_PER_NS;
    int code = 0;

    for (uint64_t n = 0; !code; n++) {
        struct asim_occurrence when = {.line = failure->line, .is_drawn = 1};

        at -= mean * log1p(-draw(failure->seed, key, n));
        if (at >= until)
            return 0;
        when.at_ns = (uint64_t)at;
        at += repair;
        when.until_ns = repair > 0 ? (uint64_t)at : ASIM_NEVER;
        code = asim_plan_occur(world, effect, &when, part, err);
    }
    return code;
}

static int fails(const struct asim_topo *topo, const struct asim_scenario_failure *failure,
                 size_t link)
{
    int to_host = topo->links[link].a < topo->hosts || topo->links[link].b < topo->hosts;

    if (!asim_plan_is_network_link(topo, link))
        return 0;
    if (failure->links == ASIM_SCENARIO_ALL_LINKS)
        return 1;
    return (failure->links == ASIM_SCENARIO_HOST_LINKS) == to_host;
}

static int fail_links(struct asim_world *world, const struct asim_scenario_failure *failure,
                      struct asim_err *err)
{
    int code = 0;

    for (uint32_t l = 0; l < world->set.topo.n_links && !code; l++)
        if (fails(&world->set.topo, failure, l))
            code = fail_part(world, failure, &(struct asim_plan_part){.link = l}, l, err);
    return code;
}

/* Keys are the numbers that users see, so a placement of ranks changes no failure. */
static int fail_nodes(struct asim_world *world, const struct asim_scenario_failure *failure,
                      uint32_t from, uint32_t to, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    int code = 0;

    for (uint32_t v = from; v < to && !code; v++)
        if (topo->node_type[v] != ASIM_NVSWITCH)
            code = fail_part(world, failure, &(struct asim_plan_part){.node = v},
                             asim_topo_external_id(topo, v), err);
    return code;
}

static int fail_nics(struct asim_world *world, const struct asim_scenario_failure *failure,
                     struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    int code = 0;

    for (uint32_t v = 0; v < topo->hosts - topo->endpoints; v++)
        for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1] && !code; p++) {
            const struct asim_plan_part part = {
                .node = v, .link = topo->ports[p].link, .nic = p - topo->first_port[v]};

            if (asim_plan_is_network_link(topo, part.link))
                code =
                    fail_part(world, failure, &part,
                              (uint64_t)(part.nic + 1) << 32 | asim_topo_external_id(topo, v), err);
        }
    return code;
}

int asim_plan_failures(struct asim_world *world, struct asim_err *err)
{
    const struct asim_scenario *scenario = world->set.scenario;
    const struct asim_topo *topo = &world->set.topo;
    int code = 0;

    for (size_t i = 0; i < scenario->failures.n && !code; i++) {
        const struct asim_scenario_failure *failure = &scenario->failures.at[i];

        if (failure->effect.kind <= ASIM_SCENARIO_LINK_LOSS)
            code = fail_links(world, failure, err);
        else if (failure->effect.kind == ASIM_SCENARIO_SWITCH_DOWN)
            code = fail_nodes(world, failure, topo->hosts, topo->nodes, err);
        else if (failure->effect.kind == ASIM_SCENARIO_NIC_DOWN)
            code = fail_nics(world, failure, err);
        else
            code = fail_nodes(world, failure, 0, topo->hosts - topo->endpoints, err);
    }
    return code;
}
