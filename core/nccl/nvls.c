/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVLS: the NVSwitches reduce and copy. A kernel works in rounds; in a round each channel has a
 * chunk for each GPU of the node. Inside one node a round is reduced and then spread; between nodes
 * it is reduced, climbs a tree of the GPUs of one rail, comes back, and is spread: as many stages,
 * each a round behind the one before.
 */
#include "nccl/case.h"

#include <math.h>

/* A buffer of too few rounds gets smaller chunks (enqueue.cc). */
static double round_bytes(const struct asim_nccl_case *c)
{
    double each = (double)c->m->nvls_channels * c->local, bytes = (double)c->bytes;
    double chunk = 128 * ASIM_KIB;

    if (c->domains > 1) {
        if (c->domains >= 4)
            chunk = 64 * ASIM_KIB;
        if (bytes < 4 * each * chunk && chunk > 64 * ASIM_KIB)
            chunk = 64 * ASIM_KIB;
        if (bytes < each * chunk && chunk > 32 * ASIM_KIB)
            chunk = 32 * ASIM_KIB;
    } else {
        if (bytes < 64 * each * chunk)
            chunk = 64 * ASIM_KIB;
        if (bytes < 8 * each * chunk)
            chunk = 32 * ASIM_KIB;
        if (bytes < 2 * each * chunk)
            chunk = 16 * ASIM_KIB;
    }
    return fmin(bytes, each * chunk);
}

enum { BASE_US = 8 }; /* of a kernel with Simple: NCCL's table */

/* All-reduce: NVSwitches read each buffer once, and each GPU sends its part of the result: 1 + 1/n
 * buffers. nvls_gbytes is the bus bandwidth of 8 GPUs. */
struct asim_nccl_parts asim_nccl_nvls_parts(const struct asim_nccl_case *c)
{
    double n = c->local, share = (n - 1) / n;
    double gbytes = c->op == ASIM_NCCL_ALL_REDUCE ? c->m->nvls_gbytes * 9 / 14 / (1 + 1 / n)
                                                  : c->m->ring_gbytes / share;

    double rate = gbytes * ASIM_BYTES_PER_US_OF_GBYTES;

    return (struct asim_nccl_parts){BASE_US + asim_nccl_case_launch(c) + c->m->nvls_us,
                                    2 * round_bytes(c) / rate, (double)c->bytes / rate};
}

/* Each domain does all that NVLS does inside one, so a tree is never quicker than that. */
struct asim_nccl_parts asim_nccl_nvls_tree_parts(const struct asim_nccl_case *c)
{
    struct asim_nccl_case one = *c;
    double rail = asim_nccl_case_nic(c) * c->nics / asim_nccl_case_fan(c);
    double rate = fmin(c->m->nvls_tree_gbytes * ASIM_BYTES_PER_US_OF_GBYTES, rail);
    double round = round_bytes(c), hops = 2. * asim_nccl_case_depth(c);
    struct asim_nccl_parts tree = {BASE_US + asim_nccl_case_launch(c),
                                   hops * c->m->nvls_tree_net_us + (1 + hops) * round / rate,
                                   (double)c->bytes / rate};
    struct asim_nccl_parts inside;

    one.domains = 1;
    inside = asim_nccl_nvls_parts(&one);
    return asim_nccl_whole_us(tree) < asim_nccl_whole_us(inside) ? inside : tree;
}
