/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads that are one file for all ranks: where the user's "prefix" is itself a regular file
 * that a format with a `ranks` hook recognises, that file is every rank's trace.
 *
 * Costs one stat and the first 256 bytes of the file, at opening only.
 */
#include "trace/open.h"

#include <stdio.h>
#include <sys/stat.h>

/* NULL in the usual case of a prefix. An unreadable file is NULL, too: opening it says why. */
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
    for (size_t i = 0; asim_trace_format_table[i]; i++) {
        const struct asim_trace_format *row =
            (const struct asim_trace_format *)(const void *)asim_trace_format_table[i];
        if (row->ranks && row->sniff(head, n))
            return row;
    }
    return NULL;
}
