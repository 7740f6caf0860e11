/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of congestion control and telemetry, put into snapshots and moved by a skip
 * (feedback.h).
 */
#include "fabric/memo/state/feedback.h"

#include <string.h>

#include "fabric/host/telemetry.h"
#include "fabric/host/host.h"
#include "fabric/link/link.h"
#include "cc/cc.h"

/* Words of a record: time, hops with digest and earlier sendings, and each hop. */
enum { RECORD_WORDS = 2, HOP_WORDS = 3, USUAL_HOPS = 2, MOST_PROBED = 8 };

size_t asim_feedback_size(const struct asim_fabric *fabric, const struct asim_flow *flow)
{
    const struct asim_cc *cc = fabric->set.cc;
    uint64_t packets = (flow->cc.snd_next - flow->snd_una) / fabric->set.net->payload_bytes + 2;
    size_t words = 1;

    if (!cc->fields)
        return 0;
    words += cc->state_size / sizeof(uint32_t);
    words += ASIM_INT_HOPS * HOP_WORDS;
    if (cc->needs)
        words += packets * (RECORD_WORDS + ASIM_INT_HOPS * HOP_WORDS);
    return words;
}

size_t asim_feedback_packet_size(const struct asim_fabric *fabric)
{
    const struct asim_cc *cc = fabric->set.cc;

    if (!cc->fields || !cc->needs)
        return 0;
    return RECORD_WORDS + (cc->needs & ASIM_CC_INT ? USUAL_HOPS * HOP_WORDS : 0);
}

static uint64_t *put_hops(const struct asim_fabric *fabric, const struct asim_int_hop *hop,
                          size_t n, uint64_t t, uint64_t *at)
{
    for (size_t i = 0; i < n; i++) {
        struct asim_int_hop distance = hop[i];

        asim_telemetry_flip(fabric, &distance, t);
        *at++ = distance.rate_bps;
        *at++ = (uint64_t)distance.time << 32 | distance.bytes;
        *at++ = (uint64_t)distance.wire << 32 | distance.qlen;
    }
    return at;
}

/* A time before the oldest packet under way was sent is 0: no packet will be compared with it and
 * found older. */
static uint64_t *put_field(const struct asim_fabric *fabric, const struct asim_flow *flow,
                           const struct asim_cc_field *field, uint64_t t, uint64_t *at)
{
    const char *member = (const char *)flow->cc.state + field->offset;
    const struct asim_telemetry *oldest;
    uint64_t word = 0;

    switch (field->kind) {
    case ASIM_CC_SAME:
        for (size_t i = 0; i < field->size; i += sizeof(uint32_t)) {
            uint32_t half;

            memcpy(&half, member + i, sizeof half);
            *at++ = half;
        }
        break;
    case ASIM_CC_SEQ:
        memcpy(&word, member, sizeof word);
        *at++ = word ? word - flow->snd_una : UINT64_MAX;
        break;
    case ASIM_CC_SENT:
        memcpy(&word, member, sizeof word);
        oldest = asim_telemetry_at(fabric, asim_rx_of_flow(fabric, flow),
                                   asim_telemetry_first(fabric, flow));
        *at++ = oldest && word <= oldest->sent_at ? 0 : word - asim_to_ns(fabric, t);
        break;
    case ASIM_CC_HOPS:
        at = put_hops(fabric, (const void *)member, field->size / sizeof(struct asim_int_hop), t,
                      at);
        break;
    default: /* ASIM_CC_ROUNDS, ASIM_CC_REPEATED */
        break;
    }
    return at;
}

static uint64_t *put_records(const struct asim_fabric *fabric, const struct asim_flow *flow,
                             uint64_t t, uint64_t *at)
{
    const struct asim_rx *rx = asim_rx_of_flow(fabric, flow);
    uint64_t payload = fabric->set.net->payload_bytes;

    for (uint64_t seq = asim_telemetry_first(fabric, flow); seq < flow->cc.snd_next;
         seq += payload) {
        const struct asim_telemetry *record = asim_telemetry_at(fabric, rx, seq);

        if (!record)
            return NULL;
        *at++ = record->sent_at - asim_to_ns(fabric, t);
        *at++ = (uint64_t)record->hops << 32 | record->tries;
        at = put_hops(fabric, record->hop,
                      record->hops < ASIM_INT_HOPS ? record->hops : ASIM_INT_HOPS, t, at);
    }
    return at;
}

