/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sets in chakra_generator's order: ids count on through all files, so the ids of a file depend
 * on the number of ranks and on the sets before it.
 */
#include "samples/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/trace.h"
#include "cli/file_set.h"

#define VERSION   "1.0.0"
#define PATH_ROOM 64 /* "/<set>.<rank>.et" */

enum what { ALL_TYPES, TENSOR, COMPUTE, COLLECTIVE };

static const struct set {
    const char *name, *node; /* node NULL = as the set */
    enum what what;
    int type, comm_type, nodes, is_chain;
} sets[] = {
    {"one_metadata_node_all_types", "METADATA_NODE", ALL_TYPES, ASIM_OP_METADATA, 0, 1, 0},
    {"one_remote_mem_load_node", "MEM_LOAD_NODE", TENSOR, ASIM_OP_MEM_LOAD, 0, 1, 0},
    {"one_remote_mem_store_node", "MEM_STORE_NODE", TENSOR, ASIM_OP_MEM_STORE, 0, 1, 0},
    {"one_comp_node", "COMP_NODE", COMPUTE, ASIM_OP_COMP, 0, 1, 0},
    {"two_comp_nodes_independent", "COMP_NODE", COMPUTE, ASIM_OP_COMP, 0, 2, 0},
    {"two_comp_nodes_dependent", "COMP_NODE", COMPUTE, ASIM_OP_COMP, 0, 2, 1},
    {"ALL_REDUCE", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 0, 1, 0},
    {"ALL_TO_ALL", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 6, 1, 0},
    {"ALL_GATHER", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 2, 1, 0},
    {"REDUCE_SCATTER", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 7, 1, 0},
    {"BROADCAST", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 5, 1, 0},
    {"BARRIER", NULL, COLLECTIVE, ASIM_OP_COMM_COLL, 9, 1, 0},
    {"one_comm_send_node", "COMM_SEND_NODE", TENSOR, ASIM_OP_COMM_SEND, 0, 1, 0},
    {"one_comm_recv_node", "COMM_RECV_NODE", TENSOR, ASIM_OP_COMM_RECV, 0, 1, 0},
};
#define BARRIER_TYPE 9

/* attrs has room for three; returns their number. */
static size_t fill(struct asim_chakra_attr *attrs, const struct set *set,
                   const struct asim_samples_options *opt)
{
    memset(attrs, 0, 3 * sizeof *attrs);
    attrs[0].name = "is_cpu_op";
    attrs[0].type = ASIM_CHAKRA_BOOL;
    if (set->what == TENSOR) {
        attrs[1].name = "tensor_size";
        attrs[1].type = ASIM_CHAKRA_UINT64;
        attrs[1].value.u = opt->tensor_bytes;
        return 2;
    }
    if (set->what != COLLECTIVE)
        return 1;
    attrs[1].name = "comm_type";
    attrs[1].type = attrs[2].type = ASIM_CHAKRA_INT64;
    attrs[1].value.i = set->comm_type;
    attrs[2].name = "comm_size";
    attrs[2].value.i = set->comm_type == BARRIER_TYPE ? 0 : (int64_t)opt->comm_bytes;
    return 3;
}

/* The chain of the dependent set: each node waits for the previous one. */
static int write_nodes(struct asim_chakra_writer *writer, const struct set *set,
                       const struct asim_samples_options *opt, uint64_t *next_id,
                       struct asim_err *err)
{
    struct asim_chakra_attr attrs[3];
    struct asim_chakra_node node = {.name = set->node ? set->node : set->name,
                                    .type = set->type,
                                    .attrs = attrs,
                                    .attr_n = fill(attrs, set, opt)};
    int rc = 0;
    if (set->what == ALL_TYPES)
        node.attrs = asim_samples_attrs(&node.attr_n);
    node.duration_micros = set->what == COMPUTE ? opt->micros : 0;
    for (int i = 0; i < set->nodes && !rc; i++) {
        uint64_t before = *next_id - 1;
        node.id = (*next_id)++;
        node.data_deps = &before;
        node.data_dep_n = set->is_chain && i > 0;
        rc = asim_chakra_writer_node(writer, &node, err);
    }
    return rc;
}

static int write_file(const char *path, const struct set *set,
                      const struct asim_samples_options *opt, uint64_t *next_id,
                      struct asim_err *err)
{
    struct asim_chakra_writer *writer = NULL;
    int rc = asim_chakra_writer_open(&writer, path, err);
    if (rc)
        return rc;
    rc = asim_chakra_writer_metadata(writer, VERSION, NULL, 0, err);
    if (!rc)
        rc = write_nodes(writer, set, opt, next_id, err);
    if (!rc)
        return asim_chakra_writer_commit(writer, err);
    asim_chakra_writer_discard(writer);
    return rc;
}

int asim_samples_refuse_existing(const char *folder, struct asim_err *err)
{
    size_t size = strlen(folder) + PATH_ROOM;
    char *prefix = malloc(size);
    int rc = prefix ? 0 : asim_err_nomem(err, "looking for older traces");

    for (size_t s = 0; s < sizeof sets / sizeof *sets && !rc; s++) {
        snprintf(prefix, size, "%s/%s", folder, sets[s].name);
        rc = asim_file_set_refuse_existing_set(prefix, err);
    }
    free(prefix);
    return rc;
}

int asim_samples_write(const struct asim_samples_options *opt, uint64_t *files,
                       struct asim_err *err)
{
    size_t size = strlen(opt->folder) + PATH_ROOM;
    char *path = malloc(size);
    uint64_t next_id = 0;
    int rc = path ? 0 : asim_err_nomem(err, "writing sample traces");
    *files = 0;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        for (uint32_t r = 0; r < opt->ranks && !rc; r++) {
            snprintf(path, size, "%s/%s.%" PRIu32 ".et", opt->folder, sets[s].name, r);
            rc = write_file(path, &sets[s], opt, &next_id, err);
            *files += !rc;
        }
    }
    free(path);
    return rc;
}
