/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Perfetto's TrackEvent packets: a process a rank with its tracks, and one for the network with a
 * counter for each queue and each link's rate and a track for each paused port. Arrows (flows) lead
 * from an op to its messages and on to their arrival.
 *
 * Spans of a track are written in order of time, so that of two events at one time the end of the
 * first span stands before the beginning of the second.
 */
#include "report/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/perfetto.pb-c.h"
#include "asim/topology.h"
#include "asim/trace.h"
#include "base/text.h"
#include "topo/tier.h"

enum { NAME_MOST = 200, PORT_NAME = 80, ANNOTATIONS = 6 };

struct writer {
    struct asim_out *file;
    ASIM_VEC(uint8_t) packet;
    int is_begun, failed;
};

/* A field of Trace: key 1, length, packet. */
static void write_packet(struct writer *writer, AsimPerfetto__TracePacket *packet)
{
    size_t n, head = 1;
    uint8_t key[12] = {1 << 3 | 2};

    packet->has_trusted_packet_sequence_id = 1;
    packet->trusted_packet_sequence_id = 1;
    packet->has_sequence_flags = !writer->is_begun; /* 1: the first packet of the sequence */
    packet->sequence_flags = 1;
    writer->is_begun = 1;
    n = asim_perfetto__trace_packet__get_packed_size(packet);
    if (ASIM_VEC_RESERVE(writer->packet, n)) {
        writer->failed = 1;
        return;
    }
    asim_perfetto__trace_packet__pack(packet, writer->packet.at);
    for (size_t rest = n; head == 1 || rest; rest >>= 7)
        key[head++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
    asim_out_write(writer->file, key, head);
    asim_out_write(writer->file, writer->packet.at, n);
}

static void write_track(struct writer *writer, AsimPerfetto__TrackDescriptor *track)
{
    AsimPerfetto__TracePacket packet = ASIM_PERFETTO__TRACE_PACKET__INIT;

    packet.track_descriptor = track;
    write_packet(writer, &packet);
}

static void write_process(struct writer *writer, uint64_t uuid, uint32_t pid, char *name)
{
    AsimPerfetto__TrackDescriptor track = ASIM_PERFETTO__TRACK_DESCRIPTOR__INIT;
    AsimPerfetto__ProcessDescriptor process = ASIM_PERFETTO__PROCESS_DESCRIPTOR__INIT;

    process.has_pid = track.has_uuid = 1;
    process.pid = (int32_t)pid;
    process.process_name = name;
    track.uuid = uuid;
    track.process = &process;
    write_track(writer, &track);
}

/* unit: of a counter, else NULL. */
static void write_child(struct writer *writer, uint64_t uuid, uint64_t parent, char *name,
                        char *unit)
{
    AsimPerfetto__TrackDescriptor track = ASIM_PERFETTO__TRACK_DESCRIPTOR__INIT;
    AsimPerfetto__CounterDescriptor counter = ASIM_PERFETTO__COUNTER_DESCRIPTOR__INIT;

    counter.unit_name = unit;
    track.has_uuid = track.has_parent_uuid = 1;
    track.uuid = uuid;
    track.parent_uuid = parent;
    track.name = name;
    track.counter = unit ? &counter : NULL;
    write_track(writer, &track);
}

static void write_event(struct writer *writer, uint64_t t, AsimPerfetto__TrackEvent *event)
{
    AsimPerfetto__TracePacket packet = ASIM_PERFETTO__TRACE_PACKET__INIT;

    packet.has_timestamp = event->has_type = event->has_track_uuid = 1;
    packet.timestamp = t;
    packet.track_event = event;
    write_packet(writer, &packet);
}

static void write_end(struct writer *writer, uint64_t track, uint64_t t)
{
    AsimPerfetto__TrackEvent event = ASIM_PERFETTO__TRACK_EVENT__INIT;

    event.type = ASIM_PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
    event.track_uuid = track;
    write_event(writer, t, &event);
}

/* The beginning of a span or an instant. */
struct mark {
    AsimPerfetto__TrackEvent event;
    AsimPerfetto__DebugAnnotation notes[ANNOTATIONS], *note[ANNOTATIONS];
    char name[NAME_MOST], *category[1];
};

static void begin_mark(struct mark *mark, uint64_t track, const char *category, const char *name)
{
    asim_perfetto__track_event__init(&mark->event);
    mark->event.type = ASIM_PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
    mark->event.track_uuid = track;
    asim_text_safe(mark->name, sizeof mark->name, name);
    mark->event.name = mark->name;
    mark->category[0] = (char *)(uintptr_t)category;
    mark->event.categories = mark->category;
    mark->event.n_categories = 1;
    mark->event.debug_annotations = mark->note;
}

static AsimPerfetto__DebugAnnotation *add_note(struct mark *mark, const char *name)
{
    size_t n = mark->event.n_debug_annotations++;

    asim_perfetto__debug_annotation__init(&mark->notes[n]);
    mark->note[n] = &mark->notes[n];
    mark->notes[n].name = (char *)(uintptr_t)name;
    return &mark->notes[n];
}

static void add_number(struct mark *mark, const char *name, uint64_t value)
{
    AsimPerfetto__DebugAnnotation *note = add_note(mark, name);

    note->has_uint_value = 1;
    note->uint_value = value;
}

static void add_text(struct mark *mark, const char *name, const char *value)
{
    add_note(mark, name)->string_value = (char *)(uintptr_t)value;
}

/* Where rank r's tracks begin; the network's are those of rank `ranks`. */
static uint64_t process_of(uint32_t rank)
{
    return ((uint64_t)rank + 1) << 32;
}

/* Part of the op in which its partners are not all there. */
static void write_waiting(struct writer *writer, uint64_t track, const struct asim_timeline_op *op)
{
    struct mark mark;

    if (op->ready <= op->issue || !op->is_ended)
        return;
    begin_mark(&mark, track, "waiting", "waiting for others");
    write_event(writer, op->issue, &mark.event);
    write_end(writer, track, op->ready);
}

/* flows: numbers of the messages that the op sent. */
static void write_op(struct writer *writer, uint64_t track, const struct asim_timeline_op *op,
                     uint64_t *flows, size_t n_flows)
{
    static const char *const categories[] = {"compute",    "cpu",  "memory",
                                             "collective", "send", "receive"};
    struct mark mark;

    begin_mark(&mark, track, categories[op->track], op->name);
    add_number(&mark, "op", op->id);
    add_text(&mark, "type",
             op->kind >= 0 ? asim_coll_type_name(op->kind) : asim_op_type_name(op->type));
    add_number(&mark, "bytes", op->bytes);
    if (op->kind >= 0)
        add_number(&mark, "members", op->members);
    else if (op->track == ASIM_TRACK_OF_SEND || op->track == ASIM_TRACK_OF_RECEIVE)
        add_number(&mark, "peer", op->peer);
    if (!op->is_ended)
        add_text(&mark, "state", "under way when the run ended");
    mark.event.flow_ids = flows;
    mark.event.n_flow_ids = n_flows;
    write_event(writer, op->issue, &mark.event);
    write_waiting(writer, track, op);
    write_end(writer, track, op->end);
}

/* Messages by their op: number[first[i] … first[i + 1]) are those of op i, messages count from 1.
 */
struct flows {
    size_t *first;
    uint64_t *number;
};

static int index_flows(struct flows *flows, const struct asim_run_timeline *timeline)
{
    size_t n = timeline->ops.n;

    flows->first = calloc(n + 2, sizeof *flows->first);
    flows->number = calloc(timeline->messages.n + 1, sizeof *flows->number);
    if (!flows->first || !flows->number)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < timeline->messages.n; i++)
        if (timeline->messages.at[i].sender)
            flows->first[timeline->messages.at[i].sender + 1]++;
    for (size_t i = 1; i < n + 2; i++)
        flows->first[i] += flows->first[i - 1];
    for (size_t i = 0; i < timeline->messages.n; i++)
        if (timeline->messages.at[i].sender)
            flows->number[flows->first[timeline->messages.at[i].sender]++] = i + 1;
    return 0;
}

