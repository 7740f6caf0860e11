/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Order, nesting and inter-thread order of CPU ops. Chakra's tools compare each op with all later
 * ones (n squared in the worst case). Here a stack of open ops does it in one pass: an op adds its
 * interval to the ops around it, and stops at the first one that contains it and lies itself inside
 * everything below, because the ops below have counted that one already.
 *
 * parity: Chakra's tools sort ops that start together by ascending duration, so a parent that
 * starts with its child does not subtract it. --compat keeps this; otherwise the longer op comes
 * first. Chakra's tools stop when rounding makes a duration negative; here it becomes 0.
 */
#include "link/kineto.h"

#include <stdlib.h>

#define OPEN_LIMIT   20000 /* most ops nested in one another on a thread */
#define GROUP_GAP_US 1000.0

static int by_ts(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_kineto_cpu *cpu = ctx;

    return cpu[a].ts < cpu[b].ts;
}

int asim_nest_order(struct asim_kineto *kin, struct asim_err *err)
{
    size_t n = kin->cpu.n;
    uint32_t *fill;

    kin->by_time = asim_iota_u32(n);
    kin->by_thread = malloc((n ? n : 1) * sizeof *kin->by_thread);
    kin->thread_at = calloc((size_t)kin->threads + 1, sizeof *kin->thread_at);
    fill = calloc((size_t)kin->threads + 1, sizeof *fill);
    if (!kin->by_time || !kin->by_thread || !kin->thread_at || !fill ||
        asim_sort_u32(kin->by_time, n, by_ts, kin->cpu.at)) {
        free(fill);
        return asim_err_nomem(err, "sorting CPU ops");
    }
    for (size_t i = 0; i < n; i++)
        kin->thread_at[kin->cpu.at[i].thread + 1]++;
    for (uint32_t t = 0; t < kin->threads; t++) {
        kin->thread_at[t + 1] += kin->thread_at[t];
        fill[t] = kin->thread_at[t];
    }
    for (size_t i = 0; i < n; i++)
        kin->by_thread[fill[kin->cpu.at[kin->by_time[i]].thread]++] = kin->by_time[i];
    free(fill);
    return 0;
}

struct open_op {
    uint32_t op;
    double end;
    double from, to; /* the merged interval of inner ops so far; from > to = none */
    uint8_t real;    /* from or to was written as a real */
    uint8_t inside;  /* lies inside every op below it on the stack */
};

struct nesting {
    struct asim_kineto *kin;
    struct open_op *open;
    size_t n;
};

static void close_interval(struct nesting *nesting, struct open_op *o)
{
    struct asim_kineto_cpu *op = &nesting->kin->cpu.at[o->op];

    if (o->from > o->to)
        return;
    op->exclusive -= o->to - o->from;
    if (o->real)
        op->flags |= ASIM_KIN_EXCL_REAL;
    o->from = 1;
    o->to = 0;
}

static void add_interval(struct nesting *nesting, struct open_op *o,
                         const struct asim_kineto_cpu *in)
{
    double end = in->ts + in->dur;
    uint8_t real = (in->flags & (ASIM_KIN_TS_REAL | ASIM_KIN_DUR_REAL)) != 0;

    if (o->from <= o->to && in->ts <= o->to) {
        if (end > o->to) {
            o->to = end;
            o->real |= real;
        }
        return;
    }
    close_interval(nesting, o);
    o->from = in->ts;
    o->to = end;
    o->real = real;
}

static void pop(struct nesting *nesting, size_t i)
{
    close_interval(nesting, &nesting->open[i]);
    for (size_t j = i + 1; j < nesting->n; j++)
        nesting->open[j - 1] = nesting->open[j];
    nesting->n--;
}

/* Adds an op to the open ones around it and closes those that have ended. Returns 1 if it lies
 * inside all that stay open; *around is the innermost op around it. */
static uint8_t count_op(struct nesting *nesting, uint32_t index, uint32_t *around)
{
    const struct asim_kineto_cpu *op = &nesting->kin->cpu.at[index];
    uint8_t inside = 1, settled = 0;

    *around = ASIM_NONE;
    for (size_t i = nesting->n; i--;) {
        struct open_op *o = &nesting->open[i];

        if (o->end < op->ts) {
            pop(nesting, i);
            continue;
        }
        if (settled)
            break;
        if (op->ts + op->dur > o->end) {
            inside = 0;
            continue;
        }
        if (*around == ASIM_NONE)
            *around = o->op;
        add_interval(nesting, o, op);
        settled = o->inside;
    }
    return inside;
}

struct by_dur {
    const struct asim_kineto_cpu *cpu;
    int compat;
};

static int by_ts_dur(const void *ctx, uint32_t a, uint32_t b)
{
    const struct by_dur *by = ctx;
    const struct asim_kineto_cpu *x = &by->cpu[a], *y = &by->cpu[b];

    if (x->ts != y->ts)
        return x->ts < y->ts;
    return by->compat ? x->dur < y->dur : x->dur > y->dur;
}

