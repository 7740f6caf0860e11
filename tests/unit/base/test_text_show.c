/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Texts of error messages: the most similar word, lists, safe pieces of input. Buffers of every
 * size are filled without a byte too many and never with half a UTF-8 character.
 */
#include "check.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

static void test_nearest(void)
{
    static const char *const words[] = {
        "ring", "direct", "halvingDoubling", "doubleBinaryTree", "PACKET_PAYLOAD_SIZE", "L"};
    static const struct {
        const char *word, *want;
    } rows[] = {
        {"rnig", "ring"},
        {"rin", "ring"},
        {"Ring", "ring"},
        {"RING", "ring"},
        {"strings", NULL}, /* three slips */
        {"halvingdoubling", "halvingDoubling"},
        {"halvingDubling", "halvingDoubling"},
        {"doubleBinryTere", "doubleBinaryTree"},
        {"PACKET_PAYLOD_SIZE", "PACKET_PAYLOAD_SIZE"},
        {"l", "L"},
        {"packet", "PACKET_PAYLOAD_SIZE"}, /* its first part */
        {"pack", NULL},
        {"x", NULL}, /* one letter apart, but that is all there is */
        {"", NULL},
        {"completely else", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = asim_text_nearest(rows[i].word, words, 6);
        CHECK_STR(got ? got : "none", rows[i].want ? rows[i].want : "none");
    }
    CHECK(!asim_text_nearest("ring", words, 0));
    const char *const two[] = {"gpt-7b", "gpt-22b"}; /* either may be meant */
    CHECK(!asim_text_nearest("gpt", two, 2));
    char big[5000];
    memset(big, 'r', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    CHECK(!asim_text_nearest(big, words, 6));
    const char *const huge[] = {big, "ring"};
    CHECK_STR(asim_text_nearest("rinq", huge, 2), "ring");
}

static void test_safe(void)
{
    static const struct {
        const char *text;
        size_t size;
        const char *want;
    } rows[] = {
        {"plain", 80, "plain"},
        {"it's \"so\"", 80, "it`s `so`"},
        {"a\tb\nc\x7F\x1B[31m", 80, "a?b?c??[31m"},
        {"gr\xC3\xBC\xC3\x9F", 80, "gr\xC3\xBC\xC3\x9F"},
        {"\xC2\x9B"
         "1m",
         80, "?1m"}, /* the one-character form of ESC [ */
        {"\xFF\xC3(", 80,
         "?"
         "?("},
        {"a\xE2\x80\xAEgpj\xEF\xBB\xBF", 80, "a?gpj?"}, /* right to left, byte order mark */
        {"\xE2\x80\x8D", 80, "\xE2\x80\x8D"},           /* joins letters */
        {"abcdefgh", 9, "abcdefgh"},
        {"abcdefgh", 8, "abcd..."},
        {"abcdefgh", 4, "..."},
        {"abcdefgh", 3, ".."},
        {"abcdefgh", 1, ""},
        {"ab\xC3\xBC\xC3\xBC\xC3\xBC", 8, "ab\xC3\xBC..."},
        {"", 1, ""},
    };
    char buf[80], line[] = "a\n\t\xE2\x80\xAE"
                           "b\xFF\xC3\xBC";
    CHECK_STR(asim_text_clean(line), "a\n\t?b?\xC3\xBC");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(asim_text_safe(buf, rows[i].size, rows[i].text), rows[i].want);
    for (size_t size = 1; size < 40; size++) {
        char *tight = malloc(size); /* the sanitizer sees the byte behind it */
        CHECK(tight &&
              strlen(asim_text_safe(tight, size, "a'\xE2\x82\xAC\xF0\x9F\x98\x80 more")) < size);
        free(tight);
    }
    CHECK(asim_text_safe(buf, 0, "x") == buf);
}

static void test_list_and_hint(void)
{
    static const char *const words[] = {"one", "two", "three"};
    char buf[40];
    CHECK_STR(asim_text_list(buf, sizeof buf, words, 3), "one, two, three");
    CHECK_STR(asim_text_list(buf, 16, words, 3), "one, two, three");
    CHECK_STR(asim_text_list(buf, 15, words, 3), "one, two, ...");
    CHECK_STR(asim_text_list(buf, 10, words, 3), "one, ...");
    CHECK_STR(asim_text_list(buf, sizeof buf, words, 0), "");
    for (size_t size = 1; size < 20; size++) {
        char *tight = malloc(size);
        CHECK(tight && strlen(asim_text_list(tight, size, words, 3)) < size);
        free(tight);
    }
    CHECK_STR(asim_text_hint(buf, sizeof buf, "ring"), " Did you mean 'ring'?");
    CHECK_STR(asim_text_hint(buf, sizeof buf, NULL), "");
}

static void test_utf8(void)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"", 0},
        {"a", 1},
        {"\xC3\xBC", 2},
        {"\xE2\x82\xAC", 3},
        {"\xC0\x80", 0},
        {"\xC1\xBF", 0},
        {"\xE0\x80\x80", 0},
        {"\xF0\x9F\x98\x80", 4},
        {"\xC3", 0},
        {"\xE2\x82", 0},
        {"\xED\xA0\x80", 0},
        {"\xF0\x80\x80\x80", 0},
        {"\x80", 0},
        {"\xE2\x28\xA1", 0},
        {"\xF4\x90\x80\x80", 0},
        {"\xF5\x80\x80\x80", 0},
        {"\xFE", 0},
        {"\xED\x9F\xBF", 3},
        {"\xF4\x8F\xBF\xBF", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_U64(asim_text_utf8(rows[i].text), rows[i].length);
}

/* The same digits as printf. */
static void test_put(void)
{
    static const uint64_t values[] = {
        0,    1,    9,     10,      11,         99,         100,        101, 999,
        1000, 1009, 65535, 1000000, 4294967295, 4294967296, UINT64_MAX, 7,   0xabcdef01};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char want[32], got[32];

        snprintf(want, sizeof want, "%" PRIu64, values[i]);
        *asim_text_put_u64(got, values[i]) = 0;
        CHECK_STR(got, want);
        snprintf(want, sizeof want, "%08x", (unsigned)values[i]);
        *asim_text_put_hex8(got, (uint32_t)values[i]) = 0;
        CHECK_STR(got, want);
    }
}

static void test_plain(void)
{
    char buf[8];

    CHECK_STR(asim_text_plain(buf, sizeof buf, "Size (B)"), "sizeb");
    CHECK_STR(asim_text_plain(buf, sizeof buf, "all_reduce_perf"), "allredu");
    CHECK_STR(asim_text_plain(buf, 1, "a"), "");
}

int main(void)
{
    test_put();
    test_nearest();
    test_safe();
    test_list_and_hint();
    test_utf8();
    test_plain();
    CHECK_U64(asim_text_dirlen("a/b/c.txt"), 4);
    CHECK_U64(asim_text_dirlen("/c.txt"), 1);
    CHECK_U64(asim_text_dirlen("c.txt"), 0);
    CHECK_U64(asim_text_dirlen(""), 0);
    return CHECK_DONE();
}
