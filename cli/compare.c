/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares a packet run with the flow level and both analytical networks. Per rank and in total:
 * cycles, communication and exposed communication of each, and their ratios. Then two ops: the
 * first one (by end at packet level) that ends at another time, and the one whose duration differs
 * most. Times of ops take 16 bytes per op and run. The flow level is left out where it refuses what
 * packets can do.
 *
 * The comparison observes the packet run; the others follow in worlds of their own. stdout is
 * reproducible: CPU times go to stderr.
 */
#include "cli/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/mem.h"
#include "asim/net.h"
#include "asim/observe.h"
#include "base/io/digest.h"
#include "base/io/out.h"

enum { PACKET, FLOW, UNAWARE, AWARE, RUNS };

/* Issue and end of one op in one run, ns. */
struct op_times {
    uint64_t start, end;
};

/* Finish, communication and exposed communication of a rank, ns. */
struct rank_times {
    uint64_t cycles, comm, exposed;
};

/* The observations of one run. */
struct record {
    struct asim_compare *of;
    struct rank_times *ranks;
    struct op_times *ops; /* of rank r: from first[r] on, by index in its trace */
};

struct asim_compare {
    struct asim_world *packet;
    const struct asim_settings *settings; /* the caller's */
    struct asim_hooks hooks;              /* for stop only */
    struct asim_out csv;                  /* where there is a folder for it */
    int has_csv;
    struct record runs[RUNS];
    int has_flow;
    double cpu_s[RUNS]; /* of the packet run: since open */
    size_t *first;      /* [ranks + 1] */
    uint64_t *ids;      /* of the ops */
    struct asim_netshape shape;
};

static const char *const names[RUNS] = {"packet", "flow", "unaware", "aware"};

/* Of the process, all threads. */
static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The run after this one, RUNS at the end. */
static int next_run(const struct asim_compare *compare, int run)
{
    return run + 1 == FLOW && !compare->has_flow ? UNAWARE : run + 1;
}

/* Ops are stored by their index, so that runs can be compared. NULL for an index that the packet
 * run does not have. */
static struct op_times *times_of(struct record *record, const struct asim_observed_op *op)
{
    size_t first = record->of->first[op->rank];

    return op->index < record->of->first[op->rank + 1] - first ? &record->ops[first + op->index]
                                                               : NULL;
}

static void on_issue(void *self, const struct asim_observed_op *op)
{
    struct record *record = self;
    struct op_times *times = times_of(record, op);

    if (!times)
        return;
    times->start = op->time_ns;
    record->of->ids[times - record->ops] = op->id;
}

static void on_end(void *self, const struct asim_observed_op *op)
{
    struct op_times *times = times_of(self, op);

    if (times)
        times->end = op->time_ns;
}

static void on_finish(void *self, const struct asim_observed_rank *rank)
{
    ((struct record *)self)->ranks[rank->rank] =
        (struct rank_times){rank->time_ns, rank->comm_ns, rank->exposed_ns};
}

/* The record is the observer's self and outlives the world it watches. */
static int watch(struct record *record, struct asim_world *world, struct asim_err *err)
{
    struct asim_observer observer = {.size = sizeof observer,
                                     .self = record,
                                     .op_issued = on_issue,
                                     .op_ended = on_end,
                                     .rank_finished = on_finish};

    return asim_world_observe(world, &observer, err);
}

/* The network of the analytical runs: from the settings, or derived from the topology. */
static int find_shape(struct asim_compare *compare, const struct asim_hooks *hooks,
                      struct asim_err *err)
{
    const struct asim_world *packet = compare->packet;
    const struct asim_settings *set = compare->settings;
    char text[200], note[600];
    uint64_t ranks = 1;

    if (!set->compare_network)
        return asim_world_shape(packet, &compare->shape, err);
    if (asim_netshape_read(&compare->shape, set->compare_network, err))
        return ASIM_EINVAL;
    for (size_t d = 0; d < compare->shape.n; d++) {
        ranks *= compare->shape.at[d].npus;
        if (asim_netshape_is_doubtful(&compare->shape, d, text, sizeof text) && hooks->note) {
            snprintf(note, sizeof note, "%s: %s", set->compare_network, text);
            hooks->note(hooks->self, note);
        }
    }
    if (ranks == asim_world_ranks(packet))
        return 0;
    return asim_err_at(
        err, ASIM_EINVAL, (struct asim_where){set->compare_network, 0, 0},
        "the analytical network has %llu ranks, the packet-level run %u; they must be as many",
        (unsigned long long)ranks, asim_world_ranks(packet));
}

