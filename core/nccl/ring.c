/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rings, and the chain of a broadcast or reduction. All ranks of a ring do the same at the same
 * time, so one rank stands for all: it sends a chunk in each step, and can send the next one when
 * that has come from the rank before it.
 *
 * A step of a ring takes as long as the slowest of: the channel's kernel (copy of each slice and
 * its flags), the NVLinks that all channels share, the NIC that some share, and the way of one
 * slice to the next rank. Between nodes only one hop of `local` crosses; a step then takes the mean
 * hop.
 */
#include "nccl/case.h"

#include <math.h>

/* What a step depends on. */
struct step {
    const struct asim_nccl_case *c;
    int proto;
    double channels, copy, nic, nvlink, wire,
        sharing; /* bytes a us; bytes a byte; channels a NIC */
};

static struct step make_step(const struct asim_nccl_case *c, int proto)
{
    struct step s = {c, proto, asim_nccl_case_mean_channels(c, ASIM_NCCL_RING, proto), 0, 0, 0,
                     0, 0};

    s.copy = c->m->copy_gbytes[proto] * ASIM_BYTES_PER_US_OF_GBYTES;
    s.nic = asim_nccl_case_nic(c);
    s.nvlink = asim_nccl_case_links(c, ASIM_NCCL_RING, proto);
    s.wire = asim_nccl_case_wire(proto);
    s.sharing = asim_nccl_case_sharing(c, s.channels);
    return s;
}

/* On gh200-slingshot a step takes 36, 69 and 44 us where its slices have 21 KiB, 32 and 11, and
 * twice 43, on 4 to 64 nodes alike: those of at most 32 KiB are copied, the others wait for a
 * handshake there and one back, which those of all channels do at once. */
