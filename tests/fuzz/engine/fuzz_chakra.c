/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra traces: opened, indexed, and every op's body read.
 */
#include "fuzz/engine/target.h"
#include "trace/feed/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct asim_feed_options opt = {.path = target_file(data, size, ".et"), .lenient = 1};
    struct asim_err err = {0};
    struct asim_feed *feed = NULL;
    struct asim_op op;
    int code = asim_feed_open(&feed, &opt, &err);

    target_judge(code, &err);
    for (uint64_t i = 0; !code && i < asim_feed_total(feed); i++)
        target_judge(asim_feed_record(feed, (uint32_t)i, &op, &err), &err);
    asim_feed_close(feed);
    return 0;
}
