/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads what_if.csv and finds what each change saves. Changes are told beside the flow level as it
 * is, since both have its error; what was tried in packets beside the run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

static int by_saved(const void *a, const void *b)
{
    const struct asim_run_change *x = a, *y = b;

    if (x->saved != y->saved)
        return x->saved > y->saved ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct columns {
    int change, option, finish, identity;
};

static int read_row(struct asim_run *run, const struct asim_table *table, const struct columns *at,
                    struct asim_err *err)
{
    struct asim_run_change row = {.ns = asim_table_u64(table, at->finish, err)};
    const char *name = asim_table_text(table, at->change),
               *option = asim_table_text(table, at->option);

    if (strcmp(asim_table_text(table, at->identity), run->identity.text) != 0) {
        asim_run_doubt(run, "what_if.csv");
        run->changes.n = 0;
        return 1;
    }
    if (!strcmp(name, "none")) {
        run->no_changes = asim_arena_strdup(&run->arena, option);
        return !run->no_changes;
    }
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.option, sizeof row.option, "%s", option);
    return ASIM_VEC_PUSH(run->changes, row) ? asim_err_nomem(err, "reading what_if.csv") : 0;
}

/* Takes the first row, the run as it is, for what only packets see. */
static void weigh(struct asim_run *run)
{
    struct asim_run_change *at = run->changes.at;
    double base = run->changes.n ? (double)at->ns : 0, finish = (double)run->finish;
    size_t n = 0;

    if (base <= 0)
        run->changes.n = 0;
    for (size_t i = 0; i < run->changes.n; i++) {
        double ns = (double)at[i].ns;
        char *tail = strstr(at[i].name, " in packets");

        at[i].saved = !i ? 1 - base / finish : tail ? 1 - ns / finish : 1 - ns / base;
        at[i].is_in_packets = tail != NULL;
        if (tail)
            *tail = '\0';
        if (i && !at[i].ns)
            continue;
        at[n++] = at[i];
    }
    run->changes.n = n;
    if (!n)
        return;
    snprintf(at->name, sizeof at->name, "packets");
    run->flow_error = base / finish - 1;
    if (base / finish > 0.999) { /* no slower than the flow level has it */
        memmove(at, at + 1, (n - 1) * sizeof *at);
        run->changes.n--;
    }
    qsort(at, run->changes.n, sizeof *at, by_saved);
}

int asim_run_load_changes(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    struct columns at = {0};
    int code = asim_run_open(run, &table, "what_if.csv", err);

    if (!code && table.file) {
        at.change = asim_table_need(&table, "change", err);
        at.option = asim_table_need(&table, "option", err);
        at.finish = asim_table_need(&table, "finish_ns", err);
        at.identity = asim_table_need(&table, "identity", err);
        code = err->code;
    }
    while (!code && table.file && (code = asim_table_row(&table, err)) > 0)
        if (read_row(run, &table, &at, err)) {
            code = err->code;
            break;
        } else {
            code = 0;
        }
    asim_table_close(&table);
    if (!code && run->finish)
        weigh(run);
    return code;
}
