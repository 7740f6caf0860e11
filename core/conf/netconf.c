/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The keys of config.txt as a table (spec rdma-network 5.3). Defaults are the values of the files
 * ASTRA-sim ships, so that a run without a file behaves as the published configuration; the
 * reference's own built-in values, in force where a file lacks a key, differ for some keys, and
 * the reader names those it finds missing. The table is also the only list of keys for help and
 * did-you-mean.
 *
 * Adding a key: a field in struct asim_netconf and a row here; if a bare number has a unit the
 * row's type does not tell, or the reference has another built-in value, a line in the traits
 * below.
 */
#include "conf/netconf.h"

#include <stdlib.h>
#include <string.h>

#define F(f) offsetof(struct asim_netconf, f)
#define U32  4294967295.0

/* Rows by shape, so that the table reads as a table. NOOP rows are keys the reference reads and
 * never uses. */
#define BOOL(key, field, def, flags, help)                                                         \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_BOOL, F(field), 0, 0, NULL, flags                             \
    }
#define COUNT(key, field, def, max, flags, help)                                                   \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_U32, F(field), 0, max, NULL, flags                            \
    }
#define WHOLE(key, field, def, flags, help)                                                        \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_U64, F(field), 0, 0, NULL, flags                              \
    }
#define REAL(key, field, def, max, flags, help)                                                    \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_DOUBLE, F(field), 0, max, NULL, flags                         \
    }
#define TIME(key, field, def, flags, help)                                                         \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_TIME, F(field), 0, 0, NULL, (flags) | ASIM_F_US               \
    }
#define RATE(key, field, def, flags, help)                                                         \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_RATE, F(field), 0, 0, NULL, (flags) | ASIM_F_BARE             \
    }
#define TEXT(key, field, flags, help)                                                              \
    {                                                                                              \
        key, NULL, help, NULL, ASIM_T_STRING, F(field), 0, 0, NULL, flags                          \
    }
#define NOOP ASIM_F_NOOP

