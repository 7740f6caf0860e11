/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The options of a run: the published names of ASTRA-sim, with short names beside them.
 *
 * One table serves the tool, AstraSimNetwork and --help. To add an option, add a field to struct
 * asim_settings (asim/asim.h) and a row here. The struct owns its strings; the table frees them.
 */
#include "asim/asim.h"

#include <string.h>

#define AT(field) offsetof(struct asim_settings, field)

const struct asim_option asim_settings_options[] = {
    /* Inputs. Only the first is required; the help names the default of each. */
    {.key = "workload",
     .alias = "workload-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(workload),
     .help = "prefix P of the Chakra traces P.<rank>.et (required, or scenario)"},
    {.key = "scenario",
     .type = ASIM_T_STRING,
     .offset = AT(scenario),
     .flags = ASIM_F_PACKETS,
     .help =
         "scenario JSON: several jobs on one network, in place of workload; asim scenario check "
         "FILE tells what is wrong with one"},
    {.key = "scenario-traces",
     .type = ASIM_T_STRING,
     .offset = AT(scenario_traces),
     .flags = ASIM_F_PACKETS,
     .help =
         "folder of the traces that asim scenario traces has made; without it they are made for "
         "the run, where a job of the scenario has a generator"},
    {.key = "alone",
     .type = ASIM_T_BOOL,
     .offset = AT(alone),
     .def = "false",
     .flags = ASIM_F_PACKETS,
     .help =
         "run each job of the scenario alone first, on the same hosts, and report its slowdown"},
    {.key = "system",
     .alias = "system-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(system),
     .help = "system JSON; without it: configs/system/ring.json, but algorithms as "
             "in NCCL"},
    {.key = "network",
     .alias = "network-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(network),
     .help = "config.txt of the RDMA network (analytical: the network YAML, required); without it: "
             "the published ASTRA-sim values"},
    {.key = "topology",
     .type = ASIM_T_STRING,
     .offset = AT(topology),
     .flags = ASIM_F_PACKETS,
     .help = "topology file, wins over the network configuration's; auto:NAME,key=value and "
             "machine:NAME,nodes=4 "
             "make one; without either: one switch"},
    {.key = "algorithm",
     .type = ASIM_T_STRING,
     .offset = AT(algorithm),
     .help = "algorithm of collectives, before the system configuration: ring, or "
             "all-reduce=halvingDoubling,all-to-all=direct"},
    {.key = "cc",
     .type = ASIM_T_STRING,
     .offset = AT(cc),
     .flags = ASIM_F_PACKETS,
     .help = "congestion control, before the network configuration: dcqcn, hpcc, timely, … none"},
    {.key = "mtu",
     .type = ASIM_T_U32,
     .offset = AT(mtu_bytes),
     .min = 0,
     .max = 65535,
     .flags = ASIM_F_BYTES | ASIM_F_PACKETS,
     .help =
         "payload of a data packet (path MTU of RoCE), before PACKET_PAYLOAD_SIZE; 0 = as there"},
    {.key = "qps-per-connection",
     .type = ASIM_T_STRING,
     .offset = AT(qps_per_connection),
     .flags = ASIM_F_PACKETS,
     .help =
         "queue pairs from a host to another, before QPS_PER_CONNECTION: messages of one go one "
         "after another over the same way, as in NCCL; 0 = one for each message, as in "
         "ASTRA-sim"},
    {.key = "bandwidth",
     .type = ASIM_T_STRING,
     .offset = AT(bandwidth),
     .help = "rate of all links but NVLink: 400Gbps where they have one rate, or a factor as 2x "
             "(analytical: of all dimensions)"},
    {.key = "latency",
     .type = ASIM_T_STRING,
     .offset = AT(latency),
     .help = "delay of all links but NVLink: 1us where they have one delay, or a factor as 0.5x "
             "(analytical: of all dimensions)"},
    {.key = "placement",
     .type = ASIM_T_STRING,
     .offset = AT(placement),
     .flags = ASIM_F_PACKETS,
     .help =
         "the host of each rank, as 2,0,1 or a file of such numbers; without it: rank r runs on "
         "host r"},
    {.key = "logical",
     .alias = "logical-topology-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(logical),
     .help = "logical topology JSON; without it: one dimension of all ranks"},
    {.key = "memory",
     .alias = "remote-memory-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(memory),
     .help = "remote memory JSON; without it: no remote memory"},
    {.key = "groups",
     .alias = "comm-group-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(groups),
     .help = "communicator groups JSON; without it, or with 'empty': all ranks only"},
    {.key = "out",
     .type = ASIM_T_STRING,
     .offset = AT(out),
     .help = "folder for summary.json, ranks.csv, ops.csv and topology.json"},
    {.key = "reports",
     .type = ASIM_T_STRING,
     .offset = AT(reports),
     .flags = ASIM_F_PACKETS,
     .help = "further files in --out, separated by commas, or all; listed below"},
    {.key = "report-interval",
     .type = ASIM_T_TIME,
     .offset = AT(report_interval_fs),
     .def = "0ns",
     .max = 1e12,
     .flags = ASIM_F_PACKETS,
     .help = "length of the bins of queues.csv and rates.csv, 100ns or more; 0ns: 1us, doubled "
             "until a file has at most 500000 rows"},
    {.key = "timeline",
     .type = ASIM_T_BOOL,
     .offset = AT(timeline),
     .def = "false",
     .help =
         "write timeline.pftrace into --out, for ui.perfetto.dev: ops, messages, queues, pauses"},
    {.key = "timeline-format",
     .type = ASIM_T_CHOICE,
     .offset = AT(timeline_format),
     .def = "perfetto",
     .choices = "perfetto|json",
     .help = "json: timeline/rank_<r>.json as PyTorch's profiler writes, ops only"},
    {.key = "timeline-ranks",
     .type = ASIM_T_STRING,
     .offset = AT(timeline_ranks),
     .help = "ranks of the timeline, as 0-7,12; without it: all"},
    {.key = "timeline-from",
     .type = ASIM_T_TIME,
     .offset = AT(timeline_from_fs),
     .def = "0ns",
     .max = 1e19,
     .help = "simulated time at which the timeline begins, as 1ms"},
    {.key = "timeline-to",
     .type = ASIM_T_TIME,
     .offset = AT(timeline_to_fs),
     .def = "0ns",
     .max = 1e19,
     .help = "where it ends; 0ns: at the end of the run"},
    {.key = "pcap",
     .type = ASIM_T_STRING,
     .offset = AT(pcap),
     .flags = ASIM_F_PACKETS,
     .help = "capture of all RoCEv2 and PFC frames that Wireshark decodes; slows the run down"},
    /* ASTRA-sim's numeric options, with its names and defaults. */
    {.key = "num-queues-per-dim",
     .type = ASIM_T_U32,
     .offset = AT(queues_per_dim),
     .def = "1",
     .min = 1,
     .max = 4096,
     .help = "queues of every logical dimension"},
    {.key = "comm-scale",
     .type = ASIM_T_DOUBLE,
     .offset = AT(comm_scale),
     .def = "1",
     .min = 0,
     .max = 1e12,
     .flags = ASIM_F_NOOP,
     .help = "accepted for old scripts; no effect, as in ASTRA-sim"},
    {.key = "compute-scale",
     .type = ASIM_T_DOUBLE,
     .offset = AT(compute_scale),
     .def = "1",
     .min = 0,
     .max = 1e12,
     .flags = ASIM_F_NOOP,
     .help = "accepted for old scripts; no effect, as in ASTRA-sim"},
    {.key = "compute-factor",
     .type = ASIM_T_DOUBLE,
     .offset = AT(compute_factor),
     .def = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "multiplies the time of each computation, as a faster or slower GPU would"},
    {.key = "injection-scale",
     .type = ASIM_T_DOUBLE,
     .offset = AT(injection_scale),
     .def = "1",
     .min = 0,
     .max = 1e12,
     .help = "multiplies the system configuration's endpoint-delay"},
    {.key = "rendezvous-protocol",
     .type = ASIM_T_BOOL,
     .offset = AT(rendezvous),
     .def = "false",
     .help = "receivers ask with 8192 bytes before senders send"},
    /* asim's own options. None of them changes a result of a run without random draws. */
    {.key = "seed",
     .type = ASIM_T_U64,
     .offset = AT(seed),
     .def = "1",
     .flags = ASIM_F_PACKETS,
     .help = "seed of the random draws (ECN marks between the thresholds, losses)"},
    {.key = "trace-window",
     .type = ASIM_T_U32,
     .offset = AT(window_ops),
     .def = "1024",
     .min = 1,
     .max = 1e8,
     .help = "trace ops a rank keeps in memory; never changes a result"},
    {.key = "per-event",
     .type = ASIM_T_BOOL,
     .offset = AT(per_event),
     .def = "false",
     .flags = ASIM_F_PACKETS,
     .help = "advance every frame at its own time instead of in windows; same results, slower"},
    /* One window is some 10 to 300 us of work, so more threads than cores only wait for each other.
     */
    {.key = "threads",
     .type = ASIM_T_U32,
     .offset = AT(threads),
     .def = "1",
     .min = 1,
     .max = 256,
     .flags = ASIM_F_PACKETS,
     .help = "threads that advance the packet network; never changes a result"},
    {.key = "fast-forward",
     .alias = "runs",
     .type = ASIM_T_BOOL,
     .offset = AT(fast_forward),
     .def = "on",
     .flags = ASIM_F_PACKETS,
     .help = "replay traffic simulated before, skip periods of a steady state; same results"},
    {.key = "without",
     .type = ASIM_T_STRING,
     .offset = AT(without),
     .help = "debugging: fast paths to turn off, separated by commas: bulk-switch host-fast "
             "uniform-phase memo steady-state half-steps; same results, slower"},
    {.key = "exact-events",
     .type = ASIM_T_U64,
     .offset = AT(exact_events),
     .def = "300000",
     .flags = ASIM_F_PACKETS,
     .help = "in networks of up to 32 hosts: so many first events run in the exact order of ns-3's "
             "event list, 0.1 us each; later and in larger networks simultaneous events may change "
             "places by a few ns"},
    {.key = "no-progress-limit",
     .type = ASIM_T_STRING,
     .offset = AT(no_progress_limit),
     .flags = ASIM_F_PACKETS,
     .help = "ends a run in which packets are sent again for so long, in simulated time, while "
             "messages gain next to nothing: a time such as 10ms, 0 = never; without it: "
             "NO_PROGRESS_LIMIT of the network configuration, 100ms"},
    {.key = "strict-dependencies",
     .type = ASIM_T_BOOL,
     .offset = AT(strict_deps),
     .def = "false",
     .help = "a control dependency on a node that is not in the trace is an error, not a note"},
    {.key = "time-limit",
     .type = ASIM_T_DOUBLE,
     .offset = AT(time_limit_s),
     .def = "0",
     .max = 1e9,
     .help = "seconds of wall clock after which the run ends as after Ctrl-C, with the reports so "
             "far; 0 = none"},
    {.key = "allow-missing-ranks",
     .type = ASIM_T_BOOL,
     .offset = AT(allow_missing_ranks),
     .def = "false",
     .help =
         "traces of some ranks of a recorded job: process groups keep the ranks that are there"},
    {.key = "verbose",
     .type = ASIM_T_BOOL,
     .offset = AT(verbose),
     .def = "false",
     .help = "result lines of each rank; without it of jobs of up to 16 ranks, and quantiles of "
             "larger ones (AstraSimNetwork, and where ASTRA-sim's --workload-configuration names "
             "the traces: of each rank anyway)"},
    {.key = "quiet",
     .type = ASIM_T_BOOL,
     .offset = AT(quiet),
     .def = "false",
     .help = "no result lines on stdout (reports of --out are written all the same)"},
    {.key = "compare",
     .type = ASIM_T_CHOICE,
     .offset = AT(compare),
     .def = "none",
     .choices = "none|analytical",
     .flags = ASIM_F_PACKETS,
     .help = "analytical: afterwards run both analytical networks too and print how they differ"},
    {.key = "compare-network",
     .type = ASIM_T_STRING,
     .offset = AT(compare_network),
     .flags = ASIM_F_PACKETS,
     .help = "network YAML for --compare; without it: as the topology shows it"},
    {.key = "logging-configuration",
     .type = ASIM_T_STRING,
     .offset = AT(logging),
     .flags = ASIM_F_NOOP,
     .help = "accepted for old scripts; no effect"},
    {.key = "logging-folder",
     .type = ASIM_T_STRING,
     .offset = AT(logging_folder),
     .help = "folder for log.log: issue and end of each op, where the system file says "
             "trace-enabled (else --out has it as log.txt)"},
    {.key = NULL},
};

