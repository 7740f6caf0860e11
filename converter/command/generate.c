/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace generate: microbenchmark traces. Each rank gets a sequence of stages: one collective
 * (or a send and a receive around the ring, or a computation) per stage, optionally with a
 * computation between two stages. Every node of a stage waits for every node of the previous stage,
 * unless --independent. Names and attributes are those of the published one-collective examples, so
 * `--type all_reduce --count 1` gives their bytes.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "base/text.h"
#include "cli/args.h"
#include "asim/trace.h"
#include "cli/file_set.h"

#define VERSION "0.0.4"

enum type {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    BROADCAST,
    BARRIER,
    REDUCE,
    GATHER,
    SCATTER,
    SEND_RECV,
    INCAST,
    COMPUTE
};
#define TYPES                                                                                      \
    "all_reduce|all_gather|reduce_scatter|all_to_all|broadcast|barrier|reduce|gather|scatter|"     \
    "send_recv|incast|compute"

static const struct {
    const char *name;
    int comm_type; /* CollectiveCommType of chakra.proto */
} types[] = {
    {"all_reduce", 0}, {"all_gather", 2}, {"reduce_scatter", 7}, {"all_to_all", 6},
    {"broadcast", 5},  {"barrier", 9},    {"reduce", 1},         {"gather", 3},
    {"scatter", 4},    {"send_recv", -1}, {"incast", -1},        {"compute", -1},
};

struct settings {
    char *out, *sizes;
    uint32_t ranks;
    int type, independent, force;
    uint64_t size_bytes, count, nodes, compute_us;
    uint64_t *list; /* sizes as numbers, or NULL; run() frees it */
};

#define AT(field) offsetof(struct settings, field)
static const struct asim_option options[] = {
    {"out", "output", "workload prefix; rank r's trace is <prefix>.<r>.et (required)", NULL,
     ASIM_T_STRING, AT(out), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"ranks", "n", "number of ranks, one file each", "2", ASIM_T_U32, AT(ranks), 1, 1048576},
    {"type", "t",
     "kind of each stage; send_recv passes data around the ring of ranks, incast from all ranks to "
     "rank 0",
     "all_reduce", ASIM_T_CHOICE, AT(type), 0, 0, TYPES},
    {"size", "s", "bytes of each collective or message (barrier: always 0)", "1MiB", ASIM_T_SIZE,
     AT(size_bytes)},
    {"sizes", NULL,
     "all_to_all with a size for each pair: SIZE,SIZE,... one for each rank; rank r sends the d-th "
     "of them to the rank d places on, so the first, to itself, is ignored",
     NULL, ASIM_T_STRING, AT(sizes)},
    {"count", "c", "number of stages", "1", ASIM_T_U64, AT(count), 1, 4e9},
    {"nodes", NULL, "instead of --count: as many stages as fit into so many nodes per rank", "0",
     ASIM_T_U64, AT(nodes), 0, 4e9},
    {"compute-us", NULL,
     "us of the computation put between two stages, 0 = none; with --type compute: of each stage",
     "0", ASIM_T_U64, AT(compute_us), 0, 1e15},
    {"independent", NULL, "no dependencies: all nodes may start at once", "0", ASIM_T_BOOL,
     AT(independent)},
    {0}};

/* The trace of one rank during writing. */
struct chain {
    const struct settings *set;
    struct asim_chakra_writer *writer;
    uint32_t rank;
    uint64_t next_id, stage; /* stage: without the computations in between */
    uint64_t *before;        /* ids of the previous stage */
    size_t before_n;
};

static int is_bare(const struct settings *set)
{
    return set->count == 1 && set->nodes == 0;
}

/* Adds the next node: the caller sets type, name and attributes. */
static int put(struct chain *chain, struct asim_chakra_node *node, struct asim_err *err)
{
    node->id = chain->next_id++;
    node->data_deps = chain->before;
    node->data_dep_n = chain->set->independent ? 0 : chain->before_n;
    node->duration_micros = node->type == ASIM_OP_COMP ? chain->set->compute_us : 0;
    return asim_chakra_writer_node(chain->writer, node, err);
}

static struct asim_chakra_attr on_gpu(void)
{
    return (struct asim_chakra_attr){.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL};
}

static struct asim_chakra_attr integer(const char *name, int kind, uint64_t value)
{
    struct asim_chakra_attr attr = {.name = name, .type = kind};
    attr.value.i = (int64_t)value;
    return attr;
}

static int put_compute(struct chain *chain, struct asim_err *err)
{
    struct asim_chakra_attr attrs[] = {on_gpu()};
    struct asim_chakra_node node = {.type = ASIM_OP_COMP, .attrs = attrs, .attr_n = 1};
    char name[48];
    snprintf(name, sizeof name, is_bare(chain->set) ? "comp" : "comp_%" PRIu64, chain->next_id);
    node.name = name;
    return put(chain, &node, err);
}

