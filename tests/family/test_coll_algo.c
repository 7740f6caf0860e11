/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of every collective algorithm (design, section 3): all members' plans are run
 * against each other with tokens and messages, in several orders of events, until nothing moves.
 * Then everybody must be through, every message sent must have met a receive of its size, and the
 * number of messages must be the stated closed form.
 *
 * Where the published algorithm says which data a message carries (below: carry and take), each
 * block's contributors are tracked as a set, and every member must end with what its collective
 * promises. An algorithm without such a description here is checked for the rest.
 */
#include "check.h"
#include <stdlib.h>
#include "coll/coll.h"

enum { MOST = 17, CHANNEL = 512, MAX_STEPS = 2048 };

struct flight { /* one message: size, and the contributors of each block it carries */
    uint64_t bytes;
    uint32_t block[MOST];
};

struct channel { /* of one ordered pair: sent and not yet matched, receives posted and not met */
    struct flight sent[CHANNEL];
    uint64_t wanted[CHANNEL];
    uint32_t n_sent, n_wanted, matched;
};

struct member {
    struct asim_plan plan;
    uint64_t step, received, tokens, minting;
    uint32_t block[MOST];            /* contributors of each block held, a bit per member */
    uint32_t relay[MAX_STEPS];       /* all-to-all on a ring: (from << 8 | for) to pass on */
    uint32_t relay_head, relay_tail; /* of relay */
    uint32_t moved;                  /* tree: messages taken in */
};

static struct member members[MOST];
static struct channel channels[MOST][MOST];
static uint32_t n_members;
static uint64_t dice;

static uint32_t draw(uint32_t below)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(dice >> 33) % below;
}

static int is(const struct member *m, const char *algorithm)
{
    return !strcmp(m->plan.algo->member.name, algorithm);
}

static uint32_t everyone(void)
{
    return (1u << n_members) - 1;
}

static uint32_t back(const struct member *m, uint64_t by)
{
    return asim_coll_peer(&m->plan.coll, n_members - by % n_members);
}

/* --- what a message carries, by the published description of each algorithm ------------------- */

static void carry_ring(struct member *m, uint64_t k, struct flight *f)
{
    uint32_t n = n_members, b;

    if (m->plan.coll.kind == ASIM_ALL_TO_ALL) {
        CHECK(m->relay_head < m->relay_tail); /* nothing to pass on yet: sent too early */
        b = m->relay[m->relay_head++];
        f->block[0] = b;
        return;
    }
    /* Reduce-scatter: own block first, then the one just reduced; an all-gather goes on alike,
     * where an all-reduce's second half starts from the block that is complete, the next one. */
    b = back(m, k % (2 * n));
    f->block[b] = m->block[b];
}

static void carry_direct(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    int kind = m->plan.coll.kind;
    uint32_t i = m->plan.coll.index;

    if (kind == ASIM_ALL_GATHER || (kind == ASIM_ALL_REDUCE && k >= n_members - 1))
        f->block[i] = m->block[i];
    else
        f->block[to] = 1u << i; /* the part of ours that is for them */
}

/* Halving sends the half of what it is still responsible for that the partner keeps. */
static void carry_halving(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    uint32_t n = n_members, levels = 0, distance = m->plan.coll.index ^ to;
    int kind = m->plan.coll.kind;
    int gathering;

    while (1u << levels < n)
        levels++;
    gathering = kind == ASIM_ALL_GATHER || k >= levels;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t mine = m->plan.coll.index;

        if (gathering) {
            /* Blocks gathered so far: those that agree with us below this distance. */
            if ((b & (distance - 1)) == (mine & (distance - 1)) &&
                (b & distance) == (mine & distance))
                f->block[b] = m->block[b];
        } else if ((b & (distance - 1)) == (mine & (distance - 1)) &&
                   (b & distance) == (to & distance)) {
            f->block[b] = m->block[b];
        }
    }
}

