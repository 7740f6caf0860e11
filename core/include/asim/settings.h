/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The settings of a world (asim/asim.h), and the functions of the caller that it calls.
 */
#ifndef ASIM_SETTINGS_H
#define ASIM_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/export.h"
#include "asim/ext/option.h"

ASIM_C_BEGIN

struct asim_netshape;
struct asim_net_backend;

/* Whom a run follows in what no configuration says. */
enum asim_like {
    ASIM_LIKE_AUTO, /* NCCL in scenarios and where the topology has servers of several GPUs */
    ASIM_LIKE_NCCL,
    ASIM_LIKE_ASTRA_SIM /* always with a system configuration, and over formulas */
};

/* What to simulate. Begin with asim_settings_init. Strings are read during asim_world_open only.
 * A string that asim_settings_set has stored belongs to the struct; replace it with
 * asim_settings_set, not by assignment. The lines of `asim packet --help` describe each
 * field. New fields are added at the end. */
struct asim_settings {
    size_t size;    /* set by asim_settings_init */
    char *workload; /* prefix P of the traces P.<rank>.et; required */
    char *system, *network, *topology, *logical, *memory, *groups;
    char *out;     /* folder for reports, NULL = none */
    char *pcap;    /* capture of RoCEv2 frames, NULL = none */
    char *reports; /* further reports for that folder: "flows,links" or "all"; NULL = none */
    uint32_t queues_per_dim;
    double comm_scale, compute_scale, injection_scale;
    int rendezvous;
    uint64_t seed;
    uint32_t window_ops;   /* trace bodies kept in memory per rank */
    int per_event;         /* per-event mode: every frame at its own time */
    uint32_t threads;      /* that advance the packet network */
    int fast_forward;      /* replay recorded traffic, skip periods of a steady state */
    int strict_deps;       /* a missing control parent is an error, not a note */
    int quiet;             /* no result lines */
    int compare;           /* for the asim tool: run the analytical networks too and compare */
    char *compare_network; /* YAML for that; NULL = as seen in the topology */
    char *logging;         /* accepted, no effect */
    char *logging_folder;  /* for log.log, where the system file says trace-enabled */
    /* From here on there are no options of that name. */
    /* Keys of the network configuration, set after those of its file: key, value, …, NULL. */
    const char *const *net_overrides;
    /* The network that carries messages, the option `model`. NULL: the packet network. "flow": the
     * flow level over the same files. "unaware" or "aware": an analytical network, whose YAML file
     * is `network` unless `shape` is given. */
    char *mode;
    const struct asim_netshape *shape;
    /* Several processes: this one's number, and how many share the run. Below 2: it is alone. */
    uint32_t process, processes;
    /* The same number in all processes. Not 0: a network of one switch is not partitioned. Process
     * 0 simulates all of it (asim_world_is_unpartitioned) with threads x borrowed_cores threads, on
     * the cores of the processes that have nothing to do. 0: it is partitioned like any other. */
    uint32_t borrowed_cores;
    /* The caller's own network (asim/net.h) in place of those of `mode`, and the pointer it gets as
     * config->data when it opens. NULL: none. Its dimensions are those of `shape`, else `logical`,
     * else one of all ranks. */
    const struct asim_net_backend *backend;
    void *backend_data;
    char *without;           /* an option: fast paths to turn off, "memo,half-steps"; NULL = none */
    char *no_progress_limit; /* an option: NO_PROGRESS_LIMIT of the network; NULL = its own */
    char *placement; /* an option: hosts of the ranks, "2,0,1" or a file; NULL = rank r on host r */
    uint64_t exact_events;       /* an option: so many in the order of ns-3's event list */
    uint64_t report_interval_fs; /* an option: bins of time series; 0 = chosen to bound files */
    /* Options that change what a file says. NULL or 0 = as the files say. */
    char *algorithm; /* "ring" or "all-to-all=direct,all-reduce=ring" */
    char *cc;        /* name of a congestion control */
    char *qps_per_connection;
    char *bandwidth; /* of all links but NVLink, or of all dimensions: a rate, or a factor "2x" */
    char *latency;   /* the same: a time, or a factor */
    uint32_t mtu_bytes;
    /* An option of the programs, whose stop hook ends the run: seconds of wall clock; 0 = none. */
    double time_limit_s;
    double compute_factor; /* an option: multiplies the time of each computation; 0 = 1 */
    int verbose; /* an option: result lines of each rank also of jobs of more than 16 ranks */
    /* Options of the timeline: whether to write one, its format (0 Perfetto, 1 JSON), the ranks
     * ("0-7,12"; NULL = all) and the time shown (0 = to the end). */
    int timeline, timeline_format;
    char *timeline_ranks;
    uint64_t timeline_from_fs, timeline_to_fs;
    int allow_missing_ranks; /* an option: process groups may list ranks that the run lacks */
    /* Options: a scenario file (asim/scenario.h) in place of `workload`; the folder with the traces
     * of its jobs that have a generator, DIR/<job>/trace.<rank>.et. */
    char *scenario, *scenario_traces;
    int alone; /* an option of the programs: before the run each job of the scenario alone */
    /* No options: the one job of the scenario to run, on the hosts that it has beside the others;
     * the times of the jobs alone, in the order of the file, UINT64_MAX = not known, or NULL. */
    const char *only_job;
    const uint64_t *alone_ns;
    /* No option: 0 = all events and failures of the scenario; n = the first n - 1 of them only. */
    uint32_t first_events;
    /* No option: time from which on ranks begin no op, ns, in a scenario that ends with a job;
     * UINT64_MAX = none, which a run takes that finds the time; 0 = not known: an error there. */
    uint64_t end_ns;
    /* An option, the order of simultaneous events: 0 ns-3's unless the run is long, 1 ns-3's,
     * 2 the fast one. */
    int order;
    char *flow_without; /* an option: parts of the flow level to leave out, "queues,ack-wait" */
    int like;           /* an option: enum asim_like */
    /* Options of the programs: the share of the collectives that run again in packets, "5%"; NULL =
     * none. Whether to tell the finish corrected by them. */
    char *verify;
    int correct;
    /* No option: the options as the user gave them, ended by a NULL key, for identity.json; read
     * until the world is closed. NULL: they are not told there. */
    const struct asim_key_value *given;
    char *network_keys; /* an option: "HAS_WIN=0,CC=none", set after those of the file */
    /* No options, for what-ifs: factors of the computation times of the ranks, [ranks], with which
     * start and message delays of ranks are left out; NULL = as the files say. 1: a receive ends as
     * soon as it is issued. */
    const double *rank_compute;
    int free_receives;
    /* An option of the programs: whether they repeat the run to tell what limits it. */
    int what_if;
    /* Options: the machine of the ranks, NULL = that of the topology, "none"; a file with NCCL's
     * variables, "-" = the environment. */
    char *machine, *nccl_env;
    char *network_outputs; /* an option: folder for the files that `network` names; NULL = there */
};

/* The options: key, default, range and help of each field, as on the command line. */
extern ASIM_API const struct asim_option asim_settings_options[];

/* Fills *settings with the defaults. size: sizeof *settings where the caller is compiled. */
ASIM_API int asim_settings_init(struct asim_settings *settings, size_t size, struct asim_err *err);
/* Sets an option by its key, as `--key=value` does; the value is copied. An unknown key fails with
 * the nearest one. */
ASIM_API int asim_settings_set(struct asim_settings *settings, const char *key, const char *value,
                               struct asim_err *err);
/* Frees the strings that asim_settings_set has stored. Set a string that you assigned yourself to
 * NULL before. */
ASIM_API void asim_settings_fini(struct asim_settings *settings);

/* Functions that a world calls. Each may be NULL. */
struct asim_hooks {
    void *self; /* first argument of each */
    /* One result line without newline, in order of simulated time. */
    void (*line)(void *self, const char *text);
    /* One sentence that a user should see: a note or a warning. */
    void (*note)(void *self, const char *text);
    /* Returns 1 to end the run at the next safe point (Ctrl-C). */
    int (*stop)(void *self);
};

ASIM_C_END
#endif
