/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names options that have no effect in a run, because the option that they serve has its default.
 * What a network or the traces leave unused is told by core/sim (world_analytical.c,
 * diagnostics.c), what a configuration does by core/conf.
 */
#include "cli/idle.h"

#include <stdio.h>
#include <string.h>
#include "asim/settings.h"
#include "asim/ext/option.h"

static const struct {
    const char *option, *needs, *as; /* as: how the one that is needed is written */
} rows[] = {{"alone", "scenario", "--scenario"},
            {"scenario-traces", "scenario", "--scenario"},
            {"correct", "verify", "--verify"},
            {"flow-without", "model", "--model=flow"},
            {"compare-network", "compare", "--compare=analytical"},
            {"report-interval", "out", "--out"},
            {"timeline-format", "timeline", "--timeline"},
            {"timeline-ranks", "timeline", "--timeline"},
            {"timeline-from", "timeline", "--timeline"},
            {"timeline-to", "timeline", "--timeline"}};

/* 1 if the option of that name has another value than by default. */
static int is_given(const struct asim_settings *settings, const struct asim_settings *defaults,
                    const char *name)
{
    const struct asim_option *row = asim_option_find(asim_settings_options, name);
    const char *at = (const char *)settings + row->offset,
               *usual = (const char *)defaults + row->offset;

    if (row->type == ASIM_T_STRING) {
        const char *text = *(char *const *)(const void *)at,
                   *other = *(char *const *)(const void *)usual;

        return text && (!other || strcmp(text, other));
    }
    return memcmp(at, usual, asim_option_bytes(row->type)) != 0;
}

void asim_idle_options(const struct asim_settings *settings, int compare,
                       void (*say)(void *self, const char *sentence), void *self)
{
    struct asim_settings defaults;
    char sentence[120];

    if (asim_settings_init(&defaults, sizeof defaults, NULL))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_given(settings, &defaults, rows[i].option) ||
            is_given(settings, &defaults, rows[i].needs) ||
            (compare && !strcmp(rows[i].needs, "compare")))
            continue;
        snprintf(sentence, sizeof sentence, "--%s has no effect without %s", rows[i].option,
                 rows[i].as);
        say(self, sentence);
    }
    asim_settings_fini(&defaults);
}
