/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorting of words against what must hold of it: ascending, and the same words. Rows of every
 * length up to some, in order, backwards, in runs and as drawn, evenly and not.
 */
#include "check.h"
#include "base/sort_u64.h"

enum { MOST = 130 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* kind 0: in order; 1: backwards; 2: runs of five; 3: as drawn, any words; 4: as drawn, close
 * together but for one that is far. The index keeps them apart. */
static uint64_t word(int kind, uint64_t i, uint64_t n, uint64_t *state)
{
    uint64_t drawn = draw(state);

    if (kind == 3)
        return drawn << 8 | i;
    if (kind == 4)
        return (i ? drawn & 255 : 1ull << 50) << 8 | i;
    return (kind == 0 ? i : kind == 1 ? n - i : i % 5) << 8 | i;
}

static void sort(int kind, size_t n, uint64_t *state)
{
    uint64_t room[ASIM_WORDS_ROOM * MOST], sum = 0, mixed = 0, *sorted;

    for (size_t i = 0; i < n; i++) {
        room[i] = word(kind, i, n, state);
        sum += room[i];
        mixed ^= room[i] * 0x9e3779b97f4a7c15ull;
    }
    sorted = asim_words_sort(room, n);
    CHECK(sorted >= room && sorted + n <= room + ASIM_WORDS_ROOM * MOST);
    for (size_t i = 0; i < n; i++) {
        CHECK(!i || sorted[i] > sorted[i - 1]);
        sum -= sorted[i];
        mixed ^= sorted[i] * 0x9e3779b97f4a7c15ull;
    }
    CHECK_U64(sum, 0);
    CHECK_U64(mixed, 0);
}

int main(void)
{
    uint64_t state = 88172645463325252ull;

    for (int kind = 0; kind < 5; kind++)
        for (size_t n = 0; n < MOST; n++)
            sort(kind, n, &state);
    CHECK_U64(asim_bits_of(0), 0);
    CHECK_U64(asim_bits_of(1), 1);
    CHECK_U64(asim_bits_of(255), 8);
    CHECK_U64(asim_bits_of(UINT64_MAX), 64);
    return CHECK_DONE();
}