/* Without result lines and files. */
static int open_other(struct asim_world **world, const struct asim_compare *compare, int run,
                      struct asim_err *err)
{
    struct asim_settings settings = *compare->settings;
    char mode[16];

    snprintf(mode, sizeof mode, "%s", names[run]);
    settings.mode = mode;
    settings.threads = 1; /* of the packet network only */
    if (run != FLOW) {
        settings.shape = &compare->shape;
        if (!settings.compare_network) /* the shape has them already */
            settings.bandwidth = settings.latency = NULL;
        settings.cc = settings.qps_per_connection = NULL;
        settings.mtu_bytes = 0;
    }
    settings.out = settings.logging_folder = NULL;
    return asim_world_open(world, &settings, &compare->hooks, err);
}

/* A stall there is an error here. */
static int run_other(struct asim_compare *compare, int run, struct asim_err *err)
{
    struct asim_world *world;
    double before_s = cpu_s();
    int code = open_other(&world, compare, run, err);

    if (code)
        return code;
    code = watch(&compare->runs[run], world, err);
    if (!code)
        code = asim_world_run(world, err);
    asim_world_close(world);
    compare->cpu_s[run] = cpu_s() - before_s;
    return code;
}

/* The arrays of all runs. asim_compare_close frees them, also after a failure. */
static int make_records(struct asim_compare *compare, struct asim_err *err)
{
    const struct asim_world *packet = compare->packet;
    uint32_t n = asim_world_ranks(packet);
    size_t ops;
    int good = 1;

    compare->first = calloc((size_t)n + 1, sizeof *compare->first);
    for (uint32_t r = 0; compare->first && r < n; r++)
        compare->first[r + 1] = compare->first[r] + asim_world_rank_ops(packet, r);
    ops = compare->first ? compare->first[n] : 0;
    compare->ids = calloc(ops + 1, sizeof *compare->ids);
    for (int run = 0; run < RUNS; run++) {
        struct record *record = &compare->runs[run];

        record->of = compare;
        record->ranks = calloc(n, sizeof *record->ranks);
        record->ops = calloc(ops + 1, sizeof *record->ops);
        good = good && record->ranks && record->ops;
    }
    return good && compare->first && compare->ids ? 0 : asim_err_nomem(err, "comparing runs");
}

/* The flow level refuses some of what packets can do. */
static void try_flow(struct asim_compare *compare, const struct asim_hooks *hooks)
{
    struct asim_world *world;
    struct asim_err why = {0};
    char note[sizeof why.text + 64];

    compare->has_flow = !open_other(&world, compare, FLOW, &why);
    if (compare->has_flow)
        asim_world_close(world);
    snprintf(note, sizeof note, "the flow level is not compared: %s", why.text);
    if (!compare->has_flow && hooks->note)
        hooks->note(hooks->self, note);
}

/* Opens the other worlds once, because a packet run may take hours before they refuse their inputs.
 * Reads the traces once for each. */
static int rehearse(struct asim_compare *compare, const struct asim_hooks *hooks,
                    struct asim_err *err)
{
    struct asim_world *world;
    int code = find_shape(compare, hooks, err);

    for (int run = UNAWARE; run < RUNS && !code; run++) {
        code = open_other(&world, compare, run, err);
        if (!code)
            asim_world_close(world);
    }
    if (!code)
        try_flow(compare, hooks);
    compare->cpu_s[PACKET] = -cpu_s();
    return code;
}

/* Called before the packet run, so that a bad path costs no run. */
static int open_csv(struct asim_compare *compare, struct asim_err *err)
{
    const char *folder = compare->settings->out, name[] = "/compare.csv";
    char *path = malloc(strlen(folder) + sizeof name);
    int code;

    if (!path)
        return asim_err_nomem(err, "comparing runs");
    strcat(strcpy(path, folder), name);
    code = asim_world_check_output(compare->packet, path, err);
    if (!code)
        code = asim_out_open(&compare->csv, path, err);
    compare->has_csv = !code;
    free(path);
    return code;
}

