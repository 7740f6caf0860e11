/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim machine list | show NAME | check NAME-OR-FILE | import FILE: the machines that the program
 * carries, the file of one to begin one's own with, what a file says, leaves to defaults, or has
 * odd, and a machine file from NCCL's topology XML or a device of InfraGraph.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "asim/ext/command.h"
#include "cli/args.h"
#include "tools/machine/write.h"
#include "tools/machine/import.h"
#include "tools/machine/sweep.h"

struct options {
    char *change, *like, *name, *output;
};

#define AT(field) offsetof(struct options, field)

static const struct asim_option options[] = {
    {"set", NULL, "check: KEY=VALUE over the file, several with commas", NULL, ASIM_T_STRING,
     AT(change)},
    {"like", NULL, "import: machine whose numbers stand for what the file does not say", "h100-ndr",
     ASIM_T_STRING, AT(like)},
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
    {"ring_", "NCCL tuning.cc"},
    {"tree_", "NCCL tuning.cc"},
    {"nvls_channels", "NCCL nvls.cc"},
    {"hosts", "each host is an NVLink domain of its own"},
    {"nic_gbytes", "a NIC of 400 Gb/s"},
    {"nvlink_gbytes", "NVIDIA H100: NVLink 4"},
    {"pcie_gbytes", "PCIe 5.0 x16"},
    {"nic_ns", "assumption: a usual cable and port"},
    {"switch_ns", "assumption: a usual switch"},
    {"nvlink_ns", "assumption: a usual NVLink"},
    {"ll_proxy_gbytes", "no limit"},
    {"eager_bytes", "no limit"},
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
            printf("  %s: %s\n", kinds[i], json_string_value(text));
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

/* Counts what is odd, a line each. */
static int odd(int is_odd, const char *text)
{
    if (is_odd)
        printf("odd: %s\n", text);
    return is_odd;
}

static int print_odd(const struct asim_machine *m, const json_t *root)
{
    int n = 0;

    n += odd(m->nics > m->gpus, "more NICs than GPUs: NCCL uses one ring a NIC; are some merged?");
    n += odd(m->gpus % m->nics != 0 && m->nics % m->gpus != 0,
             "GPUs are no multiple of NICs, nor NICs of GPUs: which GPU is near which NIC?");
    n += odd(m->nic_gbytes > m->pcie_gbytes && m->pcie_gbytes > 0,
             "nic_gbytes is above pcie_gbytes: PCIe would hold the NIC back; GB/s, not Gb/s?");
    n += odd(m->ring_gbytes > m->nvlink_gbytes, "ring_gbytes is above the line rate nvlink_gbytes");
    n += odd(m->nic_efficiency < .5, "nic_efficiency is below 0.5");
    n += odd(m->copy_gbytes[1] > m->copy_gbytes[0], "a channel copies LL faster than Simple");
    n += odd(m->nvls && m->generation < ASIM_GENERATION_HOPPER,
             "nvls is 1, but NVSwitches reduce from Hopper on");
    n += odd(!json_object_get(root, "nic_gbytes"), "nic_gbytes is missing: 50 is taken");
    n += odd(!json_object_get(root, "gpus"), "gpus is missing: 8 is taken");
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
        n = print_odd(&machine, root);
        printf(n ? "%d odd\n" : "nothing odd\n", n);
    }
    json_decref(root);
    asim_machine_fini(&machine);
    return rc;
}

/* --- import ----------------------------------------------------------------------------------- */

static int put(json_t *root, const char *key, json_t *value, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!value)
        return 0;
    return json_object_set_new(
        root, key, json_pack("{s:o,s:s}", "value", value, "source", slash ? slash + 1 : path));
}

/* Keys that the file tells; 0 and -1 stand for nothing. */
static int put_found(json_t *root, const struct asim_import_host *found, const char *path)
{
    static const char *const generations[] = {"volta", "ampere", "hopper", "blackwell"};
    static const char *const cpus[] = {"intel", "amd", "arm"};
    static const char *const ways[] = {"nvswitch", "mesh", "pcie"};
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"nic_gbytes", found->nic_gbytes},
                   {"nvlink_gbytes", found->nvlink_gbytes},
                   {"pcie_gbytes", found->pcie_gbytes}};
    int rc = put(root, "gpus", json_integer(found->gpus), path);

    if (found->nics)
        rc |= put(root, "nics", json_integer(found->nics), path);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value > 0)
            rc |= put(root, numbers[i].key, json_real(numbers[i].value), path);
    if (found->generation >= 0)
        rc |= put(root, "generation", json_string(generations[found->generation]), path);
    if (found->cpu >= 0)
        rc |= put(root, "cpu", json_string(cpus[found->cpu]), path);
    if (found->scale_up >= 0) {
        rc |= put(root, "scale_up", json_string(ways[found->scale_up]), path);
        if (found->scale_up != ASIM_SCALE_UP_NVSWITCH)
            rc |= json_object_set_new(root, "nvls", json_integer(0));
    }
    return rc;
}

static int import(const char *path, const struct options *opt, struct asim_err *err)
{
    struct asim_import_host found;
    struct asim_machine like;
    json_t *root;
    int rc = asim_machine_read(&like, opt->like, err);

    asim_machine_fini(&like);
    if (!rc)
        rc = asim_import_read(&found, path, err);
    if (rc)
        return rc;
    root = asim_machine_read_json(opt->like, err);
    if (!root)
        return err->code;
    rc = json_object_set_new(root, "name", json_string(opt->name));
    rc |= json_object_set_new(root, "about",
                              json_sprintf("as %s, with what %s says", opt->like, path));
    rc |= put_found(root, &found, path);
    rc = rc ? asim_err_nomem(err, "importing a machine")
            : asim_machine_write_json(root, opt->output, err);
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

static const struct asim_args_job job = {"machine",
                                         "usage: asim machine list | asim machine show NAME | asim "
                                         "machine check NAME | asim machine import FILE",
                                         options, 2, work};

const struct asim_command asim_command_machine = {
    .member = {"machine", "List, show and check the machines of asim nccl-tests.", options,
               sizeof(struct options)},
    .job = &job,
};
