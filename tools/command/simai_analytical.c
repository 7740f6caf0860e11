/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim simai-analytical: SimAI-Analytical with its own options and CSV. Prints the summary; the
 * rows go to the result file. Differences for users: it runs from any folder, names missing files,
 * and reads the efficiency tables, which are SimAI's files, from --ratios.
 *
 * Exit codes as everywhere: 0 written, 1 bad input, 2 wrong usage. The workload is read by
 * trace/simai/workload.c, the same reader a packet run of it uses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "cli/args.h"
#include "tools/simai.h"

static const char name[] = "simai-analytical";

/* The published tool prints only file names; the sums are what one looks for. */
static void show_totals(const struct asim_sa_totals *t, const char *path)
{
    const struct {
        const char *what;
        double us;
    } lines[] = {{"compute", t->compute},       {"exposed DP", t->dp}, {"exposed DP_EP", t->dp_ep},
                 {"exposed TP", t->tp},         {"exposed EP", t->ep}, {"exposed PP", t->pp},
                 {"pipeline bubble", t->bubble}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        printf("%-16s %14.0f us  %6.2f %%\n", lines[i].what, lines[i].us,
               t->total > 0 ? lines[i].us / t->total * 100 : 0);
    printf("%-16s %14.0f us\n%s\n", "total", t->total, path);
}

/* The workload's name without folder and suffix, and a dash. */
static int default_prefix(struct asim_sa_options *opt, struct asim_err *err)
{
    if (opt->prefix)
        return 0;
    const char *base = opt->workload + asim_text_dirlen(opt->workload);
    const char *dot = strrchr(base, '.');
    size_t n = dot ? (size_t)(dot - base) : strlen(base);
    opt->prefix = malloc(n + 2);
    if (!opt->prefix)
        return asim_err_nomem(err, "naming the result");
    memcpy(opt->prefix, base, n);
    memcpy(opt->prefix + n, "-", 2);
    return 0;
}

/* What SimAI passes over in silence and a reader of the result should know. */
static void show_notes(const struct asim_sa *sa)
{
    const struct {
        const char *key;
        uint32_t value;
        const char *taken;
    } keys[] = {{"model_parallel_NPU_group", sa->w->tp, "all GPUs are taken"},
                {"ep", sa->w->ep, "1 is taken"},
                {"pp", sa->w->pp, "1 is taken"},
                {"vpp", sa->w->vpp, "1 is taken"},
                {"ga", sa->w->ga, "1 is taken"},
                {"all_gpus", sa->w->all_gpus, "-g is taken"}};

    if (sa->opt->gpus && sa->w->all_gpus && sa->opt->gpus != sa->w->all_gpus)
        fprintf(stderr, "asim %s: note: %s has all_gpus %u; -g %u is taken.\n", name, sa->w->source,
                sa->w->all_gpus, sa->opt->gpus);
    if (sa->opt->type_ignored)
        fprintf(stderr, "asim %s: note: -nv %g is taken, not the bandwidth of -g_type %s.\n", name,
                sa->opt->nv_gib, sa->opt->gpu_type);
    if (!sa->tables.known)
        fprintf(stderr,
                "asim %s: note: no efficiency tables (--ratios=FOLDER); every ratio is 1.\n", name);
    if (sa->w->ignored)
        fprintf(stderr, "asim %s: note: %u BROADCAST columns are ignored, as SimAI does.\n", name,
                sa->w->ignored);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!keys[i].value)
            fprintf(stderr, "asim %s: note: %s has no %s above 0; %s.\n", name, sa->w->source,
                    keys[i].key, keys[i].taken);
}

/* opt gets its prefix here; everything read is freed with sa, which owns only plain structs. */
static int run_workload(struct asim_sa_options *opt, const struct asim_simai *w,
                        struct asim_err *err)
{
    struct asim_sa sa = {.opt = opt, .w = w};
    struct asim_sa_totals totals;
    char path[2048];
    int rc = asim_simai_layout(w, opt->gpus, &sa.layout, err);
    if (!rc)
        rc = asim_sa_tables_read(&sa.tables, opt->ratio_dir, err);
    if (!rc && opt->busbw)
        rc = asim_sa_busbw_read(&sa.busbw, opt->busbw, err);
    if (!rc)
        rc = default_prefix(opt, err);
    if (!rc)
        rc = asim_sa_report(&sa, &totals, path, sizeof path, err);
    if (rc)
        return rc;
    show_notes(&sa);
    show_totals(&totals, path);
    return 0;
}

/* Options are checked before the workload is read, so a missing flag costs no time. */
static int analyse(const struct asim_args *args, struct asim_err *err)
{
    struct asim_sa_options *opt = args->tables[0].base;
    struct asim_simai w;
    int rc;
    rc = asim_sa_options_fill(opt, err);
    if (!rc)
        rc = asim_simai_read(&w, opt->workload, err);
    if (rc)
        return rc;
    rc = run_workload(opt, &w, err);
    asim_simai_fini(&w);
    return rc;
}

static const struct asim_args_job job = {name,
                                         "usage: asim simai-analytical -w WORKLOAD -g GPUS -g_p_s "
                                         "N -n_p_s N (-nv GB/s | -g_type GPU) [options]",
                                         asim_sa_option_table, 0, analyse};

static const char *const called_as[] = {"SimAI_analytical", NULL};

const struct asim_command asim_command_simai_analytical = {
    .member = {"simai-analytical",
               "Tell a workload's time from bus bandwidths, as SimAI-Analytical.",
               asim_sa_option_table, sizeof(struct asim_sa_options)},
    .job = &job,
    .called_as = called_as,
    .topic = ASIM_TOPIC_RUN,
};