static int nest_thread(struct nesting *nesting, const uint32_t *at, size_t n, struct asim_err *err)
{
    struct asim_kineto_cpu *cpu = nesting->kin->cpu.at;

    for (size_t i = 0; i < n; i++) {
        uint8_t inside = count_op(nesting, at[i], &nesting->kin->enclosing[at[i]]);

        if (nesting->n == OPEN_LIMIT)
            return asim_err_set(err, ASIM_EINVAL,
                                "more than %d CPU ops are nested in one another near ts %.3f us: "
                                "the times of this trace are damaged.",
                                OPEN_LIMIT, cpu[at[i]].ts);
        nesting->open[nesting->n++] = (struct open_op){
            .op = at[i], .end = cpu[at[i]].ts + cpu[at[i]].dur, .from = 1, .inside = inside};
    }
    while (nesting->n)
        pop(nesting, nesting->n - 1);
    return 0;
}

static void clamp(struct asim_kineto *kin)
{
    for (size_t i = 0; i < kin->cpu.n; i++)
        if (kin->cpu.at[i].exclusive < 0)
            kin->cpu.at[i].exclusive = 0;
}

int asim_nest_exclusive(struct asim_kineto *kin, int compat, const char *path, struct asim_err *err)
{
    struct nesting nesting = {.kin = kin, .open = malloc(OPEN_LIMIT * sizeof *nesting.open)};
    struct by_dur by = {kin->cpu.at, compat};
    uint32_t *at = malloc((kin->cpu.n ? kin->cpu.n : 1) * sizeof *at);
    int code = 0;

    kin->enclosing = malloc((kin->cpu.n ? kin->cpu.n : 1) * sizeof *kin->enclosing);
    if (!nesting.open || !at || !kin->enclosing)
        code = asim_err_nomem(err, "nesting CPU ops");
    for (uint32_t t = 0; t < kin->threads && !code; t++) {
        size_t n = kin->thread_at[t + 1] - kin->thread_at[t];

        for (size_t i = 0; i < n; i++)
            at[i] = kin->by_thread[kin->thread_at[t] + i];
        code = asim_sort_u32(at, n, by_ts_dur, &by) ? asim_err_nomem(err, "nesting CPU ops")
                                                    : nest_thread(&nesting, at, n, err);
    }
    if (code && err && !err->source[0])
        snprintf(err->source, sizeof err->source, "%s", path);
    if (!code)
        clamp(kin);
    ASIM_FREE(nesting.open, at);
    return code;
}

/* Position in by_time of the first op with ts >= t. */
static size_t first_from(const struct asim_kineto *kin, double t)
{
    size_t low = 0, high = kin->cpu.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kin->cpu.at[kin->by_time[middle]].ts < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The latest op of another thread that started before t. other[i] = latest position before i in
 * by_time with another thread than position i - 1. Of equal times the first in the file. */
static uint32_t latest_elsewhere(const struct asim_kineto *kin, const uint32_t *other, double t,
                                 uint32_t thread)
{
    const struct asim_kineto_cpu *cpu = kin->cpu.at;
    size_t i = first_from(kin, t);
    uint32_t found;

    if (!i)
        return ASIM_NONE;
    i--;
    if (cpu[kin->by_time[i]].thread == thread) {
        if (other[i] == ASIM_NONE)
            return ASIM_NONE;
        i = other[i];
    }
    found = kin->by_time[i];
    while (i-- && cpu[kin->by_time[i]].ts == cpu[found].ts)
        if (cpu[kin->by_time[i]].thread != thread)
            found = kin->by_time[i];
    return found;
}

int asim_nest_threads(struct asim_kineto *kin, struct asim_err *err)
{
    struct asim_kineto_cpu *cpu = kin->cpu.at;
    uint32_t *other = malloc((kin->cpu.n ? kin->cpu.n : 1) * sizeof *other);

    if (!other)
        return asim_err_nomem(err, "ordering threads");
    for (size_t i = 0; i < kin->cpu.n; i++)
        other[i] = !i ? ASIM_NONE
                   : cpu[kin->by_time[i]].thread != cpu[kin->by_time[i - 1]].thread
                       ? (uint32_t)(i - 1)
                       : other[i - 1];
    for (uint32_t t = 0; t < kin->threads; t++) {
        uint32_t dep = ASIM_NONE;

        for (uint32_t i = kin->thread_at[t]; i < kin->thread_at[t + 1]; i++) {
            struct asim_kineto_cpu *op = &cpu[kin->by_thread[i]];
            const struct asim_kineto_cpu *last =
                i > kin->thread_at[t] ? &cpu[kin->by_thread[i - 1]] : NULL;

            if (!last || op->ts - last->ts - last->dur > GROUP_GAP_US)
                dep = latest_elsewhere(kin, other, op->ts, t);
            op->inter_thread = dep;
        }
    }
    free(other);
    return 0;
}
