/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages and their run, rings that the flow level carries by itself, and those in lock-step
 * (flow.md#rings).
 */
#ifndef ASIM_NET_FLOW_RINGS_H
#define ASIM_NET_FLOW_RINGS_H

#include "net/flow/path.h"
#include "net/net.h"
#include "net/traffic_source.h"

/* How far a member of a ring is. */
struct asim_fluid_progress {
    uint32_t sent, come, dealt, until; /* messages; until: of deal_ns */
    uint8_t is_waiting;                /* for the next message */
    uint8_t is_queued;                 /* at due_ns something is due */
    uint8_t is_ending;                 /* once its own messages have come */
    uint64_t deal_ns, due_ns, came_ns; /* came_ns: the newest message */
};

/* A member of a ring that carries on by itself (relay.c). */
struct asim_fluid_relay {
    struct asim_net_relay spec;
    struct asim_fluid_progress at;
    uint32_t under_way; /* messages */
    uint8_t is_stale;   /* `due` is in the queue of events from before its ring was folded */
    uint8_t is_over;
    struct asim_due due;                    /* its start, then the end of what a message takes */
    struct asim_fluid_flow *flows, *newest; /* its messages under way, the oldest first */
    struct asim_fluid_relay *next,
        *before;                     /* its messages go to; from there they come; NULL: look */
    struct asim_fluid_relay *beside; /* of the ring, in the order of starts */
    struct asim_fluid_ring *ring;
    struct asim_fluid_conn *conn;
    /* While the ring is folded: the leader, which is carried for this member; the next member with
     * the same leader; of a leader: its path, with the links carried for those of its ACKs. */
    struct asim_fluid_relay *leader, *alike;
    struct asim_fluid_path *path;
};

struct asim_fluid_ring {
    uint32_t opened, started, gone;         /* members */
    uint32_t leaders, ended;                /* leaders; of these, over */
    uint8_t is_decided, is_to_fold;         /* at the end of this ns */
    uint8_t is_folded;                      /* the leaders are carried for all */
    uint8_t is_steered;                     /* folded, and a congestion control is to begin */
    struct asim_fluid_relay *first, *last;  /* in the order of starts */
    struct asim_fluid_ring *ahead, *behind; /* in the list of folded rings */
};

/* Links of so many flows are visited together, a share of a message's time later. */
enum { ASIM_FLUID_MANY = 8 };
#define ASIM_FLUID_MOST_NS 1e4 /* to the next visit */
static inline double asim_fluid_moment(double ns)
{
    const double share = 0.005;

    return asim_fluid_min(ns * share, ASIM_FLUID_MOST_NS);
}

/* --- order.c --- */
/* Of all links; 0, or ASIM_ENOMEM. */
int asim_fluid_order(struct asim_fluid *fluid);
/* A message that has begun in this ns is to come to its links; sorts those that are to. */
void asim_fluid_come_to_join(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
void asim_fluid_sort_joining(struct asim_fluid *fluid);
/* Another message of its queue pair has had the turn until this ns. */
static inline int asim_fluid_is_behind(const struct asim_fluid *fluid,
                                       const struct asim_fluid_flow *flow)
{
    return flow->conn->passed_ns == fluid->queue.now_ns && !flow->conn->is_single;
}

/* What a link serves beside ACKs: packets a ns. */
static inline double asim_fluid_capacity(const struct asim_fluid_link *link)
{
    const double least_share = 0.05; /* whatever ACKs take */

    return asim_fluid_max(1 - link->ack, least_share) / link->step_ns;
}

/* --- queues.c --- */
/* The link is to be visited in this ns. */
void asim_fluid_mark(struct asim_fluid *fluid, uint32_t l);
/* The link is to be visited, as flows that last so many ns come, go or change: at once, or where it
 * has many of them a moment later for all that do so until then; _acks: as their ACKs do, if these
 * take another share at the end of the ns. */
void asim_fluid_stir(struct asim_fluid *fluid, uint32_t l, double ns);
void asim_fluid_mark_acks(struct asim_fluid *fluid, uint32_t l, double ns);
/* As the other one is. */
void asim_fluid_mark_like(struct asim_fluid *fluid, uint32_t l,
                          const struct asim_fluid_link *other);
/* Of a link that is to be visited soon: a moment later. */
int asim_fluid_is_put_off(struct asim_fluid *fluid, uint32_t l);
/* What arrives of a flow at a link with this wait. */
static inline double asim_fluid_arrival(const struct asim_fluid_flow *flow,
                                        const struct asim_fluid_limit *limit, double wait)
{
    return asim_fluid_min(limit->rate, flow->shape.window / (limit->span_ns + wait));
}
/* Of a packet that comes in so many ns. */
double asim_fluid_wait_in(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double ns);
static inline double asim_fluid_wait(const struct asim_fluid *fluid,
                                     const struct asim_fluid_link *link)
{
    return link->wait_ns > 0 || link->slope > 0 ? asim_fluid_wait_in(fluid, link, 0) : 0;
}
/* Counts the marks that the queue of a link has made since wait_at, and its length now. */
void asim_fluid_count_queue(const struct asim_fluid *fluid, struct asim_fluid_link *link);
/* What stood in its queue may have drained by now. */
static inline void asim_fluid_clean(const struct asim_fluid *fluid, struct asim_fluid_link *link)
{
    if (link->wait_ns <= 0 || link->bursts || link->flows.n || asim_fluid_wait(fluid, link) > 0)
        return;
    asim_fluid_count_queue(fluid, link);
    link->wait_ns = link->slope = link->target_ns = 0;
}
/* Sets wait and where it goes from here. */
void asim_fluid_move_queue(struct asim_fluid *fluid, struct asim_fluid_link *link, double capacity);
/* Visits the link in so many ns. */
void asim_fluid_plan(struct asim_fluid *fluid, struct asim_fluid_link *link, double ns);
/* Of the NIC of a message that joins. */
static inline struct asim_fluid_round *asim_fluid_round_of(struct asim_fluid *fluid, size_t i)
{
    return &fluid->link[fluid->joining.at[i].flow->path->link[0]].round;
}
/* --- turns.c --- */
/* Finds what packets of the messages that join in this ns wait for each other. */
void asim_fluid_take_turns(struct asim_fluid *fluid);
/* --- acks.c --- */
/* How much later than in an idle network a message that has drained is through: its last packet
 * waits in queues, flow->queued_ns, and its ACK behind data of others. Asked once all of its last
 * ns has happened. */
double asim_fluid_late(const struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* How long its ACKs wait for frames of data in service; path: its own; is_first: that of the first
 * packet, before ACKs take a share of these links. */
double asim_fluid_ack_waits(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                            const struct asim_fluid_path *path, int is_first);
/* Packets that the rates from now on would send too many: beyond its window before the first ACK is
 * back; less what its last window has not to wait for. */
double asim_fluid_first_window(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow);

double asim_fluid_queue_bytes(const struct asim_fluid *fluid, const struct asim_fluid_link *link);
/* That a packet is marked by a queue of so many bytes. */
double asim_fluid_mark_chance(const struct asim_fluid_link *link, double bytes);
/* Its last flow has left it: what stands in its queue drains. */
void asim_fluid_drain_queue(struct asim_fluid *fluid, uint32_t l);
/* Tells the flows whose ACKs wait at the link of a wait that has moved; that a flow comes to the
 * link or leaves it. */
void asim_fluid_tell_wait(struct asim_fluid *fluid, struct asim_fluid_link *link);
void asim_fluid_tell_frames(struct asim_fluid *fluid, const struct asim_fluid_link *link);

/* --- control.c --- */
size_t asim_fluid_control_size(const struct asim_cc *cc);
/* Whether the queue of a link tells controllers something. */
int asim_fluid_is_told(const struct asim_fluid *fluid, const struct asim_fluid_link *link);
/* Begins to control flows that a queue tells something. */
void asim_fluid_watch(struct asim_fluid *fluid, const struct asim_fluid_link *link);
void asim_fluid_begin_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Of a flow that has stood still. */
void asim_fluid_go_on_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* An ACK or a timer. */
void asim_fluid_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

/* --- background.c --- */
int asim_fluid_add_traffic(struct asim_net *net, const struct asim_net_traffics *traffics,
                           struct asim_err *err);
/* The flow of source `number` begins. */
void asim_fluid_traffic_due(struct asim_fluid *fluid, uint32_t number);
void asim_fluid_traffic_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

/* --- trust.c --- */
/* Called when a flow begins. */
void asim_fluid_judge_first(struct asim_fluid *fluid, const struct asim_fluid_flow *flow);
/* Called when a flow has joined its links. */
void asim_fluid_judge_start(struct asim_fluid *fluid, const struct asim_fluid_flow *flow);
/* Called before a flow that drains leaves its links: the queues that it waited in. */
void asim_fluid_judge_queues(const struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Called for a drained flow, which is so much later than alone. */
void asim_fluid_judge(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double late);
/* Called when a flow is through: its chain goes on with what its end leads to. */
void asim_fluid_judge_end(struct asim_fluid *fluid, const struct asim_fluid_flow *flow);
/* How far the run is to be trusted so far; _tell_ tells it at the end. */
int asim_fluid_trust_of(const struct asim_fabric *network, struct asim_packet_trust *trust);
void asim_fluid_tell_trust(const struct asim_fabric *network,
                           const struct asim_diagnostics *diagnostics);
/* Adds what messages were judged, so many times. */
void asim_fluid_trust_add(struct asim_fluid_trust *to, const struct asim_fluid_trust *by,
                          double times);

/* --- use.c --- */
/* Counts what the path has carried on its links. */
void asim_fluid_fold(const struct asim_fluid *fluid, struct asim_fluid_path *path);
extern const struct asim_packet_network asim_fluid_reports;

/* --- run.c --- */
int asim_fluid_run(struct asim_net *net, struct asim_err *err);

/* --- messages.c --- */
int asim_fluid_send(struct asim_net *net, const struct asim_msg *msg);
/* relay: whose message it is. */
int asim_fluid_send_of(struct asim_fluid *fluid, const struct asim_msg *msg,
                       struct asim_fluid_relay *relay);
/* A background flow. */
int asim_fluid_send_traffic(struct asim_fluid *fluid, const struct asim_msg *msg, uint16_t sport);
/* A message on whose path no phase repeats sets out. */
void asim_fluid_set_out(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Messages that have begun in this ns come to their links, in an order of their own: which of them
 * began first must not matter. 0: there were none. */
int asim_fluid_join_all(struct asim_fluid *fluid);
/* On idle links, as in fct.txt. */
uint64_t asim_fluid_ideal_ns(const struct asim_fluid_flow *flow);
void asim_fluid_drained(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* What waits for the end of a ns: first windows, and when what has drained is through. */
void asim_fluid_end_of_ns(struct asim_fluid *fluid);
/* Counts a message that is through. */
void asim_fluid_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
void asim_fluid_acks(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

/* --- rates.c --- */
/* The flow joins the links of its path. */
void asim_fluid_join(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
void asim_fluid_leave(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Adds to the load of the links of its ACKs; by: packets a ns. */
void asim_fluid_load_acks(struct asim_fluid *fluid, const struct asim_fluid_flow *flow, double by);
/* Finds the rates of all flows that changes since the last settlement concern. */
void asim_fluid_settle(struct asim_fluid *fluid);
/* Puts it into the lists of its links: of data from number `first` on, and of ACKs; takes it off
 * these. */
void asim_fluid_enter(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t first);
void asim_fluid_quit(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t first);
/* A flow on its links gets a path with the same links of data. */
void asim_fluid_swap_path(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                          struct asim_fluid_path *path);

/* --- ends.c --- */
/* What has drained until now leaves the flow, whose rate or rest is to change; its end is set when
 * rates are settled. */
void asim_fluid_touch(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* What has drained until now leaves the flow. */
void asim_fluid_advance(const struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Sets the end of a flow whose rate is new. */
void asim_fluid_set_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
struct asim_fluid_end {
    uint64_t end_ns;
    uint32_t id; /* of the flow that is drained then */
};
/* The next end in the heap, or ASIM_NEVER; takes that flow out. */
uint64_t asim_fluid_next_end(const struct asim_fluid *fluid);
struct asim_fluid_flow *asim_fluid_take_end(struct asim_fluid *fluid);
/* Takes a flow out of the heap, if it is there. */
void asim_fluid_drop_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Puts it into another heap. */
void asim_fluid_move_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Adds an event; in so many ns, returns when. */
void asim_fluid_add(struct asim_fluid *fluid, uint64_t t, struct asim_due *due);
uint64_t asim_fluid_after(struct asim_fluid *fluid, double ns, struct asim_due *due);
/* A message of the user; NULL when out of memory. */
struct asim_fluid_flow *asim_fluid_make(struct asim_fluid *fluid, const struct asim_msg *msg);
/* Once it is through and no event of it is to come. */
void asim_fluid_release(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

/* --- relay.c --- */
int asim_fluid_relay_has(struct asim_net *net);
struct asim_relay *asim_fluid_relay_open(struct asim_net *net, const struct asim_net_relay *spec);
void asim_fluid_relay_start(struct asim_net *net, struct asim_relay *relay);
uint32_t asim_fluid_relay_come(const struct asim_relay *relay);
void asim_fluid_relay_due(struct asim_fluid *fluid, struct asim_fluid_relay *relay);
/* A message of flow->relay is through; 0: it is one for the user. */
int asim_fluid_relay_arrived(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* --- alike.c --- */
/* Whether they do the same from now on. */
int asim_fluid_is_like(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       const struct asim_fluid_link *other);
int asim_fluid_are_alike(const struct asim_fluid *fluid, const struct asim_fluid_relay *a,
                         const struct asim_fluid_relay *b);
/* --- lockstep.c --- */
/* The flow is a message of the relay, and under way. */
void asim_fluid_relay_keep(struct asim_fluid_relay *relay, struct asim_fluid_flow *flow);
/* The relay that the next message of this one comes to; NULL: none yet. */
struct asim_fluid_relay *asim_fluid_receiver(struct asim_fluid *fluid,
                                             struct asim_fluid_relay *from);
/* Carries leaders for all members from now on, where these are in lock-step: between two ns. */
void asim_fluid_ring_fold(struct asim_fluid *fluid, struct asim_fluid_ring *ring);
/* Counts for all members what their leaders have carried. */
void asim_fluid_ring_count(struct asim_fluid *fluid, struct asim_fluid_ring *ring);
/* Frees what is over and has nothing under way, unless the ring is folded; the last one with the
 * ring. */
void asim_fluid_relay_forget(struct asim_fluid *fluid, struct asim_fluid_relay *relay);
/* No more is folded: each link and member has the state of the one that was carried for it, but for
 * its flows and events. */
void asim_fluid_ring_end(struct asim_fluid *fluid, struct asim_fluid_ring *ring);
/* The same with its flows and events: someone else comes to a link of the ring. */
void asim_fluid_unfold(struct asim_fluid *fluid, struct asim_fluid_ring *ring);
/* Unfolds the rings whose flows a congestion control is to steer, since its marks are drawn. */
void asim_fluid_unfold_steered(struct asim_fluid *fluid);

#endif
