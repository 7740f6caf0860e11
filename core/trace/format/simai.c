/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text as a trace: one file for all ranks. The walk (trace/simai/iterator.h)
 * gives each rank's items in SimAI's order; here they become ops, so that a workload runs, is
 * converted and is drawn like any Chakra trace. Names are <row>_<part>_<what>_<row number>.
 *
 * SimAI gives the whole buffer of a collective; an op's bytes are what one rank gives, so an
 * ALLGATHER of S bytes over n ranks becomes S/n. Those of weight gradients wait in a queue of their
 * own, where there is more than one: SimAI's second logical dimension (simai.md#execution).
 *
 * Ids count from 1 in the order of the walk; each op waits for one other at most. at() makes an op
 * from its place alone, so the feed's window costs no reading.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "conf/conf.h"
#include "trace/format.h"
#include "trace/simai/iterator.h"

/* One rank's view; each rank reads the file again, which is small. */
struct asim_reader {
    struct asim_simai w;
    struct asim_simai_iterator it;
    uint64_t place;
    /* what the op last delivered points at */
    uint64_t dep;
    char name[112], group[16];
    char *metadata; /* NULL: no group but that of all ranks */
};

/* Sizes with a remainder lose it; a gather of less than a byte each is one of a byte. The group's
 * name is its number, as Chakra has it, and stands in the reader until the next op. */
static void fill_coll(struct asim_reader *r, const struct asim_simai_item *item, struct asim_op *op)
{
    static const int kinds[] = {-1, ASIM_ALL_REDUCE, ASIM_ALL_GATHER, ASIM_REDUCE_SCATTER,
                                ASIM_ALL_TO_ALL};
    const struct asim_simai_comm *comm = &asim_simai_row(&r->w, item->row)->comm[item->part];
    struct asim_simai_ranks ranks;
    uint64_t bytes = asim_simai_run_bytes(&r->w, item->row, item->part);
    asim_simai_group(&r->it.layout, comm->group, r->it.rank, &ranks);
    if (comm->op == ASIM_SIMAI_ALLGATHER) /* here: what one rank gives */
        bytes = bytes / ranks.n ? bytes / ranks.n : 1;
    op->type = ASIM_OP_COMM_COLL;
    op->has = ASIM_HAS_COMM_TYPE | ASIM_HAS_COMM_SIZE | ASIM_HAS_QUEUE;
    op->comm_type = (uint32_t)kinds[comm->op];
    op->comm_queue = item->part == ASIM_SIMAI_WG;
    op->comm_bytes = bytes;
    if (ranks.n < r->it.layout.gpus) { /* the whole run needs no group */
        snprintf(r->group, sizeof r->group, "%u", ranks.id);
        op->pg_name = r->group;
    }
}

/* Stages are blocks of consecutive ranks, so a peer is one block up or down. The tag tells
 * micro-batches and directions apart. */
static void fill_transfer(struct asim_reader *r, const struct asim_simai_item *item,
                          struct asim_op *op)
{
    uint32_t stage = r->it.layout.gpus / r->it.layout.pp;
    uint32_t batch = (item->row - r->it.first_row) / r->it.batch_rows;
    int up = (item->type == ASIM_SIMAI_SEND) ==
             (item->part == ASIM_SIMAI_FORWARD); /* peer is the next stage */
    uint32_t peer = up ? r->it.rank + stage : r->it.rank - stage;
    op->type = item->type == ASIM_SIMAI_SEND ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV;
    op->has = ASIM_HAS_COMM_SIZE | ASIM_HAS_COMM_SRC | ASIM_HAS_COMM_DST | ASIM_HAS_COMM_TAG;
    op->comm_bytes = r->w.pp_comm;
    op->comm_src = item->type == ASIM_SIMAI_SEND ? r->it.rank : peer;
    op->comm_dst = item->type == ASIM_SIMAI_SEND ? peer : r->it.rank;
    op->comm_tag = 2 * batch + item->part;
}

/* SimAI's clock ticks in ns and its results are in us; ours keeps the ns.
 * Rounded to whole microseconds for tools that know no ns; the simulation takes duration_ns. */
static void fill_time(struct asim_op *op, uint64_t ns)
{
    op->type = ASIM_OP_COMP;
    op->duration_ns = ns;
    op->duration_micros = (ns + 500) / 1000;
}

