/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recognises files by how they begin and by words near the start.
 */
#include "base/io/foreign.h"
#include "base/io/unpack.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD = 1 << 14 };

#define MSCCL                                                                                      \
    "'asim trace msccl --input=FILE --out=NAME --size=BYTES' makes a custom algorithm of it, and " \
    "all-reduce-implementation-custom and the like take NAME"
#define PROFILE                                                                                    \
    "a trace of PyTorch's profiler; 'asim trace pytorch FOLDER' makes a workload of those of all " \
    "ranks"
#define DEVICE   "a device of InfraGraph; 'asim machine import' makes a machine of it"
#define FABRIC   "a fabric of InfraGraph; --topology and 'asim topo convert' take it"
#define MODEL    "a config.json of Hugging Face; --model=FILE takes it"
#define SYSTEM   "a system configuration; --system takes it"
#define MACHINE  "a machine; --machine=FILE takes it"
#define MEASURED "a table of nccl-tests; --against takes it"
#define REPORT   "a report of a run; 'asim report FOLDER' reads it"
#define REQUESTS                                                                                   \
    "a list of requests; --requests-file takes a CSV of arrival_s, prompt_tokens, output_tokens"
#define NO_HOST                                                                                    \
    "which asim does not read; 'asim machine import' reads the file of NCCL_TOPO_DUMP_FILE"
#define HWLOC  "hwloc's topology of a host (lstopo), " NO_HOST
#define HTML   "a page of a web site; fetch the file that it shows"
#define NSIGHT "which asim does not read; 'asim trace collect' records PyTorch's traces"
#define DEEPSPEED                                                                                  \
    "a configuration of DeepSpeed, which asim does not read; options of 'asim trace llm' say the " \
    "same"

