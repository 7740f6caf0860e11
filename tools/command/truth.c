/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim truth: a suite of tests/truth, run with this tool. Suites are scripts of the source checkout
 * that the tool was built in; this command finds them from its own path.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/child.h"

/* tests/golden/truth checks that each folder with a `run` is here. */
static const struct suite {
    const char *name, *folder, *about;
} suites[] = {
    {"tables", "", "collectives beside published tables of nccl-tests (doc/truth.md)"},
    {"steps", "steps/", "training steps beside published ones (doc/truth-steps.md)"},
    {"serving", "serving/", "transfers of KV caches and vLLM under load (doc/truth-serving.md)"},
    {"congestion", "congestion/",
     "incasts, pauses, marks and latencies beside switches, NICs and clusters (doc/congestion.md)"},
    {"blind", "blind/", "jobs predicted before their times are known (doc/blind.md)"},
};
enum { SUITES = sizeof suites / sizeof *suites };

struct options {
    int slow;
};

static const struct asim_option options[] = {{"slow", NULL,
                                              "also the rows that take a minute and more each", "0",
                                              ASIM_T_BOOL, offsetof(struct options, slow)},
                                             {0}};

/* "ROOT/tests/truth/" of the tool ROOT/build/KIND/asim. */
static int find_suites(const char *self, char path[ASIM_CHILD_PATH], struct asim_err *err)
{
    static const char folder[] = "/tests/truth/";
    size_t n = strlen(self);

    for (int up = 0; up < 3; up++)
        while (n && self[--n] != '/')
            ;
    if (n + sizeof folder + 32 < ASIM_CHILD_PATH) {
        snprintf(path, ASIM_CHILD_PATH, "%.*s%s", (int)n, self, folder);
        if (!access(path, R_OK))
            return 0;
    }
    return asim_err_set(err, ASIM_EINVAL,
                        "the suites are scripts in tests/truth of asim's sources, and %s was not "
                        "built in them; run ./asim truth in a checkout.",
                        self);
}

static const struct suite *find(const char *name, struct asim_err *err)
{
    const char *names[SUITES];
    char safe[80], hint[160];

    for (size_t i = 0; i < SUITES; i++) {
        names[i] = suites[i].name;
        if (!strcmp(names[i], name))
            return &suites[i];
    }
    asim_err_set(err, ASIM_EUSAGE, "there is no suite '%s'.%s 'asim truth' lists them.",
                 asim_text_safe(safe, sizeof safe, name),
                 asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, SUITES)));
    return NULL;
}

static int work(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    char self[ASIM_CHILD_PATH], path[ASIM_CHILD_PATH];
    const struct suite *suite;
    int code = asim_child_self(self, err);

    if (!code)
        code = find_suites(self, path, err);
    if (code)
        return code;
    for (size_t i = 0; !args->n_words && i < SUITES; i++)
        printf("%-10s  %s\n", suites[i].name, suites[i].about);
    if (!args->n_words)
        return 0;
    suite = find(args->words[0], err);
    if (!suite)
        return err->code;
    snprintf(path + strlen(path), 32, "%srun", suite->folder);
    setenv("ASIM_TOOL", self, 1);
    if (opt->slow)
        setenv("ASIM_SLOW", "1", 1);
    else
        unsetenv("ASIM_SLOW");
    fflush(NULL);
    execl(path, path, "--table", (char *)NULL);
    return asim_err_set(err, ASIM_EIO, "cannot start %s: %s.", path, strerror(errno));
}

static const struct asim_args_job job = {
    .name = "truth",
    .usage =
        "usage: asim truth [SUITE] [--slow]\n\n"
        "Predicts again what was measured elsewhere, with this build, and compares with what the\n"
        "checkout has recorded. Without SUITE it lists the suites. `congestion` prints a table of\n"
        "what, measured, predicted, mark and the reason of a miss; the others a line a check, and\n"
        "the page named beside them has the table. It needs a checkout of the sources and "
        "python3.\n"
        "Exit codes: 0 every prediction and mark is as recorded, misses included; 1 one moved;\n"
        "130 Ctrl-C.",
    .options = options,
    .max_words = 1,
    .work = work,
    .words_are = ASIM_F_READS,
    .reads_only = 1,
};

const struct asim_command asim_command_truth = {
    .member = {"truth", "Predictions beside what real machines showed.", options,
               sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_COMPARE,
};
