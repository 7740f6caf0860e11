/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Derives the type of a collective from names, and reads the communication of a node. RCCL launches
 * every collective under one kernel name (ncclDevKernel_Generic…); its type is in the args that
 * PyTorch attaches to the kernel, in the record_param_comms around the launch, or in the nccl:… or
 * c10d::… op above it. The converter asks them in this order; this file reads a single node.
 */
#include "convert/comm.h"

#include <ctype.h>
#include <string.h>
#include "link/host.h"
#include "json/access.h"
#include "json/print.h"

struct word {
    const char *word;
    int kind;
};

/* The first match wins, so a longer word comes before the words it contains. */
static const struct word words[] = {
    {"allreduce", ASIM_ALL_REDUCE},  {"alltoall", ASIM_ALL_TO_ALL},
    {"allgather", ASIM_ALL_GATHER},  {"reducescatter", ASIM_REDUCE_SCATTER},
    {"broadcast", ASIM_BROADCAST},   {"barrier", ASIM_BARRIER},
    {"sendrecv", ASIM_COMM_UNKNOWN}, {"gather", ASIM_GATHER},
    {"scatter", ASIM_SCATTER},       {"reduce", ASIM_REDUCE},
    {"send", ASIM_COMM_SEND},        {"recv", ASIM_COMM_RECV},
    {"wait", ASIM_COMM_WAIT}};

/* Lower case without '_' and '-', cut at '(': "ncclDevKernel_AllReduce_Sum(…" -> "…allreducesum".
 */
static void squeeze(const char *name, char *out, size_t size)
{
    size_t n = 0;

    for (; *name && *name != '(' && n + 1 < size; name++)
        if (*name != '_' && *name != '-')
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = 0;
}

int asim_comm_kind(const char *name)
{
    char flat[256];

    squeeze(name, flat, sizeof flat);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(flat, words[i].word))
            return words[i].kind;
    return ASIM_COMM_UNKNOWN;
}

int asim_comm_kind_compat(const char *name)
{
    int kind = asim_comm_kind(name);

    if (kind == ASIM_ALL_REDUCE || kind == ASIM_ALL_TO_ALL || kind == ASIM_ALL_GATHER ||
        kind == ASIM_REDUCE_SCATTER || kind == ASIM_BROADCAST)
        return kind;
    return strstr(name, "ncclDevKernel_SendRecv") ? ASIM_ALL_TO_ALL : ASIM_COMM_UNKNOWN;
}

int asim_comm_is_kernel(const char *name, int compat)
{
    if (strstr(name, "ncclKernel") || strstr(name, "ncclDevKernel"))
        return 1;
    if (compat)
        return 0;
    if (strstr(name, "mscclKernel") || strstr(name, "rcclKernel") || !strncmp(name, "nccl:", 5))
        return 1;
    return !strncmp(name, "nccl", 4) && strstr(name, "Kernel"); /* ncclAllReduceRingLLKernel_… */
}

int asim_comm_is_host(const char *name)
{
    return !strcmp(name, "record_param_comms") || !strncmp(name, "nccl:", 5) ||
           !strncmp(name, "c10d::", 6);
}

/* Names of c10::ScalarType, C++ and NumPy, as versions of the observer write them. */
uint64_t asim_comm_type_bytes(const char *name)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {{"byte", 1},        {"char", 1},          {"bool", 1},      {"uint8", 1},
                 {"int8", 1},        {"unsigned char", 1}, {"float8", 1},    {"short", 2},
                 {"int16", 2},       {"half", 2},          {"c10::half", 2}, {"float16", 2},
                 {"bfloat16", 2},    {"c10::bfloat16", 2}, {"int", 4},       {"int32", 4},
                 {"float", 4},       {"float32", 4},       {"long", 8},      {"long int", 8},
                 {"int64", 8},       {"double", 8},        {"float64", 8},   {"complex64", 8},
                 {"uint16", 2},      {"uint32", 4},        {"uint64", 8},    {"complexfloat", 8},
                 {"complex128", 16}, {"complexdouble", 16}};
    char low[32];
    size_t n = 0;

    for (; name[n] && n + 1 < sizeof low; n++)
        low[n] = (char)tolower((unsigned char)name[n]);
    low[n] = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(low, types[i].name))
            return types[i].bytes;
    return strncmp(low, "float8_", 7) ? 0 : 1;
}

