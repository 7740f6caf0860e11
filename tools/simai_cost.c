/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Time of one collective as SimAI-Analytical computes it (simai.md#analytical-estimate).
 *
 * Kept although odd, because results are compared: the size of a DP group is taken for a number of
 * servers, NICs are divided in integers, allreduce is always a ring, efficiency tables apply to
 * gather and scatter in TP groups and to all-to-all only, and a group size the table of small
 * messages does not list costs nothing (interpolated with --right).
 *
 * Everything is double arithmetic in the order of the published code, since the last digit of its
 * CSV depends on it. Nothing is simulated: no queueing, no overlap of collectives.
 */
#include "tools/simai.h"

#include <math.h>
#include <string.h>

#define GIB     1073741824.0
#define MIB     1048576u
#define MOST_NS 4.6e18

struct span {                   /* how a group lies over servers */
    uint32_t gpus, nodes, nics; /* GPUs in a server, servers, NICs that serve it */
};

/* Fixed latency below 1 MiB, us. */
static double small_us(uint32_t n, int right)
{
    static const struct {
        uint32_t n;
        double us;
    } listed[] = {{2, 10}, {4, 12}, {8, 15}, {16, 66}, {32, 135}, {64, 200}, {128, 320}};
    enum { LAST = sizeof listed / sizeof *listed - 1 };
    size_t i = 0;
    while (i < LAST && listed[i].n < n)
        i++;
    if (listed[i].n == n)
        return listed[i].us;
    if (!right)
        return 0; /* parity: an unlisted size is free */
    if (n > listed[LAST].n)
        return listed[LAST].us * n / listed[LAST].n;
    double x = log2((double)n / listed[i - 1].n) / log2((double)listed[i].n / listed[i - 1].n);
    return listed[i - 1].us + x * (listed[i].us - listed[i - 1].us);
}

/* A tensor group larger than a server leaves less than one GPU of it to an expert group. */
static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

/* The table of simai.md#analytical-estimate, with its integer divisions. nics may come out as 0,
 * which bandwidth() refuses. */
static struct span span_of(const struct asim_sa *sa, int group, uint32_t n)
{
    uint32_t tp = sa->layout.tp, ep = sa->layout.ep, gps = sa->opt->gpus_per_server;
    uint32_t r = sa->opt->nics_per_server;
    uint64_t tp_ep = (uint64_t)tp * ep;
    switch (group) {
    case ASIM_SIMAI_TP:
        return tp <= gps ? (struct span){tp, 1, r} : (struct span){gps, tp / gps, r};
    case ASIM_SIMAI_EP:
        if (tp_ep <= gps)
            return (struct span){gps / tp, 1, r};
        return (struct span){at_least_one(gps / tp), (uint32_t)(tp_ep / gps),
                             tp > gps ? r / gps : r / tp};
    case ASIM_SIMAI_DP:
        return tp <= gps ? (struct span){gps / tp, n, r / tp} : (struct span){1, n, r / gps};
    default:
        return tp_ep <= gps ? (struct span){gps / (uint32_t)tp_ep, n, r / (uint32_t)tp_ep}
                            : (struct span){1, n, r / gps};
    }
}

/* Bus bandwidth of the ring; *by_nvlink says which side limits it. */
static double ring_gib(const struct asim_sa_options *opt, const struct span *s, int *by_nvlink)
{
    double nv = opt->nv_gib, net = opt->nic_gib * s->nics;
    *by_nvlink = 0;
    if (s->nodes == 1)
        return nv;
    if (s->gpus == 1)
        return net;
    if (net > nv) /* a server's NICs outrun one GPU: rings cross at several places */
        nv = nv * s->gpus / (s->gpus - 1);
    *by_nvlink = nv < net;
    return nv < net ? nv : net;
}

/* Only the share that leaves a server uses its NICs. */
static double all_to_all_gib(const struct asim_sa_options *opt, const struct span *s)
{
    double all = (double)s->gpus * s->nodes;
    if (s->nodes == 1)
        return opt->nv_gib;
    return opt->nic_gib * s->nics / s->gpus * (all - 1) / ((double)(s->nodes - 1) * s->gpus);
}

/* The column of the efficiency table; 9 stands for its last one. */
static uint32_t ratio_nodes(const struct asim_sa *sa, const struct asim_simai_comm *comm,
                            uint32_t n)
{
    uint32_t tp = sa->layout.tp, gps = sa->opt->gpus_per_server;
    if (comm->group == ASIM_SIMAI_EP) {
        if ((uint64_t)tp * n <= gps)
            return 1;
        return tp >= gps ? 9 : (uint32_t)((uint64_t)tp * n / gps);
    }
    return tp <= gps ? 1 : tp / gps;
}

/* *ratio = 1 where the published tool looks nothing up. */
static int efficiency(const struct asim_sa *sa, const struct asim_simai_comm *comm,
                      const struct asim_sa_table *ring_table, double *ratio, struct asim_err *err)
{
    uint32_t n = comm->group == ASIM_SIMAI_EP ? sa->layout.ep : sa->layout.tp;
    int all_to_all = comm->op == ASIM_SIMAI_ALLTOALL;
    int in_table = comm->group == ASIM_SIMAI_TP || (all_to_all && comm->group == ASIM_SIMAI_EP);
    *ratio = 1;
    if (!sa->tables.known || !in_table || comm->op == ASIM_SIMAI_ALLREDUCE)
        return 0;
    struct asim_sa_point at = {comm->bytes, ratio_nodes(sa, comm, n), sa->opt->right};
    return asim_sa_ratio(all_to_all ? &sa->tables.all_to_all : ring_table, &at, ratio, err);
}

/* Effective bus bandwidth, the efficiency included. */
static int bandwidth(const struct asim_sa *sa, const struct asim_simai_comm *comm, uint32_t n,
                     double *gib, struct asim_err *err)
{
    struct span span = span_of(sa, comm->group, n);
    int by_nvlink = 0;
    double ratio, given = sa->busbw.gib[comm->group][comm->op];
    *gib = given;
    if (given > 0)
        return 0;
    *gib = comm->op == ASIM_SIMAI_ALLTOALL ? all_to_all_gib(sa->opt, &span)
                                           : ring_gib(sa->opt, &span, &by_nvlink);
    int rc = efficiency(sa, comm, by_nvlink ? &sa->tables.nvlink : &sa->tables.nic, &ratio, err);
    *gib *= rc ? 1 : ratio;
    if (!rc && !(*gib > 0))
        rc = asim_err_set(
            err, ASIM_EINVAL,
            "a group of %u ranks over %u servers gets none of the %u NICs per server (%u by "
            "integer division), so it would never end: check -n_p_s and -g_p_s.",
            n, span.nodes, sa->opt->nics_per_server, span.nics);
    return rc;
}

/* How many ranks a group of that sort has. */
static uint32_t members(const struct asim_simai_layout *l, int group)
{
    switch (group) {
    case ASIM_SIMAI_TP:
        return l->tp;
    case ASIM_SIMAI_DP:
        return l->dp;
    case ASIM_SIMAI_EP:
        return l->ep;
    default:
        return l->dp / l->ep;
    }
}

/* cost->ns is floored as the tool's integer; exact_ns is not, because exposure is computed from
 * it. */
int asim_sa_cost(const struct asim_sa *sa, const struct asim_simai_comm *comm,
                 struct asim_sa_cost *cost, struct asim_err *err)
{
    uint32_t n = members(&sa->layout, comm->group);
    double gib, share = n ? (double)(n - 1) / n : 0,
                twice = comm->op == ASIM_SIMAI_ALLREDUCE ? 2 : 1;
    memset(cost, 0, sizeof *cost);
    cost->n = n;
    if (comm->op == ASIM_SIMAI_NONE || n <= 1)
        return 0;
    if (comm->bytes > 1 && comm->bytes < MIB) {
        cost->exact_ns = small_us(n, sa->opt->right) * 1000;
    } else {
        int rc = bandwidth(sa, comm, n, &gib, err);
        if (rc)
            return rc;
        cost->exact_ns = (double)comm->bytes / GIB / gib * 1e9 * share * twice;
        if (!(cost->exact_ns < MOST_NS))
            return asim_err_set(err, ASIM_EINVAL,
                                "a collective of %llu bytes at %g GiB/s takes longer than 146 "
                                "years: check -nv, -nic and the file of -busbw.",
                                (unsigned long long)comm->bytes, gib);
    }
    cost->ns = floor(cost->exact_ns);
    if (cost->ns > 0) {
        cost->algbw_gib = (double)comm->bytes / GIB / (cost->ns / 1e9);
        cost->busbw_gib = cost->algbw_gib * share * twice;
    }
    return 0;
}
