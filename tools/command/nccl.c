/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim nccl: one collective as the flows NCCL would make of it in SimAI's model, without simulating
 * them. CSV: one line a flow with its bytes, channel, chunk and the flows it waits for. With --et
 * the same flows become Chakra traces PREFIX.<member>.et, which a system configuration takes as
 * "all-reduce-implementation-custom": PREFIX, so that they run at packet level.
 *
 * A tool to look into a collective before simulating it: which channels, which ring orders, what
 * crosses servers and what waits for what. Bytes are per flow; wire bytes include the protocol's
 * flags.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "asim/nccl.h"
#include "asim/trace.h"
#include "cli/args.h"
#include "tools/nccl_et.h"
#include "tools/simai.h"
#include "cli/file_set.h"

enum { H100 = 2, H800 = 3 }; /* among the choices of gpu_type */

struct options {
    int op, algo, proto, pxn, nvls, gpu_type;
    uint64_t bytes, send_lat_fs;
    uint32_t ranks, nodes, base, stride, gps, gpus;
    char *output, *et;
    double nv, net;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"op", NULL, "the collective", "all_reduce", ASIM_T_CHOICE, AT(op), 0, 0,
     "all_reduce|all_gather|reduce_scatter|all_to_all"},
    {"size", "bytes", "bytes: the whole buffer (gathered result, scattered input)", "16MiB",
     ASIM_T_SIZE, AT(bytes)},
    {"nRanks", "ranks", "members", "8", ASIM_T_U32, AT(ranks), 2, 1 << 20},
    {"gpus_per_node", "gpus-per-server", "GPUs of one server", "8", ASIM_T_U32, AT(gps), 1,
     1 << 20},
    {"nNodes", "servers", "servers, only checked against the others", NULL, ASIM_T_U32, AT(nodes),
     0, 1 << 20},
    {"base", NULL, "rank of the first member", "0", ASIM_T_U32, AT(base)},
    {"stride", NULL, "distance of members, e.g. tp for a data-parallel group", "1", ASIM_T_U32,
     AT(stride), 1, 1 << 20},
    {"gpus", NULL, "GPUs in all; NVSwitch of server s is node gpus + s (default: as the members)",
     NULL, ASIM_T_U32, AT(gpus), 0, 1 << 24},
    {"gpu_type", "gpu-type", "H100 and H800 can do NVLS", "A100", ASIM_T_CHOICE, AT(gpu_type), 0, 0,
     "A100|A800|H100|H800|H20|NONE"},
    {"algo", NULL, "auto: SimAI 1.6's rule; tuned: by latency table and size", "auto",
     ASIM_T_CHOICE, AT(algo), 0, 0, "auto|tuned|ring|tree|nvls|nvls_tree|direct"},
    {"proto", NULL, "protocol, which costs wire bytes", "Simple", ASIM_T_CHOICE, AT(proto), 0, 0,
     "Simple|LL|LL128"},
    {"pxn", "AS_PXN_ENABLE",
     "cross servers on the destination's rail (also where the variable AS_PXN_ENABLE is above 0)",
     "0", ASIM_T_BOOL, AT(pxn)},
    {"nvls", "AS_NVLS_ENABLE",
     "NVLS where it is possible (also where the variable AS_NVLS_ENABLE is above 0)", "0",
     ASIM_T_BOOL, AT(nvls)},
    {"nv", NULL, "NVLink GB/s of a GPU, for tuned", "300", ASIM_T_DOUBLE, AT(nv), 1e-3, 1e6},
    {"net", NULL, "GB/s of a NIC, for tuned", "48.5", ASIM_T_DOUBLE, AT(net), 1e-3, 1e6},
    {"out", "output", "CSV file, - for standard output", "-", ASIM_T_STRING, AT(output), 0, 0, NULL,
     ASIM_F_WRITES | ASIM_F_RESULT},
    {"et", NULL, "also write custom-algorithm traces PREFIX.<member>.et", NULL, ASIM_T_STRING,
     AT(et), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"send-lat", "AS_SEND_LAT",
     "delay before each flow's first packet; us without unit. SimAI's default of 6000 us is a "
     "slip: it says 6, its code waits 6 ms",
     "0us", ASIM_T_TIME, AT(send_lat_fs), 0, 0, NULL, ASIM_F_US},
    {0}};

static uint64_t last_rank(const struct asim_nccl_spec *s)
{
    return s->base + (uint64_t)(s->ranks - 1) * s->stride;
}

/* Positions become node ids of a topology: ranks as they are, NVSwitches behind all GPUs. */
static uint32_t node_of(const struct asim_nccl *nccl, const struct options *opt, uint32_t position)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    if (position < s->ranks)
        return s->base + position * s->stride;
    uint32_t last = (uint32_t)last_rank(s);
    uint32_t gpus = opt->gpus ? opt->gpus : (last / s->gpus_per_server + 1) * s->gpus_per_server;

    return gpus + s->base / s->gpus_per_server + (position - s->ranks);
}

