/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a scheduler of asim inference is given: requests, times of iterations, GPUs, a model. Each
 * reader gets the same bytes; a time is a number.
 */
#include <string.h>

#include "fuzz/engine/target.h"
#include "tools/inference/inference.h"

static void read_times(const struct asim_times_options *opt)
{
    static const struct asim_batch batch = {100, 10, 5050, 1000};
    struct asim_err err = {0};
    struct asim_times times;
    int code = asim_times_open(&times, opt, &err);

    target_judge(code, &err);
    if (!code && asim_times_of(&times, &batch) > UINT64_MAX / 2)
        abort();
    asim_times_close(&times);
}

static int read_each(struct asim_requests *requests, const char *path, struct asim_err *err)
{
    struct asim_stream stream = {.file = path};
    struct asim_times_options opt = {"llama-3-8b", "H100", NULL, NULL, "uniform", .5, 1, 2};

    opt.table = path;
    read_times(&opt);
    opt.table = NULL;
    opt.gpus = path;
    read_times(&opt);
    opt.gpus = NULL;
    opt.model = path;
    read_times(&opt);
    return asim_stream_make(requests, &stream, err);
}

TARGET(".csv", struct asim_requests, read_each(&made, path, &err), asim_stream_free(&made))
