/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a device trace event by event. The category decides the type of an event
 * (chakra.md#device-trace). HIP calls have the category cuda_runtime, too, and any category that
 * ends in _runtime or _driver is a call. Only events in use are checked, but strictly: a time must
 * be a finite number, an id an integer. Streams may be strings ("0x0" on ROCm), so they are kept as
 * text.
 */
#include "link/kineto.h"
#include "json/access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT  ((size_t)256 << 20) /* text of all different names */
#define EVENT_LIMIT UINT32_C(0xfffffff0)
#define TIME_LIMIT  9e15 /* us; integers above are not exact doubles, and no clock reaches them */

enum { EVENTS = 1, DISTRIBUTED = 2, DEVICES = 4 };

struct load {
    struct asim_kineto *kin;
    struct asim_jreader reader;
    struct asim_jdoc doc;
    struct asim_jbuf text;
    const struct asim_jv *event, *args;
    enum asim_kineto_mode mode;
    struct asim_err *err;
};

/* Makes the error for a missing or wrong field of the event or its args. */
static int bad(struct load *ld, const char *field, const char *want)
{
    const struct asim_jv *v = asim_jv_get(&ld->doc, ld->event, field);
    char found[ASIM_JV_SHOWN];

    if (!v)
        v = asim_jv_get(&ld->doc, ld->args, field);
    if (!v)
        return asim_jreader_fail(&ld->reader, &ld->doc, ld->err,
                                 "the event has no \"%s\", which must be %s", field, want);
    return asim_jreader_fail(&ld->reader, &ld->doc, ld->err, "\"%s\" must be %s, found %s", field,
                             want, asim_jv_show(&ld->doc, v, found));
}

static int time_field(struct load *ld, const char *field, double *out, uint32_t *flags,
                      uint32_t real)
{
    const struct asim_jv *v = asim_jv_get(&ld->doc, ld->event, field);

    if (!v && real == ASIM_KIN_DUR_REAL)
        return *out = 0, 0;
    if (asim_jv_double(&ld->doc, v, out) || fabs(*out) > TIME_LIMIT)
        return bad(ld, field, "a number of microseconds below 9e15");
    if (real == ASIM_KIN_DUR_REAL && *out < 0)
        return bad(ld, field, "a duration of at least 0 us");
    if (v->kind == ASIM_J_REAL)
        *flags |= real;
    return 0;
}

/* Reads both times of an event; a missing duration is 0, as instant calls have it. */
static int times(struct load *ld, double *ts, double *dur, uint32_t *flags)
{
    *flags = 0;
    return time_field(ld, "ts", ts, flags, ASIM_KIN_TS_REAL) ||
           time_field(ld, "dur", dur, flags, ASIM_KIN_DUR_REAL);
}

static int id_arg(struct load *ld, const char *name, int64_t *out)
{
    const struct asim_jv *v = asim_jv_get(&ld->doc, ld->args, name);

    *out = -1;
    if (!v || !asim_jv_i64(&ld->doc, v, out))
        return 0;
    return bad(ld, name, "a whole number");
}

/* Returns the number of a value's text among the names: strings decoded, numbers as written. */
static int text_of(struct load *ld, const struct asim_jv *v, uint32_t *out)
{
    const char *text;

    *out = ASIM_NONE;
    if (!v || v->kind == ASIM_J_NULL)
        return 0;
    if (v->kind == ASIM_J_STRING) {
        text = asim_jv_string(&ld->doc, v, &ld->text);
        *out = text ? asim_names_put(&ld->kin->names, text, ld->text.n) : ASIM_NONE;
    } else {
        *out = asim_names_put(&ld->kin->names, asim_jv_text(&ld->doc, v), v->text_n);
    }
    return *out == ASIM_NONE ? asim_err_nomem(ld->err, "keeping the names of a device trace") : 0;
}

static int name_field(struct load *ld, uint32_t *out)
{
    const struct asim_jv *v = asim_jv_get(&ld->doc, ld->event, "name");

    if (!v || v->kind != ASIM_J_STRING)
        return bad(ld, "name", "a string");
    return text_of(ld, v, out);
}

/* Process and thread make one number: the thread number of a kernel is a stream, its process number
 * a device.
 *
 * parity: chakra_trace_link uses the thread only, so threads 1 of two processes are one. */
static int thread_field(struct load *ld, uint32_t *out)
{
    const struct asim_jv *pid =
        ld->mode == ASIM_KINETO_COMPAT ? NULL : asim_jv_get(&ld->doc, ld->event, "pid");
    const struct asim_jv *tid = asim_jv_get(&ld->doc, ld->event, "tid");
    char text[200];
    int n;

    if (!tid || (tid->kind != ASIM_J_INT && tid->kind != ASIM_J_STRING))
        return bad(ld, "tid", "a thread number or name");
    n = snprintf(text, sizeof text, "%.*s %.*s",
                 pid ? (int)(pid->text_n < 64 ? pid->text_n : 64) : 0,
                 pid ? asim_jv_text(&ld->doc, pid) : "",
                 (int)(tid->text_n < 100 ? tid->text_n : 100), asim_jv_text(&ld->doc, tid));
    *out = asim_names_put(&ld->kin->thread_names, text, (size_t)n);
    ld->kin->threads = (uint32_t)ld->kin->thread_names.all.n;
    if (ld->kin->threads >= 1 << 24)
        return asim_err_set(ld->err, ASIM_ENOMEM, "%s: more than 16 million threads.",
                            ld->reader.path);
    return *out == ASIM_NONE ? asim_err_nomem(ld->err, "keeping threads") : 0;
}

/* Newer PyTorch describes the collective in the args of NCCL's and RCCL's kernels, and of the call;
 * they are kept as text for the converter. */
static int read_comm(struct load *ld, struct asim_kineto_comm *comm)
{
    int named = asim_jv_get(&ld->doc, ld->args, "Collective name") != NULL;

    comm->args = ASIM_NONE;
    if (text_of(ld, asim_jv_get(&ld->doc, ld->args, "Process Group Name"), &comm->pg_name))
        return -1;
    if (!named)
        return 0;
    ld->text.n = 0;
    asim_jbuf_utf8(&ld->text, asim_jv_text(&ld->doc, ld->args), ld->args->text_n);
    comm->args =
        ld->text.failed ? ASIM_NONE : asim_names_put(&ld->kin->names, ld->text.at, ld->text.n);
    return comm->args == ASIM_NONE ? asim_err_nomem(ld->err, "keeping a collective's args") : 0;
}

/* "Record function id" and "External id" of an op. */
struct ids {
    int64_t record_function, external;
};

/* Names are kept only as long as no op has an id: with one id, ops are matched by ids. */
static int keep_cpu(struct load *ld, const struct asim_kineto_cpu *op, const struct ids *ids,
                    uint32_t name)
{
    struct asim_kineto_comm comm = {ASIM_NONE, ASIM_NONE};
    struct asim_kineto *kin = ld->kin;
    int alone = ld->mode == ASIM_KINETO_ALONE;

    if (alone && read_comm(ld, &comm))
        return ASIM_ENOMEM;
    if (ids->record_function > 0 && !kin->has_rf_ids && !alone) {
        kin->has_rf_ids = 1;
        ASIM_KINETO_DROP(kin->cpu_name);
    }
    return (alone && ASIM_VEC_PUSH(kin->cpu_comm, comm)) || ASIM_VEC_PUSH(kin->cpu, *op) ||
           ASIM_VEC_PUSH(kin->rf_id, ids->record_function) ||
           ASIM_VEC_PUSH(kin->external, ids->external) ||
           (!kin->has_rf_ids && ASIM_VEC_PUSH(kin->cpu_name, name));
}

/* A step of training, as the profiler saw it; one without a duration has not ended. */
static int add_step(struct load *ld)
{
    double start, length;
    uint32_t flags;

    if (times(ld, &start, &length, &flags))
        return -1;
    ld->kin->steps += length > 0;
    ld->kin->steps_us += length;
    return 0;
}

static int add_cpu(struct load *ld)
{
    struct asim_kineto_cpu op = {.inter_thread = ASIM_NONE};
    uint32_t number, flags, thread;
    struct ids ids;
    const char *name;

    if (name_field(ld, &number))
        return -1;
    name = asim_names_get(&ld->kin->names, number);
    if (strstr(name, "ProfilerStep")) {
        ld->kin->ignored++;
        return add_step(ld);
    }
    if (times(ld, &op.ts, &op.dur, &flags) || thread_field(ld, &thread) ||
        id_arg(ld, "Record function id", &ids.record_function) ||
        id_arg(ld, "External id", &ids.external))
        return -1;
    op.exclusive = op.dur;
    if (flags & ASIM_KIN_DUR_REAL)
        flags |= ASIM_KIN_EXCL_REAL;
    if (!strcmp(name, "nccl:coalesced"))
        flags |= ASIM_KIN_COALESCED;
    op.flags = flags & 0xff;
    op.thread = thread & 0xffffff;
    return keep_cpu(ld, &op, &ids, number) ? asim_err_nomem(ld->err, "reading CPU ops") : 0;
}

static int add_call(struct load *ld)
{
    struct asim_kineto_call call = {0};
    uint32_t flags, thread;
    const char *name;

    if (name_field(ld, &call.name) || times(ld, &call.ts, &call.dur, &flags) ||
        thread_field(ld, &thread) || id_arg(ld, "correlation", &call.correlation))
        return -1;
    name = asim_names_get(&ld->kin->names, call.name);
    if (asim_kineto_is_listed(name))
        flags |= ASIM_KIN_LAUNCH;
    call.flags = flags & 0xff;
    call.thread = thread & 0xffffff;
    if (ld->mode == ASIM_KINETO_ALONE) {
        struct asim_kineto_cpu op = {
            call.ts, call.dur, call.dur, call.thread, (call.flags & 3u) | ASIM_KIN_CALL, ASIM_NONE};

        if (keep_cpu(ld, &op, &(struct ids){-1, -1}, call.name))
            return asim_err_nomem(ld->err, "reading runtime calls");
    }
    return ASIM_VEC_PUSH(ld->kin->call, call) ? asim_err_nomem(ld->err, "reading runtime calls")
                                              : 0;
}

static int collective_args(struct load *ld, struct asim_kineto_gpu *gpu)
{
    struct asim_kineto_comm comm;

    gpu->comm = ASIM_NONE;
    if (read_comm(ld, &comm))
        return -1;
    if (comm.args == ASIM_NONE && comm.pg_name == ASIM_NONE)
        return 0;
    gpu->comm = (uint32_t)ld->kin->gpu_comm.n;
    return ASIM_VEC_PUSH(ld->kin->gpu_comm, comm)
               ? asim_err_nomem(ld->err, "keeping a collective's args")
               : 0;
}

static int add_gpu(struct load *ld, int kind)
{
    struct asim_kineto_gpu gpu = {.kind = kind & 3u, .call = ASIM_NONE, .parent = ASIM_NONE};
    const struct asim_jv *stream = asim_jv_get(&ld->doc, ld->args, "stream");
    struct asim_kineto_ids ids;
    uint32_t flags;
    int64_t device;

    if (name_field(ld, &gpu.name) || times(ld, &gpu.ts, &gpu.dur, &flags) ||
        id_arg(ld, "correlation", &ids.correlation) || id_arg(ld, "External id", &ids.external) ||
        text_of(ld, stream, &gpu.stream) || id_arg(ld, "device", &device) ||
        collective_args(ld, &gpu))
        return -1;
    if (ld->mode != ASIM_KINETO_COMPAT && !asim_jv_get(&ld->doc, ld->event, "dur"))
        return bad(ld, "dur", "the microseconds of a GPU operation");
    gpu.flags = flags & 0x3f;
    gpu.stream_is_int = stream && stream->kind == ASIM_J_INT;
    gpu.device = device >= 0 && device < 1 << 20 ? (uint32_t)(device + 1) & 0x7fffff : 0;
    return ASIM_VEC_PUSH(ld->kin->gpu, gpu) || ASIM_VEC_PUSH(ld->kin->ids, ids)
               ? asim_err_nomem(ld->err, "reading GPU operations")
               : 0;
}

/* Skips types of sync events that order nothing (such as event records). */
static int add_sync(struct load *ld)
{
    static const char *const kinds[] = {"Stream Sync", "Context Sync", "Event Sync",
                                        "Stream Wait Event"};
    struct asim_kineto_sync sync = {0};
    uint32_t flags;
    int64_t device;

    while (sync.kind < 4 &&
           !asim_jv_is(&ld->doc, asim_jv_get(&ld->doc, ld->event, "name"), kinds[sync.kind]))
        sync.kind++;
    if (sync.kind == 4) {
        ld->kin->ignored++;
        return 0;
    }
    if (times(ld, &sync.ts, &sync.dur, &flags) || id_arg(ld, "correlation", &sync.correlation) ||
        id_arg(ld, "wait_on_cuda_event_record_corr_id", &sync.record) ||
        id_arg(ld, "device", &device) ||
        text_of(ld, asim_jv_get(&ld->doc, ld->args, "stream"), &sync.stream) ||
        text_of(ld, asim_jv_get(&ld->doc, ld->args, "wait_on_stream"), &sync.wait_stream))
        return -1;
    sync.device = device >= 0 && device < 1 << 20 ? (int32_t)device + 1 : 0;
    return ASIM_VEC_PUSH(ld->kin->sync, sync) ? asim_err_nomem(ld->err, "reading sync events") : 0;
}

static int add_event(struct load *ld)
{
    const struct asim_jv *event = &ld->doc.at[0];
    int gpu_kind = 0;
    enum asim_kineto_what what;

    if (event->kind != ASIM_J_OBJECT)
        return asim_jreader_fail(&ld->reader, &ld->doc, ld->err, "an event must be an object");
    what = asim_kineto_classify(&ld->doc, asim_jv_get(&ld->doc, event, "cat"), &gpu_kind);
    ld->kin->events++;
    if (what == ASIM_KINETO_IGNORED ||
        !asim_jv_is(&ld->doc, asim_jv_get(&ld->doc, event, "ph"), "X")) {
        ld->kin->ignored++;
        return 0;
    }
    if (ld->kin->events > EVENT_LIMIT)
        return asim_err_set(ld->err, ASIM_ENOMEM, "%s: more than 4 billion events.",
                            ld->reader.path);
    ld->event = event;
    ld->args = asim_jv_get(&ld->doc, event, "args");
    if (ld->args && ld->args->kind != ASIM_J_OBJECT)
        return bad(ld, "args", "an object");
    return what == ASIM_KINETO_CPU    ? add_cpu(ld)
           : what == ASIM_KINETO_CALL ? add_call(ld)
           : what == ASIM_KINETO_GPU  ? add_gpu(ld, gpu_kind)
                                      : add_sync(ld);
}

/* Members beside the events: process groups and the clock. */
static int add_member(struct load *ld)
{
    const struct asim_jv *v;
    double khz;

    if (!strcmp(ld->reader.key, "distributedInfo")) {
        if (asim_jv_i64(&ld->doc, asim_jv_get(&ld->doc, &ld->doc.at[0], "rank"), &ld->kin->rank))
            ld->kin->rank = -1;
        if (asim_jv_i64(&ld->doc, asim_jv_get(&ld->doc, &ld->doc.at[0], "world_size"),
                        &ld->kin->ranks))
            ld->kin->ranks = -1;
        v = asim_jv_get(&ld->doc, &ld->doc.at[0], "pg_config");
        if (!v || v->kind != ASIM_J_ARRAY || ld->kin->groups)
            return 0;
        ld->kin->groups = malloc((size_t)v->text_n + 1);
        if (!ld->kin->groups)
            return asim_err_nomem(ld->err, "keeping the process groups");
        memcpy(ld->kin->groups, asim_jv_text(&ld->doc, v), v->text_n);
        ld->kin->groups[v->text_n] = 0;
        return 0;
    }
    v = asim_jv_get(&ld->doc, asim_jv_item(&ld->doc, &ld->doc.at[0], 0), "clockRate");
    if (!asim_jv_double(&ld->doc, v, &khz) && khz > 0)
        ld->kin->clock_mhz = khz / 1000;
    return 0;
}

/* The arrays may come in any order; foreign members are skipped without being stored. */
static int read_members(struct load *ld)
{
    struct asim_jreader *r = &ld->reader;
    int code, found = 0, nodes = 0;

    while ((code = asim_jreader_member(r, ld->err)) == 1) {
        if (!strcmp(r->key, "traceEvents")) {
            found = 1;
            code = asim_jreader_once(r, EVENTS, ld->err);
            code = code ? code : asim_jreader_array(r, ld->err);
            while (!code && (code = asim_jreader_element(r, &ld->doc, ld->err)) == 1)
                code = add_event(ld);
        } else if (!strcmp(r->key, "distributedInfo") || !strcmp(r->key, "deviceProperties")) {
            code = asim_jreader_once(r, !strcmp(r->key, "distributedInfo") ? DISTRIBUTED : DEVICES,
                                     ld->err);
            code = code ? code : asim_jreader_value(r, &ld->doc, ld->err);
            code = code ? code : add_member(ld);
        } else {
            nodes |= !strcmp(r->key, "nodes");
            code = asim_jreader_skip(r, ld->err);
        }
        if (code)
            return code;
    }
    if (code || found)
        return code;
    return asim_err_set(ld->err, ASIM_EINVAL,
                        nodes ? "%s: this is a host trace (it has \"nodes\"); a device trace with "
                                "\"traceEvents\" is expected here. Are the two files exchanged?"
                              : "%s: no \"traceEvents\": this is not a Kineto device trace.",
                        r->path);
}

int asim_kineto_read(struct asim_kineto *kin, const char *path, enum asim_kineto_mode mode,
                     struct asim_err *err)
{
    struct load ld = {.kin = kin, .mode = mode, .err = err};
    int code;

    memset(kin, 0, sizeof *kin);
    kin->rank = kin->ranks = -1;
    asim_names_init(&kin->names, NAME_LIMIT);
    asim_names_init(&kin->thread_names, NAME_LIMIT);
    code = asim_jreader_open(&ld.reader, path, "traceEvents", err);
    if (code)
        return code;
    code = read_members(&ld);
    kin->repeats = ld.doc.repeats;
    kin->no_utf8 = ld.doc.no_utf8;
    kin->bytes = ld.reader.base + ld.reader.n;
    asim_jreader_close(&ld.reader);
    asim_jdoc_fini(&ld.doc);
    asim_jbuf_fini(&ld.text);
    return code;
}

void asim_kineto_fini(struct asim_kineto *kin)
{
    asim_names_fini(&kin->names);
    asim_names_fini(&kin->thread_names);
    ASIM_FREE(kin->cpu.at, kin->call.at, kin->gpu.at, kin->gpu_comm.at, kin->sync.at, kin->rf_id.at,
              kin->external.at, kin->cpu_name.at, kin->cpu_comm.at, kin->ids.at, kin->by_time,
              kin->by_thread, kin->enclosing, kin->thread_at, kin->groups);
    memset(kin, 0, sizeof *kin);
}
