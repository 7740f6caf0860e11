/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the changes. What one could buy is doubled (links of a class, GPUs) or halved (delays); what
 * only stands in the way is taken away (collisions, slow ranks, congestion control, windows). Of a
 * pipeline's bubble half is taken away, as twice as many micro-batches would: what is left to wait
 * for in a network without time, with receives that end at once. What only packets see is tried in
 * packets.
 */
#include "cli/what_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/netconf.h"
#include "asim/observe.h"
#include "asim/packet.h"
#include "base/mem.h"
#include "base/io/digest.h"
#include "base/io/out.h"
#include "base/io/quote.h"
#include "cli/side_by_side.h"

enum kind {
    AS_IT_IS,
    NETWORK,   /* the network takes no time */
    NO_BUBBLE, /* beside that, receives take none */
    BUBBLE,    /* computed from the two */
    SPREADING,
    LATENCY,
    COMPUTE,
    RANKS,
    CONTROL,
    WINDOWS,
    ALGORITHM,
    KERNELS, /* those of NCCL take no time of their own */
    QPS,     /* one queue pair a connection, in packets only */
    PAUSES,  /* a control that keeps queues short, in packets only */
    LINKS,   /* of a class */
    KINDS
};
enum { CLASSES = 12, ROWS = KINDS + CLASSES, VALUE = 600 };
/* The flow level looks whether to stop every 1,024 events, some 0.1 to 1 ms; packets carry some ten
 * million packet-hops a second. */
enum { MOST_LOOKS = 20000, MOST_HOPS = 50000000 };

static const char *const names[KINDS] = {
    [AS_IT_IS] = "as it is", [NETWORK] = "no network",
    [BUBBLE] = "bubble",     [SPREADING] = "spreading",
    [LATENCY] = "latency",   [COMPUTE] = "compute",
    [RANKS] = "ranks",       [CONTROL] = "control",
    [WINDOWS] = "windows",   [ALGORITHM] = "algorithm",
    [LINKS] = "links",       [PAUSES] = "pauses",
    [QPS] = "qps",           [KERNELS] = "kernels",
};

struct row {
    enum kind kind;
    int is_in_packets;
    const char *class;       /* of LINKS */
    uint64_t ns;             /* 0: not known */
    char option[VALUE + 16]; /* of a run that does so, without --; or "" */
};

struct what_if {
    const struct asim_settings *settings;
    const struct asim_hooks *hooks;
    const char *without; /* parts of the flow level that the run cannot have */
    uint32_t ranks;
    double *compute_ns, *factors; /* [ranks] */
    struct asim_link_class classes[CLASSES];
    size_t n_classes;
    int has_control, has_windows, has_qps; /* has_qps: one a message */
    struct row rows[ROWS];
    uint32_t n;
};

/* What a repetition may cost is counted, not timed: the same run has the same rows everywhere. */
struct budget {
    const struct asim_hooks *hooks;
    uint32_t looks;
};

static int stop(void *self)
{
    struct budget *budget = self;

    return (budget->looks && !--budget->looks) ||
           (budget->hooks->stop && budget->hooks->stop(budget->hooks->self));
}

static int is_formula(const struct asim_settings *settings)
{
    return settings->mode &&
           (!strcmp(settings->mode, "unaware") || !strcmp(settings->mode, "aware"));
}

/* The strings of changed options, which settings borrow. */
struct texts {
    char bandwidth[VALUE], latency[VALUE], keys[VALUE], without[VALUE], parts[VALUE], mode[8];
};

/* "old,new" into buf; old may be NULL. */
static char *join(char *buf, const char *old, const char *now)
{
    snprintf(buf, VALUE, "%s%s%s", old ? old : "", old && *old ? "," : "", now);
    return buf;
}

/* A key of the network, in place of the option that says the same. */
static void put_key(struct asim_settings *own, struct texts *texts, char **option, const char *pair)
{
    own->network_keys = join(texts->keys, own->network_keys, pair);
    *option = NULL;
}

/* A factor for all links. Formulas know no classes. */
static const char *of_all(const struct what_if *all, const char *factor)
{
    return factor + (is_formula(all->settings) ? strlen("all:") : 0);
}

static void no_network(const struct what_if *all, struct asim_settings *own, struct texts *texts)
{
    own->bandwidth = join(texts->bandwidth, own->bandwidth, of_all(all, "all:1000x"));
    own->latency = join(texts->latency, own->latency, of_all(all, "all:0.001x"));
}

#define OPTION(...) snprintf(row->option, sizeof row->option, __VA_ARGS__)

