/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway trace format: the text "NAPS <ranks> <us>", one compute op of that length in every
 * rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace/format.h"

struct naps {
    uint64_t micros;
    int is_read;
};

static int parse(const char *path, unsigned *ranks, unsigned long long *micros,
                 struct asim_err *err)
{
    FILE *file = fopen(path, "r");
    int n = file ? fscanf(file, "NAPS %u %llu", ranks, micros) : 0;

    if (file)
        fclose(file);
    return n == 2 ? 0 : asim_err_set(err, ASIM_EINVAL, "%s is no file of naps.", path);
}

static int sniff(const void *head, size_t size)
{
    return size >= 4 && !memcmp(head, "NAPS", 4);
}

static int open_reader(void **out, const char *path, uint32_t rank, struct asim_err *err)
{
    unsigned long long micros;
    struct naps *reader;
    unsigned ranks;

    if (parse(path, &ranks, &micros, err))
        return ASIM_EINVAL;
    *out = reader = calloc(1, sizeof *reader);
    if (!reader)
        return asim_err_nomem(err, "opening a trace");
    reader->micros = micros;
    reader->is_read = rank >= ranks;
    return 0;
}

static int at(void *reader, uint64_t place, struct asim_op *op, struct asim_err *err)
{
    (void)place, (void)err;
    *op = (struct asim_op){.id = 1,
                           .type = ASIM_OP_COMP,
                           .duration_micros = ((const struct naps *)reader)->micros,
                           .name = "nap",
                           .pg_name = "",
                           .inputs_values = ""};
    return 0;
}

static int next(void *self, struct asim_op *op, struct asim_err *err)
{
    struct naps *reader = self;

    if (reader->is_read)
        return 0;
    reader->is_read = 1;
    at(reader, 0, op, err);
    return 1;
}

static uint64_t tell(const void *reader)
{
    (void)reader;
    return 0;
}

static void close_reader(void *reader)
{
    free(reader);
}

static int count_ranks(const char *path, uint32_t *ranks, struct asim_err *err)
{
    unsigned long long micros;

    return parse(path, ranks, &micros, err);
}

const struct asim_trace_format asim_trace_format_naps = {
    .member = {.name = "naps", .about = "one compute op in every rank"},
    .sniff = sniff,
    .open = open_reader,
    .next = next,
    .tell = tell,
    .at = at,
    .close = close_reader,
    .ranks = count_ranks,
};
