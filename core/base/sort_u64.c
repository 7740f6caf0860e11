/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A natural merge sort whose comparisons are free of branches: when the input interleaves the
 * events of many ranks, each comparison is as good as random and a mispredicted branch costs more
 * than the rest of the step. Sorted input costs one pass. Buckets for the many short runs of a
 * window's events were built and removed: of rings and direct exchanges on 128 and 1,024 hosts,
 * with fct.txt, they saved no instruction.
 */
#include "base/sort_u64.h"

/* Writes the start of each ascending run and the end of the last run. Returns the number of runs.
 * No branch depends on the keys. */
static size_t find_runs(const uint64_t *keys, size_t n, uint64_t *begin)
{
    size_t runs = 1;

    begin[0] = 0;
    for (size_t i = 1; i < n; i++) {
        begin[runs] = i;
        runs += keys[i] < keys[i - 1];
    }
    begin[runs] = n;
    return runs;
}

/* Merges neighbouring runs in pairs and writes the starts of the merged runs. The list of begins is
 * updated in place: both starts of a pair are read before the start of the merged run is written.
 * All keys differ, so a merge never meets a tie. Returns the number of runs left. */
static size_t merge_runs(const uint64_t *from, uint64_t *to, uint64_t *begin, size_t runs)
{
    size_t left = 0;

    for (size_t r = 0; r < runs; r += 2, left++) {
        size_t i = begin[r], middle = begin[r + 1], j = middle;
        size_t end = r + 1 < runs ? begin[r + 2] : middle;

        begin[left] = i;
        while (i < middle && j < end) {
            uint64_t x = from[i], y = from[j];
            size_t second = y < x;

            *to++ = second ? y : x;
            j += second;
            i += !second;
        }
        while (i < middle)
            *to++ = from[i++];
        while (j < end)
            *to++ = from[j++];
    }
    begin[left] = begin[runs];
    return left;
}

uint64_t *asim_sort_u64(uint64_t *room, size_t n)
{
    uint64_t *from = room, *to = room + n, *begin = room + 2 * n, *swap;

    for (size_t runs = n ? find_runs(from, n, begin) : 0; runs > 1;) {
        runs = merge_runs(from, to, begin, runs);
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}
