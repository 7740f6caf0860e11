/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra execution traces: <prefix>.<rank>.et. Looks up the attributes of each record by name
 * (unknown ones are skipped) and fills struct asim_op.
 *
 * Differences from Chakra's reader: a value that does not fit (a negative size, a rank above 32
 * bits) is an error instead of wrapping, a wrong type is an error at load, not at first use, and so
 * is a name that a node has twice (Chakra's reader takes the last). comm_group (of STG's legacy
 * mode) is another name of pg_name. Attributes of asim: duration_ns, comm_queue, and comm_sizes,
 * which makes an all-to-all an all-to-all-v.
 *
 * To add an attribute: a field in struct asim_op (and a bit, if its absence matters) and a row in
 * the rules. Unknown attributes are skipped, so newer traces stay readable.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace_record.h"
#include "trace/format.h"

#define KIND(name) CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_##name

/* Private bits of op->has while filling: the name has occurred. */
#define HAS_NANOS   (1u << 26)
#define HAS_GROUP   (1u << 27)
#define HAS_IS_CPU  (1u << 28)
#define HAS_INPUTS  (1u << 29)
#define HAS_OUTPUTS (1u << 30)
#define HAS_PG_NAME (1u << 31)
#define HAS_PRIVATE (HAS_NANOS | HAS_GROUP | HAS_IS_CPU | HAS_INPUTS | HAS_OUTPUTS | HAS_PG_NAME)
#define BYTES_MAX   (UINT64_C(1) << 62) /* a larger size was a negative number */

struct chakra_reader {
    struct asim_chakra *file;
    const ChakraProtoMsg__Node *node; /* the record in work */
    const char *group;                /* its comm_group */
    char version[32];                 /* of the metadata, cut */
    /* pg_name and comm_group from a number or bytes */
    char name_text[64], group_text[64];
};

typedef ChakraProtoMsg__AttributeProto attribute;

/* The check of a value and the field it fills. */
enum want {
    WANT_U64,
    WANT_BYTES,
    WANT_U32,
    WANT_TAG,
    WANT_PRIORITY,
    WANT_BOOL,
    WANT_DIMS,
    WANT_NAME,
    WANT_LIST,
    WANT_SIZES
};

/* An attribute and its field. */
struct rule {
    const char *name;
    unsigned has;
    size_t offset;
    enum want want;
};

#define FIELD(name, bit, field, want)                                                              \
    {                                                                                              \
        name, bit, offsetof(struct asim_op, field), want                                           \
    }
static const struct rule rules[] = {
    FIELD("is_cpu_op", HAS_IS_CPU, is_cpu, WANT_BOOL),
    FIELD("comm_type", ASIM_HAS_COMM_TYPE, comm_type, WANT_U32),
    FIELD("comm_size", ASIM_HAS_COMM_SIZE, comm_bytes, WANT_BYTES),
    FIELD("comm_sizes", ASIM_HAS_COMM_SIZES, comm_sizes, WANT_SIZES),
    FIELD("comm_src", ASIM_HAS_COMM_SRC, comm_src, WANT_U32),
    FIELD("comm_dst", ASIM_HAS_COMM_DST, comm_dst, WANT_U32),
    FIELD("comm_tag", ASIM_HAS_COMM_TAG, comm_tag, WANT_TAG),
    FIELD("comm_priority", ASIM_HAS_PRIORITY, priority, WANT_PRIORITY),
    FIELD("comm_queue", ASIM_HAS_QUEUE, comm_queue, WANT_U32),
    FIELD("num_ops", ASIM_HAS_NUM_OPS, num_ops, WANT_U64),
    FIELD("tensor_size", ASIM_HAS_TENSOR_SIZE, tensor_bytes, WANT_BYTES),
    FIELD("involved_dim", ASIM_HAS_INVOLVED_DIM, involved, WANT_DIMS),
    FIELD("duration_ns", HAS_NANOS, duration_ns, WANT_U64), /* of asim: written by asim trace llm */
    FIELD("pg_name", HAS_PG_NAME, pg_name, WANT_NAME),
    FIELD("comm_group", HAS_GROUP, pg_name, WANT_NAME),
    FIELD("inputs", HAS_INPUTS, input_list, WANT_LIST),
    FIELD("outputs", HAS_OUTPUTS, output_list, WANT_LIST),
};

