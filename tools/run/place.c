/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads --topo: a file, "auto:NAME,key=value" of the makers, or a name of the published runner such
 * as 8gpu_ring2d_4: 8 GPUs, a torus of 2 dimensions, the first of 4 GPUs. Such a name brings
 * logical dimensions, too, so that collectives run dimension by dimension; "auto:" means what it
 * means to `asim packet`, a physical network.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asim/topology.h"
#include "base/io/out.h"
#include "tools/run/job.h"

enum { MOST_DIMS = 8 };

/* The dimensions of a shape: sizes at[0] x at[1] x … */
struct shape {
    uint32_t at[MOST_DIMS], n;
};

/* The largest divisor of count that is at most its root-th root. */
static uint32_t divisor(uint32_t count, uint32_t root)
{
    for (uint32_t d = count; d > 1; d--) {
        uint64_t power = 1;

        for (uint32_t i = 0; i < root && power <= count; i++)
            power *= d;
        if (power <= count && count % d == 0)
            return d;
    }
    return 1;
}

/* n dimensions as equal as possible, larger ones first; first: size of the first, 0 = as equal. */
static int share(struct shape *shape, uint32_t ranks, uint32_t n, uint32_t first)
{
    uint32_t left = ranks;

    shape->n = n;
    if (first && left % first)
        return ASIM_EINVAL;
    if (first)
        left /= first;
    for (uint32_t d = n; d-- > (first ? 1u : 0u);) {
        uint32_t parts = d + (first ? 0 : 1);

        shape->at[d] = parts > 1 ? divisor(left, parts) : left;
        left /= shape->at[d];
    }
    if (first)
        shape->at[0] = first;
    return left == 1 ? 0 : ASIM_EINVAL;
}

/* Dimensions of one rank are left out: no collective has a step in them. */
static int write_logical(struct asim_job *job, const struct shape *shape, struct asim_err *err)
{
    const char *comma = "";
    struct asim_out out;
    uint32_t n = 0;

    for (uint32_t d = 0; d < shape->n; d++)
        n += shape->at[d] > 1;
    if (n < 2)
        return 0;

    snprintf(job->logical, sizeof job->logical, "%.1500s/logical.json", job->folder);
    if (asim_out_open(&out, job->logical, err))
        return ASIM_EIO;
    asim_out_printf(&out, "{\"logical-dims\": [");
    for (uint32_t d = 0; d < shape->n; d++) {
        if (shape->at[d] < 2)
            continue;
        asim_out_printf(&out, "%s\"%" PRIu32 "\"", comma, shape->at[d]);
        comma = ", ";
    }
    asim_out_printf(&out, "]}\n");
    return asim_out_commit(&out, err);
}

static void spell(char *text, size_t size, const char *maker, const struct shape *shape)
{
    size_t used = (size_t)snprintf(text, size, "auto:%s,dims=", maker);

    for (uint32_t d = 0; d < shape->n && used < size; d++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRIu32, d ? "x" : "", shape->at[d]);
}

/* A name of the published runner: 2gpu_auto1d_2, 8gpu_ring2d_4, 128gpu_torus3d_16. The last number
 * is the size of the first dimension. 1 if the text is such a name; then err says what is wrong. */
static int read_name(const char *text, uint32_t *gpus, char kind[16], struct shape *shape,
                     struct asim_err *err)
{
    unsigned dims = 0, first = 0;
    char tail = 0;

    if (sscanf(text, "%" SCNu32 "gpu_%15[a-z]%1ud_%u%c", gpus, kind, &dims, &first, &tail) != 4)
        return 0;
    if (strcmp(kind, "auto") && strcmp(kind, "ring") && strcmp(kind, "torus") &&
        strcmp(kind, "mesh"))
        asim_err_set(err, ASIM_EINVAL,
                     "--topo=%s: '%s' is no shape; known are auto, ring, torus and mesh.", text,
                     kind);
    else if (!dims || dims > MOST_DIMS || !first || !*gpus || share(shape, *gpus, dims, first))
        asim_err_set(err, ASIM_EINVAL,
                     "--topo=%s: %" PRIu32 " GPUs have no %u dimensions of which the first has %u.",
                     text, *gpus, dims, first);
    return 1;
}

static int place_name(struct asim_job *job, uint32_t gpus, const char *kind,
                      const struct shape *shape, struct asim_err *err)
{
    const char *maker = !strcmp(kind, "mesh") ? "mesh" : "torus";

    if (gpus != job->ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "--topo=%s has %" PRIu32 " GPUs, but the run has %" PRIu32
                            " ranks; --world-size=%" PRIu32 " makes as many.",
                            job->topo, gpus, job->ranks, gpus);
    spell(job->topology, sizeof job->topology, maker, shape);
    return write_logical(job, shape, err);
}

int asim_job_place(struct asim_job *job, struct asim_err *err)
{
    struct asim_err wrong = {0};
    struct shape shape = {0};
    const char *spec;
    uint32_t gpus;
    char kind[16];

    if (!job->topo)
        return 0;
    snprintf(job->topology, sizeof job->topology, "%.2000s", job->topo);
    if (asim_topo_is_made(job->topo, &spec) || (job->is_scenario && !access(job->topo, R_OK)))
        return 0;
    if (access(job->topo, F_OK) && read_name(job->topo, &gpus, kind, &shape, &wrong)) {
        if (wrong.code) {
            *err = wrong;
            return wrong.code;
        }
        return place_name(job, gpus, kind, &shape, err);
    }
    if (access(job->topo, R_OK))
        return asim_err_set(err, ASIM_EINVAL,
                            "--topo=%s is no file that can be read; it may also be auto:1d, "
                            "auto:2d, auto:NAME of 'asim topo make --list', machine:NAME of 'asim "
                            "machine list', or a name such as 8gpu_ring2d_4.",
                            job->topo);
    return 0;
}
