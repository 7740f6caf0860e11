/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Times of collectives: what must hold for any machine (more bytes take no less, faster parts take
 * no more, large buffers reach the rate of the slowest part), NCCL's choice at sizes where NVIDIA's
 * own tables settle it, and nccl-tests' factors and sizes.
 */
#include "check.h"

#include <math.h>
#include <string.h>
#include "asim/machine.h"

static struct asim_machine h100;

static double us_of(const struct asim_machine *machine, int op, uint32_t nodes, uint32_t gpus,
                    uint64_t bytes)
{
    struct asim_nccl_job job = {machine, op, nodes, gpus, bytes, ASIM_NCCL_AUTO, -1};
    struct asim_nccl_time time = {0};
    struct asim_err err = {0};

    CHECK(!asim_nccl_predict(&time, &job, &err));
    CHECK(isfinite(time.us) && time.us > 0);
    return time.us;
}

/* For a fixed algorithm and protocol; NCCL's choice may be the slower one. */
static void check_grows(int algo, int proto, uint32_t nodes)
{
    double before = 0;

    for (uint64_t bytes = 8; bytes <= 1ull << 34; bytes *= 2) {
        struct asim_nccl_job job = {&h100, ASIM_NCCL_ALL_REDUCE, nodes, 8, bytes, algo, proto};
        struct asim_nccl_time time = {0};
        struct asim_err err = {0};

        CHECK(!asim_nccl_predict(&time, &job, &err));
        CHECK(time.us > .6 * before); /* more channels and other chunks may save some */
        before = time.us;
    }
}

/* One GPU a node: each byte of a ring crosses a NIC. */
static void check_rates(void)
{
    double nic = h100.nic_gbytes * h100.nic_efficiency, bytes = 1ull << 34;

    for (uint32_t n = 2; n <= 64; n *= 2) {
        double us = us_of(&h100, ASIM_NCCL_ALL_GATHER, n, 1, 1ull << 34);
        double bus = bytes / us / 1e3 * asim_nccl_bus_factor(ASIM_NCCL_ALL_GATHER, n);

        CHECK(bus > .97 * nic && bus <= nic);
    }
}

static void check_faster(void)
{
    struct asim_machine faster = h100;

    faster.nic_gbytes = 100;
    faster.pcie_gbytes = 126;
    for (int op = 0; op < ASIM_NCCL_OPS; op++)
        for (uint64_t bytes = 1 << 20; bytes <= 1ull << 34; bytes *= 16)
            CHECK(us_of(&faster, op, 8, 1, bytes) <= 1.001 * us_of(&h100, op, 8, 1, bytes));
}

static int algo_of(uint32_t nodes, uint64_t bytes)
{
    struct asim_nccl_job job = {&h100, ASIM_NCCL_ALL_REDUCE, nodes, 8, bytes, ASIM_NCCL_AUTO, -1};
    struct asim_nccl_time time = {0};
    struct asim_err err = {0};

    CHECK(!asim_nccl_predict(&time, &job, &err));
    return time.algo;
}

/* NVLS gathers up to 32 GPUs of an NVLink domain. */
static void check_arity(void)
{
    struct asim_machine gb200;
    struct asim_nccl_time time = {0};
    struct asim_err err = {0};

    CHECK(!asim_machine_read(&gb200, "gb200-nvl72", &err));
    for (uint32_t hosts = 8; hosts <= 9; hosts++) {
        struct asim_nccl_job job = {&gb200,  ASIM_NCCL_ALL_GATHER, hosts, 4,
                                    1 << 20, ASIM_NCCL_AUTO,       -1};

        CHECK(!asim_nccl_predict(&time, &job, &err));
        CHECK_U64((uint64_t)time.algo, hosts == 8 ? ASIM_NCCL_NVLS : ASIM_NCCL_RING);
    }
    asim_machine_fini(&gb200);
}

/* A rack has more NICs than its NVLinks have rings of 45.1 GB/s, and than NVLS has heads. */
static void check_senders(void)
{
    static const struct {
        uint32_t nodes;
        int algo;
        uint32_t senders;
    } wanted[] = {{32, ASIM_NCCL_RING, 16},
                  {36, ASIM_NCCL_TREE, 16},
                  {36, ASIM_NCCL_NVLS_TREE, 32},
                  {18, ASIM_NCCL_RING, 16},
                  {37, ASIM_NCCL_RING, 0}};
    struct asim_machine gb200;
    struct asim_nccl_job h100_job = {&h100,    ASIM_NCCL_ALL_REDUCE, 4,  8,
                                     1u << 30, ASIM_NCCL_RING,       -1, NULL};
    struct asim_err err = {0};

    CHECK_U64(asim_nccl_senders(&h100_job), 0);
    CHECK(!asim_machine_read(&gb200, "gb200-nvl72", &err));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct asim_nccl_job job = {
            &gb200, ASIM_NCCL_ALL_REDUCE, wanted[i].nodes, 4, 1u << 30, wanted[i].algo, -1, NULL};

        CHECK_U64(asim_nccl_senders(&job), wanted[i].senders);
    }
    asim_machine_fini(&gb200);
}

