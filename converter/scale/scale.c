/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Copies records with other groups and partners; everything else, unknown attributes included,
 * stays the same. One pass over a recorded trace for each new rank.
 */
#include "scale/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "asim/trace_record.h"
#include "asim/trace.h"

typedef ChakraProtoMsg__Node node_t;
typedef ChakraProtoMsg__AttributeProto attr_t;

enum { MAX_CHANGED = 4 };

/* A copy of a node with its changed attributes. The rest is borrowed. */
struct copy {
    node_t node;
    ChakraProtoMsg__IOInfo inputs;
    attr_t changed[MAX_CHANGED];
    char text[MAX_CHANGED][24];
    size_t n_changed;
};

struct work {
    struct asim_scale *scale;
    uint32_t replica;
    int grows; /* the group of the node, over all replicas */
    const char *path;
    attr_t **attrs; /* the attribute pointers of one node */
    size_t cap_attrs;
    uint8_t *packed;
    size_t cap_packed;
    struct asim_err *err;
};

/* "<file>: node 7 ('name') <what>." */
static int refuse(const struct work *w, const node_t *node, const char *what)
{
    char safe[60];
    return asim_err_set(w->err, ASIM_EINVAL, "%s: node %" PRIu64 " ('%s') %s.", w->path, node->id,
                        asim_text_safe(safe, sizeof safe, node->name ? node->name : ""), what);
}

/* The new number of a group in this replica; 0 stays 0. Negative: not defined. Sets w->grows. */
static int64_t renumber(struct work *w, int64_t id)
{
    const struct asim_scale_group *group = id ? asim_scale_find(w->scale, id) : NULL;

    w->grows = !id || (group && group->grows);
    if (!id)
        return 0;
    return group ? group->new_id + (group->grows ? 0 : w->replica) : -1;
}

/* Replaces the attribute by one of the same name with this number, as text or as int64. */
static void change(struct copy *copy, size_t at, int64_t value, int is_text)
{
    size_t i = copy->n_changed++;
    copy->changed[i] = *copy->node.attr[at];
    snprintf(copy->text[i], sizeof copy->text[i], "%" PRId64, value);
    if (is_text) {
        copy->changed[i].string_val = copy->text[i];
    } else {
        copy->changed[i].value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_VAL;
        copy->changed[i].int64_val = value;
    }
    copy->node.attr[at] = &copy->changed[i];
}

/* pg_name is a string, the older comm_group a number of any type. */
static int change_group(struct work *w, struct copy *copy, size_t at)
{
    const attr_t *attr = copy->node.attr[at];
    int is_text = attr->value_case == CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
    struct asim_attr_int number;
    int64_t id = 0, new_id;
    if (is_text) {
        if (!*attr->string_val)
            return 0;
        if (asim_text_i64(attr->string_val, &id))
            return refuse(w, &copy->node, "has a pg_name that is not a whole number");
    } else {
        if (!asim_attr_int(attr, &number) || number.negative || number.magnitude > INT64_MAX)
            return refuse(w, &copy->node, "has a comm_group that is no group's number");
        id = (int64_t)number.magnitude;
    }
    new_id = renumber(w, id);
    if (new_id < 0)
        return refuse(w, &copy->node,
                      "names a group that nothing defines; give the groups of the recorded ranks "
                      "as --groups=FILE");
    change(copy, at, new_id, is_text);
    return 0;
}

/* Partners stay inside the replica: pipelines and rings repeat as recorded. */
static int change_peer(struct work *w, struct copy *copy, size_t at)
{
    struct asim_attr_int peer;
    if (!asim_attr_int(copy->node.attr[at], &peer) || peer.negative ||
        peer.magnitude >= w->scale->ranks)
        return refuse(w, &copy->node, "names a rank that was not recorded");
    change(copy, at, (int64_t)peer.magnitude + (int64_t)w->replica * w->scale->ranks, 0);
    return 0;
}

/* Keeps the order of attributes and all other attributes. */
static int change_attrs(struct work *w, struct copy *copy)
{
    int rc = 0, has_sizes = 0;

    w->grows = 1;
    for (size_t i = 0; i < copy->node.n_attr && !rc; i++) {
        const char *name = copy->node.attr[i]->name ? copy->node.attr[i]->name : "";
        int is_group = !strcmp(name, "pg_name") || !strcmp(name, "comm_group");
        int is_peer = !strcmp(name, "comm_src") || !strcmp(name, "comm_dst");
        has_sizes |= !strcmp(name, "comm_sizes");
        if ((is_group || is_peer) && copy->n_changed == MAX_CHANGED)
            return refuse(w, &copy->node, "names its group or its partner more than four times");
        if (is_group)
            rc = change_group(w, copy, i);
        else if (is_peer)
            rc = change_peer(w, copy, i);
    }
    if (!rc && has_sizes && w->grows && w->scale->to > w->scale->ranks)
        rc = refuse(w, &copy->node,
                    "is an all-to-all with a size for each member (comm_sizes), whose group grows: "
                    "nothing tells the sizes to other replicas");
    return rc;
}

