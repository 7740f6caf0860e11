/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts of a case: domains, NICs, rings of NCCL's search, channels. The search itself tries rates
 * from a list until every ring finds links that are free; on machines whose NICs and NVLinks are
 * alike its result is one ring a NIC at the highest rate that NIC and NVLinks allow.
 */
#include "nccl/case.h"

#include <math.h>
#include <string.h>

/* Rates that the search tries, GB/s (search.cc: speedArrayInter, sm90…, sm100…). */
static const double steps_ampere[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 0};
static const double steps_hopper[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 0};
static const double steps_blackwell[] = {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 12, 6, 0};

/* Over hosts of one NVLink domain a ring has no more channels than over NICs:
 * gb200_a4x_n2_g4_all_gather carries 454 GB/s, as 16 of the 24 channels that carry 673 to 690 in
 * one host (b200_nvls_n1_g4_all_reduce, gb300_oci_n1_g4_all_reduce). NVLS has at most 32 heads
 * (device.h: NCCL_MAX_NVLS_ARITY). */
enum {
    MOST_CHANNELS = 64,
    MOST_RINGS = MOST_CHANNELS / 2,
    MOST_HEADS = 32,
    MOST_OVER_HOSTS = 16,
    BUFFER = 4096 * ASIM_KIB
};

double asim_nccl_case_step(const struct asim_nccl_case *c, double most)
{
    const double *step = c->m->generation == ASIM_GENERATION_BLACKWELL ? steps_blackwell
                         : c->m->generation == ASIM_GENERATION_HOPPER  ? steps_hopper
                                                                       : steps_ampere;

    while (step[0] > most && step[1] > 0)
        step++;
    return *step;
}

static uint32_t host_gpus(const struct asim_nccl_case *c)
{
    return c->m->host_gpus ? c->m->host_gpus : c->m->gpus;
}

/* With NCCL_CROSS_NIC=0 a ring leaves a node by the NIC that it entered by. */
static int returns(const struct asim_nccl_case *c)
{
    return c->env && c->env->cross_nic >= 0 ? !c->env->cross_nic : !c->m->cross_nic;
}

/* A ring that enters a node by one NIC and leaves it by another's needs NVLinks between the GPUs of
 * these only: of 8 rings over 8 GPUs each GPU passes on 7, so that H100 has 48 GB/s a ring.
 * Where it returns, the last GPU sends back to the first. */
static double fitting_rate(const struct asim_nccl_case *c)
{
    uint32_t passing = c->local > 1 ? c->rings - (returns(c) ? 0 : c->rings / c->local) : 0;
    double most = c->m->nic_gbytes;

    if (passing && c->m->graph_gbytes / passing < most)
        most = c->m->graph_gbytes / passing;
    return asim_nccl_case_step(c, most);
}

/* Where no GPU hands over (paths.cc: PXN needs a NIC below the GPU's own PCIe switch; since 2.28
 * one on its processor will do, NCCL_PXN_C2C), a ring that returns to its NIC comes from another
 * GPU through both processors. So NCCL_CROSS_NIC=0 makes four GH200 12 rings of 6 GB/s, by the
 * search of 2.23 itself, and 4 of 24 GB/s otherwise, as any value does by that of 2.28. */
enum { PXN_BY_PROCESSOR = 22800 };

static void find_returning_rings(struct asim_nccl_case *c)
{
    double nic = c->m->nic_gbytes, line = c->m->return_gbytes, others = c->local - 1, best = 0;

    for (double rate = fmin(nic, line), last = 0; (rate = asim_nccl_case_step(c, rate)) != last;
         rate *= .999) {
        double rings = fmin(floor(nic / rate), others * floor(line / rate)) * floor(c->nics);

        last = rate;
        if (rings * rate <= best || rings > MOST_RINGS)
            continue;
        best = rings * rate;
        c->rings = (uint32_t)rings;
        c->ring_gbytes = rate;
    }
}

/* A domain of many hosts has more NICs than its NVLinks can serve: the search keeps the rate that
 * gives the rings most in all, the higher of equals. On NVL72, 16 rings of 45.1 GB/s. */
static void find_rings_of_domain(struct asim_nccl_case *c)
{
    double most = fmin(floor(c->nics), MOST_RINGS), best = 0;

    for (double rate = c->m->nic_gbytes, last = 0; (rate = asim_nccl_case_step(c, rate)) != last;
         rate *= .999) {
        double rings = fmin(most, floor(c->m->graph_gbytes / rate));

        last = rate;
        if (rings * rate <= best)
            continue;
        best = rings * rate;
        c->rings = (uint32_t)rings;
        c->ring_gbytes = rate;
    }
}

/* Each ring becomes two channels, and on Hopper four where fewer than 16 would run faster than 45
 * GB/s (connect.cc). RCCL has eight for each NIC of such a node (rome_models.cc, model 81). */
