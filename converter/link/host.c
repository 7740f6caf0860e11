/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a host trace in one pass. A node needs an integer id and, depending on its form, a parent
 * ("ctrl_deps"; in 1.0.1 "parent"). A node that is listed twice keeps its last text, as in the
 * dictionaries of Chakra's tools. Other top-level members are kept as text and written again.
 */
#include "link/host.h"

#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "json/access.h"

#define MEMBER_LIMIT ((size_t)64 << 20) /* text of the other members */

enum { NODES = 1, SCHEMA = 2 };

struct load {
    struct asim_host_trace *host;
    struct asim_jdoc doc;
    const struct asim_host_visit *visit;
    struct asim_err *err;
    size_t member_bytes;
    int seen_nodes;
};

static int bad(struct load *ld, const struct asim_jv *node, const char *field)
{
    const struct asim_jv *v = asim_jv_get(&ld->doc, node, field);
    char found[ASIM_JV_SHOWN];

    if (!v)
        return asim_jreader_fail(&ld->host->reader, &ld->doc, ld->err,
                                 "the node has no \"%s\"; a host trace's nodes need \"id\" and "
                                 "\"ctrl_deps\" (or \"parent\", schema 1.0.1)",
                                 field);
    return asim_jreader_fail(&ld->host->reader, &ld->doc, ld->err,
                             "the node's \"%s\" must be a whole number of at least 0, found %s",
                             field, asim_jv_show(&ld->doc, v, found));
}

const struct asim_jv *asim_host_attr(const struct asim_jdoc *doc, const char *name)
{
    const struct asim_jv *node = &doc->at[0], *found = NULL;
    const struct asim_jv *attrs = asim_jv_get(doc, node, "attrs");

    if (!attrs)
        return asim_jv_get(doc, node, name);
    for (const struct asim_jv *a = asim_jv_first(doc, attrs); a; a = asim_jv_next(doc, a))
        if (asim_jv_is(doc, asim_jv_get(doc, a, "name"), name))
            found = asim_jv_get(doc, a, "value");
    return found;
}

/* Keeps the position of the text, which stays in the file. */
static int add_node(struct load *ld)
{
    struct asim_host_trace *host = ld->host;
    const struct asim_jv *v = &ld->doc.at[0], *parent;
    struct asim_host_node node = {.cpu = ASIM_NONE};

    if (v->kind != ASIM_J_OBJECT)
        return asim_jreader_fail(&host->reader, &ld->doc, ld->err, "a node must be an object");
    if (asim_jv_i64(&ld->doc, asim_jv_get(&ld->doc, v, "id"), &node.id) || node.id < 0)
        return bad(ld, v, "id");
    parent = asim_jv_get(&ld->doc, v, "ctrl_deps");
    if (!parent && asim_jv_get(&ld->doc, v, "parent")) {
        parent = asim_jv_get(&ld->doc, v, "parent");
        host->flat = 1;
    }
    if (!asim_jv_i64(&ld->doc, parent, &node.parent) ? node.parent < 0 : parent != NULL)
        return bad(ld, v, host->flat ? "parent" : "ctrl_deps");
    if (!parent)
        node.parent = -1;
    if (host->node.n >= ASIM_NONE / 2)
        return asim_err_set(ld->err, ASIM_ENOMEM, "%s: more than 2 billion nodes.", host->path);
    if (ld->doc.offset >> 36)
        return asim_err_set(ld->err, ASIM_ENOMEM, "%s: larger than 64 GiB.", host->path);
    node.offset = ld->doc.offset & 0xfffffffff;
    node.size = ld->doc.size & 0xfffffff;
    if (ld->visit->see && ld->visit->see(ld->visit->self, &ld->doc, &node, ld->err))
        return -1;
    return ASIM_VEC_PUSH(host->node, node) ? asim_err_nomem(ld->err, "reading a host trace") : 0;
}

/* Other members stay unchanged: newer PyTorch adds some. */
static int add_member(struct load *ld)
{
    struct asim_host_trace *host = ld->host;
    struct asim_host_member member = {.before = !ld->seen_nodes, .key_n = host->reader.name.n};
    struct asim_jbuf text = {0};
    char key[64];
    int code = asim_jreader_value(&host->reader, &ld->doc, ld->err);

    if (code)
        return code;
    ld->member_bytes += ld->doc.size;
    if (ld->member_bytes > MEMBER_LIMIT)
        return asim_err_set(
            ld->err, ASIM_ENOMEM,
            "%s: more than 64 MiB stand beside \"nodes\" (last: \"%s\"); this is no host trace.",
            host->path, asim_text_safe(key, sizeof key, host->reader.key));
    if (!strcmp(host->reader.key, "schema") && asim_jreader_once(&host->reader, SCHEMA, ld->err))
        return ASIM_EINVAL;
    if (!strcmp(host->reader.key, "schema") && ld->doc.at[0].kind == ASIM_J_STRING)
        snprintf(host->schema, sizeof host->schema, "%.*s", (int)ld->doc.at[0].text_n,
                 asim_jv_text(&ld->doc, &ld->doc.at[0]));
    asim_jbuf_put(&text, ld->doc.text, ld->doc.size);
    member.text = text.at;
    member.key = malloc(member.key_n + 1);
    if (member.key)
        memcpy(member.key, host->reader.name.at, member.key_n + 1);
    if (text.failed || !member.key || ASIM_VEC_PUSH(host->member, member)) {
        ASIM_FREE(member.text, member.key);
        return asim_err_nomem(ld->err, "reading a host trace");
    }
    return 0;
}

