/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the input once and keeps the part of each node that the graph needs. A field of wrong type
 * is an error that names the node. A missing field has its default (no duration, no stream): host
 * traces alone lack all fields of the linker.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "convert/pgroups.h"
#include "json/access.h"

#define NAME_LIMIT ((size_t)256 << 20)
#define TIME_LIMIT 9e15
#define TOLD       5 /* most repeated ids reported */

struct load {
    struct asim_convert *cv;
    const struct asim_jdoc *doc;
    struct asim_jbuf text;
    struct asim_err *err;
};

static int bad(struct load *ld, const char *field, const char *want)
{
    const struct asim_jv *v = asim_jv_get(ld->doc, &ld->doc->at[0], field);
    char found[ASIM_JV_SHOWN];

    return asim_jreader_fail(&ld->cv->host.reader, ld->doc, ld->err,
                             "the node's \"%s\" must be %s, found %s", field, want,
                             asim_jv_show(ld->doc, v, found));
}

static const struct asim_jv *field(const struct load *ld, const char *name)
{
    const struct asim_jv *v = asim_jv_get(ld->doc, &ld->doc->at[0], name);

    return v && v->kind != ASIM_J_NULL ? v : NULL;
}

static int time_field(struct load *ld, const char *name, double *out)
{
    const struct asim_jv *v = field(ld, name);

    *out = 0;
    if (v && (asim_jv_double(ld->doc, v, out) || fabs(*out) > TIME_LIMIT))
        return bad(ld, name, "a number of microseconds below 9e15");
    return 0;
}

static int name_of(struct load *ld, const struct asim_jv *v, uint32_t *out)
{
    const char *text = v->kind == ASIM_J_STRING ? asim_jv_string(ld->doc, v, &ld->text) : NULL;

    *out = text ? asim_names_put(&ld->cv->names, text, strlen(text))
                : asim_names_put(&ld->cv->names, asim_jv_text(ld->doc, v), v->text_n);
    return *out == ASIM_NONE ? asim_err_nomem(ld->err, "keeping names") : 0;
}

static int times(struct load *ld, struct asim_et_node *node, struct asim_host_node *host)
{
    int64_t device, other;

    if (time_field(ld, "exclusive_dur", &node->dur) || time_field(ld, "ts", &node->ts))
        return -1;
    if (node->dur < 0)
        return bad(ld, "exclusive_dur", "a duration of at least 0 us");
    if (field(ld, "ts"))
        node->flags |= ASIM_ET_HAS_TS;
    if (field(ld, "inter_thread_dep")) {
        if (asim_jv_i64(ld->doc, field(ld, "inter_thread_dep"), &other) || other < 0 ||
            other >= ASIM_NONE)
            return bad(ld, "inter_thread_dep", "the id of a node");
        host->inter_thread = (uint32_t)other;
    }
    node->device = -1;
    if (!asim_jv_i64(ld->doc, field(ld, "device"), &device) && device >= 0 && device <= INT16_MAX)
        node->device = (int16_t)device;
    return 0;
}

static int waits(struct load *ld)
{
    const struct asim_jv *list = field(ld, "sync_dep");

    if (list && list->kind != ASIM_J_ARRAY)
        return bad(ld, "sync_dep", "a list of ids");
    for (const struct asim_jv *v = asim_jv_first(ld->doc, list); v; v = asim_jv_next(ld->doc, v)) {
        struct asim_et_wait wait = {.node = (uint32_t)ld->cv->node.n};

        if (asim_jv_i64(ld->doc, v, &wait.id))
            return bad(ld, "sync_dep", "a list of ids");
        if (ASIM_VEC_PUSH(ld->cv->wait, wait))
            return asim_err_nomem(ld->err, "keeping dependencies");
    }
    return 0;
}

static int add_listed(struct load *ld, const struct asim_jdoc *list)
{
    struct asim_pgroups *groups = &ld->cv->groups;
    size_t n = groups->group.n;
    int code = asim_pgroups_add(groups, list, &list->at[0], &ld->cv->names);

    for (; n < groups->group.n; n++)
        groups->group.at[n].by_op =
            asim_pgroup_is_number(asim_names_get(&ld->cv->names, groups->group.at[n].name));
    return code;
}

/* PyTorch writes the groups as JSON text inside the JSON. A text that does not parse is no error:
 * the trace may run without groups. */
