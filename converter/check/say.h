/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Problems of the traces, for the caller.
 */
#ifndef ASIM_CONVERTER_CHECK_SAY_H
#define ASIM_CONVERTER_CHECK_SAY_H

#include "check/check.h"

/* Counts an error or a warning and passes the sentence to check->say. */
void asim_check_say(struct asim_check *check, int is_error, const char *fmt, ...) ASIM_PRINTF(3, 4);

#endif
