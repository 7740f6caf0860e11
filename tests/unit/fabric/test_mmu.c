/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer of a switch (switch/mmu.h): tables of single steps, and random frames against a
 * model in signed numbers (rdma-network.md#shared-buffer).
 */
#include "fabric/switch/mmu.h"
#include "testbench.h"

/* A switch of two ports. Port 0 is the ingress of all frames. */
struct buffer {
    struct asim_switch sw;
    struct asim_switch_port port[2];
};

/* What a step begins with, in bytes; threshold = (shareable - used) >> shift. */
struct level {
    uint64_t shareable, used, ingress, headroom;
    uint32_t limit, shift; /* limit: headroom */
};

enum { GROUP = 3, FRAME = 1036 };
#define UNLIMITED UINT64_MAX

static void fill(struct buffer *b, const struct level *level)
{
    memset(b, 0, sizeof *b);
    b->sw.ports = b->port;
    b->sw.n_ports = 2;
    b->sw.shareable = level->shareable;
    b->sw.shared_used = level->used;
    b->port[0].shift = (uint8_t)level->shift;
    b->port[0].headroom_limit = level->limit;
    b->port[0].occupancy[GROUP].ingress = level->ingress;
    b->port[0].occupancy[GROUP].headroom = level->headroom;
}

/* A frame arrives: is it admitted, may it bypass the buffer, where do its bytes go, and does the
 * ingress want a PAUSE afterwards? */
static void enter(void)
{
    static const struct {
        struct level level;
        uint32_t bytes;
        int admits, bypasses;
        uint64_t used, ingress, headroom;
        int pause;
    } at[] = {
        /* into the empty reserve; to its last byte; beyond it */
        {{100000, 0, 0, 0, 20000, 3}, FRAME, 1, 1, 0, 1036, 0, 0},
        {{100000, 0, 4096 - FRAME, 0, 20000, 3}, FRAME, 1, 1, 0, 4096, 0, 0},
        {{100000, 0, 4097 - FRAME, 0, 20000, 3}, FRAME, 1, 0, 1, 4097, 0, 0},
        {{100000, 0, 4000, 0, 20000, 3}, FRAME, 1, 0, 940, 5036, 0, 0},
        /* threshold 11000: 13036 bytes go into headroom, which asks for a PAUSE */
        {{100000, 12000, 16096, 0, 20000, 3}, FRAME, 1, 0, 12000, 16096, 1036, 1},
        {{100000, 12000, 16096, 19500, 20000, 3}, FRAME, 0, 0, 12000, 16096, 20536, 1},
        /* headroom is full, but the threshold has room */
        {{100000, 0, 4096, 19500, 20000, 3}, FRAME, 1, 0, 1036, 5132, 19500, 1},
        /* exactly the threshold stays in the shared buffer; one byte more is headroom */
        {{10000, 0, 4096, 0, 20000, 0}, 10000, 1, 0, 10000, 14096, 0, 1},
        {{10000, 0, 4096, 0, 20000, 0}, 10001, 1, 0, 0, 4096, 10001, 1},
        /* parity: with neither threshold nor headroom the reserve alone admits nothing */
        {{10000, 10000, 0, 0, 20000, 0}, FRAME, 1, 1, 10000, 1036, 0, 1},
        {{10000, 10000, 0, 0, 0, 0}, FRAME, 0, 0, 10000, 1036, 0, 1},
        /* parity: headroom and reserve alone exceed the buffer, so there is no limit */
        {{UNLIMITED, 0, 1000000000, 0, 0, 3}, FRAME, 1, 0, 1036, 1000001036, 0, 0},
    };

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct buffer b;
        const struct asim_queue_occupancy *in = &b.port[0].occupancy[GROUP];

        fill(&b, &at[i].level);
        CHECK(asim_mmu_admits(&b.sw, 0, GROUP, at[i].bytes) == at[i].admits);
        CHECK(asim_mmu_bypasses(&b.sw, 0, GROUP, at[i].bytes) == at[i].bypasses);
        asim_mmu_enter(&b.sw, (struct asim_transit){0, 1, GROUP}, at[i].bytes);
        CHECK_U64(b.sw.shared_used, at[i].used);
        CHECK_U64(in->ingress, at[i].ingress);
        CHECK_U64(in->headroom, at[i].headroom);
        CHECK_U64(b.port[1].occupancy[GROUP].egress, at[i].bytes);
        CHECK(asim_mmu_wants_pause(&b.sw, 0, GROUP) == at[i].pause);
        b.port[0].pausing = 1 << GROUP;
        CHECK(!asim_mmu_wants_pause(&b.sw, 0, GROUP));
        CHECK(!asim_mmu_bypasses(&b.sw, 0, GROUP, at[i].bytes));
    }
}

