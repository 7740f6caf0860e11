/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim machine list | show NAME | check NAME-OR-FILE | import FILE: the machines that the program
 * carries, the file of one to begin one's own with, what a file says, leaves to defaults, or has
 * odd, and a machine file from NCCL's topology XML or a device of InfraGraph.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "cli/args.h"
#include "tools/machine/write.h"
#include "tools/machine/import.h"
#include "tools/machine/odd.h"
#include "tools/machine/sweep.h"

struct options {
    char *change, *like, *name, *output;
};

#define AT(field) offsetof(struct options, field)

static const struct asim_option options[] = {
    {"set", NULL, "check: KEY=VALUE over the file, several with commas", NULL, ASIM_T_STRING,
     AT(change)},
    {"like", NULL,
     "import: machine whose numbers stand for what the file does not say; needed where the file is "
     "no h100-ndr",
     NULL, ASIM_T_STRING, AT(like), .flags = ASIM_F_READS},
    {"name", NULL, "import: name of the new machine", "imported", ASIM_T_STRING, AT(name)},
    {"out", "o", "import: the machine file; - for standard output", "-", ASIM_T_STRING, AT(output),
     0, 0, NULL, ASIM_F_WRITES},
    {0}};

static int list(struct asim_err *err)
{
    for (size_t i = 0; asim_machine_file(i); i++) {
        struct asim_machine machine;
        char name[64];
        int rc;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(asim_machine_file(i), "."),
                 asim_machine_file(i));
        rc = asim_machine_read(&machine, name, err);
        if (!rc)
            printf("%-18s %s\n", name, machine.about ? machine.about : "");
        asim_machine_fini(&machine);
        if (rc)
            return rc;
    }
    return 0;
}

static int show(const char *name, struct asim_err *err)
{
    const char *text = asim_machine_text(name);

    if (!text)
        return asim_err_set(err, ASIM_EINVAL, "no machine is called '%s'; `asim machine list`.",
                            name);
    fputs(text, stdout);
    return 0;
}

/* --- check ------------------------------------------------------------------------------------ */

/* Where the defaults of core/conf/machine.c come from, by the start of their keys. */
static const struct {
    const char *begin, *source;
} default_sources[] = {
    {"ring_gbytes", "NCCL topo.h: 18 NVLinks of 20.6 GB/s"},
    {"graph_gbytes", "NCCL topo.h: 18 NVLinks of 20.6 GB/s"},
    {"ring_net_ll128_us", "NCCL tuning.cc: as a tree"},
    {"ring_", "NCCL tuning.cc"},
    {"tree_", "NCCL tuning.cc"},
    {"nvls_channels", "NCCL nvls.cc"},
    {"hosts", "each host is an NVLink domain of its own"},
    {"nic_gbytes", "a NIC of 400 Gb/s"},
    {"nvlink_gbytes", "NVIDIA H100: NVLink 4"},
    {"pcie_gbytes", "PCIe 5.0 x16"},
    {"wire_us", "two nic_ns and a switch_ns"},
    {"nic_ns", "assumption: a usual NIC"},
    {"switch_ns", "assumption: a usual switch"},
    {"cable_ns", "assumption: 10 m"},
    {"nvlink_ns", "assumption: a usual NVLink"},
    {"ll_proxy_gbytes", "no limit"},
    {"eager_bytes", "no limit"},
    {"copied_gbytes", "no effect without copied_bytes"},
};

static void print_default(const char *key, double number)
{
    for (size_t i = 0; i < sizeof default_sources / sizeof *default_sources; i++)
        if (!strncmp(key, default_sources[i].begin, strlen(default_sources[i].begin))) {
            printf("  not in the file; %s\n", default_sources[i].source);
            return;
        }
    printf("  not in the file; %s\n",
           number != 0 ? "assumption: about what fitted machines have" : "left out");
}

/* "source: …", "fitted: …", "assumption: …", or that there is none. */
static void print_origin(const json_t *value)
{
    static const char *const kinds[] = {"source", "fitted", "assumption"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const json_t *text = json_object_get(value, kinds[i]);

        if (json_is_string(text)) {
            char shown[400];

            snprintf(shown, sizeof shown, "%s", json_string_value(text));
            printf("  %s: %s\n", kinds[i], asim_text_clean(shown));
            return;
        }
    }
    printf("  no source given\n");
}

