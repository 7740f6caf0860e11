/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See episode_state.h.
 */
#include "fabric/memo/state/episode_state.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/region/renaming.h"

struct wire_before {
    uint64_t frames, bytes, marks, in_seq;
    uint8_t rr;
};

struct asim_before {
    struct wire_before *wire;          /* [2 x links] */
    uint64_t *seq;                     /* [nodes] */
    struct asim_nic_state *nic;        /* [ports of hosts] */
    struct asim_first_arrivals *first; /* [switches] */
    int is_open;
};

static uint64_t *seq_of(const struct asim_fabric *fabric, uint32_t node)
{
    return node < fabric->set.hosts ? &fabric->host[node].seq
                                    : &fabric->sw[node - fabric->set.hosts].seq;
}

struct asim_switch_port *asim_wire_sender(const struct asim_fabric *fabric, uint32_t wire)
{
    uint32_t from = fabric->wires[wire].from;

    if (from < fabric->set.hosts)
        return NULL;
    return &fabric->sw[from - fabric->set.hosts].ports[fabric->wires[wire ^ 1].to_port];
}

static struct asim_port *port_of(const struct asim_fabric *fabric, uint32_t wire)
{
    return fabric->ports[fabric->set.topo->first_port[fabric->wires[wire].from] +
                         fabric->wires[wire ^ 1].to_port];
}

/* The cursor of an empty list counts by itself; in a list of finished ones only its position does.
 */
static struct asim_nic_state nic_state(const struct asim_nic *nic)
{
    const struct asim_qplist *qps = &nic->qps;

    if (qps->n)
        return (struct asim_nic_state){qps->n, 0, asim_qplist_position(qps)};
    return (struct asim_nic_state){0, qps->cursor, qps->cursor ? 0 : qps->last_position};
}

static int nics_are_same(const struct asim_nic_state *a, const struct asim_nic_state *b)
{
    return a->n == b->n && a->cursor == b->cursor && a->position == b->position;
}

static uint32_t switches_of(const struct asim_fabric *fabric)
{
    return fabric->set.nodes - fabric->set.hosts;
}

static int allocate(struct asim_fabric *fabric)
{
    struct asim_before *before = calloc(1, sizeof *before);
    const struct asim_topo *topo = fabric->set.topo;

    fabric->memo->before = before;
    if (!before)
        return ASIM_ENOMEM;
    before->wire = calloc(topo->n_links * 2 + 1, sizeof *before->wire);
    before->seq = calloc(fabric->set.nodes + (size_t)1, sizeof *before->seq);
    before->nic = calloc(topo->first_port[fabric->set.hosts] + (size_t)1, sizeof *before->nic);
    before->first = calloc(switches_of(fabric) + (size_t)1, sizeof *before->first);
    return before->wire && before->seq && before->nic && before->first ? 0 : ASIM_ENOMEM;
}

void asim_before_free(struct asim_fabric *fabric)
{
    struct asim_before *before = fabric->memo->before;

    if (!before)
        return;
    for (uint32_t s = 0; before->first && s < switches_of(fabric); s++)
        free(before->first[s].list.at);
    free(before->first);
    free(before->wire);
    free(before->seq);
    free(before->nic);
    free(before);
    fabric->memo->before = NULL;
}

/* Its first frames, and its peaks from now on. */
static void watch_switch(const struct asim_fabric *fabric, uint32_t s)
{
    struct asim_before *before = fabric->memo->before;
    struct asim_switch *sw = &fabric->sw[s];

    before->first[s].since = sw->seq;
    before->first[s].list.n = 0;
    if (sw->n_shards == 1)
        sw->first = &before->first[s];
    for (uint32_t p = 0; p < sw->n_ports; p++)
        asim_switch_port_restart_peak(&sw->ports[p]);
}

