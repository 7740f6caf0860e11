/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages that begin or end at an NVSwitch (core/topo/endpoint.c): times against a plain
 * recurrence over the two links of the path, all ports at once, windows against per-event mode, and
 * that having end points changes nothing for anybody else: times, pauses, ECMP and marks.
 */
#include "testbench.h"
#include "conf/netconf.h"
#include "asim/topology.h"
#include "topo/topo.h"

enum { MTU = 1000, GPUS = 4 };

/* Nearest ns of 8 bytes / rate, exact halves down. */
static uint64_t tx(uint64_t bytes, uint64_t gbps)
{
    uint64_t doubled = 16 * bytes, whole = doubled / gbps;

    return doubled % gbps == 0 && whole % 2 ? (whole - 1) / 2 : (whole + 1) / 2;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A frame ready at t goes over two links behind those before it; free_at: when each is idle. */
static uint64_t carry(uint64_t t, uint64_t bytes, const uint64_t gbps_ns[3], uint64_t free_at[2])
{
    for (int l = 0; l < 2; l++) {
        free_at[l] = most(t, free_at[l]) + tx(bytes, gbps_ns[l]);
        t = free_at[l] + gbps_ns[2];
    }
    return t;
}

/* A message alone without a window: gbps_ns = rates of the first and the second link, delay. */
static uint64_t alone(const uint64_t gbps_ns[3], uint64_t bytes)
{
    const uint64_t back[3] = {gbps_ns[1], gbps_ns[0], gbps_ns[2]};
    uint64_t out[2] = {0, 0}, in[2] = {0, 0}, t = 0;

    for (uint64_t sent = 0; sent < bytes; sent += MTU) {
        uint64_t part = bytes - sent < MTU ? bytes - sent : MTU;

        t = carry(carry(0, part + 36, gbps_ns, out), 48, back, in);
    }
    return t;
}

/* GPUs 0 to 3 on NVSwitch 4; its end point becomes host 4, itself node 5. */
static struct testbench *server(uint64_t gbps, uint64_t ns)
{
    struct testbench *bench = bench_open(GPUS, 1);

    bench->topo.node_type[GPUS] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < GPUS; h++)
        bench_link(bench, h, GPUS, (const uint64_t[2]){gbps, ns});
    CHECK(asim_topo_finish(&bench->topo, NULL) == 0);
    CHECK(asim_topo_endpoints(&bench->topo, NULL) == 0);
    CHECK_U64(asim_topo_endpoint_of(&bench->topo, GPUS + 1), GPUS);
    bench->net.has_win = 0;
    return bench;
}

static void try_both_ways(const uint64_t gbps_ns[2], uint64_t bytes, int per_event)
{
    const uint64_t up[3] = {gbps_ns[0], 2 * GPUS * gbps_ns[0], gbps_ns[1]};
    const uint64_t down[3] = {up[1], up[0], up[2]};
    struct testbench *bench = server(gbps_ns[0], gbps_ns[1]);

    bench_send(bench, 3, (const uint32_t[2]){1, GPUS}, bytes);
    bench_send(bench, 10000000, (const uint32_t[2]){GPUS, 2}, bytes);
    bench_run(bench, per_event);
    bench_check_conserved(bench);
    CHECK_U64(asim_fabric_window(bench->fabric), gbps_ns[1]);
    CHECK_U64(bench->msg[0].arrived - 3, alone(up, bytes));
    CHECK_U64(bench->msg[1].arrived - 10000000, alone(down, bytes));
    bench_close(bench);
}

static void closed_forms(void)
{
    static const uint64_t rates[] = {25, 100, 400, 2880}, delays[] = {25, 500};
    static const uint64_t sizes[] = {1, 1000, 1012, 9999, 131072};

    for (int i = 0; i < 4 * 2 * 5 * 2; i++)
        try_both_ways((const uint64_t[2]){rates[i % 4], delays[i / 4 % 2]}, sizes[i / 8 % 5],
                      i / 40);
}

/* All GPUs into the switch at once take as long as one; out of it, what the end point's own link
 * needs for a frame of each of the others is all there may be on top. */
static void all_at_once(void)
{
    const uint64_t up[3] = {400, 2 * GPUS * 400, 25}, down[3] = {2 * GPUS * 400, 400, 25};
    uint64_t bytes = 1000000, slack = (GPUS - 1) * (tx(MTU + 36, down[0]) + tx(48, down[0]));
    struct testbench *bench = server(400, 25);

    for (uint32_t h = 0; h < GPUS; h++)
        bench_send(bench, 3, (const uint32_t[2]){h, GPUS}, bytes);
    for (uint32_t h = 0; h < GPUS; h++)
        bench_send(bench, 10000000, (const uint32_t[2]){GPUS, h}, bytes);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    CHECK_U64(bench->n_pfc, 0);
    for (uint32_t h = 0; h < GPUS; h++) {
        uint64_t in = bench->msg[h].arrived - 3, out = bench->msg[GPUS + h].arrived - 10000000;

        CHECK(in >= alone(up, bytes) && in <= alone(up, bytes) + slack);
        CHECK(out >= alone(down, bytes) && out <= alone(down, bytes) + slack);
    }
    bench_close(bench);
}

/* Two servers of four GPUs with two NVSwitches each (hosts 0-7, 8-11), leaves 12 and 13, spines 14
 * to 17: two planes of NVLink, ECMP above. */
