/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the writer with an independent encoder: tests/fuzz/trace/kinds.et, made by make.py with
 * one attribute of each of the 30 types, must come out byte for byte. Then checks how readers see
 * written nodes, and the writer's errors.
 */
#include "../../fuzz/replay.h"
#include "asim/trace_record.h"
#include "asim/trace.h"
#include "trace/open.h"

static const char *const work = "test_write.tmp.et";

static size_t slurp(const char *path, char *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t n = file ? fread(data, 1, size, file) : 0;
    if (file)
        fclose(file);
    return n;
}

static const double doubles[] = {1.25, -2};
static const int64_t minus_seven[] = {-5, 7}, minus[] = {-5}, nines[] = {-9, 8};
static const uint64_t five[] = {5, 300}, nine[] = {9, 8}, bools[] = {1, 0, 1};
static const char *const texts[] = {"x", ""};
static const struct asim_chakra_bytes blobs[] = {{"\0", 1}, {"", 0}};

/* clang-format off */
#define LIST(of, array)                                                                            \
    {.type = ASIM_CHAKRA_LIST(of), .value.list = {array, sizeof(array) / sizeof *(array)}}
/* clang-format on */

/* In the order of the field numbers, as make.py's every_kind(). */
static const struct asim_chakra_attr kinds[30] = {
    {.type = ASIM_CHAKRA_DOUBLE, .value.d = 1.25},
    LIST(ASIM_CHAKRA_DOUBLE, doubles),
    {.type = ASIM_CHAKRA_FLOAT, .value.d = 1.25},
    LIST(ASIM_CHAKRA_FLOAT, doubles),
    {.type = ASIM_CHAKRA_INT32, .value.i = -5},
    LIST(ASIM_CHAKRA_INT32, minus_seven),
    {.type = ASIM_CHAKRA_INT64, .value.i = -5},
    LIST(ASIM_CHAKRA_INT64, minus_seven),
    {.type = ASIM_CHAKRA_UINT32, .value.u = 5},
    LIST(ASIM_CHAKRA_UINT32, five),
    {.type = ASIM_CHAKRA_UINT64, .value.u = 5},
    LIST(ASIM_CHAKRA_UINT64, five),
    {.type = ASIM_CHAKRA_SINT32, .value.i = -5},
    LIST(ASIM_CHAKRA_SINT32, minus),
    {.type = ASIM_CHAKRA_SINT64, .value.i = -5},
    LIST(ASIM_CHAKRA_SINT64, minus),
    {.type = ASIM_CHAKRA_FIXED32, .value.u = 9},
    LIST(ASIM_CHAKRA_FIXED32, nine),
    {.type = ASIM_CHAKRA_FIXED64, .value.u = 9},
    LIST(ASIM_CHAKRA_FIXED64, nine),
    {.type = ASIM_CHAKRA_SFIXED32, .value.i = -9},
    LIST(ASIM_CHAKRA_SFIXED32, nines),
    {.type = ASIM_CHAKRA_SFIXED64, .value.i = -9},
    LIST(ASIM_CHAKRA_SFIXED64, nines),
    {.type = ASIM_CHAKRA_BOOL, .value.u = 1},
    LIST(ASIM_CHAKRA_BOOL, bools),
    {.type = ASIM_CHAKRA_STRING, .value.s = "text"},
    LIST(ASIM_CHAKRA_STRING, texts),
    {.type = ASIM_CHAKRA_BYTES, .value.bytes = {"\0\1", 2}},
    LIST(ASIM_CHAKRA_BYTES, blobs),
};

