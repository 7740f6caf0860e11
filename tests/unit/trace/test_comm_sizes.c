/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The attribute comm_sizes as the feed delivers it: both list types, their sum as the op's bytes
 * whatever comm_size is, lists of different lengths one after the other with a record cache of one,
 * and errors (a negative size, a sum beyond 63 bits, another type).
 */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "asim/trace.h"
#include "trace/feed/feed.h"

#define OPS 40

static const char *const work = "test_comm_sizes.tmp.et";

/* One op with a list of that type, and a comm_size that must not count. */
static void put(struct asim_chakra_writer *writer, uint64_t id, int kind, const void *list,
                size_t n)
{
    struct asim_chakra_attr attrs[] = {
        {.name = "comm_size", .type = ASIM_CHAKRA_INT64, .value = {.i = 99}},
        {.name = "comm_sizes", .type = kind, .value = {.list = {list, n}}},
    };
    struct asim_chakra_node node = {
        .id = id, .name = "v", .type = ASIM_OP_COMM_COLL, .attrs = attrs, .attr_n = 2};

    CHECK_U64(asim_chakra_writer_node(writer, &node, NULL), 0);
}

static struct asim_chakra_writer *begin(void)
{
    struct asim_chakra_writer *writer = NULL;

    CHECK_U64(asim_chakra_writer_open(&writer, work, NULL), 0);
    CHECK_U64(asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, NULL), 0);
    return writer;
}

/* Op i has i sizes, i + 1 bytes to each; every other op has them as int64. */
static void delivered(void)
{
    struct asim_feed_options opt = {.path = work, .cached_records = 1};
    struct asim_chakra_writer *writer = begin();
    struct asim_feed *feed = NULL;
    uint64_t list[OPS];

    for (uint64_t i = 0; i < OPS; i++) {
        for (uint64_t k = 0; k < i; k++)
            list[k] = i + 1;
        put(writer, i, ASIM_CHAKRA_LIST(i % 2 ? ASIM_CHAKRA_INT64 : ASIM_CHAKRA_UINT64), list, i);
    }
    CHECK_U64(asim_chakra_writer_commit(writer, NULL), 0);
    CHECK_U64(asim_feed_open(&feed, &opt, NULL), 0);
    for (uint32_t turn = 0; feed && turn < 3 * OPS; turn++) {
        uint32_t i = turn * 17 % OPS;
        struct asim_op op;

        CHECK_U64(asim_feed_record(feed, i, &op, NULL), 0);
        CHECK(op.has & ASIM_HAS_COMM_SIZES);
        CHECK_U64(op.comm_size_n, i);
        CHECK_U64(op.comm_bytes, (uint64_t)i * (i + 1));
        for (uint32_t k = 0; k < i; k++)
            CHECK_U64(op.comm_sizes[k], i + 1);
    }
    asim_feed_close(feed);
    remove(work);
}

static void refused(int kind, const void *list, size_t n, const char *what)
{
    struct asim_feed_options opt = {.path = work};
    struct asim_chakra_writer *writer = begin();
    struct asim_feed *feed = NULL;
    struct asim_err err = {0};

    put(writer, 5, kind, list, n);
    CHECK_U64(asim_chakra_writer_commit(writer, NULL), 0);
    CHECK(asim_feed_open(&feed, &opt, &err) != 0);
    CHECK(strstr(err.text, "comm_sizes"));
    CHECK(strstr(err.text, what));
    asim_feed_close(feed);
    remove(work);
}

int main(void)
{
    const int64_t negative[] = {4, -1};
    const uint64_t huge[] = {INT64_MAX, 1}, fits[] = {INT64_MAX - 1, 1}, small[] = {1, 2};
    struct asim_feed_options opt = {.path = work};
    struct asim_chakra_writer *writer;
    struct asim_feed *feed = NULL;

    delivered();
    refused(ASIM_CHAKRA_LIST(ASIM_CHAKRA_INT64), negative, 2, "sizes of 0 or more");
    refused(ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64), huge, 2, "below 2^63");
    refused(ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT32), small, 2, "an int64_list or uint64_list");
    writer = begin();
    put(writer, 1, ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64), fits, 2);
    CHECK_U64(asim_chakra_writer_commit(writer, NULL), 0);
    CHECK_U64(asim_feed_open(&feed, &opt, NULL), 0);
    asim_feed_close(feed);
    remove(work);
    return CHECK_DONE();
}
