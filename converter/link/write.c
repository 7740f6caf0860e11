/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the linked trace: the host trace's members and nodes, renumbered, with the data of the
 * device trace, and a node for each GPU operation: a copy of the host node that launched it, with
 * the kernel's name. Host nodes are read again one at a time, so memory does not grow with the
 * file. The form is json.dumps(indent=4), as in chakra_trace_link.
 *
 * Beyond Chakra's fields: "device", "launch_ts" and the kernel's collective args on GPU nodes,
 * "sync_dep" on GPU nodes, too, "process_groups" at the top. --compat leaves them out.
 */
#include "link/link.h"

#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "json/print.h"
#include "json/access.h"
#include "json/reader.h"
#include "link/host.h"

struct write {
    struct asim_linking *link;
    struct asim_out out;
    struct asim_jbuf buf;
    struct asim_jdoc doc;
    ASIM_VEC(int64_t) gone_ids;
    uint64_t next_id;     /* first id after all nodes */
    size_t gpu_at;        /* next in gpu_order */
    uint32_t *sync_order; /* link->sync by (on_gpu, target) */
    int first;
};

static void key(struct asim_jbuf *buf, const char *name)
{
    asim_jbuf_put(buf, ",", 1);
    asim_jprint_line(buf, 3);
    asim_jbuf_put(buf, "\"", 1);
    asim_jbuf_text(buf, name);
    asim_jbuf_put(buf, "\": ", 3);
}

static void number(struct asim_jbuf *buf, const char *name, double value, int real)
{
    key(buf, name);
    if (real)
        asim_jprint_real(buf, value);
    else
        asim_jprint_int(buf, (int64_t)value);
}

static void text(struct asim_jbuf *buf, const char *name, const char *value)
{
    key(buf, name);
    asim_jprint_string(buf, value, strlen(value));
}

/* The new id of a node's parent. parity: a parent that is not in the file gets a new id after all
 * others, the same for equal ids (chakra.md#renumbering); only --compat has such parents. */
static int parent_id(struct write *w, const struct asim_host_node *node, int64_t *out)
{
    if (node->parent >= 0) {
        *out = w->link->host.node.at[node->parent].new_id;
        return 0;
    }
    for (size_t i = 0; i < w->gone_ids.n; i++)
        if (w->gone_ids.at[i] == node->parent) {
            *out = (int64_t)(w->next_id + i);
            return 0;
        }
    *out = (int64_t)(w->next_id + w->gone_ids.n);
    return ASIM_VEC_PUSH(w->gone_ids, node->parent);
}

static void print_inter_thread(struct write *w, const struct asim_host_node *node)
{
    struct asim_linking *link = w->link;
    uint32_t dep = link->kin.cpu.at[node->cpu].inter_thread, host = ASIM_NONE;

    if (dep != ASIM_NONE)
        host = link->host_of[dep];
    key(&w->buf, "inter_thread_dep");
    /* parity: Chakra's tools know a node only after they have passed its id. */
    if (host == ASIM_NONE || &link->host.node.at[host] == node ||
        (link->opt->compat && link->host.node.at[host].id >= node->id)) {
        asim_jbuf_put(&w->buf, "null", 4);
        return;
    }
    asim_jprint_int(&w->buf, link->host.node.at[host].new_id);
    link->counts.inter_thread++;
}

static uint64_t sync_key(const struct asim_sync_dep *dep)
{
    return (uint64_t)dep->on_gpu << 32 | dep->target;
}

static int by_target(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_sync_dep *dep = ctx;

    return sync_key(&dep[a]) < sync_key(&dep[b]);
}

/* The waits of one target are neighbours in sync_order; bisection finds the first. */
static void print_sync(struct write *w, uint64_t target)
{
    const struct asim_sync_dep *dep = w->link->sync.at;
    size_t low = 0, high = w->link->sync.n, start;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sync_key(&dep[w->sync_order[middle]]) < target)
            low = middle + 1;
        else
            high = middle;
    }
    start = low;
    for (; low < w->link->sync.n && sync_key(&dep[w->sync_order[low]]) == target; low++) {
        if (low == start)
            key(&w->buf, "sync_dep");
        asim_jbuf_text(&w->buf, low == start ? "[" : ",");
        asim_jprint_line(&w->buf, 4);
        asim_jprint_int(&w->buf, w->link->gpu_id[dep[w->sync_order[low]].source]);
    }
    if (low > start) {
        asim_jprint_line(&w->buf, 3);
        asim_jbuf_put(&w->buf, "]", 1);
    }
}