int asim_before_save(struct asim_fabric *fabric)
{
    const uint32_t *first_port = fabric->set.topo->first_port;
    struct asim_before *before;

    asim_before_drop(fabric);
    if (!fabric->memo->before && allocate(fabric))
        return ASIM_ENOMEM;
    before = fabric->memo->before;
    for (uint32_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        const struct asim_wire *wire = &fabric->wires[w];
        const struct asim_switch_port *sender = asim_wire_sender(fabric, w);

        before->wire[w] =
            (struct wire_before){wire->frames, wire->bytes, sender ? sender->marks : 0,
                                 wire->in_seq, asim_wire_rr(fabric, w)};
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        before->seq[v] = *seq_of(fabric, v);
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            before->nic[first_port[v] + i] = nic_state(&fabric->host[v].nics[i]);
    /* In a tree a replay is never renamed. So all wires into a node may count as tied, and the
     * peaks are those of the recording. */
    for (uint32_t s = 0; !fabric->memo->is_tree && s < switches_of(fabric); s++)
        watch_switch(fabric, s);
    before->is_open = 1;
    return 0;
}

void asim_before_drop(struct asim_fabric *fabric)
{
    struct asim_before *before = fabric->memo->before;

    if (!before || !before->is_open)
        return;
    before->is_open = 0;
    for (uint32_t s = 0; !fabric->memo->is_tree && s < switches_of(fabric); s++) {
        struct asim_switch *sw = &fabric->sw[s];

        sw->first = NULL;
        for (uint32_t p = 0; p < sw->n_ports; p++)
            asim_switch_port_join_peaks(&sw->ports[p]);
    }
}

/* --- ties --------------------------------------------------------------------------------------
 */
/* A wire into a node, with its first frame; t ASIM_NEVER: not known. */
struct first {
    uint64_t t, tie, seq; /* seq: in_seq before it */
    uint32_t port, wire;
};

static int by_arrival(const void *a, const void *b)
{
    const struct first *x = a, *y = b;

    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* The wires into a node that the episode used. */
static uint32_t list_used(const struct asim_fabric *fabric, uint32_t node, struct first *at)
{
    const uint32_t *first_port = fabric->set.topo->first_port;
    uint32_t n = 0;

    for (uint32_t i = first_port[node]; i < first_port[node + 1]; i++) {
        const struct asim_wire *in = fabric->ports[i]->in;
        const struct wire_before *before = &fabric->memo->before->wire[in->id];

        if (in->frames != before->frames)
            at[n++] = (struct first){ASIM_NEVER, 0, before->in_seq, i - first_port[node], in->id};
    }
    return n;
}

/* All first frames are known, or none. */
static void set_arrivals(const struct asim_fabric *fabric, uint32_t node, struct first *at,
                         uint32_t n)
{
    const struct asim_first_arrivals *first;
    uint32_t known = 0;

    if (node < fabric->set.hosts)
        return;
    first = &fabric->memo->before->first[node - fabric->set.hosts];
    for (size_t i = 0; i < first->list.n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (at[j].port == first->list.at[i].port && at[j].t == ASIM_NEVER) {
                at[j].t = first->list.at[i].t;
                at[j].tie = first->list.at[i].tie;
                known++;
            }
    for (uint32_t j = 0; known < n && j < n; j++) {
        at[j].t = ASIM_NEVER;
        at[j].tie = 0;
    }
}

static int list_ties(const struct asim_fabric *fabric, struct asim_episode_state *state)
{
    struct first *at =
        malloc((fabric->set.topo->first_port[fabric->set.nodes] + (size_t)1) * sizeof *at);
    int code = at ? 0 : ASIM_ENOMEM;

    state->ties.n = 0;
    for (uint32_t v = 0; !code && v < fabric->set.nodes; v++) {
        uint32_t n = list_used(fabric, v, at);

        if (n < 2)
            continue;
        if (!fabric->memo->is_tree)
            set_arrivals(fabric, v, at, n);
        qsort(at, n, sizeof *at, by_arrival);
        for (uint32_t i = 1; !code && i < n; i++)
            if (at[i - 1].t == at[i].t && at[i - 1].tie == at[i].tie)
                code = ASIM_VEC_PUSH(state->ties,
                                     ((struct asim_episode_tie){at[i - 1].wire, at[i].wire}));
    }
    free(at);
    return code;
}

/* --- the end of a recording --------------------------------------------------------------------
 */
static struct asim_episode_wire describe(const struct asim_fabric *fabric, uint32_t w,
                                         uint64_t begin)
{
    const struct asim_wire *wire = &fabric->wires[w];
    const struct wire_before *before = &fabric->memo->before->wire[w];
    const struct asim_switch_port *sender = asim_wire_sender(fabric, w);
    const struct asim_port *port = port_of(fabric, w);

    return (struct asim_episode_wire){
        .id = w,
        .start_recency = port->start_recency,
        .rr_before = before->rr,
        .rr = asim_wire_rr(fabric, w),
        .frames = wire->frames - before->frames,
        .bytes = wire->bytes - before->bytes,
        .marks = sender ? sender->marks - before->marks : 0,
        .peak = sender && !fabric->memo->is_tree ? sender->peak_bytes : 0,
        .start_seq = port->start_seq - fabric->memo->before->seq[wire->from],
        .in_seq = wire->in_seq - fabric->memo->before->seq[wire->to],
        .tx_start = port->tx_start - begin,
        .busy_until = port->busy_until - begin};
}

/* Returns 1 if it leaves other finished queue pairs than it found. */
static int list_nics(const struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_episode_state *state = &episode->state;
    int code = 0;

    state->nics.n = 0;
    for (size_t i = 0; code != ASIM_ENOMEM && i < episode->who.n; i++) {
        uint32_t v = episode->who.at[i];

        for (uint32_t k = 0; code != ASIM_ENOMEM && k < fabric->host[v].n_nics; k++) {
            struct asim_episode_nic nic = {
                v, k, fabric->memo->before->nic[fabric->set.topo->first_port[v] + k],
                nic_state(&fabric->host[v].nics[k])};

            if ((nic.before.n || nic.after.n) && !nics_are_same(&nic.before, &nic.after))
                code = 1;
            if (ASIM_VEC_PUSH(state->nics, nic))
                code = ASIM_ENOMEM;
        }
    }
    return code;
}

static int list_wires_and_nodes(const struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_episode_state *state = &episode->state;
    size_t marked = 0;

    state->wires.n = state->nodes.n = 0;
    for (uint32_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        if (fabric->wires[w].frames == fabric->memo->before->wire[w].frames)
            continue;
        if (ASIM_VEC_PUSH(state->wires, describe(fabric, w, episode->begin)))
            return ASIM_ENOMEM;
        marked += state->wires.at[state->wires.n - 1].marks != 0;
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        struct asim_episode_node node = {v, *seq_of(fabric, v) - fabric->memo->before->seq[v]};

        if (node.events && ASIM_VEC_PUSH(state->nodes, node))
            return ASIM_ENOMEM;
    }
    /* Only marks are counters of a port that a renaming knows. */
    state->is_fixed =
        fabric->memo->is_tree || asim_counter_deltas_of_switches(&episode->deltas) != marked;
    return 0;
}

int asim_episode_state_save(struct asim_fabric *fabric, struct asim_episode *episode)
{
    int code = list_wires_and_nodes(fabric, episode);

    if (!code)
        code = list_ties(fabric, &episode->state);
    if (!code)
        code = list_nics(fabric, episode);
    asim_before_drop(fabric);
    return code;
}

void asim_episode_state_free(struct asim_episode_state *state)
{
    free(state->wires.at);
    free(state->nodes.at);
    free(state->nics.at);
    free(state->ties.at);
}

size_t asim_episode_state_bytes(const struct asim_episode_state *state)
{
    return state->wires.cap * sizeof *state->wires.at + state->nodes.cap * sizeof *state->nodes.at +
           state->nics.cap * sizeof *state->nics.at + state->ties.cap * sizeof *state->ties.at;
}

/* --- before and after a replay -----------------------------------------------------------------
 */
int asim_episode_nics_fit(const struct asim_fabric *fabric, const struct asim_episode *episode)
{
    for (size_t i = 0; i < episode->state.nics.n; i++) {
        const struct asim_episode_nic *nic = &episode->state.nics.at[i];
        struct asim_nic_state now = nic_state(&fabric->host[nic->host].nics[nic->nic]);

        if (!nics_are_same(&nic->before, &now))
            return 0;
    }
    return 1;
}

uint8_t asim_wire_rr(const struct asim_fabric *fabric, uint32_t wire)
{
    const struct asim_switch_port *sender = asim_wire_sender(fabric, wire);

    return sender ? sender->rr : 0;
}

int asim_episode_wires_fit(const struct asim_fabric *fabric, const struct asim_episode *episode)
{
    const struct asim_episode_state *state = &episode->state;

    for (size_t i = 0; i < state->wires.n; i++)
        if (asim_wire_rr(fabric, state->wires.at[i].id) != state->wires.at[i].rr_before)
            return 0;
    for (size_t i = 0; i < state->ties.n; i++)
        if (!asim_wire_used_before(&fabric->wires[state->ties.at[i].first],
                                   &fabric->wires[state->ties.at[i].second]))
            return 0;
    return 1;
}

static void apply_wire(struct asim_fabric *fabric, const struct asim_episode_wire *left,
                       uint32_t wire, uint64_t begin)
{
    struct asim_switch_port *sender = asim_wire_sender(fabric, wire);
    struct asim_port *port = port_of(fabric, wire);

    fabric->wires[wire].in_seq = *seq_of(fabric, fabric->wires[wire].to) + left->in_seq;
    port->start_seq = *seq_of(fabric, fabric->wires[wire].from) + left->start_seq;
    port->start_recency = left->start_recency;
    port->tx_start = begin + left->tx_start;
    port->busy_until = begin + left->busy_until;
    if (!sender)
        return;
    sender->rr = left->rr;
    if (left->peak > sender->peak_bytes)
        sender->peak_bytes = left->peak;
}

void asim_episode_state_apply(struct asim_fabric *fabric, const struct asim_episode *episode,
                              const struct asim_renaming *renaming, uint64_t begin)
{
    const struct asim_episode_state *state = &episode->state;

    for (size_t i = 0; i < state->wires.n; i++) {
        uint32_t w = state->wires.at[i].id;

        apply_wire(fabric, &state->wires.at[i], renaming ? renaming->wire[w] : w, begin);
    }
    for (size_t i = 0; i < state->nodes.n; i++) {
        uint32_t v = state->nodes.at[i].node;

        *seq_of(fabric, renaming ? renaming->node[v] : v) += state->nodes.at[i].events;
    }
    for (size_t i = 0; i < state->nics.n; i++) {
        const struct asim_episode_nic *nic = &state->nics.at[i];
        struct asim_qplist *qps = &fabric->host[nic->host].nics[nic->nic].qps;

        if (nic->after.n)
            continue; /* as before */
        qps->cursor = nic->after.cursor;
        qps->last_position = nic->after.position;
    }
}
