/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws samples from the collectives that a run has ended and tells how far the flow level is from
 * packets. A kind is all that agrees in type, members, distance of neighbours and order of
 * magnitude of bytes. Samples are spread over the run. Budget: the kinds that take most of the time
 * share some packet-hops; a sample above its part of them has fewer members.
 *
 * The finish is corrected by the rank that finishes last: of the time in which its communication is
 * exposed, each kind has the share that its transfers have of all its communication.
 */
#include "cli/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/observe.h"
#include "asim/trace.h"
#include "base/io/digest.h"
#include "base/io/out.h"
#include "base/map.h"
#include "base/mem.h"
#include "cli/side_by_side.h"
#include "cli/verify_sample.h"

enum { MOST_KINDS = 16, MOST_SAMPLES = 8, MOST = MOST_KINDS * MOST_SAMPLES };
static const double budget_hops = 5e8; /* about 5 to 10 s of CPU without fast-forward */

struct kind {
    size_t first, n;           /* exchanges, in the sorted list */
    double member_ns;          /* transfer times, summed over members */
    uint32_t samples, sampled; /* places in verify->samples, first one and count */
    double by, least, most;    /* difference of the flow level from packets, per cent */
    double last_ns;            /* transfers of the rank that finishes last */
};

struct asim_verify {
    const struct asim_settings *settings;
    struct asim_world *world;
    struct asim_out csv;
    int has_csv, failed; /* failed: out of memory */
    double share;
    ASIM_VEC(struct asim_verify_exchange) exchanges;
    struct asim_map ranks;          /* hash of the list -> struct asim_verify_ranks * */
    struct asim_observed_rank last; /* the rank that finishes last */
    ASIM_VEC(struct kind) kinds;
    struct asim_verify_sample samples[MOST];
    uint32_t n_samples;
    struct asim_verify_run run;
};

/* --- what the run does -------------------------------------------------------------------------
 */

/* Two hashes together stand for the list: 128 bits. */
static const struct asim_verify_ranks *ranks_of(struct asim_verify *verify, uint32_t n,
                                                const uint32_t *at)
{
    uint64_t a = n, b = ~(uint64_t)n, *slot;
    struct asim_verify_ranks *ranks;

    for (uint32_t i = 0; i < n; i++) {
        a = asim_mix64(a ^ at[i]);
        b = asim_mix64(b + at[i] + 1);
    }
    slot = asim_map_put(&verify->ranks, a, b);
    if (!slot || *slot)
        return slot ? (const void *)(uintptr_t)*slot : NULL;
    ranks = malloc(sizeof *ranks + n * sizeof *at);
    if (!ranks)
        return NULL;
    *ranks = (struct asim_verify_ranks){n, (uint32_t *)(void *)(ranks + 1)};
    memcpy(ranks->at, at, n * sizeof *at);
    *slot = (uint64_t)(uintptr_t)ranks;
    return ranks;
}

static void on_exchange(void *self, const struct asim_observed_exchange *exchange)
{
    struct asim_verify *verify = self;
    const struct asim_verify_exchange kept = {.start_ns = exchange->start_ns,
                                              .end_ns = exchange->end_ns,
                                              .bytes = exchange->bytes,
                                              .ranks =
                                                  ranks_of(verify, exchange->n, exchange->ranks),
                                              .type = exchange->type};

    if (exchange->end_ns > exchange->start_ns)
        verify->failed |= !kept.ranks || ASIM_VEC_PUSH(verify->exchanges, kept);
}

static void on_finish(void *self, const struct asim_observed_rank *rank)
{
    struct asim_verify *verify = self;

    if (rank->time_ns >= verify->last.time_ns)
        verify->last = *rank;
}

/* --- kinds -------------------------------------------------------------------------------------
 */

/* Between the first two members of a collective: messages of any distance are one kind. */
static uint32_t stride_of(const struct asim_verify_exchange *exchange)
{
    const uint32_t *at = exchange->ranks->at;

    if (exchange->type < 0)
        return 0;
    return at[1] > at[0] ? at[1] - at[0] : at[0] - at[1];
}

static uint32_t magnitude_of(uint64_t bytes)
{
    uint32_t bits = 0;

    for (; bytes; bytes >>= 1)
        bits++;
    return bits;
}

