/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The small readers: logical dimensions, communicator groups, remote memory; and path lookup.
 */
#include "files.h"

static int read_logical(const char *path, struct asim_err *err)
{
    struct asim_dims dims;

    return asim_logical_read(&dims, path, err);
}

static int read_groups(const char *path, struct asim_err *err)
{
    struct asim_groups groups;
    int rc = asim_groups_read(&groups, path, 8, 0, err);

    if (!rc)
        asim_groups_fini(&groups);
    return rc;
}

static int read_memory(const char *path, struct asim_err *err)
{
    struct asim_memory mem;

    return asim_memory_read(&mem, path, &listen, err);
}

static void test_logical(void)
{
    static const struct refusal rows[] = {
        {"{}", 0, "\"logical-dims\" is missing"},
        {"{\"logical-dim\": [\"8\"]}", 1, "logical-dims"},
        {"{\"logical-dims\": \"8\"}", 1, "is a string"},
        {"{\"logical-dims\": []}", 1, "0 entries"},
        {"{\"logical-dims\": [\"8\", \"0\"]}", 1, "entry 2"},
        {"{\"logical-dims\": [\"x\"]}", 1, "entry 1"},
        {"{\"logical-dims\": [-1]}", 1, "entry 1"},
        {"{\"logical-dims\": [65536, 65536]}", 0, "passes 2^32"},
        {"{\"logical-dims\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}", 1, "17 entries"},
    };
    struct asim_dims dims;
    struct asim_err err = {0};

    CHECK(asim_logical_read(&dims, file_of("{\"logical-dims\": [\"8\", 4, 2.0]}"), &err) == 0);
    CHECK_U64(dims.n, 3);
    CHECK_U64(dims.at[1], 4);
    CHECK_U64(asim_dims_product(&dims), 64);
    check_refusals(rows, sizeof rows / sizeof *rows, read_logical);
    CHECK(asim_logical_read(&dims, "8x64", &err) == 0);
    CHECK_U64(dims.n, 2);
    CHECK_U64(dims.at[1], 64);
    CHECK(asim_logical_read(&dims, "8x0", &err) != 0);
    CHECK(strstr(err.text, "entry 2"));
}

static void test_groups(void)
{
    static const struct refusal rows[] = {
        {"{\"1\": [0, 8]}", 1, "names rank 8, but the run has ranks 0 to 7"},
        {"{\"1\": [0, 0]}", 1, "twice"},
        {"{\"1\": [-1]}", 1, "names rank -1"},
        {"{\"1\": [\"2\"]}", 1, "not a whole number"},
        {"{\"a\": [1]}", 1, "not a group number"},
        {"{\"1\": []}", 1, "at least one rank"},
        {"{\"1\": [1], \"01\": [2]}", 0, "group 1 is defined twice"},
        {"{\"1\": [1],\n\"1\": [2]}", 2, "duplicate"},
    };
    struct asim_groups groups;
    struct asim_err err = {0};

    CHECK(asim_groups_read(&groups, file_of("{\"10\": [3, 1], \"2\": [0, 7, 5]}"), 8, 0, &err) ==
          0);
    CHECK_U64(groups.n, 2);
    CHECK_U64(groups.at[0].id, 2);
    CHECK_U64(groups.at[0].n, 3);
    CHECK_U64(groups.at[1].id, 10);
    CHECK_U64(groups.at[1].ranks[0], 3);
    asim_groups_fini(&groups);
    CHECK(asim_groups_read(&groups, file_of("{\"1\": [0, 8], \"0\": [9, 0, 1, 2, 3, 4, 5, 6, 7]}"),
                           8, 1, &err) == 0);
    CHECK_U64(groups.at[0].n, 8);
    CHECK_U64(groups.at[1].n, 1);
    asim_groups_fini(&groups);
    check_refusals(rows, sizeof rows / sizeof *rows, read_groups);
}

static void test_memory(void)
{
    static const struct refusal rows[] = {
        {"{}", 0, "\"memory-type\" is missing"},
        {"{\"memory-type\": \"MEMORY_POOOL\"}", 1, "MEMORY_POOL"},
        {"{\"memory-type\": \"MEMORY_POOL\"}", 0, "remote-mem-bw"},
        {"{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-bw\": 1}", 0, "num-nodes"},
        {"{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bandwidth\": 1}", 1, "remote-mem-"},
        {"{\"memory-type\": 1}", 1, "a string is expected"},
    };
    struct asim_memory mem;
    struct asim_err err = {0};
    const char *text = "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"num-nodes\": 2, "
                       "\"num-npus-per-node\": 4, \"remote-mem-latency\": 20, "
                       "\"remote-mem-bw\": 12.5}";

    CHECK(asim_memory_read(&mem, file_of(text), &listen, &err) == 0);
    CHECK_U64(mem.type, ASIM_MEM_PER_NODE);
    CHECK_U64(mem.npus_per_node, 4);
    CHECK_U64(mem.latency_ns, 20);
    CHECK(mem.bandwidth_gbps == 12.5);
    CHECK(strstr(heard, "would cut it to 12") != NULL);
    check_refusals(rows, sizeof rows / sizeof *rows, read_memory);
}

static void test_resolve(void)
{
    char root[512], owner[600], want[600];
    char *path;

    replay_root(root, sizeof root);
    snprintf(owner, sizeof owner, "%sconfigs/ns3/config.txt", root);
    snprintf(want, sizeof want, "%sconfigs/ns3/dcqcn.txt", root);
    path = asim_conf_resolve(owner, "dcqcn.txt");
    CHECK_STR(path, want);
    free(path);
    path = asim_conf_resolve(owner, "no such file");
    CHECK_STR(path, "no such file");
    free(path);
    path = asim_conf_resolve("x.txt", "/absolute");
    CHECK_STR(path, "/absolute");
    free(path);
    CHECK_STR(asim_coll_type_name(ASIM_ALL_TO_ALL), "ALL_TO_ALL");
    CHECK_STR(asim_coll_type_name(ASIM_COLL_TYPES), "?");
}

int main(void)
{
    test_logical();
    test_groups();
    test_memory();
    test_resolve();
    remove(replay_work);
    return CHECK_DONE();
}