/* Begins a sentence about a node: which, where, and the attribute. */
static int refuse_name(struct chakra_reader *reader, const char *name, const char *what,
                       struct asim_err *err)
{
    struct asim_where at = {asim_chakra_path(reader->file), 0, 0};
    return asim_err_at(
        err, ASIM_EINVAL, at, "node %" PRIu64 " '%.80s' (byte %" PRIu64 "): attribute %s %s.",
        reader->node->id, reader->node->name, asim_chakra_tell(reader->file), name, what);
}

/* Names node, byte, attribute, its value and the expected value. */
static int refuse(struct chakra_reader *reader, const attribute *attr, const char *wanted,
                  struct asim_err *err)
{
    struct asim_attr_int held;
    char value[40] = "", what[192];
    if (asim_attr_int(attr, &held))
        snprintf(value, sizeof value, " %s%" PRIu64, held.negative ? "-" : "", held.magnitude);
    snprintf(what, sizeof what, "is %s%s, expected %s", asim_attr_value_name(attr), value, wanted);
    return refuse_name(reader, attr->name, what, err);
}

/* is_cpu_op, which tools write as a bool or an integer. */
static int fill_bool(struct chakra_reader *reader, const attribute *attr, uint8_t *field,
                     struct asim_err *err)
{
    struct asim_attr_int held;
    if (!asim_attr_int(attr, &held) || held.magnitude > 1 || held.negative)
        return refuse(reader, attr, "a bool, or an integer 0 or 1", err);
    *field = (uint8_t)held.magnitude;
    return 0;
}

/* Numbers of 32 bits that tools write with or without a sign. Tags are only compared: a negative
 * one keeps its 32 bits, as in ASTRA-sim. */
static int fill_signed(struct chakra_reader *reader, const attribute *attr, const struct rule *rule,
                       void *field, struct asim_err *err)
{
    struct asim_attr_int held;
    if (attr->value_case == KIND(BOOL_VAL) || !asim_attr_int(attr, &held) ||
        held.magnitude > (held.negative ? 1u << 31 : UINT32_MAX))
        return refuse(reader, attr, "an integer of 32 bits", err);
    if (rule->want == WANT_TAG)
        *(uint32_t *)field =
            held.negative ? 0u - (uint32_t)held.magnitude : (uint32_t)held.magnitude;
    else
        *(int64_t *)field = held.negative ? -(int64_t)held.magnitude : (int64_t)held.magnitude;
    return 0;
}

/* The number types of the rules; field is the op's, of the width of the rule. */
static int fill_number(struct chakra_reader *reader, const attribute *attr, const struct rule *rule,
                       void *field, struct asim_err *err)
{
    struct asim_attr_int held;
    int is_int = attr->value_case != KIND(BOOL_VAL) && asim_attr_int(attr, &held);
    switch (rule->want) {
    case WANT_BYTES:
        if (!is_int || held.negative || held.magnitude > BYTES_MAX)
            return refuse(reader, attr, "an integer from 0 to 4611686018427387904 (2^62)", err);
        *(uint64_t *)field = held.magnitude;
        return 0;
    case WANT_U64:
        if (!is_int || held.negative)
            return refuse(reader, attr, "an integer of 0 or more", err);
        *(uint64_t *)field = held.magnitude;
        return 0;
    case WANT_PRIORITY:
    case WANT_TAG:
        return fill_signed(reader, attr, rule, field, err);
    default:
        if (!is_int || held.negative || held.magnitude > UINT32_MAX)
            return refuse(reader, attr, "an integer from 0 to 4294967295", err);
        *(uint32_t *)field = (uint32_t)held.magnitude;
        return 0;
    }
}

/* involved_dim: bit d = dimension d takes part. ASTRA-sim takes four trues if it is absent and
 * reads beyond them on five dimensions (system-layer.md#trace-fields). */
