/* SPDX-License-Identifier: GPL-2.0-only
 *
 * `asim sweep --of=RUN`: what if this run had other values? Its options are those of all points,
 * but for what is varied. Its time counts if its inputs and asim are still the same; else it runs
 * again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/out.h"
#include "base/io/src.h"
#include "cli/child.h"
#include "tools/report/identity.h"
#include "tools/run/job.h"
#include "tools/sweep/sweep.h"

/* The next word of a line as write_command of tools/run/job.c writes it: '…', with '\'' for a
 * quote. In place; NULL at the end. */
static char *next_word(char **at)
{
    char *from = strchr(*at, '\''), *to = from, *word = from;

    if (!from)
        return NULL;
    for (from++; *from; from++) {
        if (*from != '\'')
            *to++ = *from;
        else if (!strncmp(from, "'\\''", 4))
            *to++ = '\'', from += 3;
        else
            break;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* Keeps the option for the run itself, and makes a key of one value where no key varies it. */
static int take_option(struct asim_sweep *sweep, char *word, char **rest, struct asim_err *err)
{
    char *at = strchr(word, '='), *name = word + strspn(word, "-"), *option;
    const char *value;
    int is_replaced;

    if (at)
        *at++ = '\0';
    value = at ? at : asim_sweep_alone(sweep, name);
    if (!value)
        value = next_word(rest);
    if (!value || asim_sweep_is_own(sweep, name))
        return 0;
    is_replaced = asim_sweep_has_llm(sweep) && asim_sweep_is_workload(sweep, name);
    option = malloc(strlen(name) + strlen(value) + 4);
    if (!option || ASIM_VEC_PUSH(sweep->of_options, option)) {
        free(option);
        return asim_err_nomem(err, "reading the command of a run");
    }
    sprintf(option, "--%s=%s", name, value);
    return is_replaced || asim_sweep_has(sweep, name) ? 0 : asim_sweep_set(sweep, name, value, err);
}

/* Whether the run has a time, and the command is its own. */
static int check_run(const char *folder, struct asim_err *err)
{
    struct asim_job_result run = {.backend = ""};
    struct asim_identity identity = {.root = NULL};
    int code;

    snprintf(run.folder, sizeof run.folder, "%.1900s", folder);
    code = asim_job_result(&run, err) || asim_identity_open(&identity, folder, err);
    if (!code && !asim_identity_has(&identity, "command.txt"))
        asim_err_set(err, ASIM_EINVAL,
                     "%s/command.txt is not as the run wrote it; run the case again.", folder);
    else if (!code && (strcmp(run.state, "finished") || !run.finish_ns))
        asim_err_set(
            err, ASIM_EINVAL, "%s has no time that others could be compared with: %s%s.", folder,
            run.finish_ns ? "its state is " : "no rank took any, and its state is ", run.state);
    asim_identity_close(&identity);
    return err->code;
}

int asim_sweep_of(struct asim_sweep *sweep, const char *folder, struct asim_err *err)
{
    struct asim_src command;
    char path[ASIM_SWEEP_PATH], *at, *word;
    int code;

    snprintf(path, sizeof path, "%.1900s/command.txt", folder);
    if (asim_src_open(&command, path, &(struct asim_err){0}))
        return asim_err_set(err, ASIM_EINVAL,
                            "--of=%s: there is no %s; expected the folder of a run of `asim run`.",
                            folder, path);
    at = command.data;
    code = check_run(folder, err);
    while (!code && (word = next_word(&at)))
        code = take_option(sweep, word, &at, err);
    asim_src_close(&command);
    sweep->of = folder;
    if (!code && asim_sweep_has_llm(sweep) && !asim_sweep_has(sweep, "llm.model"))
        return asim_err_set(err, ASIM_EUSAGE,
                            "keys of `asim trace llm` make another workload, and how that of %s "
                            "was made is not known: give all of it, from --set llm.model=NAME on.",
                            folder);
    return code;
}

int asim_sweep_of_run(struct asim_sweep *sweep, struct asim_err *err)
{
    struct asim_job_result earlier = {.backend = ""}, now = {.backend = ""};
    char runs[ASIM_SWEEP_PATH], folder[ASIM_SWEEP_PATH], unless[80], log[ASIM_SWEEP_PATH];
    const char *own[] = {sweep->self, "run", "--name=of", "--force", folder, unless};
    const size_t n_own = sizeof own / sizeof *own;
    const char **words = malloc((n_own + sweep->of_options.n) * sizeof *words);
    int code;

    snprintf(runs, sizeof runs, "%.1900s/runs", sweep->folder);
    snprintf(folder, sizeof folder, "--output-dir=%.1900s/runs", sweep->folder);
    snprintf(log, sizeof log, "%.1900s/runs/of.log", sweep->folder);
    snprintf(earlier.folder, sizeof earlier.folder, "%.1900s", sweep->of);
    snprintf(now.folder, sizeof now.folder, "%.1900s/runs/of", sweep->folder);
    if (!words)
        asim_err_nomem(err, "running a run again");
    else if (!asim_job_result(&earlier, err))
        asim_out_mkdir(runs, err);
    if (!err->code) {
        snprintf(unless, sizeof unless, "--unless=%s", earlier.identity);
        memcpy(words, own, sizeof own);
        for (size_t i = 0; i < sweep->of_options.n; i++)
            words[n_own + i] = sweep->of_options.at[i];
        asim_child_run(words, n_own + sweep->of_options.n, log, &code, err);
    }
    if (!err->code && code == ASIM_JOB_SAME)
        sweep->of_ns = earlier.finish_ns;
    else if (!err->code && code)
        asim_err_set(err, ASIM_EINVAL, "the command of %s fails now; %s says why.", sweep->of, log);
    else if (!err->code && !asim_job_result(&now, err))
        sweep->of_ns = now.finish_ns, sweep->of_was_ns = earlier.finish_ns;
    free(words);
    return err->code;
}
