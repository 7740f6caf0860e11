/* SPDX-License-Identifier: GPL-2.0-only
 *
 * base/io/digest.h: what is equal has one digest, and nothing else has it.
 */
#include "check.h"
#include "base/io/digest.h"

enum { SIZE = 70000 };

static void of(char text[ASIM_DIGEST_TEXT], const void *data, size_t size)
{
    struct asim_digest digest = {.word = {0}};

    asim_digest_add(&digest, data, size);
    asim_digest_show(&digest, text);
}

/* Each length from 0 to 40 of zeros, and each bit of 40 bytes changed: all digests differ. */
static void test_differs(void)
{
    static char seen[400][ASIM_DIGEST_TEXT];
    unsigned char bytes[40] = {0};
    size_t n = 0;

    for (size_t size = 0; size <= sizeof bytes; size++)
        of(seen[n++], bytes, size);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        of(seen[n++], bytes, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(seen[i], seen[j]) != 0);
}

static void test_pieces(void)
{
    struct asim_digest one = {.word = {0}}, other = {.word = {0}};
    char a[ASIM_DIGEST_TEXT], b[ASIM_DIGEST_TEXT];

    asim_digest_add_text(&one, "ab");
    asim_digest_add_text(&one, "c");
    asim_digest_add_text(&other, "a");
    asim_digest_add_text(&other, "bc");
    CHECK(strcmp(asim_digest_show(&one, a), asim_digest_show(&other, b)) != 0);
    CHECK(strlen(a) == 32);
}

/* A file has the same digest under any name; a changed last byte another one. */
static void test_file(void)
{
    char a[ASIM_DIGEST_TEXT], b[ASIM_DIGEST_TEXT], c[ASIM_DIGEST_TEXT];
    const char *const names[] = {"one", "two", "three"};
    char *const texts[] = {a, b, c};
    struct asim_err err = {0};

    for (int i = 0; i < 3; i++) {
        struct asim_digest digest = {.word = {0}};
        FILE *file = fopen(names[i], "wb");

        CHECK(file != NULL);
        for (int at = 0; at < SIZE; at++)
            fputc(at == SIZE - 1 && i == 2 ? 1 : at % 251, file);
        fclose(file);
        CHECK(!asim_digest_add_file(&digest, names[i], &err));
        asim_digest_show(&digest, texts[i]);
    }
    CHECK(!strcmp(a, b));
    CHECK(strcmp(a, c) != 0);
    struct asim_digest none = {.word = {0}};
    CHECK(asim_digest_add_file(&none, "nowhere", &err) == ASIM_EIO);
    CHECK(strstr(err.text, "nowhere") != NULL);
}

int main(void)
{
    test_differs();
    test_pieces();
    test_file();
    return CHECK_DONE();
}
