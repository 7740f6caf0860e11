/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A natural merge sort whose comparisons are free of branches: when the input interleaves the
 * events of many ranks, each comparison is as good as random and a mispredicted branch costs more
 * than the rest of the step. Sorted input costs one pass. Input of many short, evenly spread runs
 * (the events of one lookahead window by time) is scattered into buckets and costs four passes, not
 * one pass for each doubling of the run length.
 */
#include "base/sort_u64.h"

#include <string.h>

/* Buckets are tried for inputs of more than RUNS_MOST runs; most words in one bucket. */
enum { RUNS_MOST = 4, BUCKET_MOST = 12 };

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

/* 1 if the input has more than RUNS_MOST runs. Usually a few words decide. */
static int has_many_runs(const uint64_t *keys, size_t n)
{
    size_t runs = 1;

    for (size_t i = 1; i < n && runs <= RUNS_MOST; i++)
        runs += keys[i] < keys[i - 1];
    return runs > RUNS_MOST;
}

/* Distributes the words over two to four times n buckets, by the highest bits in which the words
 * differ. Fewer buckets would leave more words to move inside each bucket, and the branch predictor
 * misses each move. Returns 0 and leaves `to` alone if a bucket would get more than BUCKET_MOST
 * words: then the words are not spread evenly. count: one word for each bucket. */
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

/* Insertion sort over all buckets at once. Buckets are short and in order: each word moves a few
 * places. */
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

uint64_t *asim_sort_u64(uint64_t *room, size_t n)
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
