/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Says what limits a run. Rules in this order; shares are of the time of all ranks together.
 *
 *   slow rank   waiting is at least 10 %, and one rank causes more than half of it
 *   compute     computation takes more time than all else
 *   cpu, idle, waiting   the largest share
 *   else communication:
 *   losses      more than one frame of 10,000 is dropped, or of 100,000 lost on links
 *   pfc         switches pause switches at least 8 times, so congestion spreads
 *   incast      the busiest link leads to a host that gets at least twice the bytes of the median
 *   uplinks     the busiest link joins switches and its class is 1.3 times as busy as hosts' links
 *   links       the busiest link is at least 60 % busy
 *   control     marks or pauses, and a link at least 20 % busy or long messages: in mean at least
 *               LONG_NS on the link into the host, which delays alone do not explain
 *   latency     the rest
 *
 * How busy a link is counts against the time in which ranks communicate, so that long computation
 * does not hide a full link.
 */
#include "tools/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/show.h"

/* Several round trips of a data centre. */
#define LONG_NS 20000.0

struct facts {
    double compute, hidden, exposed, waiting, cpu, idle; /* shares */
    double active; /* utilisation times this = how busy while ranks communicate */
    const struct asim_run_link *worst; /* NULL: no links */
    double busy, class_busy, host_busy;
    uint64_t spread;      /* pauses from switch to switch */
    double message_ns;    /* of the mean message on the link into its host */
    double above_median;  /* bytes of the worst link over the median link to a host */
    uint32_t late;        /* rank that others wait for most */
    double late_share;    /* of all waiting */
    double late_computes; /* its computation over the median rank's */
};

/* Without recorded waiting, the ops' waiting stands for it, as far as it is not hidden. */
static void divide_time(struct facts *facts, const struct asim_run *run)
{
    double all = 0, waited = (double)run->waited, parts = 0;

    for (size_t i = 0; i < run->ranks.n; i++) {
        const struct asim_run_rank *rank = &run->ranks.at[i];

        all += (double)rank->finish;
        facts->compute += (double)rank->compute;
        facts->hidden += (double)rank->hidden;
        facts->exposed += (double)rank->exposed;
        facts->waiting += (double)rank->waiting;
        facts->cpu += (double)rank->cpu;
        facts->idle += (double)(rank->idle + rank->other);
    }
    if (!run->has_breakdown) {
        facts->waiting = waited < facts->exposed ? waited : facts->exposed;
        facts->exposed -= facts->waiting;
    }
    parts = facts->exposed + facts->hidden;
    facts->active = parts > 0 ? all / parts : 1;
    all = all > 0 ? all : 1;
    facts->compute /= all;
    facts->hidden /= all;
    facts->exposed /= all;
    facts->waiting /= all;
    facts->cpu /= all;
    facts->idle /= all;
}

static void find_late(struct facts *facts, const struct asim_run *run)
{
    uint64_t mine = 0;

    for (uint32_t r = 1; run->blame && r < run->n_ranks; r++)
        if (run->blame[r] > run->blame[facts->late])
            facts->late = r;
    if (run->waited && run->blame)
        facts->late_share = (double)run->blame[facts->late] / (double)run->waited;
    for (size_t i = 0; i < run->ranks.n; i++)
        if (run->ranks.at[i].rank == facts->late)
            mine = run->ranks.at[i].compute;
    facts->late_computes = run->median_compute ? (double)mine / (double)run->median_compute : 0;
}

