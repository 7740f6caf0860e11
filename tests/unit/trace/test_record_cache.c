/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The size of the record cache must not change results: a random graph of 5,000 ops with shuffled
 * ids, gaps, and records of many sizes gives the same run for caches of 1, 2, 7, 1000 and more than
 * all ops. Several ops are in flight at a time, and records are read again out of order, so
 * displaced ones must come back correctly.
 */
#include <stdlib.h>
#include "check.h"
#include "asim/trace.h"
#include "trace/feed/feed.h"

#define OPS    5000
#define FLIGHT 40

static const char *const work = "test_window.tmp.et";

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Ids fall within the file in strides, so the index has to sort; the name depends on the id. */
static uint64_t id_of(uint64_t i)
{
    return 3 + (i * 7919 % OPS) * 5;
}

static void name_of(uint64_t id, char *name, size_t size)
{
    int pad = (int)(id % 97 == 0 ? 3000 : id % 50);
    snprintf(name, size, "op%" PRIu64 "%*s", id, pad, "");
}

static void make_trace(void)
{
    uint64_t state = 88172645463325252u;
    struct asim_chakra_writer *writer;
    CHECK_U64(asim_chakra_writer_open(&writer, work, NULL), 0);
    CHECK_U64(asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, NULL), 0);
    for (uint64_t i = 0; i < OPS; i++) {
        uint64_t data[4], ctrl[2];
        char name[3100];
        struct asim_chakra_node node = {.id = id_of(i), .name = name};
        name_of(node.id, name, sizeof name);
        node.type = 4 + (int)(draw(&state) % 4);
        node.data_dep_n = i ? draw(&state) % 5 : 0;
        node.ctrl_dep_n = i ? draw(&state) % 3 : 0;
        for (size_t k = 0; k < node.data_dep_n; k++)
            data[k] = id_of(draw(&state) % i);
        for (size_t k = 0; k < node.ctrl_dep_n; k++)
            ctrl[k] = id_of(draw(&state) % i);
        node.data_deps = data;
        node.ctrl_deps = ctrl;
        CHECK_U64(asim_chakra_writer_node(writer, &node, NULL), 0);
    }
    CHECK_U64(asim_chakra_writer_commit(writer, NULL), 0);
}

static void check_body(struct asim_feed *feed, uint32_t index, uint64_t id)
{
    struct asim_op op;
    char name[3100];
    CHECK_U64(asim_feed_record(feed, index, &op, NULL), 0);
    CHECK_U64(op.id, id);
    name_of(id, name, sizeof name);
    CHECK(!strcmp(op.name, name));
}

struct flight {
    uint32_t index[FLIGHT];
    uint64_t id[FLIGHT];
    int n;
};

static void take_some(struct asim_feed *feed, struct flight *flight)
{
    for (int unit = 0; unit < ASIM_UNITS; unit++) {
        while (flight->n < FLIGHT &&
               asim_feed_peek(feed, (enum asim_unit)unit, &flight->index[flight->n],
                              &flight->id[flight->n])) {
            asim_feed_take(feed, (enum asim_unit)unit);
            check_body(feed, flight->index[flight->n], flight->id[flight->n]);
            flight->n++;
        }
    }
}

/* A number that depends on the order of all starts and finishes. */
static uint64_t run(size_t window)
{
    uint64_t state = 42, sum = 0;
    struct asim_feed_options opt = {.path = work, .cached_records = window};
    struct asim_err err = {0};
    struct asim_feed *feed;
    struct flight flight = {.n = 0};
    CHECK_U64(asim_feed_open(&feed, &opt, &err), 0);
    CHECK_STR(err.text, "");
    for (take_some(feed, &flight); flight.n; take_some(feed, &flight)) {
        int which = (int)(draw(&state) % (uint64_t)flight.n);
        check_body(feed, flight.index[which], flight.id[which]);
        sum = sum * 31 + flight.id[which];
        CHECK_U64(asim_feed_finish(feed, flight.index[which]), 0);
        check_body(feed, flight.index[which], flight.id[which]); /* a report asks late */
        flight.n--;
        flight.index[which] = flight.index[flight.n];
        flight.id[which] = flight.id[flight.n];
    }
    CHECK_U64(asim_feed_finished(feed), OPS);
    asim_feed_close(feed);
    return sum;
}

int main(void)
{
    static const size_t windows[] = {1, 2, 7, 1000, 100000};
    make_trace();
    uint64_t first = run(0);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        CHECK_U64(run(windows[i]), first);
    remove(work);
    return CHECK_DONE();
}