/* *out must be closed by the caller even after a failure: it may own half of its arrays. */
int asim_compare_open(struct asim_compare **out, struct asim_world *packet,
                      const struct asim_settings *settings, const struct asim_hooks *hooks,
                      struct asim_err *err)
{
    struct asim_compare *compare = calloc(1, sizeof *compare);
    int code;

    *out = compare;
    if (!compare)
        return asim_err_nomem(err, "comparing runs");
    if (settings->processes > 1)
        return asim_err_set(
            err, ASIM_EINVAL,
            "--compare looks at every rank, which %u processes do not share; run in one",
            settings->processes);
    compare->packet = packet;
    compare->settings = settings;
    compare->hooks = (struct asim_hooks){.self = hooks->self, .stop = hooks->stop};
    if ((code = make_records(compare, err)) || (code = rehearse(compare, hooks, err)))
        return code;
    if (settings->out && open_csv(compare, err))
        return ASIM_EIO;
    return watch(&compare->runs[0], packet, err);
}

/* NULL is fine; the worlds are not its to close. */
void asim_compare_close(struct asim_compare *compare)
{
    if (!compare)
        return;
    if (compare->has_csv)
        asim_out_discard(&compare->csv); /* the comparison was not reached */
    for (int run = 0; run < RUNS; run++) {
        ASIM_FREE(compare->runs[run].ranks, compare->runs[run].ops);
    }
    ASIM_FREE(compare->first, compare->ids, compare);
}

/* 0 / 0 is "equal". */
static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : a ? 0 : 1;
}

/* Columns as wide as print_head's; ratios with four decimals. */
static void print_row(const struct asim_compare *compare, const char *name,
                      const struct rank_times rows[RUNS])
{
    printf("%8s", name);
    for (int run = 0; run < RUNS; run = next_run(compare, run))
        printf(" %12" PRIu64, rows[run].cycles);
    for (int run = 0; run < RUNS; run = next_run(compare, run))
        printf(" %12" PRIu64, rows[run].comm);
    for (int run = 0; run < RUNS; run = next_run(compare, run))
        printf(" %12" PRIu64, rows[run].exposed);
    for (int run = next_run(compare, PACKET); run < RUNS; run = next_run(compare, run))
        printf(" %8.4f", ratio(rows[run].cycles, rows[PACKET].cycles));
    printf("\n");
}

/* Names the analytical network, because one derived from a topology is a simplification. */
static void print_head(const struct asim_compare *compare)
{
    int wide = compare->has_flow ? 51 : 38;

    printf("[compare] analytical network:");
    for (size_t d = 0; d < compare->shape.n; d++) {
        const struct asim_netdim *dim = &compare->shape.at[d];

        printf("%s %s of %u, %.6g GB/s (2^30 bytes), %.6g ns", d ? "," : "",
               asim_net_topology_name(dim->topology), dim->npus, dim->bandwidth_gbps,
               dim->latency_ns);
    }
    printf("\n%8s %*s %*s %*s %*s\n%8s", "", wide, "cycles", wide, "communication ns", wide,
           "exposed ns", compare->has_flow ? 26 : 17, "cycles / packet", "rank");
    for (int figure = 0; figure < 3; figure++)
        for (int run = 0; run < RUNS; run = next_run(compare, run))
            printf(" %12s", names[run]);
    for (int run = next_run(compare, PACKET); run < RUNS; run = next_run(compare, run))
        printf(" %8s", names[run]);
    printf("\n");
}

/* The row of a rank. */
static void rows_of(const struct asim_compare *compare, uint32_t rank, struct rank_times rows[RUNS])
{
    for (int run = 0; run < RUNS; run++)
        rows[run] = compare->runs[run].ranks[rank];
}

/* Totals: the last finish, and the sums of the other two columns. */
static void print_table(const struct asim_compare *compare)
{
    struct rank_times total[RUNS] = {{0, 0, 0}}, rows[RUNS];
    char name[16];

    print_head(compare);
    for (uint32_t r = 0; r < asim_world_ranks(compare->packet); r++) {
        rows_of(compare, r, rows);
        snprintf(name, sizeof name, "%u", r);
        print_row(compare, name, rows);
        for (int run = 0; run < RUNS; run++) {
            total[run].cycles =
                rows[run].cycles > total[run].cycles ? rows[run].cycles : total[run].cycles;
            total[run].comm += rows[run].comm;
            total[run].exposed += rows[run].exposed;
        }
    }
    print_row(compare, "total", total);
}