/* A program that was compiled with an older header has a smaller struct. */
static int fits(const struct asim_settings *settings, const struct asim_option *row)
{
    return row->offset + asim_option_bytes(row->type) <= settings->size;
}

/* No default is a string, so this allocates nothing. */
int asim_settings_init(struct asim_settings *settings, size_t size, struct asim_err *err)
{
    struct asim_settings own = {0};

    memset(settings, 0, size);
    if (size < offsetof(struct asim_settings, queues_per_dim))
        return asim_err_set(err, ASIM_EINVAL,
                            "asim_settings_init: %zu bytes are no struct asim_settings; pass its "
                            "sizeof",
                            size);
    if (asim_option_defaults(asim_settings_options, &own, err))
        return ASIM_EBUG;
    own.size = size;
    memcpy(settings, &own, size < sizeof own ? size : sizeof own);
    return 0;
}

int asim_settings_set(struct asim_settings *settings, const char *key, const char *value,
                      struct asim_err *err)
{
    struct asim_where where = {"asim_settings_set", 0, 0};
    const struct asim_option *row = asim_option_find(asim_settings_options, key);

    if (!row)
        return asim_option_unknown(asim_settings_options, key, where, err);
    if (!fits(settings, row))
        return asim_err_set(err, ASIM_EINVAL,
                            "asim_settings_set: the program was compiled with an asim that has no "
                            "option '%s'",
                            key);
    return asim_option_parse(row, settings, value, where, err);
}

void asim_settings_fini(struct asim_settings *settings)
{
    struct asim_settings own = {0};
    size_t size = settings->size < sizeof own ? settings->size : sizeof own;

    memcpy(&own, settings, size);
    asim_option_fini(asim_settings_options, &own);
    memcpy(settings, &own, size);
}
