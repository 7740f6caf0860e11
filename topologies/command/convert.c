/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim topo convert: writes a topology file in the other format, link for link in the same order
 * (port numbers stay). It warns of what the other format cannot hold: ASTRA-sim's format has
 * neither servers nor NVSwitches. For the opposite direction --gps and --gt state them, and --nvsw
 * is the number of lowest switch ids that are NVSwitches.
 */
#include <stdio.h>
#include <string.h>
#include "asim/ext/command.h"
#include "cli/args.h"
#include "asim/topology.h"
#include "cli/file_set.h"
#include "topologies/files.h"

struct convert_options {
    char *to, *gpu_type;
    uint32_t gps, nvsw;
};

static const struct asim_option options[] = {
    {"to", "format", "flavour to write: simai or astra (default: the other one)", NULL,
     ASIM_T_STRING, offsetof(struct convert_options, to)},
    {"gps", "gpu_per_server", "GPUs per server for SimAI's header (default: as the input says)",
     NULL, ASIM_T_U32, offsetof(struct convert_options, gps), 0, 1 << 24},
    {"gt", "gpu_type", "GPU type for SimAI's header", NULL, ASIM_T_STRING,
     offsetof(struct convert_options, gpu_type)},
    {"nvsw", NULL, "how many of the lowest switch ids are NVSwitches", NULL, ASIM_T_U32,
     offsetof(struct convert_options, nvsw), 0, 1 << 24},
    {0}};

/* Applies the options to the topology. */
static int amend(struct asim_topo *topo, const struct convert_options *opt, struct asim_err *err)
{
    if (opt->gps && topo->hosts % opt->gps)
        return asim_err_set(err, ASIM_EINVAL, "%u hosts are no whole number of servers of gps=%u.",
                            topo->hosts, opt->gps);
    if (opt->nvsw > topo->switches)
        return asim_err_set(err, ASIM_EINVAL, "nvsw=%u but there are only %u switches.", opt->nvsw,
                            topo->switches);
    if (asim_topo_check_gpu_type(opt->gpu_type, err))
        return ASIM_EINVAL;
    if (opt->gps)
        topo->gpus_per_server = opt->gps;
    if (opt->gpu_type)
        snprintf(topo->gpu_type, sizeof topo->gpu_type, "%s", opt->gpu_type);
    uint32_t left = opt->nvsw;
    for (uint32_t v = topo->hosts; v < topo->nodes && left; v++, left--)
        topo->node_type[v] = ASIM_NVSWITCH;
    return 0;
}

/* NVSwitches become plain switches, as which ASTRA-sim's packet network treats them. */
static void flatten(struct asim_topo *topo, const char *to)
{
    uint32_t n = asim_files_count(topo, ASIM_NVSWITCH);
    if (n)
        fprintf(stderr,
                "asim topo convert: note: the %s flavour knows no NVSwitches; %u of them become "
                "plain switches.\n",
                to, n);
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        topo->node_type[v] = ASIM_SWITCH;
}

/* Links keep their order, so interface numbers are the same in both formats. */
static int convert(const char *input, const char *output, const struct convert_options *opt,
                   struct asim_err *err)
{
    struct asim_topo topo;
    const struct asim_topo_format *format = NULL, *from = asim_files_sniff(input);
    const char *to = opt->to                                       ? opt->to
                     : from && !strcmp(from->member.name, "simai") ? "astra"
                                                                   : "simai";
    asim_topo_init(&topo);
    int rc = asim_topo_read(&topo, input, err);
    if (!rc)
        rc = amend(&topo, opt, err);
    if (!rc && strcmp(to, "simai"))
        flatten(&topo, to);
    if (!rc && !(format = asim_files_format(to, &topo, err)))
        rc = ASIM_EUSAGE;
    if (!rc)
        rc = format->write(&topo, output, err);
    asim_topo_fini(&topo);
    return rc;
}

/* Exit codes: 2 wrong usage, 1 errors of files. */
static int convert_words(const struct asim_args *args, struct asim_err *err)
{
    if (args->n_words < 2)
        return asim_err_set(err, ASIM_EUSAGE,
                            "a topology file and a name for the other flavour are both needed: "
                            "asim topo convert IN OUT; --help lists the options.");
    if (asim_file_set_refuse_overwrite(args->words[0], args->words[1], err) ||
        asim_file_set_refuse_existing(args->words[1], args->limits.force, err))
        return err->code;
    return convert(args->words[0], args->words[1], args->tables[0].base, err);
}

static const struct asim_args_job job = {
    "topo convert", "usage: asim topo convert IN OUT [options]   (- is standard output)",
    options,        2,
    convert_words,  ASIM_F_READS};

const struct asim_command asim_topo_command_convert = {
    .member = {"convert", "Write a topology file in the other flavour (simai, astra).", options,
               sizeof(struct convert_options)},
    .job = &job,
};
