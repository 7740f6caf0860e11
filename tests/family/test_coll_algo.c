/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of every collective algorithm: all members' plans are run
 * against each other with credits and messages, in several orders of events, until nothing moves.
 * Then everybody must be through, every message sent must have met a receive of its size, and the
 * number of messages must be the stated closed form.
 *
 * Where the published algorithm says which data a message carries (coll_model.h), each block's
 * contributors are tracked as a set, and every member must end with what its collective promises.
 * An algorithm without such a description is checked for the rest.
 */
#include "coll_model.h"

enum { CHANNEL = 512 };

struct channel { /* of one ordered pair: sent and not yet matched, receives posted and not met */
    struct flight sent[CHANNEL];
    uint64_t wanted[CHANNEL];
    uint32_t n_sent, n_wanted, matched;
};

static struct channel channels[MOST][MOST];
static uint64_t dice;

static uint32_t draw(uint32_t below)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(dice >> 33) % below;
}

static void check_blocks(const struct member *m)
{
    for (uint32_t b = 0; b < n_members && is_modelled(m); b++)
        if (last_block(m, b))
            CHECK_U64(m->block[b], last_block(m, b));
}

/* --- the engine of sim/coll_run, without time ---------------------------------------------------
 */

static void send_and_post(struct member *m, uint64_t k, const struct asim_coll_step *step)
{
    uint32_t i = m->plan.coll.index;

    if (step->to != ASIM_NOBODY) {
        struct channel *c = &channels[i][step->to];

        CHECK(step->to < n_members && step->to != i && c->n_sent < CHANNEL);
        memset(&c->sent[c->n_sent], 0, sizeof c->sent[0]);
        c->sent[c->n_sent].bytes = step->send_bytes;
        carry(m, k, step->to, &c->sent[c->n_sent++]);
    }
    if (step->from != ASIM_NOBODY) {
        struct channel *c = &channels[step->from][i];

        CHECK(step->from < n_members && step->from != i && c->n_wanted < CHANNEL);
        c->wanted[c->n_wanted++] = step->recv_bytes;
    }
}

static int pump(struct member *m)
{
    int moved = 0;

    while (m->step < m->plan.steps) {
        struct asim_coll_step step;

        m->plan.algo->step(&m->plan, m->step, &step);
        if (step.credits > m->credits || step.min_arrivals > m->received)
            break;
        m->credits -= step.credits;
        send_and_post(m, m->step++, &step);
        moved = 1;
    }
    return moved;
}

static void check_match(struct channel *c)
{
    CHECK_U64(c->sent[c->matched].bytes, c->wanted[c->matched]);
}

/* Tries one event of kind `what`; 1 if there was one. */
static int one_event(uint32_t what)
{
    struct member *m = &members[what % n_members];
    uint32_t from = what / n_members;
    struct channel *c;

    if (from == n_members) { /* a credit ends its way */
        if (!m->pending_credits)
            return 0;
        m->pending_credits--;
        m->credits++;
        pump(m);
        return 1;
    }
    c = &channels[from][m->plan.coll.index];
    if (c->matched == c->n_sent || c->matched == c->n_wanted)
        return 0;
    check_match(c);
    take(m, &c->sent[c->matched++]);
    CHECK(m->plan.algo->arrival(&m->plan, m->received) <= m->plan.coll.bytes * n_members);
    m->received++;
    m->pending_credits++;
    return 1;
}

static void run_all(void)
{
    uint32_t kinds = n_members * (n_members + 1), idle = 0;

    for (uint32_t i = 0; i < n_members; i++) {
        members[i].pending_credits = members[i].plan.start_credits;
        pump(&members[i]);
    }
    while (idle < kinds) {
        uint32_t first = draw(kinds);

        for (idle = 0; idle < kinds && !one_event((first + idle) % kinds); idle++)
            continue;
    }
}

