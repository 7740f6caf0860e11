/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the factor of computation times with which the simulated step is as long as the recorded
 * one. What communication a computation hides changes with the factor, so that the step is no
 * straight line over it: each try corrects the factor by what the step still lacks, as if all
 * computation counted; where that leaves the factors that are known to be too small and too large,
 * it goes between them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io/out.h"
#include "tools/run/job.h"

/* Runs, and the share of the recorded step that counts as met. */
enum { TRIES = 8 };
static const double near_enough = 1e-3;

static int check(const struct asim_job *job, const struct asim_job_result *first,
                 struct asim_err *err)
{
    if (job->recorded.step_ms <= 0)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--auto-calibrate needs the recorded time of a step: training_*.json "
                            "beside the traces, or --real-step-ms.");
    if (job->ranks != job->recorded_ranks)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "--auto-calibrate compares with the recorded step of %u ranks; this run has %u. "
            "Calibrate without --world-size and --virtual-scale, then give --compute-factor.",
            job->recorded_ranks, job->ranks);
    if (!first->gpu_ns)
        return asim_err_set(err, ASIM_EINVAL,
                            "--auto-calibrate found no computation in the traces to scale.");
    if (strcmp(first->state, "finished") != 0)
        return asim_err_set(err, ASIM_EINVAL, "--auto-calibrate needs a run that finishes.");
    return 0;
}

/* A factor and the step that it makes. */
struct tried {
    double factor, ns;
};

/* below, above: the nearest ones so far; without one of them the factor is 0. <= 0: no computation
 * is so short. */
static double next_factor(const struct tried *now, const struct tried *below,
                          const struct tried *above, double want_ns, uint64_t gpu_ns)
{
    double factor = now->factor + (want_ns - now->ns) / (double)gpu_ns;

    if (below->factor > 0 && above->factor > 0 &&
        (factor <= below->factor || factor >= above->factor))
        factor = below->factor +
                 (above->factor - below->factor) * (want_ns - below->ns) / (above->ns - below->ns);
    return factor;
}

int asim_job_compute_factor(struct asim_job *job, const struct asim_job_result *first,
                            struct asim_job_result *result, int *code, struct asim_err *err)
{
    static const char *const names[] = {"packet calibrated", "flow calibrated",
                                        "unaware calibrated", "aware calibrated", "ns3 calibrated"};
    enum asim_job_backend backend =
        job->backend == ASIM_JOB_ALL ? ASIM_JOB_PACKET : (enum asim_job_backend)job->backend;
    double want_ns = job->recorded.step_ms * 1e6;
    struct tried now = {1, (double)first->finish_ns}, below = {0, 0}, above = {0, 0};

    if (check(job, first, err))
        return err->code;
    snprintf(result->folder, sizeof result->folder, "%.1900s/calibrated", job->folder);
    result->backend = names[backend];
    for (int tries = 0; fabs(now.ns / want_ns - 1) > near_enough; tries++) {
        *(now.ns < want_ns ? &below : &above) = now;
        now.factor = next_factor(&now, &below, &above, want_ns, first->gpu_ns);
        if (tries == TRIES)
            return asim_err_set(err, ASIM_EINVAL,
                                "--auto-calibrate comes to %g ms, but in %d runs no nearer to the "
                                "recorded step of %g ms.",
                                now.ns / 1e6, TRIES, job->recorded.step_ms);
        if (now.factor <= 0)
            return asim_err_set(err, ASIM_EINVAL,
                                "--auto-calibrate cannot reach the recorded step of %g ms: without "
                                "any computation the run still takes longer. The network is slower "
                                "than the recorded one, or the recorded step is of other units.",
                                job->recorded.step_ms);
        job->compute_factor = now.factor;
        if (asim_out_mkdir(result->folder, err) ||
            asim_job_backend(job, backend, result->folder, code, err))
            return ASIM_EIO;
        if (*code || asim_job_result(result, err))
            return *code ? asim_err_set(err, ASIM_EINVAL,
                                        "the calibrated run failed; %s/log.txt says why.",
                                        result->folder)
                         : err->code;
        now.ns = (double)result->finish_ns;
    }
    if (now.factor == 1) { /* exact already */
        const char *name = result->backend;

        *result = *first;
        result->backend = name;
    }
    result->compute_factor = now.factor;
    return 0;
}