/* An op by rank and place. */
struct found {
    uint32_t rank;
    size_t at;
    uint64_t key; /* the quantity that ranks candidates */
    int any;
};

/* The distance without a sign. */
static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* From issue to end, waiting for peers included. */
static uint64_t took(const struct op_times *times)
{
    return times->end - times->start;
}

/* first: the earliest end at packet level that differs; worst: the op whose own time differs most.
 * Linear in ops. */
static void look(const struct asim_compare *compare, int run, struct found *first,
                 struct found *worst)
{
    const struct op_times *packet = compare->runs[0].ops, *other = compare->runs[run].ops;

    for (uint32_t r = 0; r < asim_world_ranks(compare->packet); r++)
        for (size_t i = compare->first[r]; i < compare->first[r + 1]; i++) {
            uint64_t by = apart(took(&packet[i]), took(&other[i]));

            if (packet[i].end != other[i].end && (!first->any || packet[i].end < first->key))
                *first = (struct found){r, i, packet[i].end, 1};
            if (by && (!worst->any || by > worst->key))
                *worst = (struct found){r, i, by, 1};
        }
}

/* The two ops of the head of this file. */
static void print_parting(const struct asim_compare *compare, int run)
{
    struct found first = {0}, worst = {0};
    const struct op_times *packet = compare->runs[0].ops, *other = compare->runs[run].ops;

    look(compare, run, &first, &worst);
    if (!first.any) {
        printf("[compare] %s: every op ends at the same time as at packet level\n", names[run]);
        return;
    }
    printf("[compare] %s parts at op %" PRIu64 " of rank %u, which ends at %" PRIu64
           " ns at packet level and at %" PRIu64 " ns here\n",
           names[run], compare->ids[first.at], first.rank, packet[first.at].end,
           other[first.at].end);
    if (worst.any)
        printf("[compare] %s differs most in op %" PRIu64 " of rank %u: %" PRIu64
               " ns at packet level, %" PRIu64 " ns here, ratio %.4f\n",
               names[run], compare->ids[worst.at], worst.rank, took(&packet[worst.at]),
               took(&other[worst.at]), ratio(took(&other[worst.at]), took(&packet[worst.at])));
}

/* Long form, a row per rank and run: spreadsheets pivot it. */
static int write_csv(struct asim_compare *compare, struct asim_err *err)
{
    struct asim_out *file = &compare->csv;
    struct rank_times rows[RUNS];
    char identity[ASIM_IDENTITY_BYTES];
    int code = asim_world_identity(compare->packet, identity, err);

    if (code)
        return code;
    asim_out_printf(file, "rank,run,finish_ns,comm_ns,exposed_comm_ns,ratio,identity\n");
    for (uint32_t r = 0; r < asim_world_ranks(compare->packet); r++) {
        rows_of(compare, r, rows);
        for (int run = 0; run < RUNS; run = next_run(compare, run))
            asim_out_printf(file, "%u,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%s\n", r,
                            names[run], rows[run].cycles, rows[run].comm, rows[run].exposed,
                            ratio(rows[run].cycles, rows[0].cycles), identity);
    }
    compare->has_csv = 0;
    if (asim_out_commit(file, err))
        return err->code;
    return asim_digest_keep(compare->settings->out, "compare.csv", err);
}

/* On stderr, since it differs from run to run. */
static void print_cpu(const struct asim_compare *compare)
{
    fflush(stdout);
    fprintf(stderr, "[compare] CPU:");
    for (int run = 0; run < RUNS; run = next_run(compare, run))
        fprintf(stderr, "%s %s %.2f s", run ? "," : "", names[run], compare->cpu_s[run]);
    fprintf(stderr, "\n");
}

/* After the packet run has ended well. Costs further runs, which are quick beside the first. */
int asim_compare_finish(struct asim_compare *compare, struct asim_err *err)
{
    int code = 0;

    compare->cpu_s[PACKET] += cpu_s();
    for (int run = next_run(compare, PACKET); run < RUNS && !code; run = next_run(compare, run))
        code = run_other(compare, run, err);
    if (code)
        return code;
    if (!compare->settings->quiet) {
        print_table(compare);
        for (int run = next_run(compare, PACKET); run < RUNS; run = next_run(compare, run))
            print_parting(compare, run);
        print_cpu(compare);
    }
    return compare->has_csv ? write_csv(compare, err) : 0;
}
