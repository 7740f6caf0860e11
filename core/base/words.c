/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorting of words: a natural merge sort without a branch on what is compared, since where rows of
 * many ranks mix, which of two comes first is as good as random, and a guess that fails costs more
 * than the rest. A row that is in order already costs one pass.
 */
#include "base/words.h"

/* Where each run of ascending keys begins, and the end of the last; returns how many runs. Without
 * a branch on the keys. */
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

/* Merges each two runs that follow each other and keeps the begins of what comes out. The two
 * begins of a pair are read before its one is written, so one list serves. Insertion is the lowest
 * part of a key: no two are equal, and which side goes first at equals is no question. */
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

uint64_t *asim_words_sort(uint64_t *room, size_t n)
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
