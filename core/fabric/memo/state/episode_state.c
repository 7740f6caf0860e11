/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of the network before and after an episode, and its comparison.
 */
#include "fabric/memo/state/episode_state.h"

#include <stdlib.h>

#include "fabric/memo/memo.h"
#include "asim/topology.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"

struct wire_before {
    uint64_t frames, in_seq;
    uint8_t rr;
};

struct asim_before {
    struct wire_before *wire;   /* [2 x links] */
    uint64_t *seq;              /* [nodes] */
    struct asim_nic_state *nic; /* [ports of hosts] */
};

static uint64_t *seq_of(const struct asim_fabric *fabric, uint32_t node)
{
    return node < fabric->set.hosts ? &fabric->host[node].seq
                                    : &fabric->sw[node - fabric->set.hosts].seq;
}

/* The switch port that sends on a wire; NULL: a host does. */
static struct asim_switch_port *sender_of(const struct asim_fabric *fabric, uint32_t wire)
{
    uint32_t from = fabric->wires[wire].from;

    if (from < fabric->set.hosts)
        return NULL;
    return &fabric->sw[from - fabric->set.hosts].ports[fabric->wires[wire ^ 1].to_port];
}

/* The round robin of the port that sends on a wire; 0 for a host. */
static uint8_t rr_of(const struct asim_fabric *fabric, uint32_t wire)
{
    const struct asim_switch_port *sender = sender_of(fabric, wire);

    return sender ? sender->rr : 0;
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
    return before->wire && before->seq && before->nic ? 0 : ASIM_ENOMEM;
}

void asim_before_free(struct asim_fabric *fabric)
{
    struct asim_before *before = fabric->memo->before;

    if (!before)
        return;
    free(before->wire);
    free(before->seq);
    free(before->nic);
    free(before);
    fabric->memo->before = NULL;
}

