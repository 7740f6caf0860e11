/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Changes ops into what ASTRA-sim reads. It times an op by duration_micros and knows no attribute
 * of asim; it hangs behind METADATA ops, and its statistics end at CPU ops
 * (system-layer.md#end-of-a-rank). Groups get numbers from 1 and go to a file, because it
 * counts the streams of a group from its number times a million, in 32 bits. Where there are
 * groups, all ranks are one, too: the counter of all ranks also counts streams of groups, so that
 * ranks of which one had more of these never meet.
 */
#include "llm/astra_sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/access.h"

enum { WRAPPING = 2 }; /* characters of a Python list on each side of the JSON */

static int number_of(const char *name, uint64_t *number)
{
    char *end;

    *number = strtoull(name, &end, 10);
    return !*name || *end;
}

/* A group that other ranks have listed, too, counts once. */
static int add_group(struct asim_astra_sim *astra, const struct asim_jv *row, struct asim_err *err)
{
    const struct asim_jv *ranks = asim_jv_get(&astra->doc, row, "ranks");
    int64_t name;
    uint64_t *number;
    char head[48];

    if (asim_jv_i64(&astra->doc, asim_jv_get(&astra->doc, row, "pg_name"), &name) || name < 0 ||
        !ranks || ranks->kind != ASIM_J_ARRAY || !ranks->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "a METADATA op of rank %" PRIu32
                            " lists a group without a number as pg_name or without ranks, which "
                            "--for=astra-sim cannot write.",
                            astra->rank);
    number = asim_map_put(&astra->numbers, 0, (uint64_t)name);
    if (!number)
        return asim_err_nomem(err, "listing groups");
    if (*number)
        return 0;
    *number = astra->numbers.n;
    snprintf(head, sizeof head, "%s\n  \"%" PRIu64 "\": ", *number > 1 ? "," : "", *number);
    asim_jbuf_text(&astra->groups, head);
    asim_jbuf_put(&astra->groups, asim_jv_text(&astra->doc, ranks), ranks->text_n);
    return astra->groups.failed ? asim_err_nomem(err, "listing groups") : 0;
}

static int add_groups(struct asim_astra_sim *astra, const struct asim_op *op, struct asim_err *err)
{
    size_t n = strlen(op->inputs_values), used;
    const char *why = NULL;
    char *text;
    int code = 0;

    if (n <= 2 * WRAPPING)
        return 0;
    text = strndup(op->inputs_values + WRAPPING, n - 2 * WRAPPING);
    if (!text)
        return asim_err_nomem(err, "listing groups");
    if (asim_jdoc_parse(&astra->doc, text, n - 2 * WRAPPING, &used, &why))
        code = asim_err_set(err, ASIM_EINVAL,
                            "the groups of METADATA op %" PRIu64 " of rank %" PRIu32
                            " are no JSON: %s.",
                            op->id, astra->rank, why ? why : "they end too early");
    for (const struct asim_jv *row = code ? NULL : asim_jv_first(&astra->doc, astra->doc.at);
         row && !code; row = asim_jv_next(&astra->doc, row))
        code = add_group(astra, row, err);
    free(text);
    return code;
}

static int learn(struct asim_astra_sim *astra, const struct asim_op *op, struct asim_err *err)
{
    uint64_t *slot;

    if (op->type != ASIM_OP_METADATA)
        return 0;
    if (op->data_dep_n + op->ctrl_dep_n)
        return asim_err_set(err, ASIM_EINVAL,
                            "METADATA op %" PRIu64 " of rank %" PRIu32
                            " waits for another op; --for=astra-sim leaves METADATA ops out.",
                            op->id, astra->rank);
    slot = asim_map_put(&astra->dropped, astra->rank, op->id);
    if (!slot)
        return asim_err_nomem(err, "listing groups");
    *slot = 1;
    return add_groups(astra, op, err);
}

int asim_astra_sim_rank(struct asim_astra_sim *astra, const char *workload, uint32_t rank,
                        struct asim_err *err)
{
    struct asim_trace trace;
    struct asim_op op;
    int got = 0, code = asim_trace_open(&trace, workload, rank, err);

    if (code)
        return code;
    astra->rank = rank;
    while (!code && (got = asim_trace_next(&trace, &op, err)) > 0)
        code = learn(astra, &op, err);
    asim_trace_close(&trace);
    return code ? code : got;
}

/* The dependencies without METADATA ops, appended to `deps`. */
static int keep_deps(struct asim_astra_sim *astra, const uint64_t *ids, size_t *n)
{
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        if (asim_map_get(&astra->dropped, astra->rank, ids[i]))
            continue;
        if (ASIM_VEC_PUSH(astra->deps, ids[i]))
            return ASIM_ENOMEM;
        kept++;
    }
    *n = kept;
    return 0;
}

static int rename_group(struct asim_astra_sim *astra, struct asim_op *op, struct asim_err *err)
{
    uint64_t name, all = astra->numbers.n + 1, *number;
    int is_of_all = !*op->pg_name || !strcmp(op->pg_name, "0");

    if (is_of_all && (!astra->numbers.n || op->type != ASIM_OP_COMM_COLL))
        return 0;
    astra->has_all |= is_of_all;
    number = is_of_all ? &all : NULL;
    if (!is_of_all && !number_of(op->pg_name, &name))
        number = asim_map_get(&astra->numbers, 0, name);
    if (!number)
        return asim_err_set(err, ASIM_EINVAL,
                            "op %" PRIu64 " of rank %" PRIu32
                            " names group '%.40s', which no METADATA op lists; --for=astra-sim "
                            "takes groups from there.",
                            op->id, astra->rank, op->pg_name);
    snprintf(astra->group, sizeof astra->group, "%" PRIu64, *number);
    op->pg_name = astra->group;
    return 0;
}

int asim_astra_sim_op(struct asim_astra_sim *astra, uint32_t rank, struct asim_op *op,
                      int *is_dropped, struct asim_err *err)
{
    astra->rank = rank;
    *is_dropped = op->type == ASIM_OP_METADATA;
    if (*is_dropped)
        return 0;
    if (op->has & ASIM_HAS_COMM_SIZES)
        return asim_err_set(err, ASIM_EINVAL,
                            "op %" PRIu64 " of rank %" PRIu32
                            " is an all-to-all of different sizes (comm_sizes), which ASTRA-sim "
                            "does not have.",
                            op->id, astra->rank);
    astra->deps.n = 0;
    if (keep_deps(astra, op->data_deps, &op->data_dep_n) ||
        keep_deps(astra, op->ctrl_deps, &op->ctrl_dep_n))
        return asim_err_nomem(err, "writing an op");
    op->data_deps = astra->deps.at;
    op->ctrl_deps = op->ctrl_dep_n ? astra->deps.at + op->data_dep_n : NULL;
    astra->rounded += op->duration_ns % 1000 != 0;
    if (op->duration_ns)
        op->duration_micros = (op->duration_ns + 500) / 1000;
    op->duration_ns = 0;
    op->has &= ~(uint32_t)ASIM_HAS_QUEUE;
    astra->cpu += op->is_cpu;
    op->is_cpu = 0;
    return rename_group(astra, op, err);
}

void asim_astra_sim_fini(struct asim_astra_sim *astra)
{
    asim_map_fini(&astra->dropped);
    asim_map_fini(&astra->numbers);
    asim_jbuf_fini(&astra->groups);
    asim_jdoc_fini(&astra->doc);
    free(astra->deps.at);
}