static int put_collective(struct chain *chain, struct asim_err *err)
{
    const struct settings *set = chain->set;
    char name[96];
    snprintf(name, sizeof name, "%s_%" PRIu32 "npus_%" PRIu64 "B_%" PRIu64, types[set->type].name,
             set->ranks, set->size_bytes, chain->stage);
    struct asim_chakra_attr attrs[4] = {
        on_gpu(),
        integer("comm_type", ASIM_CHAKRA_INT64, (uint64_t)types[set->type].comm_type),
        integer("comm_size", ASIM_CHAKRA_INT64, set->size_bytes),
    };
    struct asim_chakra_node node = {
        .type = ASIM_OP_COMM_COLL, .name = name, .attrs = attrs, .attr_n = 3};
    if (!set->list)
        return put(chain, &node, err);
    uint64_t *own = malloc(set->ranks * sizeof *own);
    if (!own)
        return asim_err_nomem(err, "writing traces");
    for (uint32_t d = 0; d < set->ranks; d++)
        own[(chain->rank + d) % set->ranks] = set->list[d];
    attrs[node.attr_n++] = (struct asim_chakra_attr){.name = "comm_sizes",
                                                     .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64),
                                                     .value.list = {own, set->ranks}};
    int rc = put(chain, &node, err);
    free(own);
    return rc;
}

static int put_message(struct chain *chain, int type, uint32_t peer, struct asim_err *err)
{
    const struct settings *set = chain->set;
    int is_send = type == ASIM_OP_COMM_SEND;
    char name[64];
    snprintf(name, sizeof name, "%s_%" PRIu64, is_send ? "send" : "recv", chain->stage);
    struct asim_chakra_attr attrs[] = {
        on_gpu(),
        integer("comm_size", ASIM_CHAKRA_INT64, set->size_bytes),
        integer(is_send ? "comm_dst" : "comm_src", ASIM_CHAKRA_INT32, peer),
        integer("comm_tag", ASIM_CHAKRA_INT32, chain->stage & INT32_MAX),
    };
    struct asim_chakra_node node = {.type = type, .name = name, .attrs = attrs, .attr_n = 4};
    return put(chain, &node, err);
}

/* Adds the nodes of the next stage, which waits for the previous one. */
static int put_stage(struct chain *chain, int is_between, struct asim_err *err)
{
    uint64_t first = chain->next_id;
    uint32_t ranks = chain->set->ranks;
    int rc = 0;
    if (is_between || chain->set->type == COMPUTE) {
        rc = put_compute(chain, err);
    } else if (chain->set->type == SEND_RECV) {
        rc = put_message(chain, ASIM_OP_COMM_SEND, (chain->rank + 1) % ranks, err);
        if (!rc)
            rc = put_message(chain, ASIM_OP_COMM_RECV, (chain->rank + ranks - 1) % ranks, err);
    } else if (chain->set->type == INCAST) {
        if (chain->rank)
            rc = put_message(chain, ASIM_OP_COMM_SEND, 0, err);
        for (uint32_t r = 1; !chain->rank && r < ranks && !rc; r++)
            rc = put_message(chain, ASIM_OP_COMM_RECV, r, err);
    } else {
        rc = put_collective(chain, err);
    }
    chain->stage += !is_between;
    chain->before_n = (size_t)(chain->next_id - first);
    for (size_t i = 0; i < chain->before_n; i++)
        chain->before[i] = first + i;
    return rc;
}

static int put_stages(struct chain *chain, struct asim_err *err)
{
    const struct settings *set = chain->set;
    uint64_t step = set->type == SEND_RECV                ? 2
                    : set->type == INCAST && !chain->rank ? set->ranks - 1
                                                          : 1;
    int has_between = set->compute_us && set->type != COMPUTE, is_between = 0, rc = 0;
    while (!rc) {
        uint64_t n = is_between ? 1 : step;
        if (set->nodes ? chain->next_id + n > set->nodes : chain->stage == set->count)
            break;
        rc = put_stage(chain, is_between, err);
        is_between = has_between && !is_between;
    }
    return rc;
}

static int write_rank(const struct settings *set, const char *path, uint32_t rank, uint64_t *nodes,
                      struct asim_err *err)
{
    struct chain chain = {.set = set, .rank = rank};
    int rc;
    chain.before = calloc((size_t)set->ranks + 2, sizeof *chain.before);
    if (!chain.before)
        return asim_err_nomem(err, "writing traces");
    rc = asim_chakra_writer_open(&chain.writer, path, err);
    if (rc) {
        free(chain.before);
        return rc;
    }
    rc = asim_chakra_writer_metadata(chain.writer, VERSION, NULL, 0, err);
    if (!rc)
        rc = put_stages(&chain, err);
    *nodes = chain.next_id;
    free(chain.before);
    if (!rc)
        return asim_chakra_writer_commit(chain.writer, err);
    asim_chakra_writer_discard(chain.writer);
    return rc;
}

