/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim mix FILE: the packet trace of a run (TRACE_OUTPUT_FILE, asim/mix.h) as text, a line a
 * record: time, node:interface, queue and its bytes, event, ECN bits, addresses, and what the kind
 * of frame has. --links=1 prints the rates of the interfaces first. Reads files of ASTRA-sim,
 * too: the layout is the same.
 */
#include <inttypes.h>
#include <stdio.h>

#include "asim/ext/command.h"
#include "asim/mix.h"
#include "cli/args.h"

struct options {
    int links;
};

static const struct asim_option options[] = {{"links", NULL,
                                              "print the interfaces and their rates first", "0",
                                              ASIM_T_BOOL, offsetof(struct options, links)},
                                             {0}};

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

static void print_rest(const uint8_t *r)
{
    switch (r[26]) {
    case 0x11:
        printf(" U %u %u seq %u pg %u size %u payload %u\n", (unsigned)get(r + 32, 2),
               (unsigned)get(r + 34, 2), (unsigned)get(r + 36, 4), (unsigned)get(r + 48, 2),
               (unsigned)get(r + 24, 2), (unsigned)get(r + 50, 2));
        break;
    case 0xfc:
    case 0xfd:
        printf(" %c %u %u seq %u pg %u size %u flags %u\n", r[26] == 0xfc ? 'A' : 'N',
               (unsigned)get(r + 32, 2), (unsigned)get(r + 34, 2), (unsigned)get(r + 40, 4),
               (unsigned)get(r + 38, 2), (unsigned)get(r + 24, 2), (unsigned)get(r + 36, 2));
        break;
    case 0xfe:
        printf(" P %s us %u queue %u size %u\n", get(r + 32, 4) ? "pause" : "resume",
               (unsigned)get(r + 32, 4), r[40], (unsigned)get(r + 24, 2));
        break;
    default:
        printf(" protocol %u size %u\n", r[26], (unsigned)get(r + 24, 2));
    }
}

static void print_record(const uint8_t *r)
{
    static const char *const events[] = {"recv", "enqu", "dequ", "drop"};

    printf("%" PRIu64 " n:%u %u:%u %u %s ecn:%x %08x %08x", get(r, 8), (unsigned)get(r + 8, 2),
           r[10], r[11], (unsigned)get(r + 12, 4), events[r[27] & 3], r[28],
           (unsigned)get(r + 16, 4), (unsigned)get(r + 20, 4));
    print_rest(r);
}

/* 0, or the sentence why not. */
static int print_file(FILE *file, const char *path, int links, struct asim_err *err)
{
    uint8_t bytes[ASIM_MIX_RECORD];
    size_t got;
    uint64_t count;

    if (fread(bytes, 1, 4, file) != 4)
        return asim_err_set(err, ASIM_EINVAL, "%s is no packet trace: it has no head", path);
    count = get(bytes, 4);
    for (uint64_t i = 0; i < count; i++) {
        if (fread(bytes, 1, ASIM_MIX_SPEED, file) != ASIM_MIX_SPEED)
            return asim_err_set(err, ASIM_EINVAL,
                                "%s is no packet trace, or cut off: it announces %" PRIu64
                                " interfaces and ends at number %" PRIu64,
                                path, count, i);
        if (links)
            printf("link n:%u %u %" PRIu64 " bit/s\n", (unsigned)get(bytes, 2), bytes[2],
                   get(bytes + 3, 8));
    }
    if (fread(bytes, 1, 4, file) != 4)
        return asim_err_set(err, ASIM_EINVAL, "%s is cut off behind its interfaces", path);
    if (links)
        printf("window %" PRIu64 " bytes\n", get(bytes, 4));
    while ((got = fread(bytes, 1, sizeof bytes, file)) == sizeof bytes)
        print_record(bytes);
    if (got)
        return asim_err_set(err, ASIM_EINVAL, "%s is cut off inside its last record", path);
    return 0;
}

static int mix(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    FILE *file;
    int code;

    if (!args->n_words)
        return ASIM_ARGS_USAGE;
    file = fopen(args->words[0], "rb");
    if (!file)
        return asim_err_set(err, ASIM_EIO, "cannot open %s; name the file of TRACE_OUTPUT_FILE",
                            args->words[0]);
    code = print_file(file, args->words[0], opt->links, err);
    fclose(file);
    return code;
}

static const struct asim_args_job job = {
    "mix", "usage: asim mix FILE [--links=1]", options, 1, mix, ASIM_F_READS, 1};

const struct asim_command asim_command_mix = {
    .member = {"mix", "Print a packet trace (TRACE_OUTPUT_FILE) as text.", options,
               sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_OTHER,
};