static int groups(struct load *ld, const char *name)
{
    const struct asim_jdoc *doc = ld->doc;
    const struct asim_jv *in = field(ld, "inputs"), *v;
    struct asim_jdoc list = {0};
    const char *text, *why;
    size_t used;
    int code = 0;

    if (!strstr(name, "process_group:init"))
        return 0;
    v = asim_jv_item(doc, in && in->kind == ASIM_J_ARRAY ? in : asim_jv_get(doc, in, "values"), 0);
    text = v && v->kind == ASIM_J_STRING ? asim_jv_string(doc, v, &ld->text) : NULL;
    if (text) {
        enum asim_jresult result = asim_jdoc_parse(&list, text, ld->text.n + 1, &used, &why);

        code = result == ASIM_J_NOMEM;
        if (result == ASIM_J_OK)
            code = add_listed(ld, &list);
    }
    asim_jdoc_fini(&list);
    return code ? asim_err_nomem(ld->err, "keeping process groups") : 0;
}

/* parity: an attribute replaces the node's field, also an empty one, and no other source is
 * used. */
static int compat_group(struct load *ld, struct asim_comm *comm)
{
    const struct asim_jv *v = asim_host_attr(ld->doc, "pg_name");

    if (!v)
        v = field(ld, "pg_name");
    comm->pg_name = ASIM_NONE;
    return v && v->kind == ASIM_J_STRING && v->text_n ? name_of(ld, v, &comm->pg_name) : 0;
}

/* Copies and memsets on the GPU never communicate, whatever their name. parity: chakra_converter
 * uses the name only. */
static int communication(struct load *ld, struct asim_et_node *node, const char *name)
{
    struct asim_comm comm;
    int gpu = node->kind == ASIM_ET_GPU, compat = ld->cv->opt->compat;
    int may = compat || node->flags & ASIM_ET_KERNEL;

    node->comm = ASIM_NONE;
    if (gpu ? !may || !asim_comm_is_kernel(name, compat) : !asim_comm_is_host(name))
        return 0;
    node->comm = (uint32_t)ld->cv->comm.n;
    if (asim_comm_read(&comm, ld->doc, name, &ld->cv->names) ||
        (compat && compat_group(ld, &comm)) || ASIM_VEC_PUSH(ld->cv->comm, comm) ||
        (!compat && asim_pgroups_of_call(&ld->cv->called, ld->doc, &comm)))
        return asim_err_nomem(ld->err, "reading communication");
    return 0;
}

/* Only GPU operations have a category, from the linker. */
static void classify(struct load *ld, struct asim_et_node *node, const char *name)
{
    const struct asim_jv *cat = field(ld, "cat");

    node->kind = strstr(name, "process_group:init") ? ASIM_ET_METADATA
                 : cat                              ? ASIM_ET_GPU
                                                    : ASIM_ET_CPU;
    if (cat && !asim_jv_is(ld->doc, cat, "gpu_memcpy") && !asim_jv_is(ld->doc, cat, "gpu_memset"))
        node->flags |= ASIM_ET_KERNEL;
    if (!strcmp(name, "[pytorch|profiler|execution_graph|thread]") ||
        !strcmp(name, "[pytorch|profiler|execution_trace|thread]"))
        node->flags |= ASIM_ET_ROOT;
    if (strstr(name, "Optimizer.step"))
        node->flags |= ASIM_ET_OPTIMIZER;
}

/* parity: an attribute replaces the field, and null means that no stream is written. */
static const struct asim_jv *stream_of(const struct load *ld)
{
    const struct asim_jv *attr = asim_host_attr(ld->doc, "stream");

    if (!ld->cv->opt->compat)
        return field(ld, "stream");
    return attr ? attr : asim_jv_get(ld->doc, &ld->doc->at[0], "stream");
}

static int see_node(void *self, const struct asim_jdoc *doc, struct asim_host_node *host,
                    struct asim_err *err)
{
    struct load *ld = self;
    struct asim_et_node node = {.stream = ASIM_NONE};
    const struct asim_jv *v;
    const char *name;
    int64_t tid;

