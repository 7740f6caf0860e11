/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Says what limits a run (cause.c) in a sentence. Counters only tell which of several names a cause
 * has.
 */
#include "tools/report/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/show.h"

/* --- words -------------------------------------------------------------------------------------
 */

const char *asim_verdict_change(char *buf, size_t size, const struct asim_run_change *change)
{
    static const char *const words[][2] = {
        {"no network", "a network that takes no time"},
        {"links all", "all links twice as fast"},
        {"bubble", "half the pipeline's bubble"},
        {"spreading", "perfect spreading"},
        {"latency", "half the latency"},
        {"compute", "computation twice as fast"},
        {"ranks", "equal ranks"},
        {"control", "no congestion control"},
        {"windows", "ACKs before data"},
        {"pauses", "HPCC"},
        {"qps", "one queue pair a connection"},
        {"algorithm", "NCCL's algorithms"},
        {"kernels", "NCCL's kernels without time of their own"},
        {"packets", "without what only packets see"},
    };

    if (!strncmp(change->name, "links ", 6))
        snprintf(buf, size, "%s links twice as fast", change->name + 6);
    else
        snprintf(buf, size, "%s", change->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (asim_cause_is(change, words[i][0]))
            snprintf(buf, size, "%s", words[i][1]);
    return buf;
}

#define WHAT(...)   snprintf(verdict->what, sizeof verdict->what, __VA_ARGS__)
#define ADVICE(...) snprintf(verdict->advice, sizeof verdict->advice, __VA_ARGS__)

static void because(struct asim_verdict *verdict, const char *fmt, ...) ASIM_PRINTF(2, 3);

/* Adds to the sentences. */
static void because(struct asim_verdict *verdict, const char *fmt, ...)
{
    size_t used = strlen(verdict->because);
    va_list args;

    va_start(args, fmt);
    vsnprintf(verdict->because + used, sizeof verdict->because - used, fmt, args);
    va_end(args);
}

static double percent(double share)
{
    return 100 * share;
}

/* Decimals of a saving: 99.5 % is not all. */
static int decimals(double share)
{
    return share > 0.99 ? 1 : 0;
}

/* "Leaf-spine links twice as fast: -38 %; perfect spreading: -31 %." */
static void list_changes(struct asim_verdict *verdict, const struct asim_run *run)
{
    enum { MOST = 4 };
    const char *before = "";
    char words[64];
    int n = 0;

    for (size_t i = 0; i < run->changes.n && n < MOST; i++) {
        if (!asim_cause_counts(run, &run->changes.at[i]))
            continue;
        asim_verdict_change(words, sizeof words, &run->changes.at[i]);
        if (!n && *words >= 'a' && *words <= 'z')
            *words = (char)(*words - 'a' + 'A');
        because(verdict, "%s%s: -%.*f %%", before, words, decimals(run->changes.at[i].saved),
                percent(run->changes.at[i].saved));
        before = "; ";
        n++;
    }
    because(verdict, n ? "." : "No change of links, computation or ranks saves 2 %%.");
}

/* --- facts that name a cause -------------------------------------------------------------------
 */

/* Shares of the time of all ranks. */
struct shares {
    double exposed, waiting, cpu, idle;
};

static struct shares divide_time(const struct asim_run *run)
{
    struct shares at = {0};
    double all = 0;

    for (size_t i = 0; i < run->ranks.n; i++) {
        const struct asim_run_rank *rank = &run->ranks.at[i];

        all += (double)rank->finish;
        at.exposed += (double)rank->exposed;
        at.waiting += (double)rank->waiting;
        at.cpu += (double)rank->cpu;
        at.idle += (double)(rank->idle + rank->other);
    }
    all = all > 0 ? all : 1;
    return (struct shares){at.exposed / all, at.waiting / all, at.cpu / all, at.idle / all};
}

/* The rank that computes longest, and else the one that others wait for. */
static uint32_t slow_rank(const struct asim_run *run, double *times)
{
    uint64_t most = 0;
    uint32_t slow = 0;

    for (size_t i = 0; i < run->ranks.n; i++)
        if (run->ranks.at[i].compute > most) {
            most = run->ranks.at[i].compute;
            slow = run->ranks.at[i].rank;
        }
    *times = run->median_compute ? (double)most / (double)run->median_compute : 0;
    if (*times > 1.01)
        return slow;
    for (uint32_t r = 0; run->blame && r < run->n_ranks; r++)
        slow = run->blame[r] > run->blame[slow] ? r : slow;
    return slow;
}

/* Links from hosts into the network, of all, that the busiest one's load would need for the bytes
 * of all. */
static uint64_t used_nics(const struct asim_run *run, uint64_t *all)
{
    uint64_t used = 0;

    *all = 0;
    for (size_t i = 0; i < run->tiers.n; i++) {
        const struct asim_run_tier *tier = &run->tiers.at[i];

        if (strncmp(tier->class, "host-", 5) != 0 || strcmp(tier->direction, "up") != 0)
            continue;
        *all += tier->links;
        used += tier->most_bytes ? (tier->bytes + tier->most_bytes / 2) / tier->most_bytes : 0;
    }
    return used;
}

/* The busiest link, where its host receives at least twice the bytes of the median; NULL: none. */
static const struct asim_run_link *incast(const struct asim_run *run)
{
    const struct asim_run_link *worst = run->n_worst ? &run->links.at[run->worst[0]] : NULL;
    double median = (double)run->median_into;

    if (!worst || !asim_run_is_host(run, worst->to) || run->n_into < 3 ||
        (double)worst->bytes < 2 * median)
        return NULL;
    return worst;
}

/* Where the busiest NIC has further ports that carry much less. */
static void say_ports(struct asim_verdict *verdict, const struct asim_run *run)
{
    const double even = 0.75;
    const struct asim_run_link *worst = run->n_worst ? &run->links.at[run->worst[0]] : NULL;

    if (!worst || (double)run->worst_bytes > even * run->worst_ports * (double)worst->bytes)
        return;
    because(verdict, " The busiest of a host's %" PRIu32 " ports carries %.0f %% of its bytes.",
            run->worst_ports, percent((double)worst->bytes / (double)run->worst_bytes));
    ADVICE("A queue pair keeps to one port of its host: more of them a connection "
           "(--qps-per-connection) may use the others. Else faster NICs, or fewer bytes.");
}

/* --- causes ------------------------------------------------------------------------------------
 */

static void say_links(struct asim_verdict *verdict, const struct asim_run *run, const char *class)
{
    const struct asim_run_link *into = incast(run);
    char node[32];

    verdict->limit = ASIM_LIMIT_LINKS;
    if (!strcmp(class, "nvlink")) {
        WHAT("NVLink");
    } else if (!strcmp(class, "pcie")) {
        WHAT("PCIe, between GPUs and NICs");
    } else if (!strcmp(class, "all")) {
        WHAT("the links of the network, of several classes");
        ADVICE("No class of links alone is in the way.");
    } else if (strncmp(class, "host-", 5) != 0) {
        WHAT("the uplinks (%s links)", class);
        ADVICE("The network is oversubscribed there for this traffic: more or faster uplinks, or "
               "traffic that stays below a leaf.");
    } else if (into && !strncmp(into->class, "host-", 5)) {
        verdict->limit = ASIM_LIMIT_INCAST;
        WHAT("incast at %s", asim_show_node(node, sizeof node, run, into->to));
        because(verdict, " It receives %.2g times the bytes of the median host.",
                run->median_into ? (double)run->worst_bytes / (double)run->median_into
                                 : (double)run->n_into);
        ADVICE("A faster link, or traffic that is spread over more receivers.");
    } else {
        WHAT("the servers' NICs (%s links)", class);
        ADVICE("Faster or more NICs, or fewer bytes.");
        say_ports(verdict, run);
    }
}

/* What was tried in packets, where it saves half of what they differ by; else NULL. */
static const struct asim_run_change *tried(const struct asim_run *run, double differ)
{
    for (size_t i = 0; i < run->changes.n; i++)
        if (run->changes.at[i].is_in_packets && run->changes.at[i].saved >= differ / 2)
            return &run->changes.at[i];
    return NULL;
}

static void say_packets(struct asim_verdict *verdict, const struct asim_run *run)
{
    const struct asim_run_change *mend = tried(run, -run->flow_error);

    because(verdict, " The flow level, without losses and pauses, is %.*f %% quicker than packets.",
            decimals(-run->flow_error), percent(-run->flow_error));
    if (run->drops || run->lost >= 1) {
        verdict->limit = ASIM_LIMIT_LOSSES;
        WHAT("lost frames");
        because(verdict, " %.4g frames are lost and sent again.", (double)run->drops + run->lost);
        ADVICE("Look at buffers, PFC, link errors, and the timers of retransmission.");
    } else if (run->pauses) {
        verdict->limit = ASIM_LIMIT_PFC;
        WHAT("PFC pauses");
        because(verdict,
                " %" PRIu64 " pauses hold up messages that do not go where the congestion is.",
                run->pauses);
        ADVICE("A congestion control that keeps queues below the thresholds of PFC.");
    } else if (asim_cause_is(mend, "control")) {
        verdict->limit = ASIM_LIMIT_CONTROL;
        WHAT("congestion control");
        because(verdict, " %" PRIu64 " frames are marked, after which senders stay slow.",
                run->marks);
        ADVICE("Look at its thresholds and increases.");
    } else if (asim_cause_is(mend, "qps")) {
        verdict->limit = ASIM_LIMIT_QPS;
        WHAT("queue pairs: one for each message");
        because(verdict, " Messages of a connection overtake and share, as chance has it.");
        ADVICE("NCCL sends messages of a connection one after another.");
    } else if (asim_cause_is(mend, "windows")) {
        verdict->limit = ASIM_LIMIT_WINDOWS;
        WHAT("windows too small");
        because(verdict, " Messages wait for ACKs that are behind data in queues.");
        ADVICE("A window must cover the round trip, with the queues on it, both ways.");
    } else {
        verdict->limit = ASIM_LIMIT_PACKETS;
        WHAT("what only packets see: bursts and the order in which they meet");
    }
}

static void say_rank(struct asim_verdict *verdict, const struct asim_run *run)
{
    double times;
    uint32_t slow = slow_rank(run, &times);

    verdict->limit = ASIM_LIMIT_SLOW_RANK;
    WHAT("rank %u, which is slow", slow);
    if (times > 1.01)
        because(verdict, " It computes %.3g times as long as the median rank.", times);
    ADVICE("Look at what rank %u does before the collectives that others wait in.", slow);
}

static void say_algorithm(struct asim_verdict *verdict, const struct asim_run *run)
{
    uint64_t all, used = used_nics(run, &all);

    verdict->limit = ASIM_LIMIT_ALGORITHM;
    if (used * 2 <= all && used)
        WHAT("rings over %" PRIu64 " of %" PRIu64 " NICs", used, all);
    else
        WHAT("the algorithms of the collectives");
}

static void say_cause(struct asim_verdict *verdict, const struct asim_run *run,
                      const struct asim_run_change *cause)
{
    static const struct {
        const char *name, *what, *advice;
        enum asim_limit limit;
    } words[] = {
        {"spreading", "ECMP collisions",
         "Messages share links while equal ways are free: spray packets, or give connections more "
         "queue pairs.",
         ASIM_LIMIT_COLLISIONS},
        {"latency", "latency: small messages, one after another",
         "Fewer and larger messages, or shorter delays.", ASIM_LIMIT_LATENCY},
        {"compute", "computation", "", ASIM_LIMIT_COMPUTE},
        {"bubble", "the pipeline's bubble",
         "Twice as many micro-batches of half the size, or an interleaved schedule.",
         ASIM_LIMIT_BUBBLE},
        {"control", "congestion control", "Senders stay slow after marks or delays.",
         ASIM_LIMIT_CONTROL},
        {"kernels", "NCCL's kernels on the GPUs",
         "Collectives take longer than their messages: fewer and larger ones, or computation "
         "beside "
         "them.",
         ASIM_LIMIT_KERNELS},
        {"windows", "windows too small",
         "A window must cover the round trip, with the queues on it, both ways.",
         ASIM_LIMIT_WINDOWS},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (asim_cause_is(cause, words[i].name)) {
            verdict->limit = words[i].limit;
            WHAT("%s", words[i].what);
            ADVICE("%s", words[i].advice);
        }
    if (!strncmp(cause->name, "links ", 6))
        say_links(verdict, run, cause->name + 6);
    else if (asim_cause_is(cause, "packets"))
        say_packets(verdict, run);
    else if (asim_cause_is(cause, "ranks"))
        say_rank(verdict, run);
    else if (asim_cause_is(cause, "algorithm"))
        say_algorithm(verdict, run);
}

/* The first remedy, before the words about it. */
static void add_remedy(struct asim_verdict *verdict, const struct asim_run *run,
                       const struct asim_run_change *cause)
{
    const struct asim_run_change *other = asim_cause_find(run, "algorithm");
    char words[sizeof verdict->advice];

    if (asim_cause_is(cause, "latency") && other && other->saved > cause->saved)
        cause = other;
    if (asim_cause_is(cause, "packets"))
        cause = tried(run, 0);
    if (!cause || !*cause->option)
        return;
    snprintf(words, sizeof words, "%s", verdict->advice);
    ADVICE("Try --%s: -%.*f %%.%s%.220s", cause->option, decimals(cause->saved),
           percent(cause->saved), *words ? " " : "", words);
}

/* Nothing that was changed helps: what the ranks do all the time. */
static void say_time(struct asim_verdict *verdict, const struct shares *at)
{
    const char *what = "the trace: none of what was changed";
    double share = 0.1;

    if (at->waiting > share)
        what = "ranks that wait for each other", share = at->waiting;
    if (at->cpu > share)
        what = "the CPUs", share = at->cpu;
    if (at->idle > share)
        what = "idle time", share = at->idle;
    verdict->limit = ASIM_LIMIT_OTHER;
    WHAT("%s", what);
    if (share > 0.1)
        because(verdict, " That is %.0f %% of the time of the ranks.", percent(share));
    ADVICE("Look at the dependencies of the trace and at ops on the CPU.");
}

void asim_verdict_of(struct asim_verdict *verdict, const struct asim_run *run)
{
    const struct asim_run_change *cause = asim_cause_choose(run);
    const struct shares at = divide_time(run);
    const double some = 0.05;

    memset(verdict, 0, sizeof *verdict);
    if (strcmp(run->state, "finished")) {
        WHAT("it is %s", *run->state ? run->state : "not finished");
        because(verdict, "%zu of %u ranks finished.", run->ranks.n, run->n_ranks);
        ADVICE("%s", strcmp(run->state, "stalled")
                         ? "Let it run to its end to see what limits it."
                         : "The run's own message names who waits for what.");
    } else if (run->serving.requests) {
        double network = run->serving.kv_share + run->serving.comm_share;

        WHAT("%s", network > 0.5 ? "the network" : "computation and queueing");
        because(verdict,
                "The network takes %.1f %% of the time of the requests: KV caches on their way "
                "%.1f %%, collectives inside the instances %.1f %%.",
                100 * network, 100 * run->serving.kv_share, 100 * run->serving.comm_share);
        ADVICE("requests.csv has each request, inference.json the percentiles.");
    } else if (!run->ranks.n || !run->finish) {
        WHAT("nothing that was recorded");
        because(verdict, run->finish ? "No rank finished." : "The run took no time.");
    } else if (!asim_run_has_job(run)) {
        WHAT("nothing: background traffic runs without a job (--reports=flows tells its messages)");
    } else if (!run->changes.n) {
        WHAT("not known");
        because(verdict, "The run was not repeated with changes: %.300s",
                run->no_changes
                    ? run->no_changes
                    : "what_if.csv is missing; asim run and asim packet --out write it, but not "
                      "with --quiet or --what-if=false.");
    } else {
        list_changes(verdict, run);
        if (run->median_compute && at.exposed >= some)
            because(verdict,
                    " Communication that no computation hides takes %.0f %% of the ranks' time.",
                    percent(at.exposed));
        if (cause)
            say_cause(verdict, run, cause);
        else
            say_time(verdict, &at);
        if (cause)
            add_remedy(verdict, run, cause);
    }
}

const char *asim_verdict_say(char *buf, size_t size, const struct asim_verdict *verdict)
{
    snprintf(buf, size, "What limits this run: %s. %s%s%s", verdict->what, verdict->because,
             *verdict->advice ? " " : "", verdict->advice);
    return buf;
}
