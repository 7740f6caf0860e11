/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A line of nccl-tests: NCCL's choice, then the time of what it chose.
 */
#include "nccl/case.h"

#include <math.h>

static struct asim_nccl_parts chosen(const struct asim_nccl_case *c, int algo, int proto)
{
    if (c->op == ASIM_NCCL_BROADCAST || c->op == ASIM_NCCL_REDUCE)
        return asim_nccl_chain_parts(c, proto);
    switch (algo) {
    case ASIM_NCCL_TREE:
        return asim_nccl_tree_parts(c, proto);
    case ASIM_NCCL_NVLS:
        return asim_nccl_nvls_parts(c);
    case ASIM_NCCL_NVLS_TREE:
        return asim_nccl_nvls_tree_parts(c);
    default:
        return asim_nccl_ring_parts(c, proto);
    }
}

/* hypercube_perf: a group of a send and a receive for each bit of the rank, one after the other;
 * the part of 2^k ranks goes to the rank that differs in bit k. All GPUs of a node cross at once.
 */
static int hypercube(struct asim_nccl_time *time, const struct asim_nccl_case *c,
                     const struct asim_nccl_job *job, struct asim_err *err)
{
    struct asim_nccl_time one = {
        .algo = ASIM_NCCL_DIRECT, .proto = ASIM_NCCL_SIMPLE, .channels = 1};
    double us = 0, nic = asim_nccl_case_nic(c) * c->nics / c->local;

    if (c->ranks & (c->ranks - 1))
        return asim_err_set(err, ASIM_EINVAL,
                            "hypercube needs a power of two of GPUs; got %u x %u.", job->nodes,
                            job->gpus);
    for (uint32_t mask = 1; mask < c->ranks; mask *= 2) {
        struct asim_nccl_job pair = *job;
        int rc;

        pair.op = ASIM_NCCL_SEND_RECV;
        pair.bytes = job->bytes / c->ranks * mask;
        if (mask < c->local)
            pair.nodes /= c->domains;
        rc = asim_nccl_predict(&one, &pair, err);
        if (rc)
            return rc;
        us += mask < c->local ? one.us : fmax(one.us, (double)pair.bytes / nic);
    }
    *time = one;
    time->us = us;
    return 0;
}

/* No algorithm moves more than the lines do: each GPU sends its share over its NVLinks, a domain
 * its own over its NICs. Where NVSwitches reduce, a GPU sends its buffer once. us. */
static double line_us(const struct asim_nccl_case *c, int algo)
{
    double bytes = (double)c->bytes, n = c->ranks, d = c->domains, inside, across = 0;
    double share = (n - 1) / n;

    if (!asim_nccl_has_rings(c->op))
        return 0; /* their functions go by the lines */
    inside = c->op == ASIM_NCCL_ALL_REDUCE ? 2 * share * bytes : share * bytes;
    if (algo == ASIM_NCCL_NVLS || algo == ASIM_NCCL_NVLS_TREE)
        inside = c->op == ASIM_NCCL_ALL_REDUCE ? bytes : share * bytes / c->local;
    if (c->domains > 1)
        across = (c->op == ASIM_NCCL_ALL_REDUCE ? 2 : 1) * (d - 1) / d * bytes /
                 (fmax(c->nics, 1) * c->m->nic_gbytes);
    if (c->local < 2 || c->domains > 1)
        inside = 0;
    return fmax(inside / c->m->nvlink_gbytes, across) / ASIM_BYTES_PER_US_OF_GBYTES;
}

static void set_time(struct asim_nccl_time *time, struct asim_nccl_parts parts, double least_us)
{
    time->us = fmax(asim_nccl_whole_us(parts), least_us);
    time->start_us = parts.start;
    time->busy_us = parts.busy;
    time->sent_algo = time->algo;
    time->sent_proto = time->proto;
}

/* NCCL's choice and its time. */
static void choose(const struct asim_nccl_case *c, struct asim_nccl_time *time)
{
    if (asim_nccl_is_p2p(c->op)) {
        time->algo = ASIM_NCCL_DIRECT;
        time->proto = ASIM_NCCL_SIMPLE;
        set_time(time, asim_nccl_p2p_parts(c, &time->channels), c->m->least_us);
        return;
    }
    asim_nccl_tune(c, &time->algo, &time->proto);
    time->channels = asim_nccl_case_channels(c, time->algo, time->proto);
    set_time(time, chosen(c, time->algo, time->proto),
             fmax(line_us(c, time->algo), c->m->least_us));
}

/* 1 if what was asked for cannot do it. */
static int is_other(const struct asim_nccl_case *c, const struct asim_nccl_time *time,
                    const struct asim_nccl_job *job)
{
    return time->algo != ASIM_NCCL_DIRECT &&
           ((job->algo > ASIM_NCCL_TUNED && time->algo != job->algo) ||
            (job->proto >= 0 && time->proto != job->proto) ||
            !asim_nccl_can(c, time->algo, time->proto));
}

