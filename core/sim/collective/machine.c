/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the machine of the ranks and asks core/nccl for times on it. A server of the topology is an
 * NVLink domain, so hosts of one domain count as one host here.
 */
#include "sim/collective/machine.h"
#include "asim/machine.h"
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

/* NCCL's rings, and heads of NVLS. */
enum { MOST_CHANNELS = 32 };

/* The version since which a GPU hands over to a NIC that hangs on the processor (core/nccl/case.c).
 */
enum { PXN_BY_PROCESSOR = 22800 };

/* GB/s of a link that `gbytes` made: the same number, unless --bandwidth changed the link. */
static double rate_of(const struct asim_topo *topo, uint32_t port, double gbytes)
{
    uint64_t bps = topo->links[topo->ports[port].link].rate_bps;

    return bps == (uint64_t)(gbytes * 8e9 + .5) ? gbytes : (double)bps / 8e9;
}

/* The machine has the NICs and the rates that its topology has: a GPU's first port is NVLink, its
 * last the NIC or the PCIe switch before it (topo/maker/machine.c). */
static void follow_topology(struct asim_machine *machine, const struct asim_topo *topo)
{
    uint32_t nic = topo->first_port[1] - 1, domain = topo->gpus_per_server, ports, peers;

    machine->nics = topo->machine_nics;
    if (topo->shown)
        return; /* a scenario placed ranks anew */
    ports = machine->nics > machine->gpus ? machine->nics / machine->gpus : 1;
    peers = machine->scale_up == ASIM_SCALE_UP_MESH && domain > 1 ? domain - 1 : 1;
    if (topo->first_port[0] < nic)
        machine->nvlink_gbytes =
            peers * rate_of(topo, topo->first_port[0], machine->nvlink_gbytes / peers);
    if (machine->nics < machine->gpus) {
        uint32_t pcie = topo->ports[nic].peer;

        nic = topo->first_port[pcie];
        while (topo->node_type[topo->ports[nic].peer] == ASIM_HOST)
            nic++;
    }
    machine->nic_gbytes = rate_of(topo, nic, machine->nic_gbytes * ports) / ports;
}

static int read_machine(struct asim_world *world, const char *name, struct asim_err *err)
{
    struct asim_machine *machine = calloc(1, sizeof *machine);

    world->set.machine = machine;
    if (!machine)
        return asim_err_nomem(err, "reading a machine");
    if (asim_machine_read(machine, name, err))
        return ASIM_EINVAL;
    if (name == world->set.topo.machine)
        follow_topology(machine, &world->set.topo);
    machine->host_gpus = machine->gpus;
    machine->gpus *= machine->hosts;
    machine->nics *= machine->hosts;
    machine->hosts = 1;
    asim_world_diagnose(world,
                        "collectives take at least what asim nccl-tests says for NCCL on %s "
                        "(--machine=none: only what the network takes)",
                        machine->name);
    return 0;
}

static int read_variables(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct asim_nccl_env *env = calloc(1, sizeof *env);
    const char *path = strcmp(set->nccl_env, "-") ? set->nccl_env : NULL;

    if (world->set.settings.like != ASIM_LIKE_NCCL)
        asim_world_diagnose(world, "--nccl-env has no effect: the run does not follow NCCL");
    world->set.nccl_env = env;
    if (!env)
        return asim_err_nomem(err, "reading variables of NCCL");
    if (asim_nccl_env_read(env, path, asim_world_diagnostics(world), err))
        return ASIM_EINVAL;
    if (world->set.settings.like == ASIM_LIKE_NCCL && !world->set.net.has_qps)
        world->set.net.qps_per_connection = (uint32_t)env->qps;
    return 0;
}

int asim_world_machine_open(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err)
{
    const char *name = set->machine ? set->machine : world->set.topo.machine;

    if (set->nccl_env && read_variables(world, set, err))
        return ASIM_EINVAL;
    if (world->set.settings.like != ASIM_LIKE_NCCL || !name || !strcmp(name, "none"))
        return 0;
    return read_machine(world, name, err);
}

