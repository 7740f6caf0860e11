/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a flow starts with: congestion control, window, and the ideal time of its path.
 */
#include "fabric/host/setup.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "conf/netconf_keys.h"
#include "topo/topo.h"
#include "topo/pair.h"
#include "cc/cc.h"

/* parity: the log's packets carry 48 B of headers, the wire's 36. */
enum { LOG_OVERHEAD = 48 };

int asim_hosts_choose_cc(struct asim_fabric *fabric, struct asim_cc_config *config,
                         struct asim_err *err)
{
    const struct asim_netconf *net = fabric->set.net;
    const struct asim_cc *cc = asim_cc_choose(net->cc_name, net->cc_mode, err);
    int by_cnp; /* only an ACK with a CNP may change a rate */

    fabric->set.cc = cc;
    if (!cc)
        return ASIM_EINVAL;
    fabric->set.has_records = cc->needs != 0;
    fabric->set.writes_telemetry = (cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST)) != 0;
    fabric->set.cc_idle =
        cc->on_ack == asim_cc_ack_nothing && cc->on_timer == asim_cc_timer_nothing;
    by_cnp = cc->steady && !cc->own_window;
    fabric->set.slow_acks = fabric->set.cc_idle ? 0 : by_cnp ? ASIM_CNP : ASIM_EACH_ACK;
    *config = (struct asim_cc_config){.options = asim_netconf_cc_options(net, cc),
                                      .payload_bytes = net->payload_bytes};
    fabric->set.cc_config = config;
    return cc->check ? cc->check(fabric->set.cc_config->options, err) : 0;
}

/* GLOBAL_T 1 gives every flow the window and base RTT of the worst pair
 * (rdma-network.md#base-rtt-and-bdp). With GLOBAL_T 0 each flow asks for its own pair. */
int asim_hosts_find_rtt(struct asim_fabric *fabric, struct asim_err *err)
{
    struct asim_pair pair;

    if (!fabric->set.net->global_t && !(fabric->set.cc->needs & ASIM_CC_DIGEST))
        return 0;
    if (asim_pair_max(&pair, fabric->route, fabric->set.net->payload_bytes, err))
        return ASIM_EINVAL;
    fabric->set.max_rtt = pair.rtt_ns;
    fabric->set.max_bdp = pair.bdp_bytes;
    return 0;
}

/* VAR_WIN: win x rate / line rate, truncated, at least 1 (rdma-network.md#send-window). In long
 * double because ASTRA-sim's product overflows 64 bits above some 46 MB at 400 Gb/s (its defect
 * 20). */
void asim_flow_rewindow(const struct asim_fabric *fabric, struct asim_flow *flow)
{
    const struct asim_cc_flow *cc = &flow->cc;

    flow->window = cc->window_bytes ? cc->window_bytes : ASIM_NO_WINDOW;
    if (!cc->window_bytes || !fabric->set.net->var_win || cc->rate_bps == cc->line_bps ||
        fabric->set.cc->own_window)
        return;
    flow->window = (uint64_t)((long double)cc->window_bytes * (long double)cc->rate_bps /
                              (long double)cc->line_bps);
    if (!flow->window)
        flow->window = 1;
}

/* The inputs of congestion control. Field by field: assigning a whole struct would clear it first.
 */
static void begin_cc(const struct asim_fabric *fabric, struct asim_cc_flow *cc,
                     const struct asim_msg *msg, const struct asim_pair *pair, uint64_t line_bps)
{
    cc->snd_next = 0;
    cc->size = msg->bytes ? msg->bytes : 1;
    cc->rate_bps = cc->line_bps = line_bps;
    cc->min_bps = fabric->set.net->min_rate_bps;
    cc->window_bytes = 0;
    cc->base_rtt_ns = pair->rtt_ns;
    if (fabric->set.net->has_win)
        cc->window_bytes = pair->bdp_bytes;
    if (fabric->set.net->global_t) {
        cc->base_rtt_ns = fabric->set.max_rtt;
        cc->window_bytes = fabric->set.net->has_win ? fabric->set.max_bdp : 0;
    }
    cc->timer_at = ASIM_NEVER;
    cc->draws = 0;
    cc->seed = fabric->set.seed ^ msg->id;
}

