/* SPDX-License-Identifier: GPL-2.0-only
 *
 * config.txt of the RDMA network: every key of the HPCC / ASTRA-sim / SimAI files. A key belongs to
 * the network (netconf_keys.c) or to congestion controls (options of the rows in cc/algo/). Users
 * see one list of keys.
 */
#ifndef ASIM_CONF_NETCONF_H
#define ASIM_CONF_NETCONF_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "asim/netconf.h"
#include "base/diagnostics.h"

struct asim_cc;

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
};
int asim_netconf_defaults(struct asim_netconf *net, struct asim_err *err);
/* Starts from the defaults. Unknown keys are errors with line and did-you-mean; diagnostics name
 * the keys without effect. A repeated key: the last wins, with a diagnostic; LINK_DOWN may come
 * several times. */
int asim_netconf_read(struct asim_netconf *net, const char *path,
                      const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* One more key, as if `KEY value` stood at the end of the file: maps and link events too. */
int asim_netconf_set(struct asim_netconf *net, const char *const kv[2], struct asim_err *err);
void asim_netconf_fini(struct asim_netconf *net);
/* What the hooks of cc get: its option struct in net, NULL where it has none. */
const void *asim_netconf_cc_options(const struct asim_netconf *net, const struct asim_cc *cc);

/* --- keys with one value (asim/netconf.h lists them; maps and link events are read by hand) --- */
/* 1 for a key of the network itself, 0 for an option of congestion controls only. */
int asim_netconf_is_own(const struct asim_option *row);
/* Parses the value into the field of every row with that key. */
int asim_netconf_put(struct asim_netconf *net, const struct asim_option *row, const char *value,
                     struct asim_where at, struct asim_err *err);
/* Says which settings contradict each other or have no effect beside others (netconf_notes.c).
 * source: the file, for the sentences. */
int asim_netconf_diagnose(const struct asim_netconf *net, const char *source,
                          const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* Start-up check: rows of one key agree in type, default and range. */
int asim_netconf_check(struct asim_err *err);

#endif
