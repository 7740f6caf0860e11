/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A machine as data (machines.md): its GPUs, links and NICs, and how quickly NCCL's kernels and
 * proxies work on it. With it the time that nccl-tests would print for a collective.
 *
 * Rates are in GB/s: 1e9 bytes a second, each direction. Times are in microseconds unless the name
 * says ns. Arrays of three are indexed by enum asim_nccl_proto of asim/nccl.h.
 */
#ifndef ASIM_MACHINE_H
#define ASIM_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "asim/nccl.h"

ASIM_C_BEGIN

enum asim_machine_generation {
    ASIM_GENERATION_VOLTA,
    ASIM_GENERATION_AMPERE,
    ASIM_GENERATION_HOPPER,
    ASIM_GENERATION_BLACKWELL,
    ASIM_GENERATION_CDNA3, /* AMD: RCCL; gfx942 */
    ASIM_GENERATION_CDNA4  /* gfx950 */
};
enum asim_machine_cpu { ASIM_CPU_INTEL, ASIM_CPU_AMD, ASIM_CPU_ARM };
enum asim_machine_scale_up {
    ASIM_SCALE_UP_NVSWITCH,
    ASIM_SCALE_UP_MESH, /* NVLink or xGMI from each GPU to each other one */
    ASIM_SCALE_UP_PCIE, /* GPUs of a node reach each other over PCIe */
    ASIM_SCALE_UP_NIC   /* every byte between two GPUs crosses a NIC */
};

/* The keys of a machine file are the names of these fields; asim_machine_options says what each is.
 */
struct asim_machine {
    char *name, *about, *gpu, *source; /* source: where it was read */
    int generation, cpu, scale_up;
    uint32_t gpus, hosts, nics; /* of a host; hosts of one NVLink domain; of a host */
    uint32_t host_gpus;         /* not 0: of a host, where `gpus` counts a whole NVLink domain */
    double nic_gbytes, nvlink_gbytes, pcie_gbytes;
    double nic_ns, switch_ns, cable_ns, nvlink_ns; /* delays, for the packet network */
    double wire_us; /* one way between two NICs as measured; 0: two nic_ns and a switch_ns */
    /* What NCCL has and believes. */
    uint32_t nccl; /* its version: 22304 = 2.23.4 */
    uint32_t channels, channels_most, nvls_channels;
    int nvls, ll128_net, adaptive_routing;
    double graph_gbytes, channel_gbytes; /* of NCCL's search; 0 = by its tables */
    double return_gbytes; /* between processors, where no GPU hands over to a NIC (PXN); 0 = PXN */
    uint32_t cross_nic;   /* NCCL_CROSS_NIC of its jobs */
    double plugin_us;     /* latency that the network plug-in tells NCCL */
    /* What the hardware gives. */
    double nic_efficiency, p2p_efficiency, p2p_spread, inject_bytes;
    double message_us, rendezvous_us, ll_proxy_gbytes, eager_bytes, copied_gbytes, copied_bytes;
    double ring_gbytes, nvls_gbytes, nvls_tree_gbytes;
    double copy_gbytes[3], p2p_copy_gbytes, pair_copy_gbytes;
    double launch_us, least_us, slice_us, slice_nvlink_us;
    double ring_nvlink_us[3], ring_net_us[3], tree_nvlink_us[3], tree_net_us[3];
    double net_us[3]; /* of a hop over this network, beyond ring_net_us and tree_net_us */
    double nvls_us, nvls_tree_net_us, p2p_us, p2p_net_us, p2p_peer_us, inject_us;
    /* Tables of nccl-tests that the numbers were compared with, "all_reduce 10x8 8-65536, alltoall
     * …": op, nodes x GPUs, bytes; and what nine in ten rows of tables that were not fitted are
     * within, %: 64 KiB and more, below. */
    char *measured;
    double error_percent, error_small_percent;
};

extern ASIM_API const struct asim_option asim_machine_options[];

/* Reads a file, or the machine of that name among those the program carries. The caller ends it
 * with _fini, also after a failure. */
ASIM_API int asim_machine_read(struct asim_machine *machine, const char *name_or_path,
                               struct asim_err *err);
ASIM_API void asim_machine_fini(struct asim_machine *machine);
/* A table that a machine's numbers were compared with: from … to bytes. */
struct asim_machine_table {
    char op[32];
    uint32_t nodes, gpus;
    uint64_t from, to;
};
/* Reads the table that *at (of `measured`; may be NULL) begins with, and goes on to the next; 0:
 * none is there. */
