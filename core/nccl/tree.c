/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The double binary tree of an all-reduce: a chain of a node's GPUs up to the one that sends over
 * the NIC, a tree over the nodes, and all of it back. Each chunk passes every hop; behind the first
 * chunk the slowest hop decides.
 */
#include "nccl/case.h"

#include <math.h>

/* Before 2.20 NCCL halves the chunks of small buffers until the pipeline has enough of them, as
 * RCCL does; since then a chunk is a whole step of the buffer (enqueue.cc). */
enum { WHOLE_STEPS = 22000 };

static double chunk_simple(const struct asim_nccl_case *c, double channels)
{
    double depth = c->local - 1 + floor(log2(c->domains)), chunk = asim_nccl_case_buffer(c) / 8;
    double bytes = (double)c->bytes / channels;

    if (c->m->nccl >= WHOLE_STEPS && !asim_nccl_is_rccl(c))
        return chunk;
    while (floor(bytes / chunk) < 8 * depth && chunk > 128 * ASIM_KIB)
        chunk /= 2;
    while (floor(bytes / chunk) < 4 * depth && chunk > 64 * ASIM_KIB)
        chunk /= 2;
    while (floor(bytes / chunk) < depth && chunk > 32 * ASIM_KIB)
        chunk /= 2;
    return chunk;
}

static double chunk_ll128(const struct asim_nccl_case *c, double channels)
{
    double steps = 1 + floor(log2(c->domains)) + .1 * c->local, chunk = 576 * ASIM_KIB;
    double bytes = (double)c->bytes / channels;

    while (floor(bytes / chunk) < steps * 64 / c->local && chunk > 128 * ASIM_KIB)
        chunk /= 2;
    while (floor(bytes / chunk) < steps * 16 / c->local && chunk > 32 * ASIM_KIB)
        chunk /= 2;
    return chunk;
}

static double chunk_of(const struct asim_nccl_case *c, int proto, double channels)
{
    double chunk = proto == ASIM_NCCL_SIMPLE  ? chunk_simple(c, channels)
                   : proto == ASIM_NCCL_LL128 ? chunk_ll128(c, channels)
                                              : 32 * ASIM_KIB;

    return fmin(chunk, (double)c->bytes / channels);
}

/* Beyond two nodes two children send to a NIC at once, and it sends to two: halfway, in logarithms,
 * between one peer and the many of an all-to-all. By it trees on 4 and 8 nodes of gh200-slingshot,
 * where 0.70 and 0.76 fit best, follow from all-to-alls on a100-slingshot: 0.74. */
static double nic_rate(const struct asim_nccl_case *c)
{
    return asim_nccl_case_nic(c) * (c->domains > 2 ? sqrt(c->m->p2p_efficiency) : 1);
}

/* Channels that share a NIC at a time: while one tree of two climbs, the other comes down. LL128
 * has several chunks on their way, so that both cross. */
static double at_once(const struct asim_nccl_case *c, int proto, double channels)
{
    double shared = asim_nccl_case_sharing(c, channels);

    return proto == ASIM_NCCL_LL128 ? shared : fmax(1, shared / 2);
}

/* A hop over the network, behind the copy into its buffer. LL passes the proxy's look at each flag,
 * one direction at a time, or a handshake. */