const struct asim_option asim_netconf_options[] = {
    BOOL("ENABLE_QCN", enable_qcn, "1", 0, "ECN marking at switches"),
    BOOL("USE_DYNAMIC_PFC_THRESHOLD", dynamic_pfc, "1", NOOP, "the threshold is always dynamic"),
    BOOL("CLAMP_TARGET_RATE", clamp_target_rate, "0", 0, "DCQCN: set the target at every cut"),
    TIME("PAUSE_TIME", pause_time_fs, "5us", 0, "time in a PAUSE frame, us; only 0 or not matters"),
    TEXT("DATA_RATE", data_rate, NOOP, "parsed and never used in the reference"),
    TEXT("LINK_DELAY", link_delay, NOOP, "parsed and never used in the reference"),
    {"PACKET_PAYLOAD_SIZE", NULL, "payload of a packet, bytes", "1000", ASIM_T_U32,
     F(payload_bytes), 1, 65000, NULL, 0},
    COUNT("L2_CHUNK_SIZE", l2_chunk_bytes, "4000", U32, 0, "chunk that forces an ACK, bytes"),
    COUNT("L2_ACK_INTERVAL", l2_ack_interval_bytes, "1", U32, 0, "bytes between ACKs"),
    BOOL("L2_BACK_TO_ZERO", l2_back_to_zero, "0", 0, "after a loss go back to the chunk start"),
    TEXT("TOPOLOGY_FILE", topology_file, 0, "physical topology"),
    TEXT("FLOW_FILE", flow_file, NOOP, "flows of HPCC runs; ASTRA-sim brings its own"),
    TEXT("TRACE_FILE", trace_file, 0, "nodes whose packets are traced"),
    TEXT("TRACE_OUTPUT_FILE", trace_output, 0, "binary packet trace"),
    TEXT("FCT_OUTPUT_FILE", fct_output, 0, "one line per message"),
    TEXT("PFC_OUTPUT_FILE", pfc_output, 0, "one line per pause or resume received"),
    REAL("SIMULATOR_STOP_TIME", stop_time_s, "4e13", 1e30, NOOP, "s; a run ends with its workload"),
    COUNT("CC_MODE", cc_mode, "12", 1e6, 0, "congestion control by number"),
    TEXT("CC", cc_name, 0, "congestion control by name, before CC_MODE"),
    TIME("SWIFT_TARGET", swift_target_fs, "0us", 0,
         "Swift: base target delay, us; 0 = from the path"),
    REAL("SWIFT_AI", swift_ai, "1", 1e6, 0, "Swift: packets added per round trip"),
    REAL("SWIFT_BETA", swift_beta, "0.8", 1, 0, "Swift: strength of the decrease"),
    REAL("SWIFT_MAX_MDF", swift_max_mdf, "0.5", 1, 0, "Swift: largest decrease at once"),
    TIME("ALPHA_RESUME_INTERVAL", alpha_resume_fs, "1us", 0, "DCQCN: alpha timer, us"),
    TIME("RATE_DECREASE_INTERVAL", rate_decrease_fs, "4us", 0, "DCQCN: cut interval, us"),
    TIME("RP_TIMER", rp_timer_fs, "900us", 0, "DCQCN: increase timer, us"),
    REAL("EWMA_GAIN", ewma_gain, "0.00390625", 1, 0, "DCQCN and DCTCP: g"),
    COUNT("FAST_RECOVERY_TIMES", fast_recovery_times, "1", 1e6, 0, "DCQCN: rounds of recovery"),
    RATE("RATE_AI", rate_ai_bps, "50Mb/s", 0, "additive increase"),
    RATE("RATE_HAI", rate_hai_bps, "100Mb/s", 0, "hyper increase"),
    RATE("MIN_RATE", min_rate_bps, "100Mb/s", 0, "least rate of a flow"),
    RATE("DCTCP_RATE_AI", dctcp_rate_ai_bps, "1000Mb/s", 0, "DCTCP: additive increase"),
    REAL("ERROR_RATE_PER_LINK", error_rate, "0", 1, 0, "packets lost on links that state none"),
    {"LOSS_RECOVERY", NULL,
     "what is sent again after a loss: all from there on, or what is missing", "go_back_n",
     ASIM_T_CHOICE, F(loss_recovery), 0, 0, "go_back_n|selective_repeat", 0},
    TIME("RTO", rto_fs, "0us", 0, "retransmission timeout, us; 0 = 1 ms + 10 round trips"),
    COUNT("RTO_RETRIES", rto_retries, "16", 1e6, 0, "timeouts on end before a message is given up"),
    TIME("NACK_INTERVAL", nack_interval_fs, "500us", 0, "least time between equal NACKs, us"),
    {"LOAD_BALANCE", NULL, "equal-cost ports: one per flow, or packets in turn", "flow",
     ASIM_T_CHOICE, F(load_balance), 0, 0, "flow|spray", 0},
    {"PRIORITY_GROUP", NULL, "queue of data packets in switches", "3", ASIM_T_U32,
     F(priority_group), 1, 7, NULL, 0},
    BOOL("SWITCH_ACK_HIGH_PRIO", switch_ack_high_prio, "0", 0, "ACKs take queue 0 of switches"),
    BOOL("NVSWITCH_ENDPOINTS", nvswitch_endpoints, "0", 0,
         "messages can begin and end at NVSwitches; NVLS has it so by itself"),
    {"FRAME_EXTRA_BYTES", NULL,
     "headers of a data frame beyond HPCC's, e.g. 8 for SimAI's 64-bit sequence numbers", "0",
     ASIM_T_U32, F(frame_extra_bytes), 0, 32, NULL, 0},
    {"TIME_BASE", NULL, "ns: each frame's time rounded to ns, as ns-3; ps: exact", "ns",
     ASIM_T_CHOICE, F(time_base), 0, 0, "ns|ps", 0},
    BOOL("HAS_WIN", has_win, "1", 0, "window on"),
    BOOL("GLOBAL_T", global_t, "0", 0, "1 = greatest RTT and BDP for all pairs"),
    COUNT("MI_THRESH", mi_thresh, "0", 1e6, 0, "HPCC: stages before a multiplicative step"),
    BOOL("VAR_WIN", var_win, "1", 0, "window in proportion to the rate"),
    BOOL("FAST_REACT", fast_react, "1", 0, "HPCC: react to each ACK"),
    REAL("U_TARGET", u_target, "0.95", 1e3, 0, "HPCC: target utilisation"),
    COUNT("INT_MULTI", int_multi, "1", 1e6, 0, "unit of INT counters"),
    BOOL("RATE_BOUND", rate_bound, "1", 0, "1 = pace at the flow's rate, 0 = at line rate"),
    BOOL("ACK_HIGH_PRIO", ack_high_prio, "0", 0, "ACKs of a host obey the pause of queue 0"),
    COUNT("NIC_TOTAL_PAUSE_TIME", nic_total_pause_count, "0", U32, 0,
          "pauses a NIC makes, a count"),
    BOOL("ENABLE_TRACE", enable_trace, "1", 0, "packet trace of the nodes in TRACE_FILE"),
    {"BUFFER_SIZE", NULL, "shared buffer of a switch; a bare number is MiB", "32MiB", ASIM_T_SIZE,
     F(buffer_bytes), 0, 0, NULL, 0},
    TEXT("QLEN_MON_FILE", qlen_output, 0, "queue lengths"),
    WHOLE("QLEN_MON_START", qlen_start_ns, "0", 0, "first sample, ns"),
    WHOLE("QLEN_MON_END", qlen_end_ns, "20000", NOOP, "last sample, ns; ASTRA-sim ignores it"),
    BOOL("MULTI_RATE", multi_rate, "0", 0, "HPCC: one rate per hop"),
    BOOL("SAMPLE_FEEDBACK", sample_feedback, "0", 0, "HPCC: react to samples only"),
    REAL("PINT_LOG_BASE", pint_log_base, "1.05", 1e3, 0, "PINT: base of the logarithm"),
    REAL("PINT_PROB", pint_prob, "1.0", 1, 0, "PINT: share of packets stamped"),
    COUNT("HEADROOM_FACTOR", headroom_factor, "3", 1e6, 0, "headroom in rate x delay"),
    TEXT("BW_MON_FILE", bw_output, NOOP,
         "SimAI never starts its monitors; --reports has links, rates, queues"),
    TEXT("RATE_MON_FILE", rate_output, NOOP,
         "SimAI never starts its monitors; --reports has links, rates, queues"),
    TEXT("CNP_MON_FILE", cnp_output, NOOP,
         "SimAI never starts its monitors; --reports has links, rates, queues"),
    WHOLE("MON_START", mon_start_us, "0", NOOP,
          "SimAI never starts its monitors; --reports has links, rates, queues"),
    WHOLE("MON_END", mon_end_us, "2100000000", NOOP,
          "SimAI never starts its monitors; --reports has links, rates, queues"),
    WHOLE("QP_MON_INTERVAL", qp_mon_us, "100", NOOP,
          "SimAI never starts its monitors; --reports has links, rates, queues"),
    WHOLE("BW_MON_INTERVAL", bw_mon_us, "10000", NOOP,
          "SimAI never starts its monitors; --reports has links, rates, queues"),
    WHOLE("QLEN_MON_INTERVAL", qlen_mon_us, "10000", NOOP,
          "SimAI never starts its monitors; --reports has links, rates, queues"),
    {0},
};

