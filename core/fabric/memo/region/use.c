/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts of what the memo has saved, and the reasons why not more.
 */
#include "fabric/memo/region/use.h"

#include "fabric/memo/state/counters.h"
#include "fabric/memo/memo.h"
#include "net/ways.h"

uint64_t asim_memo_carried(const struct asim_fabric *fabric)
{
    const struct asim_memo *memo = fabric->memo;

    return asim_counters_hops(fabric) - (memo ? memo->saved + memo->steady.saved : 0);
}

void asim_memo_carried_for(struct asim_fabric *fabric, enum asim_carried_reason reason)
{
    struct asim_memo_tally *tally = &fabric->memo->tally;
    uint64_t now = asim_memo_carried(fabric);

    tally->hops[reason] += now - tally->counted;
    tally->counted = now;
}

void asim_memo_carry_for(struct asim_fabric *fabric, enum asim_carried_reason reason)
{
    struct asim_memo_tally *tally = &fabric->memo->tally;

    if (tally->reason == reason)
        return;
    asim_memo_carried_for(fabric, tally->reason);
    tally->reason = reason;
}

/* Why there is no memo. */
static const char *why_off(const struct asim_fabric *fabric)
{
    const char *why = asim_way_excluded_by(ASIM_WAY_FAST_FORWARD, fabric->features);

    if (fabric->set.process_of && !fabric->schedule.per_event)
        return "it was turned off, or this one of several processes has fewer than two servers "
               "with a switch of their own, and packets carry telemetry";
    return why ? why : "it was turned off";
}

void asim_memo_get_use(const struct asim_fabric *fabric, struct asim_memo_use *use)
{
    static const char *const phrase[ASIM_CARRIED_REASONS] = {
        "such traffic had not occurred before, or the search for repetitions was too dear",
        "recorded for replays",
        "ranks deviated from a replay",
        "recorded without use: pauses, drops or random marks",
        "recorded without use: queue pairs ended in another order",
        "recorded without use: too many messages without an idle network",
        "the run has several processes, which replay only what stays inside a server",
        "fast-forward is off",
    };
    const struct asim_memo *memo = fabric->memo;

    *use = (struct asim_memo_use){.off = memo ? NULL : why_off(fabric)};
    for (int i = 0; i < ASIM_CARRIED_REASONS; i++) {
        use->reasons[i].why = phrase[i];
        use->reasons[i].hops = memo ? memo->tally.hops[i] : 0;
    }
    if (!memo) {
        use->carried = use->reasons[ASIM_CARRIED_OFF].hops = asim_counters_hops(fabric);
        return;
    }
    use->carried = asim_memo_carried(fabric);
    use->replayed = memo->saved;
    use->skipped = memo->steady.saved;
    use->wasted = memo->wasted;
    use->episodes = memo->tally.episodes;
    use->replays = memo->tally.replays;
    use->rotated = memo->tally.rotated;
    use->deviations = memo->tally.deviations;
    use->reasons[memo->tally.reason].hops += use->carried - memo->tally.counted;
}
