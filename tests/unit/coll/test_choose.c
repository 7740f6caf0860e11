/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The published spellings of collective algorithms ("ring", "oneDirect4"), what is refused and
 * with which words, and the positions in a ring.
 */
#include "check.h"
#include "coll/coll.h"

static void good(const char *word, const char *algorithm, uint32_t one_window)
{
    struct asim_coll_choice choice = {0};
    struct asim_err err = {0};

    CHECK(asim_coll_choose(&choice, word, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_STR(choice.algo ? choice.algo->member.name : NULL, algorithm);
    CHECK_U64((uint64_t)choice.one << 16 | choice.window, one_window);
}

static void bad(const char *word, const char *says)
{
    struct asim_coll_choice choice = {0};
    struct asim_err err = {0};

    CHECK(asim_coll_choose(&choice, word, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, says) != NULL);
    if (!strstr(err.text, says))
        fprintf(stderr, "  %s: %s\n", word, err.text);
}

static void positions(void)
{
    for (uint32_t n = 2; n < 40; n++)
        for (uint32_t i = 0; i < n; i++) {
            struct asim_coll on = {.n = n, .index = i, .step = 1},
                             off = {.n = n, .index = i, .step = -1};

            CHECK_U64(asim_coll_peer(&on, 0), i);
            CHECK_U64(asim_coll_peer(&on, 1), (i + 1) % n);
            CHECK_U64(asim_coll_peer(&off, 1), (i + n - 1) % n);
            CHECK_U64(asim_coll_peer(&on, n - 1), asim_coll_peer(&off, 1));
            CHECK_U64(asim_coll_peer(&on, 3ull * n + 2), (i + 2) % n);
        }
}

int main(void)
{
    enum { ONE = 1 << 16 };

    good("ring", "ring", 0);
    good("oneRing", "ring", ONE);
    good("direct", "direct", 0);
    good("direct4", "direct", 4);
    good("oneDirect12", "direct", ONE | 12);
    good("halvingDoubling", "halvingDoubling", 0);
    good("oneHalvingDoubling", "halvingDoubling", ONE);
    good("doubleBinaryTree", "doubleBinaryTree", 0);
    bad("rnig", "Did you mean 'ring'?");
    bad("", "collective algorithm");
    good("ncclRing8", "ncclRing", 8);
    good("ncclNvlsTree", "ncclNvlsTree", 0);
    good("oneNcclAuto4", "ncclAuto", ONE | 4);
    bad("ring4", "only direct takes a number");
    bad("direct0", "only direct takes a number");
    bad("direct4x", "only direct takes a number");
    bad("direct99999999999", "only direct takes a number");
    positions();
    return CHECK_DONE();
}