/* Everything the op points at lies in the reader, good until the next op. */
static void fill(struct asim_reader *r, const struct asim_simai_item *item, struct asim_op *op)
{
    static const char *const kinds[] = {"metadata", "recv", "comp", "coll", "update", "send"};
    static const char *const parts[] = {"fwd", "ig", "wg"};
    static const char *const ways[] = {"fwd", "bwd"};
    const struct asim_simai_row *row = asim_simai_row(&r->w, item->row);
    int transfer = item->type == ASIM_SIMAI_RECV || item->type == ASIM_SIMAI_SEND;
    memset(op, 0, sizeof *op);
    op->id = item->id;
    op->pg_name = op->inputs_values = "";
    snprintf(r->name, sizeof r->name, "%s_%s_%s_%u", row->name,
             transfer ? ways[item->part] : parts[item->part], kinds[item->type], item->row);
    op->name = item->type == ASIM_SIMAI_META ? "## process_group:init ##" : r->name;
    if (item->dep) {
        r->dep = item->id - item->dep;
        op->data_deps = &r->dep;
        op->data_dep_n = 1;
    }
    if (item->type == ASIM_SIMAI_META) {
        op->type = ASIM_OP_METADATA;
        op->inputs_values = r->metadata;
    } else if (item->type == ASIM_SIMAI_COLL) {
        fill_coll(r, item, op);
    } else if (transfer) {
        fill_transfer(r, item, op);
    } else {
        fill_time(op, item->type == ASIM_SIMAI_COMP ? row->compute_ns[item->part] : row->update_ns);
        op->is_cpu = item->type == ASIM_SIMAI_DELAY; /* a delay, it keeps no GPU busy */
    }
}

/* Refused by count and not by memory: places of 31 bits are what the feed's index has room for. */
static int next(struct asim_reader *r, struct asim_op *op, struct asim_err *err)
{
    struct asim_simai_item item;
    if (!asim_simai_iterator_next(&r->it, &item))
        return 0;
    if (item.id >> ASIM_SIMAI_ID_BITS)
        return asim_err_set(err, ASIM_ENOMEM, "the workload %s has more than 2^31 ops a rank.",
                            r->w.source);
    r->place = asim_simai_pack(&item);
    fill(r, &item, op);
    return 1;
}

static uint64_t tell(const struct asim_reader *r)
{
    return r->place;
}

/* Made from the place alone: no file is read again. */
static int at(struct asim_reader *r, uint64_t place, struct asim_op *op, struct asim_err *err)
{
    struct asim_simai_item item = asim_simai_unpack(place);
    (void)err;
    fill(r, &item, op);
    return 0;
}

/* PyTorch's process-group JSON in a Python list's repr, as METADATA nodes hold it.
 * Owned by the reader. size is an upper bound: 12 characters hold any rank with its comma. */
static int make_metadata(struct asim_reader *r, struct asim_err *err)
{
    struct asim_simai_ranks ranks;
    size_t size = 64, used;
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->it.layout, g, r->it.rank, &ranks);
        size += 64 + (size_t)ranks.n * 12;
    }
    char *text = malloc(size);
    if (!text)
        return asim_err_nomem(err, "listing communicator groups");
    used = (size_t)snprintf(text, size, "['[");
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->it.layout, g, r->it.rank, &ranks);
        if (ranks.n < 2 || ranks.n == r->it.layout.gpus)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s{\"pg_name\": \"%u\", \"ranks\": [",
                                 used > 3 ? ", " : "", ranks.id);
        for (uint32_t i = 0; i < ranks.n; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%u", i ? ", " : "",
                                     ranks.base + i * ranks.stride);
        used += (size_t)snprintf(text + used, size - used, "]}");
    }
    snprintf(text + used, size - used, "]']");
    if (used > 3)
        r->metadata = text;
    else
        free(text);
    return 0;
}

/* Takes what a failed start left. */
static void close_reader(struct asim_reader *r)
{
    asim_simai_fini(&r->w);
    free(r->metadata);
    free(r);
}

/* Groups are listed in a METADATA op, as PyTorch's traces do, so the spine needs no second way. */
static int start(struct asim_reader *r, const char *path, uint32_t rank, struct asim_err *err)
{
    struct asim_simai_layout layout;
    int rc = asim_simai_read(&r->w, path, err);
    if (!rc)
        rc = asim_simai_layout(&r->w, 0, &layout, err);
    if (!rc)
        rc = asim_simai_iterator_start(&r->it, &r->w, &layout, rank, err);
    if (!rc)
        rc = make_metadata(r, err);
    r->it.has_meta = r->metadata != NULL;
    return rc;
}

static int open_reader(struct asim_reader **reader, const char *path, uint32_t rank,
                       struct asim_err *err)
{
    struct asim_reader *r = calloc(1, sizeof *r);
    if (!r)
        return asim_err_nomem(err, "opening a workload");
    int rc = start(r, path, rank, err);
    if (rc)
        close_reader(r);
    else
        *reader = r;
    return rc;
}

/* What the header says; the run may use fewer. */
static int count_ranks(const char *path, uint32_t *ranks, struct asim_err *err)
{
    struct asim_simai w;
    struct asim_simai_layout layout;
    int rc = asim_simai_read(&w, path, err);
    if (rc)
        return rc;
    rc = asim_simai_layout(&w, 0, &layout, err);
    *ranks = rc ? 0 : layout.gpus;
    asim_simai_fini(&w);
    return rc;
}

const struct asim_trace_format asim_trace_format_simai = {
    .member = {"simai", "SimAI / AICB workload text: one file for all ranks.", NULL, 0},
    .sniff = asim_simai_sniff,
    .open = open_reader,
    .next = next,
    .tell = tell,
    .at = at,
    .close = close_reader,
    .ranks = count_ranks,
};
