/* SPDX-License-Identifier: GPL-2.0-only
 *
 * PyTorch's process groups. The "## process_group:init ##" node of the host trace and
 * distributedInfo of the device trace list them; an empty list of ranks means all. Simulators
 * identify groups by number, while newer PyTorch names some by a hash: these get a number that
 * depends on the name only, so that all ranks agree.
 */
#include "convert/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "base/text.h"
#include "convert/pgroups.h"
#include "json/access.h"

#define FIRST_HASHED (1 << 20)
#define GROUP_LIMIT  65536
#define MEMBER_LIMIT (1 << 24)

static int add_ranks(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                     const struct asim_jv *ranks, struct asim_pgroup *group)
{
    group->at = (uint32_t)groups->ranks.n;
    for (const struct asim_jv *r = asim_jv_first(doc, ranks); r; r = asim_jv_next(doc, r)) {
        int64_t rank;

        if (asim_jv_i64(doc, r, &rank) || rank < 0 || rank > UINT32_MAX)
            continue;
        if (ASIM_VEC_PUSH(groups->ranks, (uint32_t)rank))
            return ASIM_ENOMEM;
        group->n++;
    }
    return 0;
}

static struct asim_pgroup *find(const struct asim_pgroups *groups, uint32_t name)
{
    for (size_t i = 0; i < groups->group.n; i++)
        if (groups->group.at[i].name == name)
            return &groups->group.at[i];
    return NULL;
}

/* A list without ranks, of a stated size, does not tell which ranks. */
static int tells_ranks(const struct asim_jdoc *doc, const struct asim_jv *group)
{
    const struct asim_jv *ranks = asim_jv_get(doc, group, "ranks");

    return (ranks && ranks->kind == ASIM_J_ARRAY) || !asim_jv_get(doc, group, "pg_size");
}

int asim_pgroups_add(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                     const struct asim_jv *array, struct asim_names *names)
{
    struct asim_jbuf text = {0};
    int code = 0;

    for (const struct asim_jv *g = asim_jv_first(doc, array); g && !code;
         g = asim_jv_next(doc, g)) {
        const struct asim_jv *name = asim_jv_get(doc, g, "pg_name");
        struct asim_pgroup group = {0};
        const char *s =
            name && name->kind == ASIM_J_STRING ? asim_jv_string(doc, name, &text) : NULL;

        if (!s || groups->group.n >= GROUP_LIMIT || !tells_ranks(doc, g))
            continue;
        group.name = asim_names_put(names, s, strlen(s));
        if (find(groups, group.name))
            continue;
        code = group.name == ASIM_NONE ||
               add_ranks(groups, doc, asim_jv_get(doc, g, "ranks"), &group) ||
               ASIM_VEC_PUSH(groups->group, group);
    }
    code |= text.failed;
    asim_jbuf_fini(&text);
    return code ? ASIM_ENOMEM : 0;
}

/* "Process Group Ranks": a list, or one in a string, which PyTorch cuts with "..." where it is
 * long; then the first rank, the stride and the size tell the rest. */
static int ranks_of_text(struct asim_pgroups *groups, const char *text, struct asim_pgroup *group)
{
    struct asim_jdoc list = {0};
    const char *why;
    size_t used;
    int code = 0;

    if (asim_jdoc_parse(&list, text, strlen(text) + 1, &used, &why) == ASIM_J_OK &&
        list.at[0].kind == ASIM_J_ARRAY)
        code = add_ranks(groups, &list, &list.at[0], group);
    asim_jdoc_fini(&list);
    return code;
}

static int ranks_of_call(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                         const struct asim_comm *comm, struct asim_pgroup *group)
{
    const struct asim_jv *args = asim_jv_get(doc, &doc->at[0], "kineto_args");
    const struct asim_jv *ranks = asim_jv_get(doc, args, "Process Group Ranks");
    struct asim_jbuf text = {0};
    int code = 0;

    group->at = (uint32_t)groups->ranks.n;
    if (ranks && ranks->kind == ASIM_J_ARRAY)
        code = add_ranks(groups, doc, ranks, group);
    else if (ranks && ranks->kind == ASIM_J_STRING && asim_jv_string(doc, ranks, &text))
        code = ranks_of_text(groups, text.at, group);
    asim_jbuf_fini(&text);
    if (comm->size >= 0 && group->n != (uint64_t)comm->size) {
        group->is_disputed = group->n > 0;
        groups->ranks.n = group->at, group->n = 0;
    }
    if (code || group->n || comm->first < 0 || comm->size < 1 || comm->size > MEMBER_LIMIT ||
        comm->first > UINT32_MAX - MEMBER_LIMIT ||
        (comm->size > 1 && (comm->stride < 1 || comm->stride > UINT32_MAX / comm->size)))
        return code;
    for (int64_t i = 0; i < comm->size; i++)
        if (ASIM_VEC_PUSH(groups->ranks,
                          (uint32_t)(comm->first + (comm->size > 1 ? i * comm->stride : 0))))
            return ASIM_ENOMEM;
    group->n = (uint32_t)comm->size;
    return 0;
}

