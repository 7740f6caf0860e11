/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The keys of config.txt (rdma-network.md#network-configuration): the network's own rows below, and
 * the options of every congestion control (cc/algo/). Defaults are the values of the files
 * ASTRA-sim ships, so that a run without a file behaves as the published configuration. ASTRA-sim's
 * built-in values, in force where a file lacks a key, differ for some keys: `builtin` in the rows.
 *
 * Adding a key of the network: a field in struct asim_netconf (netconf_keys.h) and a row here.
 * Adding an option of a congestion control: a row in its own file.
 */
#include "asim/netconf.h"
#include "conf/netconf.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "cc/cc.h"

#define U32_MOST           4294967295.0
#define GIB                1073741824.0
#define USUAL(LEAST, MOST) .usual_min = (LEAST), .usual_max = (MOST)
#define NOOP               ASIM_F_NOOP /* ASTRA-sim reads the key and never uses it */
#define SIMAI_MONITOR      "SimAI never starts its monitors; --reports has links, rates, queues"
#define ROW(...)           ASIM_OPTION(struct asim_netconf, __VA_ARGS__)

#define WEIGHT(QUEUE)                                                                              \
    ROW("QUEUE_WEIGHT_" #QUEUE, U32, queue_weight[QUEUE],                                          \
        "deficit round robin: weight of queue " #QUEUE, .def = "1", .min = 1, .max = 1000,         \
        .attribute = "SwitchNode::QueueWeight" #QUEUE)

static const struct asim_option own_keys[] = {
    ROW("ENABLE_QCN", BOOL, enable_qcn, "ECN marking at switches", .def = "1",
        .attribute = "SwitchNode::EcnEnabled"),
    ROW("USE_DYNAMIC_PFC_THRESHOLD", BOOL, dynamic_pfc, "the threshold is always dynamic",
        .def = "1", .flags = NOOP, .attribute = "SwitchNode::DynamicThreshold"),
    ROW("PAUSE_TIME", TIME, pause_time_fs, "time in a PAUSE frame, us; only 0 or not matters",
        .def = "5us", .flags = ASIM_F_US, .attribute = "SwitchNode::PauseTime"),
    ROW("DATA_RATE", STRING, data_rate, "parsed and never used in ASTRA-sim", .flags = NOOP),
    ROW("LINK_DELAY", STRING, link_delay, "parsed and never used in ASTRA-sim", .flags = NOOP),
    ROW("PACKET_PAYLOAD_SIZE", U32, payload_bytes, "payload of a packet, bytes", .def = "1000",
        .min = 1, .max = 65000, .flags = ASIM_F_BYTES, .attribute = "Mtu", USUAL(64, 65000)),
    ROW("L2_CHUNK_SIZE", U32, l2_chunk_bytes, "chunk that forces an ACK, bytes", .def = "4000",
        .max = U32_MOST, .flags = ASIM_F_BYTES, .builtin = "0"),
    ROW("L2_ACK_INTERVAL", U32, l2_ack_interval_bytes, "bytes between ACKs", .def = "1",
        .max = U32_MOST, .flags = ASIM_F_BYTES, .builtin = "0"),
    ROW("L2_BACK_TO_ZERO", BOOL, l2_back_to_zero, "after a loss go back to the chunk start",
        .def = "0"),
    ROW("TOPOLOGY_FILE", STRING, topology_file, "physical topology",
        .attribute = "AsimFabric::TopologyFile"),
    ROW("FLOW_FILE", STRING, flow_file, "flows of HPCC runs; ASTRA-sim brings its own",
        .flags = NOOP),
    ROW("TRACE_FILE", STRING, trace_file, "nodes whose packets are traced",
        .attribute = "AsimFabric::TraceFile"),
    ROW("TRACE_OUTPUT_FILE", STRING, trace_output, "binary packet trace",
        .attribute = "AsimFabric::TraceOutputFile"),
    ROW("FCT_OUTPUT_FILE", STRING, fct_output, "one line per message",
        .attribute = "AsimFabric::FctOutputFile"),
    ROW("PFC_OUTPUT_FILE", STRING, pfc_output, "one line per pause or resume received",
        .attribute = "AsimFabric::PfcOutputFile"),
    ROW("SIMULATOR_STOP_TIME", DOUBLE, stop_time_s, "s; a run ends with its workload",
        .def = "4e13", .max = 1e30, .flags = NOOP),
    ROW("CC_MODE", U32, cc_mode, "congestion control by number", .def = "12", .max = 1e6,
        .builtin = "1"),
    ROW("CC", STRING, cc_name, "congestion control by name, before CC_MODE", .attribute = "Cc"),
    ROW("MIN_RATE", RATE, min_rate_bps, "least rate of a flow", .def = "100Mb/s",
        .flags = ASIM_F_BARE, USUAL(1e6, 1e12)),
    ROW("ERROR_RATE_PER_LINK", DOUBLE, error_rate, "packets lost on links that state none",
        .def = "0", .max = 1, .attribute = "AsimFabric::ErrorRatePerLink", USUAL(0, 0.1)),
    ROW("LOSS_RECOVERY", CHOICE, loss_recovery,
        "repeats after a loss: all packets from the gap on, or the missing ones only",
        .def = "go_back_n", .choices = "go_back_n|selective_repeat"),
    ROW("QPS_PER_CONNECTION", U32, qps_per_connection,
        "queue pairs from a host to another, on each of which messages go one after another; 0 = "
        "one for each message",
        .def = "0", .max = 4096),
    ROW("RTO", TIME, rto_fs, "retransmission timeout, us; 0 = 1 ms + 10 round trips", .def = "0us",
        .flags = ASIM_F_US, USUAL(1e3, 1e10)),
    ROW("RTO_RETRIES", U32, rto_retries, "consecutive timeouts before a message is aborted",
        .def = "16", .max = 1e6),
    ROW("NO_PROGRESS_LIMIT", TIME, no_progress_fs,
        "ends a run in which packets are sent again for so long while messages gain next to "
        "nothing; 0 = never, at least 1000 frames of the slowest link",
        .def = "100ms", .flags = ASIM_F_US, .attribute = "AsimFabric::NoProgressLimit"),
    ROW("NACK_INTERVAL", TIME, nack_interval_fs, "least time between equal NACKs, us",
        .def = "500us", .flags = ASIM_F_US, .attribute = "NACKGenerationInterval", USUAL(1, 1e9)),
    ROW("LOAD_BALANCE", CHOICE, load_balance, "equal-cost ports: one per flow, or packets in turn",
        .def = "flow", .choices = "flow|spray", .attribute = "SwitchNode::LoadBalance"),
    ROW("PRIORITY_GROUP", U32, priority_group, "queue of data packets in switches", .def = "3",
        .min = 1, .max = 7, .attribute = "SwitchNode::PriorityGroup"),
    ROW("SWITCH_ACK_HIGH_PRIO", BOOL, switch_ack_high_prio, "ACKs take queue 0 of switches",
        .def = "0", .attribute = "SwitchNode::AckHighPrio"),
    ROW("EGRESS_SCHEDULER", CHOICE, egress_scheduler,
        "switch ports: a packet of each queue in turn, or bytes by weight; queue 0 goes first",
        .def = "round_robin", .choices = "round_robin|deficit_round_robin",
        .attribute = "SwitchNode::EgressScheduler"),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    ROW("NVSWITCH_ENDPOINTS", BOOL, nvswitch_endpoints,
        "messages can begin and end at NVSwitches; NVLS switches this on itself", .def = "0",
        .attribute = "AsimFabric::NvswitchEndpoints"),
    ROW("FRAME_EXTRA_BYTES", U32, frame_extra_bytes,
        "headers of a data frame beyond HPCC's, e.g. 8 for SimAI's 64-bit sequence numbers",
        .def = "0", .max = 32, .attribute = "AsimFabric::FrameExtraBytes"),
    ROW("TIME_BASE", CHOICE, time_base, "ns: each frame's time rounded to ns, as ns-3; ps: exact",
        .def = "ns", .choices = "ns|ps", .attribute = "AsimFabric::TimeBase"),
    ROW("HAS_WIN", BOOL, has_win, "window on", .def = "1"),
    ROW("GLOBAL_T", BOOL, global_t, "1 = greatest RTT and BDP for all pairs", .def = "0",
        .builtin = "1"),
    ROW("VAR_WIN", BOOL, var_win, "window in proportion to the rate", .def = "1", .builtin = "0"),
    ROW("INT_MULTI", U32, int_multi, "unit of INT counters", .def = "1", .max = 1e6, USUAL(1, 64)),
    ROW("RATE_BOUND", BOOL, rate_bound, "1 = pace at the flow's rate, 0 = at line rate",
        .def = "1"),
    ROW("ACK_HIGH_PRIO", BOOL, ack_high_prio, "ACKs of a host obey the pause of queue 0",
        .def = "0"),
    ROW("NIC_TOTAL_PAUSE_TIME", U32, nic_total_pause_count, "pauses a NIC makes, a count",
        .def = "0", .max = U32_MOST),
    ROW("ENABLE_TRACE", BOOL, enable_trace, "packet trace of the nodes in TRACE_FILE", .def = "1",
        .attribute = "AsimFabric::EnableTrace"),
    ROW("BUFFER_SIZE", SIZE, buffer_bytes, "shared buffer of a switch; a bare number is MiB",
        .def = "32MiB", .max = 1024 * GIB, .flags = ASIM_F_MIB,
        .attribute = "SwitchMmu::BufferSize", .builtin = "16", USUAL(1, 16 * GIB)),
    ROW("QLEN_MON_FILE", STRING, qlen_output, "queue lengths",
        .attribute = "AsimFabric::QlenMonFile"),
    ROW("QLEN_MON_START", U64, qlen_start_ns, "first sample, ns", .def = "0", .flags = ASIM_F_NS,
        .attribute = "AsimFabric::QlenMonStart"),
    ROW("QLEN_MON_END", U64, qlen_end_ns, "last sample, ns; ASTRA-sim ignores it", .def = "20000",
        .flags = NOOP | ASIM_F_NS, .attribute = "AsimFabric::QlenMonEnd"),
    ROW("PINT_LOG_BASE", DOUBLE, pint_log_base, "PINT: base of the logarithm", .def = "1.05",
        .max = 1e3, USUAL(1, 2)),
    ROW("HEADROOM_FACTOR", U32, headroom_factor, "headroom in rate x delay", .def = "3", .max = 1e6,
        .attribute = "SwitchMmu::HeadroomFactor"),
    ROW("BW_MON_FILE", STRING, bw_output, SIMAI_MONITOR, .flags = NOOP),
    ROW("RATE_MON_FILE", STRING, rate_output, SIMAI_MONITOR, .flags = NOOP),
    ROW("CNP_MON_FILE", STRING, cnp_output, SIMAI_MONITOR, .flags = NOOP),
    ROW("MON_START", U64, mon_start_us, SIMAI_MONITOR, .def = "0", .flags = NOOP | ASIM_F_US),
    ROW("MON_END", U64, mon_end_us, SIMAI_MONITOR, .def = "2100000000", .flags = NOOP | ASIM_F_US),
    ROW("QP_MON_INTERVAL", U64, qp_mon_us, SIMAI_MONITOR, .def = "100", .flags = NOOP | ASIM_F_US),
    ROW("BW_MON_INTERVAL", U64, bw_mon_us, SIMAI_MONITOR, .def = "10000",
        .flags = NOOP | ASIM_F_US),
    ROW("QLEN_MON_INTERVAL", U64, qlen_mon_us, SIMAI_MONITOR, .def = "10000",
        .flags = NOOP | ASIM_F_US),
    {.key = NULL},
};

/* A table of rows and the struct its offsets count from: the network, or one congestion control. */
struct key_table {
    const struct asim_option *rows; /* NULL = none */
    size_t bytes;                   /* of the struct */
    void *values;                   /* NULL without a net */
};

/* Table 0 is the network's own. Returns 0 behind the last table. */
static int table_at(size_t i, const struct asim_netconf *net, struct key_table *table)
{
    if (!i) {
        *table = (struct key_table){own_keys, sizeof *net, (void *)(uintptr_t)net};
        return 1;
    }
    if (!asim_cc_table[i - 1])
        return 0;
    *table = (struct key_table){asim_cc_table[i - 1]->options, asim_cc_table[i - 1]->options_size,
                                net && net->cc_options ? net->cc_options[i - 1] : NULL};
    return 1;
}

/* The first row with the key in the tables before `end`. */
static const struct asim_option *find_before(const char *key, size_t end)
{
    const struct asim_option *row = NULL;
    struct key_table table;

    for (size_t i = 0; !row && i < end && table_at(i, NULL, &table); i++)
        row = asim_option_find(table.rows, key);
    return row;
}

const struct asim_option *asim_netconf_key(const char *key)
{
    return find_before(key, SIZE_MAX);
}

int asim_netconf_is_own(const struct asim_option *row)
{
    return asim_option_find(own_keys, row->key) == row;
}

size_t asim_netconf_keys(const struct asim_option **rows, size_t room)
{
    struct key_table table;
    size_t n = 0;

    for (size_t i = 0; table_at(i, NULL, &table); i++)
        for (const struct asim_option *row = table.rows; row && row->key; row++) {
            if (find_before(row->key, i))
                continue;
            if (n < room)
                rows[n] = row;
            n++;
        }
    return n;
}

const void *asim_netconf_field(const struct asim_netconf *net, const struct asim_option *row)
{
    struct key_table table;

    for (size_t i = 0; table_at(i, net, &table); i++)
        if (asim_option_find(table.rows, row->key) == row)
            return (const char *)table.values + row->offset;
    return NULL;
}

int asim_netconf_put(struct asim_netconf *net, const struct asim_option *row, const char *value,
                     struct asim_where at, struct asim_err *err)
{
    struct key_table table;
    int code = 0;

    for (size_t i = 0; !code && table_at(i, net, &table); i++) {
        const struct asim_option *same = asim_option_find(table.rows, row->key);

        if (same)
            code = asim_option_parse(same, table.values, value, at, err);
    }
    net->has_payload |= !strcmp(row->key, "PACKET_PAYLOAD_SIZE");
    net->has_qps |= !strcmp(row->key, "QPS_PER_CONNECTION");
    return code;
}

const void *asim_netconf_cc_options(const struct asim_netconf *net, const struct asim_cc *cc)
{
    for (size_t i = 0; asim_cc_table[i]; i++)
        if (asim_cc_table[i] == &cc->member)
            return net->cc_options[i];
    return NULL;
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* A mistake in a new member's file, never a user's: hence ASIM_EBUG. */
int asim_netconf_check(struct asim_err *err)
{
    struct key_table table;

    for (size_t i = 1; table_at(i, NULL, &table); i++)
        for (const struct asim_option *row = table.rows; row && row->key; row++) {
            const struct asim_option *first = find_before(row->key, i);

            if (first &&
                (first->type != row->type || first->min != row->min || first->max != row->max ||
                 first->flags != row->flags || !same_text(first->def, row->def)))
                return asim_err_set(err, ASIM_EBUG,
                                    "the congestion control '%s' gives the key %s another type, "
                                    "default or range than a row before it.",
                                    asim_cc_table[i - 1]->name, row->key);
        }
    return 0;
}

/* ECN thresholds as shipped: rate, KMIN and KMAX in bytes, PMAX
 * (rdma-network.md#buffer-and-ecn-defaults). Only these rates have thresholds in the
 * shipped file; a link of another rate has none (rdma-network.md#ecn-marking). */
static const struct {
    uint64_t rate_bps;
    double kmin, kmax, pmax;
} shipped_ecn[] = {
    {25000000000u, 100e3, 400e3, 0.2},   {40000000000u, 200e3, 800e3, 0.2},
    {100000000000u, 400e3, 1600e3, 0.2}, {200000000000u, 600e3, 2400e3, 0.2},
    {400000000000u, 800e3, 3200e3, 0.2}, {2400000000000u, 800e3, 3200e3, 0.2},
};
enum { SHIPPED_ECN = sizeof shipped_ecn / sizeof *shipped_ecn };

/* The three maps have the same rates in the same order; a map in a file replaces one of them. */
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

/* Option structs of all members: the one a file chooses is known only at its end. */
static int default_options(struct asim_netconf *net, struct asim_err *err)
{
    static const char doing[] = "filling the default network settings";
    struct key_table table;
    size_t n = 0;
    int code = 0;

    while (asim_cc_table[n])
        n++;
    net->cc_options = calloc(n + 1, sizeof *net->cc_options);
    if (!net->cc_options)
        return asim_err_nomem(err, doing);
    for (size_t i = 1; !code && table_at(i, net, &table); i++) {
        if (!table.rows)
            continue;
        net->cc_options[i - 1] = calloc(1, table.bytes);
        code = net->cc_options[i - 1]
                   ? asim_option_defaults(table.rows, net->cc_options[i - 1], err)
                   : asim_err_nomem(err, doing);
    }
    return code;
}

/* The published configuration without a file. */
int asim_netconf_defaults(struct asim_netconf *net, struct asim_err *err)
{
    int rc;

    memset(net, 0, sizeof *net);
    rc = asim_option_defaults(own_keys, net, err);
    if (!rc && default_maps(net))
        rc = asim_err_nomem(err, "filling the default network settings");
    if (!rc)
        rc = default_options(net, err);
    if (rc)
        asim_netconf_fini(net);
    return rc;
}

/* Safe after any failure and a second time: pointers are cleared. */
void asim_netconf_fini(struct asim_netconf *net)
{
    struct key_table table;

    for (size_t i = 1; table_at(i, net, &table); i++)
        if (table.values) {
            asim_option_fini(table.rows, table.values);
            free(table.values);
        }
    ASIM_FREE(net->cc_options, net->kmax.at, net->kmin.at, net->pmax.at, net->link_down);
    asim_option_fini(own_keys, net);
    memset(net, 0, sizeof *net);
}
