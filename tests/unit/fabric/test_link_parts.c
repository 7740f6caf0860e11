/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The small parts of fabric/link: the event heap against a sorted list, byte ranges against a
 * bitmap, the words of a frame, arrival times.
 */
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include "fabric/link/event_heap.h"
#include "fabric/link/link.h"
#include "fabric/link/ranges.h"

enum { EVENTS = 500, BYTES = 256, STEPS = 4000 };

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int by_key(const void *a, const void *b)
{
    return asim_event_entry_before(a, b) ? -1 : asim_event_entry_before(b, a);
}

/* Few values of each word, so that every word decides somewhere. */
static void heap_order(void)
{
    struct asim_event_entry all[EVENTS], got;
    struct asim_event_heap heap = {0};
    uint64_t state = 1;

    for (size_t i = 0; i < EVENTS; i++) {
        all[i] = (struct asim_event_entry){draw(&state) % 4, draw(&state) % 3, draw(&state) % 3, i};
        CHECK(asim_event_heap_push(&heap, all[i]) == 0);
    }
    qsort(all, EVENTS, sizeof all[0], by_key);
    for (size_t i = 0; i < EVENTS; i++) {
        got = asim_event_heap_pop(&heap);
        CHECK_U64(got.value, all[i].value);
    }
    CHECK_U64(heap.n, 0);
    asim_event_heap_fini(&heap);
}

static void heap_replace(void)
{
    static const uint64_t want[] = {3, 4, 7};
    struct asim_event_heap heap = {0};

    for (uint64_t t = 1; t <= 4; t += t < 2 ? 2 : 1) /* 1, 3, 4 */
        CHECK(asim_event_heap_push(&heap, (struct asim_event_entry){.t = t}) == 0);
    asim_event_heap_replace(&heap, (struct asim_event_entry){.t = 7}); /* in place of 1 */
    for (size_t i = 0; i < 3; i++)
        CHECK_U64(asim_event_heap_pop(&heap).t, want[i]);
    asim_event_heap_fini(&heap);
}

/* Ranges are sorted, do not touch, and hold exactly the bytes of the bitmap. */
static void check_ranges(const struct asim_ranges *ranges, const uint8_t *bytes)
{
    for (size_t i = 0; i < ranges->n; i++) {
        CHECK(ranges->at[i].from < ranges->at[i].to);
        CHECK(!i || ranges->at[i - 1].to < ranges->at[i].from);
    }
    for (uint64_t b = 0; b < BYTES; b++)
        CHECK(asim_ranges_has(ranges, b) == bytes[b]);
}

static void ranges_as_bitmap(void)
{
    struct asim_ranges ranges = {0};
    uint8_t bytes[BYTES] = {0};
    uint64_t state = 7;

    for (int i = 0; i < STEPS; i++) {
        uint64_t from = draw(&state) % BYTES, to = from + draw(&state) % 24;
        int add = draw(&state) % 2 != 0;
        struct asim_range range = {from, to < BYTES ? to : BYTES};

        CHECK((add ? asim_ranges_add(&ranges, range) : asim_ranges_cut(&ranges, range)) == 0);
        memset(bytes + range.from, add, range.to - range.from);
        if (i % 16 == 0)
            check_ranges(&ranges, bytes);
    }
    asim_ranges_fini(&ranges);
    CHECK_U64(ranges.n, 0);
}

/* The words and the named parts of a frame are the same bits. */
static void frame_words(void)
{
    struct asim_frame frame = {0}, copy = {.t = 5};

    frame.word1 = asim_frame_word1((1ull << 44) - 2, 14, 65535);
    frame.word2 = asim_frame_word2(0xfffffffe, ASIM_RESUME, ASIM_SOLICIT);
    CHECK_U64(frame.seq, (1ull << 44) - 2);
    CHECK_U64(frame.tries, 14);
    CHECK_U64(frame.wire, 65535);
    CHECK_U64(frame.dst, 0xfffffffe);
    CHECK_U64(frame.type, ASIM_RESUME);
    CHECK_U64(frame.flags, ASIM_SOLICIT);
    CHECK_U64(frame.cause_recency, 0);
    frame.src = 3;
    frame.slot = 4;
    asim_frame_copy(&copy, &frame, 0xabcdef);
    CHECK_U64(copy.t, 5);
    CHECK_U64(copy.ingress, 0xabcdef);
    CHECK_U64(copy.cause_recency, 0xabcdef);
    CHECK_U64(copy.type, ASIM_RESUME);
    CHECK_U64(copy.flags, ASIM_SOLICIT);
    CHECK_U64(copy.flow, frame.flow);
    CHECK_U64(sizeof frame, 32);
}

static void arrivals(void)
{
    static const struct {
        uint64_t bytes, bps, want; /* nearest ns, exact halves down */
    } rows[] = {{0, 1000000000, 0},      {1, 8000000000, 1},       {1, 16000000000, 0},
                {3, 16000000000, 1},     {1000, 400000000000, 20}, {1036, 100000000000, 83},
                {1078, 200000000000, 43}};
    struct asim_wire wire = {.delay = 500};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_U64(asim_tx_ns(rows[i].bytes, rows[i].bps), rows[i].want);
        CHECK_U64(asim_link_arrival(&wire, asim_tx_ns(rows[i].bytes, rows[i].bps)),
                  rows[i].want + 500);
    }
}

int main(void)
{
    heap_order();
    heap_replace();
    ranges_as_bitmap();
    frame_words();
    arrivals();
    return CHECK_DONE();
}
