/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes percentiles on stdout, inference.json, and requests.csv. A percentile is the smallest
 * value that as many per cent of the requests do not exceed (nearest rank).
 */
#include "tools/inference/inference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/io/digest.h"
#include "base/io/out.h"

enum { QUANTITIES = 5, QUANTILES = 4, PATH = 4096 };
static const double quantiles[QUANTILES] = {0.5, 0.9, 0.95, 0.99};
static const char *const names[QUANTITIES] = {"queue", "ttft", "tpot", "kv_transfer", "latency"};
static const char *const titles[QUANTITIES] = {"waiting", "TTFT", "TPOT", "KV transfer", "latency"};

struct figures {
    uint64_t *values[QUANTITIES]; /* sorted, ns */
    size_t n[QUANTITIES];
    double mean[QUANTITIES];
    uint64_t first_ns, last_ns;
    uint64_t prompt, output, cached; /* tokens */
    uint64_t preemptions;
    double kv_share, comm_share; /* of the requests' times together */
};

/* The i-th quantity of a request, or 0 where it has none. */
static int quantity(const struct asim_request *r, int i, uint64_t *ns)
{
    switch (i) {
    case 0:
        *ns = r->begun_ns - r->arrival_ns;
        return 1;
    case 1:
        *ns = r->first_ns - r->arrival_ns;
        return 1;
    case 2:
        *ns = r->output > 1 ? (r->finish_ns - r->first_ns) / (r->output - 1) : 0;
        return r->output > 1;
    case 3:
        *ns = r->kv_ns ? r->kv_ns - r->pulled_ns : 0;
        return r->kv_ns != 0;
    default:
        *ns = r->finish_ns - r->arrival_ns;
        return 1;
    }
}

ASIM_ORDER(compare, uint64_t, [0])

static int gather(struct figures *f, const struct asim_requests *requests, int i)
{
    f->values[i] = malloc((requests->n + 1) * sizeof *f->values[i]);
    if (!f->values[i])
        return ASIM_ENOMEM;
    for (size_t r = 0; r < requests->n; r++) {
        uint64_t ns;

        if (!quantity(&requests->at[r], i, &ns))
            continue;
        f->mean[i] += (double)ns;
        f->values[i][f->n[i]++] = ns;
    }
    if (f->n[i]) {
        qsort(f->values[i], f->n[i], sizeof *f->values[i], compare);
        f->mean[i] /= (double)f->n[i];
    }
    return 0;
}

static int measure(struct figures *f, const struct asim_requests *requests)
{
    double all = 0, kv = 0, comm = 0;

    f->first_ns = requests->n ? requests->at[0].arrival_ns : 0;
    for (size_t r = 0; r < requests->n; r++) {
        const struct asim_request *at = &requests->at[r];

        f->last_ns = at->finish_ns > f->last_ns ? at->finish_ns : f->last_ns;
        f->prompt += at->prompt;
        f->output += at->output;
        f->cached += at->cached;
        f->preemptions += at->preemptions;
        all += (double)(at->finish_ns - at->arrival_ns);
        kv += at->kv_ns ? (double)(at->kv_ns - at->pulled_ns) : 0;
        comm += (double)at->comm_ns;
    }
    f->kv_share = all > 0 ? kv / all : 0;
    f->comm_share = all > 0 ? comm / all : 0;
    for (int i = 0; i < QUANTITIES; i++)
        if (gather(f, requests, i))
            return ASIM_ENOMEM;
    return 0;
}

static uint64_t quantile(const struct figures *f, int i, double q)
{
    size_t rank = (size_t)(q * (double)f->n[i] + 0.9999999);

    return f->n[i] ? f->values[i][rank ? rank - 1 : 0] : 0;
}

static double per_second(const struct figures *f, double count)
{
    return f->last_ns > f->first_ns ? count * 1e9 / (double)(f->last_ns - f->first_ns) : 0;
}

static void print(const struct figures *f, const struct asim_requests *requests,
                  const struct asim_results_about *about)
{
    printf("%zu requests on %" PRIu32
           " GPUs in %.3f s: %.2f requests/s, %.0f output tokens/s, %.0f prompt tokens/s\n",
           requests->n, about->gpus, (double)(f->last_ns - f->first_ns) / 1e9,
           per_second(f, (double)requests->n), per_second(f, (double)f->output),
           per_second(f, (double)f->prompt));
    printf("%-12s %12s %12s %12s %12s %12s\n", "ms", "mean", "p50", "p90", "p95", "p99");
    for (int i = 0; i < QUANTITIES; i++) {
        if (!f->n[i])
            continue;
        printf("%-12s %12.3f", titles[i], f->mean[i] / 1e6);
        for (int q = 0; q < QUANTILES; q++)
            printf(" %12.3f", (double)quantile(f, i, quantiles[q]) / 1e6);
        printf("\n");
    }
    if (f->cached)
        printf("prefix cache: %.2f %% of the prompts' tokens\n",
               100 * (double)f->cached / (double)f->prompt);
    if (f->preemptions)
        printf("preemptions: %" PRIu64 "; KV blocks ran out\n", f->preemptions);
    printf("network: %.2f %% of the requests' time (KV transfer %.2f %%, collectives %.2f %%)\n",
           100 * (f->kv_share + f->comm_share), 100 * f->kv_share, 100 * f->comm_share);
}

