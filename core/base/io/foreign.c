/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recognises files by how they begin and by words near the start.
 */
#include "base/io/foreign.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 1 << 14 };

#define MSCCL                                                                                      \
    "'asim trace msccl --input=FILE --out=NAME --size=BYTES' makes a custom algorithm of it, and " \
    "all-reduce-implementation-custom and the like take NAME"

/* The first row whose start and words are there. */
static const struct {
    const char *start, *words[2], *what;
} rows[] = {
    {"<algo", {NULL}, "an algorithm of MSCCL; " MSCCL},
    {"<system", {NULL}, "NCCL's topology of a host; 'asim machine import' makes a machine of it"},
    {"<graphs",
     {NULL},
     "the graphs of NCCL's search (NCCL_GRAPH_DUMP_FILE), which asim does not read; 'asim machine "
     "import' reads the file of NCCL_TOPO_DUMP_FILE"},
    {"{",
     {"\"traceEvents\"", NULL},
     "a trace of PyTorch's profiler; 'asim trace pytorch FOLDER' makes a workload of those of all "
     "ranks"},
    {"{",
     {"\"schema\"", "\"nodes\""},
     "an execution trace of PyTorch; 'asim trace pytorch FOLDER' makes a workload of those of all "
     "ranks"},
    {"{", {"\"threadblocks\"", NULL}, "an execution plan of MSCCL++; " MSCCL},
    {"{", {"\"pg_name\"", "\"ranks\""}, "a list of process groups; --groups takes {\"1\": [0, 1]}"},
    {"num_ranks", {NULL}, "a GOAL schedule; 'asim trace goal' makes a workload of it"},
    {"",
     {"npus_count:", NULL},
     "a network of ASTRA-sim's analytical backends; 'asim analytical --network=FILE' takes it"},
    {"",
     {"\ndevices:", "\ninstances:"},
     "a fabric of InfraGraph; --topology and 'asim topo convert' take it"},
    {"",
     {"components:", "edges:"},
     "a device of InfraGraph; 'asim machine import' makes a machine "
     "of it"},
    {"", {"ENABLE_QCN", "KMAX_MAP"}, "a configuration of the packet network; --network takes it"},
    {"Nodes",
     {"Connections", NULL},
     "a connection matrix of htsim, which asim does not read; 'asim trace flows' takes HPCC's list "
     "of flows"},
    {"Nodes",
     {"Tiers", NULL},
     "a topology of htsim, which asim does not read; 'asim topo make fat_tree' makes one"},
};

/* Files that are no text. */
static const struct {
    const char *start, *what;
} binary[] = {{"SQLite format 3",
               "a database, as Nsight Systems exports it, which asim does not read; 'asim "
               "trace collect' records PyTorch's traces"},
              {"\x1f\x8b", "packed by gzip; unpack it first"},
              {"PK\x03\x04", "packed by zip; unpack it first"}};

static int has(const char *head, const char *word)
{
    return !word || strstr(head, word) != NULL;
}

/* HPCC's list: how many, then "src dst priority port bytes start" a line. */
static int is_flow_list(const char *at)
{
    unsigned long n, field[5];
    double start;

    return sscanf(at, "%lu\n%lu %lu %lu %lu %lu %lf", &n, &field[0], &field[1], &field[2],
                  &field[3], &field[4], &start) == 7 &&
           strcspn(at, " \t\n") == strcspn(at, "\r\n");
}

const char *asim_foreign_binary(const char *data, size_t size)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (size > strlen(binary[i].start) &&
            !memcmp(data, binary[i].start, strlen(binary[i].start)))
            return binary[i].what;
    return NULL;
}

const char *asim_foreign(const char *data, size_t size)
{
    char head[HEAD + 1];
    size_t n = size < HEAD ? size : HEAD;
    const char *at = head + 1;

    head[0] = '\n';
    n = n < HEAD - 1 ? n : HEAD - 1;
    for (size_t i = 0; i < n; i++)
        head[i + 1] = data[i] ? data[i] : ' ';
    head[n + 1] = 0;
    if (!strncmp(at, "\xef\xbb\xbf", 3))
        at += 3;
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, "<?", 2) && strstr(at, "?>"))
        at = strstr(at, "?>") + 2;
    at += strspn(at, " \t\r\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(at, rows[i].start, strlen(rows[i].start)) && has(head, rows[i].words[0]) &&
            has(head, rows[i].words[1]))
            return rows[i].what;
    return is_flow_list(at) ? "a list of flows; 'asim trace flows' makes a workload of it"
                            : asim_foreign_binary(data, size);
}

const char *asim_foreign_file(const char *path)
{
    char head[HEAD];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        fclose(file);
    return asim_foreign(head, n);
}

int asim_foreign_say(const char *name, const char *data, size_t size, struct asim_err *err)
{
    const char *what = err ? asim_foreign(data, size) : NULL;

    if (!what)
        return err ? err->code : ASIM_EINVAL;
    memset(err, 0, sizeof *err);
    return asim_err_set(err, ASIM_EINVAL, "%s is %s.", name, what);
}
