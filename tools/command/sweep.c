/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim sweep: runs all combinations of the values of some options, as `asim run` runs them, and
 * compares them in a table, a CSV and a picture.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "cli/child.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "tools/sweep/sweep.h"
#include "base/io/foreign.h"

#define AT(field) offsetof(struct asim_sweep_options, field)
const struct asim_option asim_sweep_options[] = {
    {"vary", NULL,
     "KEY=VALUE,VALUE,… or KEY=VALUE;VALUE;…, with 1..5 for 1 to 5: an option of `asim run` "
     "(bandwidth=leaf-spine:2x, bucket-mb=25,100), or of --command; of seeds the table has median "
     "and spread; topo.KEY of the topology's maker (topo.psn); type, size, ranks, count of a "
     "generated "
     "workload, "
     "or llm.KEY of `asim trace llm` (llm.tp, llm.mbs, llm.compute_model); once for each key",
     NULL, ASIM_T_STRING, AT(vary)},
    {"set", NULL,
     "KEY=VALUE: the same for all points; give it once for each key. --KEY=VALUE does so, too, "
     "where "
     "KEY is an option of the command",
     NULL, ASIM_T_STRING, AT(set)},
    {"of", NULL,
     "folder of a run of `asim run`: all points have its options but for those that are varied, "
     "and the table tells the difference to it, and what limits each",
     NULL, ASIM_T_STRING, AT(of), .flags = ASIM_F_READS},
    {"command", NULL,
     "what the points run: `asim run`, `asim inference` or `asim nccl-tests` (one of sizes=…)",
     "run", ASIM_T_CHOICE, AT(command), 0, 0, ASIM_SWEEP_COMMANDS},
    {"output-dir", "out", "folder of the sweep (default sweep); one that is there goes on", NULL,
     ASIM_T_STRING, AT(output_dir), .flags = ASIM_F_WRITES | ASIM_F_RESULT},
    {"jobs", "j", "runs at once; 0 = one for each core", NULL, ASIM_T_U32, AT(jobs), 0, 4096},
    {"time-limit", NULL, "seconds of wall clock for each run; 0 = none", NULL, ASIM_T_DOUBLE,
     AT(limit_s), 0, 1e9},
    {"again", NULL, "run points that stalled or timed out again, too; those that failed always do",
     "0", ASIM_T_BOOL, AT(again)},
    {"quiet", NULL, "no table on stdout", "0", ASIM_T_BOOL, AT(quiet)},
    {"json", NULL, "in place of the table: all points as JSON on stdout", "0", ASIM_T_BOOL,
     AT(json)},
    {0}};

/* Whether it is "--key=value" of an option that points have and the sweep does not. */
static int is_of_points(const char *arg)
{
    const char *name = arg + strspn(arg, "-");
    size_t length = strcspn(name, "=");
    char key[64];

    if (name == arg || !name[length] || length >= sizeof key)
        return 0;
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    for (int i = 0; i < ASIM_SWEEP_TRAFFIC && !asim_option_find(asim_sweep_options, key); i++) {
        const struct asim_sweep of = {.target = &asim_sweep_targets[i]};

        if (asim_sweep_option(&of, key) || asim_sweep_is_made(&of, key))
            return 1;
    }
    return 0;
}

/* Takes --vary, --set and options of the points, which are set, out of argv; returns the new argc,
 * or 0 with err. */
