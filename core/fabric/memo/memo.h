/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs: what has been simulated frame by frame once is not simulated again (--runs=off does). Two
 * kinds, both exact to the tick and the byte. Between one rest of the network and the next, a known
 * episode is played: its cues are told at their times while the ranks do what they did, and the
 * counters take what it added (episode.h). Inside a long message a network that has come back to
 * the state of some time ago, but for the time and the bytes sent, is moved on by as many such
 * periods as all its messages allow (steady_state.c).
 *
 * Who looks at the fabric from outside sees nothing of this but the clock making long steps: times,
 * counters, reports and the order of callbacks are those of frame by frame.
 *
 * Where a rank does something else than last time, the episode is simulated after all, from its
 * begin to that window, with nobody listening; then all goes on frame by frame.
 */
#ifndef ASIM_FABRIC_MEMO_MEMO_H
#define ASIM_FABRIC_MEMO_MEMO_H

#include "base/map.h"
#include "fabric/memo/episode.h"
#include "fabric/node.h"
#include "fabric/memo/steady_state.h"

struct asim_flow;

/* Changes between windows only. Recording goes on where an episode is longer than anybody would
 * want to keep, or has never begun like this before: then there is no `recording`, and the mode
 * only says that frames are under way. */
enum asim_runs_mode {
    ASIM_RUNS_REST,   /* nothing is under way; sends are held back until the window's end */
    ASIM_RUNS_RECORD, /* frame by frame, into `recording` unless that is NULL */
    ASIM_RUNS_PLAY    /* `playing`; no frame exists */
};

/* A message given to the network, with what an episode compares, and its source port. */
struct asim_given {
    struct asim_run_send feed; /* t: absolute while at rest, else since the episode began */
    struct asim_msg msg;
};

/* A path that no source port changes. Routes stay as they are while there are runs. */
struct asim_fixed_way {
    uint64_t path;
    uint32_t dst;
    int is_known;
};
enum { ASIM_FIXED_WAYS = 4 };

struct asim_runs_host {
    struct asim_fixed_way fixed[ASIM_FIXED_WAYS]; /* by the low bits of dst */
    ASIM_VEC(struct asim_given) held;             /* sends that wait for the next episode */
    ASIM_VEC(struct asim_given) given; /* playing: the sends so far, in the order of `feeds` */
    size_t cue;                        /* playing: the next of `cues` */
    ASIM_VEC(struct asim_given) extra; /* playing: sends beyond those expected */
    uint32_t begun;                    /* messages of this recording, modulo 2^32 */
    uint64_t passed;                   /* 1 + the last window in which a send was not held back */
};

/* Memory for episodes, and packet-hops that may be simulated for nothing. */
enum { ASIM_EPISODES_BYTES = 256 << 20, ASIM_RUNS_WASTE = 1 << 20 };
enum { ASIM_RUNS_HOPE = 64 }; /* windows */

struct asim_runs {
    enum asim_runs_mode mode;
    /* In the windows to come nobody writes down or holds back anything, until a rest or a period is
     * looked for: then neither windows nor messages cost more than without runs. */
    int is_idle;
    uint64_t ask_from;           /* sends before that time begin as without runs */
    struct asim_runs_host *host; /* [hosts] */
    int one_way;                 /* no two nodes are joined by more than one path */
    int may_rest;                /* at the end of this window */
    uint64_t hold_from;          /* sends from then on are held back; ASIM_NEVER: none */
    uint64_t last_notice;        /* latest time at which a message is known to be through */
    uint64_t until;              /* end of the last window */
    struct asim_episode *recording, *playing;
    atomic_int differs;         /* a send was not the one expected: hosts of all threads say so */
    struct asim_episode *spare; /* a recording that was not kept */
    uint64_t begin;             /* of what is played, ticks */
    struct asim_episode *kept;  /* a list, the one used last first */
    struct asim_map seen;       /* (hash of the first sends, residue) -> how often they came */
    struct asim_residue *residues;
    size_t n_residues;
    uint64_t residue; /* of the rest that was last; 0: unknown */
    struct asim_recur recur;
    struct asim_budget rests; /* for looking whether the network is at rest, and what then begins */
    /* Up to that window the sides of the network go together (half_steps.h): alone they take four times
     * as many to come to a state once more. Where nothing comes again that would be a loss. */
    uint64_t together;
    /* Packet-hops saved by playing, and simulated for nothing. */
    uint64_t saved, wasted;
};

