/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Formats diagnostics and passes them on. Sentences longer than the buffer are cut. Names of inputs
 * in a sentence cannot hide what it says (asim_text_clean).
 */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include "base/text.h"

void asim_diagnose(const struct asim_diagnostics *to, const char *fmt, ...)
{
    char text[2048];
    va_list args;

    if (!to || !to->say)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    to->say(to->self, asim_text_clean(text));
}
