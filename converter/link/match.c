/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the CPU op of each host node: equal Record function ids. Nodes whose parent is not in the
 * file would be lost later and get another parent (assign_parent.c).
 *
 * parity: Chakra's tools use only nodes that can be reached from node 1, and fail without node 1;
 * --compat keeps the first, and both work without node 1.
 */
#include "link/link.h"
#include "json/access.h"
#include "link/host.h"

#include <stdlib.h>
#include <string.h>

struct match {
    struct asim_linking *link;
    ASIM_VEC(uint32_t) names; /* of each node, for aligning; empty if there are ids */
    ASIM_VEC(int64_t) roots;  /* ids of thread roots, by thread number; -1 = none */
    struct asim_jbuf text;
};

#define TID_LIMIT 65536

/* PyTorch numbers threads from 1 in order of appearance, so the array is small. */
static int see_root(struct match *m, const struct asim_host_node *node)
{
    while (m->roots.n <= node->tid)
        if (ASIM_VEC_PUSH(m->roots, -1))
            return -1;
    if (m->roots.at[node->tid] < 0)
        m->roots.at[node->tid] = node->id;
    return 0;
}

static int see_name(struct match *m, const struct asim_jdoc *doc, const struct asim_jv *name)
{
    const char *text = name ? asim_jv_string(doc, name, &m->text) : "";
    uint32_t number = text ? asim_names_put(&m->link->kin.names, text, strlen(text)) : ASIM_NONE;

    return number == ASIM_NONE || ASIM_VEC_PUSH(m->names, number);
}

static int see_node(void *self, const struct asim_jdoc *doc, struct asim_host_node *node,
                    struct asim_err *err)
{
    struct match *m = self;
    const struct asim_jv *name = asim_jv_get(doc, &doc->at[0], "name");
    int64_t rf_id, tid;
    int code = 0;

    if (name && name->kind != ASIM_J_STRING)
        return asim_jreader_fail(&m->link->host.reader, doc, err,
                                 "the node's \"name\" must be a string");
    if (!asim_jv_i64(doc, asim_host_attr(doc, "tid"), &tid) && tid >= 0 && tid < TID_LIMIT)
        node->tid = (uint32_t)tid;
    if (!asim_jv_i64(doc, asim_host_attr(doc, "rf_id"), &rf_id) && rf_id >= !m->link->opt->compat)
        node->cpu = asim_index_get(&m->link->by_rf, rf_id);
    if (asim_jv_is(doc, name, "[pytorch|profiler|execution_trace|thread]") ||
        asim_jv_is(doc, name, "[pytorch|profiler|execution_graph|thread]"))
        code = see_root(m, node);
    if (!code && !m->link->kin.has_rf_ids && !m->link->opt->compat)
        code = see_name(m, doc, name);
    return code ? asim_err_nomem(err, "reading a host trace") : 0;
}

static int index_rf(struct asim_linking *link, struct asim_err *err)
{
    struct asim_kineto *kin = &link->kin;

    if (asim_index_init(&link->by_rf, kin->rf_id.at, sizeof *kin->rf_id.at, kin->rf_id.n))
        return asim_err_nomem(err, "indexing CPU ops");
    for (size_t i = 0; i < kin->cpu.n; i++)
        if (kin->rf_id.at[kin->by_time[i]] >= 0)
            asim_index_put(&link->by_rf, kin->by_time[i]);
    for (size_t i = 0; i < kin->cpu.n; i++) {
        uint32_t *dep = &kin->cpu.at[i].inter_thread;

        if (*dep == ASIM_NONE)
            continue;
        if (kin->rf_id.at[*dep] > 0)
            *dep = asim_index_get(&link->by_rf, kin->rf_id.at[*dep]);
        else if (link->opt->compat || kin->has_rf_ids)
            *dep = ASIM_NONE; /* parity: no op waits for an op without id */
    }
    free(kin->by_time);
    kin->by_time = NULL;
    return 0;
}