ASIM_API int asim_machine_next_measured(const char **at, struct asim_machine_table *table);
/* The file name (NAME.json) of the i-th machine that the program carries, NULL behind the last. */
ASIM_API const char *asim_machine_file(size_t i);
/* The text of such a machine, NULL if there is none. */
ASIM_API const char *asim_machine_text(const char *name);

enum asim_nccl_op {
    ASIM_NCCL_ALL_REDUCE,
    ASIM_NCCL_ALL_GATHER,
    ASIM_NCCL_REDUCE_SCATTER,
    ASIM_NCCL_ALL_TO_ALL,
    ASIM_NCCL_SEND_RECV,
    ASIM_NCCL_BROADCAST,
    ASIM_NCCL_REDUCE,
    ASIM_NCCL_GATHER,
    ASIM_NCCL_SCATTER,
    ASIM_NCCL_HYPERCUBE,    /* an all-gather in log2(ranks) exchanges */
    ASIM_NCCL_ALL_TO_ALL_V, /* predicted as if all parts were equal */
    ASIM_NCCL_OPS
};

/* NCCL's variables that change a plan. Bits by enum asim_nccl_algo and enum asim_nccl_proto, for
 * each op. */
struct asim_nccl_env {
    char *algo, *proto; /* as written */
    uint32_t algos[ASIM_NCCL_OPS], protos[ASIM_NCCL_OPS];
    int64_t min_channels, max_channels;  /* 0: as NCCL chooses */
    int64_t p2p_chunk, buffer;           /* bytes */
    int64_t nvls;                        /* 0: no NVLS */
    int64_t cross_nic, qps, pxn_disable; /* act on a fabric only */
};

struct asim_diagnostics;
/* Reads a file in the form of nccl.conf, or, where path is NULL, the environment of the process.
 * Names what is not modelled in one note. The caller ends it with _fini, also after a failure. */
ASIM_API int asim_nccl_env_read(struct asim_nccl_env *env, const char *path,
                                const struct asim_diagnostics *notes, struct asim_err *err);
ASIM_API void asim_nccl_env_fini(struct asim_nccl_env *env);
/* Writes the variables that it takes from the environment, NAME=VALUE in a line each, to tell
 * whether they are the same. Returns the bytes needed without the NUL, like snprintf. */
ASIM_API size_t asim_nccl_env_text(char *buf, size_t size);

/* One line of nccl-tests. */
struct asim_nccl_job {
    const struct asim_machine *machine;
    int op;
    uint32_t nodes, gpus; /* hosts, and GPUs used of each */
    uint64_t bytes;       /* as nccl-tests counts it: the greater of the two buffers of a rank */
    int algo, proto;      /* ASIM_NCCL_AUTO and -1: as NCCL chooses */
    const struct asim_nccl_env *env; /* NULL: no variables */
};
struct asim_nccl_time {
    double us;
    int algo, proto;
    uint32_t channels;
    /* Of us: until kernels move data; the work of the busiest part, without the way of the first
     * chunk. */
    double start_us, busy_us;
    /* Where fewer nodes take longer, `us` and `algo` are theirs; of these are the messages that a
     * simulation sends in that time. */
    int sent_algo, sent_proto;
};

/* Fails where the machine has not so many GPUs or the algorithm cannot do the op. */
ASIM_API int asim_nccl_predict(struct asim_nccl_time *time, const struct asim_nccl_job *job,
                               struct asim_err *err);
/* Rings of the job, or heads of its NVLS tree, where an NVLink domain has more GPUs than those:
 * then only as many of its GPUs send to other domains. 0: as many as GPUs, or the job cannot be. */
ASIM_API uint32_t asim_nccl_senders(const struct asim_nccl_job *job);
/* The size that nccl-tests uses for `bytes`: every rank's part is whole and a multiple of 16 bytes.
 */
ASIM_API uint64_t asim_nccl_tests_bytes(const struct asim_nccl_job *job);
/* Algorithm bandwidth over size / time, and bus bandwidth over algorithm bandwidth, as nccl-tests
 * defines them. */
ASIM_API double asim_nccl_alg_factor(int op, uint32_t ranks);
ASIM_API double asim_nccl_bus_factor(int op, uint32_t ranks);

ASIM_C_END
#endif
