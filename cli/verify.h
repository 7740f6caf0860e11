/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How far a run at the flow level is from packets: some of its collectives of each kind are run
 * again in both, on their own hosts with what else was under way there (doc/flow.md#sampling).
 *
 * Order of calls: open (before the world starts), run the world, finish, close. Call close after a
 * failed open, too.
 */
#ifndef ASIM_CLI_VERIFY_H
#define ASIM_CLI_VERIFY_H

#include "asim/asim.h"

struct asim_verify;

/* Observes the world. settings is borrowed until _close; settings->verify is the share of each
 * kind, "5%" or "0.05". */
int asim_verify_open(struct asim_verify **verify, struct asim_world *world,
                     const struct asim_settings *settings, struct asim_err *err);
/* Runs the samples, settings->threads side by side, and prints a line a kind on stdout; verify.csv
 * goes to the settings' out where there is one. The world must still be open. */
int asim_verify_finish(struct asim_verify *verify, struct asim_err *err);
/* NULL is fine. */
void asim_verify_close(struct asim_verify *verify);

#endif
