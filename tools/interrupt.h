/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ctrl-C for commands that write files: the command ends as after a failed write, and so removes
 * what it has begun. A second Ctrl-C ends it at once.
 */
#ifndef ASIM_TOOLS_INTERRUPT_H
#define ASIM_TOOLS_INTERRUPT_H

#include "asim/err.h"

/* From here on SIGINT, SIGTERM and SIGHUP make every write to a file fail. */
void asim_interrupt_catch(void);
/* 1 after such a signal: long reading may end. */
int asim_interrupted(void);
/* The same as asim_hooks.stop. */
int asim_interrupt_stop(void *self);
/* Ends that. Returns the command's code; after a signal, a failure becomes ASIM_EINTR with its
 * sentence. */
int asim_interrupt_end(int code, struct asim_err *err);

#endif