static int fill_dims(struct chakra_reader *reader, const attribute *attr, struct asim_op *op,
                     struct asim_err *err)
{
    enum { DIMS_MAX = 16 };
    int64_t n = asim_attr_list_length(attr);
    if (n < 0)
        return refuse(reader, attr, "a list of bools", err);
    if (n > DIMS_MAX)
        return refuse(reader, attr, "at most 16 dimensions", err);
    op->involved = 0;
    for (int64_t i = 0; i < n; i++) {
        int is_involved = asim_attr_list_true(attr, (size_t)i);
        if (is_involved < 0)
            return refuse(reader, attr, "a list of bools, or of integers 0 and 1", err);
        op->involved |= (uint16_t)((unsigned)is_involved << i);
    }
    op->involved_n = (uint8_t)n;
    return 0;
}

/* A group's name as text, as bytes or, in some tools, as a number; room: for the latter two. */
static int fill_name(struct chakra_reader *reader, const attribute *attr, char room[64],
                     const char **name, struct asim_err *err)
{
    const size_t size = sizeof reader->name_text;
    struct asim_attr_int held;
    *name = room;
    if (attr->value_case == KIND(STRING_VAL)) {
        *name = attr->string_val;
        return 0;
    }
    if (attr->value_case == KIND(BYTES_VAL) && attr->bytes_val.len < size &&
        !(attr->bytes_val.len && memchr(attr->bytes_val.data, 0, attr->bytes_val.len))) {
        if (attr->bytes_val.len)
            memcpy(room, attr->bytes_val.data, attr->bytes_val.len);
        room[attr->bytes_val.len] = 0;
        return 0;
    }
    if (attr->value_case == KIND(BOOL_VAL) || !asim_attr_int(attr, &held))
        return refuse(reader, attr, "a text", err);
    snprintf(room, size, "%s%" PRIu64, held.negative ? "-" : "", held.magnitude);
    return 0;
}

/* Only the tracking of local memory uses these; another type counts as absent. */
static void fill_list(const attribute *attr, struct asim_op *op, int is_input)
{
    if (attr->value_case != KIND(STRING_LIST))
        return;
    const char *const *list = (const char *const *)attr->string_list->values;
    size_t n = attr->string_list->n_values;
    op->has |= ASIM_HAS_TENSORS;
    if (is_input) {
        op->input_list = list;
        op->input_n = n;
    } else {
        op->output_list = list;
        op->output_n = n;
    }
}

/* Borrows comm_sizes from the decode arena: an int64 of 0 or more has the bits of the uint64. The
 * sum becomes comm_size and must fit. */
static int fill_sizes(struct chakra_reader *reader, const attribute *attr, struct asim_op *op,
                      struct asim_err *err)
{
    int is_signed = attr->value_case == KIND(INT64_LIST);
    const uint64_t *sizes;
    uint64_t sum = 0;
    if (!is_signed && attr->value_case != KIND(UINT64_LIST))
        return refuse(reader, attr, "an int64_list or uint64_list of bytes", err);
    op->comm_size_n = is_signed ? attr->int64_list->n_values : attr->uint64_list->n_values;
    sizes = is_signed ? (const uint64_t *)attr->int64_list->values : attr->uint64_list->values;
    for (size_t i = 0; i < op->comm_size_n; i++) {
        if (sizes[i] > INT64_MAX - sum)
            return refuse(reader, attr, "sizes of 0 or more whose sum is below 2^63", err);
        sum += sizes[i];
    }
    op->comm_sizes = sizes;
    return 0;
}

static char plain(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* 1 if the names differ by case, by '-' and '_', and by one letter at most. */
static int is_slip(const char *name, const char *known)
{
    int slips = 0;
    while (*name || *known) {
        if (*name == '_' || *name == '-') {
            name++;
        } else if (*known == '_') {
            known++;
        } else if (plain(*name) == *known) {
            name++;
            known++;
        } else {
            int is_longer = strlen(name) > strlen(known), is_shorter = strlen(name) < strlen(known);
            if (slips++)
                return 0;
            name += !is_shorter;
            known += !is_longer;
        }
    }
    return 1;
}

/* An unknown attribute is skipped, but a misspelt one is a value that was meant to count. */
static void note_slip(const attribute *attr, struct asim_op *op)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !op->slip; i++)
        if (plain(attr->name[0]) == rules[i].name[0] && rules[i].want != WANT_LIST &&
            strcmp(attr->name, "is_gpu_op") != 0 && is_slip(attr->name, rules[i].name))
            op->slip = attr->name;
}

