/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The text cursor: words, comments, lines; line and column of every word; files with CRLF, without
 * a final newline, with a byte order mark, with NUL bytes. A walk is a text of "line:column word"
 * items, so one string comparison checks all of it.
 */
#include "check.h"
#include "base/io/src.h"

#include <stdlib.h>
#include <unistd.h>

static void note(char *walk, const struct asim_src *src, const char *word)
{
    struct asim_where at = asim_src_where(src);
    size_t n = strlen(walk);
    snprintf(walk + n, 400 - n, "%u:%u %s|", at.line, at.column, word);
}

/* All words, by asim_src_word. */
static void walk_words(struct asim_src *src, char *walk)
{
    for (char *word; (word = asim_src_word(src));)
        note(walk, src, word);
    CHECK(!asim_src_word(src)); /* the end stays the end */
}

/* All words, line by line; every line must hold at least one word. */
static void walk_lines(struct asim_src *src, char *walk)
{
    while (asim_src_next_line(src)) {
        int words = 0;
        for (char *word; (word = asim_src_word_in_line(src)); words++)
            note(walk, src, word);
        CHECK(words > 0 && !asim_src_word_in_line(src));
    }
    CHECK(!asim_src_next_line(src));
}

static void test_walks(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"\n\n", ""},
        {"  # only a comment", ""},
        {"one", "1:1 one|"},
        {"one\n", "1:1 one|"},
        {"  one\ttwo \n", "1:3 one|1:7 two|"},
        {"a b\r\nc d\r\n", "1:1 a|1:3 b|2:1 c|2:3 d|"},
        {"a\n\n\n  b", "1:1 a|4:3 b|"},
        {"a # x y\nb // z\n// w\n#\nc", "1:1 a|2:1 b|5:1 c|"},
        {"a#1 b//2 c/d / #", "1:1 a#1|1:5 b//2|1:10 c/d|1:14 /|"},
        {"\xEF\xBB\xBF"
         "a b\nc",
         "1:1 a|1:3 b|2:1 c|"},
        {"\xEF\xBB", "1:1 \xEF\xBB|"},
        {"\v\fa\rb", "1:3 a|1:5 b|"},
        {"# c\n\na b\n \nc", "3:1 a|3:3 b|5:1 c|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int lines = 0; lines < 2; lines++) {
            struct asim_src src;
            struct asim_err err = {0};
            char walk[400] = "";
            CHECK(asim_src_open_bytes(&src, "t", rows[i].text, strlen(rows[i].text), &err) == 0);
            (lines ? walk_lines : walk_words)(&src, walk);
            CHECK_STR(walk, rows[i].want);
            asim_src_close(&src);
        }
    }
}

static void test_mixed(void)
{
    static const char text[] = "head 2\n1 2 3 rest\n\n4 # 5\n6";
    struct asim_src src;
    CHECK(asim_src_open_bytes(&src, "t", text, sizeof text - 1, NULL) == 0);
    CHECK_U64(asim_src_where(&src).line, 0);
    CHECK_STR(asim_src_word_in_line(&src), "head");
    CHECK_STR(asim_src_word(&src), "2");
    CHECK(!asim_src_word_in_line(&src));
    CHECK_STR(asim_src_word(&src), "1");
    CHECK_STR(asim_src_word_in_line(&src), "2");
    CHECK(asim_src_next_line(&src) == 1); /* skips "3 rest" and the empty line */
    CHECK_U64(asim_src_where(&src).line, 4);
    CHECK_STR(asim_src_word_in_line(&src), "4");
    CHECK(!asim_src_word_in_line(&src));
    CHECK(asim_src_next_line(&src) == 1);
    CHECK(asim_src_next_line(&src) == 0); /* passes the line it stands on */
    CHECK(!asim_src_word(&src));
    CHECK_STR(asim_src_where(&src).source, "t");
    asim_src_close(&src);
    asim_src_close(&src); /* twice is harmless */
}

static void test_refused(void)
{
    struct asim_src src;
    struct asim_err err = {0}, none = {0}, folder = {0};
    CHECK(asim_src_open_bytes(&src, "t", "a\nb\0c", 5, &err) == ASIM_EINVAL);
    CHECK(err.line == 2 && strstr(err.text, "offset 3") != NULL);
    CHECK_STR(err.source, "t");
    CHECK(asim_src_open(&src, "no/such/file", &none) == ASIM_EIO);
    CHECK(strstr(none.text, "no/such/file") != NULL);
    CHECK(asim_src_open(&src, ".", &folder) == ASIM_EIO);
    CHECK(!src.data && !src.name);
}

/* Longer than one read, words and lines counted; the last word without a newline. */
static void test_file(void)
{
    char name[] = "test_src_XXXXXX";
    int fd = mkstemp(name);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    for (unsigned i = 0; i < 30000; i++)
        fprintf(file, "%u word%s", i, i + 1 < 30000 ? "\n" : "");
    fclose(file);
    struct asim_src src;
    struct asim_err err = {0};
    CHECK(asim_src_open(&src, name, &err) == 0);
    unsigned lines = 0, wrong = 0;
    for (; asim_src_next_line(&src); lines++)
        wrong += strtoul(asim_src_word_in_line(&src), NULL, 10) != lines ||
                 asim_src_where(&src).line != lines + 1;
    CHECK_U64(lines, 30000);
    CHECK_U64(wrong, 0);
    asim_src_close(&src);
    remove(name);
}

int main(void)
{
    test_walks();
    test_mixed();
    test_refused();
    test_file();
    return CHECK_DONE();
}
