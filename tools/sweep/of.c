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

static int take_option(struct asim_sweep *sweep, char *word, char **rest, struct asim_err *err)
{
    char *value = strchr(word, '='), *name = word + strspn(word, "-");

    if (value)
        *value++ = '\0';
    else if (asim_sweep_is_flag(name))
        value = "1";
    else
        value = next_word(rest);
    if (!value || asim_sweep_is_own(name) || asim_sweep_has(sweep, name))
        return 0;
    return asim_sweep_set(sweep, name, value, err);
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
    code = 0;
    while (!code && (word = next_word(&at)))
        code = take_option(sweep, word, &at, err);
    asim_src_close(&command);
    sweep->of = folder;
    return code;
}

/* The options of the run are keys of one value, and those that are varied are in its command. */
int asim_sweep_of_run(struct asim_sweep *sweep, struct asim_err *err)
{
    enum { MOST_WORDS = 64 };
    struct asim_job_result earlier = {.backend = ""}, now = {.backend = ""};
    const char *words[MOST_WORDS] = {sweep->self, "run"};
    struct asim_src command;
    char texts[3][ASIM_SWEEP_PATH], path[ASIM_SWEEP_PATH], *at, *word;
    size_t n = 2;
    int code;

    snprintf(earlier.folder, sizeof earlier.folder, "%.1900s", sweep->of);
    snprintf(now.folder, sizeof now.folder, "%.1900s/runs/of", sweep->folder);
    snprintf(path, sizeof path, "%.1900s/runs", sweep->folder);
    if (asim_job_result(&earlier, err) || asim_out_mkdir(path, err))
        return err->code;
    snprintf(path, sizeof path, "%.1900s/command.txt", sweep->of);
    if (asim_src_open(&command, path, err))
        return err->code;
    at = command.data;
    while (n < MOST_WORDS - 5 && (word = next_word(&at))) {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
                 word + strspn(word, "-"));
        if (!asim_sweep_is_own(name))
            words[n++] = word;
        else if (!strchr(word, '=') && !asim_sweep_is_flag(name))
            next_word(&at);
    }
    snprintf(texts[0], sizeof texts[0], "--output-dir=%.1900s/runs", sweep->folder);
    snprintf(texts[1], sizeof texts[1], "--unless=%s", earlier.identity);
    snprintf(texts[2], sizeof texts[2], "%.1900s/runs/of.log", sweep->folder);
    words[n++] = "--name=of";
    words[n++] = "--force";
    words[n++] = texts[0];
    words[n++] = texts[1];
    if (!asim_child_run(words, n, texts[2], &code, err)) {
        if (code == ASIM_JOB_SAME)
            sweep->of_ns = earlier.finish_ns;
        else if (code)
            asim_err_set(err, ASIM_EINVAL, "the command of %s fails now; %s says why.", sweep->of,
                         texts[2]);
        else if (!asim_job_result(&now, err))
            sweep->of_ns = now.finish_ns;
    }
    asim_src_close(&command);
    return err->code;
}
