/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads with one file for all ranks: the user's "prefix" is a regular file, and a format with a
 * `ranks` function recognises it. Costs one stat and the first 256 bytes of the file.
 */
#include "trace/shared.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/io/foreign.h"
#include "base/text.h"
#include "trace/format.h"

/* NULL in the usual case of a prefix, and for an unreadable file, whose opening then reports the
 * reason. */
const struct asim_trace_format *asim_trace_shared(const char *prefix)
{
    char head[256];
    struct stat st;
    if (stat(prefix, &st) || !S_ISREG(st.st_mode))
        return NULL;
    FILE *file = fopen(prefix, "rb");
    if (!file)
        return NULL;
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    if (n >= 3 && !memcmp(head, "\xEF\xBB\xBF", 3)) { /* a byte order mark is no text */
        n -= 3;
        memmove(head, head + 3, n);
    }
    for (size_t i = 0; asim_trace_format_table[i]; i++) {
        const struct asim_trace_format *row =
            (const struct asim_trace_format *)(const void *)asim_trace_format_table[i];
        if (row->ranks && row->sniff(head, n))
            return row;
    }
    return NULL;
}

int asim_trace_is_shared(const char *prefix)
{
    return asim_trace_shared(prefix) != NULL;
}

void asim_trace_shared_diagnose(const char *prefix, const struct asim_diagnostics *diagnostics)
{
    const struct asim_trace_format *format = asim_trace_shared(prefix);

    if (format && format->diagnose)
        format->diagnose(prefix, diagnostics);
}

/* A file that begins with a word is more likely a text with a slip in its first word than a prefix
 * without traces. Names that end in .et are the caller's business. */
int asim_trace_shared_refuse(const char *prefix, struct asim_err *err)
{
    char word[41] = "", safe[64];
    size_t n = strlen(prefix);
    struct stat st;
    FILE *file;

    if (stat(prefix, &st) || !S_ISREG(st.st_mode) || (n > 3 && !strcmp(prefix + n - 3, ".et")))
        return 0;
    file = fopen(prefix, "rb");
    if (!file)
        return 0;
    if (fscanf(file, "%40s", word) != 1)
        word[0] = '\0';
    fclose(file);
    return asim_foreign_instead(
        asim_err_at(err, ASIM_EINVAL, (struct asim_where){prefix, 1, 0},
                    "found '%s', which begins no workload text: SimAI's and AICB's begin with a "
                    "policy such as HYBRID_TRANSFORMER_FWD_IN_BCKWD; Chakra traces are given by "
                    "what stands before '.<rank>.et'.",
                    asim_text_safe(safe, sizeof safe, word)),
        prefix, "a workload of SimAI", err);
}