static int refuse(const struct asim_nccl_case *c, const struct asim_nccl_job *job,
                  struct asim_err *err)
{
    if (c->env && (c->env->algo || c->env->proto))
        return asim_err_set(err, ASIM_EINVAL,
                            "NCCL_ALGO%s%s and NCCL_PROTO%s%s leave nothing that can do this "
                            "collective on %s.",
                            c->env->algo ? "=" : " (not set)", c->env->algo ? c->env->algo : "",
                            c->env->proto ? "=" : " (not set)", c->env->proto ? c->env->proto : "",
                            c->m->name);
    return asim_err_set(err, ASIM_EINVAL,
                        "%s with %s cannot do this collective on %s: trees and NVLS reduce "
                        "for all, NVLS needs NVSwitches that reduce and 4 GPUs a node.",
                        asim_nccl_algo_names[job->algo],
                        job->proto < 0 ? "any protocol" : asim_nccl_proto_names[job->proto],
                        c->m->name);
}

/* --- monotone in nodes --------------------------------------------------------------------------
 * More nodes take no less, and the algorithm whose time it is is named. Where they would, a chunk
 * changes early, and fewer nodes take what more can, or NCCL's choice changes late, and more nodes
 * take what fewer do, for tables are of few nodes: where two hosts of GB300 leave LL128 they take
 * what Simple does, though more hosts stay with LL128 and are quicker. Tables show exceptions,
 * which stay. Rings with LL are slow on Slingshot and over PCIe until NCCL leaves them (gh200_alps:
 * 1 MiB takes 1481 us on 4 nodes, 229 on 8; rtx6000d: 1 MiB 1271 us, 2 MiB 388), NVLS carries 1
 * + 1/n buffers (nvls_vs_ring_by_gpus: 8 GPUs are 4 % quicker than 5), and rings over xGMI are
 * quicker where a part of them is NICs (8 GiB: 47.6 ms on mi300x_aac8_n1_g8, 45.9 on
 * mi300x_oci_n2_g8).
 */

enum { MOST_POINTS = 22 };

struct points {
    struct asim_nccl_time
        at[MOST_POINTS]; /* 1 2 3 4 6 8 12 … 1024 nodes and the job's, ascending */
    size_t n, own;
    int is_extra; /* the job's nodes are none of these */
    char is_slow[MOST_POINTS];
};

/* 1 if the choice is one that tables show to be slow until NCCL leaves it. */
static int is_shown_slow(const struct asim_nccl_case *c, const struct asim_nccl_time *time)
{
    double slice = (double)c->bytes / c->ranks / c->channels / 2;

    if (time->proto == ASIM_NCCL_LL)
        return c->m->rendezvous_us > 0 || asim_nccl_case_is_pcie(c);
    return time->algo == ASIM_NCCL_RING && c->domains > 1 && slice <= 2 * c->m->copied_bytes;
}

/* 1 if one NVLink domain tells nothing of several. */
static int stands_alone(const struct asim_nccl_case *c, int algo)
{
    return c->domains == 1 && (algo == ASIM_NCCL_NVLS || asim_nccl_is_rccl(c));
}

static void add_point(struct points *p, const struct asim_nccl_job *job, uint32_t nodes)
{
    struct asim_nccl_job other = *job;
    struct asim_nccl_time time = {.algo = job->algo, .proto = job->proto};
    struct asim_nccl_case c;
    struct asim_err ignored = {0};

    other.nodes = nodes;
    if (asim_nccl_case_make(&c, &other, &ignored))
        return;
    choose(&c, &time);
    if (is_other(&c, &time, job))
        return;
    if (nodes == job->nodes)
        p->own = p->n;
    else if (stands_alone(&c, time.algo))
        return;
    p->is_slow[p->n] = (char)is_shown_slow(&c, &time);
    p->at[p->n++] = time;
}

/* The point whose time point i takes: its own, or what more nodes can. */
static const struct asim_nccl_time *least(const struct points *p, size_t i)
{
    const struct asim_nccl_time *one = &p->at[i], *best = one;

    for (size_t k = i + 1; k < p->n; k++) {
        if (p->is_extra && k == p->own)
            continue;
        if (p->at[k].algo == one->algo && p->at[k].proto == one->proto && p->at[k].us < best->us)
            best = &p->at[k];
    }
    return best;
}

/* The same for the longest of all points up to `last`, without `out`. */
static const struct asim_nccl_time *most(const struct points *p, size_t last, size_t out)
{
    const struct asim_nccl_time *best = least(p, last);

    for (size_t i = 0; i < last; i++)
        if (i != out && !p->is_slow[i] && least(p, i)->us > best->us)
            best = least(p, i);
    return best;
}

