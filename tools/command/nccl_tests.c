/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim nccl-tests: the table that nccl-tests prints on a machine, predicted (machines.md). The
 * machine need not exist: --set changes what its file says. With --against a measured table stands
 * beside it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "tools/machine/distance.h"
#include "tools/machine/odd.h"
#include "tools/machine/simulated.h"
#include "tools/chart.h"
#include "tools/machine/sweep.h"

struct options {
    char *machine, *op, *from, *to, *step, *sizes, *csv, *json, *plot, *against, *change,
        *variables, *fabric;
    uint32_t nodes, gpus, factor;
    int algo, proto, model;
};

enum { AUTO, CLOSED, FLOW, PACKET }; /* of --model */

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"machine", "m",
     "machines: names of `asim machine list`, or files; several with commas, and NAME@18x4 for "
     "nodes and GPUs of one",
     "h100-ndr", ASIM_T_STRING, AT(machine), .flags = ASIM_F_READS},
    {"nodes", "N", "hosts", "2", ASIM_T_U32, AT(nodes), 1, 1 << 20},
    {"gpus", "g", "GPUs of each host (0 = all it has)", "0", ASIM_T_U32, AT(gpus), 0, 1 << 12},
    {"op", NULL,
     "all_reduce all_gather reduce_scatter alltoall alltoallv sendrecv broadcast reduce gather "
     "scatter hypercube; several with commas; else what --against says, or all_reduce",
     NULL, ASIM_T_STRING, AT(op)},
    {"b", "minbytes", "first size (else 8); 64K, 16G count in 1024 as in nccl-tests", NULL,
     ASIM_T_STRING, AT(from)},
    {"e", "maxbytes", "last size (else 16G)", NULL, ASIM_T_STRING, AT(to)},
    {"f", "stepfactor",
     "each size is so many times the one before; 0 = the sizes of --against, or 2", "0", ASIM_T_U32,
     AT(factor), 0, 1 << 20},
    {"i", "stepbytes", "instead: each size is so many bytes more", NULL, ASIM_T_STRING, AT(step)},
    {"sizes", NULL, "instead: these sizes in bytes, with commas", NULL, ASIM_T_STRING, AT(sizes)},
    {"algo", NULL, "algorithm; auto: as NCCL's cost model chooses", "auto", ASIM_T_CHOICE, AT(algo),
     0, 0, "auto|tuned|ring|tree|nvls|nvls_tree"},
    {"proto", NULL, "protocol; auto: as NCCL's cost model chooses", "auto", ASIM_T_CHOICE,
     AT(proto), 0, 0, "auto|Simple|LL|LL128"},
    {"set", NULL, "KEY=VALUE of the machine's file, several with commas: nic_gbytes=100", NULL,
     ASIM_T_STRING, AT(change)},
    {"model", NULL,
     "closed: NCCL on a fabric that never holds it up; flow, packet: NCCL over --fabric, simulated "
     "(all_reduce, all_gather, reduce_scatter, alltoall)",
     "auto", ASIM_T_CHOICE, AT(model), 0, 0, "auto|closed|flow|packet"},
    {"fabric", NULL,
     "simulate over this topology: auto (the NICs on one switch), auto,fabric=rail or "
     "auto,fabric=leaf_spine,oversubscription=4 (values of machine:, see asim topo make), or as "
     "--topology of asim packet; model=flow unless it says packet",
     NULL, ASIM_T_STRING, AT(fabric), 0, 0, NULL, ASIM_F_READS},
    {"nccl-env", NULL,
     "obey NCCL's variables of the environment, or of a file like nccl.conf (--nccl-env=FILE)",
     NULL, ASIM_T_STRING, AT(variables), 0, 0, NULL, ASIM_F_READS | ASIM_F_ALONE},
    {"against", NULL,
     "measured table (text or JSON of nccl-tests, CSV) to compare with, at its sizes unless -f, -i "
     "or --sizes says others",
     NULL, ASIM_T_STRING, AT(against), 0, 0, NULL, ASIM_F_READS},
    {"csv", NULL, "also write the table as CSV", NULL, ASIM_T_STRING, AT(csv), 0, 0, NULL,
     ASIM_F_WRITES | ASIM_F_RESULT},
    {"json", NULL, "also write the table as nccl-tests' JSON; -: print it in place of the table",
     NULL, ASIM_T_STRING, AT(json), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {"plot", NULL, "also draw bus bandwidth against size: NAME.svg, or NAME.html, a page", NULL,
     ASIM_T_STRING, AT(plot), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {0}};

struct tables {
    struct asim_machine *machine;
    size_t machines;
    ASIM_VEC(struct asim_size_table) table;
    struct asim_measured measured;
    struct asim_nccl_env env; /* with --nccl-env */
    ASIM_VEC(uint64_t) size;
    int by_table;      /* 1: the sizes of the measured table, from `from` to `to` */
    uint64_t from, to; /* bytes */
};

/* --- sizes ------------------------------------------------------------------------------------ */

static int parse(const char *key, const char *text, uint64_t *bytes, struct asim_err *err)
{
    return asim_size_parse(text, bytes)
               ? asim_err_set(err, ASIM_EUSAGE,
                              "--%s: '%s' is no size; write bytes, or 64K, 4M, 16G, 64KiB.", key,
                              text)
               : 0;
}

static int add_size(struct tables *all, uint64_t bytes, struct asim_err *err)
{
    if (all->size.n >= 100000)
        return asim_err_set(err, ASIM_EUSAGE, "more than 100,000 sizes; raise the step.");
    return ASIM_VEC_PUSH(all->size, bytes) ? asim_err_nomem(err, "listing sizes") : 0;
}

static int list_sizes(struct tables *all, const char *list, struct asim_err *err)
{
    char *copy = strdup(list), *rest = NULL;
    int rc = copy ? 0 : asim_err_nomem(err, "listing sizes");

    for (char *word = copy ? strtok_r(copy, ", ", &rest) : NULL; word && !rc;
         word = strtok_r(NULL, ", ", &rest)) {
        uint64_t bytes = 0;

        rc = parse("sizes", word, &bytes, err);
        if (!rc)
            rc = add_size(all, bytes, err);
    }
    free(copy);
    return rc;
}

/* -b and -e. Without them: 8 to 16G, or all sizes of the measured table. */
static int find_range(struct tables *all, const struct options *opt, struct asim_err *err)
{
    int rc;

    all->from = all->by_table ? 1 : 8;
    all->to = all->by_table ? UINT64_MAX : 16ull << 30;
    rc = opt->from ? parse("b", opt->from, &all->from, err) : 0;
    if (!rc && opt->to)
        rc = parse("e", opt->to, &all->to, err);
    if (!rc && (all->from > all->to || !all->from))
        rc = asim_err_set(
            err, ASIM_EUSAGE,
            "-b %s -e %s: the first size must be above 0 and no greater than the last.",
            opt->from ? opt->from : "8", opt->to ? opt->to : "16G");
    return rc;
}

static int step_sizes(struct tables *all, const struct options *opt, struct asim_err *err)
{
    uint64_t step = 0;
    uint32_t factor = opt->factor ? opt->factor : 2;
    int rc = opt->step ? parse("i", opt->step, &step, err) : 0;

    if (!rc && opt->factor == 1)
        rc = asim_err_set(err, ASIM_EUSAGE, "-f 1: sizes must grow; expected 2 or more.");
    for (uint64_t bytes = all->from; !rc && bytes <= all->to;) {
        uint64_t next = step ? bytes + step : bytes * factor;

        rc = add_size(all, bytes, err);
        if (next <= bytes)
            break;
        bytes = next;
    }
    return rc;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int add_row(struct asim_size_table *table, uint64_t bytes, struct asim_err *err)
{
    struct asim_size_row row = {.bytes = bytes};
    int rc;

    table->job.bytes = bytes;
    rc = asim_nccl_predict(&row.time, &table->job, err);
    if (!rc && ASIM_VEC_PUSH(table->row, row))
        rc = asim_err_nomem(err, "filling a table");
    return rc;
}

/* Sizes of --sizes and of the measured table are taken as they are, others as nccl-tests rounds
 * them. */
static int fill(struct tables *all, struct asim_size_table *table, int exact, struct asim_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < all->measured.row.n && all->by_table && !rc; i++) {
        const struct asim_measured_row *row = &all->measured.row.at[i];

        if ((row->op < 0 || row->op == table->job.op) && row->bytes >= all->from &&
            row->bytes <= all->to)
            rc = add_row(table, row->bytes, err);
    }
    for (size_t i = 0; i < all->size.n && !rc; i++) {
        table->job.bytes = all->size.at[i];
        rc = add_row(table, exact ? table->job.bytes : asim_nccl_tests_bytes(&table->job), err);
    }
    return rc;
}

/* A machine of the command line, with its own nodes and GPUs where it is NAME@18x4. */
struct part {
    size_t machine;
    uint32_t nodes, gpus;
};

static int split(char *word, struct part *part, struct asim_err *err)
{
    char *at = strrchr(word, '@'), tail = 0;

    if (!at)
        return 0;
    *at = '\0';
    if (sscanf(at + 1, "%" SCNu32 "x%" SCNu32 "%c", &part->nodes, &part->gpus, &tail) != 2 ||
        !part->nodes || !part->gpus)
        return asim_err_set(err, ASIM_EUSAGE, "--machine: '@%s' is not @NODESxGPUS, such as @18x4.",
                            at + 1);
    return 0;
}

static int add_table(struct tables *all, const struct options *opt, const struct part *part, int op,
                     struct asim_err *err)
{
    struct asim_size_table table = {.machine = &all->machine[part->machine]};
    int rc;

    table.measured = opt->against ? &all->measured : NULL;
    table.job = (struct asim_nccl_job){table.machine,
                                       op,
                                       part->nodes,
                                       part->gpus,
                                       0,
                                       opt->algo,
                                       opt->proto - 1,
                                       opt->variables ? &all->env : NULL};
    if (!table.job.gpus)
        table.job.gpus = table.machine->gpus;
    if (ASIM_VEC_PUSH(all->table, table))
        return asim_err_nomem(err, "making a table");
    rc = fill(all, &all->table.at[all->table.n - 1], opt->sizes != NULL, err);
    if (rc || opt->model == CLOSED || (opt->model == AUTO && !opt->fabric))
        return rc;
    return asim_size_table_simulate(
        &all->table.at[all->table.n - 1],
        &(struct asim_table_fabric){opt->fabric ? opt->fabric : "auto",
                                    opt->model == PACKET ? "packet" : "flow", opt->change,
                                    opt->variables},
        err);
}

static int add_ops(struct tables *all, const struct options *opt, const struct part *part,
                   struct asim_err *err)
{
    int told = asim_measured_op(&all->measured);
    const char *ops =
        opt->op ? opt->op : asim_nccl_op_names[told < 0 ? ASIM_NCCL_ALL_REDUCE : told];
    char *copy = strdup(ops), *rest = NULL;
    int rc = copy ? 0 : asim_err_nomem(err, "reading --op");

    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !rc;
         word = strtok_r(NULL, ",", &rest)) {
        int op;

        rc = asim_nccl_op_parse(word, &op, err);
        if (!rc)
            rc = add_table(all, opt, part, op, err);
    }
    free(copy);
    return rc;
}

