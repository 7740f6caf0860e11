/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who waits for the GPU (chakra.md#gpu-synchronisation), from the device trace alone. Chakra's
 * tools run another package's critical-path analysis for this, take its first step only, and then
 * drop the result; here the rules stand on their own and cover the whole trace:
 *  - cuda_sync events name the stream, the device or the event waited for;
 *  - a stream-wait makes the next operation launched on the waiting stream depend on the last one
 *    launched on the other stream before the event was recorded;
 *  - without such events (AMD, and NVIDIA unless asked for) a blocking call waits for the last
 *    operation launched before it on every stream, if that had ended when the call returned.
 * A dependency is kept only if its source started before its target, so none can make a cycle.
 */
#include "link/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AHEAD 1000 /* operations of a stream looked at for the next one of a thread */
#define CLOCK_US   1.0  /* tolerance between the CPU's and the GPU's time stamps */

struct stream {
    int32_t device;
    uint32_t stream; /* name */
    uint32_t at, n;  /* range of `order` */
};

struct sync {
    struct asim_linking *link;
    struct asim_kineto *kin;
    uint32_t *order; /* launched GPU operations by (device, stream, launch time) */
    size_t order_n;
    ASIM_VEC(struct stream) stream;
    struct asim_key_index calls; /* runtime calls by correlation */
    double until;                /* latest end of the operations that the current call waits for */
    struct asim_err *err;
};

static double launch_ts(const struct asim_kineto *kin, uint32_t gpu)
{
    return kin->call.at[kin->gpu.at[gpu].call].ts;
}

static int by_launch(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_kineto *kin = ctx;
    const struct asim_kineto_gpu *x = &kin->gpu.at[a], *y = &kin->gpu.at[b];

    if (x->device != y->device)
        return x->device < y->device;
    if (x->stream != y->stream)
        return x->stream < y->stream;
    return launch_ts(kin, a) < launch_ts(kin, b);
}

static int find_streams(struct sync *s)
{
    struct asim_kineto *kin = s->kin;

    for (uint32_t i = 0; i < kin->gpu.n; i++)
        if (kin->gpu.at[i].call != ASIM_NONE && s->link->gpu_id[i] != ASIM_NONE)
            s->order[s->order_n++] = i;
    if (asim_sort_u32(s->order, s->order_n, by_launch, kin))
        return -1;
    for (uint32_t i = 0; i < s->order_n; i++) {
        const struct asim_kineto_gpu *gpu = &kin->gpu.at[s->order[i]];
        struct stream *last = s->stream.n ? &s->stream.at[s->stream.n - 1] : NULL;
        struct stream fresh = {(int32_t)gpu->device, gpu->stream, i, 0};

        if (!last || last->device != (int32_t)gpu->device || last->stream != gpu->stream) {
            if (ASIM_VEC_PUSH(s->stream, fresh))
                return -1;
            last = &s->stream.at[s->stream.n - 1];
        }
        last->n++;
    }
    return 0;
}

/* Number of the stream's operations launched before t. */
static uint32_t launched_before(const struct sync *s, const struct stream *stream, double t)
{
    uint32_t low = 0, high = stream->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (launch_ts(s->kin, s->order[stream->at + middle]) < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct stream *find_stream(const struct sync *s, int32_t device, uint32_t name)
{
    for (size_t i = 0; i < s->stream.n; i++)
        if (s->stream.at[i].stream == name && (!device || s->stream.at[i].device == device))
            return &s->stream.at[i];
    return NULL;
}

static int add(struct sync *s, struct asim_sync_dep dep)
{
    const struct asim_kineto *kin = s->kin;
    double from = kin->gpu.at[dep.source].ts;
    double to = dep.on_gpu ? kin->gpu.at[dep.target].ts : kin->cpu.at[dep.target].ts;

    if (from >= to || (dep.on_gpu && dep.target == dep.source))
        return 0;
    return ASIM_VEC_PUSH(s->link->sync, dep) ? asim_err_nomem(s->err, "keeping waits") : 0;
}

/* The first op of the call's thread that starts after the call and is in the host trace. */
static uint32_t op_after(const struct sync *s, const struct asim_kineto_call *call)
{
    const struct asim_kineto *kin = s->kin;
    size_t low = kin->thread_at[call->thread], end = kin->thread_at[call->thread + 1], high = end;
    double t = call->ts + call->dur;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kin->cpu.at[kin->by_thread[middle]].ts < t)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < end && i < low + LOOK_AHEAD; i++)
        if (s->link->host_of[kin->by_thread[i]] != ASIM_NONE)
            return kin->by_thread[i];
    return ASIM_NONE;
}

static int wait_for(struct sync *s, uint32_t target, uint32_t gpu)
{
    double end = s->kin->gpu.at[gpu].ts + s->kin->gpu.at[gpu].dur;

    s->until = end > s->until ? end : s->until;
    return add(s, (struct asim_sync_dep){.target = target, .source = gpu});
}

/* Subtracts the time that a call spent waiting from the op around it: the simulation waits again,
 * by the dependency, and must not count it twice. */
static void take_off(struct sync *s, const struct asim_kineto_call *call)
{
    const struct asim_kineto *kin = s->kin;
    size_t low = kin->thread_at[call->thread], high = kin->thread_at[call->thread + 1];
    size_t start = low;
    double end = call->ts + call->dur, waited;
    uint32_t op;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kin->cpu.at[kin->by_thread[middle]].ts <= call->ts)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == start || s->until <= call->ts)
        return;
    op = kin->by_thread[low - 1];
    while (op != ASIM_NONE && kin->cpu.at[op].ts + kin->cpu.at[op].dur < end)
        op = kin->enclosing[op];
    if (op == ASIM_NONE)
        return;
    waited = (s->until < end ? s->until : end) - call->ts;
    if (waited > kin->cpu.at[op].exclusive)
        waited = kin->cpu.at[op].exclusive;
    s->kin->cpu.at[op].exclusive -= waited;
    if (waited != floor(waited))
        s->kin->cpu.at[op].flags |= ASIM_KIN_EXCL_REAL;
    s->link->counts.waited_us += waited;
}