static void look_at_links(struct facts *facts, const struct asim_run *run)
{
    facts->worst = run->n_worst ? &run->links.at[run->worst[0]] : NULL;
    for (size_t l = 0; facts->worst && l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];

        if (run->has_topology && !asim_run_is_host(run, link->from) &&
            !asim_run_is_host(run, link->to))
            facts->spread += link->pauses;
    }
    for (size_t c = 0; facts->worst && c < run->classes.n; c++) {
        const struct asim_run_class *class = &run->classes.at[c];
        double busy = class->mean * facts->active;

        if (!strcmp(class->name, facts->worst->class))
            facts->class_busy = busy;
        if (!strncmp(class->name, "host-", 5) && busy > facts->host_busy)
            facts->host_busy = busy;
    }
    if (facts->worst) {
        facts->busy = facts->worst->utilisation * facts->active;
        facts->busy = facts->busy < 1 ? facts->busy : 1;
        facts->above_median = run->median_into
                                  ? (double)facts->worst->bytes / (double)run->median_into
                              : run->n_into > 1 ? (double)run->n_into
                                                : 1;
    }
}

/* Time of all bytes on the links into hosts, over the messages of the run. */
static void look_at_messages(struct facts *facts, const struct asim_run *run)
{
    double ns = 0;

    for (size_t l = 0; l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];

        if (link->rate_bps && asim_run_is_host(run, link->to))
            ns += (double)link->bytes * 8e9 / (double)link->rate_bps;
    }
    if (run->messages)
        facts->message_ns = ns / (double)run->messages;
}

/* "leaf 8 -> spine 12" */
static const char *link_name(char *buf, size_t size, const struct asim_run *run,
                             const struct asim_run_link *link)
{
    char from[32], to[32];

    snprintf(buf, size, "%s -> %s", asim_show_node(from, sizeof from, run, link->from),
             asim_show_node(to, sizeof to, run, link->to));
    return buf;
}

#define WHAT(...)    snprintf(verdict->what, sizeof verdict->what, __VA_ARGS__)
#define BECAUSE(...) snprintf(verdict->because, sizeof verdict->because, __VA_ARGS__)
#define ADVICE(...)  snprintf(verdict->advice, sizeof verdict->advice, __VA_ARGS__)

static double percent(double share)
{
    return 100 * share;
}

/* Limits in the ranks. 0: communication limits the run. */
static int judge_ranks(struct asim_verdict *verdict, const struct facts *f,
                       const struct asim_run *run)
{
    double largest = f->exposed;

    if (run->n_ranks > 1 && f->waiting >= 0.1 && f->late_share > 0.5) {
        verdict->limit = ASIM_LIMIT_SLOW_RANK;
        WHAT("rank %u, which is slow", f->late);
        if (f->late_computes > 1.05)
            BECAUSE("Ranks wait for others %.0f %% of their time, and %.0f %% of that for rank %u. "
                    "It computes %.2g times as long as the median rank.",
                    percent(f->waiting), percent(f->late_share), f->late, f->late_computes);
        else
            BECAUSE("Ranks wait for others %.0f %% of their time, and %.0f %% of that for rank %u.",
                    percent(f->waiting), percent(f->late_share), f->late);
        ADVICE("Look at what rank %u does before the collectives that others wait in.", f->late);
        return 1;
    }
    if (f->compute >= f->exposed + f->waiting + f->cpu + f->idle) {
        verdict->limit = ASIM_LIMIT_COMPUTE;
        WHAT("computation");
        BECAUSE(
            "GPUs compute %.0f %% of the time; %.0f %% is communication that no computation hides.",
            percent(f->compute), percent(f->exposed));
        ADVICE("A faster network can gain at most %.0f %%.", percent(f->exposed + f->waiting));
        return 1;
    }
    largest = f->waiting > largest ? f->waiting : largest;
    largest = f->cpu > largest ? f->cpu : largest;
    largest = f->idle > largest ? f->idle : largest;
    if (largest > f->exposed && largest > f->waiting && largest > f->cpu) {
        verdict->limit = ASIM_LIMIT_IDLE;
        WHAT("idle time");
        BECAUSE("Ranks do nothing %.0f %% of the time.", percent(f->idle));
        ADVICE("Look at the dependencies of the trace and at ops without a recorded duration.");
    } else if (largest > f->exposed && largest > f->waiting) {
        verdict->limit = ASIM_LIMIT_CPU;
        WHAT("the CPUs");
        BECAUSE("Only CPU ops run %.0f %% of the time.", percent(f->cpu));
        ADVICE("Look at the CPU ops on the critical path.");
    } else if (largest > f->exposed) {
        verdict->limit = ASIM_LIMIT_WAITING;
        WHAT("ranks that wait for each other");
        BECAUSE("Ranks wait %.0f %% of the time, for different ranks in turn.",
                percent(f->waiting));
        ADVICE("Look at the balance of computation, and at the bubbles of a pipeline.");
    }
    return largest > f->exposed;
}