static double copied_us(const struct step *s, double bytes)
{
    const struct asim_machine *m = s->c->m;

    if (s->proto != ASIM_NCCL_SIMPLE || m->copied_bytes <= 0)
        return 0;
    return bytes > m->copied_bytes
               ? 2 * m->rendezvous_us
               : s->sharing * bytes / (m->copied_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
}

/* A NIC's work on one slice of each channel that shares it. In LL the proxy looks at every flag. */
static double nic_us(const struct step *s, double slice)
{
    const struct asim_machine *m = s->c->m;
    double bytes = slice * s->wire, least = bytes > 4096 ? m->message_us : .4 * m->message_us;
    double us = fmax(s->sharing * fmax(least, bytes / s->nic), copied_us(s, bytes));

    if (s->proto == ASIM_NCCL_LL)
        us = fmax(us, s->sharing * asim_nccl_case_proxy_us(s->c, bytes, s->channels));
    return us;
}

/* Simple cuts a chunk in two slices of at least 32 KiB, of which the last takes what is left. */
static double slice_of(const struct step *s, double chunk)
{
    double least = 32 * ASIM_KIB;

    return s->proto != ASIM_NCCL_SIMPLE ? chunk : fmin(chunk, fmax(chunk / 2, least));
}

/* A slice's time on the NVLinks, where all channels send at once. Of rings that leave a node each
 * GPU sends its share over its NIC. */
static double share_us(const struct step *s, double slice)
{
    double inside = s->c->domains > 1 && !asim_nccl_case_is_pcie(s->c) ? 1 - 1. / s->c->local : 1;

    return slice * s->wire * s->channels * inside / s->nvlink;
}

/* The work of the busiest part in one step. */
static double busy_us(const struct step *s, double slice)
{
    const struct asim_machine *m = s->c->m;
    int simple = s->proto == ASIM_NCCL_SIMPLE;
    double flags = simple ? (s->c->domains > 1 ? m->slice_us : m->slice_nvlink_us) : 0;
    double us = flags + slice / s->copy;

    if (s->c->local > 1)
        us = fmax(us, (simple ? m->slice_nvlink_us : 0) + share_us(s, slice));
    return s->c->domains > 1 ? fmax(us, nic_us(s, slice)) : us;
}

/* Over xGMI a channel's share of a link is so slow that a slice is felt on its way, behind the work
 * of the kernel: mi300x_aac8_n1_g8_all_reduce grows by 8.1 us a MiB from 1 to 16 MiB, where a chunk
 * is one slice, and by 5.6 later. */
static double link_us(const struct step *s, double slice)
{
    return asim_nccl_is_rccl(s->c) ? slice * s->wire * s->channels / s->nvlink : 0;
}

/* The way of a slice to the next rank, on average. */
static double hop_us(const struct step *s, double slice)
{
    const struct asim_machine *m = s->c->m;
    double crossing = s->c->domains > 1 ? 1. / s->c->local : 0;
    double across = m->ring_net_us[s->proto] + m->net_us[s->proto] + nic_us(s, slice);
    double copy = slice / s->copy;

    /* NVLinks are slower than 24 kernels with LL128: a100_hgx_n1_g8_all_reduce. */
    if (s->c->local > 1 && !asim_nccl_is_rccl(s->c) && !asim_nccl_case_is_pcie(s->c))
        copy = fmax(copy, share_us(s, slice));
    if (slice * s->wire > 4096)
        across += m->rendezvous_us *
                  (s->proto == ASIM_NCCL_LL ? asim_nccl_case_crowd(s->c, s->channels) : 1);
    return copy + (1 - crossing) * (m->ring_nvlink_us[s->proto] + link_us(s, slice)) +
           crossing * across;
}

/* In the first turn of the ring ranks wait for each other now and then, also where the work of the
 * busiest part and the way are nearly equal: a smooth maximum. */
static double step_us(const struct step *s, double chunk, int is_first)
{
    double slice = slice_of(s, chunk);
    double busy = busy_us(s, slice) + (chunk > slice ? busy_us(s, chunk - slice) : 0);
    double hop = hop_us(s, slice), least = fmin(busy, hop), most = fmax(busy, hop);

    return is_first ? most * pow(1 + pow(least / most, 6), 1. / 6) : most;
}

static double start_us(const struct asim_nccl_case *c, int proto, double channels)
{
    static const double base[3] = {8.4, 6.6, 14}; /* NCCL's table */

    return base[proto] + asim_nccl_case_launch(c) + asim_nccl_case_gather_us(channels) +
           (c->domains > 1 ? c->m->ring_net_us[proto] + c->m->net_us[proto]
                           : c->m->ring_nvlink_us[proto]);
}

/* Buffers of 4 MiB (Simple), 512 KiB with flags (LL), 4.7 MiB (LL128) of 8 steps; a chunk of a ring
 * is 4 steps of Simple, 1 of the others (device.h, collectives.h). */
struct asim_nccl_parts asim_nccl_ring_parts(const struct asim_nccl_case *c, int proto)
{
    const double most[3] = {asim_nccl_case_buffer(c) / 2, 32 * ASIM_KIB, 576 * ASIM_KIB};
    struct step s = make_step(c, proto);
    double left = (double)c->bytes / c->ranks / s.channels;
    double steps = asim_nccl_case_steps(c), us, whole;

    us = steps * step_us(&s, fmin(left, most[proto]), 1);
    left = fmax(0, left - most[proto]);
    whole = floor(left / most[proto]);
    if (whole > 0)
        us += whole * steps * step_us(&s, most[proto], 0);
    left -= whole * most[proto];
    if (left > 0)
        us += steps * step_us(&s, left, 0);
    return (struct asim_nccl_parts){start_us(c, proto, s.channels), 0, us};
}

/* The way of the first chunk along all ranks. LL and LL128 have flags in every line, so a GPU
 * passes lines on as they come; Simple passes whole slices, and a proxy whole chunks. */
static double chain_way_us(const struct step *s, double chunk)
{
    const struct asim_nccl_case *c = s->c;
    const struct asim_machine *m = c->m;
    double copy = chunk / s->copy, crossings = c->domains - 1, inner = c->ranks - 1 - crossings;
    double inside = m->ring_nvlink_us[s->proto] + (s->proto == ASIM_NCCL_SIMPLE ? copy : 0);
    double across = copy + m->ring_net_us[s->proto] + m->net_us[s->proto];

    if (c->domains > 1)
        across += nic_us(s, chunk);
    return inner * inside + crossings * across;
}

/* Broadcast and reduce send each chunk along all ranks, one slice a chunk of one step. */
struct asim_nccl_parts asim_nccl_chain_parts(const struct asim_nccl_case *c, int proto)
{
    const double most[3] = {asim_nccl_case_buffer(c) / 8, 32 * ASIM_KIB, 576 * ASIM_KIB};
    struct step s = make_step(c, proto);
    double each = (double)c->bytes / s.channels, chunk = fmin(each, most[proto]);

    return (struct asim_nccl_parts){start_us(c, proto, s.channels), chain_way_us(&s, chunk),
                                    (ceil(each / fmax(chunk, 1)) - 1) * busy_us(&s, chunk)};
}
