/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the CPU op that launched a GPU operation. The runtime call with the operation's correlation
 * is the launcher, whatever its name: a list of launch names lacks newer calls (graph launches,
 * cooperative launches, HIP's) and would lose their operations. The op is the latest one on the
 * launcher's thread with the operation's External id; else the innermost op that was open at the
 * launch; else the latest that started before it.
 *
 * parity: with --compat only calls on Chakra's list launch, without an equal External id the
 * latest started op is taken even if it had ended, and nccl:coalesced launches no NCCL kernel.
 */
#include "link/kineto.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct launch {
    struct asim_kineto *kin;
    uint32_t *by_external; /* CPU ops by (external, thread, ts) */
    int compat;
    struct asim_launch_counts *counts;
};

static int by_external(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_kineto *kin = ctx;
    const struct asim_kineto_cpu *x = &kin->cpu.at[a], *y = &kin->cpu.at[b];

    if (kin->external.at[a] != kin->external.at[b])
        return kin->external.at[a] < kin->external.at[b];
    if (x->thread != y->thread)
        return x->thread < y->thread;
    return x->ts < y->ts;
}

/* 1 if the op started before the launch (or at the same time, without compat: old files have whole
 * us). */
static int is_before(const struct launch *ln, const struct asim_kineto_cpu *op, double ts)
{
    return ln->compat ? op->ts < ts : op->ts <= ts;
}

static int has_nccl(const char *name)
{
    for (; *name; name++)
        if (tolower((unsigned char)name[0]) == 'n' && tolower((unsigned char)name[1]) == 'c' &&
            tolower((unsigned char)name[2]) == 'c' && tolower((unsigned char)name[3]) == 'l')
            return 1;
    return 0;
}

/* 1 if op comes after the position in by_external order. */
static int is_after(const struct launch *ln, uint32_t at, int64_t external,
                    const struct asim_kineto_call *call)
{
    const struct asim_kineto_cpu *op = &ln->kin->cpu.at[at];

    if (ln->kin->external.at[at] != external)
        return ln->kin->external.at[at] > external;
    if (op->thread != call->thread)
        return op->thread > call->thread;
    return !is_before(ln, op, call->ts);
}

static uint32_t same_external(const struct launch *ln, int64_t external,
                              const struct asim_kineto_call *call, int skip_coalesced)
{
    const struct asim_kineto_cpu *cpu = ln->kin->cpu.at;
    size_t low = 0, high = ln->kin->cpu.n;

    if (external < 0 && !ln->compat)
        return ASIM_NONE;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_after(ln, ln->by_external[middle], external, call))
            high = middle;
        else
            low = middle + 1;
    }
    while (low--) {
        const struct asim_kineto_cpu *op = &cpu[ln->by_external[low]];

        if (ln->kin->external.at[ln->by_external[low]] != external || op->thread != call->thread)
            break;
        if (!skip_coalesced || !(op->flags & ASIM_KIN_COALESCED))
            return ln->by_external[low];
    }
    return ASIM_NONE;
}

/* The latest op on the call's thread before it. */
static uint32_t latest(const struct launch *ln, const struct asim_kineto_call *call,
                       int skip_coalesced)
{
    const struct asim_kineto *kin = ln->kin;
    size_t low = kin->thread_at[call->thread], high = kin->thread_at[call->thread + 1];
    size_t floor = low;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_before(ln, &kin->cpu.at[kin->by_thread[middle]], call->ts))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > floor) {
        uint32_t op = kin->by_thread[--low];

        if (!skip_coalesced || !(kin->cpu.at[op].flags & ASIM_KIN_COALESCED))
            return op;
    }
    return ASIM_NONE;
}

/* The op that makes a runtime call, where there is one. */
static uint32_t outside_call(const struct asim_kineto *kin, uint32_t op)
{
    while (kin->cpu.at[op].flags & ASIM_KIN_CALL && kin->enclosing[op] != ASIM_NONE)
        op = kin->enclosing[op];
    return op;
}

static uint32_t parent_of(const struct launch *ln, const struct asim_kineto_gpu *gpu,
                          int64_t external, const struct asim_kineto_call *call)
{
    const struct asim_kineto *kin = ln->kin;
    int skip = ln->compat && has_nccl(asim_names_get(&kin->names, gpu->name));
    uint32_t op = same_external(ln, external, call, skip), near;

    if (op != ASIM_NONE)
        return op;
    near = latest(ln, call, skip);
    if (ln->compat || near == ASIM_NONE)
        return near;
    for (op = near; op != ASIM_NONE; op = kin->enclosing[op])
        if (kin->cpu.at[op].ts + kin->cpu.at[op].dur >= call->ts)
            return outside_call(kin, op);
    ln->counts->outside++;
    return near;
}

static void resolve(const struct launch *ln, const struct asim_key_index *calls, size_t at)
{
    struct asim_kineto_gpu *gpu = &ln->kin->gpu.at[at];
    const struct asim_kineto_ids *ids = &ln->kin->ids.at[at];
    const struct asim_kineto_call *call;
    uint32_t found = ids->correlation < 0 ? ASIM_NONE : asim_index_get(calls, ids->correlation);

    if (ln->compat && gpu->kind == ASIM_GPU_MEMSET)
        return; /* parity: Chakra's tools do not know memsets */
    if (ids->correlation < 0) {
        ln->counts->no_correlation++;
        return;
    }
    if (found == ASIM_NONE) {
        ln->counts->no_call++;
        return;
    }
    call = &ln->kin->call.at[found];
    ln->counts->not_listed += !(call->flags & ASIM_KIN_LAUNCH);
    gpu->call = found;
    gpu->parent = parent_of(ln, gpu, ids->external, call);
    ln->counts->no_op += gpu->parent == ASIM_NONE;
}

/* Stores a call under its correlation id. If a runtime call and its driver call have the same id,
 * the known launch stays: PyTorch's op encloses it. */
static void put_call(const struct launch *ln, struct asim_key_index *calls, uint32_t at)
{
    const struct asim_kineto_call *call = &ln->kin->call.at[at];
    uint32_t before;

    if (call->correlation < 0 || (ln->compat && !(call->flags & ASIM_KIN_LAUNCH)))
        return;
    before = asim_index_get(calls, call->correlation);
    if (before != ASIM_NONE && ln->kin->call.at[before].flags & ASIM_KIN_LAUNCH &&
        !(call->flags & ASIM_KIN_LAUNCH))
        return;
    asim_index_put(calls, at);
}

int asim_nest_launches(struct asim_kineto *kin, int compat, struct asim_launch_counts *counts,
                       struct asim_err *err)
{
    struct launch ln = {.kin = kin, .compat = compat, .counts = counts};
    struct asim_key_index calls = {0};
    int code = 0;

    memset(counts, 0, sizeof *counts);
    ln.by_external = asim_iota_u32(kin->cpu.n);
    if (!ln.by_external || asim_sort_u32(ln.by_external, kin->cpu.n, by_external, kin) ||
        asim_index_init(&calls, kin->call.at ? &kin->call.at->correlation : NULL,
                        sizeof *kin->call.at, kin->call.n))
        code = asim_err_nomem(err, "finding launches");
    for (uint32_t i = 0; i < kin->call.n && !code; i++)
        put_call(&ln, &calls, i);
    for (size_t i = 0; i < kin->gpu.n && !code; i++)
        resolve(&ln, &calls, i);
    free(ln.by_external);
    asim_index_fini(&calls);
    ASIM_KINETO_DROP(kin->ids);
    if (!compat)
        ASIM_KINETO_DROP(kin->external);
    return code;
}