/* Where congestion begins: the busiest link whose receiver does not pause it. The other direction
 * of a link is the row beside it. */
static const struct asim_run_link *find_root(const struct facts *f, const struct asim_run *run)
{
    const struct asim_run_link *root = NULL;

    for (size_t l = 0; l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];
        const struct asim_run_link *back = (l ^ 1) < run->links.n ? &run->links.at[l ^ 1] : link;

        if (back->from != link->to || back->to != link->from || back->pauses || !link->peak_queue)
            continue;
        if (!root || link->utilisation > root->utilisation)
            root = link;
    }
    return root ? root : f->worst;
}

/* Limits that frames lost or paused tell. */
static int judge_trouble(struct asim_verdict *verdict, const struct facts *f,
                         const struct asim_run *run)
{
    char link[80];
    uint64_t frames = 0;

    for (size_t l = 0; l < run->links.n; l++)
        frames += run->links.at[l].frames;
    link_name(link, sizeof link, run, f->worst);
    if (run->drops && run->drops * 10000 > frames) {
        verdict->limit = ASIM_LIMIT_LOSSES;
        WHAT("lost frames");
        BECAUSE("%" PRIu64 " of %" PRIu64
                " frames are lost and sent again. The busiest link, %s, is %.0f %% busy.",
                run->drops, frames, link, percent(f->busy));
        ADVICE("Look at buffers, PFC and link errors.");
        return 1;
    }
    if (run->lost * 100000 > (double)frames) {
        verdict->limit = ASIM_LIMIT_LOSSES;
        WHAT("frames lost on links");
        BECAUSE("By their error rates, links lose about %.3g of %" PRIu64
                " frames, which are sent again after a NACK or a timeout. The busiest link, %s, is "
                "%.0f %% busy.",
                run->lost, frames, link, percent(f->busy));
        ADVICE("Look at the error rates of the topology and at the timers of retransmission.");
        return 1;
    }
    if (f->spread >= 8) {
        link_name(link, sizeof link, run, find_root(f, run));
        verdict->limit = ASIM_LIMIT_PFC;
        WHAT("PFC pauses that spread");
        BECAUSE("Of %" PRIu64 " pauses, switches send %" PRIu64
                " to switches, so that congestion at %s holds up messages that do not go there.",
                run->pauses, f->spread, link);
        ADVICE("Use congestion control, or lower its ECN thresholds below those of PFC.");
        return 1;
    }
    return 0;
}

