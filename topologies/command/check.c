/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim topo check: the content of a topology file and its errors. Prints counts by type and level,
 * links by rate and delay, connectivity, oversubscription per level, bisection bandwidth, and the
 * findings of lint.c. Ends with one line; exit code 1 if there are errors (or, with --strict,
 * warnings).
 */
#include <stdlib.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "cli/args.h"
#include "asim/topology.h"
#include "topologies/files.h"
#include "topologies/levels.h"
#include "topologies/lint.h"

struct check_options {
    int strict, no_bisection;
};

static const struct asim_option options[] = {
    {"strict", NULL, "a warning fails as an error does", "0", ASIM_T_BOOL,
     offsetof(struct check_options, strict)},
    {"no-bisection", NULL, "leave out the bisection, the one slow part (over a million links)", "0",
     ASIM_T_BOOL, offsetof(struct check_options, no_bisection)},
    {0}};

static const char *kind_name(int kind)
{
    return kind == ASIM_HOST ? "host" : kind == ASIM_NVSWITCH ? "NVSwitch" : "switch";
}

/* Level 1 is next to hosts, level 2 next to level 1, and so on; unreachable switches are
 * separate. */
static void show_counts(const struct asim_topo *topo, const uint8_t *level)
{
    uint32_t per_level[256] = {0};
    uint32_t nvsw = asim_files_count(topo, ASIM_NVSWITCH);
    for (uint32_t v = 0; v < topo->nodes; v++)
        per_level[level[v]]++;
    printf("  hosts             %u", topo->hosts);
    if (topo->gpus_per_server)
        printf(" in servers of %u%s%s", topo->gpus_per_server, *topo->gpu_type ? ", " : "",
               topo->gpu_type);
    printf("\n  NVSwitches        %u\n  switches          %u", nvsw, topo->switches - nvsw);
    for (int l = 1; l < ASIM_LEVEL_NVSWITCH; l++)
        if (per_level[l])
            printf("%s %u at level %d", l == 1 ? ":" : ",", per_level[l], l);
    if (per_level[ASIM_LEVEL_NONE])
        printf(", %u without a path to any host", per_level[ASIM_LEVEL_NONE]);
    printf("\n");
}

/* Links with equal node types, rate and delay. */
struct sort {
    int kinds; /* type of the lower end * 4 + type of the upper end */
    uint64_t rate_bps, delay_fs, count;
};

/* Ignores error rates, which lint.c checks. */
static int same_sort(const struct sort *a, const struct sort *b)
{
    return a->kinds == b->kinds && a->rate_bps == b->rate_bps && a->delay_fs == b->delay_fs;
}

/* A topology has a few of them; beyond 16 only their number is printed. */
static void show_links(const struct asim_topo *topo)
{
    enum { MOST = 16 };
    struct sort sorts[MOST + 1] = {{0}};
    char rate[48], delay[48];
    size_t n = 0;
    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *l = &topo->links[i];
        int a = topo->node_type[l->a], b = topo->node_type[l->b];
        struct sort sort = {a < b ? a * 4 + b : b * 4 + a, l->rate_bps, l->delay_fs, 0};
        size_t at = 0;
        while (at < n && !same_sort(&sorts[at], &sort))
            at++;
        if (at == n && n < MOST)
            sorts[n++] = sort;
        sorts[at].count++;
    }
    printf("  links             %zu\n", topo->n_links);
    for (size_t i = 0; i < n; i++)
        printf("    %8llu %s - %s, %s, %s\n", (unsigned long long)sorts[i].count,
               kind_name(sorts[i].kinds / 4), kind_name(sorts[i].kinds % 4),
               asim_topo_show_rate(rate, sizeof rate, sorts[i].rate_bps),
               asim_topo_show_delay(delay, sizeof delay, sorts[i].delay_fs));
    if (sorts[MOST].count)
        printf("    %8llu of further sorts\n", (unsigned long long)sorts[MOST].count);
}

/* Sum of the rates of v's links to the level one above (up = 1) or one below. */
static double sum_rates(const struct asim_topo *topo, const uint8_t *level, uint32_t v, int up)
{
    double sum = 0;
    for (uint32_t i = topo->first_port[v]; i < topo->first_port[v + 1]; i++)
        if (level[topo->ports[i].peer] == level[v] + (up ? 1 : -1))
            sum += (double)topo->links[topo->ports[i].link].rate_bps;
    return sum;
}

/* For each level the switch with the highest ratio of rates below to rates above. The highest
 * levels have nothing above and end the list. */
