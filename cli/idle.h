/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of a run that have no effect without another one.
 */
#ifndef ASIM_CLI_IDLE_H
#define ASIM_CLI_IDLE_H

struct asim_settings;

/* Calls say(self, sentence) once for each such option. compare: the command compares networks by
 * itself, as with --compare. */
void asim_idle_options(const struct asim_settings *settings, int compare,
                       void (*say)(void *self, const char *sentence), void *self);

#endif