static void say_odd(void *self, const char *sentence)
{
    fprintf(stderr, "note: %s: %s\n", (const char *)self, sentence);
}

/* No table is of the changed machine. */
static int change(struct asim_machine *machine, const char *list, struct asim_err *err)
{
    free(machine->measured);
    machine->measured = NULL;
    return asim_machine_change(machine, list, err);
}

/* Variables that act on a fabric change nothing here. */
static int read_variables(struct tables *all, const char *path, struct asim_err *err)
{
    const struct asim_diagnostics notes = {say_odd, "nccl-env"};
    const struct asim_nccl_env *env = &all->env;
    int rc = asim_nccl_env_read(&all->env, strcmp(path, "-") ? path : NULL, &notes, err);

    if (!rc && ((env->cross_nic >= 0 && env->cross_nic != 2) || env->qps != 1 || env->pxn_disable))
        asim_diagnose(&notes, "NCCL_CROSS_NIC, NCCL_IB_QPS_PER_CONNECTION and NCCL_PXN_DISABLE "
                              "have no effect: the closed form has no fabric");
    return rc;
}

static int add_machines(struct tables *all, const struct options *opt, struct asim_err *err)
{
    char *copy = strdup(opt->machine), *rest = NULL;
    size_t most = 1;
    int rc;

    for (const char *at = opt->machine; *at; at++)
        most += *at == ',';
    all->machine = calloc(most, sizeof *all->machine);
    rc = copy && all->machine ? 0 : asim_err_nomem(err, "reading machines");
    for (char *word = copy && !rc ? strtok_r(copy, ",", &rest) : NULL; word && !rc;
         word = strtok_r(NULL, ",", &rest)) {
        struct part part = {all->machines++, opt->nodes, opt->gpus};
        struct asim_machine *machine = &all->machine[part.machine];

        rc = split(word, &part, err);
        if (!rc)
            rc = asim_machine_read(machine, word, err);
        if (!rc && opt->change)
            rc = change(machine, opt->change, err);
        if (!rc && (!asim_machine_text(machine->source) || opt->change))
            asim_machine_odd(machine, &(struct asim_diagnostics){say_odd, machine->name});
        if (!rc)
            rc = add_ops(all, opt, &part, err);
    }
    free(copy);
    return rc;
}

