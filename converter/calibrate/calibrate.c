/* SPDX-License-Identifier: GPL-2.0-only
 *
 * With strategy A a measured node keeps its own time, and a node without a time gets the average of
 * the device trace's kernels (except communication, whose time the simulation computes). The AMD
 * tool chain gave every node the average; --average does that. Times below one microsecond round up
 * to one, because 0 means "not measured" to simulators.
 */
#include "calibrate/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include "convert/comm.h"
#include "repair/edit.h"
#include "asim/trace.h"

#define DEFAULT_MHZ 1000.0 /* one cycle = 1 ns, as ASTRA-sim counts */

void asim_calibrate_measure(struct asim_calibrate_device *device, const struct asim_kineto *kin)
{
    double sum = 0;

    *device = (struct asim_calibrate_device){.clock_mhz = kin->clock_mhz};
    for (size_t i = 0; i < kin->gpu.n; i++) {
        const struct asim_kineto_gpu *gpu = &kin->gpu.at[i];

        if (gpu->kind != ASIM_GPU_KERNEL ||
            asim_comm_is_kernel(asim_names_get(&kin->names, gpu->name), 0))
            continue;
        sum += gpu->dur;
        device->kernels++;
    }
    if (device->kernels)
        device->avg_ns = sum * 1000 / (double)device->kernels;
}

int asim_calibrate_device(struct asim_calibrate_device *device, const char *path,
                          struct asim_err *err)
{
    struct asim_kineto kin;
    int code = asim_kineto_read(&kin, path, ASIM_KINETO_PLAIN, err);

    if (!code)
        asim_calibrate_measure(device, &kin);
    asim_kineto_fini(&kin);
    return code;
}

static int is_wanted(const ChakraProtoMsg__Node *node, const struct asim_calibrate_options *opt)
{
    int64_t cpu = 0;

    if ((int)node->type != ASIM_OP_COMP)
        return 0;
    asim_edit_int(node, "is_cpu_op", &cpu);
    return !cpu || opt->cpu;
}

/* Without a device trace, uses the times in the trace itself. */
static int own_average(struct asim_chakra *file, const struct asim_calibrate_options *opt,
                       double *avg_ns, struct asim_err *err)
{
    const ChakraProtoMsg__Node *node;
    double sum = 0;
    uint64_t n = 0;
    int code;

    while ((code = asim_chakra_next(file, &node, err)) == 1)
        if (is_wanted(node, opt) && asim_edit_ns(node) > 0) {
            sum += asim_edit_ns(node);
            n++;
        }
    *avg_ns = n ? sum / (double)n : 0;
    return code;
}

/* The time of a node, and the count to which it belongs. */
static double time_of(const ChakraProtoMsg__Node *node, const struct asim_calibrate_options *opt,
                      struct asim_calibrate_counts *counts)
{
    if (opt->force_avg_ns) {
        counts->forced++;
        return (double)opt->force_avg_ns;
    }
    if (asim_edit_ns(node) > 0 && !opt->average) {
        counts->own++;
        return asim_edit_ns(node);
    }
    counts->average++;
    return counts->avg_ns;
}

struct rewrite {
    struct asim_chakra *in;
    struct asim_chakra_writer *out;
    struct asim_edit edit;
    const struct asim_calibrate_options *opt;
    struct asim_calibrate_counts *counts;
};

/* The factor to the other GPU. ops and bytes are ASTRA-sim's attributes of computations. */
static double factor_of(const struct rewrite *rw, const ChakraProtoMsg__Node *node)
{
    struct asim_gpu_kernel kernel = {.name = node->name ? node->name : ""};
    int64_t ops = 0, bytes = 0;

    if (!rw->opt->to)
        return 1;
    asim_edit_int(node, "num_ops", &ops);
    asim_edit_int(node, "tensor_size", &bytes);
    kernel.ops = (double)ops;
    kernel.bytes = (double)bytes;
    if (asim_gpu_limit_of(&kernel, rw->opt->from, rw->opt->is_32bit) == ASIM_GPU_MEMORY)
        rw->counts->memory++;
    else
        rw->counts->arithmetic++;
    return asim_gpu_factor(&kernel, rw->opt->from, rw->opt->to, rw->opt->is_32bit);
}

