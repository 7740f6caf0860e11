/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes or reads the stream of requests. Draws are counter-based: request i of a seed is the same
 * whatever else is drawn.
 */
#include "tools/inference/inference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/csv.h"
#include "base/map.h"
#include "base/text.h"
#include "base/io/foreign.h"

enum { MOST_REQUESTS = 10000000, MOST_TOKENS = 100000000, MOST_SECONDS = 100000000 };

/* Uniform in (0, 1]. */
static double draw(uint64_t seed, uint64_t number, uint64_t what)
{
    uint64_t x = asim_mix64(asim_mix64(seed + 0x9e3779b97f4a7c15u) ^ (number * 3 + what));

    return ((double)(x >> 11) + 1) * 0x1p-53;
}

/* Exponential with that mean, rounded up, so at least 1. */
static uint32_t length(const struct asim_stream *stream, uint64_t i, uint64_t what, uint32_t mean)
{
    double tokens = stream->exponential ? ceil(-log(draw(stream->seed, i, what)) * mean) : mean;

    return tokens < 1 ? 1 : tokens < MOST_TOKENS ? (uint32_t)tokens : MOST_TOKENS;
}

/* One of `groups`, for common prefixes. */
static uint32_t group_of(const struct asim_stream *stream, uint64_t i)
{
    double at = draw(stream->seed ^ 0x70726566, i, 0) * stream->groups;

    return at < stream->groups ? (uint32_t)at : stream->groups - 1;
}

static int make(struct asim_requests *requests, const struct asim_stream *stream,
                struct asim_err *err)
{
    double s = 0;

    if (!(stream->per_second > 0) || stream->requests / stream->per_second > MOST_SECONDS)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--rate is %g requests per second; expected above 0, and requests for "
                            "at most %d seconds.",
                            stream->per_second, (int)MOST_SECONDS);
    requests->at = calloc((size_t)stream->requests + 1, sizeof *requests->at);
    if (!requests->at)
        return asim_err_nomem(err, "making requests");
    for (uint64_t i = 0; i < stream->requests; i++) {
        if (stream->arrivals == ASIM_ARRIVE_POISSON)
            s += -log(draw(stream->seed, i, 0)) / stream->per_second;
        else if (stream->arrivals == ASIM_ARRIVE_BURSTS)
            s = (double)(i / stream->burst * stream->burst) / stream->per_second;
        else
            s = (double)i / stream->per_second;
        requests->at[requests->n++] =
            (struct asim_request){.arrival_ns = (uint64_t)(s * 1e9),
                                  .prompt = length(stream, i, 1, stream->prompt),
                                  .output = length(stream, i, 2, stream->output),
                                  .prefix = stream->prefix,
                                  .group = stream->prefix ? group_of(stream, i) : 0,
                                  .number = (uint32_t)i};
    }
    return 0;
}

/* --- a recorded stream --- */

static int read_file(void *file, char *to, size_t size, size_t *got, struct asim_err *err)
{
    *got = fread(to, 1, size, file);
    return ferror((FILE *)file) ? asim_err_set(err, ASIM_EIO, "cannot read the requests.") : 0;
}

static int tokens_of(const struct asim_csv *csv, int column, uint32_t least, uint32_t *tokens,
                     struct asim_err *err)
{
    int64_t value;

    if (column < 0)
        return 0;
    if (asim_text_i64(asim_csv_cell(csv, (size_t)column), &value) || value < least ||
        value > MOST_TOKENS)
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)column),
                           "expected a number%s, %u to %d.", least ? " of tokens" : "", least,
                           (int)MOST_TOKENS);
    *tokens = (uint32_t)value;
    return 0;
}

/* The last two may be absent: no common prefixes. */
struct columns {
    int arrival, prompt, output, prefix, group;
};

static int read_row(struct asim_requests *requests, const struct asim_csv *csv,
                    const struct columns *at, struct asim_err *err)
{
    struct asim_request request = {.number = (uint32_t)requests->n};
    double s;

    if (asim_text_double(asim_csv_cell(csv, (size_t)at->arrival), &s) || !(s >= 0) ||
        s > MOST_SECONDS)
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->arrival),
                           "expected a time in seconds, 0 to %d.", (int)MOST_SECONDS);
    request.arrival_ns = (uint64_t)(s * 1e9 + 0.5);
    if (requests->n && request.arrival_ns < requests->at[requests->n - 1].arrival_ns)
        return asim_err_at(
            err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->arrival),
            "this request arrives before the one above it; sort the file by arrival_s.");
    if (tokens_of(csv, at->prompt, 1, &request.prompt, err) ||
        tokens_of(csv, at->output, 1, &request.output, err) ||
        tokens_of(csv, at->prefix, 0, &request.prefix, err) ||
        tokens_of(csv, at->group, 0, &request.group, err))
        return ASIM_EINVAL;
    if (requests->n >= MOST_REQUESTS)
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, 0), "more than %d requests.",
                           (int)MOST_REQUESTS);
    return ASIM_VEC_PUSH(*requests, request) ? asim_err_nomem(err, "reading requests") : 0;
}

static int read_rows(struct asim_requests *requests, struct asim_csv *csv, struct asim_err *err)
{
    static const char *const names[] = {"arrival_s", "prompt_tokens", "output_tokens",
                                        "prefix_tokens", "prefix_group"};
    struct columns at;
    int *const columns[] = {&at.arrival, &at.prompt, &at.output, &at.prefix, &at.group};
    int code = asim_csv_header(csv, err);

    for (int i = 0; !code && i < 5; i++)
        if ((*columns[i] = asim_csv_find(csv, &names[i], 1)) < 0 && i < 3)
            code = asim_err_at(
                err, ASIM_EINVAL, (struct asim_where){csv->name, 1, 0},
                "there is no column %s; expected arrival_s, prompt_tokens and output_tokens.",
                names[i]);
    if (!code)
        code = asim_csv_refuse_slips(csv, names, 5, err);
    while (!code && (code = asim_csv_row(csv, err)) > 0)
        code = read_row(requests, csv, &at, err);
    if (!code && !requests->n)
        code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, 0, 0},
                           "there are no requests in this file.");
    return code;
}

int asim_stream_make(struct asim_requests *requests, const struct asim_stream *stream,
                     struct asim_err *err)
{
    struct asim_csv csv;
    FILE *file;
    int code;

    memset(requests, 0, sizeof *requests);
    if (!stream->file)
        return make(requests, stream, err);
    file = fopen(stream->file, "rb");
    if (!file)
        return asim_err_set(err, ASIM_EIO, "cannot open %s, the file of --requests-file.",
                            stream->file);
    asim_csv_init(&csv, stream->file, (struct asim_csv_source){file, read_file});
    code = read_rows(requests, &csv, err);
    asim_csv_close(&csv);
    fclose(file);
    return asim_foreign_instead(code, stream->file, "requests", err);
}

void asim_stream_free(struct asim_requests *requests)
{
    for (size_t r = 0; r < requests->n; r++)
        for (int side = 0; side < 2; side++)
            free(requests->at[r].blocks[side].at);
    free(requests->at);
}