uint64_t asim_feedback_probe(const struct asim_fabric *fabric, const struct asim_flow *flow)
{
    uint64_t words[MOST_PROBED], hash = 0;

    for (const struct asim_cc_field *field = fabric->set.cc->fields;
         field && field->kind != ASIM_CC_END; field++)
        if (field->size <= sizeof words / 2 &&
            (field->kind == ASIM_CC_SAME || field->kind == ASIM_CC_SEQ)) {
            const uint64_t *end = put_field(fabric, flow, field, 0, words);

            for (const uint64_t *word = words; word < end; word++)
                hash = hash * 31 + *word;
        }
    return hash;
}

uint64_t *asim_feedback_put(const struct asim_fabric *fabric, const struct asim_flow *flow,
                            uint64_t t, uint64_t *at)
{
    const struct asim_cc *cc = fabric->set.cc;

    if (!cc->fields)
        return at;
    *at++ = flow->cc.window_bytes;
    for (const struct asim_cc_field *field = cc->fields; field->kind != ASIM_CC_END; field++)
        at = put_field(fabric, flow, field, t, at);
    return cc->needs ? put_records(fabric, flow, t, at) : at;
}

uint64_t asim_feedback_port(const struct asim_fabric *fabric, const struct asim_port *port)
{
    return fabric->set.cc->needs & ASIM_CC_INT ? port->out->bytes % asim_telemetry_unit(fabric) : 0;
}

/* The member's field of a kind; NULL: none. */
static void *field_of(const struct asim_fabric *fabric, const struct asim_flow *flow,
                      enum asim_cc_kind kind, size_t *size)
{
    const struct asim_cc_field *field = fabric->set.cc->fields;

    for (; field && field->kind != ASIM_CC_END; field++)
        if (field->kind == kind) {
            *size = field->size;
            return (char *)flow->cc.state + field->offset;
        }
    return NULL;
}

uint64_t asim_feedback_rounds(const struct asim_fabric *fabric, const struct asim_flow *flow)
{
    size_t size;

    return *(const uint64_t *)field_of(fabric, flow, ASIM_CC_ROUNDS, &size);
}

void asim_feedback_flip(struct asim_fabric *fabric, struct asim_flow *flow, uint64_t t)
{
    struct asim_rx *rx = asim_rx_of_flow(fabric, flow);
    uint64_t payload = fabric->set.net->payload_bytes;
    size_t size = 0;
    struct asim_int_hop *hop;

    if (!(fabric->set.cc->needs & ASIM_CC_INT))
        return;
    hop = field_of(fabric, flow, ASIM_CC_HOPS, &size);
    for (size_t i = 0; hop && i < size / sizeof *hop; i++)
        asim_telemetry_flip(fabric, &hop[i], t);
    for (uint64_t seq = asim_telemetry_first(fabric, flow); seq < flow->cc.snd_next;
         seq += payload) {
        struct asim_telemetry *record = asim_telemetry_at(fabric, rx, seq);

        for (uint32_t i = 0; i < record->hops && i < ASIM_INT_HOPS; i++)
            asim_telemetry_flip(fabric, &record->hop[i], t);
    }
}

void asim_feedback_skip(struct asim_fabric *fabric, struct asim_flow *flow, uint64_t ticks,
                        uint64_t rounds)
{
    const struct asim_cc *cc = fabric->set.cc;
    const struct asim_cc_field *field = cc->fields;
    uint64_t ns = asim_to_ns(fabric, ticks);

    for (; field && field->kind != ASIM_CC_END; field++) {
        uint64_t *word = (uint64_t *)((char *)flow->cc.state + field->offset);

        if (field->kind == ASIM_CC_SEQ && *word)
            *word += flow->skip_bytes;
        if (field->kind == ASIM_CC_SENT && *word)
            *word += ns;
    }
    if (cc->repeat)
        cc->repeat(&flow->cc, rounds, fabric->set.cc_config);
    if (cc->needs && cc->fields)
        asim_telemetry_skip(fabric, flow, ns);
}