/* What the search of NCCL 2.23 itself makes of such nodes: with NCCL_CROSS_NIC=0 12, 6 and 2 rings
 * of 6 GB/s for 4, 3 and 2 GPUs, otherwise and by that of 2.28 a ring a NIC; two channels each. */
static void check_returning_rings(void)
{
    static const struct {
        uint32_t nccl, gpus, cross_nic, channels;
    } wanted[] = {{22304, 4, 0, 24}, {22304, 3, 0, 12}, {22304, 2, 0, 4}, {22304, 1, 0, 2},
                  {22304, 4, 2, 8},  {22304, 2, 1, 4},  {22800, 4, 0, 8}};
    struct asim_machine gh200;
    struct asim_err err = {0};

    CHECK(!asim_machine_read(&gh200, "gh200-slingshot", &err));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct asim_nccl_job job = {&gh200,   ASIM_NCCL_ALL_REDUCE, 4,  wanted[i].gpus,
                                    1u << 30, ASIM_NCCL_RING,       -1, NULL};
        struct asim_nccl_time time = {0};

        gh200.nccl = wanted[i].nccl;
        gh200.cross_nic = wanted[i].cross_nic;
        CHECK(!asim_nccl_predict(&time, &job, &err));
        CHECK_U64(time.channels, wanted[i].channels);
    }
    asim_machine_fini(&gh200);
}

/* Since 2.20 a chunk of a tree is a step of the buffer: 8 MiB in 16 channels are one of 512 KiB
 * each, which hop after hop waits for. Long buffers have many either way. */
static void check_whole_steps(void)
{
    struct asim_machine old = h100, new = h100;
    struct asim_err err = {0};
    uint64_t bytes[2] = {8u << 20, 1ull << 34};
    double more[2];

    old.nccl = 21900;
    new.nccl = 22000;
    for (int i = 0; i < 2; i++) {
        struct asim_nccl_job job = {&old,           ASIM_NCCL_ALL_REDUCE, 4,   8, bytes[i],
                                    ASIM_NCCL_TREE, ASIM_NCCL_SIMPLE,     NULL};
        struct asim_nccl_time halved = {0}, whole = {0};

        CHECK(!asim_nccl_predict(&halved, &job, &err));
        job.machine = &new;
        CHECK(!asim_nccl_predict(&whole, &job, &err));
        more[i] = whole.us / halved.us;
    }
    CHECK(more[0] > 1.3);
    CHECK(more[1] > .99 && more[1] < 1.01);
}

/* A tree's channel has 8 chunks on their way. 16 and 32 MiB in 16 channels are 14 and 28 chunks of
 * LL128: over a way of 200 us and as much back a channel waits for the further ones, but for 8 MiB,
 * which are 7, it does not. */
static void check_steps_of_a_buffer(void)
{
    struct asim_machine far = h100;
    struct asim_err err = {0};
    double us[3];

    far.wire_us = 200;
    far.net_us[ASIM_NCCL_LL128] = 200;
    for (uint64_t i = 0; i < 3; i++) {
        struct asim_nccl_job job = {&far,           ASIM_NCCL_ALL_REDUCE, 2,   8, 8ull << (20 + i),
                                    ASIM_NCCL_TREE, ASIM_NCCL_LL128,      NULL};
        struct asim_nccl_time time = {0};

        CHECK(!asim_nccl_predict(&time, &job, &err));
        us[i] = time.us;
    }
    CHECK(us[0] > 2 * 200 && us[0] < 3 * 200);
    CHECK(us[1] - us[0] > 400 * .7 && us[1] - us[0] < 400);
    CHECK(us[2] - us[1] > 400 * 1.7 && us[2] - us[1] < 400 * 2);
}

static void check_choice(void)
{
    CHECK_U64((uint64_t)algo_of(2, 8), ASIM_NCCL_TREE);
    CHECK_U64((uint64_t)algo_of(2, 1ull << 30), ASIM_NCCL_NVLS_TREE);
    CHECK_U64((uint64_t)algo_of(1, 1ull << 30), ASIM_NCCL_NVLS);
    CHECK_U64((uint64_t)algo_of(10, 1ull << 34), ASIM_NCCL_RING);
}

/* RCCL between nodes: a tree up to 128 MiB, its protocol by the bytes of a rank; on one node rings
 * with LL where its estimate is below that of Simple. */
