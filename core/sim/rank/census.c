/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts facts about ops for the notes on odd inputs. Every op of every trace passes here once,
 * so this looks at fields and short names only.
 */
#include "sim/rank/census.h"

#include "base/mem.h"
#include "base/text.h"
#include "conf/conf.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int is_timeless(const struct asim_op *op)
{
    return !op->duration_micros && !op->duration_ns;
}

static void count_collective(struct asim_census *census, const struct asim_node_prefixes *prefixes,
                             const struct asim_op *op)
{
    census->collectives++;
    census->grouped += op->pg_name[0] && strcmp(op->pg_name, "0") != 0;
    if (!op->pg_name[0] && asim_text_ranks(op->name) > census->named_ranks)
        census->named_ranks = asim_text_ranks(op->name);
    census->prioritized += op->priority != 0;
    if (op->pg_name[0] && strcmp(op->pg_name, "0") != 0)
        census->group_dims +=
            op->has & ASIM_HAS_INVOLVED_DIM && op->involved != (1u << op->involved_n) - 1;
    census->broadcasts += op->comm_type == ASIM_BROADCAST && is_timeless(op);
    for (size_t i = 0; i < prefixes->n && i < ASIM_CENSUS_PREFIXES; i++)
        if (prefixes->at[i].node == op->id)
            census->own_prefixes |= UINT64_C(1) << i;
}

static void count_compute(struct asim_census *census, const struct asim_op *op)
{
    if (op->is_cpu) {
        census->cpu_computes++;
        census->work_cpu += op->num_ops && is_timeless(op);
        return;
    }
    census->computes++;
    census->half_work += !op->num_ops != !op->tensor_bytes;
    if (!is_timeless(op))
        return;
    census->timeless_computes++;
    census->work_computes += (op->has & (ASIM_HAS_NUM_OPS | ASIM_HAS_TENSOR_SIZE)) != 0;
}

void asim_census_op(struct asim_census *census, const struct asim_node_prefixes *prefixes,
                    const struct asim_op *op)
{
    if (op->slip && !census->slips++)
        snprintf(census->slip, sizeof census->slip, "%s", op->slip);
    if (op->type == ASIM_OP_INVALID)
        census->invalid++;
    else if (op->type == ASIM_OP_COMP)
        count_compute(census, op);
    else if (op->type >= ASIM_OP_STORAGE) {
        census->host_ops++;
        census->timeless_host_ops += is_timeless(op);
    } else if (op->type != ASIM_OP_METADATA) {
        census->transfers++;
        census->remote += op->type == ASIM_OP_MEM_LOAD || op->type == ASIM_OP_MEM_STORE;
        census->timeless_transfers += is_timeless(op);
    }
    if (op->type == ASIM_OP_COMM_COLL)
        count_collective(census, prefixes, op);
}

void asim_census_version(struct asim_census *census, uint32_t rank, const char *version)
{
    if (census->versions++)
        return;
    census->first_version = rank + 1;
    snprintf(census->version, sizeof census->version, "%s", version);
}

void asim_census_add(struct asim_census *into, const struct asim_census *from)
{
    asim_sums_add(into, from, offsetof(struct asim_census, slips));
    if (!into->slips)
        memcpy(into->slip, from->slip, sizeof into->slip);
    into->slips += from->slips;
    into->own_prefixes |= from->own_prefixes;
    into->versions += from->versions;
    if (from->named_ranks > into->named_ranks)
        into->named_ranks = from->named_ranks;
    if (from->first_version &&
        (!into->first_version || from->first_version < into->first_version)) {
        into->first_version = from->first_version;
        memcpy(into->version, from->version, sizeof into->version);
    }
}