/* All rows whose start and words are there. JSON is found by keys, which may be of any level. */
static const struct {
    const char *start, *words[2], *what;
} rows[] = {
    {"<algo", {NULL}, "an algorithm of MSCCL; " MSCCL},
    {"<system", {NULL}, "NCCL's topology of a host; 'asim machine import' makes a machine of it"},
    {"<graphs", {NULL}, "the graphs of NCCL's search (NCCL_GRAPH_DUMP_FILE), " NO_HOST},
    {"<!DOCTYPE topology", {NULL}, HWLOC},
    {"<topology", {"<object", NULL}, HWLOC},
    {"", {"GPU0", "Legend:"}, "a matrix of 'nvidia-smi topo -m', " NO_HOST},
    {"<!DOCTYPE html", {NULL}, HTML},
    {"<!doctype html", {NULL}, HTML},
    {"<html", {NULL}, HTML},
    {"{", {"\"traceEvents\"", NULL}, PROFILE},
    {"{", {"\"schemaVersion\"", "\"deviceProperties\""}, PROFILE},
    {"[",
     {"\"ph\"", "\"ts\""},
     "events of Chrome's trace viewer; of those of PyTorch's profiler, with \"traceEvents\" "
     "around them, 'asim trace pytorch FOLDER' makes a workload"},
    {"{",
     {"\"schema\"", "\"nodes\""},
     "an execution trace of PyTorch; 'asim trace pytorch FOLDER' makes a workload of those of all "
     "ranks"},
    {"{", {"\"threadblocks\"", NULL}, "an execution plan of MSCCL++; " MSCCL},
    {"{", {"\"pg_name\"", "\"ranks\""}, "a list of process groups; --groups takes {\"1\": [0, 1]}"},
    {"[", {"\"pg_name\"", "\"ranks\""}, "a list of process groups; --groups takes {\"1\": [0, 1]}"},
    {"{", {"\"devices\"", "\"instances\""}, FABRIC},
    {"{", {"\"components\"", "\"edges\""}, DEVICE},
    {"{",
     {"\"models\"", "\"num_hidden_layers\""},
     "a table of models; --model takes a file with one of them"},
    {"{", {"\"model_type\"", NULL}, MODEL},
    {"{", {"\"num_hidden_layers\"", NULL}, MODEL},
    {"{", {"\"zero_optimization\"", NULL}, DEEPSPEED},
    {"{", {"\"train_micro_batch_size_per_gpu\"", NULL}, DEEPSPEED},
    {"{",
     {"\"weight_map\"", NULL},
     "a list of a model's files of weights, which asim does not read; --model takes its "
     "config.json"},
    {"{",
     {"\"version\"", "\"dependencies\""},
     "a list of a program's packages, which asim does not read"},
    {"{", {"\"scheduling-policy\"", NULL}, SYSTEM},
    {"{", {"-implementation\"", NULL}, SYSTEM},
    {"{", {"\"active-chunks-per-dimension\"", NULL}, SYSTEM},
    {"{", {"\"memory-type\"", NULL}, "a remote memory; --memory takes it"},
    {"{", {"\"logical-dims\"", NULL}, "a logical topology; --logical takes it"},
    {"{", {"\"nic_gbytes\"", NULL}, MACHINE},
    {"{", {"\"nvlink_gbytes\"", NULL}, MACHINE},
    {"{", {"\"memory_GBps\"", NULL}, "a table of GPUs; --gpus takes it"},
    {"{", {"\"gemm_share\"", NULL}, "a table of kernels; --kernels takes it"},
    {"{", {"\"ranks_finished\"", NULL}, REPORT},
    {"{", {"\"jobs\"", "\"workload\""}, "a scenario; --scenario takes it"},
    {"{", {"\"out_of_place\"", NULL}, MEASURED},
    {"{", {"\"input_length\"", "\"output_length\""}, REQUESTS},
    {"HYBRID_TRANSFORMER", {NULL}, "a workload of SimAI; --workload takes it"},
    {"num_ranks", {NULL}, "a GOAL schedule; 'asim trace goal' makes a workload of it"},
    {"",
     {"npus_count:", NULL},
     "a network of ASTRA-sim's analytical backends; 'asim analytical --network=FILE' takes it"},
    {"", {"\ndevices:", "\ninstances:"}, FABRIC},
    {"", {"components:", "edges:"}, DEVICE},
    {"", {"ENABLE_QCN", "KMAX_MAP"}, "a configuration of the packet network; --network takes it"},
    {"", {"algbw", "busbw"}, MEASURED},
    {"Nodes",
     {"Connections", NULL},
     "a connection matrix of htsim, which asim does not read; 'asim trace flows' takes HPCC's list "
     "of flows"},
    {"Nodes",
     {"Tiers", NULL},
     "a topology of htsim, which asim does not read; 'asim topo make fat_tree' makes one"},
    {"rank,", {"finish_ns", "identity"}, REPORT},
    {"rank,op,name,", {NULL}, REPORT},
    {"from,port,to,", {NULL}, REPORT},
    {"src,dst,sport,", {NULL}, REPORT},
    {"run,backend,workload,", {NULL}, REPORT},
    {"request,arrival_ns,", {NULL}, REPORT},
    {"arrival_s,", {NULL}, "requests; --requests-file takes them"},
    {"TIMESTAMP,ContextTokens", {NULL}, REQUESTS},
    {"Timestamp,Model,Request tokens", {NULL}, REQUESTS},
    {"phase,tokens,us", {NULL}, "a table of times; --times takes it"},
    {"Time (%),", {NULL}, "a summary of Nsight Systems, " NSIGHT},
    {"version https://git-lfs", {NULL}, "a pointer of Git LFS; 'git lfs pull' fetches the file"},
};

/* Files that are no text. */
static const struct {
    const char *start, *what;
} binary[] = {
    {"SQLite format 3", "a database, as Nsight Systems exports it, " NSIGHT},
    {"\x1f\x8b", "packed by gzip; unpack it first"},
    {"PK\x03\x04",
     "packed by zip, as workbooks of spreadsheets are; unpack it, or save the table as CSV"},
    {"BZh", "packed by bzip2; unpack it first"},
    {"\xfd"
     "7zXZ",
     "packed by xz; unpack it first"},
    {"\x28\xb5\x2f\xfd", "packed by zstd; unpack it first"},
    {"\xff\xfe", "text in UTF-16; save it in UTF-8"},
    {"PAR1", "a table of Parquet, which asim does not read; save it as CSV"},
    {"\xd0\xcf\x11\xe0", "a workbook of a spreadsheet; save the table as CSV"},
    {"\x80\x04\x95", "a pickle of Python, which asim does not read; save it as text"},
    {"%PDF", "a document (PDF), which asim does not read"}};

static int has(const char *head, const char *word)
{
    return !word || strstr(head, word) != NULL;
}

/* HPCC's list: how many, then "src dst priority port bytes start" a line. The lines are of six
 * fields, as many as it says: a list of hosts begins with a number, too. is_cut: more follows. */