    ld->doc = doc;
    ld->err = err;
    v = field(ld, "name");
    if (!v || v->kind != ASIM_J_STRING)
        return bad(ld, "name", "a string");
    if (name_of(ld, v, &node.name))
        return -1;
    if (!asim_jv_i64(doc, asim_host_attr(doc, "tid"), &tid) && tid >= 0 && tid < 65536)
        host->tid = (uint32_t)tid;
    name = asim_names_get(&ld->cv->names, node.name);
    classify(ld, &node, name);
    v = stream_of(ld);
    if ((v && name_of(ld, v, &node.stream)) || times(ld, &node, host) || waits(ld) ||
        groups(ld, name) || communication(ld, &node, name))
        return -1;
    if (host->id > ld->cv->max_id)
        ld->cv->max_id = host->id;
    return ASIM_VEC_PUSH(ld->cv->node, node) ? asim_err_nomem(err, "reading nodes") : 0;
}

/* Groups that the linker has copied from the device trace. */
static int device_groups(struct asim_convert *cv, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; i < cv->host.member.n && !code; i++) {
        struct asim_jdoc doc = {0};
        const char *text = cv->host.member.at[i].text, *why;
        size_t used;

        if (strcmp(cv->host.member.at[i].key, "process_groups"))
            continue;
        code = asim_jdoc_parse(&doc, text, strlen(text) + 1, &used, &why) != ASIM_J_OK ||
               asim_pgroups_add(&cv->groups, &doc, &doc.at[0], &cv->names);
        asim_jdoc_fini(&doc);
    }
    return code ? asim_err_nomem(err, "keeping process groups") : 0;
}

/* Groups that no list names, as calls and kernels tell them. */
static int called_groups(struct asim_convert *cv, struct asim_err *err)
{
    const struct asim_convert_options *opt = cv->opt;
    int code = asim_pgroups_compare(&cv->groups, &cv->called);

    if (!code)
        code = asim_pgroups_merge(&cv->groups, &cv->names, &cv->called, &cv->names);
    if (!code && opt->known)
        code = asim_pgroups_part(&cv->groups, &cv->names, opt->known, opt->known_names, cv->comm.at,
                                 cv->comm.n);
    return code ? asim_err_nomem(err, "keeping process groups") : 0;
}

/* Of nodes with one id the last stays, as in linking. */
static int tell_repeated(struct asim_convert *cv, uint32_t at, struct asim_err *err)
{
    const char *name = asim_names_get(&cv->names, cv->node.at[at].name);
    int64_t id = cv->host.node.at[at].id;

    if (cv->opt->strict)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: the node id %" PRId64
                            " (%.60s) stands twice; give each node an id of its own, or leave out "
                            "--strict to keep the last.",
                            cv->opt->input, id, name);
    if (++cv->counts.repeated <= TOLD)
        asim_diagnose(&cv->opt->notes,
                      "node id %" PRId64 " stands twice: %.60s is left out, the last was kept.", id,
                      name);
    return 0;
}

static int count(struct asim_convert *cv, struct asim_err *err)
{
    struct asim_convert_counts *c = &cv->counts;

    for (uint32_t i = 0; i < cv->node.n; i++) {
        const struct asim_et_node *node = &cv->node.at[i];

        if (asim_index_get(&cv->host.by_id, cv->host.node.at[i].id) != i) {
            if (tell_repeated(cv, i, err))
                return ASIM_EINVAL;
            continue;
        }
        c->cpu += node->kind == ASIM_ET_CPU;
        c->gpu += node->kind == ASIM_ET_GPU;
        c->metadata += node->kind == ASIM_ET_METADATA;
        *(node->kind == ASIM_ET_GPU ? &c->gpu_us : &c->cpu_us) += node->dur;
    }
    return 0;
}

int asim_convert_load(struct asim_convert *cv, struct asim_err *err)
{
    struct load ld = {.cv = cv};
    struct asim_host_visit visit = {see_node, &ld};
    int code;

    asim_names_init(&cv->names, NAME_LIMIT);
    code = asim_host_read(&cv->host, cv->opt->input, &visit, err);
    asim_jbuf_fini(&ld.text);
    if (!code)
        code = asim_host_index(&cv->host, err);
    if (!code && cv->max_id > INT64_MAX / 2)
        code = asim_err_set(err, ASIM_EINVAL, "%s: the node id %lld is too large.", cv->opt->input,
                            (long long)cv->max_id);
    if (!code && !asim_host_is_known(&cv->host))
        asim_diagnose(&cv->opt->notes,
                      "the schema %s is not known here; nodes were read by their form, so look at "
                      "the result.",
                      cv->host.schema);
    if (!code)
        code = device_groups(cv, err);
    if (!code)
        code = called_groups(cv, err);
    if (!code)
        code = count(cv, err);
    return code;
}