static void change(const struct what_if *all, struct row *row, struct asim_settings *own,
                   struct texts *texts)
{
    char class[sizeof all->classes[0].name + 8];

    switch (row->kind) {
    case NO_BUBBLE:
    case NETWORK:
        own->free_receives = row->kind == NO_BUBBLE;
        no_network(all, own, texts);
        break;
    case SPREADING:
        own->flow_without = join(texts->without, own->flow_without, "collisions");
        OPTION("network-keys=%s", join(texts->keys, own->network_keys, "LOAD_BALANCE=spray"));
        break;
    case LATENCY:
        own->latency = join(texts->latency, own->latency, of_all(all, "all:0.5x"));
        OPTION("latency=%s", own->latency);
        break;
    case COMPUTE:
        own->compute_factor = 0.5 * (own->compute_factor > 0 ? own->compute_factor : 1);
        OPTION("compute-factor=%g", own->compute_factor);
        break;
    case RANKS:
        own->rank_compute = all->factors;
        break;
    case CONTROL:
        put_key(own, texts, &own->cc, "CC=none");
        OPTION("cc=none");
        break;
    case QPS:
        put_key(own, texts, &own->qps_per_connection, "QPS_PER_CONNECTION=1");
        OPTION("qps-per-connection=1");
        break;
    case PAUSES:
        put_key(own, texts, &own->cc, "CC=hpcc");
        OPTION("cc=hpcc");
        break;
    case WINDOWS:
        own->flow_without = join(texts->without, own->flow_without, "ack-wait");
        OPTION("network-keys=%s", join(texts->keys, own->network_keys, "SWITCH_ACK_HIGH_PRIO=1"));
        own->network_keys = row->is_in_packets ? texts->keys : own->network_keys;
        break;
    case ALGORITHM:
        own->algorithm = join(texts->keys, NULL, "ncclAuto");
        OPTION("algorithm=ncclAuto");
        break;
    case KERNELS:
        own->machine = join(texts->keys, NULL, "none");
        break;
    case LINKS:
        snprintf(class, sizeof class, "%s:2x", row->class);
        own->bandwidth = join(texts->bandwidth, own->bandwidth,
                              is_formula(all->settings) ? of_all(all, "all:2x") : class);
        OPTION("bandwidth=%s", own->bandwidth);
        break;
    default:
        break;
    }
}

static void on_finish(void *self, const struct asim_observed_rank *rank)
{
    ((struct what_if *)self)->compute_ns[rank->rank] = (double)rank->compute_ns;
}

/* Of the run as it is: what the changes need to know. */
static int observe(struct what_if *all, struct asim_world *world, struct asim_err *err)
{
    const struct asim_observer observer = {
        .size = sizeof observer, .self = all, .rank_finished = on_finish};

    return asim_world_observe(world, &observer, err);
}

static int find_classes(struct what_if *all, const struct asim_world *world, struct asim_err *err)
{
    if (!is_formula(all->settings))
        return asim_packet_link_classes(world, all->classes, CLASSES, &all->n_classes, err);
    snprintf(all->classes[0].name, sizeof all->classes[0].name, "all");
    all->n_classes = 1;
    return 0;
}

static const void *key(const struct asim_world *world, const char *name)
{
    return asim_netconf_field(asim_world_netconf(world), asim_netconf_key(name));
}

/* What the network has that may stand in the way. */
static void look_at_network(struct what_if *all, const struct asim_world *world)
{
    const uint32_t none = 12; /* CC_MODE */
    const char *name = *(char *const *)key(world, "CC");

    all->has_control = name && *name ? strcmp(name, "none") != 0
                                     : *(const uint32_t *)key(world, "CC_MODE") != none;
    all->has_windows = *(const int *)key(world, "HAS_WIN");
    all->has_qps = !*(const uint32_t *)key(world, "QPS_PER_CONNECTION");
}

/* In the process that writes results the finish of all. */
static uint64_t finish_of(const struct asim_world *world)
{
    struct asim_progress progress;

    asim_world_progress(world, &progress);
    return progress.finish_ns;
}