int asim_before_save(struct asim_fabric *fabric)
{
    const uint32_t *first_port = fabric->set.topo->first_port;
    struct asim_before *before;

    if (!fabric->memo->before && allocate(fabric))
        return ASIM_ENOMEM;
    before = fabric->memo->before;
    for (uint32_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        const struct asim_wire *wire = &fabric->wires[w];

        before->wire[w] = (struct wire_before){wire->frames, wire->in_seq, rr_of(fabric, w)};
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        before->seq[v] = *seq_of(fabric, v);
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            before->nic[first_port[v] + i] = nic_state(&fabric->host[v].nics[i]);
    return 0;
}

/* --- ties --------------------------------------------------------------------------------------
 */
/* A wire into a node. */
struct used_wire {
    uint64_t seq; /* in_seq before it */
    uint32_t port, wire;
};

static int by_seq(const void *a, const void *b)
{
    const struct used_wire *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* The wires into a node that the episode used. */
static uint32_t list_used(const struct asim_fabric *fabric, uint32_t node, struct used_wire *at)
{
    const uint32_t *first_port = fabric->set.topo->first_port;
    uint32_t n = 0;

    for (uint32_t i = first_port[node]; i < first_port[node + 1]; i++) {
        const struct asim_wire *in = fabric->ports[i]->in;
        const struct wire_before *before = &fabric->memo->before->wire[in->id];

        if (in->frames != before->frames)
            at[n++] = (struct used_wire){before->in_seq, i - first_port[node], in->id};
    }
    return n;
}

static int list_ties(const struct asim_fabric *fabric, struct asim_episode_state *state)
{
    struct used_wire *at =
        malloc((fabric->set.topo->first_port[fabric->set.nodes] + (size_t)1) * sizeof *at);
    int code = at ? 0 : ASIM_ENOMEM;

    state->ties.n = 0;
    for (uint32_t v = 0; !code && v < fabric->set.nodes; v++) {
        uint32_t n = list_used(fabric, v, at);

        qsort(at, n, sizeof *at, by_seq);
        for (uint32_t i = 1; !code && i < n; i++)
            code =
                ASIM_VEC_PUSH(state->ties, ((struct asim_episode_tie){at[i - 1].wire, at[i].wire}));
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
    const struct asim_before *before = fabric->memo->before;
    struct asim_episode_wire left = {.id = w,
                                     .rr_before = before->wire[w].rr,
                                     .rr = rr_of(fabric, w),
                                     .in_seq = wire->in_seq - before->seq[wire->to]};

    asim_port_left_save(port_of(fabric, w), before->seq[wire->from], begin, left.left);
    return left;
}

/* Returns 1 if it leaves other finished queue pairs than it found. */
static int list_nics(const struct asim_fabric *fabric, struct asim_episode_state *state)
{
    int code = 0;

    state->nics.n = 0;
    for (size_t i = 0; code != ASIM_ENOMEM && i < state->hosts.n; i++) {
        uint32_t v = state->hosts.at[i];

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

static int list_wires_and_nodes(const struct asim_fabric *fabric, struct asim_episode_state *state,
                                uint64_t begin)
{
    state->wires.n = state->nodes.n = 0;
    for (uint32_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        if (fabric->wires[w].frames != fabric->memo->before->wire[w].frames &&
            ASIM_VEC_PUSH(state->wires, describe(fabric, w, begin)))
            return ASIM_ENOMEM;
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        struct asim_episode_node node = {v, *seq_of(fabric, v) - fabric->memo->before->seq[v]};

        if (node.events && ASIM_VEC_PUSH(state->nodes, node))
            return ASIM_ENOMEM;
    }
    return 0;
}

int asim_episode_state_save(struct asim_fabric *fabric, struct asim_episode_state *state,
                            uint64_t begin)
{
    int code = list_wires_and_nodes(fabric, state, begin);

    if (!code)
        code = list_ties(fabric, state);
    if (!code)
        code = list_nics(fabric, state);
    return code;
}

void asim_episode_state_free(struct asim_episode_state *state)
{
    free(state->hosts.at);
    free(state->wires.at);
    free(state->nodes.at);
    free(state->nics.at);
    free(state->ties.at);
}

size_t asim_episode_state_bytes(const struct asim_episode_state *state)
{
    return state->hosts.cap * sizeof *state->hosts.at + state->wires.cap * sizeof *state->wires.at +
           state->nodes.cap * sizeof *state->nodes.at + state->nics.cap * sizeof *state->nics.at +
           state->ties.cap * sizeof *state->ties.at;
}

/* --- before and after a replay -----------------------------------------------------------------
 */
static int nics_fit(const struct asim_fabric *fabric, const struct asim_episode_state *state)
{
    for (size_t i = 0; i < state->nics.n; i++) {
        const struct asim_episode_nic *nic = &state->nics.at[i];
        struct asim_nic_state now = nic_state(&fabric->host[nic->host].nics[nic->nic]);

        if (!nics_are_same(&nic->before, &now))
            return 0;
    }
    return 1;
}

static int wires_fit(const struct asim_fabric *fabric, const struct asim_episode_state *state)
{
    for (size_t i = 0; i < state->wires.n; i++)
        if (rr_of(fabric, state->wires.at[i].id) != state->wires.at[i].rr_before)
            return 0;
    for (size_t i = 0; i < state->ties.n; i++)
        if (!asim_wire_used_before(&fabric->wires[state->ties.at[i].first],
                                   &fabric->wires[state->ties.at[i].second]))
            return 0;
    return 1;
}

int asim_episode_state_fits(const struct asim_fabric *fabric,
                            const struct asim_episode_state *state)
{
    return nics_fit(fabric, state) && wires_fit(fabric, state);
}

static void apply_wire(struct asim_fabric *fabric, const struct asim_episode_wire *left,
                       uint64_t begin)
{
    uint32_t wire = left->id;
    struct asim_switch_port *sender = sender_of(fabric, wire);

    fabric->wires[wire].in_seq = *seq_of(fabric, fabric->wires[wire].to) + left->in_seq;
    asim_port_left_apply(port_of(fabric, wire), *seq_of(fabric, fabric->wires[wire].from), begin,
                         left->left);
    if (sender)
        sender->rr = left->rr;
}

void asim_episode_state_apply(struct asim_fabric *fabric, const struct asim_episode_state *state,
                              uint64_t begin)
{
    for (size_t i = 0; i < state->wires.n; i++)
        apply_wire(fabric, &state->wires.at[i], begin);
    for (size_t i = 0; i < state->nodes.n; i++)
        *seq_of(fabric, state->nodes.at[i].node) += state->nodes.at[i].events;
    for (size_t i = 0; i < state->nics.n; i++) {
        const struct asim_episode_nic *nic = &state->nics.at[i];
        struct asim_qplist *qps = &fabric->host[nic->host].nics[nic->nic].qps;

        if (nic->after.n)
            continue; /* as before */
        qps->cursor = nic->after.cursor;
        qps->last_position = nic->after.position;
    }
}
