/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes of a machine (machines.md#machine-file) and a fabric over their NICs:
 * "machine:h100-ndr,nodes=4,gpus=8,fabric=rail". With n GPUs, d = GPUs of an NVLink domain:
 *
 *   NVSwitches: one a domain, with a link to each of its GPUs (scale_up nvswitch);
 *   mesh: a link between each two GPUs of a domain, which share the GPU's rate;
 *   pcie: one switch a node in place of the NVSwitch;
 *   NICs: a GPU has its own, or several; GPUs that share one share a PCIe switch;
 *   fabric: star, one switch; rail, a leaf for the k-th NICs of all nodes; leaf_spine, a leaf for
 *   `per_leaf` nodes. Leaves are joined by `spines` at full rate, divided by `oversubscription`. By
 *   default these are so many that an uplink has the rate of a GPU's link, or one trunk above the
 *   leaves of leaf_spine where the machine routes adaptively.
 *
 * Node ids: GPUs, NVSwitches, leaves, spines, PCIe switches of nodes, those of shared NICs.
 */
#include <math.h>
#include <string.h>
#include "asim/machine.h"
#include "base/text.h"
#include "topo/build.h"

enum fabric { STAR, RAIL, LEAF_SPINE };

struct machine_options {
    char *file;
    uint32_t nodes, gpus, nics, per_leaf, spines;
    int fabric;
    double oversubscription, error_rate;
};

#define ROW(...) ASIM_OPTION(struct machine_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("file", STRING, file, "machine: a name of `asim machine list`, or a file",
        .alias = "machine", .def = "h100-ndr"),
    ROW("nodes", U32, nodes, "hosts (default: as the ranks need)", .max = 1 << 20),
    ROW("gpus", U32, gpus, "GPUs used of each host, each with its own NIC (0 = all)", .def = "0",
        .max = 1024),
    ROW("nics", U32, nics,
        "NICs of each host: a divisor or a multiple of its GPUs (0 = as many as the machine has)",
        .def = "0", .max = 1024),
    ROW("fabric", CHOICE, fabric, "network between the NICs", .def = "rail",
        .choices = "star|rail|leaf_spine"),
    ROW("per_leaf", U32, per_leaf, "leaf_spine: hosts at one leaf", .def = "4", .min = 1,
        .max = 1 << 20),
    ROW("spines", U32, spines,
        "spine switches over the leaves, each with one link to each leaf; 0 = as many as let a "
        "link have the rate of a host's; leaf_spine of a machine with adaptive_routing: one",
        .def = "0", .max = 1 << 16),
    ROW("oversubscription", DOUBLE, oversubscription,
        "rate into a leaf over its rate to the spines", .def = "1", .min = 0.01, .max = 1000),
    ROW("er", DOUBLE, error_rate, "packets lost on a link, 0..1", .alias = "error_rate", .def = "0",
        .max = 1),
    {0}};

struct plan {
    const struct asim_machine *machine;
    const struct machine_options *opt;
    uint32_t nodes, gpus, hosts; /* hosts: GPUs in all */
    uint32_t domain;             /* GPUs of an NVLink domain */
    uint32_t ports;              /* NICs of a GPU; 0 = several GPUs share one */
    uint32_t sharing;            /* GPUs of a NIC, 1 where each has its own */
    uint32_t leaves, spines;     /* spines: 0 where one leaf has all */
    uint32_t inner, shared;      /* switches of domains; of shared NICs */
    uint32_t first_inner, first_leaf, first_spine, first_shared;
};

static int is_switched(const struct plan *p)
{
    return p->domain > 1 && (p->machine->scale_up == ASIM_SCALE_UP_NVSWITCH ||
                             p->machine->scale_up == ASIM_SCALE_UP_PCIE);
}

static int is_nvswitch(const struct plan *p)
{
    return p->machine->scale_up == ASIM_SCALE_UP_NVSWITCH;
}

static int is_mesh(const struct plan *p)
{
    return p->domain > 1 && p->machine->scale_up == ASIM_SCALE_UP_MESH;
}

static uint64_t bits(double gbytes)
{
    return (uint64_t)(gbytes * 8e9 + .5);
}

/* Half of the delay of a switch lies on each of two links. */
static struct asim_link_spec nic_link(const struct plan *p, double ports)
{
    const struct asim_machine *m = p->machine;

    return (struct asim_link_spec){bits(m->nic_gbytes * ports),
                                   (uint64_t)((m->nic_ns + m->switch_ns / 2) * ASIM_FS_PER_NS),
                                   p->opt->error_rate};
}

/* Between two switches there is no NIC. */
static struct asim_link_spec switch_link(const struct plan *p, double ports)
{
    const struct asim_machine *m = p->machine;
    struct asim_link_spec link = nic_link(p, ports);