static int run_row(struct what_if *all, struct row *row, struct asim_err *err)
{
    struct budget budget = {all->hooks, row->is_in_packets ? 0 : MOST_LOOKS};
    const struct asim_hooks hooks = {.self = &budget, .stop = stop};
    struct asim_settings own = *all->settings;
    struct asim_world *world;
    struct texts texts;
    int code;

    own.out = own.pcap = own.reports = own.logging_folder = own.verify = NULL;
    own.timeline = 0;
    own.quiet = 1;
    own.threads = row->is_in_packets ? own.threads : 1;
    own.process = own.processes = own.borrowed_cores = 0;
    if (!is_formula(all->settings) && !row->is_in_packets) {
        own.mode = texts.mode;
        snprintf(own.mode, sizeof texts.mode, "flow");
        own.flow_without = texts.parts;
        snprintf(own.flow_without, VALUE, "%s", all->without);
    }
    change(all, row, &own, &texts);
    code = asim_world_open(&world, &own, &hooks, err);
    if (!code && row->kind == AS_IT_IS)
        code = observe(all, world, err);
    if (!code)
        code = asim_world_run(world, err);
    row->ns = code ? 0 : finish_of(world);
    if (!code && row->kind == AS_IT_IS)
        code = find_classes(all, world, err);
    if (!code && row->kind == AS_IT_IS && !is_formula(all->settings))
        look_at_network(all, world);
    asim_world_close(world);
    return code;
}

static void run_change(void *self, uint32_t i)
{
    struct what_if *all = self;
    struct asim_err err = {0};

    if (run_row(all, &all->rows[i + 1], &err)) /* that one is left out */
        all->rows[i + 1].ns = 0;
}

ASIM_ORDER(by_size, double, [0])

/* Ranks that compute longer than the median of those that compute take the median's time. Returns
 * how many compute. */
static uint32_t find_factors(struct what_if *all)
{
    uint32_t n = 0;
    double median;

    for (uint32_t r = 0; r < all->ranks; r++)
        if (all->compute_ns[r] > 0)
            all->factors[n++] = all->compute_ns[r];
    if (n)
        qsort(all->factors, n, sizeof *all->factors, by_size);
    median = n ? all->factors[(n - 1) / 2] : 0;
    for (uint32_t r = 0; r < all->ranks; r++)
        all->factors[r] = all->compute_ns[r] > median ? median / all->compute_ns[r] : 1;
    return n;
}

/* The run follows NCCL on a machine. */
static int has_kernels(const struct asim_settings *settings)
{
    const char *topology = settings->topology ? settings->topology : "";

    return settings->like == ASIM_LIKE_NCCL &&
           (settings->machine ? strcmp(settings->machine, "none") != 0
                              : !strncmp(topology, "machine:", strlen("machine:")));
}

static int applies(const struct what_if *all, enum kind kind, int has_compute)
{
    switch (kind) {
    case BUBBLE:
    case PAUSES:
    case QPS:
        return 0;
    case NETWORK:
    case NO_BUBBLE:
    case COMPUTE:
    case RANKS:
        return has_compute;
    case SPREADING:
        return !is_formula(all->settings);
    case KERNELS:
        return has_kernels(all->settings);
    case CONTROL:
        return all->has_control;
    case WINDOWS:
        return all->has_windows;
    default:
        return 1;
    }
}

static void choose(struct what_if *all, int has_compute)
{
    if (all->n_classes > 1)
        all->rows[all->n++] = (struct row){.kind = LINKS, .class = "all"};
    for (size_t c = 0; c < all->n_classes; c++)
        all->rows[all->n++] = (struct row){.kind = LINKS, .class = all->classes[c].name};
    for (int kind = NETWORK; kind < LINKS; kind++)
        if (applies(all, (enum kind)kind, has_compute))
            all->rows[all->n++] = (struct row){.kind = (enum kind)kind};
}

static struct row *find(struct what_if *all, enum kind kind)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (all->rows[i].kind == kind)
            return &all->rows[i];
    return NULL;
}

/* Runs the row in packets, in place of one at the flow level. Returns its time, 0: not known. */
static uint64_t try_in_packets(struct what_if *all, enum kind kind)
{
    struct asim_err err = {0};
    struct row *row = find(all, kind);

    row = row ? row : &all->rows[all->n++];
    *row = (struct row){.kind = kind, .is_in_packets = 1};
    if (run_row(all, row, &err))
        row->ns = 0;
    return row->ns;
}

static int is_likely(const struct what_if *all, const struct asim_packet_counters *counters,
                     enum kind kind)
{
    switch (kind) {
    case PAUSES:
        return counters->pauses > 0;
    case CONTROL:
        return all->has_control;
    case QPS:
        return all->has_qps;
    default:
        return all->has_windows;
    }
}

/* Where packets take much longer than the flow level has them, what mends the likely reasons is
 * tried in packets, until one saves half of the difference. */