static int set_times(struct rewrite *rw, ChakraProtoMsg__Node *copy, struct asim_err *err)
{
    double ns = time_of(copy, rw->opt, rw->counts) * factor_of(rw, copy),
           cycles = floor(ns * rw->counts->mhz / 1000);

    if (cycles > 9e18)
        return asim_err_set(err, ASIM_EINVAL,
                            "node %" PRIu64
                            " would take %.3g cycles; check the GPU frequency and the kernel time.",
                            copy->id, cycles);
    copy->duration_micros = ns > 0 && ns < 1000 ? 1 : (uint64_t)(ns / 1000 + 0.5);
    asim_edit_set_int(&rw->edit, "compute_cycles", (int64_t)cycles);
    if (rw->opt->to ||
        asim_edit_attr(copy, "duration_ns")) /* the older time would hide the new one */
        asim_edit_set_int(&rw->edit, "duration_ns", (int64_t)(ns + 0.5));
    rw->counts->nodes++;
    return 0;
}

static int set_node(struct rewrite *rw, const ChakraProtoMsg__Node *node, struct asim_err *err)
{
    ChakraProtoMsg__Node copy = *node;

    asim_edit_begin(&rw->edit);
    for (size_t i = 0; i < node->n_data_deps; i++)
        if (ASIM_VEC_PUSH(rw->edit.data, node->data_deps[i]))
            return asim_err_nomem(err, "writing nodes");
    for (size_t i = 0; i < node->n_ctrl_deps; i++)
        if (ASIM_VEC_PUSH(rw->edit.ctrl, node->ctrl_deps[i]))
            return asim_err_nomem(err, "writing nodes");
    if (is_wanted(node, rw->opt) && set_times(rw, &copy, err))
        return ASIM_EINVAL;
    return asim_edit_write(&rw->edit, rw->out, &copy, err);
}

static int rewrite(struct rewrite *rw, const char *path, struct asim_err *err)
{
    const ChakraProtoMsg__Node *node;
    int code = asim_chakra_writer_open(&rw->out, path, err);

    if (!code)
        code = asim_edit_metadata(&rw->edit, rw->out, asim_chakra_metadata(rw->in), err);
    while (!code && (code = asim_chakra_next(rw->in, &node, err)) == 1)
        code = set_node(rw, node, err);
    asim_edit_fini(&rw->edit);
    if (!code)
        return asim_chakra_writer_commit(rw->out, err);
    asim_chakra_writer_discard(rw->out);
    return code;
}

int asim_calibrate_file(const struct asim_rankfile *file,
                        const struct asim_calibrate_device *device,
                        const struct asim_calibrate_options *opt,
                        struct asim_calibrate_counts *counts, struct asim_err *err)
{
    struct rewrite rw = {.opt = opt, .counts = counts};
    int code = 0;

    *counts = (struct asim_calibrate_counts){.mhz = opt->gpu_mhz};
    if (counts->mhz <= 0 && device)
        counts->mhz = device->clock_mhz;
    if (counts->mhz <= 0)
        counts->mhz = DEFAULT_MHZ;
    if (device)
        counts->avg_ns = device->avg_ns;
    if (!opt->force_avg_ns && counts->avg_ns <= 0) {
        code = asim_chakra_open(&rw.in, file->in, err);
        if (!code)
            code = own_average(rw.in, opt, &counts->avg_ns, err);
        asim_chakra_close(rw.in);
        rw.in = NULL;
    }
    if (!code)
        code = asim_chakra_open(&rw.in, file->in, err);
    if (!code)
        code = rewrite(&rw, file->temp_name, err);
    asim_chakra_close(rw.in);
    return code;
}

void asim_calibrate_report(const struct asim_rankfile *file, const struct asim_calibrate_counts *c,
                           FILE *out)
{
    fprintf(out, "%s: %" PRIu64 " compute nodes at %g MHz: ", file->out, c->nodes, c->mhz);
    if (c->arithmetic || c->memory)
        fprintf(out, "%" PRIu64 " limited by arithmetic, %" PRIu64 " by memory; ", c->arithmetic,
                c->memory);
    if (c->forced)
        fprintf(out, "every one forced to the same time\n");
    else
        fprintf(out, "%" PRIu64 " with their own time, %" PRIu64 " with the average of %.0f ns\n",
                c->own, c->average, c->avg_ns);
}
