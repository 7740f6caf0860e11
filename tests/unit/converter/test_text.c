/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Graphs made from layer files: for every kind of parallelism, nodes with their dependencies as
 * chakra.md#published-kinds and chakra.md#extended-kinds states them, written as "name<dep,dep"
 * with ids relative to the rank's first node.
 */
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "text/text.h"
#include "trace/open.h"

#define A_FULL "a -1 1 ALLGATHER 8 2 ALLREDUCE 16 3 ALLREDUCE 32 1\n"
#define B_FULL "b -1 4 ALLTOALL 8 5 ALLTOALL 16 6 REDUCESCATTER 32 1\n"
#define A_NONE "a -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n"
#define B_NONE "b -1 4 NONE 0 5 NONE 0 6 NONE 0 1\n"

static const struct {
    const char *text;
    uint32_t passes;
    int compat;
    const char *want;
} cases[] = {
    {"MICRO\n2\n" A_FULL B_NONE, 2, 0, "C_a_ALLREDUCE C_a_ALLREDUCE"},
    {"MICRO\n2\n" A_FULL B_NONE, 1, 1, "C_a_ALLREDUCE C_b_NONE"},
    {"DATA\n2\n" A_FULL B_FULL, 2, 0,
     "a_FWD b_FWD<0 b_BWD_WG<1 C_b_REDUCESCATTER<2 b_BWD_IG<2 a_BWD_WG<4 C_a_ALLREDUCE<5 "
     "a_FWD<6 b_FWD<7,3 b_BWD_WG<8 C_b_REDUCESCATTER<9 b_BWD_IG<9 a_BWD_WG<11 C_a_ALLREDUCE<12"},
    /* without a collective the next pass waits for the gradient itself */
    {"DATA\n1\n" A_NONE, 2, 0, "a_FWD a_BWD_WG<0 a_FWD<1 a_BWD_WG<2"},
    {"DATA\n1\n" A_NONE, 1, 1, "a_FWD a_BWD_WG<0 C_a_NONE<1"},
    {"MODEL\n2\n" A_FULL B_FULL, 1, 0,
     "a_FWD C_a_ALLGATHER<0 b_FWD<1 C_b_ALLTOALL<2 b_BWD_IG<3 C_b_ALLTOALL<4 b_BWD_WG<4 "
     "a_BWD_IG<6,5 a_BWD_WG<7"},
    {"MODEL\n2\n" A_NONE B_NONE, 1, 0, "a_FWD b_FWD<0 b_BWD_IG<1 b_BWD_WG<2 a_BWD_IG<3 a_BWD_WG<4"},
    {"HYBRID_DATA_MODEL\n2\n" A_FULL B_FULL, 1, 0,
     "a_FWD C_a_ALLGATHER<0 b_FWD<1 C_b_ALLTOALL<2 b_BWD_IG<3 C_b_IG_COMM__ALLTOALL<4 b_BWD_WG<4 "
     "C_b_REDUCESCATTER<6 a_BWD_IG<6,5 a_BWD_WG<8 C_a_ALLREDUCE<9"},
    {"HYBRID_MODEL_DATA\n1\n" A_FULL, 2, 0,
     "a_FWD C_a_ALLGATHER<0 a_BWD_IG<1 a_BWD_WG<2 C_a_ALLREDUCE<3 a_FWD<4 C_a_ALLGATHER<5 "
     "a_BWD_IG<6 a_BWD_WG<7 C_a_ALLREDUCE<8"},
    {"HYBRID_DLRM 0\n2\n" B_FULL A_FULL, 1, 0,
     "b_FWD C_b_ALLTOALL<0 a_FWD<0 a_BWD_WG<2 C_a_ALLREDUCE<3 a_BWD_IG<3 C_b_ALLTOALL<5 "
     "b_BWD_WG<5,6 C_b_REDUCESCATTER<7"},
    {"HYBRID_TRANSFORMER\n2\n" A_FULL B_NONE, 1, 0,
     "a_FWD C_a_ALLGATHER<0 b_FWD<1 b_BWD_IG<2 b_BWD_WG<3 a_BWD_IG<4 C_a_ALLREDUCE<5 a_BWD_WG<6 "
     "C_a_ALLREDUCE<7"},
    {"HYBRID_TRANSFORMER\n1\n" A_FULL, 2, 0,
     "a_FWD C_a_ALLGATHER<0 a_BWD_IG<1 C_a_ALLREDUCE<2 a_BWD_WG<3 C_a_ALLREDUCE<4 a_FWD<4,5 "
     "C_a_ALLGATHER<6 a_BWD_IG<7 C_a_ALLREDUCE<8 a_BWD_WG<9 C_a_ALLREDUCE<10"},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoints: 1 0 checkpoint_initiates: 1 1\n2\n" A_NONE
         B_NONE,
     1, 0, "a_FWD b_FWD<0 a_FWD<1 b_BWD_IG<2 b_BWD_WG<3 a_BWD_IG<4 a_BWD_WG<5"},
    {"HYBRID_CUSTOMIZED\n2\na -1 1 NONE 0 2 ALLREDUCE 8 3 NONE 0 1 DATA\n"
     "b -1 1 NONE 0 2 ALLREDUCE 8 3 ALLGATHER 8 1 MODEL\n",
     1, 0,
     "a_FWD b_FWD<0 b_BWD_IG<1 C_b_ALLREDUCE<2 b_BWD_WG<2 C_b_ALLGATHER<4 a_BWD_IG<4,3 "
     "a_BWD_WG<6"},
    {"DATA_REORDER\n2\n" A_FULL B_FULL, 1, 0,
     "a_FWD b_FWD<0 b_BWD_IG<1 b_BWD_WG<2 C_b_REDUCESCATTER<3 a_BWD_WG<3 C_a_ALLREDUCE<5"},
    {"DISTRIBUTED_INFERENCE\n2\n" A_FULL B_NONE, 2, 0,
     "a_FWD C_a_ALLGATHER<0 b_FWD<1 a_FWD<2 C_a_ALLGATHER<3 b_FWD<4"},
    /* line breaks inside a layer, more columns than needed, Windows line ends */
    {"DATA\r\n1\r\na -1 1 NONE 0\r\n2 NONE 0 3 NONE 0 1 extra\r\n", 1, 0, "a_FWD a_BWD_WG<0"},
};