/* A frame leaves: headroom empties first, then shared buffer and reserve. */
static void leave(void)
{
    static const struct {
        struct level level;
        uint32_t bytes;
        uint64_t used, ingress, headroom;
    } at[] = {
        {{100000, 0, 1036, 0, 0, 3}, FRAME, 0, 0, 0},
        {{100000, 1036, 5132, 0, 0, 3}, FRAME, 0, 4096, 0},
        {{100000, 904, 5000, 500, 0, 3}, FRAME, 368, 4464, 0},
        {{100000, 904, 5000, 2000, 0, 3}, FRAME, 904, 5000, 964},
        {{100000, 104, 4200, 0, 0, 3}, 1000, 0, 3200, 0},
    };

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct buffer b;

        fill(&b, &at[i].level);
        b.port[1].occupancy[GROUP].egress = 5000;
        asim_mmu_leave(&b.sw, (struct asim_transit){0, 1, GROUP}, at[i].bytes);
        CHECK_U64(b.sw.shared_used, at[i].used);
        CHECK_U64(b.port[0].occupancy[GROUP].ingress, at[i].ingress);
        CHECK_U64(b.port[0].occupancy[GROUP].headroom, at[i].headroom);
        CHECK_U64(b.port[1].occupancy[GROUP].egress, 5000 - at[i].bytes);
    }
}

/* RESUME needs an earlier PAUSE, empty headroom, and 3072 bytes below the threshold. */
static void resume(void)
{
    static const struct {
        struct level level;
        int paused, wants;
    } at[] = {
        {{100000, 0, 0, 0, 0, 3}, 0, 0},
        {{100000, 0, 0, 0, 0, 3}, 1, 1},
        {{100000, 0, 0, 1, 0, 3}, 1, 0},
        {{13072, 5000, 9096, 0, 0, 0}, 1, 1}, /* 5000 + 3072 = threshold */
        {{13071, 5000, 9096, 0, 0, 0}, 1, 0},
        {{5000, 5000, 4096, 0, 0, 0}, 1, 1}, /* threshold 0, but nothing in the shared buffer */
        {{5000, 5000, 4097, 0, 0, 0}, 1, 0},
        {{UNLIMITED, 5000, 9096, 0, 0, 0}, 1, 1},
    };

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct buffer b;

        fill(&b, &at[i].level);
        b.port[0].pausing = (uint8_t)(at[i].paused << GROUP);
        CHECK(asim_mmu_wants_resume(&b.sw, 0, GROUP) == at[i].wants);
    }
}

/* --- random frames against a model ------------------------------------------------------------ */

enum { PORTS = 5, RESERVE = 4096, QUEUE = 3, FRAMES = 30000, BACKLOG = 4000 };

struct model { /* one switch, in signed numbers */
    int64_t buffer, shared, ingress[PORTS], headroom[PORTS], limit[PORTS], egress[PORTS];
    int shift[PORTS], paused[PORTS];
};

struct held {
    uint32_t in, out, bytes;
};

static int64_t threshold(const struct model *m, uint32_t p)
{
    int64_t left = m->buffer - m->shared;

    for (uint32_t i = 0; i < PORTS; i++)
        left -= m->limit[i] + RESERVE;
    return left > 0 ? left >> m->shift[p] : 0;
}

static int64_t shared_of(const struct model *m, uint32_t p)
{
    return m->ingress[p] > RESERVE ? m->ingress[p] - RESERVE : 0;
}

static int model_enter(struct model *m, const struct held *f)
{
    int64_t z = f->bytes, grown = m->ingress[f->in] + z;

    if (z + m->headroom[f->in] > m->limit[f->in] && z + shared_of(m, f->in) > threshold(m, f->in))
        return 0;
    if (grown <= RESERVE) {
        m->ingress[f->in] = grown;
    } else if (grown - RESERVE > threshold(m, f->in)) {
        m->headroom[f->in] += z;
    } else {
        m->ingress[f->in] = grown;
        m->shared += z < grown - RESERVE ? z : grown - RESERVE;
    }
    m->egress[f->out] += z;
    return 1;
}

static void model_leave(struct model *m, const struct held *f)
{
    int64_t z = f->bytes, h = m->headroom[f->in] < z ? m->headroom[f->in] : z;
    int64_t s = z - h < shared_of(m, f->in) ? z - h : shared_of(m, f->in);

    m->headroom[f->in] -= h;
    m->ingress[f->in] -= z - h;
    m->shared -= s;
    m->egress[f->out] -= z;
}

static int model_wants_pause(const struct model *m, uint32_t p)
{
    return !m->paused[p] && (m->headroom[p] > 0 || shared_of(m, p) >= threshold(m, p));
}

static int model_wants_resume(const struct model *m, uint32_t p)
{
    return m->paused[p] && m->headroom[p] == 0 &&
           (shared_of(m, p) == 0 || shared_of(m, p) + 3072 <= threshold(m, p));
}

