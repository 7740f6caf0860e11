/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the Chakra file: metadata, then the nodes by ascending id; reads the text of each node
 * again.
 *
 * parity: with --compat control dependencies follow chakra_converter's rule (only to parents that
 * were converted earlier, also to deleted ones, which ASTRA-sim's feeder then refuses), durations
 * are cut instead of rounded, Optimizer.step takes no time, start times stay empty, and a kernel
 * name without a collective ends the conversion.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "json/print.h"
#include "asim/trace.h"
#include "convert/pgroups.h"
#include "json/access.h"
#include "json/reader.h"

struct emit {
    struct asim_convert *cv;
    struct asim_chakra_writer *out;
    struct asim_jdoc doc;
    struct asim_jbuf io[6], schema, scratch; /* reprs of inputs and outputs */
    char group[24];
    struct asim_chakra_attr attr[20];
    size_t attr_n;
    ASIM_VEC(uint64_t) deps, sizes;
    struct asim_err *err;
};

static void put_int(struct emit *em, const char *name, int kind, int64_t value)
{
    struct asim_chakra_attr a = {.name = name, .type = kind};

    if (kind == ASIM_CHAKRA_UINT64 || kind == ASIM_CHAKRA_BOOL)
        a.value.u = (uint64_t)value;
    else
        a.value.i = value;
    em->attr[em->attr_n++] = a;
}

static void put_text(struct emit *em, const char *name, const char *value)
{
    em->attr[em->attr_n++] =
        (struct asim_chakra_attr){.name = name, .type = ASIM_CHAKRA_STRING, .value.s = value};
}

static void repr(struct emit *em, int slot, const struct asim_jv *v)
{
    em->io[slot].n = 0;
    if (v)
        asim_jprint_repr(&em->io[slot], &em->doc, v, &em->scratch);
    else
        asim_jbuf_put(&em->io[slot], "[]", 2);
}

/* The six strings of a Chakra node are Python reprs of the JSON values (chakra.md#node-record):
 * ASTRA-sim cuts process groups out of them by counting characters. */
static void read_io(struct emit *em)
{
    static const char *const nested[][2] = {{"inputs", "values"},  {"inputs", "shapes"},
                                            {"inputs", "types"},   {"outputs", "values"},
                                            {"outputs", "shapes"}, {"outputs", "types"}};
    static const char *const flat[] = {"inputs",  "input_shapes",  "input_types",
                                       "outputs", "output_shapes", "output_types"};
    const struct asim_jv *node = &em->doc.at[0];
    const struct asim_jv *in = asim_jv_get(&em->doc, node, "inputs");
    int is_flat = in && in->kind == ASIM_J_ARRAY;

    for (int i = 0; i < 6; i++)
        repr(em, i,
             is_flat
                 ? asim_jv_get(&em->doc, node, flat[i])
                 : asim_jv_get(&em->doc, asim_jv_get(&em->doc, node, nested[i][0]), nested[i][1]));
}

static int node_fail(struct emit *em, uint32_t at, const char *what)
{
    char name[80];

    snprintf(name, sizeof name, "%s", asim_convert_name(em->cv, at));
    return asim_err_set(em->err, ASIM_EINVAL, "%s: node %" PRId64 " (%s) %s.", em->cv->opt->input,
                        em->cv->host.node.at[at].id, name, what);
}

