/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Measured times of kernels and sub-modules, as AIOB writes them: "Name:" and indented
 * "time_gpu_avg: us" lines (simai.md#compute-times).
 */
#include "llm/llm.h"

#include <stdio.h>
#include <string.h>
#include "base/io/src.h"
#include "base/text.h"

/* The limit keeps a broken file small. */
struct asim_llm_section *asim_llm_sections_add(struct asim_llm_times *times, const char *name)
{
    struct asim_llm_section section = {.name = ""};
    snprintf(section.name, sizeof section.name, "%s", name);
    if (times->sections.n >= 4096 || ASIM_VEC_PUSH(times->sections, section))
        return NULL;
    return &times->sections.at[times->sections.n - 1];
}

/* One line "key: value" or "Name:". */
static int read_line(struct asim_llm_times *times, struct asim_src *src, char *word,
                     struct asim_err *err)
{
    char safe[64];
    char *colon = strchr(word, ':');
    if (!colon)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s' where 'Name:' or 'time_gpu_avg: 12.5' is expected.",
                           asim_text_safe(safe, sizeof safe, word));
    *colon = '\0';
    const char *value = colon[1] ? colon + 1 : asim_src_word_in_line(src);
    if (!value && !strncmp(word, "time_gpu_", 9))
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found no number behind '%s:'; microseconds are expected.",
                           asim_text_safe(safe, sizeof safe, word));
    if (!value)
        return asim_llm_sections_add(times, word) ? 0
                                                  : asim_err_nomem(err, "reading compute times");
    static const char *const keys[] = {"time_gpu_min", "time_gpu_max", "time_gpu_avg"};
    const char *near = asim_text_nearest(word, keys, 3);
    if (near && strcmp(near, word) != 0)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s:'. Did you mean '%s:'?",
                           asim_text_safe(safe, sizeof safe, word), near);
    if (!near)
        return 0; /* train_iter: and the like */
    struct asim_llm_section *section =
        times->sections.n ? &times->sections.at[times->sections.n - 1] : NULL;
    const char *more = asim_src_word_in_line(src);
    double us;
    if (more)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s' behind the number; one number a line is expected.",
                           asim_text_safe(safe, sizeof safe, more));
    if (!section || asim_text_double(value, &us) || us < 0 || us > 1e12)
        return asim_err_at(
            err, ASIM_EINVAL, asim_src_where(src),
            "found '%s' where a number of microseconds below a 'Name:' line is expected.",
            asim_text_safe(safe, sizeof safe, value));
    double *at = !strcmp(word, "time_gpu_min")   ? &section->min_us
                 : !strcmp(word, "time_gpu_max") ? &section->max_us
                                                 : &section->avg_us;
    if (*at > 0)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src), "'%s:' stands twice below '%s:'.",
                           word, asim_text_safe(safe, sizeof safe, section->name));
    *at = us;
    return 0;
}

/* Indentation has no meaning: a line with a value belongs to the last line without one. */
int asim_llm_sections_read(struct asim_llm_times *times, const char *path, struct asim_err *err)
{
    struct asim_src src;
    char *word;
    int rc = asim_src_open(&src, path, err);
    if (rc)
        return rc;
    while (!rc && asim_src_next_line(&src) && (word = asim_src_word_in_line(&src)))
        rc = read_line(times, &src, word, err);
    if (!rc && !times->sections.n)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                         "there are no compute times in this file; AIOB writes 'Name:' lines "
                         "followed by 'time_gpu_avg: microseconds'.");
    asim_src_close(&src);
    return rc;
}
