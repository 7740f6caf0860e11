/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One run of `asim run`: workload, topology and backend in, a folder out.
 */
#ifndef ASIM_TOOLS_RUN_JOB_H
#define ASIM_TOOLS_RUN_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "asim/asim.h"
#include "cli/child.h"

enum { ASIM_JOB_PATH = ASIM_CHILD_PATH, ASIM_JOB_WORDS = 64 };
enum asim_job_backend {
    ASIM_JOB_PACKET,
    ASIM_JOB_FLOW,
    ASIM_JOB_UNAWARE,
    ASIM_JOB_AWARE,
    ASIM_JOB_NS3, /* not among all */
    ASIM_JOB_ALL,
    ASIM_JOB_BACKENDS
};
#define ASIM_JOB_BACKEND_WORDS "packet|flow|unaware|aware|ns3|all"

/* What was measured on the real system; 0 = not known. */
struct asim_job_recorded {
    double step_ms, comm_ms;
};

struct asim_job {
    /* From the command line; strings are borrowed. */
    const char *workload, *topo, *output_dir, *name, *unless;
    const char *fail_if; /* thresholds, or NULL */
    int json;            /* figures on stdout, all else on stderr */
    int quiet;           /* without json nothing on stdout */
    uint32_t world_size, virtual_scale, mpi;
    int backend, force, auto_calibrate;
    int is_for_astra_sim; /* a command line of its spelling */
    int is_scenario;      /* among words; workload is its file then */
    struct asim_job_recorded recorded;
    double bucket_mb;                  /* of gradients, MiB; 0 = as recorded */
    double compute_factor;             /* of the run being calibrated; 1 = as recorded */
    const char *words[ASIM_JOB_WORDS]; /* options of `asim packet`, "--key=value" */
    size_t n_words;
    const char *conversion[ASIM_JOB_WORDS]; /* options of `asim trace pytorch`, likewise */
    size_t n_conversion;
    const char *recorded_groups; /* --groups, or NULL */
    int argc;
    char **argv; /* the whole command line, for command.txt */
    /* Found out. */
    char folder[ASIM_JOB_PATH];                           /* of the run */
    char prefix[ASIM_JOB_PATH];                           /* of its traces */
    char groups[ASIM_JOB_PATH];                           /* their communicator groups */
    char topology[ASIM_JOB_PATH], logical[ASIM_JOB_PATH]; /* "" = none */
    uint32_t ranks, recorded_ranks;
    int output; /* with json or quiet: stdout as it was, which stderr or nothing stands for
                   meanwhile; else -1 */
    int lock;   /* on the folder, or -1 */
};

/* What a run of one backend gave. */
struct asim_job_result {
    const char *backend;
    char folder[ASIM_JOB_PATH], state[24], identity[ASIM_IDENTITY_BYTES];
    uint64_t ranks, finish_ns, comm_ns; /* comm_ns: the largest of any rank */
    uint64_t ranks_finished, simulated_ns;
    uint64_t gpu_ns; /* computation of the rank that finishes last */
    double compute_factor;
};

enum { ASIM_JOB_RESULTS = ASIM_JOB_BACKENDS + 1 };
enum { ASIM_JOB_SAME = 3 }; /* exit code: --unless names the identity of the run */

/* The whole run. Returns the exit code. (job.c) */
int asim_job_run(struct asim_job *job, struct asim_err *err);

/* Finds the traces and makes those of more ranks; sets prefix, ranks and what was recorded.
 * (workload.c) */
int asim_job_workload(struct asim_job *job, struct asim_err *err);
/* Understands --topo; sets topology and logical. Writes logical.json where the topology has several
 * dimensions. (place.c) */
int asim_job_place(struct asim_job *job, struct asim_err *err);
/* Runs one backend into the folder, which exists. *code: its exit code. (backend.c) */
int asim_job_backend(const struct asim_job *job, enum asim_job_backend backend, const char *folder,
                     int *code, struct asim_err *err);
/* The identity that the run of the job's one backend will have; not of ASIM_JOB_ALL. (backend.c) */
int asim_job_identity(const struct asim_job *job, char text[ASIM_IDENTITY_BYTES],
                      struct asim_err *err);
/* Reads what a backend has left in result->folder. (metrics.c) */
int asim_job_result(struct asim_job_result *result, struct asim_err *err);
/* --auto-calibrate: runs the backend again, with the factor of computation that makes the step as
 * long as the recorded one, and fills *result. (compute_factor.c) */
int asim_job_compute_factor(struct asim_job *job, const struct asim_job_result *first,
                            struct asim_job_result *result, int *code, struct asim_err *err);
/* Writes metrics.csv of the run and appends its rows to metrics.csv and calibration_all.csv of the
 * output folder, each in one write under a lock. (metrics.c) */
int asim_job_metrics(const struct asim_job *job, const struct asim_job_result *results, size_t n,
                     struct asim_err *err);

#endif
