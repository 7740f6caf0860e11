/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the factor of computation times with which the simulated step is as long as the recorded
 * one. What communication a computation hides changes with the factor, so that the step is no
 * straight line over it: each try corrects the factor by what the step still lacks, as if all
 * computation counted.
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

int asim_job_compute_factor(struct asim_job *job, const struct asim_job_result *first,
                            struct asim_job_result *result, int *code, struct asim_err *err)
{
    static const char *const names[] = {"packet calibrated", "flow calibrated",
                                        "unaware calibrated", "aware calibrated", "ns3 calibrated"};
    enum asim_job_backend backend =
        job->backend == ASIM_JOB_ALL ? ASIM_JOB_PACKET : (enum asim_job_backend)job->backend;
    double want_ns = job->recorded.step_ms * 1e6, factor = 1, at_ns = (double)first->finish_ns;

    if (check(job, first, err))
        return err->code;
    snprintf(result->folder, sizeof result->folder, "%.1900s/calibrated", job->folder);
    result->backend = names[backend];
    for (int tries = 0; tries < TRIES && fabs(at_ns / want_ns - 1) > near_enough; tries++) {
        factor += (want_ns - at_ns) / (double)first->gpu_ns;
        if (factor <= 0)
            return asim_err_set(err, ASIM_EINVAL,
                                "--auto-calibrate cannot reach the recorded step of %g ms: without "
                                "any computation the run still takes longer. The network is slower "
                                "than the recorded one, or the recorded step is of other units.",
                                job->recorded.step_ms);
        job->compute_factor = factor;
        if (asim_out_mkdir(result->folder, err) ||
            asim_job_backend(job, backend, result->folder, code, err))
            return ASIM_EIO;
        if (*code || asim_job_result(result, err))
            return *code ? asim_err_set(err, ASIM_EINVAL,
                                        "the calibrated run failed; %s/log.txt says why.",
                                        result->folder)
                         : err->code;
        at_ns = (double)result->finish_ns;
    }
    if (factor == 1) { /* exact already */
        const char *name = result->backend;

        *result = *first;
        result->backend = name;
    }
    result->compute_factor = factor;
    return 0;
}