static void check_over(void)
{
    for (uint32_t i = 0; i < n_members; i++) {
        const struct member *m = &members[i];

        CHECK_U64(m->step, m->plan.steps);
        CHECK_U64(m->received, m->plan.arrivals);
        CHECK_U64(m->credits, m->plan.end_credits);
        check_blocks(m);
        for (uint32_t j = 0; j < n_members; j++) {
            CHECK_U64(channels[i][j].n_sent, channels[i][j].n_wanted);
            CHECK_U64(channels[i][j].matched, channels[i][j].n_sent);
        }
    }
}

/* --- closed forms
 * --------------------------------------------------------------------------------- */

static uint32_t log2_of(uint32_t n)
{
    uint32_t k = 0;

    while (n >>= 1)
        k++;
    return k;
}

static uint32_t rounds_of(uint32_t n)
{
    return log2_of(n) + !is_power_of_two(n);
}

/* Blocks that cross the edges of a binomial tree: the size of every subtree but the whole. */
static uint64_t tree_blocks(uint32_t n)
{
    uint64_t blocks = 0;

    for (uint32_t v = 1; v < n; v++)
        blocks += (v & (0u - v)) < n - v ? (v & (0u - v)) : n - v;
    return blocks;
}

struct totals {
    uint64_t messages, bytes;
};

/* What the literature states for the collective as a whole; messages 0 = not known here. */
static struct totals stated(const struct asim_coll *coll, const struct member *m)
{
    uint64_t n = coll->n, unit = coll->coll_type == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / n;
    uint64_t twice = coll->coll_type == ASIM_ALL_REDUCE ? 2 : 1, logs = n * rounds_of(coll->n);

    if (is(m, "ring") && coll->coll_type == ASIM_ALL_TO_ALL)
        return (struct totals){n * (n * (n - 1) / 2), n * (n * (n - 1) / 2) * unit};
    if (is(m, "ring") || is(m, "direct"))
        return (struct totals){twice * n * (n - 1), twice * n * (n - 1) * unit};
    if (is_bruck(m) || (is(m, "halvingDoubling") && coll->bytes % n == 0))
        return (struct totals){twice * logs, twice * n * (n - 1) * unit};
    if (is(m, "doubleBinaryTree"))
        return (struct totals){2 * (n - 1), 2 * (n - 1) * coll->bytes};
    if (is(m, "dissemination"))
        return (struct totals){logs, logs};
    if (!is(m, "binomialTree"))
        return (struct totals){0, 0};
    if (coll->coll_type == ASIM_BROADCAST || coll->coll_type == ASIM_REDUCE)
        return (struct totals){n - 1, (n - 1) * coll->bytes};
    return (struct totals){n - 1, tree_blocks(coll->n) *
                                      (coll->coll_type == ASIM_GATHER ? coll->bytes : unit)};
}

static void check_totals(const struct asim_coll *coll)
{
    struct totals want = stated(coll, &members[0]), got = {0, 0};

    for (uint32_t i = 0; i < coll->n; i++)
        for (uint32_t j = 0; j < coll->n; j++) {
            got.messages += channels[i][j].n_sent;
            for (uint32_t k = 0; k < channels[i][j].n_sent; k++)
                got.bytes += channels[i][j].sent[k].bytes;
        }
    CHECK(got.messages > 0);
    if (!want.messages)
        return;
    CHECK_U64(got.messages, want.messages);
    CHECK_U64(got.bytes, want.bytes);
}

static uint64_t out_of(const struct asim_coll_algo *algo, const struct asim_coll *coll)
{
    if (algo->keeps_size)
        return coll->bytes;
    if (coll->coll_type == ASIM_REDUCE_SCATTER || coll->coll_type == ASIM_SCATTER)
        return coll->bytes / coll->n;
    return coll->coll_type == ASIM_ALL_GATHER || coll->coll_type == ASIM_GATHER
               ? coll->bytes * coll->n
               : coll->bytes;
}

