/* SPDX-License-Identifier: GPL-2.0-only
 *
 * `asim sweep`: runs of all combinations of some values, as many at once as there are cores, and a
 * table and a picture of them. A sweep that was interrupted goes on where it was.
 */
#ifndef ASIM_TOOLS_SWEEP_SWEEP_H
#define ASIM_TOOLS_SWEEP_SWEEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "asim/asim.h"
#include "base/mem.h"

enum { ASIM_SWEEP_PATH = 2048, ASIM_SWEEP_POINTS = 100000, ASIM_SWEEP_FIGURES = 4 };

/* An option of the command; of `asim run`, too: type, size, ranks, count of `asim trace generate`;
 * "llm.KEY" of `asim trace llm`; "topo.KEY" of the maker of the topology; "scenario.PATH" of a
 * value in the scenario. */
struct asim_sweep_key {
    char *name;
    ASIM_VEC(char *) values; /* one: the same in all points */
    int is_asked;            /* of --vary: in the table, whatever the number of values */
};

static inline int asim_sweep_varies(const struct asim_sweep_key *key)
{
    return key->values.n > 1 || key->is_asked;
}

enum asim_sweep_state {
    ASIM_POINT_WAITING,
    ASIM_POINT_RUNNING,
    ASIM_POINT_FINISHED,
    ASIM_POINT_STALLED,
    ASIM_POINT_FAILED,
    ASIM_POINT_TIMED_OUT,
    ASIM_POINT_INTERRUPTED
};

struct asim_sweep_point {
    enum asim_sweep_state state;
    enum asim_sweep_state earlier;      /* of the run of that identity, as sweep.csv and then its
                                         * files have it */
    char identity[ASIM_IDENTITY_BYTES]; /* "" = not known */
    pid_t process;
    double began_s; /* of the wall clock */
    uint64_t ranks;
    double figure[ASIM_SWEEP_FIGURES];
    char cause[96]; /* what limits it, with --of; "" = not known */
};

/* A column of sweep.csv, and of the table in its unit. */
struct asim_sweep_figure {
    const char *column, *heading;
    const char *axis; /* what the picture says; of the first only */
    double unit;
};

/* A command that points run. (target.c) */
struct asim_sweep_target {
    const char *command;
    const char *output;     /* its option for runs/<point>; NULL: it makes that folder itself */
    const char *const *own; /* options that the sweep chooses; ends with NULL */
    struct asim_sweep_figure figures[ASIM_SWEEP_FIGURES + 1]; /* the first is drawn */
    /* Reads what the point has left in its folder. */
    int (*read)(struct asim_sweep_point *point, const char *folder, struct asim_err *err);
};

struct asim_sweep {
    const struct asim_sweep_target *target;
    ASIM_VEC(struct asim_sweep_key) keys;
    const char *folder;
    uint32_t jobs;
    double limit_s; /* of a point; 0 = none */
    int again;      /* points that failed or timed out run again */
    char self[ASIM_SWEEP_PATH];
    const char *of;                  /* folder of the run that is varied, or NULL */
    uint64_t of_ns;                  /* its time */
    uint64_t of_was_ns;              /* before its inputs or asim changed; 0: the same */
    ASIM_VEC(char *) of_options;     /* its command, without what a sweep chooses: "--key=value" */
    int is_check;                    /* points are made ready only */
    size_t taken;                    /* points whose earlier results are those of the same run */
    struct asim_sweep_point *points; /* the last key varies fastest */
    size_t n;
};

/* Of `asim sweep` and `asim what-if`. (tools/command/sweep.c) */
struct asim_sweep_options {
    char *vary, *set, *of, *output_dir;
    uint32_t jobs;
    double limit_s;
    int again, quiet, json, command;
};
extern const struct asim_option asim_sweep_options[];

#define ASIM_SWEEP_COMMANDS "run|inference|nccl-tests"
enum { ASIM_SWEEP_TRAFFIC = 3 }; /* behind these: `asim run` of traffic without a job */
extern const struct asim_sweep_target asim_sweep_targets[];
/* The row of the command; whether it is `asim run`. */
const struct asim_member *asim_sweep_member(const struct asim_sweep *sweep);
int asim_sweep_runs_jobs(const struct asim_sweep *sweep);
/* The option behind a key, whatever its name; NULL where it is one of what makes inputs. (grid.c)
 */
const struct asim_option *asim_sweep_option(const struct asim_sweep *sweep, const char *name);

/* Reads keys from a file (JSON object: a value, or a list of values to vary) or from "key=a,b,c".
 * (grid.c) */
int asim_sweep_read(struct asim_sweep *sweep, const char *path, struct asim_err *err);
int asim_sweep_vary(struct asim_sweep *sweep, const char *text, struct asim_err *err);
/* Adds a key of one value. */
int asim_sweep_set(struct asim_sweep *sweep, const char *name, const char *value,
                   struct asim_err *err);
/* Whether a key is an option, under any of its names, that a sweep chooses itself; of which there
 * is a key; the value of one that stands alone on a command line, else NULL. */
int asim_sweep_is_own(const struct asim_sweep *sweep, const char *name);
const char *asim_sweep_alone(const struct asim_sweep *sweep, const char *name);
int asim_sweep_is_workload(const struct asim_sweep *sweep, const char *name);
int asim_sweep_has(const struct asim_sweep *sweep, const char *name);
/* Whether the key is no option of the command but of what makes its inputs; behind "llm.",
 * "topo." or "scenario.", else NULL. */
