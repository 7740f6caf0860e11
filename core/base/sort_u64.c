/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorting of words: a natural merge sort without a branch on what is compared, since where rows of
 * many ranks mix, which of two comes first is as good as random, and a guess that fails costs more
 * than the rest. A row that is in order already costs one pass; one of many short runs, spread
 * evenly, as rows of a window by time are, costs four instead of one for each doubling.
 */
#include "base/sort_u64.h"

#include <string.h>

/* Runs merged without asking whether buckets would do better; words of one bucket. */
enum { RUNS_MOST = 4, BUCKET_MOST = 12 };

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

/* Whether there are more than RUNS_MOST runs: mostly seen after a few words. */
static int has_many_runs(const uint64_t *keys, size_t n)
{
    size_t runs = 1;

    for (size_t i = 1; i < n && runs <= RUNS_MOST; i++)
        runs += keys[i] < keys[i - 1];
    return runs > RUNS_MOST;
}

/* Where the words are many short runs: puts each into one of up to four times as many buckets as
 * there are words, by the highest of the bits in which they differ: with fewer, more words have to
 * move in their bucket, and each move is guessed wrong. 0 where one bucket would have more than
 * BUCKET_MOST of them: then they are not spread evenly, and nothing was done. count: as many as
 * buckets. */
static int scatter(const uint64_t *from, uint64_t *to, uint64_t *count, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0, sum = 0, fullest = 0;
    unsigned bits = asim_bits_of(n) + 1, spread, shift;

    for (size_t i = 0; i < n; i++) {
        least = from[i] < least ? from[i] : least;
        most = from[i] > most ? from[i] : most;
    }
    spread = asim_bits_of(most - least);
    shift = spread > bits ? spread - bits : 0;
    memset(count, 0, sizeof *count << bits);
    for (size_t i = 0; i < n; i++)
        count[(from[i] - least) >> shift]++;
    for (size_t b = 0; b < (size_t)1 << bits; b++) {
        uint64_t here = count[b];

        fullest = here > fullest ? here : fullest;
        count[b] = sum;
        sum += here;
    }
    if (fullest > BUCKET_MOST)
        return 0;
    for (size_t i = 0; i < n; i++)
        to[count[(from[i] - least) >> shift]++] = from[i];
    return 1;
}

/* The buckets are in order, and short: no word has far to go. */
static void insert(uint64_t *words, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t word = words[i];
        size_t at = i;

        for (; at && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

uint64_t *asim_words_sort(uint64_t *room, size_t n)
{
    uint64_t *from = room, *to = room + n, *begin = room + 2 * n, *swap;

    if (has_many_runs(from, n) && scatter(from, to, begin, n)) {
        insert(to, n);
        return to;
    }
    for (size_t runs = n ? find_runs(from, n, begin) : 0; runs > 1;) {
        runs = merge_runs(from, to, begin, runs);
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}