/* The call returned when the last operation that was launched before `before` on the stream had
 * ended. */
static int host_waits(struct sync *s, const struct stream *stream,
                      const struct asim_kineto_call *call, double before)
{
    uint32_t n = launched_before(s, stream, before), target = op_after(s, call);

    while (target != ASIM_NONE && n--) {
        uint32_t gpu = s->order[stream->at + n];

        if (s->kin->gpu.at[gpu].ts + s->kin->gpu.at[gpu].dur <= call->ts + call->dur + CLOCK_US)
            return wait_for(s, target, gpu);
        if (before - launch_ts(s->kin, gpu) > 1e6)
            break; /* launched a second before and still running: the call did not wait for it */
    }
    return 0;
}

static int all_streams(struct sync *s, const struct asim_kineto_call *call, int32_t device)
{
    for (size_t i = 0; i < s->stream.n; i++)
        if ((!device || s->stream.at[i].device == device) &&
            host_waits(s, &s->stream.at[i], call, call->ts))
            return -1;
    return 0;
}

/* Makes the waiting stream's next operation of that thread depend on the source. */
static int stream_waits(struct sync *s, const struct asim_kineto_sync *sync,
                        const struct asim_kineto_call *call, uint32_t source)
{
    const struct stream *stream = find_stream(s, sync->device, sync->stream);
    uint32_t i = stream ? launched_before(s, stream, call->ts) : 0;

    for (uint32_t seen = 0; stream && i < stream->n && seen < LOOK_AHEAD; i++, seen++) {
        uint32_t gpu = s->order[stream->at + i];

        if (s->kin->call.at[s->kin->gpu.at[gpu].call].thread == call->thread)
            return add(s, (struct asim_sync_dep){gpu, source, 1});
    }
    return 0;
}