static int read_attrs(struct emit *em, uint32_t at)
{
    static const char *const names[] = {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid"};
    const struct asim_jv *v;

    em->attr_n = 0;
    for (int i = 0; i < 6; i++) {
        int64_t value = i == 2 ? -1 : 0;

        v = asim_host_attr(&em->doc, names[i]);
        if (v && asim_jv_i64(&em->doc, v, &value)) {
            char what[80];

            snprintf(what, sizeof what, "has an attribute %s that is no whole number", names[i]);
            return node_fail(em, at, what);
        }
        put_int(em, names[i], ASIM_CHAKRA_INT64, value);
    }
    v = asim_host_attr(&em->doc, "op_schema");
    put_text(em, "op_schema",
             v && v->kind == ASIM_J_STRING ? asim_jv_string(&em->doc, v, &em->schema) : "");
    return 0;
}

/* Stream number; strings such as ROCm's "0x1" are read as numbers, too. 0 = not a number. */
static int stream_number(const struct asim_convert *cv, uint32_t at, int64_t *out)
{
    const char *text = asim_names_get(&cv->names, cv->node.at[at].stream);
    char *end;

    *out = 0;
    if (!*text)
        return cv->node.at[at].kind != ASIM_ET_GPU || cv->node.at[at].flags & ASIM_ET_MADE ||
               cv->opt->compat;
    *out = (int64_t)(strtoull(text, &end, 0) & INT64_MAX);
    return end != text;
}

/* The rank of the job for a partner that PyTorch counts within the group. A number that cannot be
 * one there, or would be the own rank, is the job's already. */
static int64_t in_job(const struct asim_convert *cv, const struct asim_comm *comm)
{
    const struct asim_pgroup *g = asim_pgroups_find(&cv->groups, comm->pg_name);
    const uint32_t *ranks;

    if (comm->peer < 0 || !g || !g->n || comm->peer >= (int64_t)g->n)
        return comm->peer;
    ranks = &cv->groups.ranks.at[g->at];
    return ranks[comm->peer] == cv->opt->rank ? comm->peer : ranks[comm->peer];
}

/* Writes the ends of sends and receives only if they are known, the partner from the trace and the
 * own rank from --rank: a wrong end hangs a simulation. */
static void put_ends(struct emit *em, const struct asim_comm *comm)
{
    int64_t rank = em->cv->opt->rank;
    int is_send = comm->kind == ASIM_COMM_SEND;
    int64_t peer = in_job(em->cv, comm), src = is_send ? rank : peer, dst = is_send ? peer : rank;

    if (src >= 0)
        put_int(em, "comm_src", ASIM_CHAKRA_INT32, src);
    if (dst >= 0)
        put_int(em, "comm_dst", ASIM_CHAKRA_INT32, dst);
    put_int(em, "comm_tag", ASIM_CHAKRA_INT32, 0);
}

/* 1 where the ranks of the group are known: number 0 and an empty list stand for all. */
static int is_listed(const struct asim_convert *cv, const struct asim_comm *comm)
{
    const char *name = asim_names_get(&cv->names, comm->pg_name);

    return !*name || !asim_pgroup_number(name) || asim_pgroups_find(&cv->groups, comm->pg_name);
}

/* The size that a call or kernel states, against the ranks of its group. */
static int differs(const struct asim_convert *cv, const struct asim_comm *comm)
{
    const struct asim_pgroup *group =
        comm->pg_name == ASIM_NONE ? NULL : asim_pgroups_find(&cv->groups, comm->pg_name);

    return group &&
           (group->is_disputed || (group->n && comm->size > 0 && group->n != (uint64_t)comm->size));
}

/* "[3, 1]" as numbers. */
static int read_splits(struct emit *em, const char *text, uint64_t *sum)
{
    char *end;

    em->sizes.n = 0;
    *sum = 0;
    for (text++; *text >= '0' && *text <= '9'; text = end + strspn(end, ", ")) {
        uint64_t rows = strtoull(text, &end, 10);

        if (rows > INT64_MAX / 65536 || ASIM_VEC_PUSH(em->sizes, rows))
            return 0;
        *sum += rows;
    }
    return *text == ']';
}

/* comm_sizes: the bytes are shared as the rows are. 0 where the rows are stated and do not fit. */
static int put_splits(struct emit *em, const struct asim_comm *comm)
{
    const struct asim_pgroup *group =
        comm->pg_name == ASIM_NONE ? NULL : asim_pgroups_find(&em->cv->groups, comm->pg_name);
    uint64_t members = comm->splits_size > 0 ? (uint64_t)comm->splits_size : 0, sum;

    if (group && group->n)
        members = group->n;
    if (comm->splits == ASIM_NONE)
        return !comm->splits_cut;
    if (em->cv->opt->equal_parts ||
        !read_splits(em, asim_names_get(&em->cv->names, comm->splits), &sum) ||
        (members && em->sizes.n != members) || (sum ? comm->bytes % sum : comm->bytes))
        return 0;
    for (size_t i = 0; i < em->sizes.n && sum; i++)
        em->sizes.at[i] *= comm->bytes / sum;
    em->cv->counts.split++;
    em->attr[em->attr_n++] = (struct asim_chakra_attr){.name = "comm_sizes",
                                                       .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64),
                                                       .value.list = {em->sizes.at, em->sizes.n}};
    return 1;
}

