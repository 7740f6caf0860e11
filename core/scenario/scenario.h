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
    char *job;        /* ranks begin no op after the last finish of this job; NULL = none */
    uint32_t number;  /* of the job */
};

enum { ASIM_SCENARIO_ALL_JOBS = UINT32_MAX };

/* Ranks that compute slower: those of hosts, or of a job. */
struct asim_scenario_straggler {
    unsigned line;
    char *hosts, *job, *ranks; /* lists (number_list.h); NULL = not given */
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

/* What happens to a part of the cluster, in "events" at stated times and in "failures" at drawn
 * ones. */
enum asim_scenario_kind {
    ASIM_SCENARIO_LINK_DOWN,
    ASIM_SCENARIO_LINK_RATE,
    ASIM_SCENARIO_LINK_LOSS,
    ASIM_SCENARIO_SWITCH_DOWN,
    ASIM_SCENARIO_NIC_DOWN,
    ASIM_SCENARIO_HOST_CRASH,
    ASIM_SCENARIO_ECN,
    ASIM_SCENARIO_PFC
};
#define ASIM_SCENARIO_KINDS "link-down|link-rate|link-loss|switch-down|nic-down|host-crash|ecn|pfc"
enum asim_scenario_nic_traffic { ASIM_SCENARIO_MOVE, ASIM_SCENARIO_STOP };

struct asim_scenario_effect {
    int kind;                           /* enum asim_scenario_kind */
    uint64_t for_fs;                    /* 0: for good */
    char *rate;                         /* of link-rate: "50Gbps" or "0.5x" */
    double loss;                        /* of link-loss */
    int traffic;                        /* of nic-down: enum asim_scenario_nic_traffic */
    uint64_t restart_fs, checkpoint_fs; /* of host-crash; checkpoint 0: none was ever made */
};
struct asim_scenario_event {
    unsigned line;
    struct asim_scenario_effect effect;
    uint64_t at_fs, every_fs;
    uint32_t times;
    char *link, *switches, *host; /* NULL: not given */
    uint32_t nic;
    uint64_t kmin, kmax; /* of ecn, bytes */
    double pmax;
    int enabled; /* of pfc */
};
struct asim_scenario_failure {
    unsigned line;
    struct asim_scenario_effect effect;
    uint64_t mtbf_fs, from_fs, until_fs, seed;
    int links; /* enum asim_scenario_links, of links and NICs */
};
enum asim_scenario_links {
    ASIM_SCENARIO_ALL_LINKS,
    ASIM_SCENARIO_HOST_LINKS,
    ASIM_SCENARIO_SWITCH_LINKS
};

struct asim_scenario_routing {
    unsigned line;
    uint64_t reconverge_fs;
};

/* Traffic that no job sends. */
struct asim_scenario_background {
    unsigned line;
    int pattern, tier; /* enum asim_scenario_pattern, enum asim_scenario_tier */
    double load;
    char *sizes, *hosts; /* hosts NULL: all */
    uint64_t on_fs, off_fs, from_fs, until_fs, seed;
    uint32_t fan_in;
};
enum asim_scenario_pattern { ASIM_SCENARIO_ANYWHERE, ASIM_SCENARIO_ACROSS, ASIM_SCENARIO_INCAST };
enum asim_scenario_tier { ASIM_SCENARIO_TIER_HOSTS, ASIM_SCENARIO_TIER_UPLINKS };

struct asim_scenario {
    char *path; /* for messages */
    ASIM_SCENARIO_LIST(struct asim_scenario_job) jobs;
    struct asim_scenario_hosts hosts;
    struct asim_scenario_end end;
    ASIM_SCENARIO_LIST(struct asim_scenario_straggler) stragglers;
    ASIM_SCENARIO_LIST(struct asim_scenario_jitter) jitters;
    ASIM_SCENARIO_LIST(struct asim_scenario_storage) checkpoints, loading;
    ASIM_SCENARIO_LIST(struct asim_scenario_event) events;
    ASIM_SCENARIO_LIST(struct asim_scenario_failure) failures;
    struct asim_scenario_routing routing;
    ASIM_SCENARIO_LIST(struct asim_scenario_background) background;
};

/* find.c: *number becomes the number of the job of that name, of NULL ASIM_SCENARIO_ALL_JOBS. */
int asim_scenario_find_job(const struct asim_scenario *scenario, const char *name,
                           struct asim_where at, uint32_t *number, struct asim_err *err);
/* An error where a list of the key names a number twice; text NULL is none. */
int asim_scenario_check_list(const struct asim_scenario *scenario, unsigned line, const char *key,
                             const char *text, struct asim_err *err);
/* Checks the jobs and the lists of storage hosts, and sets the numbers of the jobs. */
int asim_scenario_check_storage(const struct asim_scenario *scenario,
                                struct asim_scenario_storage *at, size_t n, struct asim_err *err);

/* Family scenario/section: row symbols asim_scenario_section_<file>, table
 * asim_scenario_section_table. member.options: the keys of the object, member.options_size its
 * struct. */
struct asim_scenario_section {
    struct asim_member member; /* name: the key of the section in the file */
    int is_list;
    int is_first;                /* checked before the others, which name its objects */
    size_t offset;               /* of the list or the struct in struct asim_scenario */
    const char *const *required; /* keys that each object must have, NULL-terminated; or NULL */
    /* What the option table cannot say; NULL = nothing. Called once, also where the file does not
     * have the section, when all sections are read. */
    int (*check)(struct asim_scenario *scenario, struct asim_err *err);
};
extern const struct asim_member *const asim_scenario_section_table[];

/* effect.c: the option rows of an effect, for the tables of "events" and "failures". */
#define ASIM_SCENARIO_EFFECT_ROWS(OBJECT)                                                          \
    ASIM_OPTION(OBJECT, "kind", CHOICE, effect.kind,                                               \
                "what happens: a link, NIC or switch is down; a link has another rate or loses "   \
                "more frames; a host crashes and its jobs restart; ECN or PFC of switches change", \
                .def = "link-down", .choices = ASIM_SCENARIO_KINDS),                               \
        ASIM_OPTION(OBJECT, "for", TIME, effect.for_fs,                                            \
                    "how long it lasts, as \"2ms\"; \"0ns\" = for good", .def = "0ns",             \
                    .max = 1e15),                                                                  \
        ASIM_OPTION(OBJECT, "rate", STRING, effect.rate,                                           \
                    "of link-rate: the rate of the link, as \"50Gbps\" or \"0.5x\""),              \
        ASIM_OPTION(                                                                               \
            OBJECT, "loss", DOUBLE, effect.loss,                                                   \
            "of link-loss: share of frames that the link loses, beside its own error rate",        \
            .def = "0", .max = 1),                                                                 \
        ASIM_OPTION(OBJECT, "traffic", CHOICE, effect.traffic,                                     \
                    "of nic-down: move = the host's queue pairs go to its other NICs when the "    \
                    "routes follow; stop = they wait for this NIC",                                \
                    .def = "move", .choices = "move|stop"),                                        \
        ASIM_OPTION(OBJECT, "restart", TIME, effect.restart_fs,                                    \
                    "of host-crash: time from the crash until the jobs of the host run again",     \
                    .def = "0ns", .max = 1e15),                                                    \
        ASIM_OPTION(OBJECT, "checkpoint-every", TIME, effect.checkpoint_fs,                        \
                    "of host-crash: time between checkpoints of the jobs, from their start; the "  \
                    "work since the last one is lost and done again; \"0ns\" = no checkpoint, "    \
                    "all work is lost",                                                            \
                    .def = "0ns", .max = 1e15)
/* An error where a key is missing or has no effect for the kind of the effect. name: of the
 * section. */
int asim_scenario_check_effect(const struct asim_scenario *scenario, const char *name,
                               unsigned line, const struct asim_scenario_effect *effect,
                               struct asim_err *err);
/* The word of a kind. */
const char *asim_scenario_kind_name(int kind);

/* The place of an object's line, for asim_err_at. */
static inline struct asim_where asim_scenario_at(const struct asim_scenario *scenario,
                                                 unsigned line)
{
    return (struct asim_where){scenario->path, line, 0};
}

#endif