static struct testbench *pod(int endpoints, uint32_t cc, double lossy)
{
    struct testbench *bench = bench_open(8, 10);

    for (uint32_t v = 8; v < 12; v++)
        bench->topo.node_type[v] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < 8; h++) {
        bench_link(bench, h, 8 + h / 4 * 2, (const uint64_t[2]){800, 25});
        bench_link(bench, h, 9 + h / 4 * 2, (const uint64_t[2]){800, 25});
        bench_link(bench, h, 12 + h / 4, (const uint64_t[2]){100, 500});
    }
    for (uint32_t l = 12; l < 14; l++)
        for (uint32_t s = 14; s < 18; s++)
            bench_link(bench, l, s, (const uint64_t[2]){100, 500});
    CHECK(asim_topo_finish(&bench->topo, NULL) == 0);
    if (endpoints)
        CHECK(asim_topo_endpoints(&bench->topo, NULL) == 0);
    bench->net.cc_mode = cc;
    bench->net.error_rate = lossy;
    bench->net.buffer_bytes = 3 << 20;
    bench->net.global_t = 1;
    return bench;
}

/* Between servers, and four to one inside of one. */
static void load(struct testbench *bench)
{
    for (uint32_t i = 0; i < 64; i++)
        bench_send(bench, 10 + i / 16 * 500, (const uint32_t[2]){i % 8, (i * 5 + 4) % 8 / 4 * 4},
                   200000 + i);
    for (uint32_t i = 0; i < bench->n; i++)
        if (bench->msg[i].src == bench->msg[i].dst)
            bench->msg[i].dst++;
}

/* Every time and every pause is what it is without end points, also while they are in use on
 * links of their own. */
static void others_see_nothing(uint32_t cc, double lossy)
{
    struct testbench *plain = pod(0, cc, lossy), *wide = pod(1, cc, lossy);
    struct asim_fabric_stats was, is;

    load(plain);
    load(wide);
    bench_run(plain, 0);
    bench_run(wide, 0);
    CHECK_U64(wide->n_fct, 64);
    for (uint32_t i = 0; i < 64; i++)
        CHECK_U64(wide->msg[i].arrived, plain->msg[i].arrived);
    CHECK_U64(wide->n_pfc, plain->n_pfc);
    for (uint32_t i = 0; i < plain->n_pfc; i++) {
        wide->pfc[i][1] = asim_topo_external_id(&wide->topo, (uint32_t)wide->pfc[i][1]);
        CHECK(!memcmp(wide->pfc[i], plain->pfc[i], sizeof plain->pfc[i]));
    }
    asim_fabric_stats(plain->fabric, &was);
    asim_fabric_stats(wide->fabric, &is);
    CHECK(lossy > 0 || was.pauses > 0);
    CHECK(lossy > 0 || was.marks > 0);
    CHECK_U64(is.marks, was.marks);
    CHECK_U64(is.pauses, was.pauses);
    CHECK_U64(is.lost, was.lost);
    CHECK_U64(is.hops, was.hops);
    CHECK(asim_fabric_audit(wide->fabric, NULL) == 0);
    bench_close(plain);
    bench_close(wide);
}

/* Everything at once; node and link numbers in LINK_DOWN are the user's. */
static struct testbench *mixed(uint32_t cc, double lossy, int per_event)
{
    struct testbench *bench = pod(1, cc, lossy);

    load(bench);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t gpu = i % 8, point = 8 + gpu / 4 * 2 + i / 8 % 2;

        bench_send(bench, 10 + i % 4, (const uint32_t[2]){gpu, point}, 50000 + i);
        bench_send(bench, 700 + i % 4, (const uint32_t[2]){point, gpu}, 50000 + i);
    }
    bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){600, 0, 9, 0};
    bench->net.link_down[1] = (struct asim_link_down){20000, 9, 0, 1};
    bench->net.link_downs = lossy > 0 ? 2 : 0;
    bench_run(bench, per_event);
    return bench;
}

static void window_is_event(uint32_t cc, double lossy)
{
    struct testbench *a = mixed(cc, lossy, 0), *b = mixed(cc, lossy, 1);
    struct asim_link_use use;
    struct asim_fabric_stats stats;

    CHECK_U64(a->n_fct, a->n);
    CHECK_U64(b->n_fct, b->n);
    for (uint32_t i = 0; i < a->n; i++)
        CHECK_U64(a->msg[i].arrived, b->msg[i].arrived);
    CHECK(asim_fabric_audit(a->fabric, NULL) == 0 && asim_fabric_audit(b->fabric, NULL) == 0);
    CHECK_U64(asim_fabric_buffered(a->fabric), 0);
    asim_fabric_link_use(a->fabric, (uint32_t)(2 * (a->topo.n_links - 4)), &use);
    CHECK(use.from == 8 && use.to == 12 && use.frames > 0);
    asim_fabric_stats(a->fabric, &stats);
    CHECK((stats.lost > 0) == (lossy > 0));
    bench_close(a);
    bench_close(b);
}

int main(void)
{
    closed_forms();
    all_at_once();
    for (uint32_t cc = 1; cc <= 12; cc += 11) {
        others_see_nothing(cc, 0);
        others_see_nothing(cc, 0.002);
        window_is_event(cc, 0);
        window_is_event(cc, 0.002);
    }
    return CHECK_DONE();
}