static const char input[] = "test_text_layers.txt", prefix[] = "test_text_out";

static void write_input(const char *text)
{
    FILE *file = fopen(input, "wb");
    CHECK(file != NULL);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

/* Node names without what they share, and dependencies. */
static void show(char *out, size_t size, uint32_t rank)
{
    struct asim_trace trace = {0};
    struct asim_op op;
    uint64_t first = 0;
    size_t n = 0;
    CHECK(!asim_trace_open(&trace, prefix, rank, NULL));
    *out = 0;
    while (asim_trace_next(&trace, &op, NULL) > 0) {
        const char *name = op.name + (op.type == ASIM_OP_COMP ? 10 : 14);
        first = n ? first : op.id;
        n += (size_t)snprintf(out + n, size - n, "%s%s%s", n ? " " : "",
                              op.type == ASIM_OP_COMP ? "" : "C", name);
        for (size_t d = 0; d < op.data_dep_n; d++)
            n += (size_t)snprintf(out + n, size - n, "%c%" PRIu64, d ? ',' : '<',
                                  op.data_deps[d] - first);
    }
    asim_trace_close(&trace);
}

static int convert(const struct asim_text_options *opt, struct asim_text_result *result)
{
    struct asim_layers layers;
    struct asim_err err = {0};
    int rc = asim_layers_open(&layers, input, opt->compat, &err);
    if (!rc)
        rc = asim_text_write(&layers, opt, result, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    asim_layers_close(&layers);
    return rc;
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asim_text_options opt = {.output = prefix,
                                        .force = 1,
                                        .ranks = 2,
                                        .passes = cases[i].passes,
                                        .compat = cases[i].compat};
        struct asim_text_result result = {0};
        char got[4096];
        write_input(cases[i].text);
        CHECK(!convert(&opt, &result));
        for (uint32_t rank = 0; rank < 2; rank++) {
            show(got, sizeof got, rank);
            /* names keep the kind of node: "COMP_NODE_" and "COMM_COLL_NODE" are cut */
            CHECK_STR(got, cases[i].want);
        }
        CHECK(result.nodes > 0 && !result.has_groups);
    }
}

/* Which dimensions each collective joins, of 2 x 3 NPUs: bits of involved_dim in order. */
static void test_dims(void)
{
    static const struct {
        const char *kind;
        unsigned want[3]; /* forward, input gradient, weight gradient */
    } kinds[] = {{"HYBRID_DATA_MODEL", {1, 1, 2}},
                 {"HYBRID_MODEL_DATA", {2, 2, 1}},
                 {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2", {1, 1, 2}},
                 {"HYBRID_TRANSFORMER model_parallel_NPU_group: 6", {3, 3, 0}}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct asim_text_options opt = {
            .output = prefix, .force = 1, .ranks = 6, .passes = 1, .dims = {2, 3}, .n_dims = 2};
        struct asim_text_result result = {0};
        struct asim_trace trace = {0};
        struct asim_op op;
        char text[512];
        unsigned seen = 0;
        snprintf(text, sizeof text, "%s\n2\nz -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n" A_FULL,
                 kinds[i].kind);
        write_input(text);
        CHECK(!convert(&opt, &result));
        CHECK(!asim_trace_open(&trace, prefix, 5, NULL));
        while (asim_trace_next(&trace, &op, NULL) > 0) {
            if (op.type != ASIM_OP_COMM_COLL)
                continue;
            int part = op.comm_bytes == 8 ? 0 : op.comm_bytes == 16 ? 1 : 2;
            CHECK_U64(op.involved_n, 2);
            CHECK_U64(op.involved, kinds[i].want[part]);
            seen |= 1u << part;
        }
        asim_trace_close(&trace);
        CHECK_U64(seen, kinds[i].want[2] ? 7 : 3); /* a part of one rank has no collective */
    }
}

static void test_groups(void)
{
    struct asim_text_options opt = {.output = prefix, .force = 1, .ranks = 6, .passes = 1};
    struct asim_text_result result = {0};
    struct asim_trace trace = {0};
    struct asim_op op;
    write_input("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\n" A_FULL);
    CHECK(!convert(&opt, &result));
    CHECK(result.has_groups);
    CHECK_U64(result.comms, 3);
    CHECK(!asim_trace_open(&trace, prefix, 5, NULL)); /* rank 5: pair 2, second of its pair */
    while (asim_trace_next(&trace, &op, NULL) > 0)
        if (op.type == ASIM_OP_COMM_COLL)
            CHECK_STR(op.pg_name, op.comm_bytes == 32 ? "5" : "3");
    asim_trace_close(&trace);
}

int main(void)
{
    char path[64];
    test_cases();
    test_dims();
    test_groups();
    for (int rank = 0; rank < 6; rank++) {
        snprintf(path, sizeof path, "%s.%d.et", prefix, rank);
        unlink(path);
    }
    unlink("test_text_out.groups.json");
    unlink(input);
    return CHECK_DONE();
}