/* Bits of the modes by number (spec 3.1): DCQCN 1, HPCC 3 and its PINT variant 10, TIMELY 7,
 * DCTCP 8. */
enum { DCQCN = 1 << 1, HPCC = 1 << 3 | 1 << 10, TIMELY = 1 << 7, DCTCP = 1 << 8 };

const struct asim_netconf_trait asim_netconf_traits[] = {
    {"PACKET_PAYLOAD_SIZE", ASIM_UNIT_BYTES, NULL, 0},
    {"L2_CHUNK_SIZE", ASIM_UNIT_BYTES, "0", 0},
    {"L2_ACK_INTERVAL", ASIM_UNIT_BYTES, "0", 0},
    {"CC_MODE", ASIM_UNIT_NONE, "1", 0},
    {"ALPHA_RESUME_INTERVAL", ASIM_UNIT_NONE, "55", DCQCN},
    {"RP_TIMER", ASIM_UNIT_NONE, "0", DCQCN},
    {"EWMA_GAIN", ASIM_UNIT_NONE, "0", DCQCN | DCTCP},
    {"FAST_RECOVERY_TIMES", ASIM_UNIT_NONE, "5", DCQCN},
    {"RATE_AI", ASIM_UNIT_NONE, "none", DCQCN | HPCC | TIMELY},
    {"RATE_HAI", ASIM_UNIT_NONE, "none", DCQCN | TIMELY},
    {"GLOBAL_T", ASIM_UNIT_NONE, "1", 0},
    {"MI_THRESH", ASIM_UNIT_NONE, "5", HPCC},
    {"VAR_WIN", ASIM_UNIT_NONE, "0", 0},
    {"MULTI_RATE", ASIM_UNIT_NONE, "1", HPCC},
    {"BUFFER_SIZE", ASIM_UNIT_MIB, "16", 0},
    {"QLEN_MON_START", ASIM_UNIT_NS, NULL, 0},
    {"QLEN_MON_END", ASIM_UNIT_NS, NULL, 0},
    {"MON_START", ASIM_UNIT_US, NULL, 0},
    {"MON_END", ASIM_UNIT_US, NULL, 0},
    {"QP_MON_INTERVAL", ASIM_UNIT_US, NULL, 0},
    {"BW_MON_INTERVAL", ASIM_UNIT_US, NULL, 0},
    {"QLEN_MON_INTERVAL", ASIM_UNIT_US, NULL, 0},
    {0},
};

