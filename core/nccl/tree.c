/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The double binary tree of an all-reduce: a chain of a node's GPUs up to the one that sends over
 * the NIC, a tree over the nodes, and all of it back. Each chunk passes every hop; behind the first
 * chunk the slowest hop decides.
 */
#include "nccl/case.h"

#include <math.h>

/* NCCL halves the chunks of small buffers until the pipeline has enough of them (enqueue.cc). */
static double chunk_simple(const struct asim_nccl_case *c, double channels)
{
    double depth = c->local - 1 + floor(log2(c->domains)), chunk = asim_nccl_case_buffer(c) / 8;
    double bytes = (double)c->bytes / channels;

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

/* A hop over the network, behind the copy into its buffer. LL passes the proxy's look at each flag;
 * one direction only is busy at that moment. */
static double across_us(const struct asim_nccl_case *c, int proto, double bytes, double channels)
{
    const struct asim_machine *m = c->m;
    double us = m->tree_net_us[proto] + m->net_us[proto] + bytes / asim_nccl_case_nic(c);
    double more = bytes > 4096 && proto != ASIM_NCCL_SIMPLE ? m->rendezvous_us : 0;

    if (proto != ASIM_NCCL_LL)
        return us + more;
    more += fmin(bytes, m->eager_bytes) / (2 * m->ll_proxy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
    if (bytes > m->eager_bytes)
        more += m->rendezvous_us;
    return us + more * asim_nccl_case_crowd(c, channels);
}

/* Handshakes between two chunks. On Slingshot chunks of 64 KiB follow each other after 14, 21, 38
 * and 53 us on 2, 4, 16 and 64 nodes, about one handshake a level, and chunks of 32 KiB after half
 * of that. A buffer holds 8 steps, up and down: four levels. */
static double handshakes_us(const struct asim_nccl_case *c, double bytes)
{
    double levels = fmin(asim_nccl_case_depth(c), 4);

    return bytes > 4096 ? levels * c->m->rendezvous_us * fmin(1, bytes / (64 * ASIM_KIB)) : 0;
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
    nic = shared * asim_nccl_case_fan(c) * wire / asim_nccl_case_nic(c);
    if (proto == ASIM_NCCL_SIMPLE)
        nic = fmax(nic, shared * m->message_us);
    us = fmax(us, hypot(nic, handshakes_us(c, wire)));
    if (proto == ASIM_NCCL_LL)
        us = fmax(us, shared * asim_nccl_case_proxy_us(c, wire, channels));
    return us;
}

struct asim_nccl_parts asim_nccl_tree_parts(const struct asim_nccl_case *c, int proto)
{
    static const double base[3] = {8.4, 6.8, 14}; /* NCCL's table */
    double channels = asim_nccl_case_mean_channels(c, ASIM_NCCL_TREE, proto);
    double chunk = chunk_of(c, proto, channels), copy = chunk / (c->m->copy_gbytes[proto] * 1000);
    double shared = asim_nccl_case_sharing(c, channels);
    double wire = chunk * asim_nccl_case_wire(proto);
    double inside = copy + c->m->tree_nvlink_us[proto];
    double across =
        copy + across_us(c, proto, wire, channels) + (shared - 1) * wire / asim_nccl_case_nic(c);
    double start = base[proto] + asim_nccl_case_launch(c) + asim_nccl_case_gather_us(channels);
    double chunks = chunk > 0 ? ceil((double)c->bytes / channels / chunk - 1e-9) : 1;

    /* LL passes lines on as they come; GPUs that meet over PCIe feel how many. */
    if (proto == ASIM_NCCL_LL && c->local > 1)
        start += 2 * wire * channels / asim_nccl_case_links(c, ASIM_NCCL_TREE, proto);
    return (struct asim_nccl_parts){
        start, 2 * ((c->local - 1) * inside + asim_nccl_case_depth(c) * across),
        (chunks - 1) * busy_us(c, proto, chunk, channels)};
}
