/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The verdict and the busiest links on a terminal.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "tools/report/report.h"
#include "tools/report/show.h"
#include "tools/report/verdict.h"

enum { MOST = 16384, WORST = 5 };

static void add(char *text, const char *fmt, ...) ASIM_PRINTF(2, 3);

static void add(char *text, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, fmt);
    vsnprintf(text + used, MOST - used, fmt, args);
    va_end(args);
}

static void add_changes(char *text, const struct asim_run *run)
{
    const char *before = "what if:       ";
    const double least = 0.0005;
    char words[64];

    for (size_t i = 0; i < run->changes.n; i++) {
        const struct asim_run_change *change = &run->changes.at[i];

        if (change->saved < least && change->saved > -least)
            continue;
        add(text, "%s%+6.1f %%  %s%s%s%s\n", before, -100 * change->saved,
            asim_verdict_change(words, sizeof words, change), *change->option ? " (--" : "",
            change->option, *change->option ? ")" : "");
        before = "               ";
    }
    if (run->changes.n && run->has_topology && !run->is_flow_level)
        add(text, "the flow level is %s off this run\n",
            asim_show_difference(words, run->flow_error));
}

static void add_links(char *text, const struct asim_run *run)
{
    char from[32], to[32];

    for (uint32_t i = 0; i < run->n_worst && i < WORST; i++) {
        const struct asim_run_link *link = &run->links.at[run->worst[i]];

        add(text, "%s%s -> %s (%s): %.1f %% used", i ? "               " : "busiest links: ",
            asim_show_node(from, sizeof from, run, link->from),
            asim_show_node(to, sizeof to, run, link->to), link->class, 100 * link->utilisation);
        if (run->is_flow_level)
            add(text, ", queue up to %" PRIu64 " bytes and %" PRIu64 " marks as modelled",
                link->peak_queue, link->marks);
        else
            add(text,
                ", queue up to %" PRIu64 " bytes, %" PRIu64 " marks, %" PRIu64
                " pauses sent, %" PRIu64 " drops",
                link->peak_queue, link->marks, link->pauses, link->drops);
        add(text, "\n");
    }
    if (run->is_flow_level && run->n_worst)
        add(text, "pauses and drops are not modelled at the flow level\n");
}

static void add_tiers(char *text, const struct asim_run *run)
{
    char line[300], bytes[ASIM_SHOW_BYTES];
    const char *before = "bytes by tier: ";

    for (size_t i = 0; i < run->tiers.n; i++) {
        const struct asim_run_tier *tier = &run->tiers.at[i];

        if (!tier->bytes)
            continue;
        add(text, "%s%s %s: %s, %.1f %% used, the busiest %.1f %%\n", before, tier->class,
            tier->direction, asim_show_bytes(bytes, (double)tier->bytes), 100 * tier->mean,
            100 * tier->worst);
        before = "               ";
    }
    for (size_t i = 0; i < run->ratios.n; i++)
        add(text, "oversubscription: %s\n", asim_show_ratio(line, sizeof line, &run->ratios.at[i]));
    if (run->ways.flows)
        add(text, "equal ways: %s\n", asim_show_ways(line, sizeof line, &run->ways));
}

void asim_report_cause(const char *folder, char *cause, size_t size)
{
    struct asim_run run;
    struct asim_verdict verdict;
    int code = asim_run_load(&run, folder, 1, &(struct asim_err){0});

    asim_verdict_of(&verdict, &run);
    snprintf(cause, size, "%s", !code && run.changes.n ? verdict.what : "");
    asim_run_close(&run);
}

int asim_report_text(const char *folder, char **text, struct asim_err *err)
{
    struct asim_run run;
    struct asim_verdict verdict;
    char line[1200];
    int code;

    *text = calloc(1, MOST);
    if (!*text)
        return asim_err_nomem(err, "reading a run");
    code = asim_run_load(&run, folder, 1, err);
    if (!code) {
        asim_verdict_of(&verdict, &run);
        add(*text, "%s\n", asim_verdict_say(line, sizeof line, &verdict));
        for (uint32_t i = 0; i < run.n_doubts; i++)
            add(*text, "warning: %s\n", run.doubts[i]);
        add_changes(*text, &run);
        add_tiers(*text, &run);
        add_links(*text, &run);
        asim_text_clean(*text); /* names of the folder reach a terminal */
    }
    asim_run_close(&run);
    return code;
}