/* ECN thresholds as shipped: rate, KMIN and KMAX in bytes, PMAX (spec 4.9, variant A).
 * Only these rates have thresholds in the shipped file; a link of another rate has none (spec
 * 4.5). */
static const struct {
    uint64_t rate_bps;
    double kmin, kmax, pmax;
} shipped_ecn[] = {
    {25000000000u, 100e3, 400e3, 0.2},   {40000000000u, 200e3, 800e3, 0.2},
    {100000000000u, 400e3, 1600e3, 0.2}, {200000000000u, 600e3, 2400e3, 0.2},
    {400000000000u, 800e3, 3200e3, 0.2}, {2400000000000u, 800e3, 3200e3, 0.2},
};
enum { SHIPPED_ECN = sizeof shipped_ecn / sizeof *shipped_ecn };

/* The three maps hold the same rates in the same order; a file's map replaces its own only. */
static int default_maps(struct asim_netconf *net)
{
    struct asim_rate_map *maps[3] = {&net->kmin, &net->kmax, &net->pmax};

    for (size_t m = 0; m < 3; m++) {
        maps[m]->at = calloc(SHIPPED_ECN, sizeof *maps[m]->at);
        if (!maps[m]->at)
            return ASIM_ENOMEM;
        maps[m]->n = SHIPPED_ECN;
    }
    for (size_t i = 0; i < SHIPPED_ECN; i++) {
        uint64_t rate = shipped_ecn[i].rate_bps;

        net->kmin.at[i] = (struct asim_rate_value){rate, shipped_ecn[i].kmin};
        net->kmax.at[i] = (struct asim_rate_value){rate, shipped_ecn[i].kmax};
        net->pmax.at[i] = (struct asim_rate_value){rate, shipped_ecn[i].pmax};
    }
    return 0;
}

/* The published configuration without a file: see the head of this file for why not the reference's
 * built-in values. */
int asim_netconf_defaults(struct asim_netconf *net, struct asim_err *err)
{
    int rc;

    memset(net, 0, sizeof *net);
    rc = asim_option_defaults(asim_netconf_options, net, err);
    if (!rc && default_maps(net))
        rc = asim_err_nomem(err, "filling the default network settings");
    if (rc)
        asim_netconf_fini(net);
    return rc;
}

/* Safe after any failure and a second time: pointers are cleared. */
void asim_netconf_fini(struct asim_netconf *net)
{
    free(net->kmax.at);
    free(net->kmin.at);
    free(net->pmax.at);
    free(net->link_down);
    asim_option_fini(asim_netconf_options, net);
    memset(net, 0, sizeof *net);
}