void asim_world_machine_close(struct asim_world *world)
{
    if (world->set.machine)
        asim_machine_fini(world->set.machine);
    free(world->set.machine);
    if (world->set.nccl_env)
        asim_nccl_env_fini(world->set.nccl_env);
    free(world->set.nccl_env);
}

static int op_of(int coll_type)
{
    return coll_type == ASIM_ALL_REDUCE       ? ASIM_NCCL_ALL_REDUCE
           : coll_type == ASIM_ALL_GATHER     ? ASIM_NCCL_ALL_GATHER
           : coll_type == ASIM_REDUCE_SCATTER ? ASIM_NCCL_REDUCE_SCATTER
           : coll_type == ASIM_BROADCAST      ? ASIM_NCCL_BROADCAST
           : coll_type == ASIM_REDUCE         ? ASIM_NCCL_REDUCE
                                              : ASIM_NCCL_ALL_TO_ALL;
}

int asim_world_machine_has_pxn(const struct asim_world *world)
{
    const struct asim_machine *machine = world->set.machine;
    const struct asim_nccl_env *env = world->set.nccl_env;

    if (env && env->pxn_disable)
        return 0;
    return !machine || (machine->generation < ASIM_GENERATION_CDNA3 &&
                        (machine->scale_up == ASIM_SCALE_UP_NVSWITCH ||
                         machine->scale_up == ASIM_SCALE_UP_MESH) &&
                        (machine->return_gbytes <= 0 || machine->nccl >= PXN_BY_PROCESSOR));
}

int asim_world_machine_allows(const struct asim_world *world, const struct asim_nccl_spec *spec)
{
    const struct asim_nccl_env *env = world->set.nccl_env;
    int is_nvls = spec->algo == ASIM_NCCL_NVLS || spec->algo == ASIM_NCCL_NVLS_TREE;

    if (spec->pxn && !asim_world_machine_has_pxn(world))
        return 0;
    return !env ||
           ((env->algos[op_of(spec->coll_type)] >> spec->algo & 1) &&
            !(spec->pxn && env->cross_nic == 1) && !(is_nvls && !env->nvls));
}

int asim_world_machine_is_flat(const struct asim_world *world)
{
    return world->set.machine && world->set.machine->scale_up == ASIM_SCALE_UP_NIC;
}

static uint64_t ns_of(double us)
{
    return us > 0 ? (uint64_t)(1000 * us + .5) : 0;
}

static struct asim_nccl_job job_of(const struct asim_world *world,
                                   const struct asim_nccl_spec *spec)
{
    return (struct asim_nccl_job){
        .machine = world->set.machine,
        .op = op_of(spec->coll_type),
        .nodes = spec->first ? spec->servers : spec->ranks / spec->gpus_per_server,
        .gpus = spec->gpus_per_server,
        .bytes = spec->bytes,
        .algo = spec->algo == ASIM_NCCL_DIRECT ? ASIM_NCCL_AUTO : spec->algo,
        .proto = -1,
        .env = world->set.nccl_env};
}

uint32_t asim_world_machine_channels(const struct asim_world *world,
                                     const struct asim_nccl_spec *spec)
{
    const struct asim_nccl_job job = job_of(world, spec);

    return job.machine ? asim_nccl_senders(&job) : MOST_CHANNELS;
}

int asim_world_machine_plan(const struct asim_world *world, const struct asim_nccl_spec *spec,
                            struct asim_nccl_choice *plan)
{
    struct asim_err ignored = {0};
    struct asim_nccl_time time;
    const struct asim_nccl_job job = job_of(world, spec);

    if (!job.machine || asim_nccl_predict(&time, &job, &ignored))
        return 0;
    *plan = (struct asim_nccl_choice){.algo = time.sent_algo,
                                      .proto = time.sent_proto,
                                      .start_ns = ns_of(time.start_us),
                                      .busy_ns = ns_of(time.busy_us),
                                      .least_ns = ns_of(time.us)};
    return 1;
}
