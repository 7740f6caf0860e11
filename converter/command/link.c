/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace link: joins a host trace and a device trace of one rank. Accepts CUDA and HIP traces
 * of every known schema. Prints the numbers of matched, attached and omitted operations with
 * reasons.
 */
#include <stdio.h>
#include "asim/ext/command.h"
#include "link/link.h"
#include "cli/args.h"

struct options {
    char *host, *device, *output, *log_level;
    uint32_t rank;
    int compat, strict, quiet;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"host", "chakra-host-trace", "host trace (PyTorch ExecutionTraceObserver JSON, may be .gz)",
     NULL, ASIM_T_STRING, AT(host), 0, 0, NULL, ASIM_F_READS},
    {"device", "chakra-device-trace", "device trace (Kineto JSON, may be .gz)", NULL, ASIM_T_STRING,
     AT(device), 0, 0, NULL, ASIM_F_READS},
    {"out", "output-file", "linked trace to write (JSON)", NULL, ASIM_T_STRING, AT(output), 0, 0,
     NULL, ASIM_F_WRITES},
    {"rank", NULL, "rank, for the summary only", "0", ASIM_T_U32, AT(rank)},
    {"compat", NULL, "same output as chakra_trace_link without HTA, its defects included", "0",
     ASIM_T_BOOL, AT(compat)},
    {"strict", NULL, "fail if a GPU operation cannot be linked", "0", ASIM_T_BOOL, AT(strict)},
    {"quiet", NULL, "no summary", "0", ASIM_T_BOOL, AT(quiet)},
    {"log-level", NULL, "of the published tool; there is one level here", NULL, ASIM_T_STRING,
     AT(log_level), 0, 0, NULL, ASIM_F_NOOP},
    {0}};

static int run_link(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_link_options opt = {o->host, o->device, o->output, o->compat, o->strict};
    struct asim_linking link = {0};
    int code;

    if (!o->host || !o->device || !o->output)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--host, --device and --out are all needed; --help explains them.");
    code = asim_link_run(&link, &opt, err);
    if (!code && !asim_host_is_known(&link.host))
        fprintf(stderr,
                "asim trace link: %s: the schema %s is not known here; nodes were read by their "
                "form, so look at the result.\n",
                o->host, link.host.schema);
    if (!code && !o->quiet)
        asim_link_report(&link, o->rank || link.kin.rank < 0 ? o->rank : (uint32_t)link.kin.rank,
                         stdout);
    asim_link_fini(&link);
    return code;
}

static const struct asim_args_job job = {
    "trace link",
    "usage: asim trace link --host=FILE --device=FILE --out=FILE [--option=value ...]\n"
    "\nLinks a PyTorch host trace with the Kineto device trace of the same rank.\n",
    options, 0, run_link};

static const char *const names[] = {"chakra_trace_link", NULL};

extern const struct asim_command asim_trace_command_link;
const struct asim_command asim_trace_command_link = {
    {"link", "Link a host trace and a device trace of one rank", options, sizeof(struct options)},
    .job = &job,
    .called_as = names};
