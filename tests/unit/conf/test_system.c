/* SPDX-License-Identifier: GPL-2.0-only
 *
 * System JSON: built-in defaults against configs/system/ring.json, the defaults of absent keys,
 * every kind of refusal, and that published files read without error.
 */
#include "files.h"
#include "asim/settings.h"

static void check_words(const struct asim_words *a, const struct asim_words *b)
{
    CHECK_U64(a->n, b->n);
    for (size_t i = 0; i < a->n && i < b->n; i++)
        CHECK_STR(a->at[i], b->at[i]);
}

/* But all-to-all is direct and all-reduce chooses by size. */
static void test_defaults_are_ring(void)
{
    struct asim_system built, file;
    struct asim_err err = {0};
    char root[512], path[600];

    heard[0] = '\0';
    snprintf(path, sizeof path, "%sconfigs/system/ring.json", replay_root(root, sizeof root));
    CHECK(asim_system_defaults(&built, ASIM_LIKE_ASTRA_SIM, &err) == 0);
    CHECK(asim_system_read(&file, path, &listen, &err) == 0);
    CHECK_STR(heard, "");
    CHECK_U64(built.policy, file.policy);
    CHECK_U64(built.optimization, file.optimization);
    CHECK_U64(file.optimization, ASIM_LOCAL_BW_AWARE);
    CHECK_U64(built.splits, file.splits);
    CHECK_U64(file.splits, 4);
    CHECK_U64(built.active_chunks, file.active_chunks);
    CHECK_U64(built.endpoint_delay_ns, file.endpoint_delay_ns);
    CHECK_U64(built.endpoint_delay_set, file.endpoint_delay_set);
    CHECK(built.local_mem_bw_gbps == file.local_mem_bw_gbps && file.local_mem_bw_gbps == 1600);
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++)
        if (kind != ASIM_ALL_TO_ALL && kind != ASIM_ALL_REDUCE)
            check_words(&built.impl[kind], &file.impl[kind]);
    CHECK_U64(built.impl[ASIM_ALL_TO_ALL].n, 1);
    CHECK_STR(built.impl[ASIM_ALL_TO_ALL].at[0], "direct");
    CHECK_STR(built.impl[ASIM_ALL_REDUCE].at[0], "treeOrRing");
    CHECK_U64(file.impl[ASIM_ALL_TO_ALL].n, 1);
    CHECK_U64(file.impl[ASIM_BROADCAST].n, 0);
    asim_system_fini(&built);
    asim_system_fini(&file);
}

static void test_absent(void)
{
    struct asim_system sys;
    struct asim_err err = {0};

    CHECK(asim_system_read(&sys, file_of("{}"), &listen, &err) == 0);
    CHECK_U64(sys.policy, ASIM_LIFO);
    CHECK_U64(sys.optimization, ASIM_BASELINE);
    CHECK_U64(sys.splits, 1);
    CHECK_U64(sys.active_chunks, 1);
    CHECK_U64(sys.endpoint_delay_ns, 10);
    CHECK_U64(sys.endpoint_delay_set, 0);
    CHECK_U64(sys.local_reduction_delay, 1);
    CHECK(sys.local_mem_bw_gbps == 0);
    CHECK_STR(sys.local_mem_trace, "local_mem_trace");
    CHECK(strstr(heard, "preferred-dataset-splits is absent") != NULL);
    asim_system_fini(&sys);
}

static void test_values(void)
{
    struct asim_system sys;
    struct asim_err err = {0};
    const char *text =
        "{\"preferred-dataset-splits\": 2, \"inter-dimension-scheduling\": \"themis\", "
        "\"intra-dimension-scheduling\": \"smallestFirst\", \"boost-mode\": 1, \"sleep\": 3, "
        "\"endpoint-delay\": 7.0, \"G\": 0.0025, \"roofline-enabled\": true, "
        "\"reduce-scatter-block-implementation\": [\"ring\", \"direct\"], "
        "\"all-gather-implementation-custom\": [\"p/x\"], \"all-reduce-implementation-chakra\": 1}";

    CHECK(asim_system_read(&sys, file_of(text), &listen, &err) == 0);
    CHECK_STR(sys.dim_order, "themis");
    CHECK_U64(sys.intra_dim, ASIM_INTRA_SMALLEST_FIRST);
    CHECK_U64(sys.endpoint_delay_ns, 7);
    CHECK_U64(sys.endpoint_delay_set, 1);
    CHECK_U64(sys.roofline, 1);
    CHECK(sys.loggp_G == 0.0025);
    CHECK_U64(sys.impl[ASIM_REDUCE_SCATTER_BLOCK].n, 2);
    CHECK_U64(sys.impl[ASIM_REDUCE_SCATTER].n, 0);
    CHECK_STR(sys.custom[ASIM_ALL_GATHER], "p/x");
    CHECK(strstr(heard, "boost-mode, sleep, all-reduce-implementation-chakra.") != NULL);
    asim_system_fini(&sys);
    text = "{\"all-reduce-implementation-chakra\": [\"q/y\"]}";
    CHECK(asim_system_read(&sys, file_of(text), &listen, &err) == 0);
    CHECK_STR(sys.custom[ASIM_ALL_REDUCE], "q/y");
    asim_system_fini(&sys);
}

