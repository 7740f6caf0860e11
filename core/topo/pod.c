/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI's pod (simai.md#topology-generator), line for line the file of SimAI's generator: for every
 * GPU its NVLink(s), then its NIC link(s); then every leaf to every spine, leaves of plane 1 first.
 * GPU i is in segment i / (npa * rails) on rail i % rails. With rails = 1 this is the generator's
 * form without rails (GPU i at leaf i / npa).
 *
 * Difference: a number of GPUs that is not a multiple of the server is an error before a file is
 * written (the generator fails with an IndexError and a truncated file), and so is an odd number of
 * spines on two planes.
 *
 * Ids and order of links are part of the contract: files are compared with the generator's byte for
 * byte, and interface 1 of a GPU must be its NVLink.
 */
#include "topo/pod.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

/* The pod with all numbers computed; node ids of a level are first_… + index. */
struct pod {
    const struct asim_pod_options *opt;
    uint32_t hosts, servers, nvsw, rails, planes, segments;
    uint32_t plane_leaves; /* leaves of one ToR plane */
    uint32_t first_nvsw, first_leaf, first_spine;
    int two_planes;
};

/* The generator refuses dual plane in two of its forms; this refuses the same forms. */
static int check_form(const struct asim_pod_shape *shape, const struct asim_pod_options *opt,
                      struct asim_err *err)
{
    if (shape->dual_plane && (!shape->rail || !shape->dual_tor))
        return asim_err_set(err, ASIM_EINVAL,
                            "dual plane (dp) needs rails and two ToRs (ro and dt): %s is %s with "
                            "%s ToR.",
                            shape->name, shape->rail ? "rail-optimised" : "not rail-optimised",
                            shape->dual_tor ? "dual" : "single");
    if (shape->dual_plane && opt->spines % 2)
        return asim_err_set(err, ASIM_EINVAL,
                            "psn=%u spines cannot be split into two planes: give an even number.",
                            opt->spines);
    return 0;
}

/* The GPU type is one word of the file's first line (simai.md#topology-file), which has no quotes,
 * and a part of the file name. */
int asim_topo_check_gpu_type(const char *word, struct asim_err *err)
{
    char safe[64];
    size_t n = 0;
    while (word && (isalnum((unsigned char)word[n]) || (word[n] && strchr("_+.-", word[n]))))
        n++;
    if (!word || (n && !word[n] && n < sizeof((struct asim_topo *)0)->gpu_type))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "gt is '%s', expected one word of 1 to %zu letters and digits such as "
                        "H100; NONE stands for no type.",
                        asim_text_safe(safe, sizeof safe, word),
                        sizeof((struct asim_topo *)0)->gpu_type - 1);
}

/* The ports of a spine limit the segments of a pod (simai.md#topology-generator). */
static int check_pod_limit(const struct pod *pod, const struct asim_pod_shape *shape,
                           uint64_t segments, struct asim_err *err)
{
    uint32_t leaves = pod->opt->pod_leaves ? pod->opt->pod_leaves : shape->pod_leaves;
    uint32_t per_segment = shape->rail ? pod->rails : pod->planes;
    uint32_t limit = leaves / per_segment;
    if (segments <= limit)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%u GPUs need %" PRIu64 " segments of %" PRIu64
                        " GPUs but one pod has room for %u (app=%u leaves per spine, %u a "
                        "segment): raise app or npa, or ask for fewer GPUs.",
                        pod->hosts, segments, (uint64_t)pod->opt->leaf_ports * pod->rails, limit,
                        leaves, per_segment);
}

/* Rounds the number of ranks up to whole servers; a number from the user must be a multiple
 * already. A run of 12 ranks on servers of 8 gets 16 GPUs, of which 4 stay idle. */