static void free_all(struct tables *all)
{
    for (size_t i = 0; i < all->table.n; i++)
        free(all->table.at[i].row.at);
    for (size_t i = 0; i < all->machines; i++)
        asim_machine_fini(&all->machine[i]);
    ASIM_FREE(all->table.at, all->machine, all->size.at);
    asim_measured_fini(&all->measured);
    asim_nccl_env_fini(&all->env);
}

/* --- files ------------------------------------------------------------------------------------ */

static void write_csv_row(struct asim_out *out, const struct asim_size_table *table,
                          const struct asim_size_row *row)
{
    const struct asim_measured_row *other =
        table->measured ? asim_measured_find(table->measured, table->job.op, row->bytes) : NULL;
    struct asim_bandwidth bandwidth = asim_size_table_bandwidth(table, row->bytes, row->time.us);

    struct asim_nccl_job job = table->job;
    struct asim_distance distance;

    job.bytes = row->bytes;
    asim_distance_find(&distance, &job);
    asim_out_printf(out, "%s,%s,%u,%u,%" PRIu64 ",%.3f,%.4f,%.4f,%s,%s,%u", table->machine->name,
                    asim_nccl_op_names[table->job.op], table->job.nodes, table->job.gpus,
                    row->bytes, row->time.us, bandwidth.alg, bandwidth.bus,
                    asim_nccl_algo_names[row->time.algo], asim_nccl_proto_names[row->time.proto],
                    row->time.channels);
    if (other)
        asim_out_printf(out, ",%.3f,%.2f", other->us, 100 * (row->time.us / other->us - 1));
    else if (table->measured)
        asim_out_printf(out, ",,");
    asim_out_printf(out, ",%s,%.1f\n", distance.text, distance.percent);
}