/* -1, 0, 1: before, of the same kind, behind. */
static int by_kind(const struct asim_verify_exchange *x, const struct asim_verify_exchange *y)
{
    const uint32_t a[] = {(uint32_t)(x->type + 1), x->ranks->n, stride_of(x),
                          magnitude_of(x->bytes)},
                   b[] = {(uint32_t)(y->type + 1), y->ranks->n, stride_of(y),
                          magnitude_of(y->bytes)};

    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_kind_and_time(const void *a, const void *b)
{
    const struct asim_verify_exchange *x = a, *y = b;
    int order = by_kind(x, y);

    if (order || x->start_ns != y->start_ns)
        return order ? order : x->start_ns < y->start_ns ? -1 : 1;
    return x->ranks->at[0] < y->ranks->at[0] ? -1 : x->ranks->at[0] > y->ranks->at[0];
}

/* The one that takes most of the time first. */
static int by_time(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;

    if (x->member_ns != y->member_ns)
        return x->member_ns > y->member_ns ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

static int has_last(const struct asim_verify *verify, const struct asim_verify_exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->ranks->n; i++)
        if (exchange->ranks->at[i] == verify->last.rank)
            return 1;
    return 0;
}

static int find_kinds(struct asim_verify *verify)
{
    struct kind *kind = NULL;

    if (verify->exchanges.n)
        qsort(verify->exchanges.at, verify->exchanges.n, sizeof *verify->exchanges.at,
              by_kind_and_time);
    for (size_t i = 0; i < verify->exchanges.n; i++) {
        const struct asim_verify_exchange *at = &verify->exchanges.at[i];
        double ns = (double)(at->end_ns - at->start_ns);

        if (!kind || by_kind(at - 1, at)) {
            if (ASIM_VEC_PUSH(verify->kinds, (struct kind){.first = i}))
                return ASIM_ENOMEM;
            kind = &verify->kinds.at[verify->kinds.n - 1];
        }
        kind->n++;
        kind->member_ns += ns * at->ranks->n;
        if (has_last(verify, at))
            kind->last_ns += ns;
    }
    if (verify->kinds.n)
        qsort(verify->kinds.at, verify->kinds.n, sizeof *verify->kinds.at, by_time);
    return 0;
}

/* Packet-hops for each byte sent, over the whole run. */
static void measure_hops(struct asim_verify *verify)
{
    struct asim_verify_run *run = &verify->run;
    struct asim_progress progress;
    double bytes = 0;

    asim_world_progress(verify->world, &progress);
    run->hops_a_byte = 1;
    for (size_t i = 0; i < run->n; i++)
        bytes += asim_verify_hops(run, &run->at[i], run->at[i].ranks->n);
    run->hops_a_byte = bytes > 0 ? (double)progress.hops / bytes : 0;
}

/* Spread over the run: the middle one of as many equal parts of the kind. */
static void draw_samples(struct asim_verify *verify)
{
    size_t kinds = verify->kinds.n < MOST_KINDS ? verify->kinds.n : MOST_KINDS;

    for (size_t k = 0; k < kinds; k++) {
        struct kind *kind = &verify->kinds.at[k];
        const struct asim_verify_exchange *one = &verify->exchanges.at[kind->first];
        double hops = budget_hops / (double)kinds, want = verify->share * (double)kind->n,
               room = hops / (2 * asim_verify_hops(&verify->run, one, one->ranks->n) + 1);

        want = want < room ? want : room;
        kind->samples = verify->n_samples;
        kind->sampled = want < 1 ? 1 : want > MOST_SAMPLES ? MOST_SAMPLES : (uint32_t)want;
        for (uint32_t i = 0; i < kind->sampled; i++)
            verify->samples[verify->n_samples++] = (struct asim_verify_sample){
                .at = kind->first + (2 * i + 1) * kind->n / (2 * kind->sampled),
                .most_hops = hops / kind->sampled};
    }
}

/* --- results -----------------------------------------------------------------------------------
 */

static double difference(double flow_ns, double packet_ns)
{
    return packet_ns > 0 ? (flow_ns / packet_ns - 1) * 100 : 0;
}

static void sum_up(const struct asim_verify *verify, struct kind *kind)
{
    double flow_ns = 0, packet_ns = 0;

    for (uint32_t i = 0; i < kind->sampled; i++) {
        const struct asim_verify_sample *sample = &verify->samples[kind->samples + i];
        double by = difference((double)sample->flow_ns, (double)sample->packet_ns);

        flow_ns += (double)sample->flow_ns;
        packet_ns += (double)sample->packet_ns;
        kind->least = i && kind->least < by ? kind->least : by;
        kind->most = i && kind->most > by ? kind->most : by;
    }
    kind->by = difference(flow_ns, packet_ns);
}

static const char *name_of(int type)
{
    return type < 0 ? "SEND_RECV" : asim_coll_type_name(type);
}

static void print_kind(const struct asim_verify *verify, const struct kind *kind)
{
    const struct asim_verify_exchange *one = &verify->exchanges.at[kind->first];
    const struct asim_verify_sample *sample = &verify->samples[kind->samples];

    printf("[verify] %s, ", name_of(one->type));
    if (one->type >= 0)
        printf("%u ranks %u apart, ", one->ranks->n, stride_of(one));
    printf("%.4g MB: ", (double)verify->exchanges.at[sample->at].bytes / 1e6);
    printf("%u of %zu sampled", kind->sampled, kind->n);
    if (sample->members < one->ranks->n)
        printf(" with %u ranks", sample->members);
    printf(", flow %+.2f %% from packets", kind->by);
    if (kind->sampled > 1)
        printf(" (%+.2f to %+.2f)", kind->least, kind->most);
    printf("\n");
}

/* Per cent of the finish by which the kinds would move it, and the share of the last rank's
 * transfers that samples stand for. */
static double expected(const struct asim_verify *verify, double *covered)
{
    double all_ns = 0, sampled_ns = 0, more = 0;
    const struct asim_observed_rank *last = &verify->last;

    for (size_t k = 0; k < verify->kinds.n; k++) {
        const struct kind *kind = &verify->kinds.at[k];

        all_ns += kind->last_ns;
        sampled_ns += kind->sampled ? kind->last_ns : 0;
        more += kind->sampled ? kind->last_ns * (100 / (100 + kind->by) - 1) : 0;
    }
    *covered = all_ns > 0 ? sampled_ns / all_ns : 0;
    if (!last->comm_ns || !last->time_ns)
        return 0;
    /* transfers under way together count once */
    more *= all_ns > (double)last->comm_ns ? (double)last->comm_ns / all_ns : 1;
    return 100 * more * ((double)last->exposed_ns / (double)last->comm_ns) / (double)last->time_ns;
}

static void print_all(const struct asim_verify *verify, double more, double covered)
{
    for (size_t k = 0; k < verify->kinds.n && verify->kinds.at[k].sampled; k++)
        print_kind(verify, &verify->kinds.at[k]);
    printf(
        "[verify] the samples stand for %.0f %% of the communication; by them the job would take "
        "%+.2f %% in packets\n",
        100 * covered, more);
    if (verify->settings->correct)
        printf("[verify] corrected finish: %.0f ns in place of %" PRIu64 "\n",
               (double)verify->last.time_ns * (1 + more / 100), verify->last.time_ns);
}

static int write_csv(struct asim_verify *verify, double more, double covered, struct asim_err *err)
{
    struct asim_out *out = &verify->csv;
    char identity[ASIM_IDENTITY_BYTES];
    int code = asim_world_identity(verify->world, identity, err);

    if (code)
        return code;
    asim_out_printf(out, "type,ranks,stride,bytes,count,sampled,sampled_ranks,flow_ns,packet_ns,"
                         "difference_percent,identity\n");
    for (size_t k = 0; k < verify->kinds.n; k++) {
        const struct kind *kind = &verify->kinds.at[k];
        const struct asim_verify_exchange *one = &verify->exchanges.at[kind->first];

        for (uint32_t i = 0; i < kind->sampled; i++) {
            const struct asim_verify_sample *sample = &verify->samples[kind->samples + i];

            asim_out_printf(out, "%s,%u,%u,%" PRIu64 ",%zu,%u,%u,%" PRIu64 ",%" PRIu64 ",%.4f,%s\n",
                            name_of(one->type), one->ranks->n, stride_of(one),
                            verify->exchanges.at[sample->at].bytes, kind->n, kind->sampled,
                            sample->members, sample->flow_ns, sample->packet_ns,
                            difference((double)sample->flow_ns, (double)sample->packet_ns),
                            identity);
        }
        if (!kind->sampled)
            asim_out_printf(out, "%s,%u,%u,%" PRIu64 ",%zu,0,,,,,%s\n", name_of(one->type),
                            one->ranks->n, stride_of(one), one->bytes, kind->n, identity);
    }
    asim_out_printf(out, "job,%u,,,,,%.0f,%" PRIu64 ",%.0f,%.4f,%s\n", verify->run.ranks,
                    100 * covered, verify->last.time_ns,
                    (double)verify->last.time_ns * (1 + more / 100), 100 * (100 / (100 + more) - 1),
                    identity);
    verify->has_csv = 0;
    if (asim_out_commit(out, err))
        return err->code;
    return asim_digest_keep(verify->settings->out, "verify.csv", err);
}

static void run_sample(void *self, uint32_t i)
{
    struct asim_verify *verify = self;

    asim_verify_sample_run(&verify->run, &verify->samples[i]);
}

int asim_verify_finish(struct asim_verify *verify, struct asim_err *err)
{
    double more, covered;

    verify->run.settings = verify->settings;
    verify->run.ranks = asim_world_ranks(verify->world);
    verify->run.at = verify->exchanges.at;
    verify->run.n = verify->exchanges.n;
    if (verify->failed || find_kinds(verify))
        return asim_err_nomem(err, "sampling collectives");
    measure_hops(verify);
    draw_samples(verify);
    asim_side_by_side(verify->n_samples, verify->settings->threads, run_sample, verify);
    for (uint32_t i = 0; i < verify->n_samples; i++)
        if (verify->samples[i].err.code) {
            *err = verify->samples[i].err;
            return err->code;
        }
    for (size_t k = 0; k < verify->kinds.n; k++)
        sum_up(verify, &verify->kinds.at[k]);
    more = expected(verify, &covered);
    if (!verify->settings->quiet)
        print_all(verify, more, covered);
    return verify->has_csv ? write_csv(verify, more, covered, err) : 0;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static int read_share(struct asim_verify *verify, struct asim_err *err)
{
    const char *text = verify->settings->verify;
    char *end;
    double share = strtod(text, &end);

    if (end != text && !strcmp(end, "%"))
        share /= 100, end++;
    if (end == text || *end || !(share > 0) || share > 1)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--verify=%s: expected the share of collectives to run again, above 0 "
                            "and up to 1, as 5%% or 0.05",
                            text);
    verify->share = share;
    return 0;
}

static int check(const struct asim_settings *settings, struct asim_err *err)
{
    if (!settings->mode || strcmp(settings->mode, "flow") != 0)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--verify compares a run at the flow level with packets; give "
                            "--model=flow too, or leave it out");
    if (settings->scenario)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "--verify runs collectives of a workload again, not of a scenario; give "
            "--workload in place of --scenario, or leave --verify out");
    return 0;
}