/* Linear in the rules, about a dozen. */
static int fill(struct chakra_reader *reader, const attribute *attr, struct asim_op *op,
                struct asim_err *err)
{
    const struct rule *rule = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !rule; i++)
        if (!strcmp(attr->name, rules[i].name))
            rule = &rules[i];
    if (!rule) {
        note_slip(attr, op);
        return 0;
    }
    if (op->has & rule->has)
        return refuse_name(reader, rule->name,
                           "is there twice; leave one of the two out (Chakra's reader takes the "
                           "last one)",
                           err);
    op->has |= rule->has;
    switch (rule->want) {
    case WANT_BOOL:
        return fill_bool(reader, attr, &op->is_cpu, err);
    case WANT_DIMS:
        return fill_dims(reader, attr, op, err);
    case WANT_NAME:
        if (rule->has == HAS_GROUP)
            return fill_name(reader, attr, reader->group_text, &reader->group, err);
        return fill_name(reader, attr, reader->name_text, &op->pg_name, err);
    case WANT_LIST:
        fill_list(attr, op, rule->has == HAS_INPUTS);
        return 0;
    case WANT_SIZES:
        return fill_sizes(reader, attr, op, err);
    default:
        return fill_number(reader, attr, rule, (char *)op + rule->offset, err);
    }
}

/* Runs after all attributes, because a record has them in any order. comm_sizes replace a
 * comm_size. */
static void add_up(struct asim_op *op)
{
    if (!(op->has & ASIM_HAS_COMM_SIZES))
        return;
    op->comm_bytes = 0;
    for (size_t i = 0; i < op->comm_size_n; i++)
        op->comm_bytes += op->comm_sizes[i];
    op->has |= ASIM_HAS_COMM_SIZE;
}

/* Tools that know microseconds only change one of the two durations. */
static int check_nanos(struct chakra_reader *reader, const struct asim_op *op, struct asim_err *err)
{
    uint64_t micros = op->duration_ns / 1000;
    char what[160];
    if (!op->duration_ns || !op->duration_micros ||
        (op->duration_micros <= micros + 1 && micros <= op->duration_micros + 1))
        return 0;
    snprintf(what, sizeof what,
             "is %" PRIu64 ", but duration_micros is %" PRIu64
             "; one of the two was changed alone, remove the other one",
             op->duration_ns, op->duration_micros);
    return refuse_name(reader, "duration_ns", what, err);
}

/* A negative number in an unsigned field is a very long time, which the clock cannot hold. */
static int check_duration(struct chakra_reader *reader, const struct asim_op *op,
                          struct asim_err *err)
{
    const uint64_t micros_most = ASIM_DURATION_NS_MAX / 1000;
    struct asim_where at = {asim_chakra_path(reader->file), 0, 0};
    int is_micros = op->duration_micros > micros_most;
    if (!is_micros && op->duration_ns <= ASIM_DURATION_NS_MAX)
        return check_nanos(reader, op, err);
    return asim_err_at(err, ASIM_EINVAL, at,
                       "node %" PRIu64 " '%.80s' (byte %" PRIu64 "): %s is %" PRIu64
                       ", expected 0 to %" PRIu64
                       " (2^62 ns); a number near 2^64 was a negative one where it was written.",
                       op->id, op->name, asim_chakra_tell(reader->file),
                       is_micros ? "duration_micros" : "duration_ns",
                       is_micros ? op->duration_micros : op->duration_ns,
                       is_micros ? micros_most : ASIM_DURATION_NS_MAX);
}

/* comm_group is pg_name under an older name; both may be there if they are equal. */
static int fill_attributes(struct chakra_reader *reader, struct asim_op *op, struct asim_err *err)
{
    const ChakraProtoMsg__Node *node = reader->node;
    int rc = 0;
    for (size_t i = 0; i < node->n_attr && !rc; i++)
        rc = fill(reader, node->attr[i], op, err);
    if (rc)
        return rc;
    if (op->has & HAS_GROUP && op->has & HAS_PG_NAME && strcmp(reader->group, op->pg_name) != 0)
        return refuse_name(reader, "comm_group",
                           "names another group than pg_name; leave one of the two out", err);
    if (op->has & HAS_GROUP)
        op->pg_name = reader->group;
    op->has &= ~HAS_PRIVATE;
    add_up(op);
    return 0;
}