/* Writes every rank's file. */
static int write_all(const struct settings *set, uint64_t *nodes, struct asim_err *err)
{
    struct asim_file_set files = {0};
    int rc = asim_file_set_begin(&files, set->out, set->ranks, set->force, err);
    for (uint32_t r = 0; r < set->ranks && !rc; r++) {
        const char *temp_name;
        rc = asim_file_set_rank(&files, set->out, r, &temp_name, err);
        if (!rc)
            rc = write_rank(set, temp_name, r, nodes, err);
    }
    return asim_file_set_end(&files, rc, err);
}

/* Parses --sizes; the sum becomes the size in names and comm_size. */
static int read_sizes(struct settings *set, struct asim_err *err)
{
    const char *at = set->sizes;
    char word[32];
    uint64_t sum = 0, n = 0;
    if (set->type != ALL_TO_ALL)
        return asim_err_set(err, ASIM_EUSAGE, "--sizes goes with --type=all_to_all only.");
    set->list = calloc(set->ranks, sizeof *set->list);
    if (!set->list)
        return asim_err_nomem(err, "writing traces");
    while (*at && n < set->ranks) {
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        if (asim_text_size(word, &set->list[n]))
            return asim_err_set(err, ASIM_EUSAGE,
                                "--sizes: '%s' is no size; expected such as 64KiB or 0.", word);
        if (set->list[n] > INT64_MAX - sum)
            return asim_err_set(err, ASIM_EUSAGE, "--sizes: their sum passes 2^63 - 1.");
        sum += set->list[n++];
        at += length + (at[length] == ',');
    }
    if (*at || n != set->ranks)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--sizes has %s sizes than the %" PRIu32 " ranks; give one for each.",
                            *at ? "more" : "fewer", set->ranks);
    set->size_bytes = sum;
    return 0;
}

static int check(struct settings *set, struct asim_err *err)
{
    size_t n = set->out ? strlen(set->out) : 0;
    int rc;
    if (!n || set->out[n - 1] == '/')
        return asim_err_set(err, ASIM_EUSAGE,
                            "no workload prefix; give --out=FOLDER/NAME for FOLDER/NAME.0.et ...");
    if ((set->type == SEND_RECV || set->type == INCAST) && set->ranks < 2)
        return asim_err_set(err, ASIM_EUSAGE, "%s wants at least 2 ranks; give --ranks=2.",
                            types[set->type].name);
    if (set->type == INCAST && set->nodes)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "incast has other numbers of nodes on rank 0; give --count instead of --nodes.");
    if (set->size_bytes > INT64_MAX)
        return asim_err_set(err, ASIM_EUSAGE, "--size is more than a trace can say (2^63 - 1).");
    if (set->nodes && set->count != 1)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--count and --nodes both say how long a trace is; give one of them.");
    if (set->sizes && (rc = read_sizes(set, err)))
        return rc;
    if (set->type == BARRIER)
        set->size_bytes = 0;
    if (set->type == COMPUTE && !set->compute_us)
        set->compute_us = 1;
    return 0;
}

static int write_traces(struct settings *set, struct asim_err *err)
{
    uint64_t nodes = 0;
    int rc = check(set, err);
    if (rc)
        return rc;
    rc = write_all(set, &nodes, err);
    if (rc)
        return rc;
    if (set->ranks == 1)
        printf("wrote %s.0.et: ", set->out);
    else
        printf("wrote %s.{0..%" PRIu32 "}.et: ", set->out, set->ranks - 1);
    printf("%" PRIu64 " node%s%s, %s", nodes, nodes == 1 ? "" : "s",
           set->type == INCAST ? " each but rank 0"
           : set->ranks > 1    ? " each"
                               : "",
           types[set->type].name);
    if (set->type != COMPUTE)
        printf(" of %" PRIu64 " bytes", set->size_bytes);
    printf(", %s\n", set->independent ? "independent" : "one after the other");
    return 0;
}

/* The list of sizes is not an option field, so it is freed here. */
static int generate(const struct asim_args *args, struct asim_err *err)
{
    struct settings *set = args->tables[0].base;
    int rc;

    set->force = args->limits.force;
    rc = write_traces(set, err);
    free(set->list);
    return rc;
}

static const struct asim_args_job job = {
    "trace generate",
    "usage: asim trace generate --out=FOLDER/NAME [--option=value ...]\n\n"
    "Writes microbenchmark traces, one file per rank.\n\nOptions:",
    options, 0, generate};

const struct asim_command asim_trace_command_generate = {
    .member = {.name = "generate",
               .about =
                   "write microbenchmark traces: collectives, sends, computations, chained or not",
               .options = options,
               .options_size = sizeof(struct settings)},
    .job = &job,
};
