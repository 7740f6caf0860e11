/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim fit: fits a few numbers of a machine file to one table that nccl-tests printed on it,
 * says what it did, and writes the machine file (machines.md#calibration). For traces there is
 * `asim trace calibrate`.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "cli/args.h"
#include "tools/machine/write.h"
#include "tools/machine/fit.h"
#include "tools/machine/sweep.h"

struct options {
    char *machine, *against, *op, *fit, *from, *output;
    uint32_t nodes, gpus;
    int algo, proto;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"machine", "m", "machine to begin with: a name, or a file", "h100-ndr", ASIM_T_STRING,
     AT(machine), .flags = ASIM_F_READS},
    {"against", NULL, "measured table: text or JSON of nccl-tests or rccl-tests, or CSV", NULL,
     ASIM_T_STRING, AT(against), 0, 0, NULL, ASIM_F_READS},
    {"op", NULL,
     "what was measured: all_reduce, all_gather, …; else what the table says, or all_reduce", NULL,
     ASIM_T_STRING, AT(op)},
    {"nodes", "N", "hosts", "2", ASIM_T_U32, AT(nodes), 1, 1 << 20},
    {"gpus", "g", "GPUs of each host (0 = all it has)", "0", ASIM_T_U32, AT(gpus), 0, 1 << 12},
    {"algo", NULL, "algorithm, where NCCL_ALGO was set", "auto", ASIM_T_CHOICE, AT(algo), 0, 0,
     "auto|tuned|ring|tree|nvls|nvls_tree"},
    {"proto", NULL, "protocol, where NCCL_PROTO was set", "auto", ASIM_T_CHOICE, AT(proto), 0, 0,
     "auto|Simple|LL|LL128"},
    {"fit", NULL,
     "keys of the machine file to fit (asim machine show NAME lists them), with commas; else those "
     "of the kind of op",
     NULL, ASIM_T_STRING, AT(fit)},
    {"from", NULL, "leave out smaller sizes", "1", ASIM_T_STRING, AT(from)},
    {"out", "o", "the fitted machine file", NULL, ASIM_T_STRING, AT(output), 0, 0, NULL,
     ASIM_F_WRITES},
    {0}};

/* --- what is fitted --------------------------------------------------------------------------- */

static int add_parameters(struct asim_fit *fit, const char *list, struct asim_err *err)
{
    char *copy = strdup(list), *rest = NULL;
    int rc = copy ? 0 : asim_err_nomem(err, "reading --fit");

    for (char *word = copy ? strtok_r(copy, ", ", &rest) : NULL; word && !rc;
         word = strtok_r(NULL, ", ", &rest))
        rc = asim_fit_add(fit, word, err);
    free(copy);
    return rc;
}

/* What a table of this op shows most of. */
static const char *usual_keys(const struct asim_nccl_job *job)
{
    const struct asim_machine *m = job->machine;
    int is_inside = job->nodes <= m->hosts;

    if (job->op == ASIM_NCCL_SEND_RECV)
        return is_inside ? "p2p_us,pair_copy_gbytes,ring_gbytes" : "p2p_net_us,pair_copy_gbytes";
    if (job->op == ASIM_NCCL_ALL_TO_ALL || job->op == ASIM_NCCL_ALL_TO_ALL_V ||
        job->op == ASIM_NCCL_GATHER || job->op == ASIM_NCCL_SCATTER)
        return is_inside ? "p2p_us,p2p_copy_gbytes,ring_gbytes"
                         : "p2p_peer_us,p2p_efficiency"; /* as p2p_net_us on one number of nodes */
    if (is_inside)
        return m->nvls ? "launch_us,ring_gbytes,nvls_gbytes,nvls_us" : "launch_us,ring_gbytes";
    return "launch_us,nic_efficiency,ring_gbytes,net_ll_us,net_ll128_us,net_simple_us";
}

static int prepare(struct asim_fit *fit, struct asim_measured *measured, const struct options *opt,
                   struct asim_err *err)
{
    int told = asim_measured_op(measured), op = told < 0 ? ASIM_NCCL_ALL_REDUCE : told;
    char doubt[256];
    uint64_t from;
    int rc = opt->op ? asim_nccl_op_parse(opt->op, &op, err) : 0;

    if (!rc)
        rc = asim_measured_keep(measured, op, opt->against, err);
    if (rc)
        return rc;
    if (asim_size_parse(opt->from, &from))
        return asim_err_set(err, ASIM_EUSAGE, "--from: '%s' is no size.", opt->from);
    fit->job = (struct asim_nccl_job){fit->machine,  op, opt->nodes, opt->gpus, 0, opt->algo,
                                      opt->proto - 1};
    if (!fit->job.gpus)
        fit->job.gpus = fit->machine->gpus;
    if (asim_fit_choose_rows(fit, from, err) ||
        add_parameters(fit, opt->fit ? opt->fit : usual_keys(&fit->job), err) ||
        asim_fit_drop_warm_up(fit, err))
        return err->code;
    if (*asim_measured_doubt(measured, op, opt->nodes, opt->nodes * fit->job.gpus, doubt))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){opt->against, 0, 0}, "%s", doubt);
    return 0;
}

/* Tables do not say NCCL_ALGO. An algorithm is taken for all sizes where NCCL's choice leaves rows
 * half a per cent off and it halves their median. */
