/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the checks in order, and sums over all ranks.
 */
#include "check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"

/* Stops at UINT64_MAX, as the sums of one trace do. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void add_stats(struct asim_trace_stats *total, const struct asim_trace_stats *rank)
{
    total->ops += rank->ops;
    total->cpu_ops += rank->cpu_ops;
    for (int t = 0; t < ASIM_OP_TYPES; t++) {
        total->by_type[t] += rank->by_type[t];
        total->micros_by_type[t] = sum(total->micros_by_type[t], rank->micros_by_type[t]);
    }
    for (int c = 0; c < ASIM_COLL_TYPES; c++) {
        total->colls[c] += rank->colls[c];
        total->coll_bytes[c] = sum(total->coll_bytes[c], rank->coll_bytes[c]);
    }
    total->other_colls += rank->other_colls;
    total->sent_bytes = sum(total->sent_bytes, rank->sent_bytes);
    total->received_bytes = sum(total->received_bytes, rank->received_bytes);
    total->data_deps += rank->data_deps;
    total->ctrl_deps += rank->ctrl_deps;
}

/* The path is that of the plain file if there is one. */
static void check_files(struct asim_check *check, uint32_t rank, const char *path)
{
    size_t n = strlen(path);
    char *packed = n > 3 && !strcmp(path + n - 3, ".et") ? malloc(n + 4) : NULL;
    if (!packed)
        return;
    snprintf(packed, n + 4, "%s.gz", path);
    if (!access(packed, F_OK))
        asim_check_say(check, 0,
                       "rank %" PRIu32 " has two traces, %s and %s; the first one is read.", rank,
                       path, packed);
    free(packed);
}

static void check_version(struct asim_check *check, uint32_t rank, const struct asim_trace *trace)
{
    const char *version;
    char safe[64];
    if (asim_trace_version_known(trace, &version) || check->odd_version++)
        return;
    asim_check_say(
        check, 0,
        "rank %" PRIu32
        " states a schema version that asim does not know ('%s'); it is read as version 0.0.4.",
        rank, asim_text_safe(safe, sizeof safe, version));
}

/* One more pass, with the same counters as every other tool. Only short memory is an error: the
 * passes before have reported others. */
static int count(struct asim_check *check, uint32_t rank, struct asim_err *err)
{
    struct asim_trace trace = {0};
    struct asim_trace_stats stats;
    struct asim_err own = {0};
    int rc = asim_trace_open(&trace, check->prefix, rank, &own);
    if (!rc) {
        if (!asim_trace_is_shared(check->prefix))
            check_files(check, rank, trace.path);
        check_version(check, rank, &trace);
        rc = asim_trace_stats(&stats, &trace, &own);
    }
    asim_trace_close(&trace);
    if (rc)
        return own.code == ASIM_ENOMEM ? asim_err_nomem(err, "checking traces") : 0;
    add_stats(&check->total, &stats);
    if (!stats.ops && !check->idle++)
        check->first_idle = rank;
    if (stats.ops < check->fewest)
        check->fewest = stats.ops;
    if (stats.ops > check->most)
        check->most = stats.ops;
    return 0;
}

/* Rank after rank: memory is that of one rank and of the data to compare. */
int asim_check_run(struct asim_check *check, struct asim_err *err)
{
    int rc = 0, unreadable = 0;
    asim_map_init(&check->by_name);
    asim_map_init(&check->message_counts);
    asim_map_init(&check->message_bytes);
    check->fewest = UINT64_MAX;
    for (uint32_t rank = 0; rank < check->ranks && rc >= 0; rank++) {
        asim_check_graph(check, rank);
        rc = asim_check_ops(check, rank, err);
        if (rc > 0)
            unreadable++;
        else if (!rc)
            rc = asim_check_compare(check, rank, err);
        if (!rc)
            rc = count(check, rank, err);
    }
    if (rc < 0)
        return rc;
    if (check->fewest > check->most)
        check->fewest = check->most;
    if (check->idle)
        asim_check_say(check, 0,
                       "%" PRIu32 " of %" PRIu32 " traces have no nodes, that of rank %" PRIu32
                       " is the first; such a rank finishes at once.",
                       check->idle, check->ranks, check->first_idle);
    if (unreadable)
        return 0; /* members and messages are missing because of the unreadable trace */
    asim_check_members(check);
    asim_check_messages(check);
    if (check->named > check->ranks)
        asim_check_say(check, 0,
                       "the set has %" PRIu32 " rank%s and its collectives are named as of "
                       "%" PRIu32 ": where the last ones are missing, fewer take part.",
                       check->ranks, asim_text_s(check->ranks), check->named);
    if (check->ranks == 1 && check->total.by_type[ASIM_OP_COMM_COLL])
        asim_check_say(check, 0, "the set has one rank; its %" PRIu64 " collective%s.",
                       check->total.by_type[ASIM_OP_COMM_COLL],
                       check->total.by_type[ASIM_OP_COMM_COLL] == 1
                           ? " has no other member and takes no time"
                           : "s have no other member and take no time");
    return check->errors ? 0 : asim_check_waits(check, err);
}

void asim_check_fini(struct asim_check *check)
{
    for (size_t i = 0; i < check->groups.n; i++) {
        ASIM_FREE(check->groups.at[i].name, check->groups.at[i].kept.at,
                  check->groups.at[i].users.at);
    }
    for (size_t i = 0; i < check->lists.n; i++) {
        free(check->lists.at[i].text);
        asim_groups_fini(&check->lists.at[i].groups);
    }
    ASIM_FREE(check->lists.at, check->defs.at, check->groups.at, check->colls.at);
    asim_map_fini(&check->by_name);
    asim_map_fini(&check->message_counts);
    asim_map_fini(&check->message_bytes);
    asim_groups_fini(&check->file);
}
