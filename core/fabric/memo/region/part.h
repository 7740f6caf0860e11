/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts and logs. An episode of a part is its traffic from one idle state to the next. An idle part
 * has no frame and no open message, so its future depends on the messages that ranks inject, on
 * their times, and on what it remembers (state/part_state.h). A log is an
 * episode, written down: its injections, with times since its start, the completions they led to,
 * the delta of every counter, and the state that it needs and leaves. The same injections from that
 * state lead to the same completions, to the tick.
 *
 * Other simulators memoise packet traffic approximately (Wormhole, 2026, and others). This memo is
 * exact, because it compares for equality only.
 *
 * The largest part is the whole network. Its messages may take several paths, so its logs compare
 * these, too. It is recorded when an episode begins for the second time.
 *
 * A smaller part: a switch that only hosts are joined to, with these hosts, as the GPUs of a server
 * and their NVSwitch; or a leaf switch with its hosts, while no message uses its uplinks. A message
 * between two hosts of a part uses the links of that switch only, and no other message uses them.
 * So the part can be recorded and replayed by itself, whatever its hosts do on their other NICs.
 * Two completions of a host, one of its part and another, would depend on each other only if they
 * had equal times and tie keys (tie_key.h): then the last use of their ports decides which is
 * first. Hosts whose other links allow that are in no such part.
 *
 * Parts of equal structure are of one class: same order of ports, rates, delays, thresholds. A log
 * numbers hosts inside the part, and all parts of a class use it. One part leads: it is simulated
 * frame by frame and writes the log. Others that begin alike follow: they replay the log, even
 * while it is still being written. If all hosts of a part are alike, host h may also do what row h
 * + r (modulo their number) of the log says: a ring of eight GPUs that host 3 began late is the
 * ring that host 5 began late, rotated.
 *
 * Leaf switches have uplinks. A message between a host of the part and one elsewhere crosses its
 * border, and the part is open while one does. So it is replayed only while its uplinks rest, and
 * then nothing joins it to the rest of the network.
 *
 *     A  ====|------|=======|====    - between its own hosts: recorded, replayed
 *     B  =====|---|=========|-===    = while a message from A to B is under way: frame by frame
 *
 * A rank of another part may send across the border at any time. The part hears of it at the end of
 * that window, before a frame can reach it, and if it follows it is simulated up to there.
 *
 * What is left behind by such a message could come later: a packet sent twice, or its ACK. So
 * a message that lost something leaves both of its parts open for good.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_H
#define ASIM_FABRIC_MEMO_REGION_PART_H

#include <stdatomic.h>
#include <stdint.h>
#include "asim/msg.h"
#include "base/map.h"
#include "base/mem.h"
#include "fabric/link/notification.h"
#include "fabric/memo/region/search_budget.h"
#include "fabric/link/tie_key.h"

struct asim_flow;
struct asim_host;
struct asim_part_log;

/* A message as a rank gives it to the network. Two equal injections take the same course in the
 * same network, whatever data they carry. */
struct asim_injection {
    uint64_t t, tie; /* ticks since the episode began; tie key of its start (tie_key.h) */
    uint64_t bytes;
    uint64_t path;  /* in a log: asim_injection_path */
    uint64_t ideal; /* in a log: for fct.txt, ns; known when its completions are */
    uint32_t dst;   /* in a log: number in the part */
    uint32_t sport; /* not compared; the path depends on it */
};

/* Number of the path of an injection of host src. Only equal paths have the same number.
 * UINT64_MAX: the path has none. Takes as long as three packet-hops. */
uint64_t asim_injection_path(struct asim_fabric *fabric, uint32_t src,
                             const struct asim_injection *injection);

/* Adds a word to a hash; every bit of the word counts. */
static inline uint64_t asim_mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* A message that a rank gave to the network. */
struct asim_memo_message {
    /* t: absolute while the network or its part is idle, else since the start of the episode. */
    struct asim_injection injection;
    struct asim_msg msg;
};

/* Changes between windows only. */
enum asim_part_mode {
    ASIM_PART_OPEN, /* frame by frame, nothing is recorded */
    ASIM_PART_IDLE, /* no frame and no open message: sends are deferred to the end of the window */
    ASIM_PART_LEAD, /* frame by frame; writes `log` */
    ASIM_PART_FOLLOW, /* replays `log`; no frame exists */
    ASIM_PART_MODES
};

struct asim_part {
    int is_whole; /* the whole network: it has no switch, ports, uplinks and class */
    uint32_t sw, n_hosts, part_class;
    uint32_t *host;                      /* nodes, ascending */
    uint32_t *port;                      /* of the switch, 0-based, to each host */
    uint8_t *nic;                        /* of each host, to the switch */
    int has_uplinks;                     /* of the switch, to other switches */
    struct asim_worker_parts *of_worker; /* of its worker */
    uint32_t domain;                     /* its number in its worker (part_domains.c) */
    int is_regular;                      /* all hosts and their links are alike */
    enum asim_part_mode mode;
    struct asim_part_log *log;
    /* It is looked at after the first window that ends behind this time. 0: after every window. */
    _Atomic uint64_t look_at;
    /* If it follows: its host h has row h + rotation, modulo n_hosts, of the log. 0 if it leads. */
    uint32_t rotation;
    uint32_t n_first;    /* if it follows: first frames of the log that were compared */
    atomic_int has_more; /* if it follows: a host has sent more than its row has room for */
    uint64_t begin;      /* of the episode, if it leads or follows */
    /* If it leads, and of the whole network also if it is open: ASIM_NEVER or the time from which
     * sends are deferred. */
    uint64_t defer_from;
    uint64_t last_completion; /* of those that are known, the latest time */
    /* Messages inside the part that are carried frame by frame; if it leads, completions of such
     * messages that a destination has yet to hear of. The worker of the part changes both. */
    uint32_t open, known;
    /* With uplinks: messages under way that have one end inside; whether one has lost a frame;
     * whether one that is deferred or accepted will be such a one. */
    atomic_uint crossing, has_lost;
    int leaves;
    uint64_t unreplayable; /* events that no replay can repeat, at the start */
    uint64_t skipped;      /* if it leads: packet-hops in skipped periods, at the start */
    struct asim_first_arrivals first; /* if it leads: at its switch */
};

