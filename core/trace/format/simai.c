/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text: one file for all ranks. The iterator (asim/simai.h) gives
 * each rank's items in SimAI's order; here they become ops. Names are <row>_<part>_<what>_<row
 * number>.
 *
 * SimAI states the whole buffer of a collective; an op states the bytes of one rank, so an
 * ALLGATHER of S bytes over n ranks becomes S/n. Collectives of weight gradients wait in their own
 * queue if there is more than one: SimAI's second logical dimension (simai.md#execution).
 *
 * Ids count from 1 in the order of the iterator; each op waits for one other op at most. at() makes
 * an op from its position alone, so the record cache costs no reading.
 */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "trace/format.h"
#include "trace/simai/iterator.h"
#include "trace/simai/notes.h"

/* The text, read once for all readers that come from one another. */
struct text {
    struct asim_simai w;
    unsigned readers; /* the last one frees it; readers of one text belong to one thread */
};

/* The state of one rank. */
struct simai_reader {
    struct text *text;
    struct asim_simai_iterator it;
    uint64_t position;
    /* memory of the op last delivered */
    uint64_t dep;
    char name[112], group[16];
    char *metadata; /* only behind a METADATA op */
};

static char *put_text(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n + 1);
    return to + n;
}

/* Words and a number with '_' between. */
static void put_name(char *to, const char *const words[3], uint32_t number)
{
    for (int i = 0; i < 3; i++) {
        to = put_text(to, words[i]);
        *to++ = '_';
    }
    *asim_text_put_u64(to, number) = '\0';
}

/* Sizes drop a remainder; a gather of less than one byte per rank takes one byte. The group's name
 * is its number, as in Chakra. */
static void fill_coll(struct simai_reader *r, const struct asim_simai_item *item,
                      struct asim_op *op)
{
    static const int kinds[] = {-1, ASIM_ALL_REDUCE, ASIM_ALL_GATHER, ASIM_REDUCE_SCATTER,
                                ASIM_ALL_TO_ALL};
    const struct asim_simai_comm *comm = &asim_simai_row(&r->text->w, item->row)->comm[item->part];
    struct asim_simai_ranks ranks;
    uint64_t bytes = asim_simai_run_bytes(&r->text->w, item->row, item->part);
    asim_simai_group(&r->it.layout, comm->group, r->it.rank, &ranks);
    if (comm->op == ASIM_SIMAI_ALLGATHER) /* the bytes of one rank */
        bytes = bytes / ranks.n ? bytes / ranks.n : 1;
    op->type = ASIM_OP_COMM_COLL;
    op->has = ASIM_HAS_COMM_TYPE | ASIM_HAS_COMM_SIZE | ASIM_HAS_QUEUE;
    op->comm_type = (uint32_t)kinds[comm->op];
    op->comm_queue = item->part == ASIM_SIMAI_WG;
    op->comm_bytes = bytes;
    if (ranks.n < r->it.layout.gpus) { /* a group of all ranks has no name */
        *asim_text_put_u64(r->group, ranks.id) = '\0';
        op->pg_name = r->group;
    }
}

/* Stages are blocks of consecutive ranks, so a peer is one block up or down. The tag distinguishes
 * micro-batches and directions. */
static void fill_transfer(struct simai_reader *r, const struct asim_simai_item *item,
                          struct asim_op *op)
{
    uint32_t stage = r->it.layout.gpus / r->it.layout.pp;
    uint32_t batch = (item->row - r->it.first_row) / r->it.batch_rows;
    int up = (item->type == ASIM_SIMAI_SEND) ==
             (item->part == ASIM_SIMAI_FORWARD); /* peer is the next stage */
    uint32_t peer = up ? r->it.rank + stage : r->it.rank - stage;
    op->type = item->type == ASIM_SIMAI_SEND ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV;
    op->has = ASIM_HAS_COMM_SIZE | ASIM_HAS_COMM_SRC | ASIM_HAS_COMM_DST | ASIM_HAS_COMM_TAG;
    op->comm_bytes = r->text->w.pp_comm;
    op->comm_src = item->type == ASIM_SIMAI_SEND ? r->it.rank : peer;
    op->comm_dst = item->type == ASIM_SIMAI_SEND ? peer : r->it.rank;
    op->comm_tag = 2 * batch + item->part;
}

/* The simulation uses duration_ns; microseconds are for tools that do not know ns. */
static void fill_time(struct asim_op *op, uint64_t ns)
{
    op->type = ASIM_OP_COMP;
    op->duration_ns = ns;
    op->duration_micros = (ns + 500) / 1000;
}

/* Other collectives are of all ranks, or of one. */
static int is_named(const struct simai_reader *r, const struct asim_simai_ranks *ranks)
{
    return ranks->n > 1 && ranks->n < r->it.layout.gpus;
}

/* PyTorch's process-group JSON in the repr of a Python list, as in METADATA nodes: the groups of
 * this rank. Made when it is asked for: with 16,384 ranks the texts of all ranks have 400 MB. size
 * is an upper bound: 12 characters hold any rank with its comma. */
static int make_metadata(struct simai_reader *r)
{
    struct asim_simai_ranks ranks;
    size_t size = 64;
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->it.layout, g, r->it.rank, &ranks);
        size += 64 + (size_t)ranks.n * 12;
    }
    char *to = r->metadata = malloc(size), *begin;
    if (!to)
        return ASIM_ENOMEM;
    to = begin = put_text(to, "['[");
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->it.layout, g, r->it.rank, &ranks);
        if (!is_named(r, &ranks))
            continue;
        to = put_text(to, to > begin ? ", {\"pg_name\": \"" : "{\"pg_name\": \"");
        to = asim_text_put_u64(to, ranks.id);
        to = put_text(to, "\", \"ranks\": [");
        for (uint32_t i = 0; i < ranks.n; i++) {
            to = i ? put_text(to, ", ") : to;
            to = asim_text_put_u64(to, ranks.base + i * ranks.stride);
        }
        to = put_text(to, "]}");
    }
    put_text(to, "]']");
    return 0;
}

