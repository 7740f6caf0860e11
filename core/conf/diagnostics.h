/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics: sentences for the user that are no errors ("key X has no effect because ...").
 */
#ifndef ASIM_CONF_DIAGNOSTICS_H
#define ASIM_CONF_DIAGNOSTICS_H

#include "asim/err.h"

/* The caller's function that shows a sentence. */
struct asim_diagnostics {
    void (*say)(void *self, const char *sentence);
    void *self;
};
/* to NULL, or no say: the sentence is dropped. */
void asim_diagnose(const struct asim_diagnostics *to, const char *fmt, ...) ASIM_PRINTF(2, 3);

#endif
