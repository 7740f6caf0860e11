/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Option tables: every type with its default, good and refused values, ranges at their ends,
 * aliases, units that may be left out; the sentences a user sees; help text. The field of a
 * refused value must keep what it had.
 */
#include "check.h"
#include "asim/ext/option.h"

#include <stdlib.h>

struct settings {
    int flag, mode;
    uint32_t count;
    uint64_t big, rate, bare, time, ns, us, size;
    int64_t delta;
    double gain;
    char *name, *file;
};
#define AT(field) offsetof(struct settings, field)

static const struct asim_option table[] = {
    {"flag", NULL, "A truth.", "yes", ASIM_T_BOOL, AT(flag), 0, 0, NULL, 0},
    {"count", "n", "A count.", "4", ASIM_T_U32, AT(count), 1, 8, NULL, 0},
    {"big", NULL, "A large count.", NULL, ASIM_T_U64, AT(big), 0, 0, NULL, 0},
    {"delta", NULL, "A difference.", "-3", ASIM_T_I64, AT(delta), -10, 10, NULL, 0},
    {"gain", NULL, "A gain.", "0.00390625", ASIM_T_DOUBLE, AT(gain), 0, 1, NULL, 0},
    {"name", NULL, "A name.", "ring", ASIM_T_STRING, AT(name), 0, 0, NULL, 0},
    {"file", NULL, "A file.", NULL, ASIM_T_STRING, AT(file), 0, 0, NULL, 0},
    {"rate", NULL, "A rate.", "200Gbps", ASIM_T_RATE, AT(rate), 0, 1e12, NULL, 0},
    {"bare", NULL, "A rate.", "1000", ASIM_T_RATE, AT(bare), 0, 0, NULL, ASIM_F_BARE},
    {"time", NULL, "A time.", "25ns", ASIM_T_TIME, AT(time), 0, 0, NULL, 0},
    {"in-ns", NULL, "A time.", "5", ASIM_T_TIME, AT(ns), 1, 1000, NULL, ASIM_F_NS},
    {"in-us", NULL, "A time.", "1.5", ASIM_T_TIME, AT(us), 0, 0, NULL, ASIM_F_US},
    {"size", NULL, "A size.", "64KiB", ASIM_T_SIZE, AT(size), 0, 0, NULL, 0},
    {"mode", NULL, "A mode.", "tree", ASIM_T_CHOICE, AT(mode), 0, 0, "ring|direct|tree", 0},
    {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
};

static void test_defaults(void)
{
    struct settings s;
    struct asim_err err = {0};
    memset(&s, 0xEE, sizeof s); /* defaults must not trust what was there */
    CHECK(asim_option_defaults(table, &s, &err) == 0);
    CHECK(s.flag == 1 && s.mode == 2 && s.count == 4 && s.big == 0 && s.delta == -3);
    CHECK(s.gain == 0.00390625 && !s.file);
    CHECK_STR(s.name, "ring");
    CHECK_U64(s.rate, UINT64_C(200000000000));
    CHECK_U64(s.bare, 1000);
    CHECK_U64(s.time, 25000000);
    CHECK_U64(s.ns, 5000000);
    CHECK_U64(s.us, 1500000000);
    CHECK_U64(s.size, 65536);
    asim_option_fini(table, &s);
    CHECK(!s.name && !s.file);
    asim_option_fini(table, &s);
}

/* want: what asim_err_show gives, or NULL for a good value. */
static const struct {
    const char *key, *value, *want;
} sets[] = {
    {"flag", "off", NULL},
    {"flag", "2", "f:9:2: flag is '2', expected 0 or 1 (or true, false, yes, no, on, off)."},
    {"count", "1", NULL},
    {"n", "8", NULL},
    {"count", "0", "f:9:2: count is '0', expected 1 to 8."},
    {"n", "9", "f:9:2: count is '9', expected 1 to 8."},
    {"count", "5x", "f:9:2: count is '5x', expected a whole number from 1 to 8."},
    {"count", "4294967297", "f:9:2: count is '4294967297', expected a whole number from 1 to 8."},
    {"count", "", "f:9:2: count is '', expected a whole number from 1 to 8."},
    {"big", "18446744073709551615", NULL},
    {"big", "18446744073709551616",
     "f:9:2: big is '18446744073709551616', expected a whole "
     "number from 0 to 18446744073709551615."},
    {"delta", "-10", NULL},
    {"delta", "-11", "f:9:2: delta is '-11', expected -10 to 10."},
    {"delta", "1.5", "f:9:2: delta is '1.5', expected a whole number from -10 to 10."},
    {"gain", "1", NULL},
    {"gain", "1.0000001", "f:9:2: gain is '1.0000001', expected 0 to 1."},
    {"gain", "nan", "f:9:2: gain is 'nan', expected a number like 0.5 or 1e-3."},
    {"gain", "1e400", "f:9:2: gain is '1e400', expected a number like 0.5 or 1e-3."},
    {"name", "", NULL},
    {"name", "anything at all", NULL},
    {"rate", "1Tbps", NULL},
    {"rate", "2Tbps", "f:9:2: rate is '2Tbps', expected 0 to 1e+12 bit/s."},
    {"rate", "100",
     "f:9:2: rate is '100', expected a rate with its unit like 200Gbps, 200gbit or 100MB/s."},
    {"bare", "100", NULL},
    {"bare", "5.5e3", NULL},
    {"bare", "100k",
     "f:9:2: bare is '100k', expected a rate like 200Gbps or 200gbit, or a number of bit/s."},
    {"time", "1.5us", NULL},
    {"time", "5", "f:9:2: time is '5', expected a time with its unit like 25ns or 1.5us."},
    {"in-ns", "1000", NULL},
    {"in-ns", "1us", NULL},
    {"in-ns", "1001",
     "f:9:2: in-ns is '1001', expected 1 to 1000 ns; a number without a unit is ns."},
    {"in-ns", "0.5",
     "f:9:2: in-ns is '0.5', expected 1 to 1000 ns; a number without a unit is ns."},
    {"in-ns", "2us", "f:9:2: in-ns is '2us', expected 1 to 1000 ns."},
    {"in-ns", "5n", "f:9:2: in-ns is '5n', expected a time like 1.5us, or a number of ns."},
    {"in-us", "-5", "f:9:2: in-us is '-5', expected a time like 1.5ms, or a number of us."},
    {"size", "10MB", NULL},
    {"size", "64T",
     "f:9:2: size is '64T', expected a whole number of bytes like 4096, 64KiB, 1M (2^20) or "
     "10MB."},
    {"mode", "ring", NULL},
    {"mode", "rign",
     "f:9:2: mode is 'rign', expected one of ring, direct, tree. Did you mean "
     "'ring'?"},
    {"mode", "", "f:9:2: mode is '', expected one of ring, direct, tree."},
    {"mode", "ring|direct", "f:9:2: mode is 'ring|direct', expected one of ring, direct, tree."},
    {"Rate", "1", "f:9:2: unknown option 'Rate'. Did you mean 'rate'?"},
    {"conut", "1", "f:9:2: unknown option 'conut'. Did you mean 'count'?"},
    {"zzzzzz'z", "1",
     "f:9:2: unknown option 'zzzzzz`z'. Known are: flag, count, big, delta, gain, "
     "name, file, rate, bare, time, in-ns, in-us, size, mode."},
};

static void test_sets(void)
{
    struct settings s, before;
    CHECK(asim_option_defaults(table, &s, NULL) == 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct asim_err err = {0};
        char buf[600];
        const struct asim_key_value setting = {sets[i].key, sets[i].value};
        before = s;
        int code = asim_option_set(table, &s, setting, (struct asim_where){"f", 9, 2}, &err);
        CHECK((code == 0) == (sets[i].want == NULL));
        if (!sets[i].want)
            continue;
        CHECK_STR(asim_err_show(&err, buf, sizeof buf), sets[i].want);
        CHECK(!memcmp(&before, &s, sizeof s));
    }
    CHECK(s.flag == 0 && s.count == 8 && s.big == UINT64_MAX && s.delta == -10 && s.gain == 1);
    CHECK(s.mode == 0 && s.bare == 5500 && s.ns == 1000000000 && s.size == 10000000);
    CHECK_STR(s.name, "anything at all");
    asim_option_fini(table, &s);
}

static void test_bad_default(void)
{
    static const struct asim_option bad[] = {
        {"name", NULL, "A name.", "x", ASIM_T_STRING, AT(name), 0, 0, NULL, 0},
        {"count", NULL, "A count.", "nine", ASIM_T_U32, AT(count), 0, 0, NULL, 0},
        {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
    };
    struct settings s;
    struct asim_err err = {0};
    CHECK(asim_option_defaults(bad, &s, &err) == ASIM_EBUG);
    CHECK(strstr(err.text, "count is 'nine'") != NULL && !s.name);
}

static void test_help(void)
{
    static const struct asim_option rows[] = {
        {"count", "n", "A count of things that is long enough to reach beyond the end of the line.",
         "4", ASIM_T_U32, 0, 1, 8, NULL, 0},
        {"mode", NULL, "A mode.", "b", ASIM_T_CHOICE, 0, 0, 0, "a|b", 0},
        {"a-key-that-is-longer-than-the-left-column", NULL, "Old.", NULL, ASIM_T_STRING, 0, 0, 0,
         NULL, ASIM_F_NOOP},
        {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
    };
    static const char want[] =
        "  --count=N    A count of things that is long enough to reach beyond the end of the line. "
        "(1 to 8;\n"
        "               also n; default 4)\n"
        "  --mode=WORD  A mode. (one of a|b; default b)\n"
        "  --a-key-that-is-longer-than-the-left-column=TEXT\n"
        "               Old. (accepted, no effect)\n";
    char buf[1000];
    CHECK_U64(asim_option_help(rows, buf, sizeof buf), sizeof want - 1);
    CHECK_STR(buf, want);
    CHECK_U64(asim_option_help(rows, NULL, 0), sizeof want - 1);
    for (size_t size = 1; size < sizeof want; size += 13) {
        char *tight = malloc(size);
        CHECK_U64(asim_option_help(rows, tight, size), sizeof want - 1);
        CHECK(tight && strlen(tight) == size - 1 && !strncmp(tight, want, size - 1));
        free(tight);
    }
    CHECK_U64(asim_option_help(rows + 3, buf, sizeof buf), 0);
    CHECK_STR(buf, "");
    CHECK_U64(asim_option_help(NULL, buf, sizeof buf), 0);
    asim_option_help(table, buf, 10); /* every type has a name */
}

int main(void)
{
    test_defaults();
    test_sets();
    test_bad_default();
    test_help();
    CHECK(asim_option_find(table, "n") == &table[1] && !asim_option_find(table, "N"));
    CHECK(!asim_option_find(NULL, "n") && !asim_option_find(table, ""));
    return CHECK_DONE();
}
