/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The communication of a node: type of collective in every naming style of NCCL, RCCL and PyTorch,
 * bytes, process group, peer of a send or receive (chakra.md#converting-a-pytorch-trace).
 */
#ifndef ASIM_CONVERTER_CONVERT_COMM_H
#define ASIM_CONVERTER_CONVERT_COMM_H

#include "asim/trace.h"
#include "json/value.h"
#include "lib/index.h"

/* Types beside enum asim_coll_type. */
enum { ASIM_COMM_UNKNOWN = -1, ASIM_COMM_SEND = 100, ASIM_COMM_RECV, ASIM_COMM_WAIT };

struct asim_comm {
    int kind;           /* from the node itself */
    int from_name;      /* the kernel name is the only source */
    uint64_t bytes;     /* of the input tensors */
    uint64_t msg_bytes; /* from stated elements and type; 0 = not stated */
    uint32_t pg_name;   /* in names, or ASIM_NONE */
    uint32_t splits;    /* in names: rows to each member, "[3, 1]"; ASIM_NONE = not stated */
    int64_t peer;       /* of a send or receive, -1 = not stated */
    int64_t src, dst;   /* both ends in a kernel's args, -1 = not stated */
    int64_t seq;        /* sequence number, twice, plus 1 for a send or receive; -1 = not stated */
    int64_t first, stride, size; /* of the group's ranks, -1 = not stated */
    double called_us;            /* a record's end, a kernel's launch; -1 = not recorded */
    uint32_t gpu;                /* first GPU node it launched, from the walk; ASIM_NONE */
    int64_t splits_size;         /* of the group, beside that list; -1 = not stated */
    uint8_t splits_cut;          /* such a list is stated in part only, "[3, ..., 1]" */
    uint8_t is_record;           /* the node is record_param_comms */
    uint8_t is_batch;            /* the end of several calls that NCCL runs as one group */
    uint8_t sendrecv;            /* a SendRecv kernel: all-to-all, send or receive */
};

/* The type in the name of an operator, collective or kernel: "all_reduce", "c10d::allreduce_",
 * "nccl:_all_gather_base", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)", "barrier", "send". */
int asim_comm_kind(const char *name);
/* chakra_converter's type for a kernel name; ASIM_COMM_UNKNOWN where it aborts. */
int asim_comm_kind_compat(const char *name);
/* 1 for kernels of NCCL, RCCL and MSCCL in every style. */
int asim_comm_is_kernel(const char *name, int compat);
/* 1 for host ops that describe communication: record_param_comms, nccl:…, c10d::…. */
int asim_comm_is_host(const char *name);
/* Bytes of one element of a type as traces name it ("Float", "c10::Half", "Long"), 0 = unknown. */
uint64_t asim_comm_type_bytes(const char *name);

/* The partner of a send or receive: the other end, if the kernel states both. */
int64_t asim_comm_partner(const struct asim_comm *comm);

/* Reads a parsed node; name is the node's. */
int asim_comm_read(struct asim_comm *comm, const struct asim_jdoc *doc, const char *name,
                   struct asim_names *names);

/* Process groups of a trace. */
struct asim_pgroup {
    uint32_t name;   /* in names */
    uint32_t at, n;  /* range of ranks; n = 0 means all ranks */
    int by_op;       /* an op of the trace lists it under its number */
    int is_disputed; /* its size is stated, and is not that of its list */
};
struct asim_pgroups {
    ASIM_VEC(struct asim_pgroup) group;
    ASIM_VEC(uint32_t) ranks;
};

#endif
