/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A line of nccl-tests: NCCL's choice, then the time of what it chose.
 */
#include "nccl/case.h"

#include <math.h>

static int is_p2p(int op)
{
    return op == ASIM_NCCL_ALL_TO_ALL || op == ASIM_NCCL_ALL_TO_ALL_V ||
           op == ASIM_NCCL_SEND_RECV || op == ASIM_NCCL_GATHER || op == ASIM_NCCL_SCATTER;
}

static double chosen_us(const struct asim_nccl_case *c, int algo, int proto)
{
    if (c->op == ASIM_NCCL_BROADCAST || c->op == ASIM_NCCL_REDUCE)
        return asim_nccl_chain_us(c, proto);
    switch (algo) {
    case ASIM_NCCL_TREE:
        return asim_nccl_tree_us(c, proto);
    case ASIM_NCCL_NVLS:
        return asim_nccl_nvls_us(c);
    case ASIM_NCCL_NVLS_TREE:
        return asim_nccl_nvls_tree_us(c);
    default:
        return asim_nccl_ring_us(c, proto);
    }
}

/* hypercube_perf: a group of a send and a receive for each bit of the rank, one after the other;
 * the part of 2^k ranks goes to the rank that differs in bit k. All GPUs of a node cross at once.
 */
static int hypercube(struct asim_nccl_time *time, const struct asim_nccl_case *c,
                     const struct asim_nccl_job *job, struct asim_err *err)
{
    struct asim_nccl_time one = {0, ASIM_NCCL_DIRECT, ASIM_NCCL_SIMPLE, 1};
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

    if (c->op == ASIM_NCCL_SEND_RECV || is_p2p(c->op) || c->op == ASIM_NCCL_HYPERCUBE)
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

static int predict(struct asim_nccl_time *time, const struct asim_nccl_job *job,
                   struct asim_err *err)
{
    struct asim_nccl_case c;
    int rc = asim_nccl_case_make(&c, job, err);

    if (rc)
        return rc;
    if (c.op == ASIM_NCCL_HYPERCUBE)
        return hypercube(time, &c, job, err);
    *time = (struct asim_nccl_time){0, job->algo, job->proto, 0};
    if (is_p2p(c.op)) {
        time->algo = ASIM_NCCL_DIRECT;
        time->proto = ASIM_NCCL_SIMPLE;
        time->us = asim_nccl_p2p_us(&c, &time->channels);
        return 0;
    }
    asim_nccl_tune(&c, &time->algo, &time->proto);
    if ((job->algo > ASIM_NCCL_TUNED && time->algo != job->algo) ||
        (job->proto >= 0 && time->proto != job->proto))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s with %s cannot do this collective on %s: trees and NVLS reduce "
                            "for all, NVLS needs NVSwitches that reduce and 4 GPUs a node.",
                            asim_nccl_algo_names[job->algo],
                            job->proto < 0 ? "any protocol" : asim_nccl_proto_names[job->proto],
                            c.m->name);
    time->channels = asim_nccl_case_channels(&c, time->algo, time->proto);
    time->us = fmax(chosen_us(&c, time->algo, time->proto), line_us(&c, time->algo));
    return 0;
}

int asim_nccl_predict(struct asim_nccl_time *time, const struct asim_nccl_job *job,
                      struct asim_err *err)
{
    int rc = predict(time, job, err);

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
