/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An execution plan of MSCCL++ while it is read.
 */
#ifndef ASIM_CONVERTER_MSCCLPP_H
#define ASIM_CONVERTER_MSCCLPP_H

#include <jansson.h>
#include "base/map.h"
#include "schedule/msccl.h"

enum asim_mscclpp_channels { ASIM_MSCCLPP_MEMORY, ASIM_MSCCLPP_PORT, ASIM_MSCCLPP_CHANNELS };
enum { ASIM_MSCCLPP_BUFFS = 64 };

/* Ends and starts that meet in their order: signals and waits of a channel, or releases and
 * acquires of a semaphore. */
struct asim_mscclpp_lane {
    ASIM_VEC(uint32_t) ends, waits; /* steps */
    int64_t ends_of, waits_of;      /* the block that does them; -1 = none yet */
    uint32_t initial;               /* so many waits go on at once */
    uint32_t from;                  /* 1 + the lane whose ends they wait for, 0 = none */
};

struct asim_mscclpp_channel {
    uint32_t peer, lane;
    uint32_t way, block; /* of its signals, once block > 0 */
};

struct asim_mscclpp_buff { /* some chunks */
    uint32_t gpu;
    int is_remote, buffer;
    uint32_t at, count;
};

struct asim_mscclpp_gpu {
    ASIM_VEC(struct asim_mscclpp_channel) channel[ASIM_MSCCLPP_CHANNELS];
    ASIM_VEC(struct asim_mscclpp_buff) remote;
    uint32_t first_semaphore, semaphores; /* lanes */
};

struct asim_mscclpp_posted {
    uint32_t step, peer;
    int channel; /* enum asim_mscclpp_channels */
};

struct asim_mscclpp_block { /* the thread block that is read */
    uint32_t gpu, id, at;   /* at: its place among all blocks */
    ASIM_VEC(uint32_t) channel[ASIM_MSCCLPP_CHANNELS], remote[ASIM_MSCCLPP_CHANNELS];
    ASIM_VEC(struct asim_mscclpp_posted) posted; /* puts that may be under way */
};

enum asim_mscclpp_does {
    ASIM_MSCCLPP_NOTHING,
    ASIM_MSCCLPP_MOVE,
    ASIM_MSCCLPP_SUM,
    ASIM_MSCCLPP_BARRIER,
    ASIM_MSCCLPP_SIGNAL, /* from here on by channels or semaphores */
    ASIM_MSCCLPP_WAIT,
    ASIM_MSCCLPP_FLUSH,
    ASIM_MSCCLPP_ACQUIRE,
    ASIM_MSCCLPP_RELEASE
};
enum asim_mscclpp_flag {
    ASIM_MSCCLPP_FROM_REMOTE = 1, /* sources (of a sum: but the first) lie at peers */
    ASIM_MSCCLPP_TO_REMOTE = 2,   /* so do destinations (of a sum: behind the local ones) */
    ASIM_MSCCLPP_IN_PACKETS = 4,  /* sources (of a sum: but the first) are packets */
    ASIM_MSCCLPP_OUT_PACKETS = 8, /* so are destinations (of a sum: but the first) */
    ASIM_MSCCLPP_COPIES = 16,     /* a sum's second destination is local */
    ASIM_MSCCLPP_SIGNALS = 32,
    ASIM_MSCCLPP_FLUSHES = 64,
    ASIM_MSCCLPP_RELAXED = 128 /* orders no data */
};

struct asim_mscclpp_kind {
    const char *name;
    enum asim_mscclpp_does does;
    unsigned flags;
};

struct asim_mscclpp_op {
    const struct asim_mscclpp_kind *kind;
    int channel; /* enum asim_mscclpp_channels */
    struct asim_mscclpp_buff src[ASIM_MSCCLPP_BUFFS], dst[ASIM_MSCCLPP_BUFFS];
    uint32_t srcs, dsts;
    uint32_t id[ASIM_MSCCLPP_BUFFS], ids; /* channels of the GPU, or semaphores */
    uint32_t barrier, blocks;
};

struct asim_mscclpp_flow { /* what a thread block puts to a GPU, or asks of it */
    uint32_t block;        /* that does it there */
    uint32_t way, answers;
    uint32_t last; /* 1 + the last step there, 0 = none */
};

