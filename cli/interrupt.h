/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ctrl-C for all commands: SIGINT, SIGTERM and SIGHUP set one flag. Commands that write files also
 * end as after a failed write, and so remove what they have begun.
 */
#ifndef ASIM_CLI_INTERRUPT_H
#define ASIM_CLI_INTERRUPT_H

#include <sys/types.h>

#include "asim/err.h"

/* From here on the signals make every write to a file fail. Where the command has not ended a second
 * later, nor asked (asim_interrupted), it ends there; a second signal ends it at once. Signals that the caller ignores (nohup) stay ignored. */
void asim_interrupt_catch(void);
/* Ends that. Returns the command's code; after a signal, a failure becomes ASIM_EINTR with its
 * sentence. */
int asim_interrupt_end(int code, struct asim_err *err);

/* From here on the signals set the flag only: the command asks for it at its safe points and keeps
 * partial results. Where it does not ask within a second it ends there, as after a second signal. A SIGHUP that the caller ignores (nohup) stays ignored. */
void asim_interrupt_note(void);
/* The same for one more signal. */
void asim_interrupt_note_too(int number);
/* Signals that reach this process alone are passed on to `child`; 0: to none. */
void asim_interrupt_pass_to(pid_t child);
/* In a child before exec: as if nothing had been caught. */
void asim_interrupt_default(void);

/* 1 after such a signal. */
int asim_interrupted(void);
/* The same as asim_hooks.stop. */
int asim_interrupt_stop(void *self);

#endif
