/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arithmetic of the fabric by itself: the order of simultaneous events (tie_key.h), the hash
 * that picks paths against its author's published vectors, draws and host addresses.
 */
#include "testbench.h"
#include "base/murmur3.h"
#include "base/draw.h"

/* Times of scheduling first, then those of the causes, then the class. */
static void ties(void)
{
    const uint64_t far = 1ull << 40;

    CHECK(asim_tie_key(500, 0, ASIM_CLASS_TIMER) < asim_tie_key(499, 1000, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(1, 0, ASIM_CLASS_TIMER) < asim_tie_key(0, 1000, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, 21, ASIM_CLASS_TIMER) < asim_tie_key(5, 20, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_FREE) < asim_tie_key(5, 7, ASIM_CLASS_ARRIVAL));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_ARRIVAL) < asim_tie_key(5, 7, ASIM_CLASS_TIMER));
    CHECK(asim_tie_key(5, 7, ASIM_CLASS_TIMER) == asim_tie_key(5, 7, ASIM_CLASS_TIMER));
    /* Very old events saturate instead of wrapping. */
    CHECK(asim_tie_key(far, 0, ASIM_CLASS_FREE) < asim_tie_key(1u << 29, 0, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(far, 3, ASIM_CLASS_FREE) == asim_tie_key(2 * far, 3, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(5, far, ASIM_CLASS_FREE) == asim_tie_key(5, 2 * far, ASIM_CLASS_FREE));
    CHECK(asim_tie_key(4, far, ASIM_CLASS_FREE) > asim_tie_key(5, 0, ASIM_CLASS_TIMER));
    for (uint64_t age = 0; age < 1000; age++)
        CHECK_U64(asim_tie_key_age(asim_tie_key(age * 1000, age, ASIM_CLASS_ARRIVAL)), age * 1000);
}

static void hashes(void)
{
    static const struct {
        uint32_t word, words, seed, want;
    } published[] = {
        {0, 0, 0, 0},
        {0, 0, 1, 0x514e28b7},
        {0, 0, 0xffffffff, 0x81f16f39},
        {0xffffffff, 1, 0, 0x76293b50},
        {0x87654321, 1, 0, 0xf55b516b},
        {0x87654321, 1, 0x5082edee, 0x2362f9de},
        {0, 1, 0, 0x2362f9de},
        {0x61616161, 1, 0x9747b28c, 0x5a97808a}, /* "aaaa" */
    };
    static const uint32_t twice[] = {0x64636261, 0x68676665}; /* "abcdefgh" */

    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        CHECK_U64(asim_murmur3(&published[i].word, published[i].words, published[i].seed),
                  published[i].want);
    CHECK(asim_murmur3(twice, 2, 0) != asim_murmur3(twice, 1, 0));
    CHECK_U64(asim_host_ip(0), 0x0b000001);
    CHECK_U64(asim_host_ip(1), 0x0b000101);
    CHECK_U64(asim_host_ip(257), 0x0b010101);
}

static void draws(void)
{
    double sum = 0;

    for (uint64_t i = 0; i < 100000; i++) {
        double x = asim_draw(1, 7, i);

        CHECK(x >= 0 && x < 1);
        sum += x;
    }
    CHECK(sum > 49500 && sum < 50500);
    CHECK(asim_draw(1, 2, 3) == asim_draw(1, 2, 3)); /* depends on its keys and nothing else */
    CHECK(asim_draw(1, 2, 3) != asim_draw(1, 3, 2));
    CHECK(asim_draw(1, 2, 3) != asim_draw(2, 2, 3));
}

int main(void)
{
    ties();
    hashes();
    draws();
    return CHECK_DONE();
}