/* [tensor id, storage id, offset, elements, bytes each, device]; 0 for any other list. */
static uint64_t tensor_bytes(const struct asim_jdoc *doc, const struct asim_jv *v)
{
    int64_t count, each;

    if (!v || v->kind != ASIM_J_ARRAY || v->n < 5 ||
        asim_jv_i64(doc, asim_jv_item(doc, v, 3), &count) ||
        asim_jv_i64(doc, asim_jv_item(doc, v, 4), &each) || count < 0 || each < 0)
        return 0;
    return each && count > INT64_MAX / each ? (uint64_t)INT64_MAX : (uint64_t)(count * each);
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b > (uint64_t)INT64_MAX ? (uint64_t)INT64_MAX : a + b;
}

static int type_is(const struct asim_jdoc *doc, const struct asim_jv *type, const char *head)
{
    size_t n = strlen(head);

    return type->kind == ASIM_J_STRING && type->text_n >= n &&
           !memcmp(asim_jv_text(doc, type), head, n);
}

/* Sum of the tensors among "values" by "types" of a node's inputs. Saturates at INT64_MAX. */
static uint64_t input_bytes(const struct asim_jdoc *doc)
{
    const struct asim_jv *in = asim_jv_get(doc, &doc->at[0], "inputs");
    const struct asim_jv *v, *type;
    uint64_t sum = 0;

    if (in && in->kind == ASIM_J_ARRAY) { /* schema 1.0.1 */
        v = asim_jv_first(doc, in);
        type = asim_jv_first(doc, asim_jv_get(doc, &doc->at[0], "input_types"));
    } else {
        v = asim_jv_first(doc, asim_jv_get(doc, in, "values"));
        type = asim_jv_first(doc, asim_jv_get(doc, in, "types"));
    }
    for (; v && type; v = asim_jv_next(doc, v), type = asim_jv_next(doc, type)) {
        const struct asim_jv *t;

        if (type_is(doc, type, "GenericList[Tensor")) {
            for (t = asim_jv_first(doc, v); t; t = asim_jv_next(doc, t))
                sum = add(sum, tensor_bytes(doc, t));
        } else if (type_is(doc, type, "Tensor")) {
            sum = add(sum, tensor_bytes(doc, v));
        }
    }
    return sum;
}

struct read {
    struct asim_comm *comm;
    const struct asim_jdoc *doc;
    struct asim_names *names;
    struct asim_jbuf text;
    int failed;
};

static const char *string_of(struct read *rd, const struct asim_jv *v)
{
    const char *text;

    if (!v || v->kind != ASIM_J_STRING)
        return NULL;
    text = asim_jv_string(rd->doc, v, &rd->text);
    rd->failed |= !text;
    return text;
}

/* Later values replace earlier ones: attrs before inputs, the node before its attrs. */
static void take_group(struct read *rd, const struct asim_jv *v)
{
    const char *name = string_of(rd, v);

    if (!name || !*name)
        return;
    rd->comm->pg_name = asim_names_put(rd->names, name, strlen(name));
    rd->failed |= rd->comm->pg_name == ASIM_NONE;
}

/* Rows to each member of an all-to-all: a list, or one in a string. An empty one says equal parts.
 * The first that is stated stays. */
static void take_splits(struct read *rd, const struct asim_jv *v)
{
    struct asim_jbuf list = {0}, scratch = {0};

    if (rd->comm->splits != ASIM_NONE || !v)
        return;
    if (v->kind == ASIM_J_ARRAY)
        asim_jprint_repr(&list, rd->doc, v, &scratch);
    else if (v->kind == ASIM_J_STRING && string_of(rd, v))
        asim_jbuf_text(&list, rd->text.at);
    asim_jbuf_put(&list, "", 1);
    rd->failed |= list.failed || scratch.failed;
    if (!rd->failed && strstr(list.at, "..."))
        rd->comm->splits_cut = 1;
    else if (!rd->failed && list.n > 3 && list.at[0] == '[') {
        rd->comm->splits = asim_names_put(rd->names, list.at, list.n - 1);
        rd->failed |= rd->comm->splits == ASIM_NONE;
    }
    asim_jbuf_fini(&list);
    asim_jbuf_fini(&scratch);
}

