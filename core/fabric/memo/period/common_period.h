/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods (steady_state.h) of a network in several processes. Each process compares its own part of
 * the network at the same times: between windows of the common grid (../grid.h), when the frames of
 * others have come. The processes vote with the buffers of each window:
 *
 *     kept           same?       votes known             skip
 *     |-- window --| ... |-- window --| ...           |
 *     |------ a period --|------ a period ------------|
 *
 * The whole network is in the kept state if every process is. Each knows of that one window later,
 * when the state is another one, with frames in other processes. So they skip a period later. All
 * see the same votes and take the same decisions; a process without a vote was not quiet, or has no
 * memo.
 *
 * A vote makes a buffer, and windows without buffers can be left out. So a process votes after some
 * quiet windows, while its own messages are under way, or to answer one that does.
 *
 * Telemetry of packets (INT, timestamps) has no periods here: its records belong to several
 * processes.
 */
#ifndef ASIM_FABRIC_MEMO_PERIOD_COMMON_PERIOD_H
#define ASIM_FABRIC_MEMO_PERIOD_COMMON_PERIOD_H

#include <stdint.h>

struct asim_fabric;

struct asim_common_period {
    int is_on;
    /* Windows in a row in which all processes were quiet; the number of them at which they keep
     * their states next. ASIM_NEVER: not before ranks act. */
    uint64_t quiet, keep_at;
    uint64_t look_at;      /* of the livelock: looks end the search */
    uint64_t steps;        /* windows of this process, at the last end of a common one */
    int was_quiet;         /* in the present window, so far */
    uint64_t own_quiet;    /* windows in a row in which this process was quiet */
    uint32_t busy_windows; /* so many more to vote in, though this process does nothing */
    uint64_t behind;       /* ticks; of one half, when the states were kept */
    /* Ticks; of the last comparison. Once all agree, so many of them are skipped at skip_at;
     * ASIM_NEVER: they do not. */
    uint64_t period, periods, skip_at;
};

/* This process has advanced to the end of a window: makes its vote. */
void asim_common_period_vote(struct asim_fabric *fabric);
/* All buffers of the window that ended at `end`, ticks, are unpacked. Returns the ticks that the
 * network has skipped, equal in all processes. */
uint64_t asim_common_period_skip(struct asim_fabric *fabric, uint64_t end);

#endif
