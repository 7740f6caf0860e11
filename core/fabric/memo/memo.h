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
enum asim_memo_mode {
    ASIM_MEMO_IDLE,   /* nothing is under way; sends are held back until the window's end */
    ASIM_MEMO_RECORD, /* frame by frame, into `recording` unless that is NULL */
    ASIM_MEMO_REPLAY  /* `playing`; no frame exists */
};

/* A message given to the network, with what an episode compares, and its source port. */
struct asim_memo_message {
    struct asim_injection injection; /* t: absolute while at rest, else since the episode began */
    struct asim_msg msg;
};

/* A path that no source port changes. Routes stay as they are while there are runs. */
struct asim_fixed_path {
    uint64_t path;
    uint32_t dst;
    int is_known;
};
enum { ASIM_FIXED_PATHS = 4 };

struct asim_memo_host {
    struct asim_fixed_path fixed[ASIM_FIXED_PATHS]; /* by the low bits of dst */
    ASIM_VEC(struct asim_memo_message) deferred;    /* sends that wait for the next episode */
    ASIM_VEC(struct asim_memo_message)
    accepted;               /* playing: the sends so far, in the order of `feeds` */
    size_t next_completion; /* playing: the next of `cues` */
    ASIM_VEC(struct asim_memo_message) surplus; /* playing: sends beyond those expected */
    uint32_t n_messages;                        /* messages of this recording, modulo 2^32 */
    uint64_t undeferred_in; /* 1 + the last window in which a send was not held back */
};

/* Memory for episodes, and packet-hops that may be simulated for nothing. */
enum { ASIM_EPISODES_BYTES = 256 << 20, ASIM_MEMO_WASTE = 1 << 20 };
enum { ASIM_RETRY_WINDOWS = 64 }; /* windows */

struct asim_memo {
    enum asim_memo_mode mode;
    /* In the windows to come nobody writes down or holds back anything, until a rest or a period is
     * looked for: then neither windows nor messages cost more than without runs. */
    int is_dormant;
    uint64_t intercept_from;     /* sends before that time begin as without runs */
    struct asim_memo_host *host; /* [hosts] */
    int is_tree;                 /* no two nodes are joined by more than one path */
    int may_be_idle;             /* at the end of this window */
    uint64_t defer_from;         /* sends from then on are held back; ASIM_NEVER: none */
    uint64_t last_completion;    /* latest time at which a message is known to be through */
    uint64_t window_end;         /* end of the last window */
    struct asim_episode *recording, *replaying;
    atomic_int mismatch;        /* a send was not the one expected: hosts of all threads say so */
    struct asim_episode *spare; /* a recording that was not kept */
    uint64_t replay_begin;      /* of what is played, ticks */
    struct asim_episode *episodes; /* a list, the one used last first */
    struct asim_map seen;          /* (hash of the first sends, residue) -> how often they came */
    struct asim_idle_state *idle_states;
    size_t n_idle_states;
    uint64_t idle_state; /* of the rest that was last; 0: unknown */
    struct asim_steady_state steady;
    struct asim_search_budget
        idle_budget; /* for looking whether the network is at rest, and what then begins */
    /* Up to that window the sides of the network go together (half_steps.h): alone they take four
     * times as many to come to a state once more. Where nothing comes again that would be a loss.
     */
    uint64_t lockstep_until;
    /* Packet-hops saved by playing, and simulated for nothing. */
    uint64_t saved, wasted;
};

void asim_memo_close(struct asim_fabric *fabric);
/* From now on all is frame by frame; between windows. */
void asim_memo_stop(struct asim_fabric *fabric);

/* --- from a host, in its own time ------------------------------------------------------------ */
/* The rank sends, at `intercept_from` or later. 0 or ASIM_ENOMEM. */
int asim_memo_inject(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_msg *msg);
/* The rank is told, frame by frame, that a message is through, or has come: to be called while
 * there is a recording. */
void asim_memo_sent(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_flow *flow);
void asim_memo_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                       uint32_t slot);
/* The next cue of this host is due. */
void asim_memo_complete(struct asim_fabric *fabric, struct asim_host *host);

/* --- from the clock, between windows --------------------------------------------------------- */
/* A window from the next event, at t, to `until` is about to begin. Returns 1 if another event has
 * come up that may be earlier: then to be asked again. */
int asim_memo_before_window_slow(struct asim_fabric *fabric, uint64_t t, uint64_t until);
/* Whether they do nothing in the next window but looking for a period: no rest is near while it is
 * unknown when some message will be through. */
static inline int asim_memo_is_dormant(const struct asim_fabric *fabric)
{
    uint64_t unknown = 0;

    for (uint32_t l = 0; l < fabric->workers.n; l++)
        unknown += fabric->workers.at[l].open - fabric->workers.at[l].waiting;
    return fabric->memo->is_dormant && unknown;
}
/* Whether they can do without seeing all nodes at one time, and nothing has come again of late. */
static inline int asim_memo_allows_half_steps(const struct asim_fabric *fabric)
{
    return fabric->run.windows >= fabric->memo->lockstep_until && asim_memo_is_dormant(fabric);
}
/* Something has. */
static inline void asim_memo_found_repeat(struct asim_fabric *fabric)
{
    fabric->memo->lockstep_until = fabric->run.windows + ASIM_RETRY_WINDOWS;
}
/* That look. 1 as above. */
static inline int asim_memo_detect(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_steady_state *steady = &fabric->memo->steady;

    return fabric->run.windows >= steady->look_at && asim_steady_state_detect(fabric, steady, t);
}
static inline int asim_memo_before_window(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    return asim_memo_is_dormant(fabric) ? asim_memo_detect(fabric, t)
                                        : asim_memo_before_window_slow(fabric, t, until);
}
/* It is over, and its notices are delivered. Failures are latched in the fabric. */
void asim_memo_after_window_slow(struct asim_fabric *fabric, uint64_t until);
static inline void asim_memo_after_window(struct asim_fabric *fabric, uint64_t until)
{
    if (!fabric->memo->is_dormant)
        asim_memo_after_window_slow(fabric, until);
}

/* --- lookup.c -------------------------------------------------------------------------------- */
/* Time of the first held send, and the hash of all of that time. Fills in some paths. */
uint64_t asim_lookup_first(struct asim_fabric *fabric, uint64_t *hash);
/* Whether something has begun like this before; from now on it has. */
int asim_lookup_seen(struct asim_memo *memo, uint64_t hash);
/* The episode that has the sends so far, held or, while playing, given, and no others before
 * `until`, which is since its begin; offset: of the times of the sends. NULL if there is none. */
struct asim_episode *asim_lookup_episode(struct asim_fabric *fabric, uint64_t hash,
                                         const uint64_t offset_until[2]);

/* --- between memo.c and replay.c ------------------------------------------------------------- */
/* Starts a message frame by frame. 0 or ASIM_ENOMEM. */
int asim_memo_start(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_memo_message *message);
/* The network is at rest; goes on with what is held, if anything. */
void asim_memo_idle(struct asim_fabric *fabric, uint64_t until);
/* The held sends begin an episode: a known one is played, or a new one recorded. */
void asim_memo_begin(struct asim_fabric *fabric, uint64_t until);
/* Playing has come to `until`: checks, ends, or simulates after all. */
void asim_memo_replayed(struct asim_fabric *fabric, uint64_t until);
/* Time of the first send that should have come before t and has not; t if there is none. */
uint64_t asim_memo_overdue(const struct asim_fabric *fabric, uint64_t t);
/* Starts the held sends of all hosts as usual. */
void asim_memo_release(struct asim_fabric *fabric);

#endif
