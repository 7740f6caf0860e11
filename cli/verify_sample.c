/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the traces of a sample and runs them twice. The sample has all ranks of the run, so that
 * topology, placement, logical dimensions and algorithms are the same; most have nothing to do.
 * Time 0 is when the last member has issued the collective. What was under way then or began before
 * it ended is cut to that time, its bytes alike; on the sample's own ranks first, then on the
 * nearest.
 */
#include "cli/verify_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/observe.h"
#include "asim/trace.h"
#include "base/io/out.h"
#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/temporary.h"

enum { PATH = ASIM_TEMPORARY_PATH + 64 };

/* An exchange of the sample's run. */
struct part {
    const struct asim_verify_exchange *from;
    uint64_t offset_ns, bytes;
    uint32_t members;
    int is_near; /* shares a rank with the sample */
    uint32_t away;
};

struct bench {
    const struct asim_verify_run *run;
    struct asim_verify_sample *sample;
    ASIM_VEC(struct part) parts; /* the sample first */
    char folder[ASIM_TEMPORARY_PATH];
    /* Of the run under way. */
    uint64_t end_ns;
    uint32_t ended, wanted;
};

double asim_verify_hops(const struct asim_verify_run *run,
                        const struct asim_verify_exchange *exchange, uint32_t members)
{
    double n = exchange->ranks->n, m = members, sent = 1;

    if (exchange->type == ASIM_ALL_REDUCE)
        sent = 2;
    else if (exchange->type == ASIM_ALL_GATHER || exchange->type == ASIM_GATHER)
        sent = m;
    else if (exchange->type < 0)
        m = 1;
    return (double)exchange->bytes * (exchange->type < 0 ? 1 : m / n) * sent * m * run->hops_a_byte;
}

/* As many members as the budget allows, with messages of the same size. */
static uint32_t members_for(const struct asim_verify_run *run,
                            const struct asim_verify_exchange *exchange, double hops)
{
    uint32_t members = exchange->ranks->n;

    while (members > 2 && asim_verify_hops(run, exchange, members) > hops)
        members = members / 2 > 2 ? members / 2 : 2;
    return members;
}

static uint64_t cut(uint64_t bytes, double share)
{
    double left = (double)bytes * share;

    return bytes ? (uint64_t)(left < 1 ? 1 : left) : 0;
}

/* The sample's own ranks first, then the nearest. */
static int by_distance(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->is_near != y->is_near)
        return x->is_near ? -1 : 1;
    if (x->away != y->away)
        return x->away < y->away ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

ASIM_ORDER(by_offset, struct part, ->offset_ns, ->from)

static struct part part_of(const struct bench *bench, const struct asim_verify_exchange *other,
                           const unsigned char *is_member)
{
    const struct asim_verify_exchange *own = bench->parts.at[0].from;
    uint64_t from = other->start_ns > own->start_ns ? other->start_ns : own->start_ns,
             to = other->end_ns < own->end_ns ? other->end_ns : own->end_ns;
    uint32_t a = own->ranks->at[0], b = other->ranks->at[0];
    struct part part = {.from = other,
                        .offset_ns = from - own->start_ns,
                        .members = other->ranks->n,
                        .away = a > b ? a - b : b - a};

    part.bytes = cut(other->bytes, (double)(to - from) / (double)(other->end_ns - other->start_ns));
    for (uint32_t i = 0; i < other->ranks->n && !part.is_near; i++)
        part.is_near = is_member[other->ranks->at[i]];
    return part;
}