static void show_oversubscription(const struct asim_topo *topo, const uint8_t *level)
{
    for (int l = 1; l < ASIM_LEVEL_MAX; l++) {
        double worst = 0, worst_down = 0, worst_up = 0;
        for (uint32_t v = topo->hosts; v < topo->nodes; v++) {
            double up = level[v] == l ? sum_rates(topo, level, v, 1) : 0;
            double down = up > 0 ? sum_rates(topo, level, v, 0) : 0;
            if (up <= 0 || down / up < worst)
                continue;
            worst = down / up;
            worst_down = down;
            worst_up = up;
        }
        if (worst_up <= 0)
            return;
        printf("  oversubscription  level %d: at most %.6g : 1 (%.6g Gbps down, %.6g Gbps up)\n", l,
               worst, worst_down / 1e9, worst_up / 1e9);
    }
}

/* 1 means that neither half can saturate the fabric. */
static int show_bisection(const struct asim_topo *topo, struct asim_err *err)
{
    static const char *const names[2] = {"low and high ids", "even and odd ids"};
    for (int half = 0; half < 2 && topo->hosts > 1; half++) {
        struct asim_bisection b;
        if (asim_bisection_of(topo, half, &b))
            return asim_err_nomem(err, "computing the bisection");
        printf("  bisection         %s: %.6g Gbps, %.4g of the hosts' own %.6g Gbps\n", names[half],
               b.flow_bps / 1e9, b.full_bps > 0 ? b.flow_bps / b.full_bps : 0, b.full_bps / 1e9);
    }
    return 0;
}

/* The bisection, a maximum flow, takes seconds above a million links; the rest is a few passes. */
static int show_all(const struct asim_topo *topo, const struct check_options *opt,
                    struct asim_lint *lint, struct asim_err *err)
{
    uint8_t *level = asim_levels_of(topo);
    if (!level)
        return asim_err_nomem(err, "sorting switches by level");
    show_counts(topo, level);
    show_links(topo);
    show_oversubscription(topo, level);
    free(level);
    int rc = opt->no_bisection ? 0 : show_bisection(topo, err);
    return rc ? rc : asim_lint_run(lint, topo, err);
}

/* A file, or what --topology makes of auto:NAME,key=value and machine:NAME,key=value. */
static int read_or_make(struct asim_topo *topo, const char *path, struct asim_err *err)
{
    const char *words;

    return asim_topo_is_made(path, &words) ? asim_topo_make(topo, words, 0, err)
                                           : asim_topo_read(topo, path, err);
}

/* A file that cannot be read is one error, with its line. */
static int check_file(const char *path, const struct check_options *opt)
{
    struct asim_topo topo;
    struct asim_err err = {0};
    struct asim_lint lint = {.file = stdout};
    const struct asim_topo_format *format = asim_files_sniff(path);
    int rc = read_or_make(&topo, path, &err);
    if (!rc) {
        printf("%s: %s%s%u nodes, %zu links\n", path, format ? format->member.name : "",
               format ? " flavour, " : "", topo.nodes, topo.n_links);
        rc = show_all(&topo, opt, &lint, &err);
        asim_topo_fini(&topo);
    }
    if (rc)
        return asim_args_fail("topo check", &err, 1);
    int bad = lint.errors || (opt->strict && lint.warnings);
    printf("%s: %s, %u error%s, %u warning%s\n", path, bad ? "not good" : "good", lint.errors,
           asim_text_s(lint.errors), lint.warnings, asim_text_s(lint.warnings));
    return bad;
}

/* The exit code is that of the worst file. */
static int check(const struct asim_args *args, struct asim_err *err)
{
    int code = 0; /* each file's errors are printed on their own */
    if (!args->n_words)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "no topology file is given: asim topo check FILE...; --help lists the options.");
    for (size_t i = 0; i < args->n_words; i++)
        code |= check_file(args->words[i], args->tables[0].base);
    return code;
}

static int run(int argc, char **argv)
{
    enum { MOST_FILES = 64 };
    static const struct asim_args_job job = {
        "topo check",
        "usage: asim topo check FILE | auto:NAME,KEY=VALUE | machine:NAME,KEY=VALUE... [options]",
        options,
        MOST_FILES,
        check,
        0,
        1};
    struct check_options opt = {0};
    return asim_args_run(&job, &opt, argc, argv);
}

const struct asim_command asim_topo_command_check = {
    .member = {"check", "Count, measure and lint topology files.", options,
               sizeof(struct check_options)},
    .run = run,
};
