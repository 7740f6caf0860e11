/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the workloads of a sweep. A set of traces counts only beside a file <prefix>.whole that
 * tells the version that made it and the digest of its bytes: what was cut short, changed or made
 * by another version is made again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/asim.h"
#include "base/io/digest.h"
#include "base/io/out.h"
#include "base/io/rank_path.h"
#include "cli/child.h"
#include "tools/sweep/sweep.h"

enum { MARK = 256 };

static const char *value_or(const struct asim_sweep *sweep, size_t point, const char *name,
                            const char *other)
{
    const char *value = asim_sweep_value(sweep, point, name);

    return value ? value : other;
}

void asim_sweep_prefix(const struct asim_sweep *sweep, size_t point, char *prefix, size_t size)
{
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

/* What the file of a whole set says. */
static int mark_of(char mark[MARK], const char *prefix, struct asim_err *err)
{
    struct asim_digest sum = {.word = {0}};
    char text[ASIM_DIGEST_TEXT];
    int code = asim_rank_path_each(prefix, add_trace, &sum, err);

    snprintf(mark, MARK, "%s %s %s\n", asim_version(), asim_commit(), asim_digest_show(&sum, text));
    return code;
}

static int is_whole(const char *prefix, const char *path)
{
    char want[MARK], got[MARK] = "";
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    if (!fgets(got, sizeof got, file))
        *got = '\0';
    fclose(file);
    return !mark_of(want, prefix, NULL) && !strcmp(want, got);
}

static int write_mark(const char *prefix, const char *path, struct asim_err *err)
{
    char mark[MARK];
    struct asim_out out;

    if (mark_of(mark, prefix, err) || asim_out_open(&out, path, err))
        return ASIM_EIO;
    asim_out_printf(&out, "%s", mark);
    return asim_out_commit(&out, err);
}

int asim_sweep_generate(const struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    char prefix[ASIM_SWEEP_PATH], words[5][ASIM_SWEEP_PATH + 16], log[ASIM_SWEEP_PATH],
        mark[ASIM_SWEEP_PATH + 16];
    const char *argv[] = {sweep->self, "trace",  "generate", words[0], words[1],
                          words[2],    words[3], words[4],   "--force"};
    int code;

    asim_sweep_prefix(sweep, point, prefix, sizeof prefix);
    snprintf(mark, sizeof mark, "%s.whole", prefix);
    if (is_whole(prefix, mark))
        return 0;
    remove(mark);
    snprintf(words[0], sizeof words[0], "--out=%s", prefix);
    snprintf(words[1], sizeof words[1], "--type=%s", value_or(sweep, point, "type", "all_reduce"));
    snprintf(words[2], sizeof words[2], "--ranks=%s", asim_sweep_value(sweep, point, "ranks"));
    snprintf(words[3], sizeof words[3], "--size=%s", value_or(sweep, point, "size", "1M"));
    snprintf(words[4], sizeof words[4], "--count=%s", value_or(sweep, point, "count", "1"));
    snprintf(log, sizeof log, "%.1000s/workloads.log", sweep->folder);
    if (asim_child_run(argv, sizeof argv / sizeof *argv, log, &code, err))
        return ASIM_EIO;
    return code ? asim_err_set(err, ASIM_EINVAL, "the workload %s could not be generated.", prefix)
                : write_mark(prefix, mark, err);
}
