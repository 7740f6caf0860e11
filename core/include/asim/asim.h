/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A world is one simulation. It owns everything it reads, and two worlds in one process share
 * nothing. The library never prints and never exits: result lines and notes come through struct
 * asim_hooks, failures through struct asim_err.
 *
 *     asim_settings_init, _set → asim_world_open → asim_reports_open
 *     → asim_world_run; or asim_world_start, a loop of your own (asim/packet.h), asim_world_finish
 *     → asim_world_close
 *
 * Threads: calls about one world must not overlap. Worlds of different threads do not disturb each
 * other. With settings->threads > 1 the library makes threads of its own; they end with the world.
 * They may call the note hook, one at a time. Every other hook is called inside a call of yours,
 * by the thread that made it.
 *
 * Errors: a function that returns int returns 0 or a negative enum asim_code and fills *err, which
 * may be NULL. Times are ns of simulated time since the start of the run ("cycles").
 */
#ifndef ASIM_ASIM_H
#define ASIM_ASIM_H

#include <stddef.h>
#include <stdint.h>
#include "asim/buffer.h"
#include "asim/err.h"
#include "asim/export.h"
#include "asim/settings.h"
#include "asim/version.h"

ASIM_C_BEGIN

struct asim_world;

/* Reads and checks every input. Simulated time has not begun afterwards. hooks is copied and may be
 * NULL. *world is the caller's to close, NULL on failure. */
ASIM_API int asim_world_open(struct asim_world **world, const struct asim_settings *settings,
                             const struct asim_hooks *hooks, struct asim_err *err);
/* Opens the reports of the settings, and the files that the network configuration names. Without
 * this call there are none, and no result lines. out: settings->out, a folder or NULL. Call it
 * before the start. */
ASIM_API int asim_reports_open(struct asim_world *world, const char *out, struct asim_err *err);
/* Writes the identity of the run: the digits of a digest of all that decides its results, which are
 * the version and commit of asim, the options as understood, and the bytes of every file that it
 * reads, whatever their names. Threads, processes and the choice of reports do not change it. The
 * first call reads the files again. */
enum { ASIM_IDENTITY_BYTES = 33 };
ASIM_API int asim_world_identity(struct asim_world *world, char text[ASIM_IDENTITY_BYTES],
                                 struct asim_err *err);
/* Makes options of the caller count to the identity, too, with the bytes of the files that they
 * name, which no report replaces then. table ends with a row without a key; values: what its
 * offsets are in. Call it before asim_reports_open. */
ASIM_API int asim_world_identify(struct asim_world *world, const struct asim_option *table,
                                 const void *values, struct asim_err *err);
/* The reports that `reports` of the settings can name: a line "  NAME  text" each. Returns the
 * bytes needed without the NUL, like snprintf. */
ASIM_API size_t asim_reports_list(char *buf, size_t size);
/* asim_world_start, _go and _finish in one. */
ASIM_API int asim_world_run(struct asim_world *world, struct asim_err *err);

/* Time 0: every rank issues the operations that wait for nothing. */
ASIM_API int asim_world_start(struct asim_world *world, struct asim_err *err);
/* Runs the network until nothing is left to do or the run should end. */
ASIM_API int asim_world_go(struct asim_world *world, struct asim_err *err);
/* 1 when the run should end: all ranks have finished, one failed, or the stop hook says so. */
ASIM_API int asim_world_done(struct asim_world *world);
/* Ends the run, writes the reports and returns its verdict: 0; ASIM_ESTALL with the list of who
 * waits for what; ASIM_EINTR after a stop; or the failure that ended the run. code: what _start,
 * _go or stepping returned. */
ASIM_API int asim_world_finish(struct asim_world *world, int code, struct asim_err *err);
/* NULL is fine. A world that has not finished drops its reports. */
ASIM_API void asim_world_close(struct asim_world *world);

/* Ranks of the run, in all processes. */
ASIM_API uint32_t asim_world_ranks(const struct asim_world *world);
/* When a rank has finished, ns; UINT64_MAX if it has not, or there is no such rank. */
ASIM_API uint64_t asim_world_cycles(const struct asim_world *world, uint32_t rank);

/* The time from the start of the i-th job of a scenario to the finish of its last rank, ns;
 * UINT64_MAX if it has not finished, or there is no such job. Without a scenario job 0 is the run.
 */
ASIM_API uint64_t asim_world_job_ns(const struct asim_world *world, uint32_t i);

/* How far the run is, in this process. Linear in ranks and nodes: for a display, not for each step.
 */
struct asim_progress {
    uint64_t time_ns;             /* everything before has happened */
    uint64_t finish_ns;           /* of the last rank so far, 0 = none */
    uint64_t ops_done, ops_total; /* trace operations */
    uint64_t messages;            /* between ranks, completed */
    uint64_t hops;                /* packet-hops: frames put on a link */
    uint32_t ranks_done, ranks;
    /* Bytes of the sends and collectives that have ended, and the part done of collectives under
     * way; and of all, as the traces give them. */
    uint64_t bytes_done, bytes_total;
    /* Of `hops`: those that fast-forward has replayed or skipped; and of the others the most costly
     * reason: a phrase, constant. NULL, 0: an analytical network. */
    uint64_t hops_replayed, hops_skipped, hops_carried_most;
    const char *carried_most_why;
};
ASIM_API void asim_world_progress(const struct asim_world *world, struct asim_progress *progress);

/* One run in several processes. Each process simulates its part of the network and the ranks on it.
 * All open the world with the same settings except `process`, and start it. Then, window by window,
 * each process advances its network (asim/packet.h), packs a buffer for every other one and unpacks
 * theirs. At the end each process but 0 packs its results; process 0 unpacks them and finishes. The
 * code of process 0 is the verdict of the run: the others pass it to asim_world_finish, which
 * returns it, or their own failure to write their files. A buffer is valid until the next pack. */
ASIM_API int asim_world_pack(struct asim_world *world, uint32_t peer, struct asim_buffer *buffer,
                             struct asim_err *err);
ASIM_API int asim_world_unpack(struct asim_world *world, const struct asim_buffer *buffer,
                               struct asim_err *err);
/* 1 where settings->borrowed_cores has left the network whole: process 0 starts, steps and finishes
 * as if it were alone. The others start, step and exchange nothing; at the end they call
 * asim_world_finish as above. */
ASIM_API int asim_world_is_unpartitioned(const struct asim_world *world);
/* 1 where a rank failed or the stop hook says so: the run should end in all processes. */
ASIM_API int asim_world_is_stopped(struct asim_world *world);
/* 1 when nothing is left to do in this process. When that holds in all, the run is over. */
ASIM_API int asim_world_is_over(struct asim_world *world);
/* run: what running returned in this process, code 0 where all went well. */
ASIM_API int asim_world_pack_end(struct asim_world *world, const struct asim_err *run,
                                 struct asim_buffer *buffer, struct asim_err *err);
ASIM_API int asim_world_unpack_end(struct asim_world *world, const struct asim_buffer *buffer,
                                   struct asim_err *err);

ASIM_C_END
#endif