/* What was under way beside it, as far as the budget goes. */
static int add_context(struct bench *bench, struct asim_err *err)
{
    const struct asim_verify_exchange *own = bench->parts.at[0].from;
    const struct asim_verify_run *run = bench->run;
    unsigned char *is_member = calloc(run->ranks, 1);
    double left = bench->sample->most_hops - asim_verify_hops(run, own, bench->sample->members);
    size_t n = 1;
    int code = is_member ? 0 : ASIM_ENOMEM;

    for (uint32_t i = 0; is_member && i < bench->sample->members; i++)
        is_member[own->ranks->at[i]] = 1;
    for (size_t i = 0; i < run->n && !code; i++) {
        const struct asim_verify_exchange *other = &run->at[i];

        if (other != own && other->start_ns < own->end_ns && other->end_ns > own->start_ns)
            code = ASIM_VEC_PUSH(bench->parts, part_of(bench, other, is_member));
    }
    free(is_member);
    if (code)
        return asim_err_nomem(err, "sampling collectives");
    qsort(bench->parts.at + 1, bench->parts.n - 1, sizeof *bench->parts.at, by_distance);
    for (; n < bench->parts.n; n++) {
        struct part *part = &bench->parts.at[n];
        double share = part->from->bytes ? (double)part->bytes / (double)part->from->bytes : 1;

        part->members = members_for(run, part->from, left / share);
        left -= share * asim_verify_hops(run, part->from, part->members);
        if (left < 0)
            break;
        part->bytes = cut(part->bytes,
                          part->from->type < 0 ? 1 : (double)part->members / part->from->ranks->n);
    }
    bench->parts.n = n;
    qsort(bench->parts.at + 1, n - 1, sizeof *bench->parts.at, by_offset);
    return 0;
}

/* --- traces ------------------------------------------------------------------------------------
 */

static struct asim_chakra_attr number(const char *name, uint64_t value)
{
    return (struct asim_chakra_attr){.name = name, .type = ASIM_CHAKRA_UINT64, .value.u = value};
}

/* The part of the member number `place`. A collective of all ranks has no group, so that it runs
 * over the logical dimensions. */
static int write_part(struct asim_chakra_writer *writer, const struct bench *bench, size_t at,
                      uint32_t place, const uint64_t *after, struct asim_err *err)
{
    const struct part *part = &bench->parts.at[at];
    const uint32_t *ranks = part->from->ranks->at;
    char group[24];
    struct asim_chakra_attr attrs[6] = {{.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL},
                                        number("comm_size", part->bytes)};
    struct asim_chakra_node node = {.id = 2 * at,
                                    .type = ASIM_OP_COMM_COLL,
                                    .data_deps = after,
                                    .data_dep_n = after != NULL,
                                    .attrs = attrs};

    snprintf(group, sizeof group, "%zu", at + 1);
    if (part->from->type < 0) {
        node.type = place ? ASIM_OP_COMM_RECV : ASIM_OP_COMM_SEND;
        attrs[2] = number("comm_src", ranks[0]);
        attrs[3] = number("comm_dst", ranks[1]);
        attrs[4] = number("comm_tag", at);
        node.attr_n = 5;
    } else {
        attrs[2] = number("comm_type", (uint64_t)part->from->type);
        attrs[3] = (struct asim_chakra_attr){
            .name = "pg_name", .type = ASIM_CHAKRA_STRING, .value.s = group};
        node.attr_n = part->members == bench->run->ranks && !ranks[0] ? 3 : 4;
    }
    return asim_chakra_writer_node(writer, &node, err);
}

/* An op of the host: it takes no slot of the GPU. */
static int write_wait(struct asim_chakra_writer *writer, uint64_t id, uint64_t ns,
                      const uint64_t *after, struct asim_err *err)
{
    struct asim_chakra_attr attrs[] = {
        {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = 1}, number("duration_ns", ns)};
    struct asim_chakra_node node = {.id = id,
                                    .type = ASIM_OP_COMP,
                                    .data_deps = after,
                                    .data_dep_n = after != NULL,
                                    .duration_micros = 1 + ns / 1000,
                                    .attrs = attrs,
                                    .attr_n = 2};

    return asim_chakra_writer_node(writer, &node, err);
}

/* A part of a rank, and its number there. */
struct share {
    uint32_t rank, part, place;
};

ASIM_ORDER(by_rank, struct share, ->rank, ->part)