int asim_sweep_is_made(const struct asim_sweep *sweep, const char *name);
const char *asim_sweep_behind(const char *name, const char *prefix);
/* The topology of a point, with its topo.KEYs. */
void asim_sweep_topo(const struct asim_sweep *sweep, size_t point, char *topo, size_t size);
/* Options of the run in a folder that no key has yet, as keys of one value. Then, in a sweep with a
 * folder, its time. (of.c) */
int asim_sweep_of(struct asim_sweep *sweep, const char *folder, struct asim_err *err);
int asim_sweep_of_run(struct asim_sweep *sweep, struct asim_err *err);
/* Checks the keys and makes the points. */
int asim_sweep_make(struct asim_sweep *sweep, struct asim_err *err);
/* Scenarios of points with keys "scenario.PATH", in the folder of the sweep: whether there are any;
 * the file of a point; writes all, and reads them as a run does. (scenario.c) */
/* Whether the scenarios of all points have traffic, but no job whose time would count. */
int asim_sweep_is_traffic(const struct asim_sweep *sweep);
int asim_sweep_has_scenarios(const struct asim_sweep *sweep);
void asim_sweep_scenario(const struct asim_sweep *sweep, size_t point, char *path, size_t size);
int asim_sweep_write_scenarios(const struct asim_sweep *sweep, struct asim_err *err);
/* Checks what several values make together: the topologies of all points. (check.c) */
int asim_sweep_check(const struct asim_sweep *sweep, struct asim_err *err);
/* Whether the sweep makes the workloads of `asim run`: it has no key workload or scenario; with
 * `asim trace llm`.
 */
int asim_sweep_generates(const struct asim_sweep *sweep);
int asim_sweep_has_llm(const struct asim_sweep *sweep);
/* The value of a key at a point; NULL where the key does not exist. */
const char *asim_sweep_value(const struct asim_sweep *sweep, size_t point, const char *name);
const char *asim_sweep_at(const struct asim_sweep *sweep, size_t point, size_t key);
void asim_sweep_fini(struct asim_sweep *sweep);

/* Makes the scenarios and workloads of all points, and checks all runs. From then on Ctrl-C is
 * noted. (pool.c) */
int asim_sweep_prepare(struct asim_sweep *sweep, struct asim_err *err);
/* Runs the points that have no result yet. 0, ASIM_EINTR, or another code. (pool.c) */
int asim_sweep_run(struct asim_sweep *sweep, struct asim_err *err);

/* The prefix of a generated workload tells its content, so points share it. Makes it where it is
 * not there whole. (workload.c) */
void asim_sweep_prefix(const struct asim_sweep *sweep, size_t point, char *prefix, size_t size);
int asim_sweep_generate(const struct asim_sweep *sweep, size_t point, struct asim_err *err);

/* Adds the files that a value names to a digest. (named_files.c) */
struct asim_digest;
int asim_sweep_add_files(struct asim_digest *sum, const char *value, struct asim_err *err);

/* sweep.csv: a row a point. Reading notes which points have run before; numbers come from the files
 * of their runs, which tell whether they still hold. (results.c) */
int asim_sweep_write_csv(const struct asim_sweep *sweep, struct asim_err *err);
int asim_sweep_read_csv(struct asim_sweep *sweep, struct asim_err *err);
/* On stdout: a table; one JSON object. */
void asim_sweep_print(const struct asim_sweep *sweep);
int asim_sweep_print_json(const struct asim_sweep *sweep, struct asim_err *err);
/* Whether the table has a column of the key; the difference to the run of --of in per cent; the
 * point's state, or with --of what limits it. */
int asim_sweep_shows(const struct asim_sweep *sweep, size_t key);
double asim_sweep_change(const struct asim_sweep *sweep, double finish_ns);
const char *asim_sweep_word(const struct asim_sweep *sweep, size_t point);
/* The reason of a point that failed, from its log; "" where there is none. */
void asim_sweep_reason(const struct asim_sweep *sweep, size_t point, char *reason, size_t size);

/* Points that differ in their seed only. (seeds.c) */
struct asim_sweep_spread {
    size_t n, known; /* points; those that have finished */
    double median, least, most;
};
/* The key whose last word is seed and that varies, or keys.n. */
size_t asim_sweep_seed(const struct asim_sweep *sweep);
int asim_sweep_has_seeds(const struct asim_sweep *sweep);
/* Whether it is the first of its seeds, as each point is without that key. */
int asim_sweep_is_first_seed(const struct asim_sweep *sweep, size_t point);
/* The first seed of the point that has not finished, else the point. */
size_t asim_sweep_worst(const struct asim_sweep *sweep, size_t point);
/* The spread of a figure over the seeds of a point. */
struct asim_sweep_spread asim_sweep_spread(const struct asim_sweep *sweep, size_t point,
                                           size_t figure);

/* sweep.svg: time over the key with most numeric values, a line for each combination of the others;
 * and the page. (picture.c) */
int asim_sweep_draw(const struct asim_sweep *sweep, struct asim_err *err);
struct asim_chart;
/* sweep.html: the chart, or NULL, and the table with links to the pages of points. (page.c) */
int asim_sweep_write_page(const struct asim_sweep *sweep, const struct asim_chart *chart,
                          struct asim_err *err);

#endif
