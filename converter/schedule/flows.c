/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A flow list, as FLOW_FILE of the simulators derived from HPCC's: the number of flows, then of
 * each `source destination priority port bytes start`, start in seconds. A rank is the host of its
 * number. A rank's flows start in the order of time, each behind a computation that lasts from one
 * start to the next; receives wait from the beginning.
 */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "asim/trace.h"
#include "base/io/foreign.h"
#include "base/io/src.h"
#include "base/map.h"
#include "base/text.h"

struct flow {
    uint32_t src, dst, tag;
    uint64_t bytes, start_ns;
    unsigned line;
};

struct reader {
    struct asim_schedule *to;
    struct asim_src src;
    struct asim_err *err;
    ASIM_VEC(struct flow) flow;
    uint32_t ranks;    /* the largest number + 1 */
    uint64_t priority; /* of the first flow */
};

static int fail(const struct reader *r, const char *word, const char *expected)
{
    char safe[64];

    return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src), "found %s, expected %s.",
                       word ? asim_text_safe(safe, sizeof safe, word) : "the end of the line",
                       expected);
}

static int number(struct reader *r, uint64_t most, const char *expected, uint64_t *out)
{
    char *word = asim_src_word_in_line(&r->src);

    return word && !asim_text_u64(word, out) && *out <= most ? 0 : fail(r, word, expected);
}

static int read_start(struct reader *r, uint64_t *ns)
{
    char *word = asim_src_word_in_line(&r->src);
    double seconds;

    if (!word || asim_text_double(word, &seconds) || !(seconds >= 0) || seconds > 1e9)
        return fail(r, word, "the start in seconds, such as 2.000001");
    *ns = (uint64_t)llround(seconds * 1e9);
    return 0;
}

static int read_flow(struct reader *r)
{
    uint64_t src, dst, priority, port;
    struct flow flow = {.line = r->src.line};
    char *more;

    if (number(r, ASIM_SCHEDULE_RANKS - 1, "the source, a host below 1048576", &src) ||
        number(r, ASIM_SCHEDULE_RANKS - 1, "the destination, a host below 1048576", &dst) ||
        number(r, UINT32_MAX, "the priority", &priority) ||
        number(r, UINT16_MAX, "the port, at most 65535", &port) ||
        number(r, INT64_MAX, "the bytes", &flow.bytes) || read_start(r, &flow.start_ns))
        return ASIM_EINVAL;
    more = asim_src_word_in_line(&r->src);
    if (more)
        return fail(r, more,
                    "the end of the line behind source, destination, priority, port, "
                    "bytes and start");
    if (src == dst || !flow.bytes)
        return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src),
                           "this flow %s; leave it out.",
                           src == dst ? "goes from a host to itself" : "has 0 bytes");
    flow.src = (uint32_t)src;
    flow.dst = (uint32_t)dst;
    r->ranks = flow.src >= r->ranks ? flow.src + 1 : r->ranks;
    r->ranks = flow.dst >= r->ranks ? flow.dst + 1 : r->ranks;
    if (!r->flow.n)
        r->priority = priority;
    r->to->priorities += priority != r->priority;
    return ASIM_VEC_PUSH(r->flow, flow) ? asim_err_nomem(r->err, "reading a flow list") : 0;
}

static int read_file(struct reader *r)
{
    uint64_t n = 0;
    char *more;

    if (!asim_src_next_line(&r->src))
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, 1, 0},
                           "the file is empty; it begins with the number of flows.");
    if (number(r, UINT32_MAX / 4, "the number of flows", &n))
        return asim_foreign_say(r->to->path, r->src.data, r->src.size, r->err);
    more = asim_src_word_in_line(&r->src);
    if (more)
        return fail(r, more, "the end of the line behind the number of flows");
    while (asim_src_next_line(&r->src)) {
        if (r->flow.n == n)
            return asim_err_at(r->err, ASIM_EINVAL,
                               (struct asim_where){r->to->path, r->src.line, 0},
                               "line 1 says %" PRIu64 " flows, but there are more.", n);
        if (read_flow(r))
            return r->err->code;
    }
    if (r->flow.n < n)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, 1, 0},
                           "this line says %" PRIu64 " flows, but the file has %zu.", n, r->flow.n);
    return n ? 0
             : asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, 1, 0},
                           "the file has no flows.");
}

