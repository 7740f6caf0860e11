/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The text of nccl-tests and rccl-tests, also with words of a launcher before each line and as a
 * table of Markdown. Rows are the lines with a size, a count and the name of a type; all other
 * lines are comments, of which the one with the names of the columns tells where the times are.
 */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "tools/machine/measured.h"
#include "tools/machine/sweep.h"

enum { MOST_WORDS = 40 };

/* Places of words behind the size. 0 = unknown. */
struct columns {
    int us, alg, bus, in_place_us, wrong;
};

struct reader {
    struct asim_measured *measured;
    const char *path;
    struct columns of;
    int op;
};

static int split(char *line, char **word)
{
    char *rest = NULL;
    int n = 0;

    for (char *w = strtok_r(line, " \t\r|", &rest); w && n < MOST_WORDS;
         w = strtok_r(NULL, " \t\r|", &rest))
        word[n++] = w;
    return n;
}

static int is_number(const char *word)
{
    double number;

    return !asim_text_double(word, &number);
}

/* The word with the size, or -1. A size as "16M" is none, but makes the line a row. */
static int find_row(char **word, int n)
{
    for (int i = 0; i + 4 < n; i++) {
        uint64_t size, count;
        size_t digits = strspn(word[i], "0123456789.");

        if (digits && (!word[i][digits] || strchr("KMGTkmgt", word[i][digits])) &&
            !asim_text_u64(word[i + 1], &count) && !is_number(word[i + 2]) &&
            (!asim_text_u64(word[i], &size) || is_number(word[n - 1])))
            return i;
    }
    return -1;
}

/* The line that names the columns: "#       size         count      type …". */
static void see_header(struct reader *r, char **word, int n)
{
    struct columns of = {0};
    int size = -1;

    for (int i = 0; i < n && i < MOST_WORDS; i++) {
        const char *name = word[i] + (word[i][0] == '#');

        if (!strcmp(name, "size"))
            size = i;
        else if (size >= 0 && !strcmp(name, "time") && !of.us)
            of.us = i - size;
        else if (size >= 0 && !strcmp(name, "time"))
            of.in_place_us = i - size;
        else if (size >= 0 && !strcmp(name, "algbw") && !of.alg)
            of.alg = i - size;
        else if (size >= 0 && !strcmp(name, "busbw") && !of.bus)
            of.bus = i - size;
        else if (size >= 0 && !strcmp(name, "wrong") && !of.wrong)
            of.wrong = i - size;
    }
    if (of.us)
        r->of = of;
}

/* "# Collective test starting: all_reduce_perf". */
static void see_op(struct reader *r, char **word, int n)
{
    for (int i = 0; i + 1 < n; i++)
        if (!strcmp(word[i], "starting:"))
            r->op = asim_nccl_op_find(word[i + 1]);
}

/* Without a header: where time and bandwidth agree with the size. */
static struct columns guess(char **word, int n)
{
    struct columns of = {0};
    double size, us, gbytes;

    for (int i = 3; i + 2 < n; i++) {
        if (asim_text_double(word[0], &size) || asim_text_double(word[i], &us) ||
            asim_text_double(word[i + 1], &gbytes) || !is_number(word[i + 2]) || us <= 0 ||
            fabs(gbytes - size / us / 1e3) > .011 + .01 * gbytes)
            continue;
        if (!of.us)
            of = (struct columns){i, i + 1, i + 2, 0, 0};
        else if (i >= of.us + 3 && !of.in_place_us)
            of.in_place_us = i;
    }
    return of;
}

static double number_at(char **word, int n, int column)
{
    double number = 0;

    if (column > 0 && column < n && asim_text_double(word[column], &number))
        number = 0; /* N/A */
    return number;
}

/* Whether the bandwidth in a column is the size over the time in another; yes where one is absent.
 */
static int fits(const struct asim_measured_row *row, char **word, int n, int us, int alg)
{
    double gbytes;

    return us <= 0 || alg <= 0 || alg >= n || asim_text_double(word[alg], &gbytes) ||
           asim_measured_agrees(row->bytes, number_at(word, n, us), gbytes);
}

static int agrees(const struct asim_measured_row *row, char **word, int n, struct columns of)
{
    return fits(row, word, n, of.us, of.alg) &&
           (!of.alg || fits(row, word, n, of.in_place_us, of.in_place_us + of.alg - of.us));
}

static int read_row(struct reader *r, char **word, int n, unsigned line, struct asim_err *err)
{
    struct asim_measured_row row = {.op = r->op, .line = line};
    struct columns of = r->of.us ? r->of : guess(word, n), other;

    if (asim_text_u64(word[0], &row.bytes))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->path, line, 0},
                           "the size '%.24s' is no whole number of bytes.", word[0]);
    if (!row.bytes)
        return 0;
    other = agrees(&row, word, n, of) ? of : guess(word, n);
    if (other.us && !other.in_place_us == !of.in_place_us)
        of = other; /* a column of the header is blank in the rows */
    if (!agrees(&row, word, n, of))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->path, line, 0},
                           "the row of %llu bytes does not fit its columns: size over time is not "
                           "algbw (%g us, %g GB/s); expected size count type redop root time algbw "
                           "busbw.",
                           (unsigned long long)row.bytes, number_at(word, n, of.us),
                           number_at(word, n, of.alg));
    if (of.alg >= n)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->path, line, 0},
                           "the row of %llu bytes ends before its algbw, which would tell that its "
                           "time is whole; remove the row if the file is cut off.",
                           (unsigned long long)row.bytes);
    row.us = number_at(word, n, of.us);
    r->measured->wrong += number_at(word, n, of.wrong) > 0;
    row.in_place_us = number_at(word, n, of.in_place_us);
    row.bus_factor = asim_measured_factor(row.bytes, row.us, number_at(word, n, of.bus));
    if (row.us == 0 && row.in_place_us == 0)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->path, line, 0},
                           "the row of %llu bytes has no time; expected the columns of nccl-tests: "
                           "size count type redop root time algbw busbw.",
                           (unsigned long long)row.bytes);
    return asim_measured_add(r->measured, row, r->path, err);
}

static int read_line(struct reader *r, char *line, unsigned number, struct asim_err *err)
{
    char *word[MOST_WORDS];
    int n = split(line, word), from = find_row(word, n);

    if (from >= 0)
        return read_row(r, word + from, n - from, number, err);
    see_op(r, word, n);
    see_header(r, word, n);
    return 0;
}

int asim_measured_text(struct asim_measured *measured, struct asim_src *src, struct asim_err *err)
{
    struct reader r = {measured, src->name, {0}, -1};
    char *at = src->data, *end = src->data + src->size;
    unsigned number = 0;
    int rc = 0;

    while (at < end && !rc) {
        char *stop = memchr(at, '\n', (size_t)(end - at));

        if (stop)
            *stop = '\0';
        rc = read_line(&r, at, ++number, err);
        at = stop ? stop + 1 : end;
    }
    return rc;
}