/* Ops stand by rank and track. *used [ranks]: tracks so far. */
static void write_ops(struct writer *writer, const struct asim_run_timeline *timeline,
                      const struct flows *flows, uint32_t *used)
{
    char name[80];
    uint64_t base = 0;
    size_t from = 0;

    for (size_t i = 0; i <= timeline->ops.n; i++) {
        const struct asim_timeline_op *op = &timeline->ops.at[i], *first = &timeline->ops.at[from];
        int is_same = i < timeline->ops.n && op->rank == first->rank && op->track == first->track &&
                      op->group == first->group;
        uint32_t rows = 0;

        if (is_same || !timeline->ops.n)
            continue;
        for (size_t k = from; k < i; k++)
            rows = rows > timeline->ops.at[k].row ? rows : timeline->ops.at[k].row + 1;
        base = process_of(first->rank) + used[first->rank] + 1;
        used[first->rank] += rows;
        for (uint32_t row = 0; row < rows; row++)
            write_child(writer, base + row, process_of(first->rank),
                        (char *)(uintptr_t)asim_timeline_track_name(name, sizeof name, first->track,
                                                                    first->group, row),
                        NULL);
        for (size_t k = from; k < i; k++)
            write_op(writer, base + timeline->ops.at[k].row, &timeline->ops.at[k],
                     flows->number + flows->first[k], flows->first[k + 1] - flows->first[k]);
        from = i;
    }
}