int asim_pgroups_of_call(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                         const struct asim_comm *comm)
{
    struct asim_pgroup group = {.name = comm->pg_name};

    if (comm->pg_name == ASIM_NONE || find(groups, comm->pg_name) || groups->group.n >= GROUP_LIMIT)
        return 0;
    if (ranks_of_call(groups, doc, comm, &group))
        return ASIM_ENOMEM;
    return group.n && ASIM_VEC_PUSH(groups->group, group) ? ASIM_ENOMEM : 0;
}

ASIM_ORDER(ascending, uint32_t, [0])

/* The ranks of a group in ascending order. */
static uint32_t *sorted(const struct asim_pgroups *groups, const struct asim_pgroup *group)
{
    uint32_t *ranks = malloc(group->n * sizeof *ranks);

    if (ranks) {
        memcpy(ranks, groups->ranks.at + group->at, group->n * sizeof *ranks);
        qsort(ranks, group->n, sizeof *ranks, ascending);
    }
    return ranks;
}

int asim_pgroups_compare(struct asim_pgroups *groups, struct asim_pgroups *called)
{
    for (size_t i = 0; i < called->group.n; i++) {
        struct asim_pgroup *g = &called->group.at[i], *other = find(groups, g->name);
        uint32_t *own, *theirs = NULL;

        if (!g->n || (other && !other->n))
            continue;
        own = sorted(called, g);
        theirs = own && other ? sorted(groups, other) : NULL;
        if (!own || (other && !theirs)) {
            free(own);
            return ASIM_ENOMEM;
        }
        for (uint32_t k = 1; k < g->n; k++)
            g->is_disputed |= own[k] == own[k - 1];
        if (other)
            other->is_disputed |=
                g->is_disputed || other->n != g->n || memcmp(own, theirs, g->n * sizeof *own) != 0;
        ASIM_FREE(own, theirs);
    }
    return 0;
}

const struct asim_pgroup *asim_pgroups_find(const struct asim_pgroups *groups, uint32_t name)
{
    return find(groups, name);
}

static int same_ranks(const struct asim_pgroups *a, const struct asim_pgroup *x,
                      const struct asim_pgroups *b, const struct asim_pgroup *y)
{
    return !x->n || !y->n ||
           (x->n == y->n &&
            !memcmp(a->ranks.at + x->at, b->ranks.at + y->at, x->n * sizeof *a->ranks.at));
}

/* The group of `known` that has the name, with its number in known_names in *i. */
static const struct asim_pgroup *namesake(const struct asim_pgroups *known,
                                          const struct asim_names *known_names, const char *name)
{
    for (size_t i = 0; i < known->group.n; i++)
        if (!strcmp(asim_names_get(known_names, known->group.at[i].name), name))
            return &known->group.at[i];
    return NULL;
}

int asim_pgroups_part(struct asim_pgroups *groups, struct asim_names *names,
                      const struct asim_pgroups *known, const struct asim_names *known_names,
                      struct asim_comm *comms, size_t n)
{
    for (size_t i = 0; i < groups->group.n; i++) {
        struct asim_pgroup *g = &groups->group.at[i];
        const char *text = asim_names_get(names, g->name);
        const struct asim_pgroup *other = namesake(known, known_names, text);
        struct asim_jbuf buf = {0};
        uint32_t before = g->name;

        if (!other || same_ranks(known, other, groups, g))
            continue;
        asim_jbuf_text(&buf, text);
        for (uint32_t k = 0; k < g->n; k++) {
            char rank[16];

            snprintf(rank, sizeof rank, "%c%u", k ? ',' : ':', groups->ranks.at[g->at + k]);
            asim_jbuf_text(&buf, rank);
        }
        g->by_op = 0;
        g->name = buf.failed ? ASIM_NONE : asim_names_put(names, buf.at, buf.n);
        asim_jbuf_fini(&buf);
        if (g->name == ASIM_NONE)
            return ASIM_ENOMEM;
        for (size_t k = 0; k < n; k++)
            if (comms[k].pg_name == before)
                comms[k].pg_name = g->name;
    }
    return 0;
}

