/* SPDX-License-Identifier: GPL-2.0-only
 *
 * fct.txt: one line per completed message, in ASTRA-sim's columns
 * (rdma-network.md#output-files): addresses in hex, ports, bytes, start, duration, and the time the
 * message would take alone. Written where the network configuration names it (FCT_OUTPUT_FILE).
 * Start is when the queue pair was made, the end when its last ACK was back.
 *
 * Order of messages that complete in the same ns: ASTRA-sim's is the order of insertion into one
 * global event queue, which no node here knows. The order here equals it in symmetric traffic:
 * messages that began earlier come first; of these, the order of the lines that ended at their
 * sources before they began (at first: the order of ranks); messages that queue at one destination
 * keep the destination's place from one batch to the next. Recorded
 * files of rings, halving-doubling and direct exchanges on one switch come out byte for byte;
 * over several logical dimensions or leaf and spine only the order inside one ns may differ.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/sort_u64.h"
#include "report/report.h"
#include "fabric/link/hash.h"
#include "net/watch.h"

/* Remembered lines that ended at a rank: more than the messages that can begin while others run. */
enum { PAST = 32 };

/* The counter is separate, so that a written line touches one cache line of this. */
struct past {
    struct {
        uint64_t end, place;
    } line[PAST]; /* the n-th is line[n % PAST] */
};

/* One message of a batch; an event is longer and lives during the callback only. */
struct row {
    uint64_t start, end, bytes, ideal;
    uint64_t rank; /* the order inside one start */
    uint32_t src, dst, sport;
    uint32_t seen; /* the order inside one rank */
};

/* The longest line (two addresses, six numbers), and the bytes of one write: many pages, which the
 * kernel then allocates together. */
enum { LINE_MOST = 160, TEXT_MOST = 1 << 18 };

/* The end of a line, from the bytes on: in symmetric traffic the same for all lines of one ns.
 * Copied in one length: its longest is 85, and mostly it is TAIL_USUAL at most. */
enum { TAIL_USUAL = 32, TAIL_MOST = 88 };
struct tail {
    uint64_t bytes, start, end, ideal;
    char *text; /* in a line that is not yet written, or NULL */
    size_t n;
};

/* Cached text of numbers with a blank before them, for columns whose values repeat: ports of hosts
 * in lockstep, durations, sizes. Each column has one place, for its last number. */
enum { KNOWN = 64, NUMBER_MOST = 16 };
struct known {
    uint64_t value;
    char text[NUMBER_MOST];
    uint64_t n; /* 0: not written yet */
};
enum column { SPORT, BYTES, DURATION, IDEAL, COLUMNS };

struct fct {
    struct asim_report_file own;
    struct past *past;                  /* [hosts] */
    uint32_t *ended;                    /* [hosts] lines so far */
    char (*address)[8];                 /* [hosts], in hex */
    ASIM_VEC(struct row) batch;         /* of one ns */
    ASIM_VEC(const struct row *) order; /* the same, as they are to be written, */
    ASIM_VEC(uint64_t) keys;            /* or by words */
    uint64_t place;                     /* lines written */
    int failed;
    struct tail tail; /* of the line before */
    struct known known[COLUMNS][KNOWN];
    char text[TEXT_MOST];
    size_t n; /* of text, not yet in the file */
};

/* Behind all ranks come the lines, which count from 1. */
static uint64_t rank_of(const struct fct *fct, const struct row *row)
{
    const struct past *to = &fct->past[row->dst], *from = &fct->past[row->src];
    uint32_t at_to = fct->ended[row->dst] - 1, at_from = fct->ended[row->src];

    if (at_to != UINT32_MAX && to->line[at_to % PAST].end > row->start)
        return UINT32_MAX + to->line[at_to % PAST].place;
    for (uint32_t back = 1; back <= at_from && back <= PAST; back++)
        if (from->line[(at_from - back) % PAST].end <= row->start)
            return UINT32_MAX + from->line[(at_from - back) % PAST].place;
    return row->src;
}

