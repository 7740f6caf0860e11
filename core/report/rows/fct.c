/* SPDX-License-Identifier: GPL-2.0-only
 *
 * fct.txt: one line per completed message, in the reference's columns (spec rdma-network.md,
 * section 5.5): addresses in hex, ports, bytes, start, duration, and the time the message would
 * take alone. Written where the network configuration names it (FCT_OUTPUT_FILE). Start is when the
 * queue pair was made, the end when its last ACK was back.
 *
 * Order of messages that complete in the same ns: there it is that of insertion into one global
 * queue of events, which no node here knows. What that comes to in symmetric traffic is kept: those
 * that began first; of these, in the order in which they were set off, which is the order of the
 * lines that ended at their sources before they began (at first: of the ranks); but messages that
 * queue up at one destination keep the destination's place from one batch to the next. Recorded
 * files of rings, halving-doubling and direct exchanges on one switch come out byte for byte;
 * over several logical dimensions or leaf and spine only the order inside one ns may differ.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

/* Lines that ended at a rank: enough to look back over what can begin while others run. */
enum { PAST = 32 };

struct past {
    uint64_t end[PAST], place[PAST];
    uint32_t n; /* so far; the newest is (n - 1) % PAST */
};

struct row {
    struct asim_event event;
    uint64_t rank; /* the order inside one start */
    size_t seen;   /* the order inside one rank */
};

struct fct {
    struct asim_out *file;
    const struct asim_topo *topo;
    struct past *past;          /* [hosts] */
    ASIM_VEC(struct row) batch; /* of one ns */
    uint64_t place;             /* lines written */
    int failed;
};

/* Behind all ranks come the lines, which count from 1. */
static uint64_t rank_of(const struct fct *fct, const struct asim_event *event)
{
    const struct past *to = &fct->past[event->of.fct.dst], *from = &fct->past[event->rank];

    if (to->n && to->end[(to->n - 1) % PAST] > event->of.fct.start)
        return UINT32_MAX + to->place[(to->n - 1) % PAST];
    for (uint32_t back = 1; back <= from->n && back <= PAST; back++)
        if (from->end[(from->n - back) % PAST] <= event->of.fct.start)
            return UINT32_MAX + from->place[(from->n - back) % PAST];
    return event->rank;
}

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->event.of.fct.start != y->event.of.fct.start)
        return x->event.of.fct.start < y->event.of.fct.start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->seen < y->seen ? -1 : x->seen > y->seen;
}

/* A blank and the number. */
static char *number(char *at, uint64_t value)
{
    *at++ = ' ';
    return asim_text_put_u64(at, value);
}

/* Port 100 is every message's destination port. */
static void write_row(struct fct *fct, const struct asim_event *event)
{
    struct past *past = &fct->past[event->of.fct.dst];
    char line[160], *at = line; /* two addresses and six numbers: 144 at most */

    at = asim_text_put_hex8(at, asim_host_ip(asim_topo_shown(fct->topo, event->rank)));
    *at++ = ' ';
    at = asim_text_put_hex8(at, asim_host_ip(asim_topo_shown(fct->topo, event->of.fct.dst)));
    at = number(at, event->of.fct.sport);
    memcpy(at, " 100", 4);
    at += 4;
    at = number(at, event->of.fct.bytes);
    at = number(at, event->of.fct.start);
    at = number(at, event->t - event->of.fct.start);
    at = number(at, event->of.fct.ideal);
    *at++ = '\n';
    asim_out_write(fct->file, line, (size_t)(at - line));
    past->end[past->n % PAST] = event->t;
    past->place[past->n++ % PAST] = ++fct->place;
}

static void flush(struct fct *fct)
{
    for (size_t i = 0; i < fct->batch.n; i++)
        fct->batch.at[i].rank = rank_of(fct, &fct->batch.at[i].event);
    if (fct->batch.n > 1)
        qsort(fct->batch.at, fct->batch.n, sizeof *fct->batch.at, compare);
    for (size_t i = 0; i < fct->batch.n; i++)
        write_row(fct, &fct->batch.at[i].event);
    fct->batch.n = 0;
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct fct *fct = self;
    struct row row = {.event = *event};

    (void)world;
    if (fct->batch.n && fct->batch.at[0].event.t != event->t)
        flush(fct);
    row.seen = fct->batch.n;
    if (ASIM_VEC_PUSH(fct->batch, row))
        fct->failed = 1;
}

static int close_fct(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct fct *fct = self;
    int code, failed;

    flush(fct);
    code = asim_report_file_close(fct->file, world, err);
    failed = fct->failed;
    free(fct->batch.at);
    free(fct->past);
    free(fct);
    return !code && failed ? asim_err_nomem(err, "ordering messages for fct.txt") : code;
}

/* Not tied to --out: scripts look for the file the network configuration names. */
static int open_fct(struct asim_viewer *viewer, struct asim_world *world, const char *out,
                    struct asim_err *err)
{
    struct fct *fct;

    (void)out;
    if (!world->fabric || !world->net.fct_output || !*world->net.fct_output)
        return 0;
    fct = calloc(1, sizeof *fct);
    if (!fct || !(fct->past = calloc(world->topo.hosts, sizeof *fct->past))) {
        free(fct);
        return asim_err_nomem(err, "ordering messages for fct.txt");
    }
    if (asim_report_file(&fct->file, world, NULL, world->net.fct_output, err)) {
        free(fct->past);
        free(fct);
        return ASIM_EIO;
    }
    fct->topo = &world->topo;
    *viewer = (struct asim_viewer){
        .wants = 1u << ASIM_EV_FCT, .self = fct, .see = see, .close = close_fct};
    return 0;
}

const struct asim_report asim_report_fct = {
    .member = {.name = "fct", .about = "fct.txt: a line a message"},
    .open = open_fct,
};