int asim_pgroups_print(struct asim_jbuf *buf, const struct asim_pgroups *groups,
                       const struct asim_names *names)
{
    const char *comma = "";
    char text[80];

    asim_jbuf_text(buf, "[");
    for (size_t i = 0; i < groups->group.n; i++) {
        const struct asim_pgroup *g = &groups->group.at[i];
        int64_t number = asim_pgroup_number(asim_names_get(names, g->name));

        if (!g->n || !number || g->by_op)
            continue;
        snprintf(text, sizeof text, "%s{\"pg_name\": \"%lld\", \"ranks\": [", comma,
                 (long long)number);
        asim_jbuf_text(buf, text);
        for (uint32_t k = 0; k < g->n; k++) {
            snprintf(text, sizeof text, "%s%u", k ? ", " : "", groups->ranks.at[g->at + k]);
            asim_jbuf_text(buf, text);
        }
        asim_jbuf_text(buf, "]}");
        comma = ", ";
    }
    asim_jbuf_text(buf, "]");
    return *comma != 0;
}

int asim_pgroup_is_number(const char *name)
{
    int64_t number;

    return !asim_text_i64(name, &number) && number >= 0 && number <= ASIM_PROCESS_GROUP_MAX;
}

int64_t asim_pgroup_number(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    int64_t number;

    if (asim_pgroup_is_number(name) && !asim_text_i64(name, &number))
        return number;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return FIRST_HASHED + (int64_t)((h ^ h >> 32) % (ASIM_PROCESS_GROUP_MAX - FIRST_HASHED));
}

int asim_pgroups_merge(struct asim_pgroups *into, struct asim_names *into_names,
                       const struct asim_pgroups *from, const struct asim_names *from_names)
{
    for (size_t i = 0; i < from->group.n; i++) {
        const struct asim_pgroup *g = &from->group.at[i];
        const char *text = asim_names_get(from_names, g->name);
        struct asim_pgroup copy = {.name = asim_names_put(into_names, text, strlen(text)),
                                   .at = (uint32_t)into->ranks.n,
                                   .n = g->n,
                                   .is_disputed = g->is_disputed};
        size_t k = 0;

        while (k < into->group.n && into->group.at[k].name != copy.name)
            k++;
        if (k < into->group.n)
            continue;
        for (uint32_t r = 0; r < g->n; r++)
            if (ASIM_VEC_PUSH(into->ranks, from->ranks.at[g->at + r]))
                return ASIM_ENOMEM;
        if (copy.name == ASIM_NONE || ASIM_VEC_PUSH(into->group, copy))
            return ASIM_ENOMEM;
    }
    return 0;
}

static int collides(const struct asim_pgroups *groups, const struct asim_names *names, size_t i)
{
    int64_t number = asim_pgroup_number(asim_names_get(names, groups->group.at[i].name));

    for (size_t k = 0; k < i; k++)
        if (asim_pgroup_number(asim_names_get(names, groups->group.at[k].name)) == number)
            return 1;
    return 0;
}

int asim_pgroups_write(const struct asim_pgroups *groups, const struct asim_names *names,
                       const char *path, struct asim_err *err)
{
    struct asim_out out = {0};
    const char *comma = "\n";
    int code = asim_out_open(&out, path, err);

    if (code)
        return code;
    asim_out_printf(&out, "{");
    for (size_t i = 0; i < groups->group.n; i++) {
        const struct asim_pgroup *g = &groups->group.at[i];
        const char *name = asim_names_get(names, g->name);
        int64_t number = asim_pgroup_number(name);

        if (!g->n || !number)
            continue;
        if (collides(groups, names, i)) {
            asim_out_discard(&out);
            return asim_err_set(err, ASIM_EINVAL,
                                "the process group %.80s gets the same number as another one "
                                "(%lld); rename one of them.",
                                name, (long long)number);
        }
        asim_out_printf(&out, "%s  \"%lld\": [", comma, (long long)number);
        for (uint32_t k = 0; k < g->n; k++)
            asim_out_printf(&out, "%s%u", k ? ", " : "", (unsigned)groups->ranks.at[g->at + k]);
        asim_out_printf(&out, "]");
        comma = ",\n";
    }
    asim_out_printf(&out, "\n}\n");
    return asim_out_commit(&out, err);
}

void asim_pgroups_fini(struct asim_pgroups *groups)
{
    ASIM_FREE(groups->group.at, groups->ranks.at);
    memset(groups, 0, sizeof *groups);
}