static int take_keys(struct asim_sweep *sweep, int argc, char **argv, struct asim_err *err)
{
    int n = 1;

    for (int i = 1; i < argc; i++) {
        int is_vary = asim_args_is(argv[i], &asim_sweep_options[0]),
            is_points = is_of_points(argv[i]),
            is_set = is_points || asim_args_is(argv[i], &asim_sweep_options[1]);
        const char *text = strchr(argv[i], '=');

        if (!is_vary && !is_set) {
            argv[n++] = argv[i];
            continue;
        }
        text = is_points ? argv[i] + strspn(argv[i], "-") : text ? text + 1 : argv[++i];
        if (!text) {
            asim_err_set(err, ASIM_EUSAGE, "the option %s needs a value behind it.", argv[i - 1]);
            return 0;
        }
        if (is_set && strchr(text, '=')) {
            char name[64];

            snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
            if (asim_sweep_set(sweep, name, strchr(text, '=') + 1, err))
                return 0;
        } else if (is_set) {
            asim_err_set(err, ASIM_EUSAGE, "--set=%s: expected KEY=VALUE.", text);
            return 0;
        } else if (asim_sweep_vary(sweep, text, err)) {
            return 0;
        }
    }
    argv[n] = NULL;
    return n;
}

/* Results so far are kept in any case. */
static int finish(const struct asim_sweep *sweep, int code, const struct asim_sweep_options *opt,
                  struct asim_err *err)
{
    struct asim_err writing = {0};
    size_t bad = 0;

    if (asim_sweep_write_csv(sweep, &writing) || asim_sweep_draw(sweep, &writing)) {
        if (!code)
            *err = writing;
        return 1;
    }
    if (opt->json && asim_sweep_print_json(sweep, err))
        return 1;
    if (!opt->quiet && !opt->json)
        asim_sweep_print(sweep);
    for (size_t i = 0; i < sweep->n; i++)
        bad += sweep->points[i].state != ASIM_POINT_FINISHED;
    if (code == ASIM_EINTR)
        asim_err_set(err, ASIM_EINTR, "stopped; the same command goes on where it was.");
    if (sweep->taken)
        fprintf(stderr,
                "%zu of %zu points taken over: their options, inputs and asim are the same "
                "as in %s/sweep.csv.\n",
                sweep->taken, sweep->n, sweep->folder);
    if (!code && bad)
        fprintf(stderr, "%zu of %zu points have no time; --again runs them again.\n", bad,
                sweep->n);
    fprintf(stderr, "%s/sweep.html (a page), sweep.csv and sweep.svg are written.\n",
            sweep->folder);
    return code == ASIM_EINTR ? 130 : code || bad;
}

