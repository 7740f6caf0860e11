/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches without ids. Device traces of PyTorch 2.0 and before have no Record function id, and
 * Chakra's tools then match nothing. But both traces list the same ops of a thread in the same
 * order. So a host thread is compared with the device thread whose names agree best, and both lists
 * are stepped through together; at a difference, the nearest position where three names in a row
 * agree is taken.
 */
#include "link/link.h"

#include <stdlib.h>

#define LOOK_AHEAD 400 /* most ops skipped on either side of a difference */
#define AGREE      3   /* names in a row that end a difference */

struct align {
    struct asim_linking *link;
    const uint32_t *names; /* of host nodes */
    uint32_t *hosts;       /* host nodes by (tid, id) */
    uint32_t *ops;         /* CPU ops by (thread, ts, longer first) */
    uint8_t *taken;        /* device threads that have a host thread */
};

static int by_tid(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_host_node *node = ctx;

    if (node[a].tid != node[b].tid)
        return node[a].tid < node[b].tid;
    return node[a].id < node[b].id;
}

static int by_start(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_kineto_cpu *cpu = ctx;

    if (cpu[a].thread != cpu[b].thread)
        return cpu[a].thread < cpu[b].thread;
    if (cpu[a].ts != cpu[b].ts)
        return cpu[a].ts < cpu[b].ts;
    return cpu[a].dur > cpu[b].dur;
}

static int equal(const struct align *al, uint32_t host, uint32_t op)
{
    return al->names[host] == al->link->kin.cpu_name.at[op];
}

/* The rest of the two lists. */
struct pair {
    const uint32_t *h, *o; /* host nodes, CPU ops */
    size_t hn, on;
};

/* 1 if the names agree AGREE times in a row after i host nodes and j ops (fewer at the end of a
 * list). */
static int agree(const struct align *al, const struct pair *p, size_t i, size_t j)
{
    size_t want = AGREE;

    if (i >= p->hn || j >= p->on)
        return 0;
    want = p->hn - i < want ? p->hn - i : want;
    want = p->on - j < want ? p->on - j : want;
    for (size_t k = 0; k < want; k++)
        if (!equal(al, p->h[i + k], p->o[j + k]))
            return 0;
    return 1;
}

struct skip {
    size_t nodes, ops; /* of the host trace, of the device trace */
};

/* Finds the smallest skip after which both sides agree. 0 = there is none near. */
static int resync(const struct align *al, const struct pair *p, struct skip *skip)
{
    for (size_t sum = 1; sum <= LOOK_AHEAD; sum++)
        for (size_t i = 0; i <= sum; i++)
            if (agree(al, p, i, sum - i)) {
                *skip = (struct skip){i, sum - i};
                return 1;
            }
    return 0;
}

static size_t walk(struct align *al, struct pair p)
{
    size_t matched = 0;
    struct skip skip;

    while (p.hn && p.on) {
        if (equal(al, *p.h, *p.o)) {
            al->link->host.node.at[*p.h].cpu = *p.o;
            matched++;
            skip = (struct skip){1, 1};
        } else if (!resync(al, &p, &skip)) {
            skip = (struct skip){1, 1};
        }
        p.h += skip.nodes;
        p.hn -= skip.nodes;
        p.o += skip.ops;
        p.on -= skip.ops;
    }
    return matched;
}

/* Number of common ops of the two threads, by counting names. */
static size_t common(const struct align *al, const uint32_t *h, size_t hn, uint32_t thread,
                     int32_t *count)
{
    const struct asim_kineto *kin = &al->link->kin;
    size_t same = 0;

    for (size_t i = 0; i < hn; i++)
        count[al->names[h[i]]]++;
    for (uint32_t k = kin->thread_at[thread]; k < kin->thread_at[thread + 1]; k++)
        if (count[kin->cpu_name.at[kin->by_thread[k]]] > 0) {
            count[kin->cpu_name.at[kin->by_thread[k]]]--;
            same++;
        }
    for (size_t i = 0; i < hn; i++)
        count[al->names[h[i]]] = 0;
    return same;
}

/* Pairs threads greedily, each host thread with the best free device thread: jobs have a few
 * threads, whose names differ much more between threads than within one. */
static void align_thread(struct align *al, const uint32_t *h, size_t hn, int32_t *count)
{
    struct asim_kineto *kin = &al->link->kin;
    uint32_t best = ASIM_NONE;
    size_t most = 0;

    for (uint32_t t = 0; t < kin->threads; t++) {
        size_t same = al->taken[t] ? 0 : common(al, h, hn, t, count);

        if (same > most) {
            most = same;
            best = t;
        }
    }
    if (best == ASIM_NONE)
        return;
    al->taken[best] = 1;
    al->link->counts.aligned +=
        walk(al, (struct pair){h, al->ops + kin->thread_at[best], hn,
                               kin->thread_at[best + 1] - kin->thread_at[best]});
}

int asim_link_align(struct asim_linking *link, const uint32_t *names, struct asim_err *err)
{
    struct asim_host_trace *host = &link->host;
    struct align al = {.link = link, .names = names};
    int32_t *count = calloc(link->kin.names.all.n + 1, sizeof *count);
    int code = 0;

    al.hosts = asim_iota_u32(host->node.n);
    al.ops = asim_iota_u32(link->kin.cpu.n);
    al.taken = calloc((size_t)link->kin.threads + 1, 1);
    if (!al.hosts || !al.ops || !al.taken || !count ||
        asim_sort_u32(al.hosts, host->node.n, by_tid, host->node.at) ||
        asim_sort_u32(al.ops, link->kin.cpu.n, by_start, link->kin.cpu.at))
        code = asim_err_nomem(err, "aligning ops by name");
    for (size_t i = 0, n; !code && i < host->node.n; i += n) {
        uint32_t tid = host->node.at[al.hosts[i]].tid;

        for (n = 1; i + n < host->node.n && host->node.at[al.hosts[i + n]].tid == tid; n++)
            ;
        align_thread(&al, al.hosts + i, n, count);
    }
    ASIM_FREE(al.hosts, al.ops, al.taken, count);
    return code;
}