/* The order of attributes is chakra_converter's. */
static int comm_attrs(struct emit *em, uint32_t at, const struct asim_comm *comm)
{
    struct asim_convert *cv = em->cv;
    const char *group;

    if (comm->kind < ASIM_COLL_TYPES)
        put_int(em, "comm_type", ASIM_CHAKRA_INT64, comm->kind);
    put_int(em, "comm_size", ASIM_CHAKRA_INT64, (int64_t)comm->bytes);
    if (!cv->opt->compat && comm->kind == ASIM_ALL_TO_ALL && !put_splits(em, comm)) {
        cv->counts.split_even++;
        if (cv->opt->strict && !cv->opt->equal_parts)
            return node_fail(em, at,
                             "is an all-to-all whose split sizes are cut, or are not one for each "
                             "member of its group");
    }
    group = asim_names_get(&cv->names, comm->pg_name);
    if (*group && !cv->opt->compat) {
        snprintf(em->group, sizeof em->group, "%" PRId64, asim_pgroup_number(group));
        group = em->group;
    }
    if (*group)
        put_text(em, "pg_name", group);
    if (!cv->opt->compat && !is_listed(cv, comm)) {
        cv->counts.groups_unknown++;
        if (cv->opt->strict)
            return node_fail(em, at,
                             "is of a process group whose ranks nothing in the trace tells");
    }
    if (comm->size > cv->counts.most_members)
        cv->counts.most_members = comm->size;
    if (!cv->opt->compat && differs(cv, comm)) {
        cv->counts.groups_differ++;
        if (cv->opt->strict)
            return node_fail(
                em, at, "is of a process group of another size than it states, or of other ranks");
    }
    if (cv->opt->compat || comm->kind < ASIM_COMM_SEND)
        return 0;
    if (comm->peer < 0) {
        cv->counts.p2p_unknown++;
        return cv->opt->strict
                   ? node_fail(em, at,
                               "sends or receives, but the trace does not say with which rank")
                   : 0;
    }
    put_ends(em, comm);
    return 0;
}

/* parity: chakra_converter's reading of a kernel (chakra.md#node-types and
 * chakra.md#collective-types). */
static int compat_comm(struct emit *em, uint32_t at, struct asim_comm *comm)
{
    struct asim_convert *cv = em->cv;
    const char *name = asim_convert_name(cv, at);
    uint32_t parent = asim_convert_parent(cv, at);
    const char *above = parent == ASIM_NONE ? "" : asim_convert_name(cv, parent);

    *comm = cv->comm.at[cv->node.at[at].comm];
    comm->kind = ASIM_COMM_UNKNOWN;
    if (strstr(name, "ncclDevKernel_SendRecv")) {
        if (!strcmp(above, "record_param_comms")) {
            const struct asim_comm *up = &cv->comm.at[cv->node.at[parent].comm];

            if (up->pg_name != ASIM_NONE)
                comm->pg_name = up->pg_name;
            parent = asim_convert_parent(cv, parent);
            above = parent == ASIM_NONE ? "" : asim_convert_name(cv, parent);
        }
        comm->kind = strstr(above, "send")   ? ASIM_COMM_SEND
                     : strstr(above, "recv") ? ASIM_COMM_RECV
                                             : ASIM_COMM_UNKNOWN;
    }
    if (comm->kind == ASIM_COMM_UNKNOWN)
        comm->kind = asim_comm_kind_compat(name);
    if (comm->kind == ASIM_COMM_UNKNOWN)
        return node_fail(em, at,
                         "does not name a collective the published converter knows; with "
                         "--compat=0 its kind is found from the ops around it");
    return 0;
}

static void count_comm(struct asim_convert *cv, const struct asim_comm *comm)
{
    cv->counts.comm++;
    cv->counts.sends += comm->kind == ASIM_COMM_SEND;
    cv->counts.recvs += comm->kind == ASIM_COMM_RECV;
    if (comm->kind < ASIM_COLL_TYPES) {
        cv->counts.by_kind[comm->kind]++;
        cv->counts.bytes_by_kind[comm->kind] += comm->bytes;
    }
    cv->counts.sizes_missing += !comm->bytes && comm->kind != ASIM_BARRIER;
}

