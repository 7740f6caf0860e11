/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Output files: nothing under the final name before commit, nothing at all after discard, an old
 * file unchanged by a failed run; missing folders are made; every error of the system is a sentence
 * with the path.
 */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "check.h"
#include "base/io/out.h"
#include "base/io/quote.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's content, or "(none)". */
static const char *content(const char *path, char *buf, size_t size)
{
    FILE *file = fopen(path, "rb");
    snprintf(buf, size, "(none)");
    if (file) {
        buf[fread(buf, 1, size - 1, file)] = '\0';
        fclose(file);
    }
    return buf;
}

static void test_commit_and_discard(void)
{
    struct asim_out out;
    struct asim_err err = {0};
    char buf[100];
    CHECK(asim_out_open(&out, "a/b/c.txt", &err) == 0);
    asim_out_printf(&out, "%d %s\n", 5, "five");
    asim_out_write(&out, "six", 3);
    CHECK_STR(content("a/b/c.txt", buf, sizeof buf), "(none)");
    CHECK(asim_out_commit(&out, &err) == 0);
    CHECK_STR(content("a/b/c.txt", buf, sizeof buf), "5 five\nsix");
    CHECK_STR(content("a/b/c.txt.partial", buf, sizeof buf), "(none)");
    asim_out_discard(&out); /* after commit: nothing happens */
    CHECK(asim_out_commit(&out, &err) == 0);
    CHECK_STR(content("a/b/c.txt", buf, sizeof buf), "5 five\nsix");
    CHECK(asim_out_open(&out, "a/b/c.txt", &err) == 0);
    asim_out_printf(&out, "half");
    CHECK(access("a/b/c.txt.partial", F_OK) == 0);
    asim_out_discard(&out);
    CHECK(access("a/b/c.txt.partial", F_OK) != 0);
    CHECK_STR(content("a/b/c.txt", buf, sizeof buf), "5 five\nsix");
    CHECK_U64(err.code, 0);
}

static void test_refused(void)
{
    static const char *const paths[] = {"a/b", "a/b/c.txt/d", "", "/proc/no/such/x"};
    struct asim_out out;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct asim_err err = {0};
        CHECK(asim_out_open(&out, paths[i], &err) < 0);
        CHECK(err.code && strlen(err.text) > 20 && err.text[strlen(err.text) - 1] == '.');
        CHECK(!out.file && !out.path && !out.partial);
        asim_out_printf(&out, "ignored"); /* a failed open needs no care from the writer */
        asim_out_discard(&out);
    }
    struct asim_err err = {0};
    CHECK(asim_out_mkdir("a/b/c.txt", &err) == ASIM_EIO);
    CHECK(strstr(err.text, "a/b/c.txt") != NULL);
    CHECK(asim_out_mkdir("a/b/c.txt", NULL) == ASIM_EIO);
}

static void test_mkdir(void)
{
    static const char *const paths[] = {"", "m", "m/n//o/", "./m/../m/p", "m"};
    struct stat st;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK(asim_out_mkdir(paths[i], NULL) == 0);
    CHECK(stat("m/n/o", &st) == 0 && S_ISDIR(st.st_mode));
    CHECK(stat("m/p", &st) == 0 && S_ISDIR(st.st_mode));
}

/* Writing to a device happens in place; a full one is reported by commit, once. */
static void test_devices(void)
{
    struct asim_out out;
    struct asim_err err = {0}, full = {0};
    CHECK(asim_out_open(&out, "/dev/null", &err) == 0 && !out.partial);
    asim_out_printf(&out, "gone");
    CHECK(asim_out_commit(&out, &err) == 0);
    if (access("/dev/full", W_OK)) {
        fprintf(stderr, "skipped: no /dev/full here\n");
        return;
    }
    CHECK(asim_out_open(&out, "/dev/full", &err) == 0);
    for (int i = 0; i < 100000; i++)
        asim_out_printf(&out, "line %d\n", i);
    CHECK(asim_out_commit(&out, &full) == ASIM_EIO);
    CHECK(strstr(full.text, "/dev/full") != NULL && access("/dev/full", F_OK) == 0);
    CHECK(!out.file && !out.path);
}

static void test_json(void)
{
    struct asim_out out;
    char buf[200];
    CHECK(asim_out_open(&out, "j.json", NULL) == 0);
    asim_quote_json(&out, "a\"b\\c\n\t\x01\x7F/\xC3\xBC\xFFz\xE2\x80\xAE\xF3\xA0\x80\x81");
    asim_quote_json(&out, "");
    CHECK(asim_out_commit(&out, NULL) == 0);
    CHECK_STR(content("j.json", buf, sizeof buf),
              "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f/\xC3\xBC\xEF\xBF\xBDz\\u202e\\udb40\\udc01\"\"\"");
}

static void tidy(void)
{
    static const char *const made[] = {"a/b/c.txt", "a/b", "a", "m/n/o",
                                       "m/n",       "m/p", "m", "j.json"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        CHECK(remove(made[i]) == 0);
}

/* A killed process leaves its sibling marked and unlocked: the next output takes its name. What a
 * user has under that name stays. */
static void test_left(void)
{
    struct asim_out out;
    struct stat st;
    char buf[64];
    FILE *file = fopen("left.txt.partial", "wb");

    CHECK(file != NULL);
    fputs("half", file);
    fclose(file);
    CHECK(!asim_out_open(&out, "left.txt", NULL));
    CHECK_STR(out.partial, "left.txt.partial-2");
    CHECK(!asim_out_commit(&out, NULL));
    CHECK_STR(content("left.txt.partial", buf, sizeof buf), "half");
    CHECK(!chmod("left.txt.partial", 0644 | S_ISVTX));
    CHECK(!asim_out_open(&out, "left.txt", NULL));
    CHECK_STR(out.partial, "left.txt.partial");
    asim_out_printf(&out, "whole");
    CHECK(!asim_out_commit(&out, NULL));
    CHECK_STR(content("left.txt", buf, sizeof buf), "whole");
    CHECK(!stat("left.txt", &st) && !(st.st_mode & S_ISVTX));
    CHECK(access("left.txt.partial", F_OK) != 0);
    remove("left.txt");
}

int main(void)
{
    char folder[] = "test_out_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) {
        perror("cannot make a folder for the test");
        return 1;
    }
    test_commit_and_discard();
    test_refused();
    test_mkdir();
    test_devices();
    test_json();
    tidy();
    CHECK(chdir("..") == 0 && rmdir(folder) == 0); /* no file is left over */
    test_left();
    return CHECK_DONE();
}
