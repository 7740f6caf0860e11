/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The names of the parts of the flow level that --flow-without turns off.
 */
#include "base/text.h"
#include "net/flow/rings.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"ack-load", "queues", "ack-wait",  "lead",
                                    "control",  "losses", "collisions"};
static const uint32_t bits[] = {ASIM_FLUID_ACK_LOAD,  ASIM_FLUID_QUEUES,       ASIM_FLUID_ACK_WAIT,
                                ASIM_FLUID_LEAD,      ASIM_FLUID_CONTROL_PART, ASIM_FLUID_LOSSES,
                                ASIM_FLUID_COLLISIONS};
enum { PARTS = sizeof names / sizeof *names, LONGEST_NAME = 64 };

static int unknown(const char *name, struct asim_err *err)
{
    char shown[LONGEST_NAME], hint[LONGEST_NAME], list[256];

    return asim_err_set(err, ASIM_EUSAGE, "--flow-without: unknown part '%s'.%s The parts are: %s.",
                        asim_text_safe(shown, sizeof shown, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, PARTS)),
                        asim_text_list(list, sizeof list, names, PARTS));
}

int asim_fluid_parts(const char *text, uint32_t *without, struct asim_err *err)
{
    const char *at = text ? text : "";

    for (*without = 0; *at;) {
        size_t n = strcspn(at, ","), i = 0;
        char name[LONGEST_NAME];

        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), at);
        while (i < PARTS && strcmp(names[i], name))
            i++;
        if (i == PARTS)
            return unknown(name, err);
        *without |= bits[i];
        at += n + (at[n] == ',');
    }
    return 0;
}
