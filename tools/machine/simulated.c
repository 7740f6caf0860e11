/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A table of nccl-tests as a run: one trace a rank with a collective for each size, each after the
 * one before. The ranks have the machine's NCCL (sim/collective/machine.h).
 */
#include "tools/machine/simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/observe.h"
#include "asim/topology.h"
#include "asim/trace.h"
#include "base/io/json.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/temporary.h"
#include "tools/machine/write.h"

struct run {
    struct asim_size_table *table;
    const struct asim_table_fabric *fabric;
    uint32_t ranks;
    size_t done; /* rows */
    char folder[ASIM_TEMPORARY_PATH], prefix[ASIM_TEMPORARY_PATH + 16];
    char machine[ASIM_TEMPORARY_PATH + 16], topology[2 * ASIM_TEMPORARY_PATH];
};

static int type_of(int op)
{
    return op == ASIM_NCCL_ALL_REDUCE       ? ASIM_ALL_REDUCE
           : op == ASIM_NCCL_ALL_GATHER     ? ASIM_ALL_GATHER
           : op == ASIM_NCCL_REDUCE_SCATTER ? ASIM_REDUCE_SCATTER
           : op == ASIM_NCCL_ALL_TO_ALL     ? ASIM_ALL_TO_ALL
           : op == ASIM_NCCL_BROADCAST      ? ASIM_BROADCAST
           : op == ASIM_NCCL_REDUCE         ? ASIM_REDUCE
                                            : -1;
}

/* --- what the run reads -------------------------------------------------------------------------
 */

/* Chakra's comm_size of an all-gather is one rank's part. */
static int write_op(struct asim_chakra_writer *writer, const struct run *run, size_t i,
                    struct asim_err *err)
{
    int op = run->table->job.op;
    uint64_t bytes = run->table->row.at[i].bytes, before = i ? i - 1 : 0;
    const struct asim_chakra_attr attrs[] = {
        {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL},
        {.name = "comm_size",
         .type = ASIM_CHAKRA_INT64,
         .value = {.i = (int64_t)(op == ASIM_NCCL_ALL_GATHER ? bytes / run->ranks : bytes)}},
        {.name = "comm_type", .type = ASIM_CHAKRA_INT64, .value = {.i = type_of(op)}}};
    const struct asim_chakra_node node = {.id = i,
                                          .name = "collective",
                                          .type = ASIM_OP_COMM_COLL,
                                          .data_deps = &before,
                                          .data_dep_n = i > 0,
                                          .attrs = attrs,
                                          .attr_n = sizeof attrs / sizeof *attrs};

    return asim_chakra_writer_node(writer, &node, err);
}

static void name_trace(const struct run *run, uint32_t rank, char *path, size_t size)
{
    snprintf(path, size, "%s.%" PRIu32 ".et", run->prefix, rank);
}

static int write_traces(const struct run *run, struct asim_err *err)
{
    char path[ASIM_TEMPORARY_PATH + 40];
    int rc = 0;

    for (uint32_t r = 0; r < run->ranks && !rc; r++) {
        struct asim_chakra_writer *writer;

        name_trace(run, r, path, sizeof path);
        rc = asim_chakra_writer_open(&writer, path, err);
        if (rc)
            return rc;
        rc = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
        for (size_t i = 0; i < run->table->row.n && !rc; i++)
            rc = write_op(writer, run, i, err);
        if (rc)
            asim_chakra_writer_discard(writer);
        else
            rc = asim_chakra_writer_commit(writer, err);
    }
    return rc;
}

/* --set has been checked: what is no number is a word. */
static int write_machine(const struct run *run, struct asim_err *err)
{
    json_t *root = asim_machine_read_json(run->table->machine->source, err);
    char *copy = root ? strdup(run->fabric->change) : NULL, *rest = NULL;
    int rc = copy ? 0 : ASIM_EINVAL;

    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(word, '=');
        double number;

        *equals = '\0';
        json_object_set_new(root, word,
                            asim_text_double(equals + 1, &number) ? json_string(equals + 1)
                                                                  : json_real(number));
    }
    if (!rc)
        rc = asim_machine_write_json(root, run->machine, err);
    free(copy);
    json_decref(root);
    return rc;
}

/* Servers of another size, or of another machine, would run another algorithm than the table shows.
 */