static void begin_node(struct write *w)
{
    w->buf.n = 0;
    asim_jbuf_text(&w->buf, w->first ? "" : ",");
    w->first = 0;
    asim_jprint_line(&w->buf, 2);
    asim_jbuf_put(&w->buf, "{", 1);
}

static void end_node(struct write *w)
{
    asim_jprint_line(&w->buf, 2);
    asim_jbuf_put(&w->buf, "}", 1);
    asim_out_write(&w->out, w->buf.at, w->buf.n);
}

static void print_host(struct write *w, const struct asim_host_node *node,
                       const struct asim_host_head *head)
{
    begin_node(w);
    asim_host_print(&w->buf, &w->doc, head);
    if (node->cpu != ASIM_NONE) {
        const struct asim_kineto_cpu *op = &w->link->kin.cpu.at[node->cpu];

        number(&w->buf, "inclusive_dur", op->dur, op->flags & ASIM_KIN_DUR_REAL);
        number(&w->buf, "exclusive_dur", op->exclusive, op->flags & ASIM_KIN_EXCL_REAL);
        number(&w->buf, "ts", op->ts, op->flags & ASIM_KIN_TS_REAL);
        print_inter_thread(w, node);
        if (w->link->host_of[node->cpu] == (uint32_t)(node - w->link->host.node.at))
            print_sync(w, node->cpu);
    }
    end_node(w);
}

/* parity: chakra_trace_link writes null if the trace names no stream. */
static void print_stream(struct write *w, const struct asim_kineto_gpu *gpu)
{
    const char *stream = asim_names_get(&w->link->kin.names, gpu->stream);
    int is_there = gpu->stream != ASIM_NONE;

    if (!is_there && !w->link->opt->compat)
        return;
    if (is_there && !gpu->stream_is_int) {
        text(&w->buf, "stream", stream);
        return;
    }
    key(&w->buf, "stream");
    asim_jbuf_text(&w->buf, is_there ? stream : "null");
}

/* Fields for the converter: it orders streams and names collectives. */
static void print_extras(struct write *w, const struct asim_kineto_gpu *gpu)
{
    const struct asim_kineto *kin = &w->link->kin;

    if (gpu->device)
        number(&w->buf, "device", gpu->device - 1.0, 0);
    if (gpu->call != ASIM_NONE)
        number(&w->buf, "launch_ts", kin->call.at[gpu->call].ts,
               kin->call.at[gpu->call].flags & ASIM_KIN_TS_REAL);
    if (gpu->comm != ASIM_NONE && kin->gpu_comm.at[gpu->comm].args != ASIM_NONE) {
        key(&w->buf, "kineto_args");
        asim_jbuf_text(&w->buf, asim_names_get(&kin->names, kin->gpu_comm.at[gpu->comm].args));
    }
    print_sync(w, UINT64_C(1) << 32 | (uint64_t)(gpu - kin->gpu.at));
}

static void print_gpu(struct write *w, const struct asim_host_node *node, uint32_t index,
                      uint32_t place)
{
    static const char *const cats[] = {"kernel", "gpu_memcpy", "gpu_memset"};
    const struct asim_kineto_gpu *gpu = &w->link->kin.gpu.at[index];
    const char *name = asim_names_get(&w->link->kin.names, gpu->name);
    struct asim_host_head head = {(int64_t)node->new_id + 1 + place, node->new_id, 1, name};
    int nccl = w->link->opt->compat ? strstr(name, "ncclDevKernel") != NULL : 1;

    begin_node(w);
    asim_host_print(&w->buf, &w->doc, &head);
    number(&w->buf, "inclusive_dur", gpu->dur, gpu->flags & ASIM_KIN_DUR_REAL);
    number(&w->buf, "exclusive_dur", gpu->dur, gpu->flags & ASIM_KIN_DUR_REAL);
    number(&w->buf, "ts", gpu->ts, gpu->flags & ASIM_KIN_TS_REAL);
    print_inter_thread(w, node);
    text(&w->buf, "cat", cats[gpu->kind]);
    text(&w->buf, "ph", "X");
    print_stream(w, gpu);
    if (nccl && gpu->comm != ASIM_NONE && w->link->kin.gpu_comm.at[gpu->comm].pg_name != ASIM_NONE)
        text(&w->buf, "pg_name",
             asim_names_get(&w->link->kin.names, w->link->kin.gpu_comm.at[gpu->comm].pg_name));
    if (!w->link->opt->compat)
        print_extras(w, gpu);
    end_node(w);
}

