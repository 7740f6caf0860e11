/* SPDX-License-Identifier: GPL-2.0-only
 *
 * --pcap=FILE: the frames hosts send, and every PFC frame, as a capture for Wireshark and tshark:
 * Ethernet, IPv4, UDP port 4791, BTH, and AETH on acknowledges. Each frame once, at the ns its
 * transmission begins, in time order; the run therefore advances event by event.
 *
 * The payload is zeros in full length, since decoders of RoCE take the captured bytes for the
 * frame. Lengths are those of real RoCEv2 frames, a few bytes more than the simulation counts on
 * the wire.
 */
#include <stdlib.h>

#include "net/packets.h"
#include "sim/distributed/distribution.h"
#include "report/report.h"
#include "sim/parts.h"

struct pcap {
    struct asim_report_file own;
    const struct asim_world_network *via;
    uint32_t hosts;
};

static void write_head(struct asim_out *file)
{
    uint8_t head[24] = {0};

    asim_report_put(head, 0xa1b23c4d, 4);
    asim_report_put(head + 4, 2, 2);
    asim_report_put(head + 6, 4, 2);
    asim_report_put(head + 16, 65535 + 128, 4);
    asim_report_put(head + 20, 1, 4); /* Ethernet */
    asim_out_write(file, head, sizeof head);
}

static void on_frame(void *self, enum asim_frame_event what, struct asim_port_id at,
                     const struct asim_frame *frame, uint64_t t)
{
    const struct pcap *pcap = self;
    static const uint8_t zeros[512];
    uint8_t record[16 + ASIM_FRAME_HEAD_MAX];
    struct asim_decoded_headers facts;
    uint32_t kept, total;

    if (what != ASIM_FRAME_TX)
        return;
    pcap->via->packets->decode_headers(pcap->via->packet_net, frame, at, &facts);
    if (at.node >= pcap->hosts && facts.protocol != ASIM_PROTOCOL_PFC)
        return;
    kept = asim_frame_roce(&facts, record + 16, &total);
    asim_report_put(record, t / 1000000000, 4);
    asim_report_put(record + 4, t % 1000000000, 4);
    asim_report_put(record + 8, total, 4);
    asim_report_put(record + 12, total, 4);
    asim_out_write(pcap->own.out, record, 16 + (size_t)kept);
    for (uint32_t left = total - kept, n; left; left -= n) {
        n = left < sizeof zeros ? left : (uint32_t)sizeof zeros;
        asim_out_write(pcap->own.out, zeros, n);
    }
}

static const char *path(const struct asim_world *world)
{
    return world->set.pcap;
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct pcap *pcap = self;

    if (asim_is_distributed(world))
        return asim_err_set(
            err, ASIM_EINVAL,
            "--pcap needs frames in order of time, which %u processes cannot give; run one process",
            world->set.settings.processes);
    pcap->via = &world->via;
    pcap->hosts = world->set.topo.hosts;
    write_head(pcap->own.out);
    if (world->via.packets->watch_frames(world->via.packet_net, on_frame, pcap))
        return asim_err_set(err, ASIM_ENOMEM, "too many reports watch frames; leave one out");
    return 0;
}

const struct asim_report asim_report_pcap = {
    .member = {.name = "pcap", .about = "--pcap: a capture of RoCEv2 frames"},
    .needs = ASIM_NET_FRAMES,
    .path = path,
    .size = sizeof(struct pcap),
    .begin = begin,
};