ASIM_ORDER(compare, const struct row *, [0] -> start, [0] -> rank, [0] -> seen)

/* A blank and the number; there is room for both (LINE_MOST). */
static char *number(char *at, uint64_t value)
{
    *at++ = ' ';
    return asim_text_put_u64(at, value);
}

/* Of more digits than the text has room for. */
static const uint64_t known_most = 999999999999999;

/* The same, mostly copied in one length from the last line that had it. */
static inline char *known_number(struct fct *fct, char *at, uint64_t value, enum column column)
{
    struct known *known = &fct->known[column][value % KNOWN];

    if (known->value != value || !known->n) {
        if (value > known_most)
            return number(at, value);
        known->value = value;
        known->n = (size_t)(number(known->text, value) - known->text);
    }
    memcpy(at, known->text, NUMBER_MOST);
    return at + known->n;
}

/* At its place in the line, which the next lines copy it from. */
static void write_tail(struct fct *fct, char *at, const struct row *row)
{
    struct tail *tail = &fct->tail;

    tail->text = at;
    tail->bytes = row->bytes;
    tail->start = row->start;
    tail->end = row->end;
    tail->ideal = row->ideal;
    at = known_number(fct, at, tail->bytes, BYTES);
    at = number(at, tail->start);
    at = known_number(fct, at, tail->end - tail->start, DURATION);
    at = known_number(fct, at, tail->ideal, IDEAL);
    *at++ = '\n';
    tail->n = (size_t)(at - tail->text);
}

static int same_tail(const struct tail *tail, const struct row *row)
{
    return tail->start == row->start && tail->end == row->end && tail->bytes == row->bytes &&
           tail->ideal == row->ideal && tail->text;
}

static void write_text(struct fct *fct)
{
    asim_out_write(fct->own.out, fct->text, fct->n);
    fct->n = 0;
    fct->tail.text = NULL;
}

/* The copied tail may be shorter than what is copied, which may then reach into the copy; the next
 * line is written over the rest. */
static inline void copy_tail(const struct tail *tail, char *at)
{
    if (tail->n <= TAIL_USUAL && (size_t)(at - tail->text) >= TAIL_USUAL)
        memcpy(at, tail->text, TAIL_USUAL);
    else
        memmove(at, tail->text, TAIL_MOST);
}

/* Port 100 is every message's destination port. */
static void write_row(struct fct *fct, const struct row *row)
{
    uint32_t line = fct->ended[row->dst]++ % PAST;
    struct past *past = &fct->past[row->dst];
    char *at = fct->text + fct->n;

    memcpy(at, fct->address[row->src], 8);
    at[8] = ' ';
    memcpy(at + 9, fct->address[row->dst], 8);
    at = known_number(fct, at + 17, row->sport, SPORT);
    memcpy(at, " 100", 4);
    if (same_tail(&fct->tail, row))
        copy_tail(&fct->tail, at + 4);
    else
        write_tail(fct, at + 4, row);
    fct->n = (size_t)(at + 4 - fct->text) + fct->tail.n;
    if (fct->n > TEXT_MOST - LINE_MOST)
        write_text(fct);
    past->line[line].end = row->end;
    past->line[line].place = ++fct->place;
}

/* Start, rank and place in the batch in one word each, where they fit: they do unless a line is the
 * first at its rank long after others had theirs. 0: they do not, or there is no memory. */