/* Not with compat; orphans of a thread without a root go to the process root. */
static int assign_orphans(struct asim_linking *link, const struct match *m, struct asim_err *err)
{
    struct asim_host_roots roots = {m->roots.at, m->roots.n,
                                    link->host.node.at[link->host.order[0]].id};

    return asim_host_adopt(&link->host, &roots) ? asim_err_nomem(err, "reading a host trace") : 0;
}

/* parity: returns 1 for nodes in node 1's tree. Follows parents up and marks the path: visits every
 * node once. */
static int mark_reachable(struct asim_linking *link, uint8_t *state, struct asim_err *err)
{
    struct asim_host_trace *host = &link->host;
    ASIM_VEC(uint32_t) path = {0};

    for (uint32_t i = 0; i < host->node.n; i++) {
        uint32_t at = i;
        uint8_t verdict;

        path.n = 0;
        while (at != ASIM_NONE && !state[at] && host->node.at[at].id != 1) {
            state[at] = 3; /* on the path: meeting it again is a loop, hence unreachable */
            if (ASIM_VEC_PUSH(path, at)) {
                free(path.at);
                return asim_err_nomem(err, "walking a host trace");
            }
            at = asim_index_get(&host->by_id, host->node.at[at].parent);
        }
        verdict = at != ASIM_NONE && (host->node.at[at].id == 1 || state[at] == 1) ? 1 : 2;
        for (size_t k = 0; k < path.n; k++)
            state[path.at[k]] = verdict;
        if (host->node.at[i].id == 1)
            state[i] = 1;
    }
    free(path.at);
    return 0;
}

static int forget_unreachable(struct asim_linking *link, struct asim_err *err)
{
    uint8_t *state = calloc(link->host.node.n + 1, 1);
    int code =
        state ? mark_reachable(link, state, err) : asim_err_nomem(err, "walking a host trace");

    for (size_t i = 0; !code && i < link->host.node.n; i++)
        if (state[i] != 1)
            link->host.node.at[i].cpu = ASIM_NONE;
    free(state);
    return code;
}

/* From CPU ops back to host nodes; if several nodes have one op, the last one counts. */
static int index_hosts(struct asim_linking *link, struct asim_err *err)
{
    struct asim_host_trace *host = &link->host;
    size_t live = host->node.n - (size_t)host->duplicates;

    link->host_of = malloc((link->kin.cpu.n + 1) * sizeof *link->host_of);
    if (!link->host_of)
        return asim_err_nomem(err, "matching ops");
    memset(link->host_of, 0xff, (link->kin.cpu.n + 1) * sizeof *link->host_of);
    link->counts.host_nodes = live;
    for (size_t i = 0; i < live; i++) {
        uint32_t cpu = host->node.at[host->order[i]].cpu;

        if (cpu == ASIM_NONE)
            continue;
        link->host_of[cpu] = host->order[i];
        link->counts.host_matched++;
    }
    return 0;
}

int asim_link_match(struct asim_linking *link, struct asim_err *err)
{
    struct match m = {.link = link};
    struct asim_host_visit visit = {see_node, &m};
    int code = index_rf(link, err);

    if (!code)
        code = asim_host_read(&link->host, link->opt->host, &visit, err);
    asim_index_fini(&link->by_rf);
    ASIM_KINETO_DROP(link->kin.rf_id);
    if (!code)
        code = asim_host_index(&link->host, err);
    if (!code && link->opt->compat)
        code = forget_unreachable(link, err);
    else if (!code)
        code = assign_orphans(link, &m, err);
    if (!code && m.names.n)
        code = asim_link_align(link, m.names.at, err);
    if (!code) {
        asim_host_settle(&link->host);
        code = index_hosts(link, err);
    }
    ASIM_FREE(m.names.at, m.roots.at);
    asim_jbuf_fini(&m.text);
    return code;
}