static void check_kinds(void)
{
    char root[512], path[700], mine[4096], other[4096], names[30][8];
    struct asim_chakra_attr attrs[30];
    for (int i = 0; i < 30; i++) {
        snprintf(names[i], sizeof names[i], "a%d", kinds[i].type);
        attrs[i] = kinds[i];
        attrs[i].name = names[i];
    }
    struct asim_chakra_node node = {.id = 1, .name = "n1", .type = ASIM_OP_METADATA};
    node.duration_micros = 5;
    node.inputs.values = "['[]']";
    node.attrs = attrs;
    node.attr_n = 30;
    struct asim_chakra_writer *writer;
    CHECK_U64(asim_chakra_writer_open(&writer, work, NULL), 0);
    CHECK_U64(asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, NULL), 0);
    CHECK_U64(asim_chakra_writer_node(writer, &node, NULL), 0);
    CHECK_U64(asim_chakra_writer_commit(writer, NULL), 0);
    snprintf(path, sizeof path, "%stests/fuzz/trace/kinds.et", replay_root(root, sizeof root));
    size_t n = slurp(path, other, sizeof other);
    CHECK_U64(slurp(work, mine, sizeof mine), n);
    CHECK(memcmp(mine, other, n) == 0);
}

static void check_names(void)
{
    CHECK_STR(asim_attr_type_name(ASIM_CHAKRA_DOUBLE), "double_val");
    CHECK_STR(asim_attr_type_name(ASIM_CHAKRA_LIST(ASIM_CHAKRA_BOOL)), "bool_list");
    CHECK_STR(asim_attr_type_name(33), "?");
    CHECK_STR(asim_attr_type_name(2), "?");
}

static void check_refusals(void)
{
    static const struct asim_chakra_attr wrong[] = {
        {.name = "a", .type = ASIM_CHAKRA_INT32, .value.i = (int64_t)1 << 31},
        {.name = "b", .type = ASIM_CHAKRA_SFIXED32, .value.i = INT64_MIN},
        {.name = "c", .type = ASIM_CHAKRA_UINT32, .value.u = (uint64_t)1 << 32},
        {.name = "d", .type = ASIM_CHAKRA_BOOL, .value.u = 2},
        {.name = "e", .type = 33, .value.u = 0},
    };
    struct asim_chakra_writer *writer;
    CHECK_U64(asim_chakra_writer_open(&writer, work, NULL), 0);
    struct asim_chakra_node node = {.id = 1, .attr_n = 1};
    CHECK(asim_chakra_writer_node(writer, &node, NULL) == ASIM_EBUG);
    CHECK_U64(asim_chakra_writer_metadata(writer, NULL, NULL, 0, NULL), 0);
    CHECK(asim_chakra_writer_metadata(writer, NULL, NULL, 0, NULL) == ASIM_EBUG);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct asim_err err = {0};
        node.attrs = &wrong[i];
        CHECK(asim_chakra_writer_node(writer, &node, &err) == ASIM_EINVAL);
        CHECK(strstr(err.text, "does not fit its kind") != NULL);
    }
    asim_chakra_writer_discard(writer);
}

/* The fields of asim_op for the two attribute styles of the corpus. */
static void check_ops(void)
{
    char root[512], path[700];
    struct asim_trace trace;
    struct asim_op op;
    snprintf(path, sizeof path, "%stests/fuzz/trace/attrs_legacy.et",
             replay_root(root, sizeof root));
    CHECK_U64(asim_trace_open_file(&trace, path, NULL), 0);
    CHECK_U64(asim_trace_next(&trace, &op, NULL), 1);
    CHECK_U64(op.has, ASIM_HAS_COMM_TYPE | ASIM_HAS_COMM_SIZE);
    CHECK_U64(op.comm_type, 7);
    CHECK_U64(op.comm_bytes, 4096);
    CHECK_STR(op.pg_name, "3");
    CHECK_U64(asim_trace_next(&trace, &op, NULL), 0);
    asim_trace_close(&trace);
    snprintf(path, sizeof path, "%stests/fuzz/trace/attrs_new.et", root);
    CHECK_U64(asim_trace_open_file(&trace, path, NULL), 0);
    CHECK_U64(asim_trace_next(&trace, &op, NULL), 1);
    CHECK_U64(op.comm_bytes, (uint64_t)1 << 40);
    CHECK(op.priority == -3);
    CHECK_U64(op.involved_n, 3);
    CHECK_U64(op.involved, 5);
    CHECK_STR(op.pg_name, "12");
    CHECK_U64(op.input_n, 2);
    CHECK_STR(op.input_list[1], "64");
    asim_trace_close(&trace);
}

int main(void)
{
    check_kinds();
    check_names();
    check_refusals();
    check_ops();
    remove(work);
    return CHECK_DONE();
}
