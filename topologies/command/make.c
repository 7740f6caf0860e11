/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim topo make: a topology file from one of the makers. Takes the command lines of SimAI's
 * gen_Topo_Template.py (`-topo Spectrum-X -g 128 -gt A100 -bw 100Gbps`), also with the maker's name
 * as first word instead of -topo, and writes that script's file name without -o. Without a name it
 * makes the script's layout without template: no rails unless --ro.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "cli/file_set.h"
#include "cli/args.h"
#include "cli/interrupt.h"
#include "asim/topology.h"
#include "topologies/files.h"

struct make_options {
    char *topology, *output, *format;
    int list, quiet;
};

static const struct asim_option options[] = {
    {"topo", "topology", "the maker, as first word or here", NULL, ASIM_T_STRING,
     offsetof(struct make_options, topology)},
    {"out", "output", "file to write, - for standard output (default: a name made of the sizes)",
     NULL, ASIM_T_STRING, offsetof(struct make_options, output), 0, 0, NULL, ASIM_F_WRITES},
    {"format", "f",
     "flavour of the file: simai or astra (default: simai where there are NVSwitches)", NULL,
     ASIM_T_STRING, offsetof(struct make_options, format)},
    {"list", NULL, "list the makers and end", "0", ASIM_T_BOOL,
     offsetof(struct make_options, list)},
    {"quiet", "q", "do not say what was written", "0", ASIM_T_BOOL,
     offsetof(struct make_options, quiet)},
    {0}};

/* One line per maker. */
static int list_makers(void)
{
    for (size_t i = 0; asim_topo_maker_table[i]; i++)
        printf("%-16s %s\n", asim_topo_maker_table[i]->name, asim_topo_maker_table[i]->about);
    return 0;
}

/* Without a maker lists the makers; with a maker shows its options after the command's own. */
static void show_help(const struct asim_topo_maker *maker, int all)
{
    printf(
        "usage: asim topo make NAME [options of the maker] [-o FILE]\n"
        "       asim topo make auto:NAME,KEY=VALUE | machine:NAME,KEY=VALUE [-o FILE]\n\n"
        "Makes a topology file. SimAI's generator flags are accepted with one or two dashes.\n\n");
    if (maker)
        printf("%s: %s\n", maker->member.name, maker->member.about);
    asim_args_help(stdout, options, maker ? maker->member.options : NULL, all);
    if (maker)
        return;
    printf("\nMakers ('asim topo make NAME --help' shows a maker's options):\n");
    list_makers();
}

/* The name: first word, or the value of -topo, or NULL. */
static const char *find_name(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-')
        return argv[1];
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (asim_args_is(argv[i], &options[0]))
            return value ? value + 1 : i + 1 < argc ? argv[i + 1] : NULL;
    }
    return NULL;
}

/* Leaves are the network switches with hosts; the generator gives the same warning. */
static void warn_leaves(const struct asim_topo *topo, const struct asim_topo_maker *maker,
                        const void *opt)
{
    const struct asim_option *row = asim_option_find(maker->member.options, "asn");
    uint32_t asked = 0, leaves = 0;
    if (!row)
        return;
    memcpy(&asked, (const char *)opt + row->offset, sizeof asked);
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        leaves += topo->node_type[v] == ASIM_SWITCH &&
                  topo->ports[topo->first_port[v]].peer < topo->hosts;
    if (asked && asked != leaves)
        fprintf(
            stderr,
            "asim topo make: warning: asn=%u has no effect: this layout has %u leaf switches.\n",
            asked, leaves);
}

/* The generator's file name if it has the template, else a name of asim. */
static int write_topo(const struct asim_topo *topo, const char *maker, const void *opt,
                      const struct make_options *own, int force, struct asim_err *err)
{
    char name[256];
    const char *path = own->output;
    if (!path) {
        if (!*asim_topo_file_name(maker, opt, topo, name, sizeof name))
            snprintf(name, sizeof name, "%s_%ug.txt", maker, topo->hosts);
        path = name;
    }
    const struct asim_topo_format *format = asim_files_format(own->format, topo, err);
    if (!format)
        return ASIM_EUSAGE;
    int rc = asim_file_set_refuse_existing(path, force, err);
    if (!rc)
        rc = format->write(topo, path, err);
    if (!rc && !own->quiet && strcmp(path, "-"))
        printf("%s: %u hosts, %u switches, %zu links, %s flavour\n", path, topo->hosts,
               topo->switches, topo->n_links, format->member.name);
    return rc;
}

/* Writes nothing unless the whole topology was made. */
static int make_and_write(const struct asim_topo_maker *maker, const void *opt,
                          const struct make_options *own, int force, struct asim_err *err)
{
    struct asim_topo topo;
    asim_topo_init(&topo);
    int rc = maker->make(&topo, 0, opt, err);
    if (!rc) {
        warn_leaves(&topo, maker, opt);
        rc = write_topo(&topo, maker->member.name, opt, own, force, err);
    }
    asim_topo_fini(&topo);
    return rc;
}

