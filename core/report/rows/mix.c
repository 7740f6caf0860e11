/* SPDX-License-Identifier: GPL-2.0-only
 *
 * mix.tr: every frame that passes the nodes listed in TRACE_FILE, in ASTRA-sim's binary records
 * (rdma-network.md#output-files; mix.h). Written where TRACE_OUTPUT_FILE names it, unless
 * ENABLE_TRACE is 0. A list without nodes gives the head alone and costs the run nothing; with
 * nodes the run advances event by event, since frames must come in order of time.
 *
 * Records are little endian whatever the machine. Node numbers keep 16 bits and interfaces 8, as
 * there. queue is the frame's priority group, 0 for PFC; qlen that of this queue at a switch port,
 * 0 at hosts. ts is 0: the timestamps of TIMELY and Swift are not in the simulated headers.
 */
#include "asim/mix.h"
#include "sim/distributed/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/io/src.h"
#include "base/text.h"
#include "net/packets.h"
#include "report/report.h"
#include "topo/pair.h"

struct mix {
    struct asim_report_file own;
    const struct asim_world_network *via;
    const struct asim_topo *topo;
    uint8_t *traced; /* a flag per node */
};

/* The fields of one kind of frame: 24 bytes from 32 on. */
static void put_rest(uint8_t *record, const struct asim_decoded_headers *facts)
{
    if (facts->protocol == ASIM_PROTOCOL_PFC) {
        asim_report_put(record + 32, facts->pause_us, 4);
        asim_report_put(record + 40, facts->priority, 1);
        return;
    }
    asim_report_put(record + 32, facts->sport, 2);
    asim_report_put(record + 34, facts->dport, 2);
    if (facts->protocol == ASIM_PROTOCOL_DATA) {
        asim_report_put(record + 36, facts->seq, 4);
        asim_report_put(record + 48, facts->priority, 2);
        asim_report_put(record + 50, facts->payload, 2);
    } else {
        asim_report_put(record + 36, facts->congested, 2);
        asim_report_put(record + 38, facts->priority, 2);
        asim_report_put(record + 40, facts->seq, 4);
    }
}

static void on_frame(void *self, enum asim_frame_event what, struct asim_port_id at,
                     const struct asim_frame *frame, uint64_t t)
{
    static const uint8_t events[] = {[ASIM_FRAME_RX] = ASIM_MIX_RECEIVE,
                                     [ASIM_FRAME_ENQUEUE] = ASIM_MIX_ENQUEUE,
                                     [ASIM_FRAME_TX] = ASIM_MIX_DEQUEUE,
                                     [ASIM_FRAME_DROP] = ASIM_MIX_DROP};
    struct mix *mix = self;
    uint8_t record[ASIM_MIX_RECORD] = {0};
    struct asim_decoded_headers facts;
    uint32_t queue;

    if (!mix->traced[at.node])
        return;
    mix->via->packets->decode_headers(mix->via->packet_net, frame, at, &facts);
    queue = facts.protocol == ASIM_PROTOCOL_PFC ? 0 : facts.priority;
    asim_report_put(record, t, 8);
    asim_report_put(record + 8, asim_topo_external_id(mix->topo, at.node), 2);
    asim_report_put(record + 10, at.port, 1);
    asim_report_put(record + 11, queue, 1);
    asim_report_put(record + 12, mix->via->packets->queued(mix->via->packet_net, at, queue), 4);
    asim_report_put(record + 16, facts.src_ip, 4);
    asim_report_put(record + 20, facts.dst_ip, 4);
    asim_report_put(record + 24, facts.wire, 2);
    record[26] = facts.protocol;
    record[27] = events[what];
    record[28] = facts.protocol == ASIM_PROTOCOL_DATA && facts.congested ? 3 : 0;
    record[29] = mix->topo->node_type[at.node];
    put_rest(record, &facts);
    asim_out_write(mix->own.out, record, sizeof record);
}

/* The rate of each interface, then the largest window of the network. */
static int write_head(struct mix *mix, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = mix->topo;
    struct asim_pair worst = {0};
    uint8_t bytes[11];

    if (asim_pair_max(&worst, world->set.route, world->set.net.payload_bytes, err))
        return ASIM_EINVAL;
    asim_report_put(bytes, (topo->n_links - topo->endpoints) * 2, 4);
    asim_out_write(mix->own.out, bytes, 4);
    for (uint32_t v = 0; v < topo->nodes; v++) {
        for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
            if (asim_topo_is_virtual(topo, topo->ports[p].link))
                continue;
            asim_report_put(bytes, asim_topo_external_id(topo, v), 2);
            asim_report_put(bytes + 2, p - topo->first_port[v] + 1, 1);
            asim_report_put(bytes + 3, topo->links[topo->ports[p].link].rate_bps, 8);
            asim_out_write(mix->own.out, bytes, 11);
        }
    }
    asim_report_put(bytes, worst.bdp_bytes, 4);
    asim_out_write(mix->own.out, bytes, 4);
    return 0;
}

/* Reads a count and so many node numbers; sets the flags and *any. */
static int read_nodes(struct mix *mix, const char *path, int *any, struct asim_err *err)
{
    uint64_t nodes = mix->topo->nodes - mix->topo->endpoints, n = 0, node;
    struct asim_src src;
    const char *word;
    int code = asim_src_open(&src, path, err);

    if (code)
        return code;
    word = asim_src_word(&src);
    if (word && asim_text_u64(word, &n))
        code = asim_err_at(err, ASIM_EINVAL, asim_src_where(&src),
                           "'%.40s' is not the number of nodes to trace", word);
    for (uint64_t i = 0; i < n && !code; i++) {
        word = asim_src_word(&src);
        if (!word || asim_text_u64(word, &node) || node >= nodes)
            code = asim_err_at(err, ASIM_EINVAL, asim_src_where(&src),
                               "expected the number of a node to trace (0 to %llu), the %llu. of "
                               "%llu",
                               (unsigned long long)nodes - 1, (unsigned long long)i + 1,
                               (unsigned long long)n);
        else
            *any = mix->traced[asim_topo_internal_id(mix->topo, (uint32_t)node)] = 1;
    }
    asim_src_close(&src);
    return code;
}

static const char *path(const struct asim_world *world)
{
    const struct asim_netconf *net = &world->set.net;

    return net->enable_trace && net->trace_file && *net->trace_file ? net->trace_output : NULL;
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct mix *mix = self;
    int any = 0;

    mix->via = &world->via;
    mix->topo = &world->set.topo;
    mix->traced = calloc(world->set.topo.nodes, 1);
    if (!mix->traced)
        return asim_err_nomem(err, "tracing packets");
    if (asim_is_distributed(world))
        return asim_err_set(err, ASIM_EINVAL,
                            "TRACE_OUTPUT_FILE needs frames in order of time, which %u processes "
                            "cannot give; run one process, or set ENABLE_TRACE 0",
                            world->set.settings.processes);
    if (read_nodes(mix, world->set.net.trace_file, &any, err) || write_head(mix, world, err))
        return ASIM_EINVAL;
    if (any && world->via.packets->watch_frames(world->via.packet_net, on_frame, mix))
        return asim_err_set(err, ASIM_ENOMEM, "too many reports watch frames; leave one out");
    return 0;
}

static void drop(void *self)
{
    free(((struct mix *)self)->traced);
}

const struct asim_report asim_report_mix = {
    .member = {.name = "mix", .about = "mix.tr: the frames at the nodes of TRACE_FILE"},
    .needs = ASIM_NET_FRAMES,
    .path = path,
    .size = sizeof(struct mix),
    .begin = begin,
    .drop = drop,
};