/* gpus: number of GPU operations of the node, from gpu_order[w->gpu_at] on. */
static int write_node(struct write *w, const struct asim_host_node *node, uint32_t gpus,
                      struct asim_err *err)
{
    struct asim_host_head head = {.id = node->new_id, .has_parent = node->parent != -1};
    int code = asim_jreader_reread(&w->link->host.reader, node->offset, node->size, &w->doc, err);

    if (code)
        return code;
    if (head.has_parent && parent_id(w, node, &head.parent))
        return asim_err_nomem(err, "writing the linked trace");
    print_host(w, node, &head);
    for (uint32_t k = 0; k < gpus; k++)
        print_gpu(w, node, w->link->gpu_order[w->gpu_at++], k);
    return w->buf.failed ? asim_err_nomem(err, "writing the linked trace") : 0;
}

/* Parses members again and prints them, so that all have the same indent. */
static void write_member(struct write *w, const char *name, size_t name_n, const char *value,
                         int *first)
{
    size_t used;
    const char *why;

    w->buf.n = 0;
    asim_jbuf_text(&w->buf, *first ? "" : ",");
    *first = 0;
    asim_jprint_line(&w->buf, 1);
    asim_jprint_string(&w->buf, name, name_n);
    asim_jbuf_put(&w->buf, ": ", 2);
    if (value && asim_jdoc_parse(&w->doc, value, strlen(value) + 1, &used, &why) == ASIM_J_OK)
        asim_jprint_value(&w->buf, &w->doc, &w->doc.at[0], 1);
    else if (value)
        w->buf.failed = 1; /* it was parsed before, so only memory can be missing */
    asim_out_write(&w->out, w->buf.at ? w->buf.at : "", w->buf.n);
}

static int write_all(struct write *w, struct asim_err *err)
{
    struct asim_host_trace *host = &w->link->host;
    size_t live = host->node.n - (size_t)host->duplicates;
    int first = 1, code = 0;

    asim_out_printf(&w->out, "{");
    for (size_t i = 0; i < host->member.n; i++)
        if (host->member.at[i].before)
            write_member(w, host->member.at[i].key, host->member.at[i].key_n,
                         host->member.at[i].text, &first);
    write_member(w, "nodes", 5, NULL, &first);
    asim_out_printf(&w->out, "[");
    for (size_t i = 0; i < live && !code; i++) {
        const struct asim_host_node *node = &host->node.at[host->order[i]];
        uint64_t next = i + 1 < live ? host->node.at[host->order[i + 1]].new_id : w->next_id;

        code = write_node(w, node, (uint32_t)(next - node->new_id - 1), err);
    }
    asim_out_printf(&w->out, "\n    ]");
    for (size_t i = 0; i < host->member.n; i++)
        if (!host->member.at[i].before)
            write_member(w, host->member.at[i].key, host->member.at[i].key_n,
                         host->member.at[i].text, &first);
    if (w->link->kin.groups && !w->link->opt->compat)
        write_member(w, "process_groups", 14, w->link->kin.groups, &first);
    asim_out_printf(&w->out, "\n}");
    return code ? code : w->buf.failed ? asim_err_nomem(err, "writing the linked trace") : 0;
}

int asim_link_write(struct asim_linking *link, struct asim_err *err)
{
    struct write w = {.link = link, .first = 1};
    int code = 0;

    w.next_id = link->next_id;
    w.sync_order = asim_iota_u32(link->sync.n);
    if (!w.sync_order || asim_sort_u32(w.sync_order, link->sync.n, by_target, link->sync.at))
        code = asim_err_nomem(err, "writing the linked trace");
    if (!code)
        code = asim_out_open(&w.out, link->opt->output, err);
    if (!code) {
        code = write_all(&w, err);
        if (code)
            asim_out_discard(&w.out);
        else
            code = asim_out_commit(&w.out, err);
    }
    ASIM_FREE(w.sync_order, w.gone_ids.at);
    asim_jbuf_fini(&w.buf);
    asim_jdoc_fini(&w.doc);
    return code;
}
