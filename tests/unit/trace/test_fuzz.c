/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays tests/fuzz/trace through record reader, ops, index and feed. A trace that opens must also
 * run to its end.
 */
#include "../../fuzz/replay.h"
#include "trace/feed/feed.h"

static int run_to_end(struct asim_feed *feed, struct asim_err *err)
{
    int rc = 0;
    for (int found = 1; found && !rc;) {
        found = 0;
        for (int unit = 0; unit < ASIM_UNITS && !rc; unit++) {
            uint32_t index;
            uint64_t id;
            struct asim_op op;
            if (!asim_feed_peek(feed, (enum asim_unit)unit, &index, &id))
                continue;
            found = 1;
            rc = asim_feed_record(feed, index, &op, err);
            CHECK(rc || op.id == id);
            asim_feed_take(feed, (enum asim_unit)unit);
            CHECK(asim_feed_finish(feed, index) == 0);
        }
    }
    CHECK(rc || asim_feed_finished(feed) == asim_feed_total(feed));
    return rc;
}

static int read_trace(const char *path, struct asim_err *err)
{
    struct asim_feed_options opt = {.path = path, .cached_records = 2, .lenient = 1};
    struct asim_feed *feed;
    int rc = asim_feed_open(&feed, &opt, err);
    if (rc)
        return rc;
    rc = run_to_end(feed, err);
    asim_feed_close(feed);
    return rc;
}

int main(void)
{
    CHECK(replay_folder("trace", ".et", read_trace) >= 40);
    CHECK(replay_folder("trace", ".json", read_trace) == 3);
    return CHECK_DONE();
}