static int read_members(struct load *ld)
{
    struct asim_jreader *r = &ld->host->reader;
    int code, device = 0;

    while ((code = asim_jreader_member(r, ld->err)) == 1) {
        if (!strcmp(r->key, "nodes")) {
            ld->seen_nodes = 1;
            code = asim_jreader_once(r, NODES, ld->err);
            code = code ? code : asim_jreader_array(r, ld->err);
            while (!code && (code = asim_jreader_element(r, &ld->doc, ld->err)) == 1)
                code = add_node(ld);
        } else if (!strcmp(r->key, "traceEvents")) {
            device = 1;
            code = asim_jreader_skip(r, ld->err);
        } else {
            code = add_member(ld);
        }
        if (code)
            return code;
    }
    if (code || ld->seen_nodes)
        return code;
    return asim_err_set(ld->err, ASIM_EINVAL,
                        device
                            ? "%s: this is a device trace (it has \"traceEvents\"); a host trace "
                              "with \"nodes\" is expected here. Are the two files exchanged?"
                            : "%s: no \"nodes\": this is not a PyTorch host trace.",
                        ld->host->path);
}

/* The version before "-chakra.0.0.4" and similar; every node shows its own form. */
int asim_host_is_known(const struct asim_host_trace *host)
{
    static const char *const known[] = {"1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.1.0", "1.1.1"};
    size_t n = strcspn(host->schema, "-");

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == n && !memcmp(host->schema, known[i], n))
            return 1;
    return !n;
}

static int by_id(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_host_node *node = ctx;

    return node[a].id < node[b].id;
}

/* Builds index and order; of equal ids the later node stays. Counts missing parents. */
int asim_host_index(struct asim_host_trace *host, struct asim_err *err)
{
    size_t n = host->node.n, kept = 0;

    free(host->order);
    asim_index_fini(&host->by_id);
    host->orphans = 0;
    host->order = asim_iota_u32(n);
    if (!host->order || asim_sort_u32(host->order, n, by_id, host->node.at) ||
        asim_index_init(&host->by_id, n ? &host->node.at->id : NULL, sizeof *host->node.at, n))
        return asim_err_nomem(err, "indexing a host trace");
    for (uint32_t i = 0; i < n; i++)
        asim_index_put(&host->by_id, i);
    for (size_t i = 0; i < n; i++)
        if (asim_index_get(&host->by_id, host->node.at[host->order[i]].id) == host->order[i])
            host->order[kept++] = host->order[i];
    host->duplicates = n - kept;
    for (size_t i = 0; i < kept; i++)
        host->orphans +=
            asim_index_get(&host->by_id, host->node.at[host->order[i]].parent) == ASIM_NONE;
    if (!kept)
        return asim_err_set(err, ASIM_EINVAL, "%s: the trace has no nodes.", host->path);
    return 0;
}

int asim_host_read(struct asim_host_trace *host, const char *path,
                   const struct asim_host_visit *visit, struct asim_err *err)
{
    struct load ld = {.host = host, .visit = visit, .err = err};
    int code;

    memset(host, 0, sizeof *host);
    host->path = path;
    code = asim_jreader_open(&host->reader, path, "nodes", err);
    if (!code)
        code = read_members(&ld);
    host->repeats = ld.doc.repeats;
    host->no_utf8 = ld.doc.no_utf8;
    asim_jdoc_fini(&ld.doc);
    return code;
}

void asim_host_settle(struct asim_host_trace *host)
{
    for (size_t i = 0; i < host->node.n; i++) {
        struct asim_host_node *node = &host->node.at[i];
        uint32_t at = node->parent < 0 ? ASIM_NONE : asim_index_get(&host->by_id, node->parent);

        if (at != ASIM_NONE)
            node->parent = at;
        else if (node->parent >= 0)
            node->parent = -2 - node->parent;
    }
    asim_index_fini(&host->by_id);
}

void asim_host_fini(struct asim_host_trace *host)
{
    asim_jreader_close(&host->reader);
    for (size_t i = 0; i < host->member.n; i++) {
        ASIM_FREE(host->member.at[i].key, host->member.at[i].text);
    }
    ASIM_FREE(host->member.at, host->node.at, host->order);
    asim_index_fini(&host->by_id);
    memset(host, 0, sizeof *host);
}