/* Names and lists stay in the decode arena: borrowed until the next record. */
static int to_op(struct chakra_reader *reader, const ChakraProtoMsg__Node *node, struct asim_op *op,
                 struct asim_err *err)
{
    struct asim_where at = {asim_chakra_path(reader->file), 0, 0};
    reader->node = node;
    if ((int)node->type < 0 || (int)node->type >= ASIM_OP_TYPES)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "node %" PRIu64 " '%.80s' (byte %" PRIu64 ") has type %d; the Chakra "
                           "schema knows 0 to %d.",
                           node->id, node->name, asim_chakra_tell(reader->file), (int)node->type,
                           ASIM_OP_TYPES - 1);
    *op = (struct asim_op){
        .id = node->id,
        .type = (uint8_t)node->type,
        .duration_micros = node->duration_micros,
        .start_micros = node->start_time_micros,
        .name = node->name,
        .pg_name = "",
        .inputs_values = node->inputs ? node->inputs->values : "",
        .data_deps = node->data_deps,
        .ctrl_deps = node->ctrl_deps,
        .data_dep_n = node->n_data_deps,
        .ctrl_dep_n = node->n_ctrl_deps,
    };
    int rc = fill_attributes(reader, op, err);
    op->is_cpu |= op->type >= ASIM_OP_STORAGE;
    return rc ? rc : check_duration(reader, op, err);
}

/* A Chakra file begins with the length of the metadata and field 1 or 2 of bytes. This is a guess,
 * only for a choice between formats, never to refuse a file. */
static int sniff(const void *head, size_t size)
{
    const unsigned char *data = head;
    if (size < 1)
        return 0;
    return data[0] == 0 || (size > 1 && (data[1] == 0x0a || data[1] == 0x12)) ||
           (size > 2 && data[0] >= 0x80 && (data[2] == 0x0a || data[2] == 0x12));
}

/* base/io/bytes.c inflates compressed files. */
static int open_reader(void **out, const char *path, uint32_t rank, struct asim_err *err)
{
    (void)rank; /* the path is of one rank already */
    struct chakra_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return asim_err_nomem(err, "opening a trace");
    int rc = asim_chakra_open(&reader->file, path, err);
    if (rc) {
        free(reader);
        return rc;
    }
    snprintf(reader->version, sizeof reader->version, "%s",
             asim_chakra_metadata(reader->file)->version);
    *out = reader;
    return 0;
}

static const char *version(const void *reader)
{
    return ((const struct chakra_reader *)reader)->version;
}

static int next(void *self, struct asim_op *op, struct asim_err *err)
{
    struct chakra_reader *reader = self;
    const ChakraProtoMsg__Node *node;
    int rc = asim_chakra_next(reader->file, &node, err);
    if (rc <= 0)
        return rc;
    rc = to_op(reader, node, op, err);
    return rc ? rc : 1;
}

static uint64_t tell(const void *reader)
{
    return asim_chakra_tell(((const struct chakra_reader *)reader)->file);
}

static int at(void *self, uint64_t position, struct asim_op *op, struct asim_err *err)
{
    struct chakra_reader *reader = self;
    const ChakraProtoMsg__Node *node;
    int rc = asim_chakra_at(reader->file, position, &node, err);
    return rc ? rc : to_op(reader, node, op, err);
}

static void close_reader(void *self)
{
    struct chakra_reader *reader = self;

    asim_chakra_close(reader->file);
    free(reader);
}

const struct asim_trace_format asim_trace_format_chakra = {
    .member = {.name = "chakra", .about = "Chakra execution traces, schema 0.0.4 and later"},
    .suffix = "et",
    .sniff = sniff,
    .open = open_reader,
    .next = next,
    .tell = tell,
    .at = at,
    .close = close_reader,
    .version = version,
};
