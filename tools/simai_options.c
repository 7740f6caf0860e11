/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of `asim simai-analytical`, in the words of the published tool. It leaves -n_p_s and
 * -g_p_s undefined when they are not given; here they are asked for.
 *
 * Sizes are in GiB/s wherever the published tool says GB/s; an option's help says so once.
 */
#include "tools/simai.h"

#include <stdio.h>
#include <string.h>
#include "base/text.h"

#define AT(field) offsetof(struct asim_sa_options, field)
#define PATH(key, alias, help, def, field, flags)                                                  \
    {                                                                                              \
        key, alias, help, def, ASIM_T_STRING, AT(field), 0, 0, NULL, flags                         \
    }
#define TEXT(key, alias, help, def, field) PATH(key, alias, help, def, field, 0)
#define READS(key, alias, help, field)     PATH(key, alias, help, NULL, field, ASIM_F_READS)
#define SHARE(key, alias, help, def, field)                                                        \
    {                                                                                              \
        key, alias, help, def, ASIM_T_DOUBLE, AT(field), 0, 1, NULL, 0                             \
    }
#define COUNT(key, alias, help, field)                                                             \
    {                                                                                              \
        key, alias, help, NULL, ASIM_T_U32, AT(field), 0, 1 << 24, NULL, 0                         \
    }

const struct asim_option asim_sa_option_table[] = {
    READS("w", "workload", "SimAI workload text (required)", workload),
    COUNT("g", "gpus", "GPUs (default: the workload's all_gpus)", gpus),
    COUNT("g_p_s", "gpus-per-server", "GPUs of one server, the scale-up domain (required)",
          gpus_per_server),
    COUNT("n_p_s", "nic-per-server", "NICs of one server (required)", nics_per_server),
    {"nv", "nvlink", "NVLink bus bandwidth of a GPU, GB/s (meaning GiB/s)", NULL, ASIM_T_DOUBLE,
     AT(nv_gib), 1e-3, 1e6},
    {"nic", "nic-busbw", "bandwidth of a NIC, GB/s (meaning GiB/s)", NULL, ASIM_T_DOUBLE,
     AT(nic_gib), 1e-3, 1e6},
    TEXT("nic_t", "nic_type", "NIC where -nic is not given: cx6 cx7 bf3", "cx7", nic_type),
    TEXT("g_type", "gpu_type", "GPU where -nv is not given: A100 A800 H100 H800 H20", NULL,
         gpu_type),
    PATH("r", "result", "prefix of the result file (default: the workload's name and -)", NULL,
         prefix, ASIM_F_WRITES | ASIM_F_RESULT),
    PATH("r_f", "result-folder", "folder of the result file", "results", folder,
         ASIM_F_WRITES | ASIM_F_RESULT),
    SHARE("dp_o", "dp-overlap-ratio", "share of DP communication that is hidden", "0", dp_overlap),
    SHARE("tp_o", "tp-overlap-ratio", "share of TP communication that is hidden", "0", tp_overlap),
    SHARE("ep_o", "ep-overlap-ratio", "share of EP communication that is hidden", "0", ep_overlap),
    SHARE("pp_o", "pp-overlap-ratio", "share of PP communication that is hidden", "1", pp_overlap),
    READS("busbw", NULL, "file of bus bandwidths by group and collective, instead of the formulas",
          busbw),
    READS("ratios", NULL,
          "folder of nvlink_ratio.csv, nic_ratio.csv and ata_ratio.csv (default: SimAI's "
          "astra-sim-alibabacloud/inputs/ratio, where it is there; else efficiency 1)",
          ratio_dir),
    {"v", "visual", "also write a bar chart as HTML", "0", ASIM_T_BOOL, AT(visual)},
    {"right", NULL,
     "mend the tool's faults: group sizes missing in its table of small messages, pipeline time, "
     "sizes above the ratio tables",
     "0", ASIM_T_BOOL, AT(right)},
    {"l", "language", "accepted for old scripts", NULL, ASIM_T_STRING, AT(language), 0, 0, NULL,
     ASIM_F_NOOP},
    {0}};

struct part {
    const char *name;
    double gib;
};

/* Bandwidths behind product names, in GiB/s. */
static int find_part(const struct part *parts, size_t n, const char *name, double *gib,
                     struct asim_err *err)
{
    const char *names[16];
    char safe[64], hint[120], list[200];
    for (size_t i = 0; i < n; i++) {
        names[i] = parts[i].name;
        if (!strcmp(parts[i].name, name)) {
            *gib = parts[i].gib;
            return 0;
        }
    }
    return asim_err_set(err, ASIM_EUSAGE, "unknown type '%s'.%s Known are %s.",
                        asim_text_safe(safe, sizeof safe, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, n)),
                        asim_text_list(list, sizeof list, names, n));
}

/* Completes what the table cannot say: values one option takes from another. */
int asim_sa_options_fill(struct asim_sa_options *opt, struct asim_err *err)
{
    static const struct part gpus[] = {
        {"A100", 240}, {"A800", 160}, {"H100", 370.8}, {"H800", 164.8}, {"H20", 370.8}};
    static const struct part nics[] = {{"cx6", 23.5}, {"cx7", 48.5}, {"bf3", 48.5}};
    double of_gpu = 0, of_nic = 0;
    int rc = 0;
    if (!opt->workload)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no workload is given: -w FILE; --help lists the options.");
    if (!opt->gpus_per_server || !opt->nics_per_server)
        return asim_err_set(err, ASIM_EUSAGE,
                            "-g_p_s (GPUs per server) and -n_p_s (NICs per server) are needed and "
                            "have no default.");
    if (opt->nv_gib <= 0 && !opt->gpu_type)
        return asim_err_set(err, ASIM_EUSAGE,
                            "the NVLink bandwidth is needed: -nv GB/s, or -g_type GPU.");
    if (opt->gpu_type)
        rc = find_part(gpus, sizeof gpus / sizeof *gpus, opt->gpu_type, &of_gpu, err);
    if (!rc)
        rc = find_part(nics, sizeof nics / sizeof *nics, opt->nic_type, &of_nic, err);
    opt->type_ignored = opt->nv_gib > 0 && opt->gpu_type && opt->nv_gib != of_gpu;
    opt->nv_gib = opt->nv_gib > 0 ? opt->nv_gib : of_gpu;
    opt->nic_gib = opt->nic_gib > 0 ? opt->nic_gib : of_nic;
    return rc;
}