static void check_rccl(void)
{
    static const struct {
        const char *machine;
        uint32_t nodes;
        uint64_t bytes;
        int algo, proto;
    } wanted[] = {{"mi355x-roce", 2, 65536, ASIM_NCCL_TREE, ASIM_NCCL_LL},
                  {"mi355x-roce", 2, 131072, ASIM_NCCL_TREE, ASIM_NCCL_LL128},
                  {"mi355x-roce", 2, 16777216, ASIM_NCCL_TREE, ASIM_NCCL_LL128},
                  {"mi355x-roce", 2, 134217728, ASIM_NCCL_TREE, ASIM_NCCL_SIMPLE},
                  {"mi355x-roce", 2, 268435456, ASIM_NCCL_RING, ASIM_NCCL_SIMPLE},
                  {"mi300x-roce", 2, 65536, ASIM_NCCL_TREE, ASIM_NCCL_LL},
                  {"mi300x-roce", 1, 262144, ASIM_NCCL_RING, ASIM_NCCL_LL},
                  {"mi300x-roce", 1, 524288, ASIM_NCCL_RING, ASIM_NCCL_SIMPLE}};

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct asim_machine machine;
        struct asim_nccl_job job = {&machine, ASIM_NCCL_ALL_REDUCE, wanted[i].nodes,
                                    8,        wanted[i].bytes,      ASIM_NCCL_AUTO,
                                    -1};
        struct asim_nccl_time time = {0};
        struct asim_err err = {0};

        CHECK(!asim_machine_read(&machine, wanted[i].machine, &err));
        CHECK(!asim_nccl_predict(&time, &job, &err));
        CHECK_U64((uint64_t)time.sent_algo, (uint64_t)wanted[i].algo);
        CHECK_U64((uint64_t)time.sent_proto, (uint64_t)wanted[i].proto);
        asim_machine_fini(&machine);
    }
}

/* An all-gather in three exchanges takes as long as its sends and receives. */
static void check_hypercube(void)
{
    uint64_t bytes = 1 << 30;
    double sends = 0;

    for (uint32_t mask = 1; mask < 8; mask *= 2)
        sends += us_of(&h100, ASIM_NCCL_SEND_RECV, 8, 1, bytes / 8 * mask);
    CHECK(fabs(us_of(&h100, ASIM_NCCL_HYPERCUBE, 8, 1, bytes) / sends - 1) < 1e-9);
    CHECK(fabs(asim_nccl_alg_factor(ASIM_NCCL_HYPERCUBE, 8) - .875) < 1e-12);
    CHECK(us_of(&h100, ASIM_NCCL_HYPERCUBE, 2, 8, bytes) <
          us_of(&h100, ASIM_NCCL_HYPERCUBE, 16, 1, bytes));
}

static void check_refused(void)
{
    struct asim_nccl_job job = {&h100, ASIM_NCCL_ALL_GATHER, 2, 8, 1 << 20, ASIM_NCCL_TREE, -1};
    struct asim_nccl_time time;
    struct asim_err err = {0};

    CHECK(asim_nccl_predict(&time, &job, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "cannot do this collective") != NULL);
    err = (struct asim_err){0};
    job = (struct asim_nccl_job){&h100, ASIM_NCCL_ALL_REDUCE, 1, 1, 1 << 20, ASIM_NCCL_AUTO, -1};
    CHECK(asim_nccl_predict(&time, &job, &err) == ASIM_EINVAL);
    err = (struct asim_err){0};
    job.gpus = 9;
    CHECK(asim_nccl_predict(&time, &job, &err) == ASIM_EINVAL);
}

/* Sizes of published tables: 10 and 80 ranks. */
static void check_sizes(void)
{
    struct asim_nccl_job job = {&h100, ASIM_NCCL_ALL_GATHER, 10, 1, 1 << 25, ASIM_NCCL_AUTO, -1};

    CHECK_U64(asim_nccl_tests_bytes(&job), 33554400);
    job.gpus = 8;
    CHECK_U64(asim_nccl_tests_bytes(&job), 33553920);
    job.op = ASIM_NCCL_ALL_REDUCE;
    CHECK_U64(asim_nccl_tests_bytes(&job), 1 << 25);
    CHECK(fabs(asim_nccl_bus_factor(ASIM_NCCL_ALL_REDUCE, 8) - 1.75) < 1e-12);
    CHECK(fabs(asim_nccl_bus_factor(ASIM_NCCL_ALL_TO_ALL, 8) - .875) < 1e-12);
    CHECK(fabs(asim_nccl_bus_factor(ASIM_NCCL_SEND_RECV, 8) - 1) < 1e-12);
}

int main(void)
{
    struct asim_err err = {0};

    CHECK(!asim_machine_read(&h100, "h100-ndr", &err));
    for (int proto = 0; proto < 3; proto++) {
        check_grows(ASIM_NCCL_RING, proto, 4);
        check_grows(ASIM_NCCL_TREE, proto, 4);
    }
    check_grows(ASIM_NCCL_NVLS, ASIM_NCCL_SIMPLE, 1);
    check_grows(ASIM_NCCL_NVLS_TREE, ASIM_NCCL_SIMPLE, 4);
    check_rates();
    check_faster();
    check_returning_rings();
    check_whole_steps();
    check_steps_of_a_buffer();
    check_choice();
    check_arity();
    check_senders();
    check_rccl();
    check_hypercube();
    check_refused();
    check_sizes();
    asim_machine_fini(&h100);
    return CHECK_DONE();
}