static void carry(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    if (is(m, "ring"))
        carry_ring(m, k, f);
    else if (is(m, "direct"))
        carry_direct(m, k, to, f);
    else if (is(m, "halvingDoubling"))
        carry_halving(m, k, to, f);
    else
        for (uint32_t b = 0; b < n_members; b++)
            f->block[b] = m->block[b];
}

static void take(struct member *m, const struct flight *f)
{
    if (is(m, "ring") && m->plan.coll.kind == ASIM_ALL_TO_ALL) {
        uint32_t from = f->block[0] >> 8, to = f->block[0] & 0xff;

        if (to == m->plan.coll.index) {
            CHECK(!(m->block[to] & 1u << from)); /* every block comes once */
            m->block[to] |= 1u << from;
        } else {
            CHECK(m->relay_tail < MAX_STEPS);
            m->relay[m->relay_tail++] = f->block[0];
        }
        return;
    }
    for (uint32_t b = 0; b < n_members; b++)
        m->block[b] |= f->block[b];
}

static void start_blocks(struct member *m)
{
    uint32_t i = m->plan.coll.index, n = n_members;
    int kind = m->plan.coll.kind;

    memset(m->block, 0, sizeof m->block);
    m->relay_head = m->relay_tail = m->moved = 0;
    if (is(m, "ring") && kind == ASIM_ALL_TO_ALL) {
        m->block[i] = 1u << i;
        for (uint32_t far = n - 1; far > 0; far--) /* the farthest first */
            m->relay[m->relay_tail++] = i << 8 | asim_coll_peer(&m->plan.coll, far);
        return;
    }
    for (uint32_t b = 0; b < n; b++)
        if (kind != ASIM_ALL_GATHER || b == i || is(m, "doubleBinaryTree"))
            m->block[b] = 1u << i;
}

/* Which blocks the member must hold in full at the end. */
static void check_blocks(const struct member *m)
{
    uint32_t i = m->plan.coll.index;
    int kind = m->plan.coll.kind;

    for (uint32_t b = 0; b < n_members; b++) {
        if (kind == ASIM_ALL_GATHER && !is(m, "doubleBinaryTree"))
            CHECK(m->block[b] == 1u << b);
        else if (kind == ASIM_ALL_REDUCE || is(m, "doubleBinaryTree"))
            CHECK(m->block[b] == everyone());
    }
    if (is(m, "doubleBinaryTree"))
        return;
    if (kind == ASIM_ALL_TO_ALL)
        CHECK(m->block[i] == everyone());
    if (kind != ASIM_REDUCE_SCATTER)
        return;
    /* A ring leaves the block after its own complete, the others their own. */
    CHECK(m->block[is(m, "ring") ? asim_coll_peer(&m->plan.coll, 1) : i] == everyone());
}

/* --- the engine of sim/coll_run, without time ---------------------------------------------------
 */

static void send_and_post(struct member *m, uint64_t k, const struct asim_step *step)
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
        struct asim_step step;

        m->plan.algo->step(&m->plan, m->step, &step);
        if (step.need > m->tokens || step.gate > m->received)
            break;
        m->tokens -= step.need;
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

    if (from == n_members) { /* a token ends its way */
        if (!m->minting)
            return 0;
        m->minting--;
        m->tokens++;
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
    m->minting++;
    return 1;
}

