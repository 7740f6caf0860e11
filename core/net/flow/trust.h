/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What tells how far a run is to be trusted (flow.md#expected-error).
 */
#ifndef ASIM_NET_FLOW_TRUST_H
#define ASIM_NET_FLOW_TRUST_H

#include <stdint.h>

/* Sums over the messages that have drained. */
struct asim_fluid_trust {
    /* Bytes. queued: a queue of a switch held them up; twice: two did, or one their ACKs;
     * controlled: their controller was told of queues; beside: another message of their hosts was
     * under way, on a queue pair of its own; apart: sent after others under way. */
    double bytes, queued_bytes, twice_bytes, controlled_bytes, beside_bytes, apart_bytes;
    /* Of messages: their time; what of it is latency; what those of few packets may
     * wait for others that began at their NIC with them, and ACKs for frames in service; what those
     * take to drain that are beside others' sprayed packets, ns. */
    double took_ns, latency_ns, burst_ns, sprayed_ns;
    double chain_ns;   /* of the message that was the last so far */
    uint64_t since_ns; /* when the first of the messages under way was sent */
    int is_changed;    /* links have changed under messages */
};

#endif
