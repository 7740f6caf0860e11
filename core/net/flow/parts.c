/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The names of the parts of the flow level that --flow-without turns off: also those of congestion
 * controls, each of which is a part of runs that have it.
 */
#include "base/text.h"
#include "cc/cc.h"
#include "net/flow/parts.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"ack-load", "queues", "ack-wait",
                                    "control",  "losses", "collisions"};
static const uint32_t bits[] = {ASIM_FLUID_ACK_LOAD,     ASIM_FLUID_QUEUES, ASIM_FLUID_ACK_WAIT,
                                ASIM_FLUID_CONTROL_PART, ASIM_FLUID_LOSSES, ASIM_FLUID_COLLISIONS};
enum { PARTS = sizeof names / sizeof *names, MOST = 32, LONGEST_NAME = 64 };

static int unknown(const char *name, struct asim_err *err)
{
    char shown[LONGEST_NAME], hint[LONGEST_NAME], list[256];
    const char *all[MOST];
    size_t n = PARTS;

    memcpy(all, names, sizeof names);
    for (const struct asim_member *const *row = asim_cc_table; *row && n < MOST; row++)
        if (strcmp((*row)->name, "none"))
            all[n++] = (*row)->name;
    return asim_err_set(err, ASIM_EUSAGE, "--flow-without: unknown part '%s'.%s The parts are: %s.",
                        asim_text_safe(shown, sizeof shown, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, all, n)),
                        asim_text_list(list, sizeof list, all, n));
}

/* 0 where the name is no congestion control. */
static int is_control(const char *name)
{
    const struct asim_member *const *row = asim_cc_table;

    while (*row && strcmp((*row)->name, name))
        row++;
    return *row && strcmp(name, "none");
}

int asim_fluid_parts(const char *text, const struct asim_cc *cc, uint32_t *without,
                     struct asim_err *err)
{
    const char *at = text ? text : "";

    for (*without = 0; *at;) {
        size_t n = strcspn(at, ","), i = 0;
        char name[LONGEST_NAME];

        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), at);
        while (i < PARTS && strcmp(names[i], name))
            i++;
        if (i == PARTS && !is_control(name))
            return unknown(name, err);
        if (i < PARTS)
            *without |= bits[i];
        else if (!strcmp(name, cc->member.name))
            *without |= ASIM_FLUID_CONTROL_PART;
        at += n + (at[n] == ',');
    }
    return 0;
}