static void find_rings_across(struct asim_nccl_case *c)
{
    const struct asim_machine *m = c->m;

    c->rings = c->nics < 1 ? 1 : (uint32_t)c->nics;
    c->ring_gbytes = m->channel_gbytes > 0 ? m->channel_gbytes : fitting_rate(c);
    if (returns(c) && m->return_gbytes > 0 && m->nccl < PXN_BY_PROCESSOR && c->local > 1 &&
        c->local <= m->gpus)
        find_returning_rings(c);
    if (c->local > host_gpus(c) && c->nics > 1)
        find_rings_of_domain(c);
    c->channels = 2 * c->rings;
    if (asim_nccl_is_rccl(c))
        c->channels = 8 * c->rings;
    else if (m->generation >= ASIM_GENERATION_HOPPER && c->ring_gbytes > 45 && c->channels < 16)
        c->channels *= 2;
    if (c->channels > m->channels_most)
        c->channels = m->channels_most;
}

/* Rings of one node are as many as half the channels. */
static void find_rings(struct asim_nccl_case *c)
{
    const struct asim_machine *m = c->m;

    if (c->domains == 1) {
        c->rings = m->channels > 1 ? m->channels / 2 : 1;
        c->ring_gbytes = m->graph_gbytes / c->rings;
        c->channels = m->channels ? m->channels : 1;
    } else {
        find_rings_across(c);
    }
    if (c->local > host_gpus(c) && asim_nccl_has_rings(c->op) && c->channels > MOST_OVER_HOSTS)
        c->channels = MOST_OVER_HOSTS;
}

/* The fewest count, as NCCL takes them last. */
static void obey_variables(struct asim_nccl_case *c)
{
    if (c->env->max_channels > 0 && c->channels > c->env->max_channels)
        c->channels = (uint32_t)c->env->max_channels;
    if (c->channels < c->env->min_channels)
        c->channels =
            c->env->min_channels < MOST_CHANNELS ? (uint32_t)c->env->min_channels : MOST_CHANNELS;
}

/* As few NVLink domains as can hold the nodes evenly. More GPUs a node than the host has: a node is
 * then a domain. */
static uint32_t domain_hosts(const struct asim_nccl_job *job)
{
    uint32_t hosts = job->nodes < job->machine->hosts ? job->nodes : job->machine->hosts;

    if (job->gpus > job->machine->gpus)
        return 1;
    while (job->nodes % hosts)
        hosts--;
    return hosts;
}

int asim_nccl_case_make(struct asim_nccl_case *c, const struct asim_nccl_job *job,
                        struct asim_err *err)
{
    const struct asim_machine *m = job->machine;
    uint64_t ranks = (uint64_t)job->nodes * job->gpus, domain = (uint64_t)m->gpus * m->hosts;
    uint32_t hosts;

    memset(c, 0, sizeof *c);
    if (!job->nodes || !job->gpus || job->gpus > domain || ranks > 1 << 20)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has %u GPUs a node%s; %u nodes with %u GPUs each cannot be.",
                            m->name, m->gpus, m->hosts > 1 ? " and more in its NVLink domain" : "",
                            job->nodes, job->gpus);
    if (ranks < 2)
        return asim_err_set(err, ASIM_EINVAL, "a collective needs at least 2 GPUs; got %u.",
                            (unsigned)ranks);
    hosts = domain_hosts(job);
    if (job->nodes > m->hosts && 2 * hosts <= m->hosts && job->gpus <= m->gpus)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u nodes cannot be spread evenly over NVLink domains of at most %u "
                            "nodes; this model has no uneven ones.",
                            job->nodes, m->hosts);
    c->m = m;
    c->op = job->op;
    c->bytes = job->bytes;
    c->ranks = (uint32_t)ranks;
    c->domains = job->nodes / hosts;
    c->local = job->gpus * hosts;
    c->nics = (double)m->nics * c->local / m->gpus;
    find_rings(c);
    c->heads = fmax(1, floor(fmin(fmin(c->nics, c->local), MOST_HEADS)));
    c->env = job->env;
    if (c->env)
        obey_variables(c);
    return 0;
}

uint32_t asim_nccl_senders(const struct asim_nccl_job *job)
{
    struct asim_err ignored = {0};
    struct asim_nccl_case c;
    double most;

    if (asim_nccl_case_make(&c, job, &ignored))
        return 0;
    most = c.domains == 1 ? c.channels : job->algo == ASIM_NCCL_NVLS_TREE ? c.heads : c.rings;
    return most < floor(fmin(c.nics, c.local)) ? (uint32_t)most : 0;
}

double asim_nccl_case_buffer(const struct asim_nccl_case *c)
{
    return c->env ? (double)c->env->buffer : BUFFER;
}

/* Small sizes of a100_polaris_n2_g4_all_reduce take 9 us less with 2.18 than with 2.21: before 2.19
 * a kernel starts as NCCL's constants say. */
double asim_nccl_case_launch(const struct asim_nccl_case *c)
{
    double us = c->m->launch_us;

    return c->m->nccl < 21900 ? fmax(us - 9, fmin(us, 0)) : us;
}

