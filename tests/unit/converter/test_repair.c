/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Repairing small graphs written here: what is removed, what is joined, what is told. Random graphs
 * check the main promise of removing nodes: a survivor reaches exactly those it reached before.
 */
#include <stdlib.h>
#include <unistd.h>
#include "repair/repair.h"
#include "asim/trace.h"
#include "check.h"

#define MAX 40

struct graph { /* dependencies as a matrix: dep[i][k] = i waits for k */
    int n;
    unsigned char dep[MAX][MAX], cpu[MAX];
};

static char folder[] = "/tmp/asim-repair-XXXXXX";
static char told[4000];

static void say(void *self, const char *sentence)
{
    size_t n = strlen(told);

    (void)self;
    snprintf(told + n, sizeof told - n, "%s\n", sentence);
}

static const char *path(const char *name)
{
    static char paths[4][200];
    static int next;

    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static void write_node(struct asim_chakra_writer *out, const struct graph *g, int i)
{
    uint64_t deps[MAX];
    struct asim_chakra_attr attrs[] = {
        {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = g->cpu[i]},
        {.name = "comm_type", .type = ASIM_CHAKRA_INT64, .value.i = 0},
        {.name = "comm_size", .type = ASIM_CHAKRA_INT64, .value.i = 100 + i}};
    struct asim_chakra_node node = {.id = (uint64_t)i,
                                    .name = "n",
                                    .data_deps = deps,
                                    .attrs = attrs,
                                    .attr_n = g->cpu[i] ? 1 : 3,
                                    .type = g->cpu[i] ? ASIM_OP_COMP : ASIM_OP_COMM_COLL};

    for (int k = 0; k < MAX; k++)
        if (g->dep[i][k])
            deps[node.data_dep_n++] = (uint64_t)k;
    CHECK_U64(asim_chakra_writer_node(out, &node, NULL), 0);
}

static void save(const struct graph *g, const char *to)
{
    struct asim_chakra_writer *out;

    CHECK_U64(asim_chakra_writer_open(&out, to, NULL), 0);
    CHECK_U64(asim_chakra_writer_metadata(out, NULL, NULL, 0, NULL), 0);
    for (int i = 0; i < g->n; i++)
        write_node(out, g, i);
    CHECK_U64(asim_chakra_writer_commit(out, NULL), 0);
}

static void load(struct graph *g, const char *from)
{
    struct asim_chakra *file;
    const ChakraProtoMsg__Node *node;

    memset(g, 0, sizeof *g);
    CHECK_U64(asim_chakra_open(&file, from, NULL), 0);
    while (asim_chakra_next(file, &node, NULL) == 1) {
        g->n++;
        for (size_t k = 0; k < node->n_data_deps; k++)
            g->dep[node->id][node->data_deps[k]] = 1;
    }
    asim_chakra_close(file);
}

static uint64_t repair(const char *in, const char *out, struct asim_repair_options opt)
{
    struct asim_rankfile file = {(char *)(uintptr_t)in, (char *)(uintptr_t)out, 0, NULL};
    struct asim_err err = {0};
    uint64_t problems;

    told[0] = 0;
    opt.notes.say = say;
    CHECK_U64(asim_repair_run(&file, 1, &opt, &problems, &err), 0);
    if (err.code)
        fprintf(stderr, "  %s\n", err.text);
    return problems;
}

static void test_defects(void)
{
    struct graph g = {.n = 5, .cpu = {1, 1, 1, 1, 1}}, got;

    g.dep[1][1] = 1;                             /* itself */
    g.dep[2][30] = 1;                            /* nobody */
    g.dep[3][2] = g.dep[4][3] = g.dep[2][4] = 1; /* a cycle */
    save(&g, path("a.et"));
    repair(path("a.et"), path("a.et"), (struct asim_repair_options){0});
    load(&got, path("a.et"));
    CHECK_U64(got.n, 5);
    CHECK(!got.dep[1][1] && !got.dep[2][30]);
    CHECK_U64(got.dep[3][2] + got.dep[4][3] + got.dep[2][4], 2);
    CHECK(strstr(told, "node 1 waits for itself") != NULL);
    CHECK(strstr(told, "waits for node 30, which is not in the file") != NULL);
    CHECK(strstr(told, "cycle: 2 (n) waits for 4 (n) waits for 3 (n) waits for 2") != NULL);
}

static uint32_t seed = 7;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* reach[i] = bits of the nodes that i waits for, directly or not. Ids are in order. */
static void closure(const struct graph *g, uint64_t reach[MAX])
{
    for (int i = 0; i < MAX; i++) {
        reach[i] = 0;
        for (int k = 0; k < i; k++)
            if (g->dep[i][k])
                reach[i] |= UINT64_C(1) << k | reach[k];
    }
}

static void test_reconnect(void)
{
    for (int round = 0; round < 300; round++) {
        struct graph g = {.n = 2 + (int)draw(MAX - 2)}, got;
        uint64_t before[MAX], after[MAX], kept = 0;
        uint32_t density = 2 + draw(12);

        for (int i = 0; i < g.n; i++) {
            g.cpu[i] = draw(3) > 0;
            kept |= (uint64_t)!g.cpu[i] << i;
            for (int k = 0; k < i; k++)
                g.dep[i][k] = !draw(density);
        }
        save(&g, path("b.et"));
        repair(path("b.et"), path("c.et"), (struct asim_repair_options){.gpu_only = 1});
        load(&got, path("c.et"));
        closure(&g, before);
        closure(&got, after);
        for (int i = 0; i < g.n; i++)
            if (kept >> i & 1)
                CHECK_U64(after[i], before[i] & kept);
    }
}

static void test_compare(void)
{
    struct graph full = {.n = 6}, less = {.n = 5};
    struct asim_rankfile files[2] = {{0}};
    struct asim_repair_options opt = {.notes = {say, NULL}};
    struct asim_err err = {0};
    uint64_t problems = 0;

    save(&full, path("w.0.et"));
    save(&less, path("w.1.et"));
    files[0] = (struct asim_rankfile){(char *)(uintptr_t)path("w.0.et"), NULL, 0, NULL};
    files[1] = (struct asim_rankfile){(char *)(uintptr_t)path("w.1.et"), NULL, 1, NULL};
    files[0].out = files[0].in;
    files[1].out = files[1].in;
    told[0] = 0;
    CHECK_U64(asim_repair_run(files, 2, &opt, &problems, &err), 0);
    CHECK_U64(problems, 1);
    CHECK(strstr(told, "rank 1 lacks the ALL_REDUCE of 105 bytes that rank 0 runs as number 6"));
}

static void test_simple(void)
{
    struct graph g = {.n = 7, .cpu = {1, 0, 1, 0, 0, 1, 1}}, got;

    save(&g, path("s.et"));
    repair(path("s.et"), path("t.et"), (struct asim_repair_options){.simple = 1});
    load(&got, path("t.et"));
    CHECK_U64(got.n, 3);
    CHECK(got.dep[1][0] && got.dep[2][1] && !got.dep[2][0]);
}

int main(void)
{
    char command[100];

    if (!mkdtemp(folder))
        return 1;
    test_defects();
    test_reconnect();
    test_compare();
    test_simple();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_U64(system(command), 0);
    return CHECK_DONE();
}