/* All pointers of the op lead into the reader, until the next op. 0 or ASIM_ENOMEM. */
static int fill(struct simai_reader *r, const struct asim_simai_item *item, struct asim_op *op)
{
    static const char *const kinds[] = {"metadata", "recv", "comp", "coll", "update", "send"};
    static const char *const parts[] = {"fwd", "ig", "wg"};
    static const char *const ways[] = {"fwd", "bwd"};
    const struct asim_simai_row *row = asim_simai_row(&r->text->w, item->row);
    int transfer = item->type == ASIM_SIMAI_RECV || item->type == ASIM_SIMAI_SEND;
    memset(op, 0, sizeof *op);
    free(r->metadata);
    r->metadata = NULL;
    op->id = item->id;
    op->pg_name = op->inputs_values = "";
    put_name(r->name,
             (const char *const[]){row->name, transfer ? ways[item->part] : parts[item->part],
                                   kinds[item->type]},
             item->row);
    op->name = item->type == ASIM_SIMAI_META ? "## process_group:init ##" : r->name;
    if (item->dep) {
        r->dep = item->id - item->dep;
        op->data_deps = &r->dep;
        op->data_dep_n = 1;
    }
    if (item->type == ASIM_SIMAI_META) {
        op->type = ASIM_OP_METADATA;
        if (make_metadata(r))
            return ASIM_ENOMEM;
        op->inputs_values = r->metadata;
    } else if (item->type == ASIM_SIMAI_COLL) {
        fill_coll(r, item, op);
    } else if (transfer) {
        fill_transfer(r, item, op);
    } else {
        fill_time(op, item->type == ASIM_SIMAI_COMP ? row->compute_ns[item->part] : row->update_ns);
        op->is_cpu = item->type == ASIM_SIMAI_DELAY; /* a delay does not occupy the GPU */
    }
    return 0;
}

/* The index has room for positions with ids of 31 bits. */
static int next(void *reader, struct asim_op *op, struct asim_err *err)
{
    struct simai_reader *r = reader;
    struct asim_simai_item item;
    if (!asim_simai_iterator_next(&r->it, &item))
        return 0;
    if (item.id >> ASIM_SIMAI_ID_BITS)
        return asim_err_set(err, ASIM_ENOMEM, "the workload %s has more than 2^31 ops a rank.",
                            r->text->w.source);
    r->position = asim_simai_pack(&item);
    return fill(r, &item, op) ? asim_err_nomem(err, "listing communicator groups") : 1;
}

static uint64_t tell(const void *reader)
{
    return ((const struct simai_reader *)reader)->position;
}

/* Makes the op from its position; reads no file. */
static int at(void *reader, uint64_t position, struct asim_op *op, struct asim_err *err)
{
    struct asim_simai_item item = asim_simai_unpack(position);
    return fill(reader, &item, op) ? asim_err_nomem(err, "listing communicator groups") : 0;
}

/* Also takes what a failed start left. */
static void close_reader(void *reader)
{
    struct simai_reader *r = reader;

    if (r->text && !--r->text->readers) {
        asim_simai_fini(&r->text->w);
        free(r->text);
    }
    free(r->metadata);
    free(r);
}

/* A METADATA op lists the groups, as in PyTorch's traces. */
static int start(struct simai_reader *r, const struct asim_simai_layout *layout, uint32_t rank,
                 struct asim_err *err)
{
    struct asim_simai_ranks ranks;
    int rc = asim_simai_iterator_start(&r->it, &r->text->w, layout, rank, err);
    for (int g = ASIM_SIMAI_TP; !rc && g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(layout, g, rank, &ranks);
        r->it.has_meta |= is_named(r, &ranks);
    }
    return rc;
}

static int read_text(struct simai_reader *r, const char *path, uint32_t rank, struct asim_err *err)
{
    struct asim_simai_layout layout;
    r->text = calloc(1, sizeof *r->text);
    if (!r->text)
        return asim_err_nomem(err, "opening a workload");
    r->text->readers = 1;
    int rc = asim_simai_read(&r->text->w, path, err);
    if (!rc)
        rc = asim_simai_layout(&r->text->w, 0, &layout, err);
    return rc ? rc : start(r, &layout, rank, err);
}

static int open_reader(void **reader, const char *path, uint32_t rank, struct asim_err *err)
{
    struct simai_reader *r = calloc(1, sizeof *r);
    if (!r)
        return asim_err_nomem(err, "opening a workload");
    int rc = read_text(r, path, rank, err);
    if (rc)
        close_reader(r);
    else
        *reader = r;
    return rc;
}

static int open_like(void **reader, const void *other, uint32_t rank, struct asim_err *err)
{
    const struct simai_reader *like = other;
    struct simai_reader *r = calloc(1, sizeof *r);
    if (!r)
        return asim_err_nomem(err, "opening a workload");
    r->text = like->text;
    r->text->readers++;
    int rc = start(r, &like->it.layout, rank, err);
    if (rc)
        close_reader(r);
    else
        *reader = r;
    return rc;
}

/* Groups have one size in all ranks, so only the pipeline stage decides which items exist. */
static int is_alike(const void *reader, const void *other)
{
    const struct simai_reader *a = reader, *b = other;

    return a->text == b->text && a->it.stage == b->it.stage;
}

/* The number of ranks in the header. */
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
    .open_like = open_like,
    .is_alike = is_alike,
    .ranks = count_ranks,
    .diagnose = asim_simai_diagnose,
};