static void compare(const struct model *m, const struct asim_switch *sw)
{
    CHECK_U64(sw->shared_used, m->shared);
    for (uint32_t p = 0; p < PORTS; p++) {
        const struct asim_switch_port *port = &sw->ports[p];

        CHECK_U64(port->occupancy[QUEUE].ingress, m->ingress[p]);
        CHECK_U64(port->occupancy[QUEUE].headroom, m->headroom[p]);
        CHECK_U64(port->occupancy[QUEUE].egress, m->egress[p]);
        CHECK(asim_mmu_wants_pause(sw, p, QUEUE) == model_wants_pause(m, p));
        CHECK(asim_mmu_wants_resume(sw, p, QUEUE) == model_wants_resume(m, p));
    }
}

/* The pause state is the switch's: flips where either test asks for it. */
static void flip(struct model *m, struct asim_switch *sw, uint32_t p)
{
    if (!model_wants_pause(m, p) && !model_wants_resume(m, p))
        return;
    m->paused[p] = !m->paused[p];
    sw->ports[p].pausing ^= 1u << QUEUE;
}

static void one_frame(struct model *m, struct asim_switch *sw, struct held *held, uint64_t *state)
{
    uint32_t dice = (uint32_t)((*state = *state * 6364136223846793005ull + 99) >> 33), n = held->in;
    struct held f = {dice % PORTS, dice / 5 % PORTS, 36 + dice / 25 % 1001};

    if (n < BACKLOG - 1 && (n == 0 || (dice >> 20) % 100 < 52 + 20 * (dice % PORTS == 0))) {
        const struct asim_transit way = {f.in, f.out, QUEUE};
        int admitted = asim_mmu_admits(sw, f.in, QUEUE, f.bytes);

        CHECK(admitted == model_enter(m, &f));
        if (!admitted)
            return;
        asim_mmu_enter(sw, way, f.bytes);
        held[++held->in] = f;
    } else {
        uint32_t at = 1 + dice % n;
        const struct asim_transit way = {held[at].in, held[at].out, QUEUE};

        f = held[at];
        asim_mmu_leave(sw, way, f.bytes);
        model_leave(m, &f);
        held[at] = held[n];
        held->in--;
    }
    compare(m, sw);
    flip(m, sw, f.in);
}

/* held[0].in counts the frames in the buffer. */
static void random_frames(uint64_t seed, uint64_t buffer_bytes)
{
    static const uint64_t rates[PORTS] = {25, 100, 100, 200, 800};
    struct testbench *bench = bench_open(PORTS, 1);
    struct model m = {.buffer = (int64_t)buffer_bytes};
    struct held *held = calloc(BACKLOG + 1, sizeof *held);
    uint64_t state = seed;
    struct asim_switch *sw;

    for (uint32_t h = 0; h < PORTS; h++) {
        bench_link(bench, h, PORTS, (const uint64_t[2]){rates[h], 500});
        m.limit[h] = (int64_t)(rates[h] * 500 / 8) * 3;
    }
    /* Shares relative to host 0's 25G: 1/8; 4 x as fast 1/2; 8 x and more the whole. */
    m.shift[0] = 3, m.shift[1] = m.shift[2] = 1, m.shift[3] = 0, m.shift[4] = 0;
    bench->net.buffer_bytes = buffer_bytes;
    bench_run(bench, 0);
    sw = &bench->fabric->sw[0];
    for (uint32_t p = 0; p < PORTS; p++) {
        CHECK_U64(sw->ports[p].headroom_limit, m.limit[p]);
        CHECK_U64(sw->ports[p].shift, m.shift[p]);
    }
    for (int i = 0; held && i < FRAMES && check_failures < 20; i++)
        one_frame(&m, sw, held, &state);
    free(held);
    bench_close(bench);
}

/* Headroom and reserve beyond the buffer: parity: the threshold wraps, so nothing pauses. */
static void too_small_a_buffer(void)
{
    struct testbench *bench = bench_star(4, (const uint64_t[2]){400, 500});
    struct asim_switch *sw;

    bench->net.buffer_bytes = 100000;
    bench_run(bench, 0);
    sw = &bench->fabric->sw[0];
    for (int i = 0; i < 1000; i++) {
        CHECK(asim_mmu_admits(sw, 0, QUEUE, 1036));
        asim_mmu_enter(sw, (struct asim_transit){0, 1, QUEUE}, 1036);
        CHECK(!asim_mmu_wants_pause(sw, 0, QUEUE));
    }
    bench_close(bench);
}

int main(void)
{
    enter();
    leave();
    resume();
    for (uint64_t seed = 1; seed < 6; seed++) {
        random_frames(seed, 1 << 20);
        random_frames(seed, 400000);
    }
    too_small_a_buffer();
    return CHECK_DONE();
}