/* Plans all members; 0 where the algorithm refuses this number of them, the same for each. */
static int plan_all(const struct asim_coll_algo *algo, const struct asim_coll *coll)
{
    uint32_t refused = 0;

    memset(members, 0, sizeof members[0] * coll->n);
    for (uint32_t i = 0; i < coll->n; i++) {
        struct asim_coll own = *coll;
        struct asim_err err = {0};

        own.index = i;
        if (asim_coll_plan(&members[i].plan, algo, &own, &err)) {
            CHECK(strstr(err.text, "power of two") != NULL);
            refused++;
            continue;
        }
        CHECK_U64(members[i].plan.out_bytes, out_of(algo, coll));
        start_blocks(&members[i]);
    }
    CHECK(refused == 0 || refused == coll->n);
    if (refused)
        CHECK((coll->n & (coll->n - 1)) != 0);
    return !refused;
}

static void try_one(const struct asim_coll_algo *algo, const struct asim_coll *coll)
{
    int before = check_failures;

    n_members = coll->n;
    for (uint32_t i = 0; i < n_members; i++)
        for (uint32_t j = 0; j < n_members; j++)
            channels[i][j].n_sent = channels[i][j].n_wanted = channels[i][j].matched = 0;
    if (!plan_all(algo, coll))
        return;
    run_all();
    check_over();
    check_totals(coll);
    if (check_failures != before)
        fprintf(stderr,
                "  so in %s %s of %u, step %d, %llu bytes, subgroup %d, window %u, variant %u, "
                "root %u\n",
                algo->member.name, asim_coll_type_name(coll->coll_type), coll->n, coll->step,
                (unsigned long long)coll->bytes, coll->subgroup, coll->window, coll->variant,
                coll->root);
}

static void try_kind(const struct asim_coll_algo *algo, int kind, uint32_t n)
{
    static const uint64_t sizes[] = {1, 17, 4096, 1048577};
    static const uint32_t windows[] = {0, 1, 2, 3, 4, 100};

    for (uint32_t at = 0; at < 4 * 2 * 2 * 2 * 6; at++) {
        struct asim_coll coll = {.coll_type = kind,
                                 .n = n,
                                 .bytes = sizes[at % 4],
                                 .step = at / 4 % 2 ? -1 : 1,
                                 .subgroup = at / 8 % 2,
                                 .variant = at / 16 % 2,
                                 .root = at / 16 % 2 ? n - 1 : at / 8 % 2 * (n / 2),
                                 .window = windows[at / 32]};

        if (coll.window && strcmp(algo->member.name, "direct") && (!algo->flows || n % coll.window))
            continue; /* with flows it is the GPUs of a server */
        if (!check_takes(n * 192 + at))
            continue;
        try_one(algo, &coll);
        if (check_failures > 20)
            return;
    }
}

static void refuses_other_kinds(const struct asim_coll_algo *algo, int kind)
{
    struct asim_coll coll = {.coll_type = kind, .n = 4, .step = 1, .bytes = 100};
    struct asim_plan plan;
    struct asim_err err = {0};

    CHECK(asim_coll_plan(&plan, algo, &coll, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, algo->member.name) != NULL);
}

static void try_row(const struct asim_coll_algo *algo)
{
    CHECK(algo->member.name && algo->member.about);
    CHECK(algo->flows || (algo->plan && algo->step && algo->arrival));
    CHECK(algo->coll_types != 0);
    refuses_other_kinds(algo, -1);
    refuses_other_kinds(algo, ASIM_COLL_TYPES);
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++) {
        if (!(algo->coll_types >> kind & 1)) {
            refuses_other_kinds(algo, kind);
            continue;
        }
        /* Rows with flows only are tried by test_coll_flows.c. */
        for (uint32_t n = 2; algo->plan && n <= MOST && check_failures <= 20; n++)
            try_kind(algo, kind, n);
    }
}

int main(void)
{
    dice = 1;
    for (const struct asim_member *const *row = asim_coll_algo_table; *row; row++)
        try_row((const struct asim_coll_algo *)*row);
    return CHECK_DONE();
}