/* The state of a congestion control: allocated for the slot's first message, zeroed for each. 0 or
 * ASIM_ENOMEM. */
static int begin_state(const struct asim_fabric *fabric, struct asim_flow *flow)
{
    size_t size = fabric->set.cc->state_size;

    if (size && !flow->cc.state)
        flow->cc.state = malloc(size);
    if (size && !flow->cc.state)
        return ASIM_ENOMEM;
    if (flow->cc.state)
        memset(flow->cc.state, 0, size);
    return 0;
}

/* RTT and rate of the path to a new destination; mostly they equal the last ones. parity: those of
 * the network at the start, whatever links have gone down since. */
static void find_pair(struct asim_fabric *fabric, struct asim_host *host, uint32_t dst)
{
    struct asim_worker *worker = host->worker;
    uint64_t rtt_ns = host->pair->rtt_ns, rate_bps = host->pair->rate_bps;

    if (asim_pair_get(host->pair, fabric->set.route, (struct asim_host_pair){host->node, dst},
                      fabric->set.net->payload_bytes, &worker->failure))
        worker->failed = worker->failure.code;
    if (host->pair->rtt_ns != rtt_ns || host->pair->rate_bps != rate_bps)
        host->ideal_bytes = 0;
    host->peer = dst;
}

/* Completion time on idle links, as fct.txt states it (rdma-network.md#output-files): pair RTT +
 * all bytes at the slowest link's rate. Nothing depends on it but the log's column. */
static uint64_t ideal_of(const struct asim_fabric *fabric, struct asim_host *host, uint64_t size)
{
    const struct asim_pair *pair = host->pair;
    uint64_t packets, bytes;

    if (!pair->rate_bps)
        return 0;
    if (host->ideal_bytes == size)
        return host->ideal_ns;
    packets = (size - 1) / fabric->set.net->payload_bytes + 1;
    bytes = size + packets * LOG_OVERHEAD;
    host->ideal_bytes = size;
    host->ideal_ns =
        pair->rtt_ns + (uint64_t)((long double)bytes * 8e9L / (long double)pair->rate_bps);
    return host->ideal_ns;
}

/* Makes the queue pair at host->now. parity: the pacing rate starts at the rate of the chosen NIC,
 * not at the slowest link of the path; a message of 0 bytes sends 1 byte, because ASTRA-sim would
 * never finish it. */
void asim_flow_open(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot)
{
    struct asim_flow *flow = asim_own_flow(host, slot);
    struct asim_rx *rx = asim_rx_at(host, flow->slot);
    struct asim_worker *worker = host->worker;
    const struct asim_pair *pair = host->pair;
    uint64_t line_bps;

    if (host->peer != flow->dst)
        find_pair(fabric, host, flow->dst);
    flow->nic = 0;
    if (host->n_nics != 1)
        flow->nic = asim_flow_nic_for_data(fabric, host, flow);
    line_bps = host->nics[flow->nic].rate_bps;
    /* An NVSwitch end point has all ports behind one NIC, but a flow leaves by one of them. */
    if (asim_topo_is_endpoint(fabric->set.topo, host->node) && pair->rate_bps)
        line_bps = pair->rate_bps;
    begin_cc(fabric, &flow->cc, &rx->msg, pair, line_bps);
    flow->timer_armed = ASIM_NEVER;
    flow->last_wire = 0;
    if (begin_state(fabric, flow)) {
        worker->failed = ASIM_ENOMEM;
        return;
    }
    rx->base_rtt_ns = flow->cc.base_rtt_ns;
    flow->ideal = ideal_of(fabric, host, flow->cc.size);
    flow->snd_una = 0;
    flow->start = flow->next_avail = host->now;
    fabric->set.cc->open(&flow->cc, fabric->set.cc_config);
    asim_flow_rewindow(fabric, flow);
}