static int count_hosts(struct pod *pod, const struct asim_pod_shape *shape, uint32_t asked,
                       struct asim_err *err)
{
    uint32_t server = pod->opt->server;
    int rc = asim_build_hosts(pod->opt->gpus, asked, shape->usual_gpus, &pod->hosts, err);
    if (rc)
        return rc;
    if (!pod->opt->gpus && pod->hosts % server)
        pod->hosts += server - pod->hosts % server;
    if (pod->hosts % server)
        return asim_err_set(err, ASIM_EINVAL,
                            "g=%u GPUs are no whole number of servers of gps=%u: give a multiple "
                            "of %u.",
                            pod->hosts, server, server);
    pod->servers = pod->hosts / server;
    return 0;
}

/* A segment is the GPUs of one set of leaves: npa GPUs a leaf, one leaf a rail. All checks come
 * before the first allocation. */
static int plan_pod(struct pod *pod, const struct asim_pod_shape *shape, uint32_t asked,
                    struct asim_err *err)
{
    pod->nvsw = pod->opt->nvsw;
    pod->rails = shape->rails ? shape->rails : 1;
    pod->planes = shape->dual_tor ? 2 : 1;
    pod->two_planes = shape->dual_plane;
    int rc = check_form(shape, pod->opt, err);
    if (!rc)
        rc = asim_topo_check_gpu_type(pod->opt->gpu_type, err);
    if (!rc)
        rc = count_hosts(pod, shape, asked, err);
    if (rc)
        return rc;
    uint64_t per_segment = (uint64_t)pod->opt->leaf_ports * pod->rails;
    uint64_t segments = (pod->hosts + per_segment - 1) / per_segment;
    rc = check_pod_limit(pod, shape, segments, err);
    pod->segments = (uint32_t)segments;
    return rc;
}

/* Ids in the generator's order: GPUs, NVSwitches, leaves of the first ToR, of the second, spines.
 * asim_build_nodes checks the counts. */
static int make_nodes(struct asim_topo *topo, struct pod *pod, struct asim_err *err)
{
    uint64_t plane_leaves = (uint64_t)pod->segments * pod->rails;
    uint64_t leaves = plane_leaves * pod->planes, spines = pod->opt->spines;
    uint64_t nvsw = (uint64_t)pod->servers * pod->nvsw;
    struct asim_build_size size = {
        .hosts = pod->hosts,
        .nvswitches = nvsw,
        .switches = leaves + spines,
        .links = leaves * (spines / (pod->two_planes ? 2 : 1)) +
                 pod->hosts * ((uint64_t)pod->nvsw + pod->planes),
    };
    int rc = asim_build_nodes(topo, &size, err);
    pod->plane_leaves = (uint32_t)plane_leaves;
    pod->first_nvsw = pod->hosts;
    pod->first_leaf = (uint32_t)(pod->hosts + nvsw);
    pod->first_spine = (uint32_t)(pod->hosts + nvsw + leaves);
    return rc;
}

/* NVLink before NIC: interface 1 is then NVLink, whose rate decides the shares of the buffer
 * (rdma-network.md#topology-files-of-simai). */
static int wire_gpu(struct asim_topo *topo, const struct pod *pod, uint32_t gpu,
                    struct asim_err *err)
{
    const struct asim_pod_options *opt = pod->opt;
    struct asim_link_spec nvlink = {opt->nv_rate_bps, opt->nv_delay_fs, opt->error_rate};
    struct asim_link_spec nic = {opt->nic_rate_bps, opt->delay_fs, opt->error_rate};
    uint32_t nvsw = pod->first_nvsw + gpu / opt->server * pod->nvsw;
    uint64_t segment = gpu / ((uint64_t)opt->leaf_ports * pod->rails);
    uint32_t leaf = pod->first_leaf + (uint32_t)segment * pod->rails + gpu % pod->rails;
    int rc = 0;
    for (uint32_t j = 0; j < pod->nvsw && !rc; j++)
        rc = asim_build_link(topo, gpu, nvsw + j, &nvlink, err);
    for (uint32_t p = 0; p < pod->planes && !rc; p++)
        rc = asim_build_link(topo, gpu, leaf + p * pod->plane_leaves, &nic, err);
    return rc;
}

/* Joins a leaf to every spine of its plane, also where one segment needs none, as the generator
 * does. With two planes a leaf has half of the spines. */