    link.delay_fs = (uint64_t)((m->cable_ns + m->switch_ns) * ASIM_FS_PER_NS);
    return link;
}

/* --- counts -------------------------------------------------------------------------------------
 */

static int count_hosts(struct plan *p, uint32_t asked, struct asim_err *err)
{
    const struct asim_machine *m = p->machine;
    const struct machine_options *opt = p->opt;
    uint32_t domains; /* as few as can be, of as many nodes each */
    uint64_t hosts;

    p->gpus = opt->gpus ? opt->gpus : m->gpus;
    if (p->gpus > m->gpus)
        return asim_err_set(err, ASIM_EINVAL, "%s has %u GPUs a node, not %u.", m->name, m->gpus,
                            p->gpus);
    p->nodes = opt->nodes ? opt->nodes : asked ? (asked - 1) / p->gpus + 1 : 2;
    hosts = (uint64_t)p->nodes * p->gpus;
    if (hosts < asked || hosts > ASIM_BUILD_MAX_NODES)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u nodes with %u GPUs each do not fit %u ranks: raise nodes.",
                            p->nodes, p->gpus, asked);
    p->hosts = (uint32_t)hosts;
    domains = (p->nodes - 1) / m->hosts + 1;
    p->domain = p->gpus * ((p->nodes - 1) / domains + 1);
    return 0;
}

/* Links below a leaf. */
static uint32_t below_leaf(const struct plan *p)
{
    return p->opt->fabric == RAIL ? p->nodes
                                  : p->opt->per_leaf * ((p->gpus + p->sharing - 1) / p->sharing);
}

static uint32_t count_spines(const struct plan *p)
{
    if (p->leaves < 2)
        return 0;
    if (p->opt->spines)
        return p->opt->spines;
    return p->opt->fabric == LEAF_SPINE && p->machine->adaptive_routing
               ? 1
               : (uint32_t)ceil(below_leaf(p) / p->opt->oversubscription);
}

/* As if the machine had been bought with so many of the same NICs. */
static int set_nics(struct asim_machine *machine, uint32_t nics, struct asim_err *err)
{
    if (nics && machine->gpus % nics && nics % machine->gpus)
        return asim_err_set(err, ASIM_EINVAL,
                            "nics=%u: the %u GPUs of a host of %s cannot share these evenly; "
                            "expected a divisor or a multiple of %u.",
                            nics, machine->gpus, machine->name, machine->gpus);
    machine->nics = nics ? nics : machine->nics;
    return 0;
}

static void count_switches(struct plan *p)
{
    uint32_t nics = p->machine->nics, gpus = p->machine->gpus;
    uint32_t rails;

    p->ports = nics / gpus;
    p->sharing = p->ports ? 1 : (gpus + nics - 1) / nics;
    rails = (p->gpus + p->sharing - 1) / p->sharing;
    p->leaves = p->opt->fabric == STAR   ? 1
                : p->opt->fabric == RAIL ? rails
                                         : (p->nodes - 1) / p->opt->per_leaf + 1;
    p->spines = count_spines(p);
    p->shared = p->sharing > 1 ? p->nodes * rails : 0;
    p->inner = is_switched(p) ? (p->hosts + p->domain - 1) / p->domain : 0;
    p->first_leaf = p->hosts + (is_nvswitch(p) ? p->inner : 0);
    p->first_spine = p->first_leaf + p->leaves;
    p->first_inner = is_nvswitch(p) ? p->hosts : p->first_spine + p->spines;
    p->first_shared = p->first_spine + p->spines + (is_nvswitch(p) ? 0 : p->inner);
}

static uint64_t count_links(const struct plan *p)
{
    uint64_t mesh = is_mesh(p) ? (uint64_t)p->hosts * (p->domain - 1) / 2 : 0;

    return (is_switched(p) ? p->hosts : 0) + mesh + (uint64_t)p->hosts + p->shared +
           (uint64_t)p->leaves * p->spines;
}

/* --- links --------------------------------------------------------------------------------------
 */

/* NVLink before NIC: interface 1 is then NVLink, as in files of SimAI. */
static int wire_inner(struct asim_topo *topo, const struct plan *p, uint32_t gpu,
                      struct asim_err *err)
{
    const struct asim_machine *m = p->machine;
    struct asim_link_spec wire = {bits(m->nvlink_gbytes), (uint64_t)(m->nvlink_ns * ASIM_FS_PER_NS),
                                  0};
    uint32_t first = gpu / p->domain * p->domain;
    int rc = 0;

