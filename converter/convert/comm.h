/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node says about communication: the kind of collective in every naming style of NCCL, RCCL
 * and PyTorch, bytes, process group, peer of a send or receive
 * (chakra.md#converting-a-pytorch-trace).
 */
#ifndef ASIM_CONVERTER_CONVERT_COMM_H
#define ASIM_CONVERTER_CONVERT_COMM_H

#include "asim/trace.h"
#include "json/value.h"
#include "lib/index.h"

/* Kinds beside enum asim_coll_type. */
enum { ASIM_COMM_UNKNOWN = -1, ASIM_COMM_SEND = 100, ASIM_COMM_RECV, ASIM_COMM_WAIT };

struct asim_comm {
    int kind;           /* what the node itself says */
    int from_name;      /* its kernel name was all there was */
    uint64_t bytes;     /* of its input tensors */
    uint64_t msg_bytes; /* elements and type it states; 0 = not stated */
    uint32_t pg_name;   /* in names, or ASIM_NONE */
    int64_t peer;       /* of a send or receive, -1 = not stated */
    int64_t src, dst;   /* the ends a kernel's args state, -1 = not stated */
    int64_t seq;        /* sequence number of the collective, -1 = not stated */
    uint32_t gpu;       /* first GPU node it launched, found in the walk; ASIM_NONE */
    uint8_t is_record;  /* the node is record_param_comms */
    uint8_t sendrecv;   /* a SendRecv kernel: all-to-all, send or receive */
};

/* Kind named by an operator, collective or kernel: "all_reduce", "c10d::allreduce_",
 * "nccl:_all_gather_base", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)", "barrier", "send". */
int asim_comm_kind(const char *name);
/* The published converter's reading of a kernel's name; ASIM_COMM_UNKNOWN where it aborts. */
int asim_comm_kind_compat(const char *name);
/* 1 for kernels of NCCL, RCCL and MSCCL in every style. */
int asim_comm_is_kernel(const char *name, int compat);
/* 1 for host ops that describe communication: record_param_comms, nccl:…, c10d::…. */
int asim_comm_is_host(const char *name);
/* Bytes of one element of a type as traces write it ("Float", "c10::Half", "Long"), 0 = unknown. */
uint64_t asim_comm_type_bytes(const char *name);

/* The partner of a send or receive: where the kernel states its ends, the one on the other side. */
int64_t asim_comm_partner(const struct asim_comm *comm);

/* Reads what the parsed node says. name: the node's. */
int asim_comm_read(struct asim_comm *comm, const struct asim_jdoc *doc, const char *name,
                   struct asim_names *names);
/* Sum of the tensors among "values" by "types" of a node's inputs. Saturates at INT64_MAX. */
uint64_t asim_comm_input_bytes(const struct asim_jdoc *doc);

/* Process groups found in a trace. */
struct asim_pgroup {
    uint32_t name;  /* in names */
    uint32_t at, n; /* range of ranks; n = 0 means all ranks */
};
struct asim_pgroups {
    ASIM_VEC(struct asim_pgroup) group;
    ASIM_VEC(uint32_t) ranks;
};
/* Adds those of a JSON array [{"pg_name": "0", "ranks": [0, 1]}, …]; others of the name stay.
 * Elements of another form are passed over. 0 or ASIM_ENOMEM. */
int asim_pgroups_add(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                     const struct asim_jv *array, struct asim_names *names);
/* Number a simulator knows the group by: the name itself if it is a decimal number, else one made
 * from the name, from 2^20 on. */
int64_t asim_pgroup_number(const char *name);
/* Adds the groups `into` does not have yet. 0 or ASIM_ENOMEM. */
int asim_pgroups_merge(struct asim_pgroups *into, struct asim_names *into_names,
                       const struct asim_pgroups *from, const struct asim_names *from_names);
/* {"1": [0, 1], …} as ASTRA-sim's --comm-group-configuration reads it. Groups of all ranks need no
 * entry; nor does 0, which simulators take for all ranks. */
int asim_pgroups_write(const struct asim_pgroups *groups, const struct asim_names *names,
                       const char *path, struct asim_err *err);
void asim_pgroups_fini(struct asim_pgroups *groups);

#endif