static int wire_leaf(struct asim_topo *topo, const struct pod *pod, uint32_t leaf,
                     struct asim_err *err)
{
    struct asim_link_spec up = {pod->opt->spine_rate_bps, pod->opt->delay_fs, pod->opt->error_rate};
    uint32_t spines = pod->two_planes ? pod->opt->spines / 2 : pod->opt->spines;
    uint32_t first = pod->first_spine + (pod->two_planes ? leaf / pod->plane_leaves * spines : 0);
    int rc = 0;
    for (uint32_t s = 0; s < spines && !rc; s++)
        rc = asim_build_link(topo, pod->first_leaf + leaf, first + s, &up, err);
    return rc;
}

/* Links in the generator's order, which is the order of ports and of ECMP: those of each GPU,
 * then those of each leaf, plane by plane. shape has the values that a template fixes, opt the
 * user's. */
int asim_pod_make(struct asim_topo *topo, const struct asim_pod_shape *shape, uint32_t hosts,
                  const struct asim_pod_options *opt, struct asim_err *err)
{
    struct pod pod = {.opt = opt};
    int rc = plan_pod(&pod, shape, hosts, err);
    if (!rc)
        rc = make_nodes(topo, &pod, err);
    for (uint32_t gpu = 0; gpu < pod.hosts && !rc; gpu++)
        rc = wire_gpu(topo, &pod, gpu, err);
    for (uint32_t leaf = 0; leaf < pod.plane_leaves * pod.planes && !rc; leaf++)
        rc = wire_leaf(topo, &pod, leaf, err);
    if (rc)
        return rc;
    topo->gpus_per_server = opt->server;
    snprintf(topo->gpu_type, sizeof topo->gpu_type, "%s", opt->gpu_type ? opt->gpu_type : "");
    return asim_topo_finish(topo, err);
}

/* The rate of host 0's first link that is not NVLink, or 0. */
static uint64_t nic_rate(const struct asim_topo *topo)
{
    for (uint32_t i = topo->first_port[0]; i < topo->first_port[1]; i++)
        if (topo->node_type[topo->ports[i].peer] == ASIM_SWITCH)
            return topo->links[topo->ports[i].link].rate_bps;
    return 0;
}

/* The generator names files after its flags. nvbw, latencies and psn are not in the name, so two
 * different topologies can have one name; this is kept, because scripts look for the name. */
const char *asim_topo_file_name(const char *name, const void *options, const struct asim_topo *topo,
                                char *buf, size_t size)
{
    const struct asim_pod_options *opt = options;
    char tail[96];
    buf[0] = '\0';
    if (strcmp(name, "Spectrum-X") && strcmp(name, "AlibabaHPN") && strcmp(name, "DCN+") &&
        strcmp(name, "rail"))
        return buf;
    snprintf(tail, sizeof tail, "%.15gGbps_%s", (double)nic_rate(topo) / 1e9, topo->gpu_type);
    const char *plane = opt->dual_plane ? "DualToR_DualPlane" : "DualToR_SinglePlane";
    unsigned g = topo->hosts, gps = opt->server;
    if (!strcmp(name, "Spectrum-X"))
        snprintf(buf, size, "Spectrum-X_%ug_%ugps_%s", g, gps, tail);
    else if (!strcmp(name, "AlibabaHPN"))
        snprintf(buf, size, "AlibabaHPN_%ug_%ugps_%s_%s", g, gps, plane, tail);
    else if (!strcmp(name, "DCN+"))
        snprintf(buf, size, "DCN+%sToR_%ug_%ugps_%s", opt->dual_tor ? "Dual" : "Single", g, gps,
                 tail);
    else if (!opt->rail)
        snprintf(buf, size, "No_Rail_Opti_%ug_%ugps_%sToR_%s", g, gps,
                 opt->dual_tor ? "Dual" : "Single", tail);
    else if (opt->dual_tor)
        snprintf(buf, size, "Rail_Opti_%ug_%ugps_%s_%s", g, gps, plane, tail);
    else
        snprintf(buf, size, "Rail_Opti_SingleToR_%ug_%ugps_%s", g, gps, tail);
    return buf;
}