void asim_runs_close(struct asim_fabric *fabric);
/* From now on all is frame by frame; between windows. */
void asim_runs_stop(struct asim_fabric *fabric);

/* --- from a host, in its own time ------------------------------------------------------------ */
/* The rank sends, at `ask_from` or later. 0 or ASIM_ENOMEM. */
int asim_runs_send(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg);
/* The rank is told, frame by frame, that a message is through, or has come: to be called while
 * there is a recording. */
void asim_runs_sent(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_flow *flow);
void asim_runs_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                       uint32_t slot);
/* The next cue of this host is due. */
void asim_runs_cue(struct asim_fabric *fabric, struct asim_host *host);

/* --- from the clock, between windows --------------------------------------------------------- */
/* A window from the next event, at t, to `until` is about to begin. Returns 1 if another event has
 * come up that may be earlier: then to be asked again. */
int asim_runs_before_slow(struct asim_fabric *fabric, uint64_t t, uint64_t until);
/* Whether they do nothing in the next window but looking for a period: no rest is near while it is
 * unknown when some message will be through. */
static inline int asim_runs_is_idle(const struct asim_fabric *fabric)
{
    uint64_t unknown = 0;

    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        unknown += fabric->lane[l].open - fabric->lane[l].waiting;
    return fabric->runs->is_idle && unknown;
}
/* Whether they can do without seeing all nodes at one time, and nothing has come again of late. */
static inline int asim_runs_leaves_sides(const struct asim_fabric *fabric)
{
    return fabric->windows >= fabric->runs->together && asim_runs_is_idle(fabric);
}
/* Something has. */
static inline void asim_runs_found(struct asim_fabric *fabric)
{
    fabric->runs->together = fabric->windows + ASIM_RUNS_HOPE;
}
/* That look. 1 as above. */
static inline int asim_runs_look(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_recur *recur = &fabric->runs->recur;

    return fabric->windows >= recur->look_at && asim_recur_look(fabric, recur, t);
}
static inline int asim_runs_before(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    return asim_runs_is_idle(fabric) ? asim_runs_look(fabric, t)
                                     : asim_runs_before_slow(fabric, t, until);
}
/* It is over, and its notices are delivered. Failures are latched in the fabric. */
void asim_runs_after_slow(struct asim_fabric *fabric, uint64_t until);
static inline void asim_runs_after(struct asim_fabric *fabric, uint64_t until)
{
    if (!fabric->runs->is_idle)
        asim_runs_after_slow(fabric, until);
}

/* --- lookup.c -------------------------------------------------------------------------------- */
/* Time of the first held send, and the hash of all of that time. Fills in some paths. */
uint64_t asim_recall_first(struct asim_fabric *fabric, uint64_t *hash);
/* Whether something has begun like this before; from now on it has. */
int asim_recall_begin(struct asim_runs *runs, uint64_t hash);
/* The episode that has the sends so far, held or, while playing, given, and no others before
 * `until`, which is since its begin; offset: of the times of the sends. NULL if there is none. */
struct asim_episode *asim_recall(struct asim_fabric *fabric, uint64_t hash,
                                 const uint64_t offset_until[2]);

/* --- between memo.c and replay.c ------------------------------------------------------------- */
/* Starts a message frame by frame. 0 or ASIM_ENOMEM. */
int asim_runs_start(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_given *given);
/* The network is at rest; goes on with what is held, if anything. */
void asim_runs_rest(struct asim_fabric *fabric, uint64_t until);
/* The held sends begin an episode: a known one is played, or a new one recorded. */
void asim_runs_begin(struct asim_fabric *fabric, uint64_t until);
/* Playing has come to `until`: checks, ends, or simulates after all. */
void asim_runs_played(struct asim_fabric *fabric, uint64_t until);
/* Time of the first send that should have come before t and has not; t if there is none. */
uint64_t asim_runs_missed(const struct asim_fabric *fabric, uint64_t t);
/* Starts the held sends of all hosts as usual. */
void asim_runs_release(struct asim_fabric *fabric);

#endif