static void judge_links(struct asim_verdict *verdict, const struct facts *f,
                        const struct asim_run *run)
{
    char link[80], to[32], queue[ASIM_SHOW_BYTES];

    link_name(link, sizeof link, run, f->worst);
    asim_show_bytes(queue, (double)f->worst->peak_queue);
    if (asim_run_is_host(run, f->worst->to) && f->above_median >= 2 && f->busy >= 0.3) {
        verdict->limit = ASIM_LIMIT_INCAST;
        WHAT("incast at %s", asim_show_node(to, sizeof to, run, f->worst->to));
        BECAUSE("%s is %.0f %% busy while ranks communicate and carries at least %.1f times the "
                "bytes of the median link to a host.%s%s%s",
                link, percent(f->busy), f->above_median,
                run->is_flow_level ? "" : " Its queue grows to ", run->is_flow_level ? "" : queue,
                run->is_flow_level ? "" : ".");
        ADVICE("Spread the traffic over more receivers, or let fewer send at once.");
    } else if (strncmp(f->worst->class, "host-", 5) && strcmp(f->worst->class, "nvlink") &&
               f->busy >= 0.5 && f->class_busy >= 1.3 * f->host_busy) {
        verdict->limit = ASIM_LIMIT_UPLINKS;
        WHAT("the %s links", f->worst->class);
        BECAUSE("%s is %.0f %% busy while ranks communicate, links of that class %.0f %% in mean, "
                "those of hosts %.0f %%.",
                link, percent(f->busy), percent(f->class_busy), percent(f->host_busy));
        ADVICE("The network is oversubscribed there: add uplinks, or keep traffic below a leaf.");
    } else if (f->busy >= 0.6) {
        verdict->limit = ASIM_LIMIT_LINKS;
        WHAT("the %s links", f->worst->class);
        BECAUSE("%s is %.0f %% busy while ranks communicate, links of that class %.0f %% in mean.",
                link, percent(f->busy), percent(f->class_busy));
        ADVICE("%s", f->busy > 1.5 * f->class_busy
                         ? "The load is uneven: look at the paths that ECMP chose and at placement."
                         : "Faster links, fewer bytes or another algorithm help.");
    } else if ((f->busy >= 0.2 || f->message_ns >= LONG_NS) && (run->marks || run->pauses)) {
        verdict->limit = ASIM_LIMIT_CONTROL;
        WHAT("congestion control");
        BECAUSE("No link is busier than %.*f %% while ranks communicate (%s), but %" PRIu64
                " frames are marked and %" PRIu64 " pauses sent, after which senders stay slow.",
                f->busy < 0.1 ? 2 : 0, percent(f->busy), link, run->marks, run->pauses);
        ADVICE("Look at the thresholds and increases of the congestion control, and try another "
               "one (--cc).");
    } else {
        verdict->limit = ASIM_LIMIT_LATENCY;
        WHAT("latency");
        BECAUSE("No link is busier than %.*f %% while ranks communicate (%s). %" PRIu64
                " messages follow each other.",
                f->busy < 0.1 ? 2 : 0, percent(f->busy), link, run->messages);
        ADVICE("Fewer steps, fewer chunks or shorter delays help; more bandwidth does not.");
    }
}

void asim_verdict_of(struct asim_verdict *verdict, const struct asim_run *run)
{
    struct facts facts = {0};

    memset(verdict, 0, sizeof *verdict);
    if (strcmp(run->state, "finished")) {
        WHAT("it is %s", *run->state ? run->state : "not finished");
        BECAUSE("%zu of %u ranks finished.", run->ranks.n, run->n_ranks);
        ADVICE("%s", strcmp(run->state, "stalled")
                         ? "Let it run to its end to see what limits it."
                         : "The run's own message names who waits for what.");
        return;
    }
    if (!run->ranks.n || !run->finish) {
        WHAT("nothing that was recorded");
        BECAUSE(run->finish ? "No rank finished." : "The run took no time.");
        return;
    }
    divide_time(&facts, run);
    find_late(&facts, run);
    look_at_links(&facts, run);
    look_at_messages(&facts, run);
    if (judge_ranks(verdict, &facts, run))
        return;
    if (!facts.worst) {
        verdict->limit = ASIM_LIMIT_UNKNOWN_LINK;
        WHAT("communication");
        BECAUSE("Ranks communicate without computing %.0f %% of the time.", percent(facts.exposed));
        ADVICE(run->has_topology
                   ? "Which link: run with --reports=links."
                   : "Formulas have no links: a packet run with --reports=links tells which one.");
    } else if (!judge_trouble(verdict, &facts, run)) {
        judge_links(verdict, &facts, run);
    }
}

const char *asim_verdict_say(char *buf, size_t size, const struct asim_verdict *verdict)
{
    snprintf(buf, size, "What limits this run: %s. %s%s%s", verdict->what, verdict->because,
             *verdict->advice ? " " : "", verdict->advice);
    return buf;
}
