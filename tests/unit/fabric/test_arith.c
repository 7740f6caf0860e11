/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arithmetic of the fabric by itself: the order of simultaneous events (tie_key.h), the hash
 * that picks paths against its author's published vectors, draws, host addresses, and the shared
 * buffer against a naive model written from rdma-network.md#shared-buffer.
 */
#include "testbench.h"
#include "fabric/link/hash.h"
#include "fabric/switch/mmu.h"

/* Times of scheduling first, then those of the causes, then the class. */
static void ties(void)
{
    const uint64_t far = 1ull << 40;

    CHECK(asim_tie_key(500, 0, ASIM_CLASS_TIMER) < asim_tie_key(499, 1000, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(1, 0, ASIM_CLASS_TIMER) < asim_tie_key(0, 1000, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, 21, ASIM_CLASS_TIMER) < asim_tie_key(5, 20, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_FREE) < asim_tie_key(5, 7, ASIM_CLASS_ARRIVAL));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_ARRIVAL) < asim_tie_key(5, 7, ASIM_CLASS_TIMER));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_TIMER) == asim_tie_key(5, 7, ASIM_CLASS_TIMER));
    /* Very old events saturate instead of wrapping. */
    CHECK(asim_tie_key(far, 0, ASIM_CLASS_FREE) < asim_tie_key(1u << 29, 0, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(far, 3, ASIM_CLASS_FREE) == asim_tie_key(2 * far, 3, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, far, ASIM_CLASS_FREE) == asim_tie_key(5, 2 * far, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(4, far, ASIM_CLASS_FREE) > asim_tie_key(5, 0, ASIM_CLASS_TIMER));
    for (uint64_t age = 0; age < 1000; age++)
        CHECK_U64(asim_tie_key_age(asim_tie_key(age * 1000, age, ASIM_CLASS_ARRIVAL)), age * 1000);
}

static void hashes(void)
{
    static const struct {
        uint32_t word, words, seed, want;
    } published[] = {
        {0, 0, 0, 0},
        {0, 0, 1, 0x514e28b7},
        {0, 0, 0xffffffff, 0x81f16f39},
        {0xffffffff, 1, 0, 0x76293b50},
        {0x87654321, 1, 0, 0xf55b516b},
        {0x87654321, 1, 0x5082edee, 0x2362f9de},
        {0, 1, 0, 0x2362f9de},
        {0x61616161, 1, 0x9747b28c, 0x5a97808a}, /* "aaaa" */
    };
    static const uint32_t twice[] = {0x64636261, 0x68676665}; /* "abcdefgh" */

    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        CHECK_U64(asim_murmur3(&published[i].word, published[i].words, published[i].seed),
                  published[i].want);
    CHECK(asim_murmur3(twice, 2, 0) != asim_murmur3(twice, 1, 0));
    CHECK_U64(asim_host_ip(0), 0x0b000001);
    CHECK_U64(asim_host_ip(1), 0x0b000101);
    CHECK_U64(asim_host_ip(257), 0x0b010101);
}

static void draws(void)
{
    double sum = 0;

    for (uint64_t i = 0; i < 100000; i++) {
        double x = asim_draw(1, 7, i);

        CHECK(x >= 0 && x < 1);
        sum += x;
    }
    CHECK(sum > 49500 && sum < 50500);
    CHECK(asim_draw(1, 2, 3) == asim_draw(1, 2, 3)); /* depends on its keys and nothing else */
    CHECK(asim_draw(1, 2, 3) != asim_draw(1, 3, 2));
    CHECK(asim_draw(1, 2, 3) != asim_draw(2, 2, 3));
}

/* --- the shared buffer
 * ------------------------------------------------------------------------------- */

enum { PORTS = 5, RESERVE = 4096, QUEUE = 3, FRAMES = 30000, BACKLOG = 4000 };

struct model { /* one switch as the spec's table has it, with signed numbers */
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
static void buffer(uint64_t seed, uint64_t buffer_bytes)
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

/* Headroom and reserve beyond the buffer: ASTRA-sim's threshold wraps, so nothing pauses. */
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
    ties();
    hashes();
    draws();
    for (uint64_t seed = 1; seed < 6; seed++) {
        buffer(seed, 1 << 20);
        buffer(seed, 400000);
    }
    too_small_a_buffer();
    return CHECK_DONE();
}
