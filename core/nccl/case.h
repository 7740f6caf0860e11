/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective of NCCL on a machine: what the files of this folder share. A case is one line of
 * nccl-tests; each algorithm has a function that returns how long it takes.
 *
 * A collective is a pipeline: its buffer is cut in chunks, a chunk in slices, and a slice passes
 * kernels (which copy or reduce it), proxies and links. A stage that is busy delays the next slice.
 * The functions follow one slice through the stages and count how often the slowest one works.
 */
#ifndef ASIM_NCCL_CASE_H
#define ASIM_NCCL_CASE_H

#include "asim/machine.h"

enum { ASIM_KIB = 1024, ASIM_BYTES_PER_US_OF_GBYTES = 1000 };

struct asim_nccl_case {
    const struct asim_machine *m;
    const struct asim_nccl_env *env; /* or NULL */
    int op;
    uint32_t domains, local, ranks; /* NVLink domains, GPUs of each, all GPUs */
    uint64_t bytes;
    double nics;  /* of a domain, as far as its GPUs use them */
    double heads; /* GPUs of a domain that NVLS trees lead to */
    /* Rings of NCCL's search and the rate it gives each; channels of a collective. */
    uint32_t rings, channels;
    double ring_gbytes;
};

/* Whether sends and receives make the op, and no algorithm does. */
static inline int asim_nccl_is_p2p(int op)
{
    return op == ASIM_NCCL_ALL_TO_ALL || op == ASIM_NCCL_ALL_TO_ALL_V ||
           op == ASIM_NCCL_SEND_RECV || op == ASIM_NCCL_GATHER || op == ASIM_NCCL_SCATTER;
}

/* Whether rings can do the op. */
static inline int asim_nccl_has_rings(int op)
{
    return !asim_nccl_is_p2p(op) && op != ASIM_NCCL_HYPERCUBE;
}

int asim_nccl_case_make(struct asim_nccl_case *c, const struct asim_nccl_job *job,
                        struct asim_err *err);
/* The highest of the rates between nodes that NCCL's search tries, at most `most`. GB/s. */
double asim_nccl_case_step(const struct asim_nccl_case *c, double most);
/* Bytes of a channel's buffer with Simple, which has 8 steps. */
double asim_nccl_case_buffer(const struct asim_nccl_case *c);
/* us added to the start of each kernel. */
double asim_nccl_case_launch(const struct asim_nccl_case *c);
/* us until all channels of a kernel have begun, beyond the first. */
double asim_nccl_case_gather_us(double channels);
/* 1 if GPUs of a node reach each other without NVLink. */
int asim_nccl_case_is_pcie(const struct asim_nccl_case *c);
/* What the links of a GPU carry inside a node, bytes a us. */
double asim_nccl_case_links(const struct asim_nccl_case *c, int algo, int proto);
/* Steps of a ring: how often each rank sends. */
uint32_t asim_nccl_case_steps(const struct asim_nccl_case *c);
/* Channels that a buffer of this size gets: small ones get fewer. */
uint32_t asim_nccl_case_channels(const struct asim_nccl_case *c, int algo, int proto);
/* The same for times of rings and trees: where a buffer gets few channels, a whole number of them
 * would make a larger one quicker each time one is added, by up to a third. No table shows that, so
 * a share of a channel counts. */
double asim_nccl_case_mean_channels(const struct asim_nccl_case *c, int algo, int proto);
/* Bytes on a wire for a byte of payload. */
double asim_nccl_case_wire(int proto);
/* us of the proxies of a NIC on a message of LL: they look at each flag. */
double asim_nccl_case_proxy_us(const struct asim_nccl_case *c, double wire_bytes, double channels);
/* Share of the handshakes and proxies of LL that is felt where channels are fewer than NICs. */
double asim_nccl_case_crowd(const struct asim_nccl_case *c, double channels);
/* Channels that share a NIC. */
double asim_nccl_case_sharing(const struct asim_nccl_case *c, double channels);
/* Payload that a NIC carries, bytes a us. */
double asim_nccl_case_nic(const struct asim_nccl_case *c);
/* Messages of a node in a tree on its NIC, for each that goes up: 1 for two nodes, 2 for many. */
double asim_nccl_case_fan(const struct asim_nccl_case *c);
/* Levels of a binary tree over the domains. */
uint32_t asim_nccl_case_depth(const struct asim_nccl_case *c);

/* NCCL's cost model: which algorithm and protocol it takes. Writes both. */
void asim_nccl_tune(const struct asim_nccl_case *c, int *algo, int *proto);
/* 1 if the algorithm can do the case with the protocol, and NCCL's variables allow both. */
int asim_nccl_can(const struct asim_nccl_case *c, int algo, int proto);
/* 1 where RCCL runs in place of NCCL. */
static inline int asim_nccl_is_rccl(const struct asim_nccl_case *c)
{
    return c->m->generation >= ASIM_GENERATION_CDNA3;
}
/* RCCL's estimate of a ring or a tree, us, and the protocol that it takes for the size, -1 where it
 * stays with its estimate. */
double asim_nccl_rccl_cost(const struct asim_nccl_case *c, int algo, int proto);
int asim_nccl_rccl_protocol(const struct asim_nccl_case *c);

/* us of a collective: until kernels move data, launch included; the way of the first chunk; the
 * work of the busiest part. */
struct asim_nccl_parts {
    double start, way, busy;
};
static inline double asim_nccl_whole_us(struct asim_nccl_parts parts)
{
    return parts.start + parts.way + parts.busy;
}
struct asim_nccl_parts asim_nccl_ring_parts(const struct asim_nccl_case *c, int proto);
struct asim_nccl_parts asim_nccl_chain_parts(const struct asim_nccl_case *c,
                                             int proto); /* broadcast, reduce */
struct asim_nccl_parts asim_nccl_tree_parts(const struct asim_nccl_case *c, int proto);
struct asim_nccl_parts asim_nccl_nvls_parts(const struct asim_nccl_case *c);
struct asim_nccl_parts asim_nccl_nvls_tree_parts(const struct asim_nccl_case *c);
/* channels: of one peer, out. */
struct asim_nccl_parts asim_nccl_p2p_parts(const struct asim_nccl_case *c, uint32_t *channels);

#endif
