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
 * buffers. nvls_gbytes is the bus bandwidth of 8 GPUs. Bytes of a buffer a us. */
static double nvls_rate(const struct asim_nccl_case *c)
{
    double n = c->local, share = (n - 1) / n;

    return ASIM_BYTES_PER_US_OF_GBYTES * (c->op == ASIM_NCCL_ALL_REDUCE
                                              ? c->m->nvls_gbytes * 9 / 14 / (1 + 1 / n)
                                              : c->m->ring_gbytes / share);
}

/* Two rounds more, of buffers below three rounds three quarters of the buffer: 1 to 8 MiB of
 * h200_azure_n1_g8_all_reduce_nvls take 1.75 times what they would at the full rate. */
struct asim_nccl_parts asim_nccl_nvls_parts(const struct asim_nccl_case *c)
{
    double rate = nvls_rate(c), bytes = (double)c->bytes;

    return (struct asim_nccl_parts){BASE_US + asim_nccl_case_launch(c) + c->m->nvls_us,
                                    fmin(2 * round_bytes(c), .75 * bytes) / rate, bytes / rate};
}

/* A round is reduced inside, climbs, comes back and is spread, one stage after the other. A round
 * behind the first takes as long as its slowest stage; of that `each_round` of a round of 128 KiB a
 * GPU and channel does not shrink with the chunk. By h100_ndr_n2_g8_all_reduce, which has rounds of
 * 32, 64, and 128 KiB from 64 MiB on: the first takes 56 us and 9 us a MB, of 128 KiB 12.6 us a MB,
 * as if the halves of two trees crossed in opposite directions only while they are short; each
 * further round of 64 KiB takes 41 us and of 128 KiB 66. */
struct asim_nccl_parts asim_nccl_nvls_tree_parts(const struct asim_nccl_case *c)
{
    static const double each_round = .24;
    struct asim_nccl_case one = *c;
    struct asim_nccl_parts tree, inside;
    double rail = asim_nccl_case_nic(c) * fmin(c->nics, c->heads) / asim_nccl_case_fan(c);
    double rate = c->m->nvls_tree_gbytes * ASIM_BYTES_PER_US_OF_GBYTES, round = round_bytes(c);
    double hops = 2. * asim_nccl_case_depth(c), across = round / rail, later = round / rate;
    double hop = c->m->nvls_tree_net_us + c->m->net_us[ASIM_NCCL_SIMPLE];
    double full = 128. * ASIM_KIB * c->m->nvls_channels * c->local;

    one.domains = 1;
    inside = asim_nccl_nvls_parts(&one);
    inside.way += hops * hop;
    if (c->domains == 2 && round < full)
        across /= 2;
    later = fmax(each_round * full / rate + (1 - each_round) * later, round / rail);
    tree.start = inside.start;
    tree.way = 2 * round / nvls_rate(&one) + hops * (hop + across);
    tree.busy = fmax((double)c->bytes / fmax(round, 1) - 1, 0) * later;
    /* Each domain does all that NVLS does inside one, and hears of the others. */
    return asim_nccl_whole_us(tree) < asim_nccl_whole_us(inside) ? inside : tree;
}
