/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics about settings of the packet network that contradict each other or have no effect
 * beside others. Values alone decide, not the lines of a file: settings from outside the file, such
 * as ns-3 attributes, count too. A published file lists the options of all congestion controls, so
 * an option of another one is named only where its value is not the default.
 */
#include "asim/netconf.h"
#include "conf/netconf.h"

#include <stdio.h>
#include <string.h>
#include "cc/cc.h"

/* The settings of one run. */
struct settings {
    const struct asim_netconf *net, *defaults;
    const struct asim_cc *cc; /* the one that the settings choose */
    const char *source;
    const struct asim_diagnostics *diagnostics;
};

static int differs(const struct settings *s, const struct asim_option *row)
{
    return memcmp(asim_netconf_field(s->net, row), asim_netconf_field(s->defaults, row),
                  asim_option_bytes(row->type)) != 0;
}

/* Whether the value of the row acts on the chosen congestion control. Keys of the network itself,
 * such as INT_MULTI, may be options too. */
static int is_option_of_others(const struct settings *s, const struct asim_option *row)
{
    if (s->cc->member.options && asim_option_find(s->cc->member.options, row->key))
        return 0;
    for (size_t i = 0; asim_cc_table[i]; i++)
        if (asim_cc_table[i]->options && asim_option_find(asim_cc_table[i]->options, row->key))
            return 1;
    return 0;
}

/* The keys with another value than the default that a note is about; returns whether there are any.
 */
static int list_keys(const struct settings *s, char *keys, size_t size,
                     int (*is_meant)(const struct settings *s, const struct asim_option *row))
{
    enum { MOST = 256 };
    const struct asim_option *rows[MOST];
    size_t n = asim_netconf_keys(rows, MOST), used = 0;

    for (size_t k = 0; k < n && k < MOST && used < size; k++)
        if (is_meant(s, rows[k]) && differs(s, rows[k]))
            used +=
                (size_t)snprintf(keys + used, size - used, "%s%s", used ? ", " : "", rows[k]->key);
    return used > 0;
}

static int is_number_of_others(const struct settings *s, const struct asim_option *row)
{
    return row->type != ASIM_T_STRING && is_option_of_others(s, row);
}

static void say_options_of_others(const struct settings *s)
{
    char keys[600];

    if (list_keys(s, keys, sizeof keys, is_number_of_others))
        asim_diagnose(s->diagnostics,
                      "%s: no effect on the congestion control %s, which CC_MODE or CC chooses: %s",
                      s->source, s->cc->member.name, keys);
}

/* CC_MODE 0 and 12 are no control, which published files have. */
static void say_two_controls(const struct settings *s)
{
    const struct asim_cc *by_number = asim_cc_number(s->net->cc_mode, NULL);

    if (s->net->cc_name && *s->net->cc_name && by_number && by_number != s->cc &&
        by_number->number != 12)
        asim_diagnose(s->diagnostics,
                      "%s: CC %s counts; CC_MODE %u, which is %s, has no effect beside it",
                      s->source, s->cc->member.name, s->net->cc_mode, by_number->member.name);
}

/* Settings that keep the congestion control from acting. */
static void say_without_reaction(const struct settings *s)
{
    const char *name = s->cc->member.name;

    if (s->cc->by_marks && !s->net->enable_qcn)
        asim_diagnose(s->diagnostics,
                      "%s: ENABLE_QCN 0 turns ECN marks off, and only marks make %s lower a rate: "
                      "every message keeps its line rate",
                      s->source, name);
    if (s->cc->number != 12 && !s->cc->own_window && !s->net->rate_bound &&
        !(s->net->has_win && s->net->var_win))
        asim_diagnose(s->diagnostics,
                      "%s: RATE_BOUND 0 sends at line rate and %s 0 leaves the window, so the "
                      "rates of %s have no effect",
                      s->source, s->net->has_win ? "VAR_WIN" : "HAS_WIN", name);
}

static void say_recovery(const struct settings *s)
{
    const struct asim_option *interval = asim_netconf_key("NACK_INTERVAL");

    const char *why = s->net->loss_recovery == ASIM_SELECTIVE_REPEAT
                          ? "LOSS_RECOVERY selective_repeat"
                          : "LOAD_BALANCE spray";

    if (s->net->loss_recovery != ASIM_SELECTIVE_REPEAT && s->net->load_balance != ASIM_SPRAY)
        return;
    if (s->net->l2_back_to_zero || differs(s, interval))
        asim_diagnose(s->diagnostics,
                      "%s: %s has no effect beside %s, which keeps packets beyond a gap", s->source,
                      s->net->l2_back_to_zero ? "L2_BACK_TO_ZERO 1" : "NACK_INTERVAL", why);
}