static void write_message(struct writer *writer, uint64_t track,
                          const struct asim_timeline_message *message, uint64_t number)
{
    struct mark mark;
    char name[40];

    snprintf(name, sizeof name, "to %u", message->dst);
    begin_mark(&mark, track, "message", name);
    add_number(&mark, "bytes", message->bytes);
    add_number(&mark, "to", message->dst);
    if (message->sender) {
        mark.event.flow_ids = &number;
        mark.event.n_flow_ids = 1;
    }
    write_event(writer, message->start, &mark.event);
    write_end(writer, track, message->end);
}

static void write_messages(struct writer *writer, const struct asim_run_timeline *timeline,
                           uint32_t *used)
{
    char name[80];
    uint32_t rows = 0;
    uint64_t base = 0;

    for (size_t i = 0; i < timeline->messages.n; i++) {
        const struct asim_timeline_message *message = &timeline->messages.at[i];

        if (!i || message->src != message[-1].src) {
            base = process_of(message->src) + used[message->src] + 1;
            rows = 0;
        }
        for (; rows <= message->row; rows++, used[message->src]++)
            write_child(writer, base + rows, process_of(message->src),
                        (char *)(uintptr_t)asim_timeline_track_name(name, sizeof name,
                                                                    ASIM_TRACK_OF_MESSAGE, 0, rows),
                        NULL);
        write_message(writer, base + message->row, message, i + 1);
    }
}

/* One track a rank. */
static void write_arrivals(struct writer *writer, const struct asim_run_timeline *timeline,
                           uint32_t *used)
{
    uint64_t *track = calloc((size_t)timeline->ranks + 1, sizeof *track);

    writer->failed |= !track;
    for (size_t i = 0; track && i < timeline->messages.n; i++) {
        const struct asim_timeline_message *message = &timeline->messages.at[i];
        uint64_t number = i + 1;
        struct mark mark;
        char name[40];

        if (message->arrival == UINT64_MAX || message->dst >= timeline->ranks)
            continue;
        if (!track[message->dst]) {
            track[message->dst] = process_of(message->dst) + ++used[message->dst];
            write_child(writer, track[message->dst], process_of(message->dst),
                        (char *)(uintptr_t)asim_timeline_track_name(name, sizeof name,
                                                                    ASIM_TRACK_OF_ARRIVAL, 0, 0),
                        NULL);
        }
        snprintf(name, sizeof name, "from %u", message->src);
        begin_mark(&mark, track[message->dst], "arrival", name);
        mark.event.type = ASIM_PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
        add_number(&mark, "bytes", message->bytes);
        if (message->sender) {
            mark.event.terminating_flow_ids = &number;
            mark.event.n_terminating_flow_ids = 1;
        }
        write_event(writer, message->arrival, &mark.event);
    }
    free(track);
}

/* --- the network ------------------------------------------------------------------------------ */
/* "queue leaf 9 to host 3". */
static void name_port(char name[PORT_NAME], const struct asim_run_timeline *timeline,
                      const uint8_t *tier, uint32_t port, const char *what)
{
    const struct asim_topo *topo = timeline->topo;
    const struct asim_port_ref *ref = &topo->ports[port];
    const struct asim_link *link = &topo->links[ref->link];
    uint32_t node = link->a == ref->peer && link->port_a == ref->peer_port ? link->b : link->a;
    char from[24], to[24];

    snprintf(name, PORT_NAME, "%s %s to %s", what,
             asim_topo_node_name(from, sizeof from, topo, tier, node),
             asim_topo_node_name(to, sizeof to, topo, tier, ref->peer));
}

static void write_count(struct writer *writer, uint64_t track, uint64_t t, uint64_t value)
{
    AsimPerfetto__TrackEvent event = ASIM_PERFETTO__TRACK_EVENT__INIT;

    event.type = ASIM_PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.track_uuid = track;
    event.has_counter_value = 1;
    event.counter_value = (int64_t)value;
    write_event(writer, t, &event);
}

ASIM_ORDER(by_port, struct asim_bin, ->key, ->start)