    if (is_switched(p))
        return asim_build_link(topo, gpu, p->first_inner + gpu / p->domain, &wire, err);
    wire.rate_bps = bits(m->nvlink_gbytes / (p->domain > 1 ? p->domain - 1 : 1));
    for (uint32_t peer = first; is_mesh(p) && peer < gpu && !rc; peer++)
        rc = asim_build_link(topo, peer, gpu, &wire, err);
    return rc;
}

static uint32_t leaf_of(const struct plan *p, uint32_t node, uint32_t rail)
{
    return p->first_leaf + (p->opt->fabric == STAR   ? 0
                            : p->opt->fabric == RAIL ? rail
                                                     : node / p->opt->per_leaf);
}

/* NICs of one GPU lead to one leaf, so they are one link with their rates together. */
static int wire_nic(struct asim_topo *topo, const struct plan *p, uint32_t gpu,
                    struct asim_err *err)
{
    uint32_t node = gpu / p->gpus, rail = gpu % p->gpus / p->sharing;
    uint32_t rails = (p->gpus + p->sharing - 1) / p->sharing;
    struct asim_link_spec nic = nic_link(p, p->ports ? p->ports : 1), pcie = nic;
    uint32_t shared = p->first_shared + node * rails + rail;
    int rc = 0;

    if (p->sharing == 1)
        return asim_build_link(topo, gpu, leaf_of(p, node, rail), &nic, err);
    pcie.rate_bps = bits(p->machine->pcie_gbytes);
    pcie.delay_fs = (uint64_t)(p->machine->nvlink_ns * ASIM_FS_PER_NS);
    rc = asim_build_link(topo, gpu, shared, &pcie, err);
    if (!rc && gpu % p->gpus % p->sharing == 0)
        rc = asim_build_link(topo, shared, leaf_of(p, node, rail), &nic, err);
    return rc;
}

static int wire_spines(struct asim_topo *topo, const struct plan *p, struct asim_err *err)
{
    double ports = (double)below_leaf(p) * (p->ports ? p->ports : 1) / (p->spines ? p->spines : 1);
    struct asim_link_spec up = switch_link(p, ports / p->opt->oversubscription);
    int rc = 0;

    for (uint32_t leaf = 0; leaf < p->leaves; leaf++)
        for (uint32_t s = 0; s < p->spines && !rc; s++)
            rc = asim_build_link(topo, p->first_leaf + leaf, p->first_spine + s, &up, err);
    return rc;
}

static int build(struct asim_topo *topo, struct plan *p, struct asim_err *err)
{
    struct asim_build_size size = {.hosts = p->hosts, .links = count_links(p)};
    int rc;

    size.nvswitches = is_nvswitch(p) ? p->inner : 0;
    size.switches = p->inner - size.nvswitches + p->leaves + p->spines + p->shared;
    rc = asim_build_nodes(topo, &size, err);
    for (uint32_t gpu = 0; gpu < p->hosts && !rc; gpu++)
        rc = wire_inner(topo, p, gpu, err);
    for (uint32_t gpu = 0; gpu < p->hosts && !rc; gpu++)
        rc = wire_nic(topo, p, gpu, err);
    return rc ? rc : wire_spines(topo, p, err);
}

/* "RTX 6000D" has a blank, which a file in SimAI's format cannot hold. */
static void name_gpu(struct asim_topo *topo, const struct asim_machine *machine)
{
    size_t n = 0;

    for (const char *at = machine->gpu; at && *at && n + 1 < sizeof topo->gpu_type; at++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+.-", *at))
            topo->gpu_type[n++] = *at;
    topo->gpu_type[n] = '\0';
}

static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    struct asim_machine machine;
    struct plan p = {.opt = options_of, .machine = &machine};
    int rc = asim_machine_read(&machine, p.opt->file, err);

    if (!rc)
        rc = set_nics(&machine, p.opt->nics, err);
    if (!rc)
        rc = count_hosts(&p, hosts, err);
    if (!rc) {
        count_switches(&p);
        rc = build(topo, &p, err);
    }
    if (!rc) {
        topo->gpus_per_server = p.domain;
        topo->machine_nics = machine.nics;
        topo->pcie = p.shared + (is_nvswitch(&p) ? 0 : p.inner);
        name_gpu(topo, &machine);
        topo->machine = strdup(p.opt->file);
        rc = topo->machine ? asim_topo_finish(topo, err) : asim_err_nomem(err, "naming a machine");
    }
    asim_machine_fini(&machine);
    return rc;
}

const struct asim_topo_maker asim_topo_maker_machine = {
    .member = {"machine", "Nodes of a machine file; machine:NAME,nodes=4,fabric=rail.", options,
               sizeof(struct machine_options)},
    .make = make,
};