static int write_csv(const struct tables *all, const char *path, struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_out_open(&out, path, err);

    if (rc)
        return rc;
    asim_out_printf(&out,
                    "machine,op,nodes,gpus,size_bytes,time_us,algbw_GBps,busbw_GBps,algorithm,"
                    "protocol,channels%s,distance,within_percent\n",
                    all->measured.row.n ? ",measured_us,error_percent" : "");
    for (size_t t = 0; t < all->table.n; t++)
        for (size_t i = 0; i < all->table.at[t].row.n; i++)
            write_csv_row(&out, &all->table.at[t], &all->table.at[t].row.at[i]);
    return asim_out_commit(&out, err);
}

static void write_json_row(struct asim_out *out, const struct asim_size_table *table, size_t i)
{
    static const char *const places[] = {"out_of_place", "in_place"};
    const struct asim_size_row *row = &table->row.at[i];
    struct asim_bandwidth bandwidth = asim_size_table_bandwidth(table, row->bytes, row->time.us);

    asim_out_printf(out,
                    "%s\n    {\"machine\": \"%s\", \"experiment_name\": \"%s\", \"nodes\": %u, "
                    "\"gpus\": %u, \"size\": %" PRIu64 ", \"type\": \"float\"",
                    i ? "," : "", table->machine->name, asim_nccl_op_names[table->job.op],
                    table->job.nodes, table->job.gpus, row->bytes);
    for (int p = 0; p < 2; p++)
        asim_out_printf(
            out, ", \"%s\": {\"time\": %.3f, \"alg_bw\": %.4f, \"bus_bw\": %.4f, \"nwrong\": 0}",
            places[p], row->time.us, bandwidth.alg, bandwidth.bus);
    asim_out_printf(out, ", \"algorithm\": \"%s\", \"protocol\": \"%s\", \"channels\": %u}",
                    asim_nccl_algo_names[row->time.algo], asim_nccl_proto_names[row->time.proto],
                    row->time.channels);
}