/* The folder is this sweep's until the lock is closed. Returns it, or -1. */
static int take_folder(const struct asim_sweep *sweep, struct asim_err *err)
{
    int lock = open(sweep->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (lock < 0) {
        asim_err_set(err, ASIM_EIO, "cannot open %s: %s.", sweep->folder, strerror(errno));
    } else if (flock(lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        asim_err_set(err, ASIM_EIO, "another sweep runs in %s; give another --output-dir.",
                     sweep->folder);
        close(lock);
        lock = -1;
    }
    return lock;
}

/* What is wrong with the question itself. 0, or the exit code. */
static int read_keys(struct asim_sweep *sweep, const struct asim_args *args,
                     const struct asim_sweep_options *opt, struct asim_err *err)
{
    static const char *const names[] = {"sweep.csv", "sweep.svg", "sweep.html", "workloads.log"};
    const size_t most = 1000; /* leaves room for files in it */

    if (strlen(sweep->folder) > most)
        return asim_err_set(err, ASIM_EUSAGE,
                            "the folder of the sweep has a name of %zu bytes; at most %zu are "
                            "taken.",
                            strlen(sweep->folder), most),
               2;
    if (opt->of && !asim_sweep_runs_jobs(sweep))
        return asim_err_set(err, ASIM_EUSAGE, "--of is for --command=run."), 2;
    if (args->n_words && asim_sweep_read(sweep, args->words[0], err))
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (asim_files_check_inside(args, ASIM_F_READS, sweep->folder, names[i], err))
            return 1;
    if (!sweep->keys.n)
        return asim_err_set(err, ASIM_EUSAGE, "nothing to vary; --help shows how."), 2;
    if (opt->of && asim_sweep_of(sweep, opt->of, err))
        return 1;
    if (!opt->of && asim_sweep_runs_jobs(sweep) && asim_sweep_is_traffic(sweep))
        sweep->target = &asim_sweep_targets[ASIM_SWEEP_TRAFFIC];
    if (asim_sweep_make(sweep, err))
        return err->code == ASIM_EUSAGE ? 2 : 1;
    return asim_sweep_check(sweep, err) ? 1 : 0;
}

static int start(struct asim_sweep *sweep, const struct asim_args *args,
                 const struct asim_sweep_options *opt, struct asim_err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int lock = -1, code;

    sweep->target = &asim_sweep_targets[opt->command];
    sweep->folder = opt->output_dir ? opt->output_dir : "sweep";
    sweep->jobs = opt->jobs ? opt->jobs : cores > 0 ? (uint32_t)cores : 1;
    sweep->limit_s = opt->limit_s;
    sweep->again = opt->again;
    code = read_keys(sweep, args, opt, err);
    if (code && args->n_words)
        asim_foreign_instead(ASIM_EINVAL, args->words[0], NULL, err);
    if (code)
        return code;
    if (asim_child_self(sweep->self, err) || asim_out_mkdir(sweep->folder, err) ||
        (lock = take_folder(sweep, err)) < 0 || asim_sweep_read_csv(sweep, err) ||
        asim_sweep_prepare(sweep, err) ||
        (sweep->of && !asim_interrupted() && asim_sweep_of_run(sweep, err)))
        code = 1;
    else
        code = finish(sweep, asim_sweep_run(sweep, err), opt, err);
    if (lock >= 0)
        close(lock);
    return code;
}

/* name: of the command, sweep or what-if. */
static void show_help(const char *name, int all)
{
    if (strcmp(name, "sweep"))
        printf(
            "usage: asim what-if RUN --vary KEY=VALUE,VALUE… [--vary …] [--option=value ...]\n\n"
            "Repeats the run in the folder RUN with all combinations of the values, and tells the "
            "difference to it and what\nlimits each. The folder of a question is one in "
            "RUN/what-if; the same question goes on there.\n\n");
    else
        printf("usage: asim sweep [FILE.json] [--vary KEY=VALUE,VALUE…]… [--set KEY=VALUE]… "
               "[--option=value ...]\n\n"
               "Runs all combinations of the values. FILE.json is an object: a key with a list is "
               "varied, one with a value is the\nsame for all: {\"ranks\": [2, 4], \"topo\": "
               "[\"auto:1d\", \"auto:2d\"], \"size\": \"1M\"}.\n\n");
    asim_args_help(stdout, NULL, asim_sweep_options, all);
}

static int run(int argc, char **argv)
{
    struct asim_sweep_options opt = {0};
    struct asim_sweep sweep = {.folder = NULL};
    const char *words[1];
    struct asim_args args = {
        .tables = {{asim_sweep_options, &opt}}, .words = words, .max_words = 1};
    struct asim_err err = {0};
    int code = asim_option_defaults(asim_sweep_options, &opt, &err) ? 1 : 0;

    if (!code && !(argc = take_keys(&sweep, argc, argv, &err)))
        code = 2;
    if (!code && asim_args_parse(&args, argc, argv, &err))
        code = 2;
    if (!code && args.help)
        show_help(argv[0], args.help == ASIM_ARGS_ALL);
    else if (!code)
        code = start(&sweep, &args, &opt, &err);
    if (err.code)
        asim_args_fail(strcmp(argv[0], "what-if") ? "sweep" : argv[0], &err, code);
    asim_option_fini(asim_sweep_options, &opt);
    asim_sweep_fini(&sweep);
    return code;
}

const struct asim_command asim_command_sweep = {
    .member = {"sweep", "Run all combinations of some values: table, CSV and picture.",
               asim_sweep_options, sizeof(struct asim_sweep_options)},
    .run = run,
    .topic = ASIM_TOPIC_COMPARE,
};
