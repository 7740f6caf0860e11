/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whole runs inside a test: writes traces into a folder of their own, opens a world on them, and
 * keeps its result lines and diagnostics in memory.
 */
#ifndef ASIM_TESTS_RUNS_H
#define ASIM_TESTS_RUNS_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include "asim/asim.h"
#include "report/report.h"
#include "sim/world.h"
#include "asim/trace.h"
#include "check.h"

struct run_op { /* a node of a trace; peer and tag: of sends and receives */
    int type;   /* enum asim_op_type */
    uint64_t id, bytes;
    int64_t peer, tag, comm_type;
    uint64_t micros, after; /* after: id of its parent, 0 = none */
    const uint64_t *sizes;  /* comm_sizes of a collective of three ranks, or NULL */
    const char *group;      /* pg_name of a collective, or NULL; not with sizes */
};

/* NULL: the packet network; else the name of an analytical network, of run_shape. */
static char *run_mode;
/* NULL: a switch of 200G and 500 ns; the defaults of the system configuration. */
static char *run_topology, *run_system, *run_algorithm;
/* Fast paths to turn off, or NULL. */
static char *run_without;
/* Keys of the network configuration and their values, or NULL. */
static const char *const *run_network;
static const struct asim_netshape run_shape = {{{ASIM_NET_FULLY_CONNECTED, 3, 50, 500}}, 1};

struct run_text {
    char at[16384];
    size_t n;
};

static inline void run_line(void *self, const char *line)
{
    struct run_text *text = self;
    int n = snprintf(text->at + text->n, sizeof text->at - text->n, "%s\n", line);

    if (n > 0 && text->n + (size_t)n < sizeof text->at)
        text->n += (size_t)n;
}

static inline struct asim_chakra_attr run_attr(const char *name, int64_t value)
{
    return (struct asim_chakra_attr){
        .name = name, .type = ASIM_CHAKRA_INT64, .value = {.i = value}};
}

/* Writes one rank's trace to folder/w.<rank>.et. */
static inline void run_trace(const char *folder, uint32_t rank, const struct run_op *ops, size_t n)
{
    struct asim_chakra_writer *writer = NULL;
    struct asim_err err = {0};
    char path[256];

    snprintf(path, sizeof path, "%s/w.%u.et", folder, rank);
    CHECK(asim_chakra_writer_open(&writer, path, &err) == 0);
    CHECK(asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, &err) == 0);
    for (size_t i = 0; i < n; i++) {
        const struct run_op *op = &ops[i];
        struct asim_chakra_attr attrs[] = {
            {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL},
            run_attr("comm_size", (int64_t)op->bytes),
            run_attr("comm_type", op->comm_type),
            run_attr("comm_tag", op->tag),
            run_attr(op->type == ASIM_OP_COMM_SEND ? "comm_dst" : "comm_src", op->peer),
        };
        if (op->sizes)
            attrs[3] = (struct asim_chakra_attr){.name = "comm_sizes",
                                                 .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64),
                                                 .value = {.list = {op->sizes, 3}}};
        if (op->group)
            attrs[3] = (struct asim_chakra_attr){
                .name = "pg_name", .type = ASIM_CHAKRA_STRING, .value = {.s = op->group}};
        struct asim_chakra_node node = {.id = op->id,
                                        .name = "op",
                                        .type = op->type,
                                        .data_deps = &op->after,
                                        .data_dep_n = op->after != 0,
                                        .duration_micros = op->micros,
                                        .attrs = attrs,
                                        .attr_n = op->type == ASIM_OP_COMP ? 1
                                                  : op->type == ASIM_OP_COMM_COLL
                                                      ? 3 + (op->sizes || op->group)
                                                      : 5};

        CHECK(asim_chakra_writer_node(writer, &node, &err) == 0);
    }
    CHECK(asim_chakra_writer_commit(writer, &err) == 0);
    CHECK_STR(err.text, "");
}

static inline void run_folder(char *folder, size_t size)
{
    snprintf(folder, size, "%s/asim_run_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        abort();
}

/* The number of files in the folder whose names contain `word`. */
static inline int run_reports(const char *out, const char *word)
{
    DIR *dir = opendir(out);
    int n = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        n += entry->d_name[0] != '.' && strstr(entry->d_name, word);
    if (dir)
        closedir(dir);
    return n;
}

static inline void run_remove_reports(const char *out)
{
    DIR *dir = opendir(out);
    char path[600];

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", out, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(out);
}

static inline void run_remove(const char *folder, uint32_t ranks)
{
    char path[256];

    for (uint32_t r = 0; r < ranks; r++) {
        snprintf(path, sizeof path, "%s/w.%u.et", folder, r);
        unlink(path);
    }
    rmdir(folder);
}

/* Opens a world on folder/w.*.et with its reports; out may be NULL. */
static inline int run_open(struct asim_world **world, const char *folder, const char *out,
                           const struct asim_hooks *hooks, struct asim_err *err)
{
    static char topology[] = "auto:switch,rate=200Gbps,delay=500ns";
    struct asim_settings settings = {0};
    char prefix[256];
    int code = asim_settings_init(&settings, sizeof settings, err);

    snprintf(prefix, sizeof prefix, "%s/w", folder);
    settings.workload = prefix;
    settings.topology = run_topology ? run_topology : topology;
    settings.system = run_system;
    settings.algorithm = run_algorithm;
    settings.mode = run_mode;
    settings.without = run_without;
    settings.net_overrides = run_network;
    settings.exact_events = 0; /* which leaves the fast paths nothing to do */
    settings.shape = &run_shape;
    if (!code)
        code = asim_world_open(world, &settings, hooks, err);
    if (!code)
        code = asim_reports_open(*world, out, err);
    settings.workload = settings.topology = settings.system = settings.without = NULL;
    settings.algorithm = settings.mode = NULL;
    asim_settings_fini(&settings);
    return code;
}

/* Opens, runs and closes; returns the code of the run. */
static inline int run_all(const char *folder, const char *out, struct run_text *text,
                          struct asim_err *err)
{
    struct asim_hooks hooks = {.self = text, .line = run_line};
    struct asim_world *world = NULL;
    int code;

    text->n = 0;
    text->at[0] = 0;
    code = run_open(&world, folder, out, &hooks, err);
    if (!code)
        code = asim_world_run(world, err);
    asim_world_close(world);
    return code;
}

#endif