/* Makes the node for the new rank; its attribute pointers are w->attrs. */
static int make_copy(struct work *w, const node_t *node, struct copy *copy)
{
    copy->node = *node;
    copy->n_changed = 0;
    if (asim_grow(&w->attrs, &w->cap_attrs, node->n_attr + 1, sizeof *w->attrs))
        return asim_err_nomem(w->err, "scaling traces");
    if (node->n_attr)
        memcpy(w->attrs, node->attr, node->n_attr * sizeof *w->attrs);
    copy->node.attr = w->attrs;
    if (asim_scale_defines(node)) { /* the groups file has the groups of all replicas */
        static char none[] = "";
        copy->inputs = *node->inputs;
        copy->inputs.values = none;
        copy->node.inputs = &copy->inputs;
    }
    if (!asim_op_is_comm((int)node->type))
        return 0;
    return change_attrs(w, copy);
}

/* protobuf-c keeps unknown fields. One buffer serves all nodes. */
static int write_node(struct work *w, struct asim_chakra_writer *writer, const node_t *node)
{
    struct copy copy;
    size_t size;
    int rc = make_copy(w, node, &copy);
    if (rc)
        return rc;
    size = chakra_proto_msg__node__get_packed_size(&copy.node);
    if (asim_grow(&w->packed, &w->cap_packed, size + 1, 1))
        return asim_err_nomem(w->err, "scaling traces");
    chakra_proto_msg__node__pack(&copy.node, w->packed);
    return asim_chakra_writer_bytes(writer, w->packed, size, w->err);
}

/* Copies the metadata record. */
static int write_metadata(struct work *w, struct asim_chakra_writer *writer,
                          const struct asim_chakra *trace)
{
    const ChakraProtoMsg__GlobalMetadata *metadata = asim_chakra_metadata(trace);
    size_t size = chakra_proto_msg__global_metadata__get_packed_size(metadata);
    if (asim_grow(&w->packed, &w->cap_packed, size + 1, 1))
        return asim_err_nomem(w->err, "scaling traces");
    chakra_proto_msg__global_metadata__pack(metadata, w->packed);
    return asim_chakra_writer_bytes(writer, w->packed, size, w->err);
}

static int copy_trace(struct work *w, struct asim_chakra *trace, const char *path)
{
    struct asim_chakra_writer *writer = NULL;
    const node_t *node;
    int more = 0, rc = asim_chakra_writer_open(&writer, path, w->err);
    if (rc)
        return rc;
    rc = write_metadata(w, writer, trace);
    while (!rc && (more = asim_chakra_next(trace, &node, w->err)) > 0) {
        rc = write_node(w, writer, node);
        w->scale->nodes++;
    }
    rc = rc ? rc : more;
    if (!rc)
        return asim_chakra_writer_commit(writer, w->err);
    asim_chakra_writer_discard(writer);
    return rc;
}

/* Writes one rank of the new set. Reads the recorded trace again for each replica, so that memory
 * is that of one node. */
static int write_rank(struct asim_scale *scale, uint32_t rank, struct asim_err *err)
{
    struct work w = {.scale = scale, .replica = rank / scale->ranks, .err = err};
    struct asim_chakra *trace = NULL;
    char *from = NULL;
    const char *to;
    int rc = asim_trace_path(scale->input, rank % scale->ranks, &from, err);
    if (!rc)
        rc = asim_file_set_rank(&scale->set, scale->output, rank, &to, err);
    if (!rc)
        rc = asim_chakra_open(&trace, from, err);
    if (!rc) {
        w.path = from;
        rc = copy_trace(&w, trace, to);
    }
    asim_chakra_close(trace);
    ASIM_FREE(w.attrs, w.packed, from);
    return rc;
}

/* Protects the recorded traces and the groups file, and refuses a second set of the same name (one
 * gzip, one plain). */
static int keep_inputs(struct asim_scale *scale, struct asim_err *err)
{
    int rc = 0;

    if (scale->groups_file)
        rc = asim_inputs_add(&scale->set.inputs, scale->groups_file, err);
    for (uint32_t rank = 0; rank < scale->ranks && !rc; rank++) {
        char *path = NULL;
        rc = asim_trace_path(scale->input, rank, &path, err);
        if (!rc)
            rc = asim_inputs_add(&scale->set.inputs, path, err);
        free(path);
    }
    return rc;
}

int asim_scale_run(struct asim_scale *scale, struct asim_err *err)
{
    int rc;
    if (scale->to % scale->ranks || scale->to < scale->ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "%" PRIu32 " ranks are no whole number of replicas of the %" PRIu32
                            " recorded ones; the next possible number is %" PRIu64 ".",
                            scale->to, scale->ranks,
                            ((uint64_t)scale->to / scale->ranks + 1) * scale->ranks);
    rc = keep_inputs(scale, err);
    if (!rc)
        rc = asim_scale_groups(scale, err);
    if (!rc)
        rc = asim_file_set_begin(&scale->set, scale->output, scale->to, scale->force, err);
    for (uint32_t rank = 0; rank < scale->to && !rc; rank++)
        rc = write_rank(scale, rank, err);
    if (!rc && scale->groups.n)
        rc = asim_scale_write_groups(scale, err);
    return asim_file_set_end(&scale->set, rc, err);
}

void asim_scale_fini(struct asim_scale *scale)
{
    for (size_t i = 0; i < scale->groups.n; i++)
        free(scale->groups.at[i].ranks);
    free(scale->groups.at);
}