/* The largest length of each bin; 0 where the next bin is empty. */
static void write_queues(struct writer *writer, const struct asim_run_timeline *timeline,
                         const uint8_t *tier)
{
    uint64_t process = process_of(timeline->ranks), width = timeline->queues.width_ns, track = 0;
    struct asim_bin *rows = timeline->queues.rows.at;
    char name[PORT_NAME], unit[] = "bytes";

    if (timeline->queues.rows.n)
        qsort(rows, timeline->queues.rows.n, sizeof *rows, by_port);
    for (size_t i = 0; i < timeline->queues.rows.n; i++) {
        const struct asim_bin *row = &rows[i];
        int is_last = i + 1 == timeline->queues.rows.n || row[1].key != row->key;

        if (!i || row[-1].key != row->key) {
            track = process + 1 + row->key * 3;
            name_port(name, timeline, tier, (uint32_t)row->key, "queue");
            write_child(writer, track, process, name, unit);
        }
        write_count(writer, track, row->start, row->high);
        if (is_last || row[1].start > row->start + width)
            write_count(writer, track, row->start + width, 0);
    }
}

/* Messages under way, in each bin in which their rates change and in the time after it. */
static void write_rates(struct writer *writer, const struct asim_run_timeline *timeline,
                        const uint8_t *tier)
{
    const struct asim_link_rates *rates = &timeline->rates;
    uint64_t process = process_of(timeline->ranks), track = 0, during, after;
    char name[PORT_NAME], unit[] = "bit/s";
    int64_t level = 0;

    for (size_t i = 0; i < rates->cells.n; i++) {
        const struct asim_rate_cell *cell = &rates->cells.at[i];
        int is_last = i + 1 == rates->cells.n || cell[1].port != cell->port;

        if (!i || cell[-1].port != cell->port) {
            level = 0;
            track = process + 3 + (uint64_t)cell->port * 3;
            name_port(name, timeline, tier, cell->port, "messages over");
            write_child(writer, track, process, name, unit);
        }
        asim_link_rates_next(rates, cell, &level, &during, &after);
        write_count(writer, track, cell->bin * rates->width_ns, during);
        if (is_last || cell[1].bin > cell->bin + 1)
            write_count(writer, track, (cell->bin + 1) * rates->width_ns, after);
    }
}

ASIM_ORDER(by_paused_port, struct asim_timeline_pause, ->port, ->start)

static void write_pauses(struct writer *writer, const struct asim_run_timeline *timeline,
                         const uint8_t *tier)
{
    uint64_t process = process_of(timeline->ranks), track = 0;
    char name[PORT_NAME];

    if (timeline->pauses.n)
        qsort(timeline->pauses.at, timeline->pauses.n, sizeof *timeline->pauses.at, by_paused_port);
    for (size_t i = 0; i < timeline->pauses.n; i++) {
        const struct asim_timeline_pause *pause = &timeline->pauses.at[i];
        struct mark mark;

        if (!i || pause[-1].port != pause->port) {
            track = process + 2 + (uint64_t)pause->port * 3;
            name_port(name, timeline, tier, pause->port, "pauses of");
            write_child(writer, track, process, name, NULL);
        }
        begin_mark(&mark, track, "pause", "paused (PFC)");
        write_event(writer, pause->start, &mark.event);
        write_end(writer, track, pause->end);
    }
}

static void write_network(struct writer *writer, const struct asim_run_timeline *timeline)
{
    char network[] = "network";
    struct asim_err err;
    uint8_t *tier;

    if (!timeline->topo ||
        !(timeline->queues.rows.n | timeline->pauses.n | timeline->rates.cells.n))
        return;
    if (asim_topo_tiers(&tier, timeline->topo, &err)) {
        writer->failed = 1;
        return;
    }
    write_process(writer, process_of(timeline->ranks), timeline->ranks + 1, network);
    write_rates(writer, timeline, tier);
    write_queues(writer, timeline, tier);
    write_pauses(writer, timeline, tier);
    free(tier);
}

int asim_timeline_write_perfetto(const struct asim_run_timeline *timeline, struct asim_out *file,
                                 struct asim_err *err)
{
    struct writer writer = {.file = file};
    struct flows flows = {0};
    uint32_t *used = calloc((size_t)timeline->ranks + 1, sizeof *used);
    int failed = !used || index_flows(&flows, timeline);

    for (uint32_t r = 0; !failed && r < timeline->ranks; r++) {
        char name[24];

        snprintf(name, sizeof name, "rank %u", r);
        write_process(&writer, process_of(r), r + 1, name); /* 0 is the idle process */
    }
    if (!failed) {
        write_ops(&writer, timeline, &flows, used);
        write_messages(&writer, timeline, used);
        write_arrivals(&writer, timeline, used);
        write_network(&writer, timeline);
    }
    ASIM_FREE(writer.packet.at, flows.first, flows.number, used);
    return failed || writer.failed ? asim_err_nomem(err, "writing the timeline") : 0;
}