/* A sequence number, or [number, whether it counts sends and receives], which count apart. */
static int64_t sequence_of(const struct read *rd, const struct asim_jv *v)
{
    const struct asim_jdoc *doc = rd->doc;
    const struct asim_jv *is_p2p = asim_jv_item(doc, v, 1);
    int64_t seq;

    if (v && v->kind == ASIM_J_ARRAY)
        v = asim_jv_item(doc, v, 0);
    if (asim_jv_i64(doc, v, &seq) || seq < 0 || seq > INT64_MAX / 4)
        return -1;
    return 2 * seq + (is_p2p && is_p2p->kind == ASIM_J_TRUE);
}

/* The first value that is a whole number stays. */
static void take_number(const struct read *rd, int64_t *out, const struct asim_jv *v)
{
    int64_t number;

    if (*out < 0 && !asim_jv_i64(rd->doc, v, &number) && number >= 0)
        *out = number;
}

/* inputs of record_param_comms: …, sequence, group, rank or peer, "name", splits, first rank of
 * the group, stride, size. Collectives have tensors in front, waits do not, so positions count from
 * the name. */
static void read_record(struct read *rd)
{
    const struct asim_jdoc *doc = rd->doc;
    const struct asim_jv *in = asim_jv_get(doc, &doc->at[0], "inputs"), *group;
    const struct asim_jv *values =
        in && in->kind == ASIM_J_ARRAY ? in : asim_jv_get(doc, in, "values");
    const char *name = NULL;
    size_t at = 3;

    for (; at < 5; at++) {
        name = string_of(rd, asim_jv_item(doc, values, at));
        if (name && asim_comm_kind(name) != ASIM_COMM_UNKNOWN)
            break;
        name = NULL;
    }
    rd->comm->is_record = 1;
    if (!name)
        return;
    rd->comm->kind = asim_comm_kind(name);
    rd->comm->seq = sequence_of(rd, asim_jv_item(doc, values, at - 3));
    take_splits(rd, asim_jv_item(doc, values, at + 1));
    take_number(rd, &rd->comm->first, asim_jv_item(doc, values, at + 3));
    take_number(rd, &rd->comm->stride, asim_jv_item(doc, values, at + 4));
    take_number(rd, &rd->comm->size, asim_jv_item(doc, values, at + 5));
    if (asim_jv_i64(doc, asim_jv_item(doc, values, at - 1), &rd->comm->peer))
        rd->comm->peer = -1;
    group = asim_jv_item(doc, values, at - 2);
    if (group && group->kind == ASIM_J_ARRAY)
        take_group(rd, asim_jv_item(doc, group, 0));
    else if (group && group->kind == ASIM_J_STRING)
        take_group(rd, group);
}

/* Number of elements and their type, from record_param_comms attrs or a kernel's args. */
static void read_elements(struct read *rd, const struct asim_jv *count, const struct asim_jv *type)
{
    const char *name = string_of(rd, type);
    uint64_t each = name ? asim_comm_type_bytes(name) : 0;
    int64_t n;

    if (each && !asim_jv_i64(rd->doc, count, &n) && n > 0)
        rd->comm->msg_bytes = n > INT64_MAX / 16 ? (uint64_t)INT64_MAX : (uint64_t)n * each;
}

/* "nccl:coalesced", "end_coalescing": no collective of their own. */
static int ends_batch(const char *name)
{
    return strstr(name, "coalesc") && asim_comm_kind(name) == ASIM_COMM_UNKNOWN;
}

