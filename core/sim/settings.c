/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The options of a run: ASTRA-sim's published names, with short ones beside them.
 */
#include "asim/asim.h"

#define AT(field) offsetof(struct asim_settings, field)

const struct asim_option asim_settings_options[] = {
    {.key = "workload", .alias = "workload-configuration", .type = ASIM_T_STRING,
     .offset = AT(workload), .help = "prefix P of the Chakra traces P.<rank>.et (required)"},
    {.key = "system", .alias = "system-configuration", .type = ASIM_T_STRING, .offset = AT(system),
     .help = "system JSON; without it: ring everywhere, 4 chunks, as configs/system/ring.json"},
    {.key = "network", .alias = "network-configuration", .type = ASIM_T_STRING,
     .offset = AT(network),
     .help = "config.txt of the RDMA network; without it: the published ASTRA-sim values"},
    {.key = "topology", .type = ASIM_T_STRING, .offset = AT(topology),
     .help = "topology file, before the one the network configuration names; auto:NAME,key=value "
             "makes one; without either: one switch"},
    {.key = "logical", .alias = "logical-topology-configuration", .type = ASIM_T_STRING,
     .offset = AT(logical), .help = "logical topology JSON; without it: one dimension of all ranks"},
    {.key = "memory", .alias = "remote-memory-configuration", .type = ASIM_T_STRING,
     .offset = AT(memory), .help = "remote memory JSON; without it: no remote memory"},
    {.key = "groups", .alias = "comm-group-configuration", .type = ASIM_T_STRING,
     .offset = AT(groups), .help = "communicator groups JSON; 'empty' or none: all ranks only"},
    {.key = "out", .type = ASIM_T_STRING, .offset = AT(out),
     .help = "folder for summary.json and ranks.csv"},
    {.key = "num-queues-per-dim", .type = ASIM_T_U32, .offset = AT(queues_per_dim), .def = "1",
     .min = 1, .max = 4096, .help = "queues of every logical dimension"},
    {.key = "comm-scale", .type = ASIM_T_DOUBLE, .offset = AT(comm_scale), .def = "1",
     .min = 0, .max = 1e12, .flags = ASIM_F_NOOP,
     .help = "accepted for old scripts; no effect, as in ASTRA-sim"},
    {.key = "compute-scale", .type = ASIM_T_DOUBLE, .offset = AT(compute_scale), .def = "1",
     .min = 0, .max = 1e12, .flags = ASIM_F_NOOP,
     .help = "accepted for old scripts; no effect, as in ASTRA-sim"},
    {.key = "injection-scale", .type = ASIM_T_DOUBLE, .offset = AT(injection_scale), .def = "1",
     .min = 0, .max = 1e12, .help = "multiplies the system configuration's endpoint-delay"},
    {.key = "rendezvous-protocol", .type = ASIM_T_BOOL, .offset = AT(rendezvous), .def = "false",
     .flags = ASIM_F_TODO, .help = "receivers ask before senders send"},
    {.key = "seed", .type = ASIM_T_U64, .offset = AT(seed), .def = "1",
     .help = "of the random draws (ECN marks between the thresholds)"},
    {.key = "trace-window", .type = ASIM_T_U32, .offset = AT(window_ops), .def = "1024",
     .min = 1, .max = 1e8, .help = "trace ops a rank keeps in memory; never changes a result"},
    {.key = "per-event", .type = ASIM_T_BOOL, .offset = AT(per_event), .def = "false",
     .help = "advance every frame at its own time instead of in windows; same results, slower"},
    {.key = "strict-dependencies", .type = ASIM_T_BOOL, .offset = AT(strict_deps), .def = "false",
     .help = "a control dependency on a node that is not in the trace is an error, not a note"},
    {.key = "quiet", .type = ASIM_T_BOOL, .offset = AT(quiet), .def = "false",
     .help = "no result lines on stdout (reports of --out are written all the same)"},
    {.key = "logging-configuration", .type = ASIM_T_STRING, .offset = AT(logging),
     .flags = ASIM_F_NOOP, .help = "accepted for old scripts; no effect"},
    {.key = "logging-folder", .type = ASIM_T_STRING, .offset = AT(logging_folder),
     .flags = ASIM_F_NOOP, .help = "accepted for old scripts; no effect"},
    {.key = NULL},
};
