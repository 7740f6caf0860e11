/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes in the JSON of the feeder ("workload") and of symbolic_tensor_graph ("stg"), one per line.
 * The feeder leaves missing values uninitialised, so all its keys are written. It follows data
 * dependencies only; control dependencies have their own key, which it ignores.
 */
#include <inttypes.h>
#include <string.h>
#include "dump/dump.h"
#include "json/print.h"
#include "asim/trace_record.h"
#include "json/access.h"

static void put_key(struct asim_jbuf *buf, const char *key)
{
    asim_jbuf_text(buf, ", \"");
    asim_jbuf_text(buf, key);
    asim_jbuf_text(buf, "\": ");
}

static void put_u64(struct asim_jbuf *buf, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    asim_jbuf_text(buf, text);
}

static void put_text(struct asim_jbuf *buf, const char *text)
{
    asim_jprint_string(buf, text ? text : "", text ? strlen(text) : 0);
}

/* Numbers, not the strings of the protobuf form: the readers use them as they are. */
static void put_ids(struct asim_jbuf *buf, const char *key, const uint64_t *ids, size_t n)
{
    put_key(buf, key);
    asim_jbuf_put(buf, "[", 1);
    for (size_t i = 0; i < n; i++) {
        if (i)
            asim_jbuf_text(buf, ", ");
        put_u64(buf, ids[i]);
    }
    asim_jbuf_put(buf, "]", 1);
}

/* 0 if absent: both readers need the key. */
static void put_attr(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node, const char *name)
{
    put_key(buf, name);
    asim_jprint_int(buf, asim_node_i64(node, name, 0));
}

static int is_comm(const ChakraProtoMsg__Node *node)
{
    return asim_op_is_comm((int)node->type);
}

void asim_dump_workload_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node)
{
    static const char *const comm[] = {"tensor_size", "comm_type", "comm_priority", "comm_size",
                                       "comm_src",    "comm_dst",  "comm_tag"};
    asim_jbuf_text(buf, "{\"Id\": ");
    put_u64(buf, node->id);
    put_key(buf, "Name");
    put_text(buf, node->name);
    put_key(buf, "NodeType");
    asim_jprint_int(buf, (int64_t)node->type);
    put_key(buf, "is_cpu_op");
    asim_jbuf_text(buf, asim_node_i64(node, "is_cpu_op", 0) ? "true" : "false");
    put_key(buf, "runtime");
    put_u64(buf, node->duration_micros);
    put_ids(buf, "data_deps", node->data_deps, node->n_data_deps);
    if (node->n_ctrl_deps)
        put_ids(buf, "ctrl_deps", node->ctrl_deps, node->n_ctrl_deps);
    for (size_t i = 0; is_comm(node) && i < sizeof comm / sizeof *comm; i++)
        put_attr(buf, node, comm[i]);
    asim_jbuf_put(buf, "}", 1);
}

/* --- stg --- */

static const char *stg_type(int type)
{
    static const char *const names[] = {"invalid_node",   "metadata_node",  "mem_load_node",
                                        "mem_store_node", "comp_node",      "comm_send_node",
                                        "comm_recv_node", "coll_comm_node", "storage_node",
                                        "batch_node",     "checkpoint_node"};
    return type >= 0 && type < (int)(sizeof names / sizeof *names) ? names[type] : names[0];
}

/* Lists of names that symbolic_tensor_graph wrote; absent elsewhere. */
static void put_strings(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node, const char *name)
{
    const ChakraProtoMsg__AttributeProto *attr = asim_node_attr(node, name);
    if (!attr || attr->value_case != CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_LIST)
        return;
    put_key(buf, name);
    asim_jbuf_put(buf, "[", 1);
    for (size_t i = 0; i < attr->string_list->n_values; i++) {
        if (i)
            asim_jbuf_text(buf, ", ");
        put_text(buf, attr->string_list->values[i]);
    }
    asim_jbuf_put(buf, "]", 1);
}

/* The group is a number; another name is written as a string instead of being lost. */
static void put_collective(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node)
{
    char room[24];
    const char *group = asim_node_group(node, room);
    int64_t type = asim_node_i64(node, "comm_type", -1);
    put_attr(buf, node, "comm_size");
    put_key(buf, "comm_type");
    put_text(buf, type < 0 || type > UINT32_MAX ? "?" : asim_coll_type_name((int)type));
    put_key(buf, "comm_group");
    if (group && *group && strspn(group, "0123456789") == strlen(group) && strlen(group) < 19)
        asim_jbuf_text(buf, group);
    else if (group)
        put_text(buf, group);
    else
        asim_jbuf_text(buf, "null");
}

/* The further fields of each node type. */
static void put_details(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node)
{
    switch ((int)node->type) {
    case ASIM_OP_COMP:
        put_attr(buf, node, "num_ops");
        put_attr(buf, node, "tensor_size");
        put_key(buf, "op_type");
        put_text(buf, asim_node_text(node, "op_type"));
        break;
    case ASIM_OP_COMM_COLL:
        put_collective(buf, node);
        break;
    case ASIM_OP_COMM_SEND:
    case ASIM_OP_COMM_RECV:
        put_attr(buf, node, "comm_size");
        put_attr(buf, node, "comm_tag");
        put_attr(buf, node, (int)node->type == ASIM_OP_COMM_SEND ? "comm_dst" : "comm_src");
        break;
    default:
        put_attr(buf, node, "tensor_size");
    }
}

void asim_dump_stg_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node)
{
    asim_jbuf_text(buf, "{\"id\": ");
    put_u64(buf, node->id);
    put_key(buf, "name");
    put_text(buf, node->name);
    put_key(buf, "node_type");
    put_text(buf, stg_type((int)node->type));
    put_key(buf, "y_tensor_size");
    asim_jprint_int(buf,
                    asim_node_i64(node, "y_tensor_size", asim_node_i64(node, "tensor_size", 0)));
    put_strings(buf, node, "inputs");
    put_strings(buf, node, "outputs");
    put_ids(buf, "data_deps", node->data_deps, node->n_data_deps);
    put_ids(buf, "ctrl_deps", node->ctrl_deps, node->n_ctrl_deps);
    put_details(buf, node);
    asim_jbuf_put(buf, "}", 1);
}