static int fit_algorithms(struct asim_fit *fit, struct asim_err *err)
{
    static const int algos[] = {ASIM_NCCL_RING, ASIM_NCCL_TREE, ASIM_NCCL_NVLS,
                                ASIM_NCCL_NVLS_TREE};
    const struct asim_machine start = *fit->machine;
    struct asim_machine best;
    int rc = asim_fit_run(fit, err);

    best = *fit->machine;
    if (rc || fit->job.op != ASIM_NCCL_ALL_REDUCE || fit->job.algo != ASIM_NCCL_AUTO)
        return rc;
    for (size_t i = 0; i < sizeof algos / sizeof *algos && fit->median_after > .005; i++) {
        struct asim_fit other = *fit;
        struct asim_err ignored = {0};

        *fit->machine = start;
        other.job.algo = algos[i];
        if (asim_fit_run(&other, &ignored) || other.median_after > .5 * fit->median_after)
            continue;
        *fit = other;
        best = *fit->machine;
    }
    *fit->machine = best;
    return 0;
}

/* --- what is said ----------------------------------------------------------------------------- */

static void print_rows(const struct asim_fit *fit)
{
    size_t left = fit->measured->row.n - fit->n_used;

    printf("rows used: %zu of %zu\n", fit->n_used, fit->measured->row.n);
    if (!left)
        return;
    printf("left out (smaller than --from, slower than the next size, or a first row that alone "
           "shows a number):");
    for (size_t i = 0; i < fit->measured->row.n; i++)
        if (!fit->used[i])
            printf(" %llu", (unsigned long long)fit->measured->row.at[i].bytes);
    printf("\n");
}

static void print_fit(const struct asim_fit *fit, int asked)
{
    print_rows(fit);
    if (fit->job.algo != asked)
        printf("fitted as with NCCL_ALGO=%s: NCCL's choice is further from the table\n",
               asim_nccl_algo_names[fit->job.algo]);
    printf("%-22s %12s %12s %10s\n", "number", "before", "after", "+-");
    for (size_t i = 0; i < fit->parameters; i++) {
        const struct asim_fit_parameter *p = &fit->parameter[i];

        if (!p->is_free)
            printf("%-22s %12.6g %12s %10s\n", p->row->key, p->before, "unchanged",
                   "no row shows it");
        else if (!isfinite(p->plus_minus))
            printf("%-22s %12.6g %12.6g %10s\n", p->row->key, p->before, p->after, "not known");
        else if (p->is_sum)
            printf("%-22s %12.6g %12.6g %7.2f us\n", p->row->key, p->before, p->after,
                   20 * p->plus_minus);
        else
            printf("%-22s %12.6g %12.6g %8.1f %%\n", p->row->key, p->before, p->after,
                   100 * p->plus_minus);
    }
    printf("error before: median %.1f %%, worst %.1f %%\n", 100 * fit->median_before,
           100 * fit->worst_before);
    printf("error after:  median %.1f %%, worst %.1f %%\n", 100 * fit->median_after,
           100 * fit->worst_after);
}

/* --- the machine file ------------------------------------------------------------------------- */

/* Four digits tell as much as a fit knows. */
static double rounded(double value)
{
    double scale = value != 0 ? pow(10, 3 - floor(log10(fabs(value)))) : 1;

    return round(value * scale) / scale;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int write_machine(const struct asim_fit *fit, const struct options *opt,
                         struct asim_err *err)
{
    json_t *root = asim_machine_read_json(opt->machine, err);
    int rc = root ? 0 : err->code;

    for (size_t i = 0; i < fit->parameters && !rc; i++) {
        const struct asim_fit_parameter *p = &fit->parameter[i];

        if (p->is_free && json_object_set_new(root, p->row->key,
                                              json_pack("{s:f,s:s}", "value", rounded(p->after),
                                                        "fitted", file_name(opt->against))))
            rc = asim_err_nomem(err, "writing a machine file");
    }
    if (!rc)
        rc = asim_machine_write_json(root, opt->output, err);
    json_decref(root);
    return rc;
}

/* --- the command ------------------------------------------------------------------------------ */

static int work(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    struct asim_machine machine = {0};
    struct asim_measured measured = {0};
    struct asim_fit fit = {.machine = &machine, .measured = &measured};
    int rc;

    if (!opt->against)
        return asim_err_set(err, ASIM_EUSAGE, "--against=FILE is missing: the measured table.");
    rc = asim_measured_read(&measured, opt->against, err);
    if (!rc)
        rc = asim_machine_read(&machine, opt->machine, err);
    if (!rc)
        rc = prepare(&fit, &measured, opt, err);
    if (!rc)
        rc = fit_algorithms(&fit, err);
    if (!rc && opt->output)
        rc = write_machine(&fit, opt, err);
    if (!rc)
        print_fit(&fit, opt->algo);
    asim_fit_fini(&fit);
    asim_measured_fini(&measured);
    asim_machine_fini(&machine);
    return rc;
}

static const struct asim_args_job job = {
    "fit", "usage: asim fit --machine=NAME --against=TABLE --op=all_reduce --nodes=2 --out=FILE",
    options, 0, work};

static const char *const called_as[] = {"calibrate", NULL};

const struct asim_command asim_command_fit = {
    .member = {"fit", "Fit a machine file to a table that nccl-tests measured.", options,
               sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
    .topic = ASIM_TOPIC_INPUT,
};
