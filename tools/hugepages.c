/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See hugepages.h. glibc grows the heap by pieces that are too small for a large page to lie in them;
 * so one piece is taken that is not, marked, and given back, which leaves it where all that is
 * taken next comes from. 2 to 4 % of runs of short messages among 128 hosts, where every turn of a
 * host finds other memory than the last.
 */
#define _DEFAULT_SOURCE /* MADV_HUGEPAGE */
#include "tools/hugepages.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(__GLIBC__) && defined(__linux__) && !defined(ASIM_ASAN)
#include <malloc.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20, TAKEN = 31 << 20, MOST_IN_HEAP = 32 << 20, KEPT = 64 << 20 };

void asim_pages_large(void)
{
    uintptr_t from, to;
    void *all;

    if (!mallopt(M_MMAP_THRESHOLD, MOST_IN_HEAP) || !mallopt(M_TRIM_THRESHOLD, KEPT))
        return;
    all = malloc(TAKEN);
    if (!all)
        return;
    from = ((uintptr_t)all + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    to = ((uintptr_t)all + TAKEN) / LARGE_PAGE * LARGE_PAGE;
    madvise((void *)from, to - from, MADV_HUGEPAGE); /* where it fails pages are small ones */
    free(all);
}
#else
void asim_pages_large(void)
{
}
#endif