static int see_sync(struct sync *s, const struct asim_kineto_sync *sync, uint8_t *explained,
                    const struct asim_kineto_call **seen)
{
    uint32_t at = sync->correlation < 0 ? ASIM_NONE : asim_index_get(&s->calls, sync->correlation);
    uint32_t record = sync->record < 0 ? ASIM_NONE : asim_index_get(&s->calls, sync->record);
    const struct asim_kineto_call *call = at == ASIM_NONE ? NULL : &s->kin->call.at[at];
    const struct stream *stream;
    uint32_t n;

    *seen = call;
    if (!call)
        return 0;
    /* Kineto may not know the record of the event (CUDA 12.9): then times decide. */
    explained[at] = sync->kind != ASIM_SYNC_EVENT || sync->record >= 0;
    s->until = -1e300;
    if (sync->kind == ASIM_SYNC_CONTEXT)
        return all_streams(s, call, sync->device);
    stream = find_stream(s, sync->device,
                         sync->kind == ASIM_SYNC_STREAM ? sync->stream : sync->wait_stream);
    if (!stream)
        return 0;
    if (sync->kind == ASIM_SYNC_STREAM)
        return host_waits(s, stream, call, call->ts);
    if (record == ASIM_NONE)
        return 0;
    if (sync->kind == ASIM_SYNC_EVENT)
        return host_waits(s, stream, call, s->kin->call.at[record].ts);
    n = launched_before(s, stream, s->kin->call.at[record].ts);
    return n ? stream_waits(s, sync, call, s->order[stream->at + n - 1]) : 0;
}

/* Calls that block until the GPU has finished, by the ends of their CUDA and HIP names. */
static int is_blocking(const char *name)
{
    static const char *const tails[] = {
        "StreamSynchronize", "DeviceSynchronize", "EventSynchronize",   "CtxSynchronize",
        "cudaMemcpy",        "hipMemcpy",         "hipMemcpyWithStream"};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        size_t m = strlen(tails[i]);

        if (n >= m && !strcmp(name + n - m, tails[i]))
            return 1;
    }
    return 0;
}

/* A blocking call without a cuda_sync event. A copy waits for itself. Names of streams are not
 * comparable between calls ("0x0") and operations, so other calls wait for all streams. */
static int see_call(struct sync *s, uint32_t at, uint32_t own_gpu)
{
    const struct asim_kineto_call *call = &s->kin->call.at[at];
    uint32_t target;

    if (!is_blocking(asim_names_get(&s->kin->names, call->name)))
        return 0;
    if (own_gpu == ASIM_NONE)
        return all_streams(s, call, 0);
    target = op_after(s, call);
    return target == ASIM_NONE ? 0 : wait_for(s, target, own_gpu);
}

static int see_all(struct sync *s)
{
    struct asim_kineto *kin = s->kin;
    uint8_t *explained = calloc(kin->call.n + 1, 1);
    uint32_t *own = malloc((kin->call.n + 1) * sizeof *own);
    int code = !explained || !own;

    for (uint32_t i = 0; i < kin->call.n && !code; i++)
        own[i] = ASIM_NONE;
    for (size_t i = 0; i < s->order_n && !code; i++)
        own[kin->gpu.at[s->order[i]].call] = s->order[i];
    for (size_t i = 0; i < kin->sync.n && !code; i++) {
        const struct asim_kineto_call *call;

        code = see_sync(s, &kin->sync.at[i], explained, &call);
        if (call)
            take_off(s, call);
    }
    for (uint32_t i = 0; i < kin->call.n && !code; i++) {
        s->until = -1e300;
        code = explained[i] ? 0 : see_call(s, i, own[i]);
        take_off(s, &kin->call.at[i]);
    }
    ASIM_FREE(explained, own);
    return code;
}

int asim_link_sync(struct asim_linking *link, struct asim_err *err)
{
    struct sync s = {.link = link, .kin = &link->kin, .err = err};
    struct asim_kineto *kin = &link->kin;
    int code;

    s.order = malloc((kin->gpu.n + 1) * sizeof *s.order);
    code = !s.order || find_streams(&s) ||
           asim_index_init(&s.calls, kin->call.at ? &kin->call.at->correlation : NULL,
                           sizeof *kin->call.at, kin->call.n);
    for (uint32_t i = 0; i < kin->call.n && !code; i++)
        if (kin->call.at[i].correlation >= 0)
            asim_index_put(&s.calls, i);
    if (!code)
        code = see_all(&s);
    ASIM_FREE(s.order, s.stream.at);
    asim_index_fini(&s.calls);
    link->counts.sync_deps = link->sync.n;
    return code ? asim_err_nomem(err, "finding who waits for the GPU") : 0;
}
