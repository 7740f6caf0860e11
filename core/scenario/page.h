/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Text into a caller's buffer that counts on behind its end, as snprintf.
 */
#ifndef ASIM_SCENARIO_PAGE_H
#define ASIM_SCENARIO_PAGE_H

#include <stddef.h>
#include "asim/err.h"

struct asim_page {
    char *buf;
    size_t size, n; /* n: bytes so far, also those that do not fit */
};

void asim_page_printf(struct asim_page *page, const char *fmt, ...) ASIM_PRINTF(2, 3);
/* As a JSON string, with its quotes. */
void asim_page_quote(struct asim_page *page, const char *text);

#endif
