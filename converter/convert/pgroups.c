/* SPDX-License-Identifier: GPL-2.0-only
 *
 * PyTorch's process groups. The "## process_group:init ##" node of the host trace and
 * distributedInfo of the device trace list them; an empty list of ranks means all. Simulators
 * identify groups by number, while newer PyTorch names some by a hash: these get a number that
 * depends on the name only, so that all ranks agree.
 */
#include "convert/comm.h"

#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "base/text.h"
#include "convert/pgroups.h"
#include "json/access.h"

#define GROUP_LIMIT 65536

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
        size_t i = 0;

        if (!s || groups->group.n >= GROUP_LIMIT)
            continue;
        group.name = asim_names_put(names, s, strlen(s));
        while (i < groups->group.n && groups->group.at[i].name != group.name)
            i++;
        if (i < groups->group.n)
            continue;
        code = group.name == ASIM_NONE ||
               add_ranks(groups, doc, asim_jv_get(doc, g, "ranks"), &group) ||
               ASIM_VEC_PUSH(groups->group, group);
    }
    code |= text.failed;
    asim_jbuf_fini(&text);
    return code ? ASIM_ENOMEM : 0;
}

int64_t asim_pgroup_number(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    int64_t number;

    if (!asim_text_i64(name, &number) && number >= 0 && number <= INT32_MAX)
        return number;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (1 << 20) + (int64_t)((h ^ h >> 32) & 0x3fffffff);
}

int asim_pgroups_merge(struct asim_pgroups *into, struct asim_names *into_names,
                       const struct asim_pgroups *from, const struct asim_names *from_names)
{
    for (size_t i = 0; i < from->group.n; i++) {
        const struct asim_pgroup *g = &from->group.at[i];
        const char *text = asim_names_get(from_names, g->name);
        struct asim_pgroup copy = {.name = asim_names_put(into_names, text, strlen(text)),
                                   .at = (uint32_t)into->ranks.n,
                                   .n = g->n};
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
    free(groups->group.at);
    free(groups->ranks.at);
    memset(groups, 0, sizeof *groups);
}