/* "-" goes to standard output through the same writer. */
static int write_csv(const struct asim_nccl *nccl, const struct options *opt, const char *path,
                     struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    asim_out_printf(&out, "flow,src,dst,bytes,wire_bytes,channel,chunk,algorithm,protocol,after\n");
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];
        asim_out_printf(&out, "%zu,%u,%u,%" PRIu64 ",%" PRIu64 ",%u,%u,%s,%s,", i,
                        node_of(nccl, opt, f->src), node_of(nccl, opt, f->dst), f->bytes,
                        f->wire_bytes, f->channel, f->chunk, asim_nccl_algo_names[nccl->spec.algo],
                        asim_nccl_proto_names[nccl->spec.proto]);
        for (uint32_t p = 0; p < f->parents; p++)
            asim_out_printf(&out, "%s%u", p ? ";" : "", nccl->parents.at[f->first_parent + p]);
        asim_out_printf(&out, "\n");
    }
    return asim_out_commit(&out, err);
}

/* The CSV and a trace would be one file. */
static int check_places(const struct options *opt, uint32_t ranks, struct asim_err *err)
{
    size_t size = strlen(opt->et) + 24;
    char *path = malloc(size);
    int rc = path ? 0 : asim_err_nomem(err, "naming traces");
    for (uint32_t r = 0; r < ranks && !rc; r++) {
        snprintf(path, size, "%s.%" PRIu32 ".et", opt->et, r);
        rc = asim_file_set_refuse_duplicate(opt->output, path, err);
    }
    free(path);
    return rc;
}

/* All files or none. Traces of more members, left by an earlier run, would be read with these. */
static int write_all(const struct asim_nccl *nccl, const struct options *opt, int force,
                     struct asim_err *err)
{
    struct asim_file_set set = {0};
    uint32_t ranks = nccl->spec.ranks;
    const char *csv;
    int rc = opt->et ? check_places(opt, ranks, err) : 0;
    if (!rc && opt->et)
        rc = asim_file_set_begin(&set, opt->et, ranks, force, err);
    if (!rc)
        rc = asim_file_set_add(&set, opt->output, &csv, err);
    if (!rc)
        rc = write_csv(nccl, opt, csv, err);
    if (!rc && opt->et)
        rc = asim_nccl_write_et(nccl, opt->et, opt->send_lat_fs / 1000000, &set, err);
    return asim_file_set_end(&set, rc, err);
}

/* Choices are in the order of the enums. */
static void fill_spec(struct asim_nccl_spec *spec, const struct options *opt)
{
    static const int kinds[] = {ASIM_ALL_REDUCE, ASIM_ALL_GATHER, ASIM_REDUCE_SCATTER,
                                ASIM_ALL_TO_ALL};
    *spec = (struct asim_nccl_spec){.coll_type = kinds[opt->op],
                                    .algo = opt->algo,
                                    .proto = opt->proto,
                                    .bytes = opt->bytes,
                                    .ranks = opt->ranks,
                                    .base = opt->base,
                                    .stride = opt->stride,
                                    .gpus_per_server = opt->gps,
                                    .pxn = opt->pxn,
                                    .nvls = opt->nvls,
                                    .apart = opt->stride > 1,
                                    .hopper = opt->gpu_type == H100 || opt->gpu_type == H800,
                                    .nv_gbytes = opt->nv,
                                    .net_gbytes = opt->net};
}

/* Empty pieces are refused: a flow of 0 bytes would never be sent. */
static int decompose(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    struct asim_nccl_spec spec;
    struct asim_nccl nccl;
    fill_spec(&spec, opt);
    if (asim_simai_env_switches(&spec.nvls, &spec.pxn, err))
        return ASIM_EINVAL;
    if (opt->gpus && opt->gpus <= last_rank(&spec))
        return asim_err_set(err, ASIM_EINVAL,
                            "gpus=%u, but the last of these ranks is %" PRIu64
                            "; leave gpus out, or raise it.",
                            opt->gpus, last_rank(&spec));
    int rc = asim_nccl_make(&nccl, &spec, err);
    if (rc)
        return rc;
    if (opt->nodes && opt->nodes != nccl.servers)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "nNodes=%u, but these %u ranks lie on %u servers of %u GPUs.", opt->nodes,
                          spec.ranks, nccl.servers, spec.gpus_per_server);
    if (!rc && nccl.flows.n && !nccl.flows.at[0].bytes)
        rc = asim_err_set(
            err, ASIM_EINVAL,
            "%" PRIu64 " bytes are too few for %u ranks and %u channels: a piece would be empty.",
            spec.bytes, spec.ranks, nccl.local);
    if (!rc)
        rc = write_all(&nccl, opt, args->limits.force, err);
    asim_nccl_fini(&nccl);
    return rc;
}

static const struct asim_args_job job = {"nccl", "usage: asim nccl [options]", options, 0,
                                         decompose};

static const char *const called_as[] = {"simccl-standalone", NULL};

const struct asim_command asim_command_nccl = {
    .member = {"nccl", "Show the flows that NCCL makes of a collective.", options,
               sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
    .topic = ASIM_TOPIC_INPUT,
};
