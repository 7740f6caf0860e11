/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the jobs of a scenario alone, before the scenario; at the flow level, where a run has no
 * threads of its own, --threads of them side by side. Every process of a run of several does
 * this on its own, with the same results.
 */
#include "cli/alone.h"

#include <stdlib.h>
#include <string.h>

#include "asim/scenario.h"
#include "base/text.h"
#include "cli/side_by_side.h"

/* Settings of the run without its outputs. */
static struct asim_settings settings_of(const struct asim_settings *settings, const char *job)
{
    struct asim_settings own = *settings;

    own.only_job = job;
    own.out = own.pcap = own.reports = own.logging_folder = NULL;
    own.timeline = 0;
    own.quiet = 1;
    own.process = own.processes = own.borrowed_cores = 0;
    return own;
}

static int run_one(const struct asim_settings *settings, const struct asim_hooks *hooks,
                   const char *job, uint64_t *ns, struct asim_err *err)
{
    const struct asim_settings own = settings_of(settings, job);
    const struct asim_hooks quiet = {.self = hooks->self, .stop = hooks->stop};
    struct asim_err why = {0};
    struct asim_world *world;
    int code = asim_world_open(&world, &own, &quiet, &why);

    if (!code)
        code = asim_world_run(world, &why);
    if (!code)
        *ns = asim_world_job_ns(world, 0);
    asim_world_close(world);
    if (code == ASIM_EINVAL || code == ASIM_EINTR || code == ASIM_EUSAGE)
        *err = why;
    else if (code)
        asim_err_set(err, code, "job '%s' alone: %s", job, why.text);
    return code;
}

struct alone {
    const struct asim_settings *settings;
    const struct asim_hooks *hooks;
    const struct asim_scenario *scenario;
    uint64_t *ns;
    struct asim_err *errs; /* [jobs] */
};

static void run_job(void *self, uint32_t i)
{
    const struct alone *alone = self;

    run_one(alone->settings, alone->hooks, asim_scenario_job(alone->scenario, i)->name,
            &alone->ns[i], &alone->errs[i]);
}

int asim_alone_run(const struct asim_settings *settings, const struct asim_hooks *hooks,
                   uint64_t **ns, struct asim_err *err)
{
    struct alone alone = {.settings = settings, .hooks = hooks};
    struct asim_scenario *scenario;
    int is_flow = settings->mode && !strcmp(settings->mode, "flow"),
        code = asim_scenario_read(&scenario, settings->scenario, err);
    uint32_t n;

    *ns = NULL;
    if (code)
        return code;
    n = (uint32_t)asim_scenario_jobs(scenario);
    alone.scenario = scenario;
    alone.ns = *ns = calloc(n, sizeof **ns);
    alone.errs = calloc(n, sizeof *alone.errs);
    if (alone.ns && alone.errs)
        asim_side_by_side(n, is_flow ? settings->threads : 1, run_job, &alone);
    else
        code = asim_err_nomem(err, "running jobs alone");
    for (uint32_t i = 0; i < n && !code; i++)
        if ((code = alone.errs[i].code))
            *err = alone.errs[i];
    free(alone.errs);
    asim_scenario_close(scenario);
    return code;
}

/* --- the end of a job ------------------------------------------------------------------------- */
struct awaited {
    const struct asim_hooks *hooks;
    struct asim_world *world;
    uint32_t job;
};

static int is_over(const struct awaited *at)
{
    return at->world && asim_world_job_ns(at->world, at->job) != UINT64_MAX;
}

static int stop(void *self)
{
    const struct awaited *at = self;

    return is_over(at) || (at->hooks->stop && at->hooks->stop(at->hooks->self));
}

/* A run that is stuck later, or does not come so far, has no end by this job. */
static int run_until(const struct asim_settings *settings, struct awaited *at, uint64_t *ns,
                     struct asim_err *err)
{
    struct asim_settings own = settings_of(settings, NULL);
    const struct asim_hooks quiet = {.self = at, .stop = stop};
    int code;

    own.end_ns = UINT64_MAX;
    code = asim_world_open(&at->world, &own, &quiet, err);
    if (!code)
        code = asim_world_run(at->world, err);
    if (at->world && is_over(at)) {
        *ns = asim_world_job_ns(at->world, at->job);
        code = 0;
    }
    asim_world_close(at->world);
    return code == ASIM_ESTALL ? 0 : code;
}

int asim_alone_find_end(struct asim_settings *settings, const struct asim_hooks *hooks,
                        struct asim_err *err)
{
    const struct asim_scenario_job *job;
    struct asim_scenario *scenario;
    struct asim_err why = {0};
    uint64_t ns = UINT64_MAX;
    size_t number;
    int code = asim_scenario_read(&scenario, settings->scenario, err);

    if (code)
        return code;
    job = asim_scenario_end_job(scenario, &number);
    if (job) {
        struct awaited at = {.hooks = hooks, .job = (uint32_t)number};

        code = run_until(settings, &at, &ns, &why);
        settings->end_ns = ns == UINT64_MAX ? ns : job->start_fs / ASIM_FS_PER_NS + ns + 1;
    }
    asim_scenario_close(scenario);
    if (code)
        *err = why;
    return code;
}