ASIM_ORDER(by_start, struct flow, ->start_ns, ->line)

/* Flows of a pair are told apart by their tags, whichever ends first. */
static int number_pairs(struct reader *r)
{
    struct asim_map pairs;
    int rc = 0;

    asim_map_init(&pairs);
    for (size_t i = 0; i < r->flow.n && !rc; i++) {
        struct flow *flow = &r->flow.at[i];
        uint64_t *count = asim_map_put(&pairs, flow->src, flow->dst);

        rc = count ? 0 : ASIM_ENOMEM;
        if (count)
            flow->tag = (uint32_t)(*count)++;
    }
    asim_map_fini(&pairs);
    return rc;
}

struct source {
    uint32_t delay; /* 1 + its last computation, 0 = none */
    uint64_t ns;    /* when this ends */
};

static int add_flow(struct asim_schedule *to, const struct flow *flow, struct source *source)
{
    struct asim_schedule_op op = {.type = ASIM_OP_COMM_RECV,
                                  .rank = flow->dst,
                                  .peer = flow->src,
                                  .tag = flow->tag,
                                  .bytes = flow->bytes,
                                  .line = flow->line};
    int rc = ASIM_VEC_PUSH(to->op, op);

    if (!rc && flow->start_ns > source->ns) {
        uint32_t delay = (uint32_t)to->op.n;

        rc = ASIM_VEC_PUSH(to->op, ((struct asim_schedule_op){.type = ASIM_OP_COMP,
                                                              .rank = flow->src,
                                                              .ns = flow->start_ns - source->ns,
                                                              .line = flow->line}));
        if (!rc && source->delay)
            rc = ASIM_VEC_PUSH(to->wait, ((struct asim_schedule_wait){delay, source->delay - 1}));
        source->delay = delay + 1;
        source->ns = flow->start_ns;
    }
    op.type = ASIM_OP_COMM_SEND;
    op.rank = flow->src;
    op.peer = flow->dst;
    if (!rc && source->delay)
        rc = ASIM_VEC_PUSH(to->wait,
                           ((struct asim_schedule_wait){(uint32_t)to->op.n, source->delay - 1}));
    to->sends++;
    return rc ? rc : ASIM_VEC_PUSH(to->op, op);
}

static int make_ops(struct reader *r)
{
    struct source *sources = calloc(r->ranks, sizeof *sources);
    int rc = sources ? number_pairs(r) : ASIM_ENOMEM;

    qsort(r->flow.at, r->flow.n, sizeof *r->flow.at, by_start);
    for (size_t i = 0; i < r->flow.n && !rc; i++)
        rc = add_flow(r->to, &r->flow.at[i], &sources[r->flow.at[i].src]);
    r->to->first_ns = r->flow.at[0].start_ns;
    free(sources);
    return rc ? asim_err_nomem(r->err, "reading a flow list") : 0;
}

int asim_schedule_read_flows(struct asim_schedule *schedule, const char *path, uint32_t ranks,
                             struct asim_err *err)
{
    struct reader r = {.to = schedule, .err = err};
    int rc = asim_src_open(&r.src, path, err);

    if (rc)
        return rc;
    schedule->path = path;
    rc = read_file(&r);
    if (!rc && ranks && ranks < r.ranks)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "%s names host %" PRIu32 ", but --ranks=%" PRIu32
                          "; give at least %" PRIu32 ".",
                          path, r.ranks - 1, ranks, r.ranks);
    schedule->ranks = ranks ? ranks : r.ranks;
    if (!rc)
        rc = make_ops(&r);
    free(r.flow.at);
    asim_src_close(&r.src);
    return rc;
}
