/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The choice of algorithm and protocol. SimAI 1.6 chooses NVLS for an all-reduce of a
 * tensor-parallel group of 8 or more H100/H800 in one server if NVLS is switched on, and a ring for
 * all other collectives of any size; it has no protocols. `tuned` is ours: the smallest latency +
 * bytes / bandwidth over the algorithms and protocols, with the latencies that SimCCL's
 * documentation lists in ns (its code waits a thousand times as long).
 */
#include "coll/nccl.h"

#include <stdlib.h>
#include <string.h>

const char *const asim_nccl_algo_names[] = {"auto", "tuned",     "ring",   "tree",
                                            "nvls", "nvls_tree", "direct", NULL};
const char *const asim_nccl_proto_names[] = {"Simple", "LL", "LL128", NULL};

/* Every server has the same number of members, in consecutive positions, or `first` says how many.
 * SimAI's model does not cover uneven groups; NCCL has as many channels as the smallest server. */
static int place(struct asim_nccl *nccl, struct asim_err *err)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    uint64_t last = s->base + (uint64_t)(s->ranks - 1) * s->stride;
    uint32_t gps = s->gpus_per_server;
    if (s->first) {
        nccl->servers = s->servers;
        nccl->local = s->ranks;
        for (uint32_t i = 0; i < s->servers; i++)
            if (s->first[i + 1] - s->first[i] < nccl->local)
                nccl->local = s->first[i + 1] - s->first[i];
        return 0;
    }
    if (s->ranks < 2 || !gps || last > UINT32_MAX)
        return asim_err_set(err, ASIM_EINVAL,
                            "a collective needs at least 2 ranks and servers of at least 1 GPU; "
                            "got %u ranks and %u GPUs per server.",
                            s->ranks, gps);
    if (!s->base && s->stride == 1 && (s->ranks % gps == 0 || s->ranks < gps)) {
        nccl->local = s->ranks < gps ? s->ranks : gps;
        nccl->servers = s->ranks / nccl->local;
        return 0;
    }
    nccl->servers = 1;
    for (uint32_t p = 1; p < s->ranks; p++)
        nccl->servers += (s->base + p * s->stride) / gps != (s->base + (p - 1) * s->stride) / gps;
    nccl->local = s->ranks / nccl->servers;
    for (uint32_t p = 0; p < s->ranks; p++)
        if ((s->base + p * s->stride) / gps !=
                (s->base + p / nccl->local * nccl->local * s->stride) / gps ||
            s->ranks % nccl->servers)
            return asim_err_set(err, ASIM_EINVAL,
                                "%u ranks from %u in steps of %u do not lie evenly on servers of "
                                "%u GPUs; NCCL's channels need as many in each.",
                                s->ranks, s->base, s->stride, gps);
    return 0;
}

/* --- the choice ---------------------------------------------------------------------------------
 */

struct latency { /* ns, by protocol: Simple, LL, LL128; 0 = not possible */
    int algo;
    double inside[3], across[3];
};
static const struct latency latencies[] = {
    {ASIM_NCCL_RING, {11800, 7200, 15900}, {22400, 9300, 18000}},
    {ASIM_NCCL_TREE, {12400, 7400, 15250}, {22400, 11800, 22500}},
    {ASIM_NCCL_NVLS, {25000, 0, 0}, {0, 0, 0}},
    {ASIM_NCCL_NVLS_TREE, {0, 0, 0}, {25000, 0, 0}},
};

/* What each algorithm can do, wherever it was named. */
static int is_possible(const struct asim_nccl *nccl, int algo)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    if (s->coll_type == ASIM_ALL_TO_ALL)
        return algo == ASIM_NCCL_DIRECT;
    if (algo == ASIM_NCCL_RING)
        return 1;
    if (s->coll_type != ASIM_ALL_REDUCE)
        return 0;
    return algo == ASIM_NCCL_TREE || (algo == ASIM_NCCL_NVLS && nccl->servers == 1) ||
           (algo == ASIM_NCCL_NVLS_TREE && nccl->servers > 1);
}

/* Time of an all-reduce, gather or scatter by the bytes that must leave each rank: 2 (n-1)/n of the
 * buffer round a ring, half of that to gather or scatter; twice the whole through a tree; the whole
 * and its share of what comes back through an NVSwitch.
 * Rates are in GB/s, which is bytes per ns, so no unit is converted. */
static double estimate_ns(const struct asim_nccl *nccl, const struct latency *l, int proto)
{
    static const double efficiency[3] = {1, 0.5, 0.9375};
    const struct asim_nccl_spec *s = &nccl->spec;
    double start = nccl->servers > 1 ? l->across[proto] : l->inside[proto];
    double passes = s->coll_type == ASIM_ALL_REDUCE ? 2 : 1, n = s->ranks;
    double share = l->algo == ASIM_NCCL_RING   ? passes * (n - 1) / n
                   : l->algo == ASIM_NCCL_TREE ? 2
                                               : 1 + 1 / n;
    double rate = nccl->servers > 1 ? s->net_gbytes * nccl->channels : s->nv_gbytes;
    return start + (double)s->bytes * share / (rate * efficiency[proto]);
}