/* Type, size and group of a communication kernel; reports guesses, the first five by name. */
static int communication(struct emit *em, uint32_t at, int *type)
{
    struct asim_convert *cv = em->cv;
    struct asim_comm comm;
    int guessed = 0;

    if (cv->opt->compat) {
        if (compat_comm(em, at, &comm))
            return -1;
    } else {
        comm = asim_convert_comm(cv, at, &guessed);
        cv->counts.sizes_found += comm.bytes && !cv->comm.at[cv->node.at[at].comm].bytes;
    }
    cv->counts.guessed += (uint64_t)guessed;
    if (guessed && (cv->opt->strict || cv->opt->no_guess))
        return node_fail(
            em, at,
            "is a communication kernel, but nothing around it says which collective it runs");
    if (guessed && cv->counts.guessed <= 5)
        asim_diagnose(&cv->opt->notes,
                      "node %" PRId64
                      " (%.60s): nothing around it says which collective it runs; taken for an %s.",
                      cv->host.node.at[at].id, asim_convert_name(cv, at),
                      asim_coll_type_name(comm.kind));
    if (!comm.bytes && comm.kind != ASIM_BARRIER && cv->opt->strict)
        return node_fail(em, at, "communicates, but nothing in the trace tells how many bytes");
    *type = comm.kind == ASIM_COMM_SEND   ? ASIM_OP_COMM_SEND
            : comm.kind == ASIM_COMM_RECV ? ASIM_OP_COMM_RECV
                                          : ASIM_OP_COMM_COLL;
    count_comm(cv, &comm);
    return comm_attrs(em, at, &comm);
}

/* Position of a node in chakra_converter's order of conversion. */
static uint32_t turn(const struct asim_convert *cv, uint32_t at)
{
    uint32_t parent = asim_convert_parent(cv, at);

    return cv->node.at[at].kind == ASIM_ET_GPU && parent != ASIM_NONE ? parent : at;
}

/* The caller, unless it was deleted: ASTRA-sim refuses a trace with a control dependency on a
 * missing node. */
static size_t ctrl_dep(const struct asim_convert *cv, uint32_t at, uint64_t *id)
{
    uint32_t parent = asim_convert_parent(cv, at);

    if (parent == ASIM_NONE || cv->node.at[at].flags & ASIM_ET_NO_CTRL)
        return 0;
    *id = (uint64_t)cv->host.node.at[parent].id;
    if (cv->opt->compat)
        return cv->node.at[at].kind == ASIM_ET_GPU || turn(cv, parent) < at;
    return !(cv->node.at[parent].flags & ASIM_ET_DELETED);
}

/* Whole microseconds, the unit of the format. A shorter kernel gets one. */
static uint64_t duration(const struct asim_convert *cv, const struct asim_et_node *node)
{
    if (cv->opt->compat)
        return node->flags & ASIM_ET_OPTIMIZER ? 0 : (uint64_t)node->dur;
    if (node->kind == ASIM_ET_GPU && node->dur > 0 && node->dur < 1)
        return 1; /* 0 would mean "not measured" */
    return (uint64_t)floor(node->dur + 0.5);
}

/* What whole microseconds do not hold. */
static void put_ns(struct emit *em, const struct asim_et_node *node, uint64_t micros)
{
    double ns = floor(node->dur * 1000 + 0.5);

    if (!em->cv->opt->compat && ns >= 1 && ns != (double)micros * 1000)
        put_int(em, "duration_ns", ASIM_CHAKRA_UINT64, (int64_t)ns);
}

static int emit_deps(struct emit *em, uint32_t at)
{
    struct asim_convert *cv = em->cv;

    em->deps.n = 0;
    for (uint32_t k = cv->dep_at[at]; k < cv->dep_at[at + 1]; k++) {
        uint32_t dep = cv->dep[k];

        if (dep == ASIM_NONE || cv->node.at[dep].flags & ASIM_ET_DELETED)
            continue;
        if (ASIM_VEC_PUSH(em->deps, (uint64_t)cv->host.node.at[dep].id))
            return asim_err_nomem(em->err, "writing nodes");
    }
    return 0;
}