static double across_us(const struct asim_nccl_case *c, int proto, double bytes, double channels)
{
    const struct asim_machine *m = c->m;
    double shared = at_once(c, proto, channels);
    double us = m->tree_net_us[proto] + m->net_us[proto] + shared * bytes / nic_rate(c);
    double more = bytes > 4096 && proto != ASIM_NCCL_SIMPLE ? m->rendezvous_us : 0;

    if (proto != ASIM_NCCL_LL)
        return us + more;
    if (bytes > m->eager_bytes)
        more *= shared;
    else
        more += shared * bytes / (2 * m->ll_proxy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
    return us + more * asim_nccl_case_crowd(c, channels);
}

/* A hop inside a node. A chunk of Simple waits until it is there as a whole, so that half of the
 * channels share the links at a time: by that 2 to 8 MiB of rtx6000d_n2_g8_all_reduce_aroff are
 * within 5 %. */
static double inside_us(const struct asim_nccl_case *c, int proto, double chunk, double channels)
{
    double copy = chunk / (c->m->copy_gbytes[proto] * ASIM_BYTES_PER_US_OF_GBYTES);

    if (proto == ASIM_NCCL_SIMPLE && c->local > 1)
        copy = fmax(copy, chunk * channels / 2 / asim_nccl_case_links(c, ASIM_NCCL_TREE, proto));
    return copy + c->m->tree_nvlink_us[proto];
}

/* What the busiest part does for each chunk behind the first. A node's NIC has messages up and
 * down, both sent and received by the same proxy. */
static double busy_us(const struct asim_nccl_case *c, int proto, double chunk, double channels)
{
    const struct asim_machine *m = c->m;
    double wire = chunk * asim_nccl_case_wire(proto), us = chunk / (m->copy_gbytes[proto] * 1000);
    double shared = asim_nccl_case_sharing(c, channels);
    double nic, ways = 2. * (c->local - 1) / c->local; /* up and down, but at the ends of a chain */

    if (proto == ASIM_NCCL_SIMPLE)
        us += m->slice_nvlink_us;
    if (c->local > 1)
        us = fmax(us, wire * channels * ways / asim_nccl_case_links(c, ASIM_NCCL_TREE, proto));
    if (c->domains == 1)
        return us;
    nic = shared * asim_nccl_case_fan(c) * wire / nic_rate(c);
    if (proto == ASIM_NCCL_SIMPLE)
        nic = fmax(nic, shared * m->message_us);
    us = fmax(us, nic);
    if (proto == ASIM_NCCL_LL)
        us = fmax(us, shared * asim_nccl_case_proxy_us(c, wire, channels));
    return us;
}

/* A channel's buffer has 8 steps, of a chunk each; one is free again when the NIC hears that its
 * chunk has arrived. us that a longer way takes than 8 chunks do. */
enum { STEPS = 8 };

static double stall_us(const struct asim_nccl_case *c, double across, double busy)
{
    const struct asim_machine *m = c->m;
    double back = m->wire_us > 0 ? m->wire_us : (2 * m->nic_ns + m->switch_ns) / 1000;

    return c->domains > 1 ? fmax(0, across + back - STEPS * busy) : 0;
}

/* Chunks behind the first; of whole steps the last has what is left. */
static double further_chunks(const struct asim_nccl_case *c, int proto, double chunk,
                             double channels)
{
    double chunks = chunk > 0 ? (double)c->bytes / channels / chunk : 1;

    return (proto == ASIM_NCCL_SIMPLE ? chunks : ceil(chunks - 1e-9)) - 1;
}

struct asim_nccl_parts asim_nccl_tree_parts(const struct asim_nccl_case *c, int proto)
{
    static const double base[3] = {8.4, 6.8, 14}; /* NCCL's table */
    double channels = asim_nccl_case_mean_channels(c, ASIM_NCCL_TREE, proto);
    double chunk = chunk_of(c, proto, channels), copy = chunk / (c->m->copy_gbytes[proto] * 1000);
    double wire = chunk * asim_nccl_case_wire(proto);
    double inside = inside_us(c, proto, chunk, channels);
    double across = copy + across_us(c, proto, wire, channels);
    double start = base[proto] + asim_nccl_case_launch(c) + asim_nccl_case_gather_us(channels);
    double more = further_chunks(c, proto, chunk, channels);
    double busy = busy_us(c, proto, chunk, channels);

    /* LL passes lines on as they come; GPUs that meet over PCIe feel how many. */
    if (proto == ASIM_NCCL_LL && c->local > 1)
        start += 2 * wire * channels / asim_nccl_case_links(c, ASIM_NCCL_TREE, proto);
    return (struct asim_nccl_parts){
        start, 2 * ((c->local - 1) * inside + asim_nccl_case_depth(c) * across),
        more * busy + fmax(0, more - (STEPS - 1)) / STEPS * stall_us(c, across, busy)};
}
