/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the workloads of a sweep. A set of traces counts only beside a file <prefix>.whole that
 * tells the version that made it, the digest of its bytes and that of the files it was made of:
 * what was cut short, changed, or made by another version or of other files is made again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "base/io/digest.h"
#include "base/io/out.h"
#include "base/io/rank_path.h"
#include "cli/child.h"
#include "tools/sweep/sweep.h"

extern const struct asim_command asim_trace_command_llm;

enum { MARK = 256 };

static const char *value_or(const struct asim_sweep *sweep, size_t point, const char *name,
                            const char *other)
{
    const char *value = asim_sweep_value(sweep, point, name);

    return value ? value : other;
}

/* Of `asim trace llm`: the digest of its options names the traces. */
static void llm_prefix(const struct asim_sweep *sweep, size_t point, char *prefix, size_t size)
{
    struct asim_digest sum = {.word = {0}};
    char text[ASIM_DIGEST_TEXT];

    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_behind(sweep->keys.at[k].name, "llm.")) {
            asim_digest_add_text(&sum, sweep->keys.at[k].name);
            asim_digest_add_text(&sum, asim_sweep_at(sweep, point, k));
        }
    snprintf(prefix, size, "%.1000s/workloads/llm_%.12s/w", sweep->folder,
             asim_digest_show(&sum, text));
}

void asim_sweep_prefix(const struct asim_sweep *sweep, size_t point, char *prefix, size_t size)
{
    if (asim_sweep_has_llm(sweep)) {
        llm_prefix(sweep, point, prefix, size);
        return;
    }
    snprintf(prefix, size, "%.1000s/workloads/%.60s_%.20s_ranks_%.20s_x%.20s/w", sweep->folder,
             value_or(sweep, point, "type", "all_reduce"), asim_sweep_value(sweep, point, "ranks"),
             value_or(sweep, point, "size", "1M"), value_or(sweep, point, "count", "1"));
}

static int add_trace(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    struct asim_digest *sum = self, one = {.word = {rank}};
    int code = asim_digest_add_file(&one, path, err);

    sum->word[0] += one.word[0];
    sum->word[1] += one.word[1];
    return code;
}

/* Tables and models that the generator reads. */
static int add_sources(struct asim_digest *sum, const struct asim_sweep *sweep, size_t point,
                       struct asim_err *err)
{
    int code = 0;

    for (size_t k = 0; k < sweep->keys.n && !code; k++) {
        const char *key = asim_sweep_behind(sweep->keys.at[k].name, "llm.");
        const struct asim_option *row =
            key ? asim_option_find(asim_trace_command_llm.member.options, key) : NULL;

        if (row && row->flags & ASIM_F_READS)
            code = asim_sweep_add_files(sum, asim_sweep_at(sweep, point, k), err);
    }
    return code;
}

/* What the file of a whole set says. */
static int mark_of(char mark[MARK], const struct asim_sweep *sweep, size_t point,
                   const char *prefix, struct asim_err *err)
{
    struct asim_digest sum = {.word = {0}}, sources = {.word = {0}};
    char text[ASIM_DIGEST_TEXT], of[ASIM_DIGEST_TEXT];
    int code = asim_rank_path_each(prefix, add_trace, &sum, err) ||
                       add_sources(&sources, sweep, point, err)
                   ? ASIM_EIO
                   : 0;

    snprintf(mark, MARK, "%s %s %s %s\n", asim_version(), asim_commit(),
             asim_digest_show(&sum, text), asim_digest_show(&sources, of));
    return code;
}

static int is_whole(const struct asim_sweep *sweep, size_t point, const char *prefix,
                    const char *path)
{
    char want[MARK], got[MARK] = "";
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    if (!fgets(got, sizeof got, file))
        *got = '\0';
    fclose(file);
    return !mark_of(want, sweep, point, prefix, NULL) && !strcmp(want, got);
}

static int write_mark(const struct asim_sweep *sweep, size_t point, const char *prefix,
                      const char *path, struct asim_err *err)
{
    char mark[MARK];
    struct asim_out out;

    if (mark_of(mark, sweep, point, prefix, err) || asim_out_open(&out, path, err))
        return ASIM_EIO;
    asim_out_printf(&out, "%s", mark);
    return asim_out_commit(&out, err);
}

enum { MOST_WORDS = 64 };

/* A command line being made. */
struct line {
    char words[MOST_WORDS][ASIM_SWEEP_PATH + 16];
    const char *argv[MOST_WORDS];
    size_t n;
};

static void add(struct line *line, const char *key, const char *value)
{
    if (line->n == MOST_WORDS)
        return;
    snprintf(line->words[line->n], sizeof line->words[0], "--%s=%s", key, value);
    line->argv[line->n] = line->words[line->n];
    line->n++;
}

static void make_line(struct line *line, const struct asim_sweep *sweep, size_t point,
                      const char *prefix)
{
    const char *key, *schedule = value_or(sweep, point, "llm.schedule", "rows");
    int is_llm = asim_sweep_has_llm(sweep);
    char text[ASIM_SWEEP_PATH];

    line->argv[0] = sweep->self;
    line->argv[1] = "trace";
    line->argv[2] = is_llm ? "llm" : "generate";
    line->argv[3] = "--force";
    line->n = 4;
    add(line, is_llm ? "et" : "out", prefix);
    for (size_t k = 0; is_llm && k < sweep->keys.n; k++)
        if ((key = asim_sweep_behind(sweep->keys.at[k].name, "llm.")))
            add(line, key, asim_sweep_at(sweep, point, k));
    snprintf(text, sizeof text, "%.2000s.txt", prefix);
    if (is_llm && !strcmp(schedule, "rows")) /* else it has no text */
        add(line, "out", text);
    if (is_llm)
        return;
    add(line, "type", value_or(sweep, point, "type", "all_reduce"));
    add(line, "ranks", asim_sweep_value(sweep, point, "ranks"));
    add(line, "size", value_or(sweep, point, "size", "1M"));
    add(line, "count", value_or(sweep, point, "count", "1"));
}

int asim_sweep_generate(const struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    char prefix[ASIM_SWEEP_PATH], log[ASIM_SWEEP_PATH], mark[ASIM_SWEEP_PATH + 16];
    struct line *line;
    int code, failed;

    asim_sweep_prefix(sweep, point, prefix, sizeof prefix);
    snprintf(mark, sizeof mark, "%s.whole", prefix);
    if (is_whole(sweep, point, prefix, mark))
        return 0;
    remove(mark);
    line = calloc(1, sizeof *line);
    if (!line)
        return asim_err_nomem(err, "making a workload");
    make_line(line, sweep, point, prefix);
    snprintf(log, sizeof log, "%.1000s/workloads.log", sweep->folder);
    failed = asim_child_run(line->argv, line->n, log, &code, err);
    free(line);
    if (failed)
        return err->code;
    return code ? asim_err_set(err, ASIM_EINVAL, "the workload %s could not be generated.", prefix)
                : write_mark(sweep, point, prefix, mark, err);
}