struct asim_mscclpp_barrier {
    uint32_t gpu, id, round, blocks, arrive, leave; /* steps */
};

struct asim_mscclpp_reader { /* a step that waits for packets */
    uint32_t step;
    struct asim_mscclpp_buff buff;
};

struct asim_mscclpp {
    struct asim_msccl *to;
    struct asim_err *err; /* the first error stays */
    uint32_t grain;       /* a chunk of the file is so many of ours: thread blocks share some */
    ASIM_VEC(struct asim_mscclpp_gpu) gpu;
    ASIM_VEC(struct asim_mscclpp_lane) lane;
    ASIM_VEC(struct asim_mscclpp_flow) flow;
    ASIM_VEC(struct asim_mscclpp_barrier) barrier;
    ASIM_VEC(struct asim_mscclpp_reader) reader;
    struct asim_map flows, rounds, packets;
    struct asim_mscclpp_block block;
    uint32_t number; /* of the op in its block */
    const char *name;
};

/* --- mscclpp_json.c -------------------------------------------------------------------------- */

/* An error at the op that is read. */
void asim_mscclpp_fail(struct asim_mscclpp *plan, const char *fmt, ...) ASIM_PRINTF(2, 3);
/* Values; after an error 0, "" or NULL. */
void asim_mscclpp_refuse_unknown(struct asim_mscclpp *plan, json_t *object,
                                 const char *const *known);
uint32_t asim_mscclpp_number(struct asim_mscclpp *plan, const json_t *value, const char *name,
                             uint32_t most);
uint32_t asim_mscclpp_number_of(struct asim_mscclpp *plan, const json_t *object, const char *key,
                                uint32_t most);
const char *asim_mscclpp_text_of(struct asim_mscclpp *plan, const json_t *object, const char *key);
json_t *asim_mscclpp_list_of(struct asim_mscclpp *plan, const json_t *object, const char *key);
int asim_mscclpp_buffer_of(struct asim_mscclpp *plan, const json_t *object, const char *key);
/* ASIM_MSCCLPP_CHANNELS for those of switches and none, which only ops have that are refused. */
int asim_mscclpp_channel_type(struct asim_mscclpp *plan, const json_t *object, const char *key);

/* --- mscclpp_steps.c ------------------------------------------------------------------------- */

void asim_mscclpp_nomem(struct asim_mscclpp *plan);
/* A step of a block, at the op that is read; its place. */
uint32_t asim_mscclpp_emit(struct asim_mscclpp *plan, uint32_t block, struct asim_msccl_step step);
void asim_mscclpp_add_wait(struct asim_mscclpp *plan, uint32_t step, uint32_t before);
uint32_t asim_mscclpp_new_way(struct asim_mscclpp *plan, uint32_t from, uint32_t to);
uint32_t asim_mscclpp_new_block(struct asim_mscclpp *plan, uint32_t gpu);
/* What the thread block puts to a GPU, or (is_read) reads there; NULL after an error. */
struct asim_mscclpp_flow *asim_mscclpp_flow_to(struct asim_mscclpp *plan, uint32_t gpu,
                                               int is_read);
/* Holds the thread block up until its puts over such channels (to that peer; UINT32_MAX: to all)
 * have ended. */
void asim_mscclpp_end_puts(struct asim_mscclpp *plan, int channel, uint32_t peer);

/* --- mscclpp_order.c ------------------------------------------------------------------------- */

/* A signal on the op's i-th channel; a wait there, an acquire or a release. */
void asim_mscclpp_signal(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op, uint32_t i);
void asim_mscclpp_meet(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op, uint32_t i);
void asim_mscclpp_stop_at_barrier(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op);
void asim_mscclpp_link_order(struct asim_mscclpp *plan);

/* --- mscclpp_ops.c --------------------------------------------------------------------------- */

/* The op's kind, or NULL: *why then says why it is not read, NULL if it is none. */
const struct asim_mscclpp_kind *asim_mscclpp_kind_find(const char *name, const char **why);
/* Adds the steps of an op; at the end what they wait for of others. */
void asim_mscclpp_add(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op);
void asim_mscclpp_link(struct asim_mscclpp *plan);

/* --- mscclpp_block.c ------------------------------------------------------------------------- */

/* Reads the thread block plan->block. */
void asim_mscclpp_read_block(struct asim_mscclpp *plan, json_t *json);

#endif