/* The smallest estimate wins, the first of equals; NVLS only where hardware and user allow it. An
 * estimate ignores when the members enter the collective: it ranks algorithms and predicts no time.
 */
static void choose_tuned(struct asim_nccl *nccl)
{
    struct asim_nccl_spec *s = &nccl->spec;
    double best = 0;
    s->algo = s->coll_type == ASIM_ALL_TO_ALL ? ASIM_NCCL_DIRECT : ASIM_NCCL_RING;
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        for (int proto = 0; proto < 3; proto++) {
            const struct latency *l = &latencies[i];
            double start = nccl->servers > 1 ? l->across[proto] : l->inside[proto];
            double ns = estimate_ns(nccl, l, proto);
            int switched =
                l->algo == ASIM_NCCL_RING || l->algo == ASIM_NCCL_TREE || (s->nvls && s->hopper);
            if (start <= 0 || !switched || !is_possible(nccl, l->algo) || (best > 0 && ns >= best))
                continue;
            best = ns;
            s->algo = l->algo;
            s->proto = proto;
        }
}

/* Keeps an algorithm the user named. SimAI decides by type, GPU and number of members, never by
 * size. */
static void choose(struct asim_nccl *nccl)
{
    struct asim_nccl_spec *s = &nccl->spec;
    if (s->algo == ASIM_NCCL_TUNED) {
        choose_tuned(nccl);
    } else if (s->algo == ASIM_NCCL_AUTO) {
        int nvls = s->nvls && s->hopper && !s->apart && s->coll_type == ASIM_ALL_REDUCE &&
                   s->ranks >= 8 && nccl->servers == 1;
        s->algo = nvls ? ASIM_NCCL_NVLS : ASIM_NCCL_RING;
        if (s->coll_type == ASIM_ALL_TO_ALL)
            s->algo = ASIM_NCCL_DIRECT;
    }
}

int asim_nccl_choose(struct asim_nccl *nccl, const struct asim_nccl_spec *spec,
                     struct asim_err *err)
{
    memset(nccl, 0, sizeof *nccl);
    nccl->spec = *spec;
    if (!nccl->spec.stride)
        nccl->spec.stride = 1;
    int rc = place(nccl, err);
    if (rc)
        return rc;
    nccl->channels = spec->channels && spec->channels < nccl->local ? spec->channels : nccl->local;
    choose(nccl);
    if (!is_possible(nccl, nccl->spec.algo))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s cannot do %s over %u servers: trees and NVLS reduce only, NVLS in "
                            "one server and nvls_tree over several; all-to-all is direct.",
                            asim_nccl_algo_names[nccl->spec.algo],
                            asim_coll_type_name(nccl->spec.coll_type), nccl->servers);
    nccl->chunks = nccl->spec.algo == ASIM_NCCL_TREE || nccl->spec.algo == ASIM_NCCL_NVLS_TREE ||
                           asim_nccl_is_chain(&nccl->spec)
                       ? asim_nccl_chunks(nccl)
                       : 1;
    return 0;
}

void asim_nccl_make_flat(struct asim_nccl_spec *spec)
{
    spec->gpus_per_server = 1;
    spec->first = NULL;
    spec->servers = 0;
}

/* On success the caller calls asim_nccl_fini; on failure nccl is empty. Rings have O(n^2) flows. */
int asim_nccl_make(struct asim_nccl *nccl, const struct asim_nccl_spec *spec, struct asim_err *err)
{
    int rc = asim_nccl_choose(nccl, spec, err);
    if (rc)
        return rc;
    int (*const builders[])(struct asim_nccl *) = {
        NULL,           NULL,           asim_nccl_ring,  asim_nccl_tree,
        asim_nccl_nvls, asim_nccl_tree, asim_nccl_direct};
    if (asim_nccl_is_chain(spec) ? asim_nccl_chain(nccl) : builders[nccl->spec.algo](nccl)) {
        asim_nccl_fini(nccl);
        return asim_err_set(
            err, ASIM_ENOMEM,
            "the collective has more flows than the memory (or the ceiling of 2^24) "
            "allows: a ring over n ranks has 2(n-1) n flows per channel, all pairs n (n-1).");
    }
    return 0;
}

/* Also after asim_nccl_choose, which allocates nothing. The struct can be reused. */
void asim_nccl_fini(struct asim_nccl *nccl)
{
    ASIM_FREE(nccl->flows.at, nccl->parents.at);
    memset(nccl, 0, sizeof *nccl);
}
