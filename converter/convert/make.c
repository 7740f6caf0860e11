/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes collectives for traces without GPU operations. chakra_converter turns a host trace alone
 * into a trace without communication. But its record_param_comms nodes name the collectives, so
 * each gets a GPU node below the record, and these nodes run in the order of the calls, as on
 * NCCL's stream.
 */
#include "convert/convert.h"

#include <stdio.h>
#include <string.h>

static int is_wanted(const struct asim_convert *cv, uint32_t node)
{
    uint32_t comm = cv->node.at[node].comm;

    return comm != ASIM_NONE && cv->comm.at[comm].is_record &&
           cv->comm.at[comm].kind != ASIM_COMM_UNKNOWN && cv->comm.at[comm].kind != ASIM_COMM_WAIT;
}

static const char *kind_text(int kind)
{
    return kind == ASIM_COMM_SEND   ? "SEND"
           : kind == ASIM_COMM_RECV ? "RECV"
                                    : asim_coll_type_name(kind);
}

int asim_convert_add(struct asim_convert *cv, const struct asim_made *made)
{
    int alone = made->like == ASIM_NONE;
    struct asim_host_node host = cv->host.node.at[alone ? made->record : made->like];
    struct asim_et_node node = {.flags = ASIM_ET_KERNEL, .stream = ASIM_NONE, .device = -1};
    struct asim_comm comm = cv->comm.at[cv->node.at[made->record].comm];

    if (!alone)
        node = cv->node.at[made->like];
    host.parent = cv->host.node.at[made->parent].id;
    host.id = made->id;
    host.inter_thread = ASIM_NONE;
    comm.is_record = 0;
    comm.is_batch = !alone;
    comm.from_name = 0;
    node.kind = ASIM_ET_GPU;
    node.flags |= ASIM_ET_MADE;
    node.comm = (uint32_t)cv->comm.n;
    node.name = asim_names_put(&cv->names, made->name, strlen(made->name));
    cv->counts.gpu++;
    return node.name == ASIM_NONE || ASIM_VEC_PUSH(cv->comm, comm) ||
                   ASIM_VEC_PUSH(cv->node, node) || ASIM_VEC_PUSH(cv->host.node, host)
               ? ASIM_ENOMEM
               : 0;
}

static int add(struct asim_convert *cv, uint32_t record)
{
    char name[64];

    snprintf(name, sizeof name, "made:%s", kind_text(cv->comm.at[cv->node.at[record].comm].kind));
    cv->counts.host_comm++;
    return asim_convert_add(cv, &(struct asim_made){record, record, ASIM_NONE, ++cv->max_id, name});
}

int asim_convert_make(struct asim_convert *cv, struct asim_err *err)
{
    size_t n = cv->node.n, live = cv->host.node.n - (size_t)cv->host.duplicates;
    int code = 0;

    if (cv->counts.gpu || cv->opt->compat || cv->opt->no_host_comm)
        return 0;
    for (size_t i = 0; i < live && !code; i++)
        if (is_wanted(cv, cv->host.order[i]))
            code = add(cv, cv->host.order[i]);
    for (size_t i = n + 1; i < cv->node.n && !code; i++)
        code = asim_convert_edge(cv, (uint32_t)i, (uint32_t)i - 1);
    if (code)
        return asim_err_nomem(err, "making communication nodes");
    return cv->counts.host_comm ? asim_host_index(&cv->host, err) : 0;
}
