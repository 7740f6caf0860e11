/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim_sort_u64 returns the same words in ascending order: inputs of every length below 130, in
 * order, backwards, in runs and random, evenly spread and not.
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

/* shape 0: in order; 1: backwards; 2: runs of five; 3: random; 4: random and close together but for
 * one word. The index in the low bits makes all words differ. */
static uint64_t word(int shape, uint64_t i, uint64_t n, uint64_t *state)
{
    uint64_t drawn = draw(state);

    if (shape == 3)
        return drawn << 8 | i;
    if (shape == 4)
        return (i ? drawn & 255 : 1ull << 50) << 8 | i;
    return (shape == 0 ? i : shape == 1 ? n - i : i % 5) << 8 | i;
}

static void sort(int shape, size_t n, uint64_t *state)
{
    uint64_t room[ASIM_SORT_U64_ROOM * MOST], sum = 0, mixed = 0, *sorted;

    for (size_t i = 0; i < n; i++) {
        room[i] = word(shape, i, n, state);
        sum += room[i];
        mixed ^= room[i] * 0x9e3779b97f4a7c15ull;
    }
    sorted = asim_sort_u64(room, n);
    CHECK(sorted >= room && sorted + n <= room + ASIM_SORT_U64_ROOM * MOST);
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

    for (int shape = 0; shape < 5; shape++)
        for (size_t n = 0; n < MOST; n++)
            sort(shape, n, &state);
    CHECK_U64(asim_bits_of(0), 0);
    CHECK_U64(asim_bits_of(1), 1);
    CHECK_U64(asim_bits_of(255), 8);
    CHECK_U64(asim_bits_of(UINT64_MAX), 64);
    return CHECK_DONE();
}