static int write_rank(const struct bench *bench, const struct share *share, size_t n,
                      const char *path, struct asim_err *err)
{
    struct asim_chakra_writer *writer;
    uint64_t waited_ns = 0, last = 0;
    int code = asim_chakra_writer_open(&writer, path, err);

    if (code)
        return code;
    code = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
    for (size_t i = 0; i < n && !code; i++) {
        const struct part *part = &bench->parts.at[share[i].part];
        uint64_t wait_id = 2 * (uint64_t)share[i].part + 1;

        if (part->offset_ns > waited_ns) {
            code =
                write_wait(writer, wait_id, part->offset_ns - waited_ns, last ? &last : NULL, err);
            waited_ns = part->offset_ns;
            last = wait_id;
        }
        if (!code)
            code =
                write_part(writer, bench, share[i].part, share[i].place, last ? &last : NULL, err);
    }
    if (code) {
        asim_chakra_writer_discard(writer);
        return code;
    }
    return asim_chakra_writer_commit(writer, err);
}

static int write_groups(const struct bench *bench, const char *path, struct asim_err *err)
{
    struct asim_out out;

    if (asim_out_open(&out, path, err))
        return ASIM_EIO;
    for (size_t p = 0; p < bench->parts.n; p++) {
        const struct part *part = &bench->parts.at[p];

        asim_out_printf(&out, "%s\"%zu\": [", p ? "], " : "{", p + 1);
        for (uint32_t i = 0; i < part->members; i++)
            asim_out_printf(&out, "%s%u", i ? ", " : "", part->from->ranks->at[i]);
    }
    asim_out_printf(&out, "]}\n");
    return asim_out_commit(&out, err);
}

static void path_of(char path[PATH], const struct bench *bench, uint32_t rank)
{
    snprintf(path, PATH, "%s/t.%u.et", bench->folder, rank);
}

/* A file a rank; ranks without a part share one. */
static int write_all(const struct bench *bench, struct asim_err *err)
{
    ASIM_VEC(struct share) shares = {0};
    char path[PATH], empty[PATH];
    size_t at = 0;
    int code = 0;

    for (uint32_t p = 0; p < bench->parts.n; p++)
        for (uint32_t i = 0; i < bench->parts.at[p].members && !code; i++) {
            const struct share share = {bench->parts.at[p].from->ranks->at[i], p, i};

            code = ASIM_VEC_PUSH(shares, share);
        }
    if (code)
        asim_err_nomem(err, "sampling collectives");
    else
        qsort(shares.at, shares.n, sizeof *shares.at, by_rank);
    snprintf(empty, sizeof empty, "%s/empty", bench->folder);
    if (!code)
        code = write_rank(bench, NULL, 0, empty, err);
    for (uint32_t r = 0; r < bench->run->ranks && !code; r++) {
        size_t n = 0;

        while (at + n < shares.n && shares.at[at + n].rank == r)
            n++;
        path_of(path, bench, r);
        if (n || link(empty, path))
            code = write_rank(bench, n ? shares.at + at : NULL, n, path, err);
        at += n;
    }
    free(shares.at);
    snprintf(path, sizeof path, "%s/groups.json", bench->folder);
    return code ? code : write_groups(bench, path, err);
}

static void remove_all(const struct bench *bench)
{
    static const char *const names[] = {"empty", "groups.json"};
    char path[PATH];

    for (uint32_t r = 0; r < bench->run->ranks; r++) {
        path_of(path, bench, r);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", bench->folder, names[i]);
        unlink(path);
    }
    rmdir(bench->folder);
}

/* --- runs --------------------------------------------------------------------------------------
 */

/* Of a collective: the sample is the first op of each of its members. */
static void on_end(void *self, const struct asim_observed_op *op)
{
    struct bench *bench = self;
    const struct part *own = &bench->parts.at[0];

    if (op->index)
        return;
    for (uint32_t i = 0; i < own->members; i++)
        if (own->from->ranks->at[i] == op->rank) {
            bench->ended++;
            bench->end_ns = op->time_ns;
        }
}

