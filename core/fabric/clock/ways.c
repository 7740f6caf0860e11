/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the features of a network, once at set-up and after each change, and so the ways that are
 * open to it. What changes from window to window is tested where a way begins.
 */
#include "fabric/clock/ways.h"
#include "fabric/clock/engine.h"
#include "fabric/switch/egress/egress.h"
#include "net/packets.h"
#include "net/ways.h"
#include "conf/netconf.h"
#include "conf/netconf_keys.h"
#include "cc/cc.h"

static uint32_t if_has(int has, enum asim_feature feature)
{
    return has ? feature : 0;
}

static uint32_t features_of(const struct asim_fabric *fabric)
{
    const struct asim_fabric_workers *workers = &asim_engine_of(fabric)->workers;
    const struct asim_fabric_setup *set = &fabric->set;
    const struct asim_fabric_watch *watch = fabric->watch;

    return if_has(fabric->schedule.per_event, ASIM_HAS_PER_EVENT) |
           if_has(fabric->schedule.per_event || watch->frame, ASIM_HAS_FRAMES) |
           if_has(set->cc->needs & ASIM_CC_DIGEST, ASIM_HAS_PINT) |
           if_has(fabric->losses != NULL, ASIM_HAS_LOSSES) |
           if_has(fabric->events != NULL, ASIM_HAS_EVENTS) |
           if_has(fabric->traffic != NULL, ASIM_HAS_TRAFFIC) |
           if_has(set->net->load_balance == ASIM_SPRAY, ASIM_HAS_SPRAY) |
           if_has(set->net->nic_total_pause_count > 0, ASIM_HAS_NIC_PAUSES) |
           if_has(watch->queue && !watch->sampling.every_ns, ASIM_HAS_QUEUE_CHANGES) |
           if_has(watch->queue || watch->rate, ASIM_HAS_REPORTS) |
           if_has(set->scheduler && set->scheduler->state_size, ASIM_HAS_SCHEDULER) |
           if_has(set->cc->needs != 0, ASIM_HAS_TELEMETRY) |
           if_has(set->writes_telemetry, ASIM_HAS_INT) |
           if_has(set->net->l2_back_to_zero, ASIM_HAS_BACK_TO_ZERO) |
           if_has(set->rto && set->rto < 2 * set->lookahead, ASIM_HAS_SHORT_RTO) |
           if_has(set->process_of != NULL, ASIM_HAS_PROCESSES) |
           if_has(fabric->insertion != NULL, ASIM_HAS_EVENT_LIST) |
           if_has(workers->n_sharded > 0, ASIM_HAS_SHARDS) |
           if_has(workers->domain_lookahead > set->lookahead, ASIM_HAS_SERVERS) |
           if_has(set->half_of != NULL, ASIM_HAS_HALVES) |
           if_has(set->cc->steady || set->cc->fields, ASIM_HAS_STATE);
}

void asim_ways_find(struct asim_fabric *fabric)
{
    fabric->features = features_of(fabric);
    fabric->ways = asim_ways_of(fabric->features, fabric->set.without);
}