static int open_csv(struct asim_verify *verify, struct asim_err *err)
{
    const char *folder = verify->settings->out, name[] = "/verify.csv";
    char *path = malloc(strlen(folder) + sizeof name);
    int code;

    if (!path)
        return asim_err_nomem(err, "sampling collectives");
    strcat(strcpy(path, folder), name);
    code = asim_world_check_output(verify->world, path, err);
    if (!code)
        code = asim_out_open(&verify->csv, path, err);
    verify->has_csv = !code;
    free(path);
    return code;
}

int asim_verify_open(struct asim_verify **out, struct asim_world *world,
                     const struct asim_settings *settings, struct asim_err *err)
{
    struct asim_verify *verify = calloc(1, sizeof *verify);
    struct asim_observer observer = {.size = sizeof observer,
                                     .self = verify,
                                     .rank_finished = on_finish,
                                     .exchange_done = on_exchange};

    *out = verify;
    if (!verify)
        return asim_err_nomem(err, "sampling collectives");
    verify->world = world;
    verify->settings = settings;
    asim_map_init(&verify->ranks);
    if (check(settings, err) || read_share(verify, err))
        return ASIM_EUSAGE;
    if (settings->out && open_csv(verify, err))
        return ASIM_EIO;
    return asim_world_observe(world, &observer, err);
}

void asim_verify_close(struct asim_verify *verify)
{
    if (!verify)
        return;
    if (verify->has_csv)
        asim_out_discard(&verify->csv); /* the samples were not reached */
    for (size_t i = 0; i < verify->ranks.cap; i++)
        if (verify->ranks.used[i])
            free((void *)(uintptr_t)verify->ranks.slots[i].value);
    asim_map_fini(&verify->ranks);
    ASIM_FREE(verify->exchanges.at, verify->kinds.at, verify);
}
