/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One walk over all counters serves all operations (counters.h).
 */
#include "fabric/memo/state/counters.h"

#include "fabric/node.h"

enum operation {
    SAVE, /* word = counter */
    ADD,  /* counter += times x word */
    LIST  /* append counter - word to the deltas */
};

struct walk {
    uint64_t *word; /* next word of the list */
    enum operation operation;
    uint64_t times;
    struct asim_counter_deltas *deltas;
    int failed; /* out of memory */
};

static void append_delta(struct walk *walk, uint64_t *counter)
{
    struct asim_counter_delta delta = {counter, *counter - *walk->word};

    if (delta.by && ASIM_VEC_PUSH(*walk->deltas, delta))
        walk->failed = 1;
}

/* n adjacent counters. */
static inline void visit(struct walk *walk, uint64_t *counters, size_t n)
{
    for (size_t i = 0; i < n; i++, walk->word++) {
        if (walk->operation == SAVE)
            *walk->word = counters[i];
        else if (walk->operation == LIST)
            append_delta(walk, &counters[i]);
        else
            counters[i] += walk->times * *walk->word;
    }
}

enum {
    WIRE_COUNTS = 4,
    HOST_COUNTS = 1 + (int)(sizeof(struct asim_host_counts) / sizeof(uint64_t)),
    SWITCH_COUNTS = 5,
    PORT_COUNTS = 3
};

static void visit_switch(struct walk *walk, struct asim_switch *sw)
{
    uint64_t *const of[SWITCH_COUNTS] = {&sw->drops, &sw->pauses, &sw->drop_bytes,
                                         &sw->pfc_generated, &sw->pfc_received};

    for (size_t i = 0; i < SWITCH_COUNTS; i++)
        visit(walk, of[i], 1);
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        struct asim_switch_port *port = &sw->ports[p];
        uint64_t *const at[PORT_COUNTS] = {&port->marks, &port->pauses, &port->drops};

        for (size_t i = 0; i < PORT_COUNTS; i++)
            visit(walk, at[i], 1);
    }
}

/* Links, hosts, switches. */
static void visit_all(struct asim_fabric *fabric, struct walk *walk)
{
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        struct asim_wire *wire = &fabric->wires[w];

        visit(walk, &wire->frames, 2); /* and bytes */
        visit(walk, &wire->received, 2);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        visit(walk, &fabric->host[v].messages, 1);
        visit(walk, (uint64_t *)&fabric->host[v].counts, HOST_COUNTS - 1);
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            visit(walk, &fabric->host[v].nics[i].crowded, 1);
    }
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        visit_switch(walk, &fabric->sw[v - fabric->set.hosts]);
}

size_t asim_counters_size(const struct asim_fabric *fabric)
{
    size_t n =
        fabric->set.topo->n_links * 2 * WIRE_COUNTS + (size_t)fabric->set.hosts * HOST_COUNTS;

    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        n += fabric->host[v].n_nics;
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        n += SWITCH_COUNTS + (size_t)fabric->sw[v - fabric->set.hosts].n_ports * PORT_COUNTS;
    return n;
}

void asim_counters_save(struct asim_fabric *fabric, uint64_t *list)
{
    visit_all(fabric, &(struct walk){.word = list, .operation = SAVE});
}

void asim_counters_add(struct asim_fabric *fabric, uint64_t *list, uint64_t times)
{
    visit_all(fabric, &(struct walk){.word = list, .operation = ADD, .times = times});
}

int asim_counters_deltas(struct asim_fabric *fabric, uint64_t *list,
                         struct asim_counter_deltas *deltas)
{
    struct walk walk = {.word = list, .operation = LIST, .deltas = deltas};

    visit_all(fabric, &walk);
    return walk.failed ? ASIM_ENOMEM : 0;
}

void asim_counter_deltas_add(const struct asim_counter_deltas *deltas)
{
    for (size_t i = 0; i < deltas->n; i++)
        *deltas->at[i].counter += deltas->at[i].by;
}

uint64_t asim_counters_hops(const struct asim_fabric *fabric)
{
    uint64_t hops = 0;

    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        hops += fabric->wires[w].frames;
    return hops;
}

uint64_t asim_counters_unreplayable(const struct asim_fabric *fabric)
{
    uint64_t events = 0;

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_host_counts *n = &fabric->host[v].counts;

        events += n->pfc_generated + n->pfc_received + n->retransmits + n->discarded +
                  n->duplicates + n->rates_reported;
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++) {
        const struct asim_switch *sw = &fabric->sw[v];

        events += sw->drops + sw->pfc_generated + sw->pfc_received + sw->reported;
        for (uint32_t p = 0; p < sw->n_ports; p++)
            events += sw->ports[p].draws;
    }
    return events;
}