/* All channels of a kernel start and end together; where 1 to 16 of them carry the same 16 KiB
 * each, gh200_alps_n1_g4_all_reduce grows by 0.06 us a channel. */
double asim_nccl_case_gather_us(double channels)
{
    return .06 * (channels - 1);
}

int asim_nccl_case_is_pcie(const struct asim_nccl_case *c)
{
    return c->m->scale_up == ASIM_SCALE_UP_PCIE || c->m->scale_up == ASIM_SCALE_UP_NIC;
}

/* Where every byte crosses a NIC, LL passes a proxy line by line; share of a ring's rate with
 * Simple by rtx6000d_n2_g8_all_reduce_aroff. Trees over xGMI: 8 to 128 MiB of
 * mi355x_aac14_n2_g8_all_reduce, with LL128 and with Simple alike. */
double asim_nccl_case_links(const struct asim_nccl_case *c, int algo, int proto)
{
    double share = 1;

    if (c->m->scale_up == ASIM_SCALE_UP_NIC && proto == ASIM_NCCL_LL)
        share = .062;
    if (asim_nccl_is_rccl(c) && algo == ASIM_NCCL_TREE)
        share = .65;
    return share * c->m->ring_gbytes * ASIM_BYTES_PER_US_OF_GBYTES;
}

uint32_t asim_nccl_case_steps(const struct asim_nccl_case *c)
{
    return c->op == ASIM_NCCL_ALL_REDUCE                                        ? 2 * (c->ranks - 1)
           : c->op == ASIM_NCCL_ALL_GATHER || c->op == ASIM_NCCL_REDUCE_SCATTER ? c->ranks - 1
                                                                                : c->ranks;
}

/* NCCL drops channels until each thread has enough bytes (enqueue.cc, device.h). */
static double channel_bytes(const struct asim_nccl_case *c, int algo, int proto)
{
    static const double threads[3] = {512, 512, 640}, threshold[3] = {64, 8, 8};
    double each = (asim_nccl_is_rccl(c) ? 256 : threads[proto]) * threshold[proto];

    return algo == ASIM_NCCL_RING && proto == ASIM_NCCL_LL ? each * c->ranks : each;
}

uint32_t asim_nccl_case_channels(const struct asim_nccl_case *c, int algo, int proto)
{
    double each = channel_bytes(c, algo, proto);
    uint32_t channels = c->channels;

    if (algo == ASIM_NCCL_NVLS || algo == ASIM_NCCL_NVLS_TREE)
        return c->m->nvls_channels;
    while (channels > 1 && (double)c->bytes < channels * each)
        channels--;
    return channels;
}

double asim_nccl_case_mean_channels(const struct asim_nccl_case *c, int algo, int proto)
{
    return fmin(fmax((double)c->bytes / channel_bytes(c, algo, proto), 1), c->channels);
}

double asim_nccl_case_wire(int proto)
{
    return proto == ASIM_NCCL_LL ? 2 : proto == ASIM_NCCL_LL128 ? 16. / 15 : 1;
}

static double nics_of_rings(const struct asim_nccl_case *c)
{
    return c->domains > 1 && c->rings < floor(c->nics) ? c->rings : c->nics;
}

/* On gh200-slingshot each crossing of a tree takes 8, 12 and 15 us more where 1, 2 and 4 channels
 * have messages above 4 KiB for 4 NICs, and 15 with 8 channels, on 2 to 64 nodes alike. */
double asim_nccl_case_crowd(const struct asim_nccl_case *c, double channels)
{
    return sqrt(fmin(1, channels / fmax(1, nics_of_rings(c))));
}

/* Longer messages than a network sends at once are fetched by the NIC, after a handshake. */
double asim_nccl_case_proxy_us(const struct asim_nccl_case *c, double wire_bytes, double channels)
{
    double us = wire_bytes > c->m->eager_bytes
                    ? c->m->rendezvous_us
                    : wire_bytes / (c->m->ll_proxy_gbytes * ASIM_BYTES_PER_US_OF_GBYTES);

    return us * asim_nccl_case_crowd(c, channels);
}

double asim_nccl_case_sharing(const struct asim_nccl_case *c, double channels)
{
    double nics = c->nics < 1 ? c->nics : floor(nics_of_rings(c));
    double share = channels / nics;

    return share < 1 ? 1 : share;
}

double asim_nccl_case_nic(const struct asim_nccl_case *c)
{
    return c->m->nic_gbytes * c->m->nic_efficiency * ASIM_BYTES_PER_US_OF_GBYTES;
}

/* A double binary tree: a node inside one tree (up, and down to two) is a leaf of the other. */
double asim_nccl_case_fan(const struct asim_nccl_case *c)
{
    return c->domains == 2 ? 1 : c->domains == 3 ? 1.5 : 2;
}

uint32_t asim_nccl_case_depth(const struct asim_nccl_case *c)
{
    uint32_t depth = 0;

    while (1u << depth < c->domains)
        depth++;
    return depth;
}
