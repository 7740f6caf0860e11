/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the ops of one rank. Collectives of one group run one after the other, as on a stream of
 * a communicator, so all members issue them in the same order; ops of different groups, sends and
 * computations overlap where nothing holds them back. Backward passes of DualPipe have
 * communicators of their own, or those of an overlapped forward pass would hold them back.
 */
#ifndef ASIM_CONVERTER_STEP_EMIT_H
#define ASIM_CONVERTER_STEP_EMIT_H

#include "asim/trace.h"
#include "step/step.h"

/* Ids of ops that an op waits for; 0 = none. */
struct asim_step_after {
    uint64_t a, b, c;
};

enum { ASIM_STEP_STARTS = 64 };

struct asim_step_emit {
    const struct asim_step *step;
    struct asim_step_place place;
    struct asim_chakra_writer *writer;
    struct asim_err *err;
    int rc; /* the first failure; later calls do nothing */
    uint64_t next_id;
    uint64_t stream[ASIM_STEP_GROUPS]; /* last op of each group */
    int is_back;                       /* in a backward pass */
    int is_first;                      /* in the forward pass of a chunk's first micro-batch */
    uint32_t ring_tag;                 /* of the sends of context parallelism */
    char prefix[40];                   /* of the names of ops */
    struct asim_step_traffic traffic;
    uint64_t *sizes; /* room for an all-to-all-v: as many as the largest expert group */
    /* ZeRO-3: the op before each layer pass, the last ones, to gather parameters ahead. */
    uint64_t starts[ASIM_STEP_STARTS], n_starts;
};

/* Number of members of the rank's group of a kind, and member i. */
uint32_t asim_step_group_size(const struct asim_step *step, const struct asim_step_place *place,
                              int kind);

/* The METADATA op with the groups of the rank. */
void asim_step_put_groups(struct asim_step_emit *e);

/* Each returns the op's id. */
uint64_t asim_step_compute(struct asim_step_emit *e, const char *name, uint64_t ns,
                           struct asim_step_after after);
/* The same with flops and bytes of a part; phase: enum asim_step_phase. */
uint64_t asim_step_compute_part(struct asim_step_emit *e, const char *name, int part, int phase,
                                struct asim_step_after after);
/* bytes as Chakra counts them. A group of one gives the op that `after.a` names. */
struct asim_step_coll {
    const char *name;
    int group, type; /* enum asim_step_group, enum asim_coll_type */
    uint64_t bytes;
};
uint64_t asim_step_collective(struct asim_step_emit *e, struct asim_step_coll coll,
                              struct asim_step_after after);
/* An all-to-all-v of e->sizes. */
uint64_t asim_step_all_to_all_v(struct asim_step_emit *e, const char *name, int group,
                                struct asim_step_after after);
/* A send (to is set) or receive of `kind` RING or PIPE. */
struct asim_step_message {
    const char *name;
    int kind, is_send;
    uint32_t peer, tag;
    uint64_t bytes;
};
uint64_t asim_step_message(struct asim_step_emit *e, struct asim_step_message message,
                           struct asim_step_after after);

/* again: for recomputation; parameters are there already. */
uint64_t asim_step_layer_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int again);
/* fused: with the weight gradients. */
uint64_t asim_step_layer_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused);
uint64_t asim_step_layer_weights(struct asim_step_emit *e, uint32_t layer, uint64_t at);
/* Tensor-parallel collectives, for the ends of the model too: of whole activations before a
 * column-parallel matrix (nothing without sequence parallelism) and behind a row-parallel one. */
uint64_t asim_step_before_column(struct asim_step_emit *e, const char *name, uint64_t at);
uint64_t asim_step_behind_row(struct asim_step_emit *e, const char *name, uint64_t at);

uint64_t asim_step_ring_forward(struct asim_step_emit *e, uint64_t at);
uint64_t asim_step_ring_backward(struct asim_step_emit *e, uint64_t at);

/* The expert layer forward, without shared experts' tensor-parallel collectives. */
uint64_t asim_step_moe_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at);
/* Backward for the activations. *experts receives the op behind which weight gradients can be
 * computed. */
uint64_t asim_step_moe_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused,
                                uint64_t *experts);
/* Weight gradients of shared experts; of the others, too, unless the backward pass has made them. */
uint64_t asim_step_moe_weights(struct asim_step_emit *e, uint32_t layer, int fused,
                               struct asim_step_after after);
/* Bytes of a token on its way to an expert and back. */
uint64_t asim_step_dispatch_bytes(const struct asim_step *step);
uint64_t asim_step_combine_bytes(const struct asim_step *step);

/* Before a pass of a layer: what its first op waits for. Without ZeRO-3 that is `at`. */
struct asim_step_after asim_step_gather(struct asim_step_emit *e, struct asim_step_params params,
                                        uint64_t at);
/* After the weight gradients of a layer (or an end of the model) of a virtual stage. */
void asim_step_reduce(struct asim_step_emit *e, uint32_t virtual_stage,
                      struct asim_step_params params, uint64_t at);
/* 1 if gradients are reduced while the passes run: of this micro-batch. */
int asim_step_reduces_now(const struct asim_step_emit *e, uint32_t micro, uint32_t chunk);
/* After all passes: gradients that wait until then, their norm, optimizer, parameters. */
void asim_step_optimizer(struct asim_step_emit *e, uint64_t at);

void asim_step_passes(struct asim_step_emit *e, const struct asim_step_order *order);

#endif