static int is_flow_list(const char *at, int is_cut)
{
    unsigned long n, lines = 0;
    int end = 0;

    if (strcspn(at, " \t\n") != strcspn(at, "\r\n") || sscanf(at, "%lu%n", &n, &end) != 1 || !end)
        return 0;
    for (at += strcspn(at, "\n"); *at; at += strcspn(at, "\n")) {
        unsigned long field[5];
        double start;

        at += strspn(at, " \t\r\n");
        if (!strchr(at, '\n') && lines && is_cut)
            break;
        end = 0;
        if (!*at)
            break;
        if (sscanf(at, "%lu %lu %lu %lu %lu %lf %n", &field[0], &field[1], &field[2], &field[3],
                   &field[4], &start, &end) != 6 ||
            (size_t)end < strcspn(at, "\r\n"))
            return 0;
        lines++;
    }
    return lines == n || (lines && lines < n && is_cut);
}

const char *asim_foreign_binary(const char *data, size_t size)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (size > strlen(binary[i].start) &&
            !memcmp(data, binary[i].start, strlen(binary[i].start)))
            return binary[i].what;
    return NULL;
}

/* "{"0": [": the first key is a number, its value a list. */
static int is_groups(const char *at)
{
    int n = 0;

    return sscanf(at, "{ \"%*u\" : [%n", &n) == 0 && n > 0;
}

/* The first row of those that fit; where one of them is of the kind, that. */
static const char *row_of(const char *head, const char *at, const char *kind)
{
    const char *found = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(at, rows[i].start, strlen(rows[i].start)) != 0 ||
            !has(head, rows[i].words[0]) || !has(head, rows[i].words[1]))
            continue;
        if (!found || (kind && !strncmp(rows[i].what, kind, strlen(kind))))
            found = rows[i].what;
    }
    return found;
}

/* kind: NULL, or the first words of what a reader takes, of which nothing is told. */
static const char *what_is(const char *data, size_t size, const char *kind)
{
    char head[HEAD + 1];
    size_t n = size < HEAD - 1 ? size : HEAD - 1;
    const char *at = head + 1, *found;

    head[0] = '\n';
    for (size_t i = 0; i < n; i++)
        head[i + 1] = data[i] ? data[i] : ' ';
    head[n + 1] = 0;
    if (!strncmp(at, "\xef\xbb\xbf", 3))
        at += 3;
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, "<?", 2) && strstr(at, "?>"))
        at = strstr(at, "?>") + 2;
    at += strspn(at, " \t\r\n");
    found = row_of(head, at, kind);
    if (!found && is_flow_list(at, size > n))
        found = "a list of flows; 'asim trace flows' makes a workload of it";
    else if (!found && is_groups(at))
        found = "a list of communicator groups; --groups takes it";
    else if (!found)
        found = asim_foreign_binary(data, size);
    return found && kind && !strncmp(found, kind, strlen(kind)) ? NULL : found;
}

const char *asim_foreign(const char *data, size_t size)
{
    return what_is(data, size, NULL);
}

/* PyTorch's traces are read as they are packed; of others it counts that they are. */
static const char *what_is_inside(const char *path)
{
    struct asim_err err = {0};
    struct asim_unpack *unpack = NULL;
    char head[HEAD];
    size_t n = 0;
    const char *found = NULL;

    if (!asim_unpack_open(&unpack, path, &err) && asim_unpack_is_packed(unpack) &&
        !asim_unpack_read(unpack, head, sizeof head, &n, &err))
        found = what_is(head, n, NULL);
    asim_unpack_close(unpack);
    return found && strstr(found, "of PyTorch") ? found : NULL;
}

/* Pipes were read already. */
static const char *what_is_file(const char *path, const char *kind)
{
    char head[HEAD];
    struct stat st;
    FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    const char *inside;

    if (file)
        fclose(file);
    inside = n > 2 && !memcmp(head, "\x1f\x8b", 2) ? what_is_inside(path) : NULL;
    return inside ? inside : what_is(head, n, kind);
}

const char *asim_foreign_file(const char *path)
{
    return what_is_file(path, NULL);
}

int asim_foreign_instead(int rc, const char *path, const char *kind, struct asim_err *err)
{
    const char *what = rc == ASIM_EINVAL && err && path[0] != '{' ? what_is_file(path, kind) : NULL;

    if (!what)
        return rc;
    memset(err, 0, sizeof *err);
    return asim_err_set(err, ASIM_EINVAL, "%s is %s.", path, what);
}

int asim_foreign_say(const char *name, const char *data, size_t size, struct asim_err *err)
{
    const char *what = err ? asim_foreign(data, size) : NULL;

    if (!what)
        return err ? err->code : ASIM_EINVAL;
    memset(err, 0, sizeof *err);
    return asim_err_set(err, ASIM_EINVAL, "%s is %s.", name, what);
}