static int emit_node(struct emit *em, uint32_t at)
{
    struct asim_convert *cv = em->cv;
    const struct asim_host_node *host = &cv->host.node.at[at];
    const struct asim_et_node *et = &cv->node.at[at];
    struct asim_chakra_node node = {.id = (uint64_t)host->id,
                                    .name = asim_convert_name(cv, at),
                                    .type = et->kind == ASIM_ET_METADATA ? ASIM_OP_METADATA
                                                                         : ASIM_OP_COMP};
    uint64_t ctrl;
    int64_t stream;

    if (asim_jreader_reread(&cv->host.reader, host->offset, host->size, &em->doc, em->err) ||
        emit_deps(em, at) || read_attrs(em, at))
        return -1;
    read_io(em);
    put_int(em, "is_cpu_op", ASIM_CHAKRA_BOOL, et->kind != ASIM_ET_GPU);
    if (stream_number(cv, at, &stream))
        put_int(em, "stream", ASIM_CHAKRA_INT64, stream);
    if (et->kind == ASIM_ET_GPU && et->comm != ASIM_NONE && communication(em, at, &node.type))
        return -1;
    node.ctrl_deps = &ctrl;
    node.ctrl_dep_n = ctrl_dep(cv, at, &ctrl);
    node.data_deps = em->deps.at;
    node.data_dep_n = em->deps.n;
    node.duration_micros = duration(cv, et);
    put_ns(em, et, node.duration_micros);
    if (!cv->opt->compat && et->flags & ASIM_ET_HAS_TS && et->ts > 0)
        node.start_micros = (uint64_t)et->ts;
    node.inputs = (struct asim_chakra_io){em->io[0].at, em->io[1].at, em->io[2].at};
    node.outputs = (struct asim_chakra_io){em->io[3].at, em->io[4].at, em->io[5].at};
    node.attrs = em->attr;
    node.attr_n = em->attr_n;
    for (int i = 0; i < 6; i++)
        if (em->io[i].failed || em->scratch.failed || em->schema.failed)
            return asim_err_nomem(em->err, "writing nodes");
    cv->counts.written++;
    return asim_chakra_writer_node(em->out, &node, em->err);
}

/* Groups that no op of the host lists, as a METADATA op, from which a simulation takes them. */
static int emit_groups(struct emit *em)
{
    struct asim_convert *cv = em->cv;
    struct asim_jbuf *text = &em->scratch;
    struct asim_chakra_node node = {.id = (uint64_t)++cv->max_id,
                                    .name = "## process_group:init ##",
                                    .type = ASIM_OP_METADATA,
                                    .inputs = {.shapes = "[[]]", .types = "['String']"},
                                    .outputs = {"[]", "[]", "[]"},
                                    .attrs = em->attr,
                                    .attr_n = 1};

    if (cv->opt->compat)
        return 0;
    text->n = 0;
    asim_jbuf_text(text, "['");
    if (!asim_pgroups_print(text, &cv->groups, &cv->names))
        return 0;
    asim_jbuf_text(text, "']");
    if (text->failed)
        return asim_err_nomem(em->err, "writing the process groups");
    em->attr_n = 0;
    put_int(em, "is_cpu_op", ASIM_CHAKRA_BOOL, 1);
    node.inputs.values = text->at;
    cv->counts.metadata++;
    cv->counts.written++;
    return asim_chakra_writer_node(em->out, &node, em->err);
}

int asim_convert_emit(struct asim_convert *cv, struct asim_err *err)
{
    struct emit em = {.cv = cv, .err = err};
    size_t live = cv->host.node.n - (size_t)cv->host.duplicates;
    int code = asim_chakra_writer_open(&em.out, cv->opt->output, err);

    if (!code)
        code = asim_convert_metadata(cv, em.out, err);
    for (size_t i = 0; i < live && !code; i++)
        if (!(cv->node.at[cv->host.order[i]].flags & ASIM_ET_DELETED))
            code = emit_node(&em, cv->host.order[i]);
    if (!code)
        code = emit_groups(&em);
    if (!code)
        code = asim_chakra_writer_commit(em.out, err);
    else
        asim_chakra_writer_discard(em.out);
    asim_jdoc_fini(&em.doc);
    for (int i = 0; i < 6; i++)
        asim_jbuf_fini(&em.io[i]);
    asim_jbuf_fini(&em.schema);
    asim_jbuf_fini(&em.scratch);
    ASIM_FREE(em.deps.at, em.sizes.at);
    return code;
}