static int write_by_words(struct fct *fct, size_t n)
{
    uint64_t start = UINT64_MAX, start_last = 0, rank = UINT64_MAX, rank_last = 0, *keys;
    unsigned at_bits = asim_bits_of(n), rank_bits;

    for (size_t i = 0; i < n; i++) {
        const struct row *row = &fct->batch.at[i];

        start = row->start < start ? row->start : start;
        start_last = row->start > start_last ? row->start : start_last;
        rank = row->rank < rank ? row->rank : rank;
        rank_last = row->rank > rank_last ? row->rank : rank_last;
    }
    rank_bits = asim_bits_of(rank_last - rank);
    if (asim_bits_of(start_last - start) + rank_bits + at_bits > 64 ||
        ASIM_VEC_RESERVE(fct->keys, ASIM_SORT_U64_ROOM * n))
        return 0;
    keys = fct->keys.at;
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &fct->batch.at[i];

        keys[i] = ((row->start - start) << rank_bits | (row->rank - rank)) << at_bits | i;
    }
    keys = asim_sort_u64(keys, n);
    for (size_t i = 0; i < n; i++)
        write_row(fct, &fct->batch.at[keys[i] & ((1ull << at_bits) - 1)]);
    return 1;
}

/* Several messages of one ns: their order depends on the lines before all of them, so none is
 * written before the last has its rank. Sorts pointers, because rows are long. */
static void write_sorted(struct fct *fct, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fct->batch.at[i].rank = rank_of(fct, &fct->batch.at[i]);
    if (write_by_words(fct, n))
        return;
    if (ASIM_VEC_RESERVE(fct->order, n)) {
        fct->failed = 1;
        return;
    }
    for (size_t i = 0; i < n; i++)
        fct->order.at[i] = &fct->batch.at[i];
    qsort(fct->order.at, n, sizeof *fct->order.at, compare);
    for (size_t i = 0; i < n; i++)
        write_row(fct, fct->order.at[i]);
}

/* Where traffic is not in lockstep most messages are alone in their ns. */
static void flush(struct fct *fct)
{
    size_t n = fct->batch.n;

    fct->batch.n = 0;
    if (n == 1)
        write_row(fct, fct->batch.at);
    else if (n)
        write_sorted(fct, n);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct fct *fct = self;
    struct row *row;

    (void)world;
    if (fct->batch.n && fct->batch.at[0].end != event->t)
        flush(fct);
    if (ASIM_VEC_RESERVE(fct->batch, fct->batch.n + 1)) {
        fct->failed = 1;
        return;
    }
    row = &fct->batch.at[fct->batch.n];
    row->start = event->of.fct.start;
    row->end = event->t;
    row->bytes = event->of.fct.bytes;
    row->ideal = event->of.fct.ideal;
    row->src = event->rank;
    row->dst = event->of.fct.dst;
    row->sport = event->of.fct.sport;
    row->seen = (uint32_t)fct->batch.n++;
}

/* Not tied to --out: scripts look for the file the network configuration names. */
static const char *path(const struct asim_world *world)
{
    return world->set.net.fct_output;
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct fct *fct = self;

    fct->past = calloc(topo->hosts, sizeof *fct->past);
    fct->ended = calloc(topo->hosts, sizeof *fct->ended);
    fct->address = calloc(topo->hosts, sizeof *fct->address);
    if (!fct->past || !fct->ended || !fct->address)
        return asim_err_nomem(err, "ordering messages for fct.txt");
    for (uint32_t host = 0; host < topo->hosts; host++)
        asim_text_put_hex8(fct->address[host], asim_host_ip(asim_topo_external_id(topo, host)));
    return 0;
}

static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct fct *fct = self;

    (void)world;
    flush(fct);
    write_text(fct);
    return fct->failed ? asim_err_nomem(err, "ordering messages for fct.txt") : 0;
}

static void drop(void *self)
{
    struct fct *fct = self;

    ASIM_FREE(fct->batch.at, fct->order.at, fct->keys.at, fct->past, fct->ended, fct->address);
}

const struct asim_report asim_report_fct = {
    .member = {.name = "fct", .about = "fct.txt: a line a message"},
    .needs = ASIM_NET_FLOWS,
    .path = path,
    .wants = 1u << ASIM_EV_FCT,
    .see = see,
    .size = sizeof(struct fct),
    .begin = begin,
    .end = end,
    .drop = drop,
};
