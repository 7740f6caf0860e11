/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends and receives: sendrecv, all-to-all, gather, scatter. Each pair has some channels; a channel
 * copies a chunk into a buffer from which NVLink or the NIC takes it.
 *
 * One pair alone: a chunk is copied, then crosses PCIe to the NIC; the two do not overlap for one
 * pair, so the times add. Many pairs overlap, and the busiest part decides: a NIC, the NVLinks, or
 * the kernels. Before that all pairs must fill their first chunks.
 */
#include "nccl/case.h"

#include <math.h>

struct pairs {
    uint32_t in_all, of_pair, least; /* channels: all, most of one pair, fewest of one pair */
    double step;                     /* bytes of a step of a buffer */
};

static uint32_t pow2_up(uint32_t n)
{
    uint32_t p = 1;

    while (p < n)
        p *= 2;
    return p;
}

/* A channel is expected to carry 14 GB/s of a NIC (paths.cc: NCCL_P2P_PER_CHANNEL_NET_BW). Where
 * there are so many peers that not all fit in one round of 8 a channel, a pair gets fewer. */
static struct pairs count(const struct asim_nccl_case *c)
{
    struct pairs p = {32, 32, 32, 512 * ASIM_KIB};

    if (c->domains > 1) {
        double nic = c->m->nic_gbytes * c->nics / c->local;

        p.step = 128 * ASIM_KIB;
        p.in_all = pow2_up(c->channels);
        p.of_pair = pow2_up((uint32_t)fmax(2, ceil(nic / 14)));
        while (p.of_pair > 1 && p.of_pair * ((c->ranks + 7) / 8) > p.in_all)
            p.of_pair /= 2;
    } else if (c->m->scale_up == ASIM_SCALE_UP_PCIE || c->m->scale_up == ASIM_SCALE_UP_NIC) {
        p = (struct pairs){pow2_up(c->channels), 2, 2, 128 * ASIM_KIB};
    }
    p.least = p.of_pair;
    while (p.least > 1 && p.least * c->ranks > p.in_all)
        p.least /= 2;
    return p;
}

/* Few channels for a small message, more where a part would be large (enqueue.cc, addP2pToPlan).
 * mean: for times; a share of a channel counts, or a larger message would be quicker where NCCL
 * doubles them. */
static uint32_t channels_of(const struct asim_nccl_case *c, const struct pairs *p, double bytes,
                            double *mean)
{
    double least = c->domains > 1 ? p->step / 2 : p->step / 8;
    double most = c->domains > 1 ? p->step : p->step * 32;
    uint32_t channels = (uint32_t)fmax(1, fmin(p->least, ceil(bytes / least)));

    *mean = fmax(fmin(p->least, bytes / least), fmin(p->of_pair, bytes / most));
    *mean = fmax(*mean, 1);
    while (fmax(least, bytes / channels) > most && channels <= p->of_pair / 2)
        channels *= 2;
    return channels;
}

static double chunk_of(const struct pairs *p, double bytes, int crosses)
{
    double chunk = p->step;

    if (crosses && bytes < p->step)
        chunk /= 4;
    else if (crosses && bytes < 8 * p->step)
        chunk /= 2;
    return fmin(chunk, bytes);
}

/* us of a byte over one pair. A proxy hands over a step of the buffer at a time. */
static double pair_us(const struct asim_nccl_case *c, const struct pairs *p, double channels)
{
    double copy = 1 / (channels * c->m->p2p_copy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
    double nics = c->nics / c->local;

    if (c->domains == 1 && c->m->scale_up != ASIM_SCALE_UP_NIC)
        return fmax(copy, 1 / (c->m->ring_gbytes * .99 * ASIM_BYTES_PER_US_OF_GBYTES));
    copy += 1 / (c->m->pcie_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
    return fmax(copy,
                fmax(1 / (asim_nccl_case_nic(c) * fmax(nics, 1)), c->m->message_us / p->step));
}

static double start_us(const struct asim_nccl_case *c)
{
    return c->m->launch_us + c->m->p2p_us + (c->domains > 1 ? c->m->p2p_net_us : 0);
}

/* GPUs that share a NIC send through it in turn. */
static double link_us(const struct asim_nccl_case *c)
{
    return c->local / c->nics / (asim_nccl_case_nic(c) * c->m->p2p_efficiency);
}

/* A proxy needs its time for a whole step of the buffer; smaller chunks share a step. */
static double nic_us(const struct asim_nccl_case *c, const struct pairs *p)
{
    return fmax(c->local / c->nics * c->m->message_us / p->step, link_us(c));
}

/* `peers` others get `bytes` each from this rank, `far` of them over a NIC. */
static double many_us(const struct asim_nccl_case *c, const struct pairs *p, double peers,
                      double far, double bytes)
{
    double chunk = chunk_of(p, bytes, far > 0), near = peers - far;
    double copy = p->in_all * c->m->p2p_copy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES;
    double nvlink = .94 * c->m->ring_gbytes * ASIM_BYTES_PER_US_OF_GBYTES;
    double busy = fmax(near * bytes / nvlink, peers * bytes / copy), first = near * chunk / nvlink;

    if (far > 0) {
        busy = fmax(busy, far * bytes * nic_us(c, p));
        first = fmax(first, far * chunk * link_us(c));
    }
    return start_us(c) + busy + 2 * peers * chunk / copy + first;
}

double asim_nccl_p2p_us(const struct asim_nccl_case *c, uint32_t *channels)
{
    struct pairs p = count(c);
    double n = c->ranks, bytes = (double)c->bytes / (c->op == ASIM_NCCL_SEND_RECV ? 1 : n);
    double far = c->m->scale_up == ASIM_SCALE_UP_NIC ? n - 1 : n - c->local, mean;

    *channels = channels_of(c, &p, bytes, &mean);
    if (c->op == ASIM_NCCL_SEND_RECV)
        return start_us(c) + bytes * pair_us(c, &p, mean);
    return many_us(c, &p, n - 1, far, bytes);
}
