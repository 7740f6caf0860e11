/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Problems of the traces, for the caller. Longer sentences are cut.
 */
#include "check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include "base/text.h"

void asim_check_say(struct asim_check *check, int is_error, const char *fmt, ...)
{
    char text[3072];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    asim_text_clean(text); /* names of files and nodes are others' */
    check->errors += is_error != 0;
    check->warnings += !is_error;
    check->say(check->self, is_error, text);
}