static int read_system(const char *path, struct asim_err *err)
{
    struct asim_system sys;
    int rc = asim_system_read(&sys, path, &listen, err);

    if (!rc)
        asim_system_fini(&sys);
    return rc;
}

static void test_refusals(void)
{
    static const struct refusal rows[] = {
        {"{\n \"scheduling-policy\": \"LIFO\"\n \"endpoint-delay\": 1}", 3, "not valid JSON"},
        {"{\"splits\": 1,\n \"splits\": 2}", 2, "duplicate"},
        {"[1]", 0, "an object"},
        {"{\"schedling-policy\": \"LIFO\"}", 1, "Did you mean 'scheduling-policy'"},
        {"{\"all-reduce-implementaton\": [\"ring\"]}", 1, "'all-reduce-implementation'"},
        {"{\"scheduling-policy\": \"LIFE\"}", 1, "scheduling-policy"},
        {"{\"scheduling-policy\": 1}", 1, "a string is expected"},
        {"{\"endpoint-delay\": \"10\"}", 1, "\"endpoint-delay\" is a string"},
        {"{\"endpoint-delay\": 1.5}", 1, "endpoint-delay"},
        {"{\"endpoint-delay\": -1}", 1, "endpoint-delay"},
        {"{\"preferred-dataset-splits\": 0}", 1, "preferred-dataset-splits"},
        {"{\"preferred-dataset-splits\": null}", 1, "is null"},
        {"{\"preferred-dataset-splits\": 1000001}", 1, "expected 1 to 1000000"},
        {"{\"local-mem-bw\": 1e-15}", 0, "local-mem-bw is '1e-15', expected 1e-06 to 1e+12 GB/s"},
        {"{\"local-mem-bw\": 9.9e-7}", 0, "or 0, where reductions cost nothing"},
        {"{\"all-reduce-implementation\": [\"direct-1\"]}", 1,
         "key \"all-reduce-implementation\" has the entry 'direct-1'"},
        {"{\"all-gather-implementation\": [\"ring\", \"4\"]}", 1, "has the entry '4'"},
        {"{\"all-reduce-implementation\": \"ring\"}", 1, "not an array"},
        {"{\"all-reduce-implementation\": []}", 1, "is empty"},
        {"{\"all-reduce-implementation\": [1]}", 1, "not the name"},
        {"{\"all-reduce-implementation-custom\": [\"a\", \"b\"]}", 1, "exactly one"},
        {"{\"local-mem-bw\": 1e999}", 1, "not valid JSON"},
        {"", 1, "not valid JSON"},
    };

    check_refusals(rows, sizeof rows / sizeof *rows, read_system);
}

static void test_configs(void)
{
    static const char *const names[] = {
        "hgx_h100",   "direct",           "direct_window_4",    "one_ring",
        "one_direct", "halving_doubling", "double_binary_tree", "ring_direct_2d",
        "roofline",   "replay",           "shared_bus",
    };
    char root[512], path[700];

    replay_root(root, sizeof root);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct asim_err err = {0};

        heard[0] = '\0';
        snprintf(path, sizeof path, "%sconfigs/system/%s.json", root, names[i]);
        CHECK(read_system(path, &err) == 0);
        CHECK_STR(err.text, "");
        CHECK_STR(heard, "");
    }
}

int main(void)
{
    test_defaults_are_ring();
    test_absent();
    test_values();
    test_refusals();
    test_configs();
    remove(replay_work);
    return CHECK_DONE();
}