static void read_attrs(struct read *rd)
{
    const char *name = string_of(rd, asim_host_attr(rd->doc, "collective_name"));

    if (name && asim_comm_kind(name) != ASIM_COMM_UNKNOWN)
        rd->comm->kind = asim_comm_kind(name);
    rd->comm->is_batch |= name && ends_batch(name);
    take_group(rd, asim_host_attr(rd->doc, "pg_name"));
    take_splits(rd, asim_host_attr(rd->doc, "in_split_size"));
    take_number(rd, &rd->comm->first, asim_host_attr(rd->doc, "global_rank_start"));
    take_number(rd, &rd->comm->stride, asim_host_attr(rd->doc, "global_rank_stride"));
    take_number(rd, &rd->comm->size, asim_host_attr(rd->doc, "pg_size"));
    read_elements(rd, asim_host_attr(rd->doc, "in_msg_nelems"), asim_host_attr(rd->doc, "dtype"));
}

/* The fields that PyTorch 2.3 and later write beside a kernel of NCCL or RCCL. */
static void read_kernel_args(struct read *rd)
{
    const struct asim_jdoc *doc = rd->doc;
    const struct asim_jv *args = asim_jv_get(doc, &doc->at[0], "kineto_args");
    const char *name = string_of(rd, asim_jv_get(doc, args, "Collective name"));

    if (name && asim_comm_kind(name) != ASIM_COMM_UNKNOWN) {
        rd->comm->kind = asim_comm_kind(name);
        rd->comm->from_name = 0;
    }
    rd->comm->is_batch |= name && ends_batch(name);
    take_splits(rd, asim_jv_get(doc, args, "In split size"));
    take_number(rd, &rd->comm->first, asim_jv_get(doc, args, "Global rank start"));
    take_number(rd, &rd->comm->stride, asim_jv_get(doc, args, "Global rank stride"));
    take_number(rd, &rd->comm->size, asim_jv_get(doc, args, "Group size"));
    read_elements(rd, asim_jv_get(doc, args, "In msg nelems"), asim_jv_get(doc, args, "dtype"));
    if (asim_jv_i64(doc, asim_jv_get(doc, args, "Src Rank"), &rd->comm->src))
        rd->comm->src = -1;
    if (asim_jv_i64(doc, asim_jv_get(doc, args, "Dst Rank"), &rd->comm->dst))
        rd->comm->dst = -1;
}

/* Some releases write both ends, some only the partner, under either name. */
int64_t asim_comm_partner(const struct asim_comm *comm)
{
    int is_recv = comm->kind == ASIM_COMM_RECV;
    int64_t other = is_recv ? comm->src : comm->dst, own = is_recv ? comm->dst : comm->src;

    return other >= 0 ? other : own >= 0 ? own : comm->peer;
}

/* When a call ended, or a kernel was launched, as the linker has written it. */
static double called_us(const struct asim_jdoc *doc)
{
    const struct asim_jv *node = &doc->at[0];
    double ts, length;

    if (!asim_jv_double(doc, asim_jv_get(doc, node, "launch_ts"), &ts))
        return ts;
    if (asim_jv_double(doc, asim_jv_get(doc, node, "ts"), &ts) ||
        asim_jv_double(doc, asim_jv_get(doc, node, "inclusive_dur"), &length))
        return -1;
    return ts + length;
}

int asim_comm_read(struct asim_comm *comm, const struct asim_jdoc *doc, const char *name,
                   struct asim_names *names)
{
    struct read rd = {.comm = comm, .doc = doc, .names = names};

    *comm = (struct asim_comm){.kind = asim_comm_kind(name),
                               .pg_name = ASIM_NONE,
                               .splits = ASIM_NONE,
                               .peer = -1,
                               .src = -1,
                               .dst = -1,
                               .seq = -1,
                               .first = -1,
                               .stride = -1,
                               .size = -1,
                               .called_us = called_us(doc),
                               .is_batch = ends_batch(name),
                               .gpu = ASIM_NONE};
    comm->from_name = !asim_comm_is_host(name);
    comm->sendrecv = strstr(name, "SendRecv") != NULL;
    comm->bytes = input_bytes(doc);
    if (!strcmp(name, "record_param_comms"))
        read_record(&rd);
    read_attrs(&rd);
    take_group(&rd, asim_jv_get(doc, &doc->at[0], "pg_name"));
    if (asim_jv_get(doc, &doc->at[0], "kineto_args"))
        read_kernel_args(&rd);
    asim_jbuf_fini(&rd.text);
    return rd.failed ? ASIM_ENOMEM : 0;
}