static void be_monotone(struct asim_nccl_time *time, const struct asim_nccl_job *job)
{
    struct points p = {0};
    const struct asim_nccl_time *own;

    for (uint32_t i = 1; i < MOST_POINTS; i++) {
        uint32_t nodes = i == 1 ? 1 : (2 + i % 2) << (i / 2 - 1);
        uint32_t next = i == 1 ? 2 : (2 + (i + 1) % 2) << ((i + 1) / 2 - 1);

        add_point(&p, job, nodes);
        if (nodes < job->nodes && (job->nodes < next || i + 1 == MOST_POINTS)) {
            p.is_extra = 1;
            add_point(&p, job, job->nodes);
        }
    }
    own = least(&p, p.own);
    *time = *most(&p, p.own, p.n);
    time->sent_algo = own->algo;
    time->sent_proto = own->proto;
    if (p.is_extra && p.own + 1 < p.n && most(&p, p.own + 1, p.own)->us < time->us)
        *time = *most(&p, p.own + 1, p.own);
}

static int predict(struct asim_nccl_time *time, const struct asim_nccl_job *job,
                   struct asim_err *err)
{
    struct asim_nccl_case c;
    int rc = asim_nccl_case_make(&c, job, err);

    if (rc)
        return rc;
    if (c.op == ASIM_NCCL_HYPERCUBE)
        return hypercube(time, &c, job, err);
    *time = (struct asim_nccl_time){.algo = job->algo, .proto = job->proto};
    choose(&c, time);
    if (is_other(&c, time, job))
        return refuse(&c, job, err);
    if (!stands_alone(&c, time->algo))
        be_monotone(time, job);
    return 0;
}

/* More bytes take no less, either: where NCCL leaves a choice late, fewer bytes take what up to 256
 * times as many can; within a choice they take less anyway. Tables show exceptions, which stay:
 * what is_shown_slow names, trees where every byte crosses a NIC (rtx6000d: 8 MiB 1373 us, 16 MiB
 * 946), and sends that a processor copies. */
static void be_monotone_in_bytes(struct asim_nccl_time *time, const struct asim_nccl_job *job)
{
    struct asim_nccl_case c;
    struct asim_err ignored = {0};
    int algo = time->algo, proto = time->proto;

    if (!asim_nccl_has_rings(job->op) || asim_nccl_case_make(&c, job, &ignored) ||
        is_shown_slow(&c, time) ||
        (time->algo == ASIM_NCCL_TREE && job->machine->scale_up == ASIM_SCALE_UP_NIC))
        return;
    for (int doublings = 0; doublings <= 8 && job->bytes < 1ull << 50; doublings++) {
        struct asim_nccl_job more = *job;
        struct asim_nccl_time other = {.algo = job->algo, .proto = job->proto};

        more.bytes <<= doublings;
        c.bytes = more.bytes;
        asim_nccl_tune(&c, &other.algo, &other.proto);
        if (doublings != 1 && other.algo == algo && other.proto == proto)
            continue; /* but the next size may take what other nodes can */
        algo = other.algo;
        proto = other.proto;
        if (!predict(&other, &more, &ignored) && other.us < time->us)
            *time = other;
    }
}

int asim_nccl_predict(struct asim_nccl_time *time, const struct asim_nccl_job *job,
                      struct asim_err *err)
{
    int rc = predict(time, job, err);

    if (!rc)
        be_monotone_in_bytes(time, job);
    if (rc || (isfinite(time->us) && time->us >= 0))
        return rc;
    return asim_err_set(err, ASIM_EINVAL, "%s predicts no time for %llu bytes: check its numbers.",
                        job->machine->name, (unsigned long long)job->bytes);
}

uint64_t asim_nccl_tests_bytes(const struct asim_nccl_job *job)
{
    uint64_t ranks = (uint64_t)job->nodes * job->gpus, part = 16;

    if (job->op == ASIM_NCCL_ALL_REDUCE || job->op == ASIM_NCCL_BROADCAST ||
        job->op == ASIM_NCCL_REDUCE || job->op == ASIM_NCCL_SEND_RECV)
        return job->bytes;
    return job->bytes / (ranks * part) * ranks * part;
}

double asim_nccl_alg_factor(int op, uint32_t ranks)
{
    return op == ASIM_NCCL_HYPERCUBE ? (ranks - 1.) / ranks : 1;
}

double asim_nccl_bus_factor(int op, uint32_t ranks)
{
    double share = (ranks - 1.) / ranks;

    switch (op) {
    case ASIM_NCCL_ALL_REDUCE:
        return 2 * share;
    case ASIM_NCCL_BROADCAST:
    case ASIM_NCCL_REDUCE:
    case ASIM_NCCL_SEND_RECV:
    case ASIM_NCCL_HYPERCUBE:
        return 1;
    default:
        return share;
    }
}
