/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The error value: the first error wins, cut sentences end in "...", and showing one fits any
 * buffer.
 */
#include "check.h"
#include "asim/err.h"

#include <stdint.h>
#include <stdlib.h>

static void test_first_wins(void)
{
    struct asim_err err = {0};
    CHECK(asim_err_at(&err, ASIM_EINVAL, (struct asim_where){"a.txt", 3, 5}, "bad %d", 7) ==
          ASIM_EINVAL);
    CHECK(asim_err_set(&err, ASIM_EIO, "later") == ASIM_EIO);
    CHECK(asim_err_nomem(&err, "testing") == ASIM_ENOMEM);
    CHECK(err.code == ASIM_EINVAL && err.line == 3 && err.column == 5);
    CHECK_STR(err.source, "a.txt");
    CHECK_STR(err.text, "bad 7");
    CHECK(asim_err_set(NULL, ASIM_EIO, "nobody listens") == ASIM_EIO);
    CHECK(asim_err_at(NULL, ASIM_EIO, (struct asim_where){0}, "nobody") == ASIM_EIO);
    struct asim_err nomem = {0};
    CHECK(asim_err_nomem(&nomem, "reading x") == ASIM_ENOMEM);
    CHECK_STR(nomem.text, "out of memory while reading x");
}

static void test_show(void)
{
    static const struct {
        struct asim_where at;
        const char *want;
    } rows[] = {
        {{"a.txt", 3, 5}, "a.txt:3:5: bad"},
        {{"a.txt", 3, 0}, "a.txt:3: bad"},
        {{"a.txt", 0, 0}, "a.txt: bad"},
        {{"a.txt", 0, 5}, "a.txt: bad"},
        {{NULL, 3, 5}, "line 3:5: bad"},
        {{"", 0, 0}, "bad"},
        {{NULL, 0, 0}, "bad"},
    };
    char buf[100];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asim_err err = {0};
        asim_err_at(&err, ASIM_EINVAL, rows[i].at, "bad");
        CHECK_STR(asim_err_show(&err, buf, sizeof buf), rows[i].want);
    }
    struct asim_err err = {0};
    asim_err_set(&err, ASIM_EINVAL, "bad");
    CHECK(asim_err_show(&err, buf, 0) == buf);
    CHECK_STR(asim_err_show(&err, buf, 1), "");
    CHECK_STR(asim_err_show(&err, buf, 3), "ba");
}

static void test_long(void)
{
    struct asim_err err = {0};
    size_t n = 10000;
    char *text = malloc(n + 1);
    if (!text)
        return;
    memset(text, 'x', n);
    text[n] = '\0';
    asim_err_at(&err, ASIM_EINVAL, (struct asim_where){text, 1, 1}, "%s", text);
    CHECK_U64(strlen(err.text), sizeof err.text - 1);
    CHECK_U64(strlen(err.source), sizeof err.source - 1);
    CHECK_STR(err.text + sizeof err.text - 5, "x...");
    CHECK_STR(err.source + sizeof err.source - 5, "x...");
    free(text);
}

int main(void)
{
    test_first_wins();
    test_show();
    test_long();
    return CHECK_DONE();
}