static int check_servers(const struct run *run, const char *topology, struct asim_err *err)
{
    const struct asim_nccl_job *job = &run->table->job;
    const struct asim_machine *machine = run->table->machine;
    const char *spec;
    struct asim_topo topo;
    uint32_t gpus;
    int rc;

    asim_topo_init(&topo);
    rc = asim_topo_is_made(topology, &spec) ? asim_topo_make(&topo, spec, run->ranks, err)
                                            : asim_topo_read(&topo, topology, err);
    gpus = topo.gpus_per_server ? topo.gpus_per_server : 1;
    if (!rc && topo.machine && strcmp(topo.machine, machine->source) &&
        strcmp(topo.machine, machine->name))
        rc =
            asim_err_set(err, ASIM_EUSAGE,
                         "--fabric=%s is of the machine %s, and the table of %s; say --machine=%s.",
                         topology, topo.machine, machine->name, topo.machine);
    else if (!rc && topo.machine && run->fabric->change)
        rc = asim_err_set(err, ASIM_EUSAGE,
                          "--set changes the machine, and --fabric=%s is of %s as it is; say "
                          "--fabric=auto,KEY=VALUE.",
                          topology, topo.machine);
    asim_topo_fini(&topo);
    if (!rc && (gpus < job->gpus || gpus % job->gpus))
        rc = asim_err_set(err, ASIM_EUSAGE,
                          "--fabric=%s has servers of %u GPU%s, and the table is of %u on each of "
                          "%u node%s; say --gpus=%u --nodes=%u, or give a topology with such "
                          "servers, as auto,fabric=rail or auto:Spectrum-X,gps=%u.",
                          topology, gpus, asim_text_s(gpus), job->gpus, job->nodes,
                          asim_text_s(job->nodes), gpus, (run->ranks + gpus - 1) / gpus, job->gpus);
    return rc;
}

static int prepare(struct run *run, struct asim_err *err)
{
    const struct asim_nccl_job *job = &run->table->job;
    const char *topology = run->fabric->topology;
    int is_own = !strncmp(topology, "auto", 4) && (!topology[4] || topology[4] == ','),
        rc = is_own ? 0 : check_servers(run, topology, err);

    if (rc || (rc = asim_temporary_folder(run->folder, err)))
        return rc;
    snprintf(run->prefix, sizeof run->prefix, "%s/table", run->folder);
    snprintf(run->machine, sizeof run->machine, "%s",
             run->fabric->change ? run->folder : run->table->machine->source);
    if (run->fabric->change) {
        strcat(run->machine, "/machine.json");
        rc = write_machine(run, err);
    }
    if (!is_own)
        snprintf(run->topology, sizeof run->topology, "%s", topology);
    else
        snprintf(run->topology, sizeof run->topology, "machine:%s,nodes=%u,gpus=%u%s%s",
                 run->machine, job->nodes, job->gpus,
                 strstr(topology, "fabric=") ? "" : ",fabric=star", topology + 4);
    return rc ? rc : write_traces(run, err);
}

static void clean_up(const struct run *run)
{
    char path[ASIM_TEMPORARY_PATH + 40];

    for (uint32_t r = 0; *run->folder && r < run->ranks; r++) {
        name_trace(run, r, path, sizeof path);
        unlink(path);
    }
    if (*run->folder && run->fabric->change)
        unlink(run->machine);
    if (*run->folder)
        rmdir(run->folder);
}

/* --- the run ------------------------------------------------------------------------------------
 */

static void take_time(void *self, const struct asim_observed_exchange *exchange)
{
    struct run *run = self;
    struct asim_nccl_time *time;

    if (run->done == run->table->row.n)
        return;
    time = &run->table->row.at[run->done++].time;
    time->us = (double)(exchange->end_ns - exchange->start_ns) / 1000;
    time->algo = time->sent_algo;
    time->proto = time->sent_proto;
}

static void say(void *self, const char *sentence)
{
    (void)self;
    fprintf(stderr, "note: %s\n", sentence);
}

static int set_up(struct asim_settings *settings, struct run *run, struct asim_err *err)
{
    const struct {
        const char *key, *value;
    } rows[] = {{"workload", run->prefix},
                {"topology", run->topology},
                {"machine", run->machine},
                {"like", "nccl"},
                {"model", run->fabric->mode},
                {"nccl-env", run->fabric->variables},
                {"quiet", "true"}};
    int rc = asim_settings_init(settings, sizeof *settings, err);

    for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++)
        if (rows[i].value)
            rc = asim_settings_set(settings, rows[i].key, rows[i].value, err);
    return rc;
}

static int simulate(struct run *run, struct asim_err *err)
{
    const struct asim_hooks hooks = {.note = say, .stop = asim_interrupt_stop};
    const struct asim_observer observer = {
        .size = sizeof observer, .self = run, .exchange_done = take_time};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int rc = set_up(&settings, run, err);

    if (!rc)
        rc = asim_world_open(&world, &settings, &hooks, err);
    if (!rc)
        rc = asim_world_observe(world, &observer, err);
    if (!rc)
        rc = asim_world_run(world, err);
    asim_world_close(world);
    asim_settings_fini(&settings);
    return rc;
}

int asim_size_table_simulate(struct asim_size_table *table, const struct asim_table_fabric *fabric,
                             struct asim_err *err)
{
    struct run run = {
        .table = table, .fabric = fabric, .ranks = table->job.nodes * table->job.gpus};
    int rc;

    if (type_of(table->job.op) < 0)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--model=%s simulates all_reduce, all_gather, reduce_scatter, "
                            "alltoall, broadcast and reduce; %s has the closed form only.",
                            fabric->mode, asim_nccl_op_names[table->job.op]);
    rc = prepare(&run, err);
    if (!rc)
        rc = simulate(&run, err);
    clean_up(&run);
    return rc;
}
