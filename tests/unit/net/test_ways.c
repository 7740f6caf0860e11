/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The table of ways to advance, and what repeats it: the table of core/fabric/clock/README.md, the
 * help of --without, and the lists of the tests that turn each fast path off.
 */
#include "asim/ext/option.h"
#include "check.h"
#include "net/ways.h"
#include "asim/asim.h"

#define TEXT(name, bit, text) [bit] = text,
static const char *const texts[] = {ASIM_FEATURES(TEXT)};
enum { TEXTS = sizeof texts / sizeof *texts };

/* A file of the repository. */
static const char *read_file(const char *path)
{
    static char text[1 << 20];
    const char *root = getenv("ASIM_ROOT");
    char name[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s/%s", root ? root : ".", path);
    file = fopen(name, "r");
    CHECK(file != NULL);
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

static void put_features(char *at, size_t size, uint32_t features)
{
    const char *list[TEXTS];
    size_t n = 0;

    for (size_t bit = 0; bit < TEXTS; bit++)
        if (features >> bit & 1)
            list[n++] = texts[bit];
    for (size_t i = 0, used = *at = 0; i < n; i++)
        used += (size_t)snprintf(at + used, size - used, "%s%s", i ? "; " : "", list[i]);
}

/* The README has this line for each way. */
static void check_readme(void)
{
    const char *readme = read_file("core/fabric/clock/README.md");

    for (const struct asim_way_row *row = asim_ways; row->way; row++) {
        char excluded_by[1024], needs[1024], name[64] = "", line[4096];

        put_features(excluded_by, sizeof excluded_by, row->excluded_by);
        put_features(needs, sizeof needs, row->needs);
        if (row->name)
            snprintf(name, sizeof name, "`%s`", row->name);
        snprintf(line, sizeof line, "| %s | %s%s | %s | %s |\n", name,
                 row->name || !row->within ? "" : "… ", row->about, excluded_by, needs);
        CHECK(strstr(readme, line) != NULL);
        if (!strstr(readme, line))
            fprintf(stderr, "core/fabric/clock/README.md lacks:\n%s", line);
    }
}

static void check_names(const char *what, const char *text)
{
    for (const struct asim_way_row *row = asim_ways; row->way; row++)
        if (row->name && !strstr(text, row->name)) {
            fprintf(stderr, "%s lacks %s\n", what, row->name);
            CHECK(0);
        }
}

/* A way stands behind the one that it is part of; --without of the latter closes both. */
static void check_rows(void)
{
    uint32_t seen = 0;

    for (const struct asim_way_row *row = asim_ways; row->way; row++) {
        CHECK((seen & row->within) == row->within);
        CHECK(!(seen & row->way) && !(row->excluded_by & row->needs));
        seen |= row->way;
        CHECK(!row->within || !(asim_ways_of(row->needs, row->within) & row->way));
        for (size_t bit = 0; bit < TEXTS; bit++)
            if (row->excluded_by >> bit & 1) {
                CHECK(!(asim_ways_of(1u << bit, 0) & row->way));
                CHECK_STR(asim_way_excluded_by(row->way, 1u << bit), texts[bit]);
            }
    }
    CHECK(asim_ways_of(UINT32_MAX, 0) == ASIM_WAY_UNIFORM_PHASE);
    CHECK(asim_way_excluded_by(ASIM_WAY_UNIFORM_PHASE, UINT32_MAX) == NULL);
}

int main(void)
{
    check_rows();
    check_readme();
    check_names("the help of --without", asim_option_find(asim_settings_options, "without")->help);
    check_names("tests/golden/same/run", read_file("tests/golden/same/run"));
    check_names("tests/random/ways.py", read_file("tests/random/ways.py"));
    check_names("tests/golden/packet/without_same",
                read_file("tests/golden/packet/without_same/command"));
    return CHECK_DONE();
}
