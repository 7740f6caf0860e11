/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of a world and how they are joined, for the files of sim/ and for reports that need
 * more than events. Reports must treat everything in it as constant.
 */
#ifndef ASIM_SIM_WORLD_H
#define ASIM_SIM_WORLD_H

#include "base/diagnostics.h"
#include "sim/sim.h"

/* connect.c: builds the network and the pools; the traces must be open. Sets hooks on hot paths
 * only where an observer wants them: 0 or ASIM_ENOMEM. */
int asim_world_connect(struct asim_world *world, struct asim_err *err);
void asim_world_disconnect(struct asim_world *world);
int asim_world_set_hooks(struct asim_world *world);

/* Names `path` as the source of an error that has none (NULL: no file). Returns code. */
int asim_world_attach_source(int code, const char *path, struct asim_err *err);

/* Whether the network of the settings has all these bits of enum asim_net_trait and enum
 * asim_net_capability; a mode that does not exist has none. During asim_world_open only;
 * asim_world_has tells once the network is open. */
int asim_settings_has(const struct asim_settings *set, unsigned bits);
/* Names the given options that need more than the network of the settings has. */
void asim_world_diagnose_unused(const struct asim_world *world, const struct asim_settings *set);
/* A world over an analytical network (settings.mode), or with settings.shape: the dimensions of
 * that network are the logical ones. */
int asim_world_open_shape(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err);
/* Finds the machine of the ranks (collective/machine.h): --machine, or that of the topology, of
 * runs that follow NCCL; and NCCL's variables. */
int asim_world_machine_open(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err);
void asim_world_machine_close(struct asim_world *world);
/* A network over a topology: settings, topology, hosts of the ranks, routes; nothing over another
 * network. */
int asim_world_open_network(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err);
int asim_world_connect_analytical(struct asim_world *world, const struct asim_net_user *user,
                                  struct asim_err *err);

/* world_jobs.c: the jobs and their numbers of ranks; where their ranks run (of a scenario only,
 * once the topology is open); their groups. */
int asim_world_open_jobs(struct asim_world *world, const struct asim_settings *set,
                         struct asim_err *err);
int asim_world_place_jobs(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err);
int asim_world_open_groups(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err);
void asim_world_close_jobs(struct asim_world *world);
const struct asim_world_job *asim_world_job_of(const struct asim_world *world, uint32_t rank);

/* callbacks.c: what the network calls, and two hooks of the packet network. */
struct asim_net_user asim_world_user(struct asim_world *world);
int asim_world_ranks_done(void *world);
void asim_world_held(void *world, uint32_t rank, uint64_t by_ns);

/* world_ranks.c: the ranks of this process. Several processes: each reads the traces of all ranks
 * until the run is known to be long, since a short one stays in the first process. */
int asim_world_decide_order(struct asim_world *world, struct asim_err *err);
int asim_world_open_ranks(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err);
/* What ranks need beside their feeds: noise, rounds, buses, tensors. */
int asim_world_prepare_ranks(struct asim_world *world, struct asim_err *err);
void asim_world_start_ranks(struct asim_world *world);
void asim_world_close_ranks(struct asim_world *world);

/* world_inputs.c: lists every file that the run reads or may read in world->set.inputs. */
int asim_world_list_inputs(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err);
void asim_world_close_inputs(struct asim_world *world);

/* identity.c: begins the identity of the run with the version and the options. */
void asim_identity_begin(struct asim_world *world, const struct asim_settings *set);
/* Adds options of a caller of the library. */
void asim_identity_options(struct asim_world *world, const struct asim_option *table,
                           const void *values);

/* order.c: whether a run keeps ns-3's order of simultaneous events. Once the network is open,
 * settings.exact_events becomes 0 where that is not wanted, or where the network has events that
 * ns-3 has not; then about how many packets a rank sends for an op (groups of METADATA ops, which
 * are not known yet, count as all ranks); whether packets of all ranks make more events than
 * settings.exact_events; sets these to 0 where they do. */
void asim_order_open(struct asim_world *world);
double asim_order_packets(const struct asim_world *world, const struct asim_world_job *job,
                          const struct asim_op *op);
int asim_order_is_long(const struct asim_world *world, double packets);
void asim_order_decide(struct asim_world *world, double packets);
/* Sets is_listed, before the network is built: 0 where tie keys give the same order at less cost.
 * functions: asim_world_open, which calls this, asim_world_run and asim_world_close. */
struct asim_world_functions {
    int (*open)(struct asim_world **, const struct asim_settings *, const struct asim_hooks *,
                struct asim_err *);
    int (*run)(struct asim_world *, struct asim_err *);
    void (*close)(struct asim_world *);
};
void asim_order_try(struct asim_world *world, const struct asim_world_functions *functions);

/* The hook that takes diagnostics, and a macro that reports one. */
#define asim_world_diagnostics(world)                                                              \
    (&(const struct asim_diagnostics){(world)->hooks.note, (world)->hooks.self})
#define asim_world_diagnose(world, ...) asim_diagnose(asim_world_diagnostics(world), __VA_ARGS__)

/* plan_traffic.c: a note on each background traffic that began no flow in the whole run. */
void asim_world_diagnose_traffic(struct asim_world *world);
/* diagnostics.c: reports legal input that is seldom meant, in options, values of ranks and traces,
 * and in what the run did. */
void asim_world_diagnose_options(struct asim_world *world, const struct asim_settings *set);
void asim_world_diagnose_text(struct asim_world *world, const char *workload);
void asim_world_diagnose_values(struct asim_world *world);
void asim_world_diagnose_traces(struct asim_world *world);
void asim_world_diagnose_run(struct asim_world *world);

#endif
