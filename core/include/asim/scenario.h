/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Scenario files: what goes on in a cluster during a run. Several jobs on one network, where their
 * ranks run, when they start and how often they repeat, and the end of the run. A run takes one by
 * the option `scenario` (asim/asim.h); this header reads one without a run.
 *
 *     asim_scenario_read; asim_scenario_jobs, asim_scenario_job; asim_scenario_close
 *
 * Functions that can fail return 0 or a negative enum asim_code and fill err, which may be NULL. A
 * sentence about the file has its name and line.
 */
#ifndef ASIM_SCENARIO_H
#define ASIM_SCENARIO_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/export.h"

ASIM_C_BEGIN

struct asim_scenario;

/* A training job, or anything else that has traces. Strings belong to the scenario. */
struct asim_scenario_job {
    unsigned line; /* of the file */
    char *name;
    char *workload; /* prefix of its traces, found beside the file where it is not here; or NULL */
    char *generate; /* words of `asim trace …` that make them, without --out; or NULL */
    uint32_t ranks; /* 0: as many as there are traces */
    char *logical; /* "8x64"; NULL: one dimension */
    char *placement;
    uint64_t start_fs; /* when its ranks begin */
    uint32_t repeat;   /* how often each rank goes through its trace */
};

/* path: a file, or JSON that begins with '{'. */
ASIM_API int asim_scenario_read(struct asim_scenario **scenario, const char *path,
                                struct asim_err *err);
/* NULL is allowed. */
ASIM_API void asim_scenario_close(struct asim_scenario *scenario);
ASIM_API size_t asim_scenario_jobs(const struct asim_scenario *scenario);
/* Valid until the scenario is closed; NULL behind the last. */
ASIM_API const struct asim_scenario_job *asim_scenario_job(const struct asim_scenario *scenario,
                                                           size_t i);
/* The job whose end is that of the run, and its number; NULL where there is none. */
ASIM_API const struct asim_scenario_job *asim_scenario_end_job(const struct asim_scenario *scenario,
                                                               size_t *i);
/* Something that the scenario does once to one part of the cluster, in order of time. */
struct asim_world;
struct asim_scenario_occurrence {
    uint64_t time_ns, until_ns; /* until_ns UINT64_MAX: for good */
    uint64_t lost_work_ns;      /* host-crash: work since the last checkpoint, done again */
    const char *kind, *part;    /* "link-down", "link 4-6"; valid until the world is closed */
    unsigned line;              /* of the file */
    int is_drawn;               /* of "failures" */
};
/* How many there are in a world, and the i-th. */
ASIM_API size_t asim_world_occurrences(const struct asim_world *world);
ASIM_API void asim_world_occurrence(const struct asim_world *world, size_t i,
                                    struct asim_scenario_occurrence *occurrence);
/* Writes everything that the file says, and the defaults of what it does not say, as "key value"
 * lines. Returns the bytes needed without the NUL, like snprintf. */
ASIM_API size_t asim_scenario_show(const struct asim_scenario *scenario, char *buf, size_t size);
/* Writes the JSON Schema of scenario files, which examples/scenarios/scenario.schema.json holds,
 * too. Returns the bytes needed without the NUL, like snprintf. */
ASIM_API size_t asim_scenario_schema(char *buf, size_t size);

ASIM_C_END
#endif