/* Traces and scenarios have one class of traffic; programs and applications may have several. */
static void say_scheduling(const struct settings *s)
{
    static const uint32_t even[8] = {0, 1, 1, 1, 1, 1, 1, 1};

    if (s->net->egress_scheduler != ASIM_DEFICIT_ROUND_ROBIN &&
        memcmp(s->net->queue_weight, even, sizeof even) != 0)
        asim_diagnose(s->diagnostics,
                      "%s: QUEUE_WEIGHT_n has no effect without EGRESS_SCHEDULER "
                      "deficit_round_robin",
                      s->source);
    if (s->net->egress_scheduler != ASIM_ROUND_ROBIN)
        asim_diagnose(s->diagnostics,
                      "%s: EGRESS_SCHEDULER acts where messages of a program have traffic classes "
                      "(asim/messages.h) or datagrams have priorities; all messages of traces take "
                      "the queue PRIORITY_GROUP",
                      s->source);
}

/* Values that act like another value. */
static void say_equal_values(const struct settings *s)
{
    if (s->net->pause_time_fs && differs(s, asim_netconf_key("PAUSE_TIME")))
        asim_diagnose(s->diagnostics,
                      "%s: PAUSE_TIME acts as any time above 0: a pause lasts until the resume, as "
                      "in ASTRA-sim",
                      s->source);
    if (s->net->nic_total_pause_count)
        asim_diagnose(s->diagnostics,
                      "%s: NIC_TOTAL_PAUSE_TIME %u is a number of pauses of each NIC, not a time",
                      s->source, s->net->nic_total_pause_count);
    if (s->net->enable_trace && s->net->trace_output && !s->net->trace_file)
        asim_diagnose(s->diagnostics,
                      "%s: TRACE_OUTPUT_FILE has no effect without a TRACE_FILE, which lists the "
                      "nodes to trace",
                      s->source);
}

/* The flow level acts on these keys, or refuses them (net/backend/flow.c). Each file has a
 * PFC_OUTPUT_FILE, stated or not. The maps of marks are no rows. */
static int is_known_to_flows(const struct settings *s, const struct asim_option *row)
{
    static const char *const known[] = {"PACKET_PAYLOAD_SIZE",
                                        "FRAME_EXTRA_BYTES",
                                        "PINT_LOG_BASE",
                                        "HAS_WIN",
                                        "VAR_WIN",
                                        "GLOBAL_T",
                                        "ENABLE_QCN",
                                        "MIN_RATE",
                                        "TIME_BASE",
                                        "QPS_PER_CONNECTION",
                                        "CC",
                                        "CC_MODE",
                                        "NVSWITCH_ENDPOINTS",
                                        "TOPOLOGY_FILE",
                                        "FCT_OUTPUT_FILE",
                                        "LOAD_BALANCE",
                                        "BUFFER_SIZE",
                                        "ERROR_RATE_PER_LINK",
                                        "RTO",
                                        "PFC_OUTPUT_FILE"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(row->key, known[i]))
            return 1;
    if (s->cc->member.options && asim_option_find(s->cc->member.options, row->key))
        return 1;
    return row->flags & ASIM_F_NOOP;
}

static int is_unknown_to_flows(const struct settings *s, const struct asim_option *row)
{
    return !is_known_to_flows(s, row) && !is_option_of_others(s, row);
}

static void say_unknown_to_flows(const struct settings *s)
{
    char keys[1200];

    if (list_keys(s, keys, sizeof keys, is_unknown_to_flows))
        asim_diagnose(s->diagnostics, "%s: no effect on the flow level: %s", s->source, keys);
}

typedef void say_fn(const struct settings *s);

/* An unknown congestion control is an error of the packet network, which names it. */
static int say_all(const struct asim_netconf *net, const char *source,
                   const struct asim_diagnostics *diagnostics, say_fn *const *says,
                   struct asim_err *err)
{
    struct asim_netconf defaults;
    struct settings s = {.net = net,
                         .defaults = &defaults,
                         .cc = asim_cc_choose(net->cc_name, net->cc_mode, NULL),
                         .source = source,
                         .diagnostics = diagnostics};
    int rc = s.cc ? asim_netconf_defaults(&defaults, err) : 0;

    if (rc || !s.cc)
        return rc;
    for (; *says; says++)
        (*says)(&s);
    asim_netconf_fini(&defaults);
    return 0;
}

int asim_netconf_diagnose_flows(const struct asim_netconf *net, const char *source,
                                const struct asim_diagnostics *diagnostics, struct asim_err *err)
{
    static say_fn *const says[] = {say_unknown_to_flows, NULL};

    return say_all(net, source, diagnostics, says, err);
}

int asim_netconf_diagnose(const struct asim_netconf *net, const char *source,
                          const struct asim_diagnostics *diagnostics, struct asim_err *err)
{
    static say_fn *const says[] = {say_two_controls,
                                   say_options_of_others,
                                   say_without_reaction,
                                   say_recovery,
                                   say_scheduling,
                                   say_equal_values,
                                   NULL};

    return say_all(net, source, diagnostics, says, err);
}
