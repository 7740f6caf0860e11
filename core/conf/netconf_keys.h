/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The values of the network configuration, for those who hold or read them (netconf.h makes them).
 */
#ifndef ASIM_CONF_NETCONF_KEYS_H
#define ASIM_CONF_NETCONF_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct asim_rate_value { /* one entry of KMAX_MAP, KMIN_MAP (bytes) or PMAX_MAP (0..1) */
    uint64_t rate_bps;
    double value;
};
struct asim_rate_map {
    struct asim_rate_value *at;
    size_t n;
};
/* One planned change of a link. */
struct asim_link_down { /* all links between a and b go down (or come up) at a time of the run */
    uint64_t at_ns;
    uint32_t a, b;
    int up;
};
enum asim_recovery { ASIM_GO_BACK_N, ASIM_SELECTIVE_REPEAT };
enum asim_scheduling { ASIM_ROUND_ROBIN, ASIM_DEFICIT_ROUND_ROBIN };
enum asim_spreading { ASIM_PER_FLOW, ASIM_SPRAY };
enum asim_time_base { ASIM_BASE_NS, ASIM_BASE_PS };
struct asim_netconf {
    /* Meaning, unit and default of each field: the rows in netconf_keys.c. Times in fs, rates in
     * bit/s, sizes in bytes; files are names, NULL where absent, freed by _fini. */
    int enable_qcn, dynamic_pfc;
    /* Only whether it is 0 matters (rdma-network.md#priority-flow-control). */
    uint64_t pause_time_fs;
    uint32_t payload_bytes, l2_chunk_bytes, l2_ack_interval_bytes;
    int l2_back_to_zero;
    char *topology_file, *flow_file, *trace_file, *trace_output, *fct_output, *pfc_output;
    double stop_time_s;
    uint32_t cc_mode;
    char *cc_name; /* CC: congestion control by name, before CC_MODE; NULL = not given */
    /* Option structs of the congestion controls, in the order of asim_cc_table; NULL where a member
     * has none. Read by asim_netconf_cc_options. */
    void **cc_options;
    uint64_t min_rate_bps;
    double error_rate;
    int loss_recovery; /* enum asim_recovery */
    uint32_t qps_per_connection;
    uint64_t rto_fs, nack_interval_fs;
    uint32_t rto_retries;
    uint64_t no_progress_fs;
    int load_balance, time_base; /* enum asim_spreading, enum asim_time_base */
    uint32_t priority_group;
    int switch_ack_high_prio, nvswitch_endpoints;
    int egress_scheduler;     /* enum asim_scheduling */
    uint32_t queue_weight[8]; /* of queues 1 to 7 */
    int has_win, global_t, var_win;
    uint32_t int_multi;
    int rate_bound, ack_high_prio;
    uint32_t nic_total_pause_count;
    struct asim_link_down *link_down;
    size_t link_downs;
    int enable_trace;
    struct asim_rate_map kmax, kmin, pmax;
    uint64_t buffer_bytes; /* BUFFER_SIZE: MiB in the file */
    char *qlen_output;
    uint64_t qlen_start_ns, qlen_end_ns;
    double pint_log_base;
    uint32_t headroom_factor, frame_extra_bytes;
    /* SimAI's monitors */
    char *bw_output, *rate_output, *cnp_output;
    uint64_t mon_start_us, mon_end_us, qp_mon_us, bw_mon_us, qlen_mon_us;
    char *data_rate, *link_delay; /* without effect in ASTRA-sim, too */
    /* No keys: whether those were given whose default depends on whom the run follows. */
    int has_payload, has_qps;
};

void asim_netconf_fini(struct asim_netconf *net);
/* What the hooks of cc get: its option struct in net, NULL where it has none. */
struct asim_cc;
const void *asim_netconf_cc_options(const struct asim_netconf *net, const struct asim_cc *cc);

#endif
