/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tables of memo/state/fields.h say which members are counters; one visit of each serves all
 * operations, of the network and of a part (counters.h).
 */
#include "fabric/memo/state/counters.h"

#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/state/fields.h"
#include "fabric/memo/region/part_log.h"
#include "asim/topology.h"
#include "conf/netconf_keys.h"
#include "fabric/host/host.h"

enum operation {
    SIZE,  /* count the words */
    SAVE,  /* word = counter */
    SINCE, /* word = counter - word */
    ADD    /* counter += times x word */
};

struct walk {
    enum operation operation;
    uint64_t *list;
    size_t n; /* words so far */
    uint64_t times;
};

static inline void visit(struct walk *walk, uint64_t *counter)
{
    size_t n = walk->n++;

    if (walk->operation == SAVE)
        walk->list[n] = *counter;
    else if (walk->operation == SINCE)
        walk->list[n] = *counter - walk->list[n];
    else if (walk->operation == ADD)
        *counter += walk->times * walk->list[n];
}

/* Rows of a table for the struct `of`: all counters; how many; the sum of the rare ones. */
#define IS_COUNTER(KIND)                                                                           \
    (ASIM_STATE_##KIND == ASIM_STATE_COUNTER || ASIM_STATE_##KIND == ASIM_STATE_RARE)
#define VISIT(KIND, MEMBER)                                                                        \
    (IS_COUNTER(KIND) ? visit(walk, (uint64_t *)(void *)&of->MEMBER) : (void)0)
#define COUNT(KIND, MEMBER) (n += IS_COUNTER(KIND))
#define ADD_RARE(KIND, MEMBER)                                                                     \
    (sum +=                                                                                        \
     ASIM_STATE_##KIND == ASIM_STATE_RARE ? asim_state_word(&of->MEMBER, sizeof of->MEMBER) : 0)

static inline void visit_wire(struct walk *walk, struct asim_wire *of)
{
    ASIM_WIRE_STATE(VISIT);
}

static inline void visit_nic(struct walk *walk, struct asim_nic *of)
{
    ASIM_NIC_STATE(VISIT);
}

static inline void visit_port(struct walk *walk, struct asim_switch_port *of)
{
    ASIM_SWITCH_PORT_STATE(VISIT);
}

static inline void visit_switch(struct walk *walk, struct asim_switch *of)
{
    ASIM_SWITCH_STATE(VISIT);
}

static inline void visit_counts(struct walk *walk, struct asim_host_counts *of)
{
    ASIM_HOST_COUNTS_STATE(VISIT);
}

static inline void visit_host(struct walk *walk, struct asim_host *of)
{
    ASIM_HOST_STATE(VISIT);
    visit_counts(walk, &of->counts);
    for (uint32_t i = 0; i < of->n_nics; i++)
        visit_nic(walk, &of->nics[i]);
}

/* Links, hosts, switches. */
static void visit_all(struct asim_fabric *fabric, struct walk *walk)
{
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        visit_wire(walk, &fabric->wires[w]);
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        visit_host(walk, &fabric->host[v]);
    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++) {
        visit_switch(walk, &fabric->sw[s]);
        for (uint32_t p = 0; p < fabric->sw[s].n_ports; p++)
            visit_port(walk, &fabric->sw[s].ports[p]);
    }
}

uint64_t asim_counters_hops(const struct asim_fabric *fabric)
{
    uint64_t hops = 0;

    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        hops += fabric->wires[w].frames;
    return hops;
}

static uint64_t rare_of_host(const struct asim_host_counts *of)
{
    uint64_t sum = 0;

    ASIM_HOST_COUNTS_STATE(ADD_RARE);
    return sum;
}

static uint64_t rare_of_switch(const struct asim_switch *of)
{
    uint64_t sum = of->reported;

    ASIM_SWITCH_STATE(ADD_RARE);
    return sum;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* The words of each host of a part: its own COUNTERs, which only the log tells apart from those of
 * its other NICs; those of the two wires of its link, of its port at the switch, and of its NIC.
 * Then those of the switch. AT_x: the place of host counter x. */
#define PLACE(KIND, MEMBER)                                                                        \
    AT_##MEMBER, BEFORE_##MEMBER = AT_##MEMBER - (ASIM_STATE_##KIND != ASIM_STATE_COUNTER)
enum { ASIM_HOST_COUNTS_STATE(PLACE), MESSAGES, HOST_WORDS };
#define ADD_LOGGED(KIND, MEMBER)                                                                   \
    (ASIM_STATE_##KIND == ASIM_STATE_COUNTER                                                       \
         ? add_to((uint64_t *)(void *)&of->MEMBER, at[AT_##MEMBER])                                \
         : (void)0)

static inline void add_to(uint64_t *counter, uint64_t by)
{
    *counter += by;
}

static inline size_t of_wire(void)
{
    size_t n = 0;

    ASIM_WIRE_STATE(COUNT);
    return n;
}

static inline size_t of_row(void)
{
    size_t n = HOST_WORDS + 2 * of_wire();

    ASIM_SWITCH_PORT_STATE(COUNT), ASIM_NIC_STATE(COUNT);
    return n;
}

static void add_logged(struct asim_host *host, const uint64_t *at)
{
    struct asim_host_counts *of = &host->counts;

    ASIM_HOST_COUNTS_STATE(ADD_LOGGED);
    host->messages += at[MESSAGES];
}

static void visit_small(struct asim_fabric *fabric, const struct asim_part *part, struct walk *walk)
{
    struct asim_switch *sw = &fabric->sw[part->sw - fabric->set.hosts];

    for (uint32_t i = 0; i < part->n_hosts; i++) {
        struct asim_host *host = &fabric->host[part->host[i]];
        struct asim_nic *nic = &host->nics[part->nic[i]];
        uint64_t *at = walk->list + asim_part_row(part, i) * of_row();

        if (walk->operation == ADD)
            add_logged(host, at);
        else
            memset(at, 0, HOST_WORDS * sizeof *at);
        walk->n = (size_t)(at - walk->list) + HOST_WORDS;
        visit_wire(walk, nic->port.out);
        visit_wire(walk, nic->port.in);
        visit_port(walk, &sw->ports[part->port[i]]);
        visit_nic(walk, nic);
    }
    walk->n = part->n_hosts * of_row();
    visit_switch(walk, sw);
}

static void visit_part(struct asim_fabric *fabric, const struct asim_part *part, struct walk *walk)
{
    if (part->is_whole)
        visit_all(fabric, walk);
    else
        visit_small(fabric, part, walk);
}

size_t asim_counters_size(struct asim_fabric *fabric, const struct asim_part *part)
{
    struct walk walk = {.operation = SIZE};
    size_t n = part->n_hosts * of_row();

    if (part->is_whole) {
        visit_all(fabric, &walk);
        return walk.n;
    }
    ASIM_SWITCH_STATE(COUNT);
    return n;
}

void asim_counters_save(struct asim_fabric *fabric, const struct asim_part *part, uint64_t *list)
{
    visit_part(fabric, part, &(struct walk){.list = list, .operation = SAVE});
}

void asim_counters_since(struct asim_fabric *fabric, const struct asim_part *part, uint64_t *list)
{
    visit_part(fabric, part, &(struct walk){.list = list, .operation = SINCE});
}

void asim_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                       const uint64_t *list, uint64_t times)
{
    visit_part(fabric, part,
               &(struct walk){.list = (uint64_t *)list, .operation = ADD, .times = times});
}

/* Frames that the host of a row has put on its link, and taken from it: the first counter of a wire
 * is `frames`. */
static inline uint64_t frames_out(const uint64_t *row)
{
    return row[HOST_WORDS];
}

static inline uint64_t frames_in(const uint64_t *row)
{
    return row[HOST_WORDS + of_wire()];
}

/* Without losses each packet is sent once, and every other frame is an ACK. */
void asim_counters_of_log(const struct asim_fabric *fabric, const struct asim_part *part,
                          const struct asim_log_row *row, uint64_t *deltas)
{
    for (uint32_t h = 0; h < part->n_hosts; h++)
        for (size_t i = 0; i < row[h].injections.n; i++) {
            const struct asim_injection *injection = &row[h].injections.at[i];
            uint64_t size = injection->bytes ? injection->bytes : 1;
            uint64_t packets = (size - 1) / fabric->set.net->payload_bytes + 1;
            uint64_t *src = deltas + h * of_row(), *dst = deltas + injection->dst * of_row();

            src[MESSAGES]++;
            src[AT_data] += packets;
            src[AT_completed] += size;
            dst[AT_data_received] += packets;
            dst[AT_in_order] += size;
        }
    for (uint32_t h = 0; h < part->n_hosts; h++, deltas += of_row()) {
        deltas[AT_acks] = deltas[AT_acks_generated] = frames_out(deltas) - deltas[AT_data];
        deltas[AT_acks_received] = frames_in(deltas) - deltas[AT_data_received];
    }
}

uint64_t asim_part_hops(const struct asim_fabric *fabric, const struct asim_part *part)
{
    uint64_t hops = 0;

    if (part->is_whole)
        return asim_counters_hops(fabric);
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        const struct asim_port *port = &fabric->host[part->host[i]].nics[part->nic[i]].port;

        hops += port->in->frames + port->out->frames;
    }
    return hops;
}

/* Losses and retransmissions follow drops, so the switches tell all of small parts. */
uint64_t asim_part_unreplayable(const struct asim_fabric *fabric, const struct asim_part *part)
{
    const struct asim_switch *sw =
        part->is_whole ? fabric->sw : &fabric->sw[part->sw - fabric->set.hosts];
    const struct asim_switch *end =
        part->is_whole ? sw + (fabric->set.nodes - fabric->set.hosts) : sw + 1;
    uint64_t events = 0;

    for (uint32_t v = 0; part->is_whole && v < fabric->set.hosts; v++)
        events += rare_of_host(&fabric->host[v].counts);
    for (; sw < end; sw++) {
        events += rare_of_switch(sw);
        for (uint32_t p = 0; p < sw->n_ports; p++)
            events += sw->ports[p].draws;
    }
    return events;
}
