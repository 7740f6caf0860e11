/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The C ABI of the simulator. A world is one simulation: it owns everything it reads, and two
 * worlds in one process do not know of each other. The library never prints and never exits: text
 * comes through struct asim_hooks, failures through struct asim_err.
 *
 *     asim_world_open → asim_reports_open → (asim_world_run, or: _start, step the network yourself,
 *     _finish) → _close
 */
#ifndef ASIM_ASIM_H
#define ASIM_ASIM_H

#include <stdint.h>
#include "asim/buffer.h"
#include "asim/err.h"
#include "asim/ext/option.h"

#ifdef __cplusplus
extern "C" {
#endif

struct asim_world;
struct asim_fabric;
struct asim_netshape;

/* What to simulate; strings are borrowed during asim_world_open only. Filled from
 * asim_settings_options by a command line, or by hand over asim_option_defaults of
 * that table. */
struct asim_settings {
    char *workload; /* prefix P of the traces P.<rank>.et; required */
    char *system, *network, *topology, *logical, *memory, *groups;
    char *out;     /* folder for reports, NULL = none */
    char *pcap;    /* capture of RoCEv2 frames, NULL = none */
    char *reports; /* which further reports it gets: "flows,links", "all" */
    uint32_t queues_per_dim;
    double comm_scale, compute_scale, injection_scale;
    int rendezvous;
    uint64_t seed;
    uint32_t window_ops;   /* trace bodies cached per rank */
    int per_event;         /* W = 0: every frame at its own time */
    uint32_t threads;      /* that advance the packet network */
    int fast_forward;      /* replay recorded traffic, skip periods of a steady state */
    int strict_deps;       /* a missing control parent is an error, not a note */
    int quiet;             /* no result lines on stdout */
    int compare;           /* 1 = run the analytical networks too and compare */
    char *compare_network; /* YAML for that; NULL = as seen in the topology */
    char *logging;         /* accepted, no effect */
    char *logging_folder;  /* for log.log, with trace-enabled */
    /* Not an option: network keys set over the file's, as key, value, key, value, …, NULL. */
    const char *const *net_overrides;
    /* Not options either, but a command's choice: NULL = packet level, else the analytical network
     * of that name ("unaware", "aware"). Then `network` is its YAML, unless shape is given. */
    char *mode;
    const struct asim_netshape *shape;
    /* This process of so many that share the run (see below); less than two: it is alone. */
    uint32_t process, processes;
    /* The same in all of them. Not 0: a network of one switch is left to process 0 as a whole
     * (asim_world_is_whole), which has so many times its threads then, for the cores of those that
     * have nothing to do. 0: it is cut like any other, and every frame goes between processes. */
    uint32_t lent;
};
extern const struct asim_option asim_settings_options[];

struct asim_hooks {
    void *self;
    /* One result line, without newline, in order of simulated time. */
    void (*line)(void *self, const char *text);
    /* A sentence the user should see: a note or a warning. */
    void (*note)(void *self, const char *text);
    /* 1 = stop at the next safe point (Ctrl-C). May be NULL. */
    int (*stop)(void *self);
};

struct asim_progress {
    uint64_t time_ns, ops_done, ops_total, messages, hops;
    uint32_t ranks_done, ranks;
};

/* Reads every input and checks it; nothing has happened in simulated time afterwards. */
int asim_world_open(struct asim_world **world, const struct asim_settings *settings,
                    const struct asim_hooks *hooks, struct asim_err *err);
/* Opens the reports the settings ask for, and files the network settings name; without it there are
 * none. out: settings->out, a folder or NULL. Before the start. */
int asim_reports_open(struct asim_world *world, const char *out, struct asim_err *err);
/* start + run + finish for callers without a clock of their own. */
int asim_world_run(struct asim_world *world, struct asim_err *err);

/* Time 0: every rank issues what it can. */
int asim_world_start(struct asim_world *world, struct asim_err *err);
/* Runs the network until nothing is left to do or the run should end. */
int asim_world_go(struct asim_world *world, struct asim_err *err);
/* The packet network to step (NULL where there is none), for a driver that owns the clock (ns-3).
 */
struct asim_fabric *asim_world_fabric(struct asim_world *world);
/* 1 when the run should end: all ranks finished, failure, or the stop hook says so. */
int asim_world_done(struct asim_world *world);
/* The end: writes the reports and says how it went: 0, ASIM_ESTALL with the list of who waits for
 * what, ASIM_EINTR after a stop, or the failure that ended the run. code is what stepping gave. */
int asim_world_finish(struct asim_world *world, int code, struct asim_err *err);

/* One run in several processes, each with the ranks and nodes of its part of the network. All open
 * the world with the same settings but `process`, and start it. Then, over common windows, each
 * advances its network, packs a buffer for every other one and unpacks theirs. At the end each but
 * process 0 packs what it has, process 0 unpacks that and finishes: its code is the run's verdict,
 * with which all others call asim_world_finish, too; it is what they return, unless they could not
 * write what they write of their own ranks. Buffers are valid until the next is packed. */
int asim_world_pack(struct asim_world *world, uint32_t peer, struct asim_buffer *buffer,
                    struct asim_err *err);
int asim_world_unpack(struct asim_world *world, const struct asim_buffer *buffer,
                      struct asim_err *err);
/* 1 where settings->lent has left the network whole: process 0 starts, steps and finishes like one
 * that is alone. The others have nothing to start, step or exchange; at the end they call
 * asim_world_finish as above. */
int asim_world_is_whole(const struct asim_world *world);
/* 1 where a rank failed or the stop hook says so: the run should end everywhere. */
int asim_world_is_stopped(struct asim_world *world);
/* 1 when nothing is left to do in this process; when that holds in all, the run is over. */
int asim_world_is_over(struct asim_world *world);
/* run: what running gave in this process, code 0 where all went well. */
int asim_world_pack_end(struct asim_world *world, const struct asim_err *run,
                        struct asim_buffer *buffer, struct asim_err *err);
int asim_world_unpack_end(struct asim_world *world, const struct asim_buffer *buffer,
                          struct asim_err *err);

void asim_world_progress(const struct asim_world *world, struct asim_progress *progress);
/* Finish time of a rank, UINT64_MAX if it has not finished or there is none. */
uint64_t asim_world_cycles(const struct asim_world *world, uint32_t rank);
uint32_t asim_world_ranks(const struct asim_world *world);
void asim_world_close(struct asim_world *world);

#ifdef __cplusplus
}
#endif
#endif
