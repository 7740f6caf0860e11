/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs before the run of a scenario: its jobs one by one (--alone), and the end of the job with
 * which the run ends.
 */
#ifndef ASIM_CLI_ALONE_H
#define ASIM_CLI_ALONE_H

#include "asim/asim.h"

/* Runs each job of settings->scenario alone, on the hosts that it has beside the others, without
 * reports, with the clock of the core. *ns [jobs]: how long each took, UINT64_MAX where its end
 * came with the end of the scenario; the caller frees it. hooks: of the run; notes of these runs
 * are those of the run itself and are left out. 0, or the code of the first run that failed. */
int asim_alone_run(const struct asim_settings *settings, const struct asim_hooks *hooks,
                   uint64_t **ns, struct asim_err *err);
/* Where the scenario ends with a job ("end"): runs it until this job has finished, without reports,
 * and sets settings->end_ns, from which on ranks begin no op. Else nothing. */
int asim_alone_find_end(struct asim_settings *settings, const struct asim_hooks *hooks,
                        struct asim_err *err);

#endif
