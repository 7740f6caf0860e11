/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The options of a run: the published names of ASTRA-sim, with short names beside them.
 *
 * One table serves the tool, AstraSimNetwork and --help. To add an option, add a field to struct
 * asim_settings (asim/asim.h) and a row here. The struct owns its strings; the table frees them.
 */
#include "asim/asim.h"

#include <string.h>

#define ROW(...) ASIM_OPTION(struct asim_settings, __VA_ARGS__)

const struct asim_option asim_settings_options[] = {
    /* Inputs. Only the first is required; the help names the default of each. */
    ROW("workload", STRING, workload,
        "prefix P of the Chakra traces P.<rank>.et (required, or scenario)",
        .alias = "workload-configuration", .flags = ASIM_F_READS | ASIM_F_SET),
    ROW("scenario", STRING, scenario,
        "scenario JSON: several jobs on one network, in place of workload; asim scenario check "
        "FILE tells what is wrong with one",
        .flags = ASIM_F_READS | ASIM_F_PACKETS),
    ROW("scenario-traces", STRING, scenario_traces,
        "folder of the traces that asim scenario traces has made; without it they are made for the "
        "run, where a job of the scenario has a generator",
        .flags = ASIM_F_READS | ASIM_F_SET | ASIM_F_PACKETS),
    ROW("alone", BOOL, alone,
        "run each job of the scenario alone first, on the same hosts, and report its slowdown",
        .def = "false", .flags = ASIM_F_PACKETS),
    ROW("system", STRING, system, "system JSON; without it: as --like says",
        .alias = "system-configuration", .flags = ASIM_F_READS),
    ROW("network", STRING, network,
        "config.txt of the RDMA network (analytical: the network YAML, required); without it: the "
        "published ASTRA-sim values",
        .alias = "network-configuration", .flags = ASIM_F_READS),
    ROW("topology", STRING, topology,
        "topology file, wins over the network configuration's; auto:NAME,key=value and "
        "machine:NAME,nodes=4 make one; without either: one switch",
        .flags = ASIM_F_READS | ASIM_F_PACKETS),
    ROW("model", STRING, mode,
        "packet: frame by frame; flow: messages as fluids on the same paths, faster, with "
        "queues as modelled (doc/model/flow.md)",
        .flags = ASIM_F_PACKETS),
    ROW("flow-without", STRING, flow_without,
        "parts of the flow level to leave out, separated by commas: ack-load",
        .flags = ASIM_F_PACKETS),
    ROW("verify", STRING, verify,
        "of a run with --model=flow: share of the collectives of each kind that run again in "
        "packets, as 5%, which tells how far the run is from packets (doc/flow.md#sampling)",
        .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("correct", BOOL, correct,
        "with --verify: also tell the finish corrected by what the samples differed",
        .def = "false", .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("like", CHOICE, like,
        "whom to follow where no configuration says else: nccl: the quickest of NCCL's algorithms "
        "for the topology's servers, 1 queue pair a connection, MTU 4096; astra-sim: "
        "configs/system/ring.json, but all-to-all direct and small all-reduces on a tree; auto: "
        "astra-sim with a system configuration and for ASTRA-sim's spelling, nccl in asim run, in "
        "scenarios and where servers have several GPUs",
        .def = "auto", .choices = "auto|nccl|astra-sim", .flags = ASIM_F_PACKETS),
    ROW("machine", STRING, machine,
        "machine whose NCCL the ranks run, a name of `asim machine list` or a file: collectives "
        "take at least what asim nccl-tests says; without it that of --topology=machine:NAME; "
        "none: only what the network takes",
        .flags = ASIM_F_READS | ASIM_F_PACKETS),
    ROW("nccl-env", STRING, nccl_env,
        "of runs that follow NCCL: obey its variables of the environment, or of a file like "
        "nccl.conf (--nccl-env=FILE)",
        .flags = ASIM_F_READS | ASIM_F_ALONE | ASIM_F_PACKETS),
    ROW("algorithm", STRING, algorithm,
        "algorithm of collectives, before the system configuration: ring, or "
        "all-reduce=halvingDoubling,all-to-all=direct"),
    ROW("cc", STRING, cc,
        "congestion control, before the network configuration: dcqcn, hpcc, timely, … none",
        .flags = ASIM_F_PACKETS),
    ROW("mtu", U32, mtu_bytes,
        "payload of a data packet (path MTU of RoCE), before PACKET_PAYLOAD_SIZE; 0 = as there",
        .min = 0, .max = 65535, .flags = ASIM_F_BYTES | ASIM_F_PACKETS),
    ROW("qps-per-connection", STRING, qps_per_connection,
        "queue pairs from a host to another, before QPS_PER_CONNECTION: messages of one go one "
        "after another over the same way, as in NCCL; 0 = one for each message, as in ASTRA-sim",
        .flags = ASIM_F_PACKETS),
    ROW("bandwidth", STRING, bandwidth,
        "rate of all links but NVLink: 400Gbps where they have one rate, or a factor as 2x; of a "
        "class of links.csv: leaf-spine:2x,nvlink:0.5x (analytical: of all dimensions)"),
    ROW("latency", STRING, latency,
        "delay of all links but NVLink: 1us where they have one delay, or a factor as 0.5x; of a "
        "class, or of all links: all:0.5x (analytical: of all dimensions)"),
    ROW("network-keys", STRING, network_keys,
        "keys of the network configuration, before its file: HAS_WIN=0,LOAD_BALANCE=spray",
        .flags = ASIM_F_PACKETS),
    ROW("placement", STRING, placement,
        "the host of each rank, as 2,0,1 or a file of such numbers; without it: rank r runs on "
        "host r",
        .flags = ASIM_F_READS | ASIM_F_PACKETS),
    ROW("logical", STRING, logical,
        "logical topology JSON, or sizes as 8x64; without it: one dimension of all ranks",
        .alias = "logical-topology-configuration", .flags = ASIM_F_READS),
    ROW("memory", STRING, memory, "remote memory JSON; without it: no remote memory",
        .alias = "remote-memory-configuration", .flags = ASIM_F_READS),
    ROW("groups", STRING, groups,
        "communicator groups JSON; without it, or with 'empty': all ranks only",
        .alias = "comm-group-configuration", .flags = ASIM_F_READS),
    ROW("out", STRING, out, "folder for summary.json, ranks.csv, ops.csv and topology.json",
        .flags = ASIM_F_WRITES | ASIM_F_RESULT),
    ROW("reports", STRING, reports,
        "further files in --out, separated by commas, or all; listed below",
        .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("report-interval", TIME, report_interval_fs,
        "length of the bins of queues.csv and rates.csv, 100ns or more; 0ns: 1us, doubled until a "
        "file has at most 500000 rows",
        .def = "0ns", .max = 1e12, .flags = ASIM_F_PACKETS),
    ROW("timeline", BOOL, timeline,
        "write timeline.pftrace into --out, for ui.perfetto.dev: ops, messages, queues, pauses",
        .def = "false", .flags = ASIM_F_NO_RESULT),
    ROW("timeline-format", CHOICE, timeline_format,
        "json: timeline/rank_<r>.json as PyTorch's profiler writes, ops only", .def = "perfetto",
        .choices = "perfetto|json", .flags = ASIM_F_NO_RESULT),
    ROW("timeline-ranks", STRING, timeline_ranks,
        "ranks of the timeline, as 0-7,12; without it: all", .flags = ASIM_F_NO_RESULT),
    ROW("timeline-from", TIME, timeline_from_fs,
        "simulated time at which the timeline begins, as 1ms", .def = "0ns", .max = 1e19,
        .flags = ASIM_F_NO_RESULT),
    ROW("timeline-to", TIME, timeline_to_fs, "where it ends; 0ns: at the end of the run",
        .def = "0ns", .max = 1e19, .flags = ASIM_F_NO_RESULT),
    ROW("what-if", BOOL, what_if,
        "after a run with --out, and without --quiet, repeat it with one thing changed at a time, "
        "which tells what limits it (doc/verdicts.md)",
        .def = "true", .flags = ASIM_F_NO_RESULT),
    ROW("pcap", STRING, pcap,
        "capture of all RoCEv2 and PFC frames that Wireshark decodes; slows the run down",
        .flags = ASIM_F_WRITES | ASIM_F_RESULT | ASIM_F_PACKETS),
    /* ASTRA-sim's numeric options, with its names and defaults. */
    ROW("num-queues-per-dim", U32, queues_per_dim, "queues of every logical dimension", .def = "1",
        .min = 1, .max = 4096),
    ROW("comm-scale", DOUBLE, comm_scale, "accepted for old scripts; no effect, as in ASTRA-sim",
        .def = "1", .min = 0, .max = 1e12, .flags = ASIM_F_NOOP),
    ROW("compute-scale", DOUBLE, compute_scale,
        "accepted for old scripts; no effect, as in ASTRA-sim", .def = "1", .min = 0, .max = 1e12,
        .flags = ASIM_F_NOOP),
    ROW("compute-factor", DOUBLE, compute_factor,
        "multiplies the time of each computation, as a faster or slower GPU would", .def = "1",
        .min = 1e-9, .max = 1e9),
    ROW("injection-scale", DOUBLE, injection_scale,
        "multiplies the system configuration's endpoint-delay", .def = "1", .min = 0, .max = 1e12),
    ROW("rendezvous-protocol", BOOL, rendezvous,
        "receivers ask with 8192 bytes before senders send", .def = "false"),
    /* asim's own options. None of them changes a result of a run without random draws. */
    ROW("seed", U64, seed, "seed of the random draws (ECN marks between the thresholds, losses)",
        .def = "1", .flags = ASIM_F_PACKETS),
    ROW("trace-window", U32, window_ops, "trace ops a rank keeps in memory; never changes a result",
        .def = "1024", .min = 1, .max = 1e8, .flags = ASIM_F_NO_RESULT),
    ROW("per-event", BOOL, per_event,
        "advance every frame at its own time instead of in windows; same results, slower",
        .def = "false", .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    /* One window is some 10 to 300 us of work, so more threads than cores only wait for each other.
     */
    ROW("threads", U32, threads, "threads that advance the packet network; never changes a result",
        .def = "1", .min = 1, .max = 256, .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("fast-forward", BOOL, fast_forward,
        "replay traffic simulated before, skip periods of a steady state; same results",
        .alias = "runs", .def = "on", .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("without", STRING, without,
        "debugging: fast paths to turn off, separated by commas: bulk-switch host-fast "
        "uniform-phase memo steady-state half-steps domains; same results, slower",
        .flags = ASIM_F_NO_RESULT),
    ROW("order", CHOICE, order,
        "order of simultaneous events: exact: ns-3's event list; fast: as far as a node knows, "
        "with all fast paths; auto: exact in runs of some --exact-events at most",
        .def = "auto", .choices = "auto|exact|fast", .flags = ASIM_F_PACKETS),
    ROW("exact-events", U64, exact_events,
        "ns-3's order is kept for so many events, about two a packet and link; 40 ns each",
        .def = "30000000", .flags = ASIM_F_PACKETS),
    ROW("no-progress-limit", STRING, no_progress_limit,
        "ends a run in which packets are sent again for so long, in simulated time, while messages "
        "gain next to nothing: a time such as 10ms, 0 = never; without it: NO_PROGRESS_LIMIT of "
        "the network configuration, 100ms",
        .flags = ASIM_F_PACKETS),
    ROW("strict-dependencies", BOOL, strict_deps,
        "a control dependency on a node that is not in the trace is an error, not a note",
        .def = "false"),
    ROW("time-limit", DOUBLE, time_limit_s,
        "seconds of wall clock after which the run ends as after Ctrl-C, with the reports so far; "
        "0 = none",
        .def = "0", .max = 1e9, .flags = ASIM_F_NO_RESULT),
    ROW("allow-missing-ranks", BOOL, allow_missing_ranks,
        "traces of some ranks of a recorded job: process groups keep the ranks that are there",
        .def = "false"),
    ROW("verbose", BOOL, verbose,
        "result lines of each rank; without it of jobs of up to 16 ranks, and quantiles of larger "
        "ones (AstraSimNetwork, and where ASTRA-sim's --workload-configuration names the traces: "
        "of each rank anyway)",
        .def = "false", .flags = ASIM_F_NO_RESULT),
    ROW("quiet", BOOL, quiet,
        "no result lines on stdout (reports of --out are written all the same)", .def = "false",
        .flags = ASIM_F_NO_RESULT),
    ROW("compare", CHOICE, compare,
        "analytical: afterwards run the flow level and both analytical networks too and print how "
        "they differ",
        .def = "none", .choices = "none|analytical", .flags = ASIM_F_NO_RESULT | ASIM_F_PACKETS),
    ROW("compare-network", STRING, compare_network,
        "network YAML for --compare; without it: as the topology shows it",
        .flags = ASIM_F_READS | ASIM_F_PACKETS),
    ROW("logging-configuration", STRING, logging, "accepted for old scripts; no effect",
        .flags = ASIM_F_NOOP),
    ROW("network-outputs", STRING, network_outputs,
        "folder for the files that the network configuration writes, in place of their own",
        .flags = ASIM_F_WRITES | ASIM_F_RESULT | ASIM_F_PACKETS),
    ROW("logging-folder", STRING, logging_folder,
        "folder for log.log: issue and end of each op, where the system file says trace-enabled "
        "(else --out has it as log.txt)",
        .flags = ASIM_F_WRITES | ASIM_F_RESULT),
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
