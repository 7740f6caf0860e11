/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The list of a NIC's queue pairs against a naive one, written from
 * rdma-network.md#host-transmit-order: an array that is compacted, and a position that is not
 * corrected when others are dropped.
 */
#include "testbench_random.h"

enum { CHUNKS = 40, FLOWS = CHUNKS * ASIM_FLOW_CHUNK, STEPS = 20000 };

static struct asim_flow flows[FLOWS], *chunks[CHUNKS];

struct naive {
    struct asim_flow *at[FLOWS];
    uint32_t n, last;
};

/* What the scan passes before it comes to position `chosen` (n: to nobody) decides from where on
 * finished ones go. Returns the chosen one's new position. */
static uint32_t naive_scan(struct naive *list, uint32_t chosen)
{
    uint32_t at = list->last % list->n, n = list->n, first = UINT32_MAX, keep, moved = chosen;

    for (uint32_t k = 0; k < n; k++) {
        at = (at + 1) % n;
        if (at == chosen)
            break;
        if (list->at[at]->aborted && at < first)
            first = at;
    }
    if (first == UINT32_MAX)
        return chosen;
    keep = first;
    for (uint32_t i = first; i < n; i++) {
        if (i == chosen)
            moved = keep;
        if (list->at[i]->aborted)
            list->at[i]->live = 0;
        else
            list->at[keep++] = list->at[i];
    }
    list->n = keep;
    return moved;
}

static void same(const struct asim_qplist *list, const struct naive *want)
{
    uint32_t i = 0;

    CHECK_U64(list->n, want->n);
    CHECK_U64(asim_qplist_position(list), want->last);
    for (uint32_t q = 0; (q = asim_qplist_next(list, q)) != ASIM_QP_NONE; q++, i++) {
        CHECK(i < want->n && asim_qplist_at(list, q) == want->at[i]);
        CHECK_U64(asim_qplist_at(list, q)->place, q);
    }
    CHECK_U64(i, want->n);
    for (uint32_t q = list->end; (q = asim_qplist_before(list, q)) != ASIM_QP_NONE;)
        CHECK(i && asim_qplist_at(list, q) == want->at[--i]);
    CHECK_U64(i, 0);
    CHECK(!list->n || list->front == want->at[0]);
}

/* A scan that comes to one that is not finished, or to nobody. */
static void scan(struct asim_qplist *list, struct naive *want, uint64_t *state)
{
    struct asim_host host = {.chunks = chunks,
                             .first_flow = flows}; /* those given up keep their slots */
    uint32_t begin = asim_qplist_cursor(list), chosen = draw(state, want->n + 1);
    const struct asim_flow *flow;

    if (chosen < want->n && want->at[chosen]->aborted)
        chosen = want->n;
    if (chosen == want->n) {
        if (list->n_finished)
            asim_qplist_reap(list, &host, begin, ASIM_QP_NONE);
        naive_scan(want, chosen);
        return;
    }
    flow = want->at[chosen];
    if (list->n_finished)
        asim_qplist_reap(list, &host, begin, flow->place);
    want->last = naive_scan(want, chosen);
    asim_qplist_set_last_served(list, flow->place);
}

/* `crowd`: how many there are at most at a time; few make the list pack, many make it grow. */
static void against_naive(uint64_t seed, uint32_t crowd)
{
    struct asim_qplist list = {0};
    struct naive want = {.n = 0};
    uint64_t state = seed;
    uint32_t next = 0;

    memset(flows, 0, sizeof flows);
    asim_qplist_open(&list);
    for (int i = 0; i < STEPS && check_failures < 20; i++) {
        uint32_t what = draw(&state, 4);
        struct asim_flow *flow = &flows[next % FLOWS];

        if (what < 2 && want.n < crowd) {
            for (; flow->live; flow = &flows[next % FLOWS])
                next++;
            *flow = (struct asim_flow){.cc.size = 1, .live = 1, .slot = (uint32_t)(flow - flows)};
            CHECK(!asim_qplist_add(&list, flow));
            want.at[want.n++] = flow;
        } else if (want.n && what == 2) {
            flow = want.at[draw(&state, want.n)];
            if (!flow->aborted)
                asim_qplist_mark_finished(&list, flow->place);
            flow->aborted = 1;
        } else if (want.n && what == 3) {
            scan(&list, &want, &state);
        }
        same(&list, &want);
    }
    asim_qplist_clear(&list);
    CHECK_U64(list.n, 0);
    CHECK_U64(asim_qplist_position(&list), want.last);
    asim_qplist_close(&list);
}

int main(void)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        chunks[i] = &flows[i * ASIM_FLOW_CHUNK];
    for (uint64_t seed = 1; seed < 6; seed++)
        for (uint32_t crowd = 1; crowd < FLOWS; crowd *= 3)
            against_naive(seed, crowd);
    return CHECK_DONE();
}
