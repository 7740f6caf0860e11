/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What an event or a failure does: which keys belong to which kind (scenario.h).
 */
#include "scenario/scenario.h"

#include <string.h>

static const char *const kinds[] = {"link-down", "link-rate",  "link-loss", "switch-down",
                                    "nic-down",  "host-crash", "ecn",       "pfc"};

const char *asim_scenario_kind_name(int kind)
{
    return kinds[kind];
}

struct key {
    const char *name;
    int kind;  /* the only one that it belongs to */
    int given; /* with a value other than the default */
    int must;  /* an object of that kind needs it */
};

int asim_scenario_check_effect(const struct asim_scenario *scenario, const char *name,
                               unsigned line, const struct asim_scenario_effect *effect,
                               struct asim_err *err)
{
    const struct key keys[] = {
        {"rate", ASIM_SCENARIO_LINK_RATE, effect->rate != NULL, 1},
        {"loss", ASIM_SCENARIO_LINK_LOSS, effect->loss > 0, 1},
        {"traffic", ASIM_SCENARIO_NIC_DOWN, effect->traffic != ASIM_SCENARIO_MOVE, 0},
        {"restart", ASIM_SCENARIO_HOST_CRASH, effect->restart_fs != 0, 1},
        {"checkpoint-every", ASIM_SCENARIO_HOST_CRASH, effect->checkpoint_fs != 0, 0},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].given && keys[i].kind != effect->kind)
            return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, line),
                               "\"%s\" in \"%s\" belongs to the kind %s and has no effect for %s; "
                               "leave it out.",
                               keys[i].name, name, kinds[keys[i].kind], kinds[effect->kind]);
        if (keys[i].must && !keys[i].given && keys[i].kind == effect->kind)
            return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, line),
                               "an object of \"%s\" of kind %s needs \"%s\".", name,
                               kinds[effect->kind], keys[i].name);
    }
    if (effect->for_fs && effect->kind == ASIM_SCENARIO_HOST_CRASH)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, line),
                           "\"for\" has no effect for host-crash, whose \"restart\" says how long "
                           "it takes; leave it out.");
    return 0;
}
