/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends and receives: sendrecv, all-to-all, gather, scatter. Each pair has some channels; a channel
 * copies a chunk into a buffer from which NVLink or the NIC takes it.
 *
 * One pair alone: its channels and the NIC share the work, and neither is always busy. Many pairs:
 * the busiest part decides, which is a NIC, the NVLinks, the kernels, or the proxies that hand over
 * messages one by one. Before that all pairs must fill their first chunks.
 */
#include "nccl/case.h"

#include <math.h>

/* Shares of a channel's rate that are left through a proxy's buffer, and where a block sends and
 * receives through these: 15.4 and 13.1 of 20.5 GB/s on h100-ndr. */
static const double by_proxy = .75, both_ways = .85;

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

/* Since 2.29 a channel is expected to carry 14 GB/s of a NIC (paths.cc:
 * NCCL_P2P_PER_CHANNEL_NET_BW) and all peers fit in one round of 8 a channel; before, a NIC had two
 * channels. GPUs of a node that meet over PCIe have two, and the fewest count. */
enum { BY_RATE = 22900, A_ROUND = 8 };

static uint32_t network_channels(const struct asim_nccl_case *c, uint32_t in_all)
{
    double nic = c->m->nic_gbytes * c->nics / c->local;
    int is_new = c->m->nccl >= BY_RATE;
    uint32_t channels = is_new ? pow2_up((uint32_t)fmax(2, ceil(nic / 14))) : 2;
    uint32_t rounds = is_new ? (c->ranks + A_ROUND - 1) / A_ROUND : (c->ranks + 3) / 4;

    while (channels > 1 && channels * rounds > in_all)
        channels /= 2;
    return asim_nccl_case_is_pcie(c) && channels > 2 ? 2 : channels;
}

static struct pairs count(const struct asim_nccl_case *c)
{
    struct pairs p = {32, 32, 32, 512 * ASIM_KIB};

    if (c->domains > 1 || asim_nccl_case_is_pcie(c)) {
        p.step = 128 * ASIM_KIB;
        p.in_all = pow2_up(c->channels);
        p.of_pair = c->domains > 1 ? network_channels(c, p.in_all) : 2;
    }
    if (c->env && c->domains > 1)
        p.step = (double)c->env->p2p_chunk;
    p.step = fmin(p.step, asim_nccl_case_buffer(c) / 8);
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

/* Two parts of a pipeline with few steps between them: a smooth maximum. */
static double together(double a, double b)
{
    return cbrt(a * a * a + b * b * b);
}

/* us of a byte over one pair. Where every GPU sends and receives over a NIC, its blocks do both. */
static double pair_us(const struct asim_nccl_case *c, double channels)
{
    double copy = 1 / (channels * c->m->pair_copy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);

    if (c->domains == 1 && c->m->scale_up != ASIM_SCALE_UP_NIC)
        return fmax(copy, 1 / (c->m->ring_gbytes * .99 * ASIM_BYTES_PER_US_OF_GBYTES));
    copy /= c->local == 1 || c->m->scale_up == ASIM_SCALE_UP_NIC ? by_proxy * both_ways : by_proxy;
    return together(copy, 1 / (asim_nccl_case_nic(c) * fmax(c->nics / c->local, 1)));
}

static double start_us(const struct asim_nccl_case *c)
{
    return asim_nccl_case_launch(c) + c->m->p2p_us + (c->domains > 1 ? c->m->p2p_net_us : 0);
}

/* GPUs that share a NIC send through it in turn. us of a byte. */
static double link_us(const struct asim_nccl_case *c)
{
    return c->local / c->nics / asim_nccl_case_nic(c);
}

/* The same where all exchange with all: messages meet at NICs and in the fabric, the more the more
 * nodes there are. */
static double crowded_us(const struct asim_nccl_case *c)
{
    double doublings = c->domains > 2 ? log2(c->domains / 2.) : 0;

    return link_us(c) / (c->m->p2p_efficiency * fmax(.1, 1 - c->m->p2p_spread * doublings));
}

/* Messages of a part. NCCL's chunks grow with it; where they double, more bytes are no fewer
 * messages. */
static double messages(const struct pairs *p, double bytes)
{
    double small = fmin(4 * bytes / p->step, 2), middle = fmin(2 * bytes / p->step, 8);

    return fmax(1, fmax(small, fmax(middle, bytes / p->step)));
}

/* us of the proxy of a GPU on all its messages to `far` others. Up to 16 KiB (P2P_LL_THRESHOLD)
 * come with flags, which it looks at before it sends: no message is on its way meanwhile. */
static double proxy_us(const struct asim_nccl_case *c, const struct pairs *p, double far,
                       double bytes)
{
    double us = messages(p, bytes) * c->m->p2p_peer_us;

    if (bytes <= c->m->inject_bytes)
        us += c->m->inject_us;
    return far * (us + fmin(bytes, 16 * ASIM_KIB) * crowded_us(c));
}

/* `peers` others get `bytes` each from this rank, `far` of them over a NIC. Since 2.22, which puts
 * sends and receives into batches, tables show that the first step of every pair is copied, sent
 * and copied again before pairs overlap. A batch has 8 pairs of a channel
 * (NCCL_MAX_DEV_WORK_P2P_PER_BATCH); channels go on to their next ones at different times, so that
 * the NIC has work from the first batch on. */
enum { IN_BATCHES = 22200, IN_BATCH = 8 };

static struct asim_nccl_parts many(const struct asim_nccl_case *c, const struct pairs *p,
                                   double peers, double far, double bytes)
{
    double first = fmin(p->step, bytes) * fmin(1, IN_BATCH * p->in_all / peers);
    double near = peers - far;
    double copy = p->in_all * c->m->p2p_copy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES;
    double nvlink = .94 * c->m->ring_gbytes * ASIM_BYTES_PER_US_OF_GBYTES;
    double busy = fmax(near * bytes / nvlink, peers * bytes / copy), filled = near * first / nvlink;

    if (far > 0) {
        busy = together(fmax(busy, far * bytes * crowded_us(c)), proxy_us(c, p, far, bytes));
        filled = fmax(filled, far * first * link_us(c));
    }
    if (far > 0 && c->m->nccl < IN_BATCHES)
        return (struct asim_nccl_parts){start_us(c), 0, busy};
    return (struct asim_nccl_parts){start_us(c), 2 * peers * first / copy + filled, busy};
}

struct asim_nccl_parts asim_nccl_p2p_parts(const struct asim_nccl_case *c, uint32_t *channels)
{
    struct pairs p = count(c);
    double n = c->ranks, bytes = (double)c->bytes / (c->op == ASIM_NCCL_SEND_RECV ? 1 : n);
    double far = c->m->scale_up == ASIM_SCALE_UP_NIC ? n - 1 : n - c->local, mean;

    *channels = channels_of(c, &p, bytes, &mean);
    if (c->op == ASIM_NCCL_SEND_RECV)
        return (struct asim_nccl_parts){start_us(c), 0, bytes * pair_us(c, mean)};
    return many(c, &p, n - 1, far, bytes);
}