static void run_all(void)
{
    uint32_t kinds = n_members * (n_members + 1), idle = 0;

    for (uint32_t i = 0; i < n_members; i++) {
        members[i].minting = members[i].plan.start_tokens;
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
        CHECK_U64(m->tokens, m->plan.end_tokens);
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

/* Messages of the whole collective and their bytes, as the literature states them. */
static void check_totals(const struct asim_coll *coll, const char *algorithm)
{
    uint64_t n = coll->n, messages = 0, bytes = 0, want, m = coll->bytes / n;
    int kind = coll->kind;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            messages += channels[i][j].n_sent;
            for (uint32_t k = 0; k < channels[i][j].n_sent; k++)
                bytes += channels[i][j].sent[k].bytes;
        }
    if (kind == ASIM_ALL_GATHER)
        m = coll->bytes;
    if (!strcmp(algorithm, "ring") || !strcmp(algorithm, "direct")) {
        want = n * (n - 1) * (kind == ASIM_ALL_REDUCE ? 2 : 1);
        if (kind == ASIM_ALL_TO_ALL && *algorithm == 'r')
            want = n * (n * (n - 1) / 2);
        CHECK_U64(messages, want);
        CHECK_U64(bytes, want * m);
    } else if (!strcmp(algorithm, "halvingDoubling")) {
        CHECK_U64(messages, n * log2_of(coll->n) * (kind == ASIM_ALL_REDUCE ? 2 : 1));
        if (coll->bytes % n == 0)
            CHECK_U64(bytes, n * (n - 1) * m * (kind == ASIM_ALL_REDUCE ? 2 : 1));
    } else if (!strcmp(algorithm, "doubleBinaryTree")) {
        CHECK_U64(messages, 2 * (n - 1));
        CHECK_U64(bytes, 2 * (n - 1) * coll->bytes);
    }
}

static uint64_t out_of(const struct asim_coll_algo *algo, const struct asim_coll *coll)
{
    if (!strcmp(algo->member.name, "doubleBinaryTree"))
        return coll->bytes;
    if (coll->kind == ASIM_REDUCE_SCATTER)
        return coll->bytes / coll->n;
    return coll->kind == ASIM_ALL_GATHER ? coll->bytes * coll->n : coll->bytes;
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
    check_totals(coll, algo->member.name);
    if (check_failures != before)
        fprintf(stderr,
                "  so in %s %s of %u, step %d, %llu bytes, subgroup %d, window %u, variant %u\n",
                algo->member.name, asim_kind_name(coll->kind), coll->n, coll->step,
                (unsigned long long)coll->bytes, coll->subgroup, coll->window, coll->variant);
}

static void try_kind(const struct asim_coll_algo *algo, int kind, uint32_t n)
{
    static const uint64_t sizes[] = {1, 17, 4096, 1048577};
    static const uint32_t windows[] = {0, 1, 2, 3, 100};

    for (uint32_t at = 0; at < 4 * 2 * 2 * 2 * 5; at++) {
        struct asim_coll coll = {.kind = kind,
                                 .n = n,
                                 .bytes = sizes[at % 4],
                                 .step = at / 4 % 2 ? -1 : 1,
                                 .subgroup = at / 8 % 2,
                                 .variant = at / 16 % 2,
                                 .window = windows[at / 32]};

        if (coll.window && strcmp(algo->member.name, "direct"))
            continue;
        if (coll.variant && strcmp(algo->member.name, "doubleBinaryTree"))
            continue;
        try_one(algo, &coll);
        if (check_failures > 20)
            return;
    }
}

static void refuses_other_kinds(const struct asim_coll_algo *algo, int kind)
{
    struct asim_coll coll = {.kind = kind, .n = 4, .step = 1, .bytes = 100};
    struct asim_plan plan;
    struct asim_err err = {0};

    CHECK(asim_coll_plan(&plan, algo, &coll, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, algo->member.name) != NULL);
}

static void try_row(const struct asim_coll_algo *algo)
{
    CHECK(algo->member.name && algo->member.about && algo->plan && algo->step && algo->arrival);
    CHECK(algo->kinds != 0);
    refuses_other_kinds(algo, -1);
    refuses_other_kinds(algo, ASIM_KINDS);
    for (int kind = 0; kind < ASIM_KINDS; kind++) {
        if (!(algo->kinds >> kind & 1)) {
            refuses_other_kinds(algo, kind);
            continue;
        }
        for (uint32_t n = 2; n <= MOST && check_failures <= 20; n++)
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