/* Fills the maker's options from the command line; without a name, rails are off. */
static int fill(const struct asim_topo_maker *maker, int named, struct asim_args *args, int argc,
                char **argv)
{
    struct asim_err err = {0};
    const struct asim_option *table = maker->member.options;
    const struct asim_key_value no_rails = {"ro", "0"};
    int rc = asim_option_defaults(table, args->tables[1].base, &err);
    if (!rc && !named)
        rc = asim_option_set(table, args->tables[1].base, no_rails, (struct asim_where){"", 0, 0},
                             &err);
    if (!rc)
        rc = asim_args_parse(args, argc, argv, &err);
    if (!rc && args->n_words && ((const struct make_options *)args->tables[0].base)->topology)
        rc = asim_err_set(
            &err, ASIM_EINVAL,
            "the maker is given twice, as the word '%.80s' and by -topo; leave one out.",
            args->words[0]);
    return rc ? asim_args_fail("topo make", &err, 2) : 0;
}

/* Returns the exit code. */
static int make_or_fail(const struct asim_topo_maker *maker, const void *opt,
                        const struct make_options *own, int force)
{
    struct asim_err err = {0};
    asim_interrupt_catch();
    int code = make_and_write(maker, opt, own, force, &err);
    code = asim_interrupt_end(code, &err);
    return code ? asim_args_fail("topo make", &err, asim_args_exit(&err)) : 0;
}

/* Parses both tables at once, the command's and the maker's, so their options may come in any
 * order. */
static int run_maker(const struct asim_topo_maker *maker, int named, int argc, char **argv)
{
    struct make_options own = {0};
    struct asim_err err = {0};
    const char *word;
    size_t size = maker->member.options_size ? maker->member.options_size : 1;
    void *opt = calloc(1, size);
    struct asim_args args = {.tables = {{options, &own}, {maker->member.options, opt}},
                             .words = &word,
                             .max_words = argv[1][0] != '-'};
    int code = 1;
    if (!opt)
        return asim_err_nomem(&err, "making a topology"), asim_args_fail("topo make", &err, 1);
    code = fill(maker, named, &args, argc, argv);
    if (!code && args.help)
        show_help(maker, args.help == ASIM_ARGS_ALL);
    else if (!code)
        code = make_or_fail(maker, opt, &own, args.limits.force);
    asim_option_fini(maker->member.options, opt);
    asim_option_fini(options, &own);
    free(opt);
    return code;
}

/* -topo none and no -topo give the generator's layout without template. */
static int run_words(int argc, char **argv)
{
    struct asim_err err = {0};
    const char *name = find_name(argc, argv);
    int bare_help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (bare_help || argc == 1) {
        show_help(NULL, 0);
        return argc == 1 ? 2 : 0;
    }
    if (argc == 2 && !strcmp(argv[1], "--list"))
        return list_makers();
    int named = name && strcmp(name, "none");
    const struct asim_topo_maker *maker = asim_topo_maker_find(named ? name : "rail", &err);
    return maker ? run_maker(maker, named, argc, argv) : asim_args_fail("topo make", &err, 2);
}

/* "machine:NAME,key=value" and "auto:NAME,key=value", as runs take them, are the maker, for a
 * machine
 * --file=NAME, and an option for each key. Cuts the text. */
static int run_spec(int argc, char **argv)
{
    char *at = strchr(argv[1], ':') + 1, *option;
    size_t room = strlen(argv[1]), n = 1;
    struct asim_err err = {0};
    char **words = calloc((size_t)argc + room, sizeof *words);
    char *options_of = malloc(3 * room + sizeof "--file="); /* "--" and an end for each */
    int is_machine = *argv[1] == 'm', code = 1;

    if (!words || !options_of) {
        asim_err_nomem(&err, "making a topology");
        asim_args_fail("topo make", &err, code);
    } else {
        option = options_of;
        words[0] = argv[0];
        words[n++] = is_machine ? (char[]){"machine"} : strtok(at, ",");
        if (!words[1])
            words[1] = at;
        for (char *key = strtok(is_machine ? at : NULL, ","); key; key = strtok(NULL, ",")) {
            words[n++] = option;
            option += sprintf(option, "--%s%s", is_machine && n == 3 ? "file=" : "", key) + 1;
        }
        memcpy(words + n, argv + 2, (size_t)(argc - 2) * sizeof *words);
        code = run_words((int)n + argc - 2, words);
    }
    ASIM_FREE(words, options_of);
    return code;
}

static int run(int argc, char **argv)
{
    const char *spec;

    return argc > 1 && asim_topo_is_made(argv[1], &spec) ? run_spec(argc, argv)
                                                         : run_words(argc, argv);
}

const struct asim_command asim_topo_command_make = {
    .member = {"make", "Make a topology file: Spectrum-X, fat_tree, torus … (SimAI's flags taken).",
               options, sizeof(struct make_options)},
    .run = run,
};