static void put_json(struct asim_out *out, const struct figures *f,
                     const struct asim_requests *requests, const struct asim_results_about *about)
{
    asim_out_printf(out,
                    "{\n  \"requests\": %zu,\n  \"gpus\": %" PRIu32 ",\n  \"duration_ns\": %" PRIu64
                    ",\n  \"requests_per_s\": %.6f,\n  \"output_tokens_per_s\": %.6f,\n"
                    "  \"prompt_tokens_per_s\": %.6f,\n",
                    requests->n, about->gpus, f->last_ns - f->first_ns,
                    per_second(f, (double)requests->n), per_second(f, (double)f->output),
                    per_second(f, (double)f->prompt));
    for (int i = 0; i < QUANTITIES; i++)
        asim_out_printf(out,
                        "  \"%s_mean_ns\": %.0f,\n  \"%s_p50_ns\": %" PRIu64
                        ",\n  \"%s_p90_ns\": %" PRIu64 ",\n  \"%s_p95_ns\": %" PRIu64
                        ",\n  \"%s_p99_ns\": %" PRIu64 ",\n",
                        names[i], f->mean[i], names[i], quantile(f, i, quantiles[0]), names[i],
                        quantile(f, i, quantiles[1]), names[i], quantile(f, i, quantiles[2]),
                        names[i], quantile(f, i, quantiles[3]));
    asim_out_printf(out, "  \"cached_tokens\": %" PRIu64 ",\n  \"preemptions\": %" PRIu64 ",\n",
                    f->cached, f->preemptions);
    asim_out_printf(out, "  \"kv_share\": %.6f,\n  \"collective_share\": %.6f\n}\n", f->kv_share,
                    f->comm_share);
}

static void put_rows(struct asim_out *out, const struct asim_requests *requests)
{
    asim_out_printf(out, "request,arrival_ns,prompt_tokens,output_tokens,prefill_instance,decode_"
                         "instance,begun_ns,first_token_ns,kv_ns,finish_ns,ttft_ns,tpot_ns,comm_ns,"
                         "cached_tokens,preemptions\n");
    for (size_t r = 0; r < requests->n; r++) {
        const struct asim_request *at = &requests->at[r];
        uint64_t ttft, tpot;

        (void)quantity(at, 1, &ttft);
        asim_out_printf(out, "%zu,%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", r,
                        at->arrival_ns, at->prompt, at->output, at->prefill);
        asim_out_printf(out, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",",
                        at->kv_ns ? at->decode : at->prefill, at->begun_ns, at->first_ns);
        if (at->kv_ns)
            asim_out_printf(out, "%" PRIu64, at->kv_ns);
        asim_out_printf(out, ",%" PRIu64 ",%" PRIu64 ",", at->finish_ns, ttft);
        if (quantity(at, 2, &tpot))
            asim_out_printf(out, "%" PRIu64, tpot);
        asim_out_printf(out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 "\n", at->comm_ns, at->cached,
                        at->preemptions);
    }
}

/* One file of the folder; without a folder on stdout. */
static int put_file(const struct figures *f, const struct asim_requests *requests,
                    const struct asim_results_about *about, const char *folder, int is_json,
                    struct asim_err *err)
{
    const char *name = is_json ? "inference.json" : "requests.csv";
    struct asim_out out = {0};
    char path[PATH] = "-";
    int code;

    if (folder)
        snprintf(path, sizeof path, "%s/%s", folder, name);
    code = asim_out_open(&out, path, err);
    if (code)
        return code;
    if (is_json)
        put_json(&out, f, requests, about);
    else
        put_rows(&out, requests);
    if (asim_out_commit(&out, err))
        return err->code;
    return folder ? asim_digest_keep(folder, name, err) : 0;
}

int asim_results_write(const struct asim_requests *requests, const struct asim_results_about *about,
                       struct asim_err *err)
{
    struct figures figures = {0};
    int code = measure(&figures, requests) ? asim_err_nomem(err, "measuring requests") : 0;

    if (!code && about->out)
        code = put_file(&figures, requests, about, about->out, 1, err);
    if (!code && about->out)
        code = put_file(&figures, requests, about, about->out, 0, err);
    if (!code && about->json)
        code = put_file(&figures, requests, about, NULL, 1, err);
    else if (!code)
        print(&figures, requests, about);
    for (int i = 0; i < QUANTITIES; i++)
        free(figures.values[i]);
    return code;
}