/* Of a message: it and those that share a rank with it, since which of them ends first is chance.
 */
static void on_message(void *self, const struct asim_observed_exchange *message)
{
    struct bench *bench = self;
    const uint32_t *own = bench->parts.at[0].from->ranks->at, *at = message->ranks;

    if (message->type >= 0 ||
        (at[0] != own[0] && at[0] != own[1] && at[1] != own[0] && at[1] != own[1]))
        return;
    bench->ended++;
    bench->end_ns = message->end_ns;
}

static uint32_t wanted_of(const struct bench *bench)
{
    uint32_t messages = 1;

    if (bench->parts.at[0].from->type >= 0)
        return bench->parts.at[0].members;
    for (size_t p = 1; p < bench->parts.n; p++)
        messages += bench->parts.at[p].is_near && bench->parts.at[p].from->type < 0;
    return messages;
}

static int is_over(const struct bench *bench)
{
    return bench->ended == bench->wanted;
}

static int stop(void *self)
{
    return is_over(self) || asim_interrupted();
}

static int run_level(struct bench *bench, char *level, uint64_t *ns, struct asim_err *err)
{
    struct asim_settings settings = *bench->run->settings;
    const struct asim_hooks hooks = {.self = bench, .stop = stop};
    struct asim_observer observer = {.size = sizeof observer, .self = bench};
    char prefix[PATH], groups[PATH];
    struct asim_world *world;
    struct asim_err why = {0}; /* also of the stop after the sample has ended */
    int code;

    snprintf(prefix, sizeof prefix, "%s/t", bench->folder);
    snprintf(groups, sizeof groups, "%s/groups.json", bench->folder);
    settings.mode = level;
    settings.workload = prefix;
    settings.groups = groups;
    settings.out = settings.pcap = settings.reports = settings.logging_folder = NULL;
    if (strcmp(level, "flow") != 0)
        settings.flow_without = NULL;
    settings.timeline = 0;
    settings.quiet = settings.threads = 1;
    settings.compute_factor = 1;
    if (bench->parts.at[0].from->type >= 0)
        observer.op_ended = on_end;
    else
        observer.exchange_done = on_message;
    bench->wanted = wanted_of(bench);
    bench->ended = 0;
    bench->end_ns = 0;
    code = asim_world_open(&world, &settings, &hooks, &why);
    if (!code)
        code = asim_world_observe(world, &observer, &why);
    if (!code)
        code = asim_world_run(world, &why);
    asim_world_close(world);
    *ns = bench->end_ns;
    if (is_over(bench))
        return 0;
    return code ? asim_err_set(err, code, "a sample of --verify at the %s level: %s", level,
                               why.text)
                : asim_err_set(err, ASIM_EBUG, "a sample of --verify did not end");
}

void asim_verify_sample_run(const struct asim_verify_run *run, struct asim_verify_sample *sample)
{
    const struct asim_verify_exchange *own = &run->at[sample->at];
    struct bench bench = {.run = run, .sample = sample};
    struct part first = {.from = own};
    struct asim_err *err = &sample->err;
    char flow[] = "flow", packet[] = "packet";
    int code;

    sample->members = members_for(run, own, sample->most_hops / 2);
    first.members = sample->members;
    first.bytes = cut(own->bytes, own->type < 0 ? 1 : (double)sample->members / own->ranks->n);
    code = ASIM_VEC_PUSH(bench.parts, first);
    if (code)
        asim_err_nomem(err, "sampling collectives");
    else if (!(code = add_context(&bench, err)) &&
             !(code = asim_temporary_folder(bench.folder, err))) {
        code = write_all(&bench, err);
        if (!code)
            code = run_level(&bench, flow, &sample->flow_ns, err);
        if (!code)
            run_level(&bench, packet, &sample->packet_ns, err);
        remove_all(&bench);
    }
    free(bench.parts.at);
}
