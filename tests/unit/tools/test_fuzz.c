/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays tests/fuzz/machine, tests/fuzz/serving and the grids of tests/fuzz/conf: the readers of
 * the tools over their corpora, cut and changed.
 */
#include "../../fuzz/replay.h"
#include "asim/machine.h"
#include "tools/inference/inference.h"
#include "tools/machine/import.h"
#include "tools/machine/measured.h"
#include "tools/sweep/sweep.h"

static int read_machine(const char *path, struct asim_err *err)
{
    struct asim_machine machine;
    int rc = asim_machine_read(&machine, path, err);

    asim_machine_fini(&machine);
    return rc;
}

static int read_topology(const char *path, struct asim_err *err)
{
    struct asim_import_host found = {.gpus = 0};

    return asim_import_read(&found, path, err);
}

static int read_measured(const char *path, struct asim_err *err)
{
    struct asim_measured made = {0};
    int rc = asim_measured_read(&made, path, err);

    asim_measured_fini(&made);
    return rc;
}

static int read_nccl_env(const char *path, struct asim_err *err)
{
    struct asim_nccl_env env = {0};
    int rc = asim_nccl_env_read(&env, path, NULL, err);

    asim_nccl_env_fini(&env);
    return rc;
}

static int read_requests(const char *path, struct asim_err *err)
{
    struct asim_stream stream = {.file = path};
    struct asim_requests requests;
    int rc = asim_stream_make(&requests, &stream, err);

    asim_stream_free(&requests);
    return rc;
}

static int open_times(const struct asim_times_options *opt, struct asim_err *err)
{
    struct asim_times times;
    int rc = asim_times_open(&times, opt, err);

    asim_times_close(&times);
    return rc;
}

static int read_times(const char *path, struct asim_err *err)
{
    return open_times(
        &(struct asim_times_options){"llama-3-8b", "H100", NULL, path, "uniform", 1, 0, 1}, err);
}

static int read_gpus(const char *path, struct asim_err *err)
{
    return open_times(
        &(struct asim_times_options){"llama-3-8b", "X1", path, NULL, "uniform", 1, 0, 1}, err);
}

static int read_grid(const char *path, struct asim_err *err)
{
    struct asim_sweep sweep = {.target = &asim_sweep_targets[0]};
    int rc = asim_sweep_read(&sweep, path, err);

    rc = rc ? rc : asim_sweep_make(&sweep, err);
    asim_sweep_fini(&sweep);
    return rc;
}

int main(void)
{
    CHECK(replay_folder("machine", "small.json", read_machine) > 0);
    CHECK(replay_folder("machine", ".xml", read_topology) > 0);
    CHECK(replay_folder("machine", ".txt", read_measured) > 0);
    CHECK(replay_folder("machine", "rccl.json", read_measured) > 0);
    CHECK(replay_folder("machine", ".conf", read_nccl_env) > 0);
    CHECK(replay_folder("serving", "requests.csv", read_requests) > 0);
    CHECK(replay_folder("serving", "times.csv", read_times) > 0);
    CHECK(replay_folder("serving", ".gpus.json", read_gpus) > 0);
    CHECK(replay_folder("conf", ".sweep.json", read_grid) > 0);
    return CHECK_DONE();
}