static int write_json(const struct tables *all, const char *path, struct asim_err *err)
{
    struct asim_out out;
    double bus = 0;
    int rc = asim_out_open(&out, path, err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{\"version\": 1, \"args\": [\"asim nccl-tests\"], \"results\": [");
    for (size_t t = 0; t < all->table.n; t++) {
        for (size_t i = 0; i < all->table.at[t].row.n; i++) {
            if (t && !i)
                asim_out_printf(&out, ",");
            write_json_row(&out, &all->table.at[t], i);
        }
        bus += asim_size_table_bus(&all->table.at[t]);
    }
    asim_out_printf(&out, "\n  ],\n  \"average_bus_bandwidth\": {\"bandwidth\": %g}}\n",
                    all->table.n ? bus / (double)all->table.n : 0);
    return asim_out_commit(&out, err);
}

/* --- the command ------------------------------------------------------------------------------ */

static int write_files(const struct tables *all, const struct options *opt, struct asim_err *err)
{
    int rc = opt->csv ? write_csv(all, opt->csv, err) : 0;

    if (!rc && opt->json)
        rc = write_json(all, opt->json, err);
    if (!rc && opt->plot)
        rc = asim_size_tables_plot(all->table.at, all->table.n, opt->plot, err);
    return rc;
}

static int check_model(const struct options *opt, struct asim_err *err)
{
    if (opt->fabric && opt->model == CLOSED)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--fabric: the closed form has none; say --model=flow or packet.");
    if ((opt->fabric || opt->model > CLOSED) && (opt->algo || opt->proto))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--algo and --proto are for the closed form; over a fabric set "
                            "NCCL_ALGO and NCCL_PROTO and say --nccl-env.");
    return 0;
}

static int work(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    struct tables all = {0};
    int rc = check_model(opt, err);

    if (!rc && opt->plot)
        rc = asim_chart_check_name("plot", opt->plot, err);
    if (!rc && opt->against)
        rc = asim_measured_read(&all.measured, opt->against, err);
    all.by_table = opt->against && !opt->sizes && !opt->step && !opt->factor;
    if (!rc)
        rc = find_range(&all, opt, err);
    if (!rc && opt->sizes)
        rc = list_sizes(&all, opt->sizes, err);
    else if (!rc && !all.by_table)
        rc = step_sizes(&all, opt, err);
    if (!rc && opt->variables)
        rc = read_variables(&all, opt->variables, err);
    if (!rc)
        rc = add_machines(&all, opt, err);
    if (!rc)
        rc = write_files(&all, opt, err);
    for (size_t t = 0; t < all.table.n && !rc && !(opt->json && !strcmp(opt->json, "-")); t++)
        asim_size_table_print(&all.table.at[t]);
    free_all(&all);
    return rc;
}

static const struct asim_args_job job = {
    "nccl-tests",
    "usage: asim nccl-tests --machine=h100-ndr --nodes=2 --op=all_reduce -b 8 -e 16G -f 2", options,
    0, work};

const struct asim_command asim_command_nccl_tests = {
    .member = {"nccl-tests", "Predict the table nccl-tests prints on a machine, by a closed form.",
               options, sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_RUN,
};
