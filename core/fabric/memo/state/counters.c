/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tables of memo/state/fields.h say which members are counters; one visit of each serves all
 * operations, of the network and of a part (counters.h).
 */
#include "fabric/memo/state/counters.h"

#include <stdlib.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/state/fields.h"
#include "fabric/memo/region/part_log.h"
#include "conf/netconf_keys.h"
#include "fabric/host/host.h"
#include "fabric/switch/switch.h"

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
    visit_counts(walk, &of->counts);
    ASIM_HOST_STATE(VISIT);
}

/* Links, hosts, switches. */
static void visit_all(struct asim_fabric *fabric, struct walk *walk)
{
    for (size_t w = 0; w < fabric->set.links * 2; w++)
        visit_wire(walk, &fabric->wires[w]);
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        visit_host(walk, &fabric->host[v]);
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            visit_nic(walk, &fabric->host[v].nics[i]);
    }
    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++) {
        visit_switch(walk, &fabric->sw[s]);
        for (uint32_t p = 0; p < fabric->sw[s].n_ports; p++)
            visit_port(walk, &fabric->sw[s].ports[p]);
    }
}

size_t asim_counters_size(struct asim_fabric *fabric)
{
    struct walk walk = {.operation = SIZE};

    visit_all(fabric, &walk);
    return walk.n;
}

void asim_counters_save(struct asim_fabric *fabric, uint64_t *list)
{
    visit_all(fabric, &(struct walk){.list = list, .operation = SAVE});
}

void asim_counters_add(struct asim_fabric *fabric, uint64_t *list, uint64_t times)
{
    visit_all(fabric, &(struct walk){.list = list, .operation = ADD, .times = times});
}

uint64_t asim_counters_hops(const struct asim_fabric *fabric)
{
    uint64_t hops = 0;

    for (size_t w = 0; w < fabric->set.links * 2; w++)
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

/* The words of a port: of the wire that it reads, of its NIC or port of a switch, and, of the first
 * port of a node, those of the node. AT_x: the place of host counter x among them. */
#define PLACE(KIND, MEMBER) AT_##MEMBER, BEFORE_##MEMBER = AT_##MEMBER - !IS_COUNTER(KIND)
enum { ASIM_HOST_COUNTS_STATE(PLACE), MESSAGES };

static inline size_t before_host(void)
{
    size_t n = 0;

    ASIM_WIRE_STATE(COUNT), ASIM_NIC_STATE(COUNT);
    return n;
}

/* At least. */
static inline size_t of_port(void)
{
    size_t n = before_host() + MESSAGES + 1;

    ASIM_SWITCH_PORT_STATE(COUNT), ASIM_SWITCH_STATE(COUNT);
    return n;
}

/* Those of the hosts of small parts only the log tells apart from those of their other NICs. */
static void visit_row(struct asim_fabric *fabric, const struct asim_part *part, uint32_t row,
                      const struct walk *rows)
{
    struct asim_port *port = asim_part_port(fabric, part, row);
    struct walk walk = {rows->operation, rows->list + row * of_port(), 0, 1};
    int is_first = part->is_whole ? !port->in->to_port : row <= part->n_hosts;

    visit_wire(&walk, port->in);
    if (port->in->to < fabric->set.hosts) {
        struct asim_host *host = &fabric->host[port->in->to];

        visit_nic(&walk, &host->nics[port->in->to_port]);
        if (is_first && (part->is_whole || walk.operation == ADD))
            visit_host(&walk, host);
    } else {
        struct asim_switch *sw = &fabric->sw[port->in->to - fabric->set.hosts];

        visit_port(&walk, &sw->ports[port->in->to_port]);
        if (is_first)
            visit_switch(&walk, sw);
    }
}

uint64_t *asim_part_counters_new(struct asim_fabric *fabric, const struct asim_part *part)
{
    uint64_t *list = calloc(asim_part_ports(fabric, part) + (size_t)1, of_port() * sizeof *list);

    for (uint32_t row = 0; list && row < asim_part_ports(fabric, part); row++)
        visit_row(fabric, part, row, &(struct walk){.operation = SAVE, .list = list});
    return list;
}

size_t asim_part_counters_bytes(const struct asim_fabric *fabric, const struct asim_part *part)
{
    return asim_part_ports(fabric, part) * of_port() * sizeof(uint64_t);
}

/* Without losses each packet is sent once, and every other frame is an ACK. */
static void set_hosts(const struct asim_fabric *fabric, const struct asim_part *part,
                      const struct asim_log_row *row, uint64_t *list)
{
    uint64_t *of_hosts = list + before_host();

    for (uint32_t h = 0; h < part->n_hosts; h++)
        for (size_t i = 0; i < row[h].injections.n; i++) {
            const struct asim_injection *injection = &row[h].injections.at[i];
            uint64_t size = injection->bytes ? injection->bytes : 1;
            uint64_t packets = (size - 1) / fabric->set.net->payload_bytes + 1;
            uint64_t *src = of_hosts + h * of_port(), *dst = of_hosts + injection->dst * of_port();

            src[MESSAGES]++;
            src[AT_data] += packets;
            src[AT_completed] += size;
            dst[AT_data_received] += packets;
            dst[AT_in_order] += size;
        }
    for (uint32_t h = 0; h < part->n_hosts; h++) { /* the first counter of a wire is `frames` */
        uint64_t *at = of_hosts + h * of_port();
        uint64_t in = list[h * of_port()], out = list[(part->n_hosts + h) * of_port()];

        at[AT_acks] = at[AT_acks_generated] = out - at[AT_data];
        at[AT_acks_received] = in - at[AT_data_received];
    }
}

void asim_part_counters_end(struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_log_row *row, uint64_t *list)
{
    for (uint32_t i = 0; i < asim_part_ports(fabric, part); i++)
        visit_row(fabric, part, i, &(struct walk){.operation = SINCE, .list = list});
    if (!part->is_whole)
        set_hosts(fabric, part, row, list);
}

void asim_part_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_episode_state *state, uint64_t *list)
{
    for (size_t i = 0; i < state->ports.n; i++)
        visit_row(fabric, part, state->ports.at[i].row,
                  &(struct walk){.operation = ADD, .list = list});
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