static void print_row(const struct asim_machine *machine, const json_t *root,
                      const struct asim_option *row)
{
    const char *field = (const char *)machine + row->offset;
    const json_t *value = json_object_get(root, row->key);
    double number;
    uint32_t count;

    if (row->type == ASIM_T_DOUBLE) {
        memcpy(&number, field, sizeof number);
        printf("%-24s %10g", row->key, number);
    } else if (row->type == ASIM_T_U32) {
        memcpy(&count, field, sizeof count);
        printf("%-24s %10u", row->key, count);
        number = count;
    } else {
        return;
    }
    if (value)
        print_origin(value);
    else
        print_default(row->key, number);
}

static void print_odd(void *self, const char *sentence)
{
    (void)self;
    printf("odd: %s\n", sentence);
}

/* A line each. */
static int count_odd(const struct asim_machine *machine, const json_t *root)
{
    const struct asim_diagnostics to = {print_odd, NULL};
    int n = asim_machine_odd(machine, &to);

    for (const char *const *key = (const char *const[]){"nic_gbytes", "gpus", NULL}; *key; key++)
        if (!json_object_get(root, *key)) {
            asim_diagnose(&to, "%s is missing: %s is taken", *key, **key == 'n' ? "50" : "8");
            n++;
        }
    return n;
}

static int check(const char *name, const char *change, struct asim_err *err)
{
    struct asim_machine machine;
    json_t *root = NULL;
    int rc = asim_machine_read(&machine, name, err), n;

    if (!rc && change)
        rc = asim_machine_change(&machine, change, err);
    if (!rc && !(root = asim_machine_read_json(name, err)))
        rc = err->code;
    if (!rc) {
        printf("%s: %s\n", machine.name, machine.about ? machine.about : "no \"about\"");
        for (const struct asim_option *row = asim_machine_options; row->key; row++)
            print_row(&machine, root, row);
        n = count_odd(&machine, root);
        printf(n ? "%d odd\n" : "nothing odd\n", n);
    }
    json_decref(root);
    asim_machine_fini(&machine);
    return rc;
}

/* --- import ----------------------------------------------------------------------------------- */

static void say(void *self, const char *sentence)
{
    fprintf(stderr, "asim machine import: %s: %s\n", (const char *)self, sentence);
}

/* Nothing is written that the reader refuses. */
static int check_written(json_t *root, const struct asim_diagnostics *notes, struct asim_err *err)
{
    char *text = json_dumps(root, 0);
    struct asim_machine machine;
    int code =
        text ? asim_machine_read(&machine, text, err) : asim_err_nomem(err, "importing a machine");

    if (!code)
        asim_machine_odd(&machine, notes);
    if (text)
        asim_machine_fini(&machine);
    free(text);
    return code;
}

static int import(const char *path, const struct options *opt, struct asim_err *err)
{
    struct asim_import_like like = {opt->like ? opt->like : "h100-ndr", opt->name,
                                    opt->like != NULL};
    char name[256];
    struct asim_import_host found = {.notes = {say, name}};
    json_t *root = NULL;
    int rc;

    snprintf(name, sizeof name, "%s", path);
    rc = asim_import_read(&found, path, err);
    if (!rc)
        rc = asim_import_make(&root, &found, path, &like, err);
    if (!rc)
        rc = check_written(root, &found.notes, err);
    if (!rc)
        rc = asim_machine_write_json(root, opt->output, err);
    json_decref(root);
    return rc;
}

static int work(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    const char *verb = args->n_words ? args->words[0] : "";

    if (!strcmp(verb, "list") && args->n_words == 1)
        return list(err);
    if (args->n_words == 2 && !strcmp(verb, "show"))
        return show(args->words[1], err);
    if (args->n_words == 2 && !strcmp(verb, "check"))
        return check(args->words[1], opt->change, err);
    if (args->n_words == 2 && !strcmp(verb, "import"))
        return import(args->words[1], opt, err);
    return ASIM_ARGS_USAGE;
}

static const struct asim_args_job job = {
    .name = "machine",
    .usage = "usage: asim machine list | asim machine show NAME | asim machine check NAME | asim "
             "machine import FILE",
    .options = options,
    .max_words = 2,
    .work = work,
    .words_are = ASIM_F_READS};

const struct asim_command asim_command_machine = {
    .member = {"machine", "List, show and check the machines of asim nccl-tests.", options,
               sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_INPUT,
};