static void look_at_packets(struct what_if *all, const struct asim_world *world)
{
    static const enum kind kinds[] = {PAUSES, CONTROL, QPS, WINDOWS};
    const double much = 1.1, finish = (double)finish_of(world), base = (double)all->rows[0].ns;
    struct asim_packet_counters counters = {0};
    int is_done = all->settings->mode || finish < much * base;

    if (!is_done)
        asim_packet_stats(world, &counters);
    is_done |= counters.drops || counters.lost || counters.hops > MOST_HOPS;
    for (size_t i = 0; !is_done && i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t ns = is_likely(all, &counters, kinds[i]) ? try_in_packets(all, kinds[i]) : 0;

        is_done = ns && 2 * (finish - (double)ns) >= finish - base;
    }
}

/* In place of the run without a bubble. */
static void find_bubble(struct what_if *all)
{
    const struct row *network = find(all, NETWORK);
    struct row *row = find(all, NO_BUBBLE);
    uint64_t as_it_is = all->rows[0].ns, half;

    if (!row)
        return;
    half = network->ns > row->ns ? (network->ns - row->ns) / 2 : 0;
    *row = (struct row){.kind = BUBBLE, .ns = network->ns && row->ns ? as_it_is - half : 0};
}

/* The flow level without what it refuses, where that is all that it refuses. */
static int run_as_it_is(struct what_if *all, struct asim_err *err)
{
    static const char *const tries[] = {"", "collisions", "losses", "losses,collisions"};
    int code = ASIM_EINVAL;

    all->n = 1;
    for (size_t i = 0; code == ASIM_EINVAL && i < sizeof tries / sizeof *tries; i++) {
        if (i && is_formula(all->settings))
            break;
        *err = i ? (struct asim_err){0} : *err;
        all->without = tries[i];
        all->rows[0] = (struct row){.kind = AS_IT_IS};
        code = run_row(all, &all->rows[0], err);
    }
    return code;
}

static int write_rows(const struct what_if *all, struct asim_world *world, const char *reason,
                      struct asim_err *err)
{
    char path[4096], identity[ASIM_IDENTITY_BYTES];
    struct asim_out out;

    snprintf(path, sizeof path, "%.4000s/what_if.csv", all->settings->out);
    if (asim_world_identity(world, identity, err) || asim_out_open(&out, path, err))
        return err->code;
    asim_out_printf(&out, "change,option,finish_ns,identity\n");
    if (reason) {
        asim_out_printf(&out, "none,");
        asim_quote_csv_if_needed(&out, reason);
        asim_out_printf(&out, ",,%s\n", identity);
    }
    for (uint32_t i = 0; !reason && i < all->n; i++) {
        const struct row *row = &all->rows[i];

        asim_out_printf(&out, "%s%s%s%s,", names[row->kind], row->class ? " " : "",
                        row->class ? row->class : "", row->is_in_packets ? " in packets" : "");
        asim_quote_csv_if_needed(&out, row->option);
        if (row->ns)
            asim_out_printf(&out, ",%" PRIu64 ",%s\n", row->ns, identity);
        else
            asim_out_printf(&out, ",,%s\n", identity);
    }
    if (asim_out_commit(&out, err))
        return err->code;
    return asim_digest_keep(all->settings->out, "what_if.csv", err);
}

int asim_what_if(struct asim_world *world, const struct asim_settings *settings,
                 const struct asim_hooks *hooks, struct asim_err *err)
{
    struct what_if all = {.settings = settings, .hooks = hooks, .ranks = asim_world_ranks(world)};
    struct asim_err why = {0};
    int code;

    all.compute_ns = calloc(all.ranks, sizeof *all.compute_ns);
    all.factors = calloc(all.ranks, sizeof *all.factors);
    code = all.compute_ns && all.factors ? run_as_it_is(&all, &why)
                                         : asim_err_nomem(&why, "asking what limits a run");
    if (!code) {
        choose(&all, find_factors(&all) > 0);
        asim_side_by_side(all.n - 1, settings->threads, run_change, &all);
        find_bubble(&all);
        look_at_packets(&all, world);
    }
    if (code == ASIM_EINTR) {
        why = (struct asim_err){0};
        asim_err_set(&why, code, "%s",
                     hooks->stop && hooks->stop(hooks->self)
                         ? "it was interrupted before the run was repeated"
                         : "the flow level needs more than twenty million events for the run");
    }
    code = write_rows(&all, world, code ? why.text : NULL, err);
    ASIM_FREE(all.compute_ns, all.factors);
    return code;
}