/* The row of its log that a host of the part has, and back. */
static inline uint32_t asim_part_row(const struct asim_part *part, uint32_t host)
{
    uint32_t row = host + part->rotation;

    return row < part->n_hosts ? row : row - part->n_hosts;
}

static inline uint32_t asim_part_host(const struct asim_part *part, uint32_t row)
{
    return row >= part->rotation ? row - part->rotation : row + part->n_hosts - part->rotation;
}

/* What the parts of one worker share. In windows of domains a thread touches its own only. */
struct asim_worker_parts {
    ASIM_VEC(struct asim_part_log *) logs;
    size_t bytes;           /* of finished logs */
    struct asim_map newest; /* hash, first times -> a log (part_logs.c) */
    uint64_t n_searches;    /* so far */
    uint64_t inner;         /* windows of domains so far */
    struct asim_search_budget budget;
    uint32_t n[ASIM_PART_MODES]; /* parts by mode */
    /* Since the last asim_parts_gather, which adds them to the counts of the memo (use.h).
     * recorded: packet-hops of finished logs. */
    uint64_t saved, wasted, recorded, episodes, replays, rotated, deviations;
    int skips_in_logs;
};

#define ASIM_NO_PART UINT32_MAX
/* Search cost of a log beside its messages, words a host of the part. */
enum { ASIM_PART_LOG_WORDS = 400 };

struct asim_parts {
    struct asim_part *at;
    uint32_t n_parts, n_classes;
    uint32_t *part_of;                   /* [hosts] ASIM_NO_PART: none */
    uint32_t *number;                    /* [hosts] inside the part */
    atomic_uint touched;                 /* some look_at was set to 0 by a host */
    atomic_uint is_crossed;              /* a message has begun to cross a part that is not open */
    uint64_t due_at;                     /* the least look_at of the parts that follow */
    uint32_t *due;                       /* [n] scratch */
    struct asim_worker_parts *of_worker; /* [n_workers] of each worker */
    uint32_t n_workers;
    /* In this window, from `from` to `until`, parts go on in the windows of their domains. */
    int in_domains;
    uint64_t from, until;
    int suspended; /* the whole network is recorded, replayed, or deferred */
};

/* The part needs a look after this window. Any thread. */
void asim_part_touch(struct asim_fabric *fabric, struct asim_part *part);

void asim_part_set_mode(struct asim_fabric *fabric, struct asim_part *part,
                        enum asim_part_mode mode);
static inline uint32_t asim_parts_in(const struct asim_parts *parts, enum asim_part_mode mode)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < parts->n_workers; i++)
        n += parts->of_worker[i].n[mode];
    return n;
}

static inline uint64_t asim_part_look_at(const struct asim_part *part)
{
    return atomic_load_explicit(&part->look_at, memory_order_relaxed);
}
static inline void asim_part_look_later(struct asim_part *part, uint64_t t)
{
    atomic_store_explicit(&part->look_at, t, memory_order_relaxed);
}

/* Adds the counts of all workers to those of the memo. Between windows. */
void asim_parts_gather(struct asim_fabric *fabric);

/* Fills parts->at, part_of and number, which have room for all switches and hosts. 0 or
 * ASIM_ENOMEM. */
int asim_part_find_all(struct asim_fabric *fabric, struct asim_parts *parts);
/* The whole network, idle. 0 or ASIM_ENOMEM; the caller closes it in both cases. */
int asim_part_open_whole(struct asim_fabric *fabric);
/* Finds the smaller parts of the network; fabric->memo->parts stays NULL if there are fewer than
 * two. 0 or ASIM_ENOMEM. */
int asim_parts_open(struct asim_fabric *fabric);
/* Of the whole network, too. */
void asim_parts_close(struct asim_fabric *fabric);

/* A message is about to be carried frame by frame: on the worker of src, or between windows. It is
 * complete at its source, on the worker of that; at its destination, on the worker of that. */
void asim_part_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst);
void asim_part_sent(struct asim_fabric *fabric, const struct asim_host *host,
                    const struct asim_flow *flow);
void asim_part_arrived(struct asim_fabric *fabric, uint32_t src, uint32_t dst);

/* A message has lost a frame. What it leaves behind could come later, so its parts with uplinks
 * stay open. */
void asim_part_lost(struct asim_fabric *fabric, uint32_t src, uint32_t dst);

/* Whether a message crosses the border of the part, has lost a frame, or is about to start. On the
 * worker of the part, or between windows. */
static inline int asim_part_is_crossed(const struct asim_part *part)
{
    return part->leaves || atomic_load_explicit(&part->crossing, memory_order_relaxed) ||
           atomic_load_explicit(&part->has_lost, memory_order_relaxed);
}

#endif
