/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Large pieces of memory: from the start of a cache line, or of a huge page.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* aligned_alloc needs a multiple of the alignment. */
void *asim_block(size_t bytes)
{
    size_t unit = bytes < ASIM_HUGE_BYTES ? ASIM_LINE_BYTES : ASIM_HUGE_BYTES;
    void *at;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + unit - 1) & ~(unit - 1);
    at = aligned_alloc(unit, bytes);
#ifdef MADV_HUGEPAGE
    if (at && unit == ASIM_HUGE_BYTES)
        (void)madvise(at, bytes, MADV_HUGEPAGE); /* else it is slower only */
#endif
    return at;
}

void *asim_calloc_lines(size_t n, size_t size)
{
    void *at = size && n > SIZE_MAX / size ? NULL : asim_block(n * size);

    return at ? memset(at, 0, n * size) : NULL;
}
