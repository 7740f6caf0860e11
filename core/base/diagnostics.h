/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics: sentences for the user about something legal that is probably a mistake, for example
 * a setting without effect. The library does not print; the caller shows them.
 */
#ifndef ASIM_BASE_DIAGNOSTICS_H
#define ASIM_BASE_DIAGNOSTICS_H

#include "asim/err.h"

struct asim_diagnostics {
    void (*say)(void *self, const char *sentence);
    void *self;
};

/* Formats the sentence and passes it to `say`. Does nothing if to or to->say is NULL. */
void asim_diagnose(const struct asim_diagnostics *to, const char *fmt, ...) ASIM_PRINTF(2, 3);

#endif
