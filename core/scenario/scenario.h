/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A scenario in memory: a struct per section of the file. Const once it is read. Times are fs and
 * rates bit/s, as the option tables make them.
 *
 * A section is a file in section/: a row with its name, an option table for the keys of its object,
 * or of each object of its list, and where they go in struct asim_scenario. Each of these objects
 * begins with its line in the file, for errors that only the topology or the traces show.
 */
#ifndef ASIM_SCENARIO_SCENARIO_H
#define ASIM_SCENARIO_SCENARIO_H

#include "asim/scenario.h"
#include "asim/ext/family.h"

/* A section that is a list: n structs of the row's options_size. */
#define ASIM_SCENARIO_LIST(type)                                                                   \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n;                                                                                  \
    }

/* Servers that run several ranks. */
struct asim_scenario_hosts {
    unsigned line;  /* 0: the file has no such section */
    uint32_t ranks; /* that a host can run */
    int nic;        /* enum asim_scenario_nic */
    uint64_t pcie_bps, pcie_fs;
};
enum asim_scenario_nic { ASIM_SCENARIO_NIC_SHARED, ASIM_SCENARIO_NIC_OWN };

/* When the run ends, if not when all jobs have finished. */
struct asim_scenario_end {
    unsigned line;
    uint64_t time_fs; /* ranks begin no op at or after this time; 0 = no such time */
};

enum { ASIM_SCENARIO_ALL_JOBS = UINT32_MAX };

/* Ranks that compute slower: those of hosts, or of a job. */
struct asim_scenario_straggler {
    unsigned line;
    char *hosts, *job, *ranks; /* lists (ranges.h); NULL = not given */
    double factor;
    uint32_t number; /* of the job */
};

enum asim_scenario_distribution {
    ASIM_SCENARIO_NORMAL,
    ASIM_SCENARIO_LOGNORMAL,
    ASIM_SCENARIO_UNIFORM,
    ASIM_SCENARIO_EXPONENTIAL
};
#define ASIM_SCENARIO_JITTER_WORDS "normal|lognormal|uniform|exponential"
struct asim_scenario_jitter {
    unsigned line;
    char *job;
    int distribution; /* enum asim_scenario_distribution */
    double spread;
    uint64_t mean_fs, seed;
    uint32_t number; /* of the job, or ASIM_SCENARIO_ALL_JOBS */
};

/* Messages between the ranks of a job and storage hosts: checkpoints that they write at the end of
 * a round, or data that they read before it. */
struct asim_scenario_storage {
    unsigned line;
    char *job, *hosts;
    uint64_t bytes;  /* of each rank */
    uint32_t every;  /* rounds */
    int waits;       /* the next round waits for them */
    uint32_t number; /* of the job, or ASIM_SCENARIO_ALL_JOBS */
};

struct asim_scenario {
    char *path; /* for messages */
    ASIM_SCENARIO_LIST(struct asim_scenario_job) jobs;
    struct asim_scenario_hosts hosts;
    struct asim_scenario_end end;
    ASIM_SCENARIO_LIST(struct asim_scenario_straggler) stragglers;
    ASIM_SCENARIO_LIST(struct asim_scenario_jitter) jitters;
    ASIM_SCENARIO_LIST(struct asim_scenario_storage) checkpoints, loading;
};

/* find.c: *number becomes the number of the job of that name, of NULL ASIM_SCENARIO_ALL_JOBS. */
int asim_scenario_find_job(const struct asim_scenario *scenario, const char *name,
                           struct asim_where at, uint32_t *number, struct asim_err *err);
/* Checks the jobs and the lists of storage hosts, and sets the numbers of the jobs. */
int asim_scenario_check_storage(const struct asim_scenario *scenario,
                                struct asim_scenario_storage *at, size_t n, struct asim_err *err);

/* Family scenario/section: row symbols asim_scenario_section_<file>, table
 * asim_scenario_section_table. member.options: the keys of the object, member.options_size its
 * struct. */
struct asim_scenario_section {
    struct asim_member member; /* name: the key of the section in the file */
    int is_list;
    size_t offset;               /* of the list or the struct in struct asim_scenario */
    const char *const *required; /* keys that each object must have, NULL-terminated; or NULL */
    /* What the option table cannot say; NULL = nothing. Called once, also where the file does not
     * have the section, when all sections are read. */
    int (*check)(struct asim_scenario *scenario, struct asim_err *err);
};
extern const struct asim_member *const asim_scenario_section_table[];
extern const struct asim_scenario_section asim_scenario_section_jobs;

/* The place of an object's line, for asim_err_at. */
static inline struct asim_where asim_scenario_at(const struct asim_scenario *scenario,
                                                 unsigned line)
{
    return (struct asim_where){scenario->path, line, 0};
}

#endif
