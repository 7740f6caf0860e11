/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Process groups of PyTorch. They are listed by the "## process_group:init ##" node of the host
 * trace and by distributedInfo of the device trace; an empty list of ranks means all. Simulators
 * know groups by number, while newer PyTorch names some by hash, so those get numbers of their own.
 */
#include "convert/comm.h"

#include <stdlib.h>
#include <string.h>
#include "base/text.h"

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

int64_t asim_pgroups_number(const struct asim_pgroups *groups, const struct asim_names *names,
                            uint32_t name)
{
    int64_t number, next = 0, mine = -1, others = 0;

    if (!asim_text_i64(asim_names_get(names, name), &number) && number >= 0)
        return number;
    for (size_t i = 0; i < groups->group.n; i++) {
        if (!asim_text_i64(asim_names_get(names, groups->group.at[i].name), &number)) {
            next = number >= next && number < INT64_MAX ? number + 1 : next;
            continue;
        }
        if (groups->group.at[i].name == name)
            mine = others;
        others++;
    }
    return mine < 0 ? -1 : (next ? next : 1) + mine;
}

void asim_pgroups_fini(struct asim_pgroups *groups)
{
    free(groups->group.at);
    free(groups->ranks.at);
    memset(groups, 0, sizeof *groups);
}
