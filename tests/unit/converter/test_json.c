/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The JSON of traces: what is accepted and what is refused with which phrase, cuts at every byte,
 * numbers, and the two ways of printing that must equal Python's.
 */
#include <math.h>
#include "json/print.h"
#include "check.h"
#include "json/access.h"

static enum asim_jresult parse(struct asim_jdoc *doc, const char *text, const char **why)
{
    size_t used;

    return asim_jdoc_parse(doc, text, strlen(text), &used, why);
}

static void test_accepts(void)
{
    static const char *const good[] = {"{}",
                                       "[]",
                                       "[1,2,[3,{\"a\":null}]]",
                                       "\"\\u00e9\\n\"",
                                       "{\"a\":{\"b\":[true,false]}} ",
                                       " [ 1.5e-3 , -0, 0.0 ] ",
                                       "[NaN, Infinity,-Infinity]"};
    struct asim_jdoc doc = {0};
    const char *why;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_U64(parse(&doc, good[i], &why), ASIM_J_OK);
    asim_jdoc_fini(&doc);
}

static void test_refuses(void)
{
    static const struct {
        const char *text, *why;
    } bad[] = {{"[Nan]", "neither"},
               {"[NaNs]", "comma"},
               {"[-Inf ]", "neither"},
               {"{\"a\" 1}", "colon"},
               {"{a:1}", "name in quotes"},
               {"[1 2]", "comma"},
               {"[01]", "leading zero"},
               {"[1.]", "point"},
               {"[1e]", "exponent"},
               {"[- 1]", "minus"},
               {"\"\x01\"", "control character"},
               {"\"\\x\"", "escape"},
               {"\"\\u12g4\"", "hexadecimal"},
               {"}", "neither"},
               {"[tru]", "neither"}};
    struct asim_jdoc doc = {0};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = "";

        CHECK_U64(parse(&doc, bad[i].text, &why), ASIM_J_BAD);
        CHECK(why && strstr(why, bad[i].why));
    }
    asim_jdoc_fini(&doc);
}

static void test_depth(void)
{
    char text[500];
    struct asim_jdoc doc = {0};
    const char *why = "";

    memset(text, '[', sizeof text);
    text[sizeof text - 1] = 0;
    CHECK_U64(parse(&doc, text, &why), ASIM_J_BAD);
    CHECK(strstr(why, "deep") != NULL);
    asim_jdoc_fini(&doc);
}

static void test_cut(void)
{
    static const char text[] =
        "{\"name\": \"a\\u00e9\\\"b\", \"n\": [1.25e3, null, {\"x\": -7}, NaN, -Infinity]}";
    struct asim_jdoc doc = {0};
    const char *why;
    size_t used;

    for (size_t n = 0; n < sizeof text - 1; n++) {
        char copy[sizeof text];

        memcpy(copy, text, n);
        copy[n] = 0;
        CHECK_U64(asim_jdoc_parse(&doc, copy, n, &used, &why), ASIM_J_MORE);
    }
    CHECK_U64(asim_jdoc_parse(&doc, text, sizeof text - 1, &used, &why), ASIM_J_OK);
    asim_jdoc_fini(&doc);
}

static void test_values(void)
{
    static const char text[] =
        "{\"i\": 9223372036854775807, \"big\": 9223372036854775808, "
        "\"neg\": -9223372036854775808, \"s\": \"12\", \"w\": 3.0, "
        "\"f\": 3.5, \"t\": 1695835585860233.123, \"h\": 1e999, \"x\": NaN, \"y\": -Infinity, "
        "\"i\": 5}";
    struct asim_jdoc doc = {0};
    const struct asim_jv *v;
    const char *why;
    int64_t n = 0;
    double d = 0;

    CHECK_U64(parse(&doc, text, &why), ASIM_J_OK);
    v = &doc.at[0];
    CHECK(!asim_jv_i64(&doc, asim_jv_get(&doc, v, "i"), &n) && n == 5); /* the last one counts */
    CHECK(asim_jv_i64(&doc, asim_jv_get(&doc, v, "big"), &n) != 0);
    CHECK(!asim_jv_i64(&doc, asim_jv_get(&doc, v, "neg"), &n) && n == INT64_MIN);
    CHECK(!asim_jv_i64(&doc, asim_jv_get(&doc, v, "s"), &n) && n == 12);
    CHECK(!asim_jv_i64(&doc, asim_jv_get(&doc, v, "w"), &n) && n == 3);
    CHECK(asim_jv_i64(&doc, asim_jv_get(&doc, v, "f"), &n) != 0);
    CHECK(asim_jv_i64(&doc, asim_jv_get(&doc, v, "none"), &n) != 0);
    CHECK(!asim_jv_double(&doc, asim_jv_get(&doc, v, "t"), &d) && d == 1695835585860233.123);
    CHECK(asim_jv_double(&doc, asim_jv_get(&doc, v, "h"), &d) != 0);
    CHECK(asim_jv_double(&doc, asim_jv_get(&doc, v, "x"), &d) != 0);
    CHECK(asim_jv_double(&doc, asim_jv_get(&doc, v, "y"), &d) != 0);
    CHECK(asim_jv_i64(&doc, asim_jv_get(&doc, v, "x"), &n) != 0);
    asim_jdoc_fini(&doc);
}

/* Outputs of CPython 3.11's repr(). */
static void test_real(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {0.1, "0.1"},
                 {41.679046875, "41.679046875"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e+16"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-05"},
                 {1.5e300, "1.5e+300"},
                 {4203669603454.206, "4203669603454.206"},
                 {-2.5, "-2.5"},
                 {123456789012345680.0, "1.2345678901234568e+17"},
                 {5e-324, "5e-324"}};
    struct asim_jbuf buf = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf.n = 0;
        asim_jprint_real(&buf, cases[i].value);
        CHECK_STR(buf.at, cases[i].text);
    }
    asim_jbuf_fini(&buf);
}

static void test_repr(void)
{
    static const struct {
        const char *json, *repr;
    } cases[] = {{"[]", "[]"},
                 {"[1, 2.50, \"a\", null, true]", "[1, 2.5, 'a', None, True]"},
                 {"[NaN, Infinity, -Infinity, -1e999]", "[nan, inf, -inf, -inf]"},
                 {"\"it's\"", "\"it's\""},
                 {"\"both ' and \\\"\"", "'both \\' and \"'"},
                 {"\"tab\\t nl\\n \\u0001\"", "'tab\\t nl\\n \\x01'"},
                 {"\"\\u00e9\\u00a0\\ud83d\\ude00\"", "'\xc3\xa9\\xa0\xf0\x9f\x98\x80'"},
                 {"\"\\ud800\"", "'\\ud800'"},
                 {"\"\\u0378\\udb40\\udd00\\u06dd\"", "'\\u0378\xf3\xa0\x84\x80\\u06dd'"},
                 {"{\"k\": [\"v\"]}", "{'k': ['v']}"},
                 {"18446744073709551616", "18446744073709551616"}};
    struct asim_jbuf buf = {0}, scratch = {0};
    struct asim_jdoc doc = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        const char *why;

        snprintf(text, sizeof text, "%s ", cases[i].json);
        CHECK_U64(parse(&doc, text, &why), ASIM_J_OK);
        buf.n = 0;
        asim_jprint_repr(&buf, &doc, &doc.at[0], &scratch);
        CHECK_STR(buf.at, cases[i].repr);
    }
    asim_jbuf_fini(&buf);
    asim_jbuf_fini(&scratch);
    asim_jdoc_fini(&doc);
}

/* CPython 3.11: sum(map(str.isprintable, map(chr, range(0x110000)))), and the sum of those. */
static void test_printable(void)
{
    uint64_t n = 0, sum = 0;

    for (uint32_t c = 0; c < 0x110000; c++)
        if (asim_jprint_is_printable(c)) {
            n++;
            sum += c;
        }
    CHECK_U64(n, 144516);
    CHECK_U64(sum, 14867683184);
}

static void test_dumps(void)
{
    static const char json[] = "{\"a\":[],\"b\":[-Infinity,{\"c\":\"\\u00e9/\\n\"}],\"d\x7f\\/"
                               "\xc3\xbc\":\"\x7f\\ud83d\\ude00\xff\"}";
    static const char want[] =
        "{\n    \"a\": [],\n    \"b\": [\n        -Infinity,\n        {\n            "
        "\"c\": \"\\u00e9/\\n\"\n        }\n    ],\n    \"d\\u007f/\\u00fc\": "
        "\"\\u007f\\ud83d\\ude00\\ufffd\"\n}";
    struct asim_jbuf buf = {0};
    struct asim_jdoc doc = {0};
    const char *why;

    CHECK_U64(parse(&doc, json, &why), ASIM_J_OK);
    asim_jprint_value(&buf, &doc, &doc.at[0], 0);
    CHECK_STR(buf.at, want);
    asim_jbuf_fini(&buf);
    asim_jdoc_fini(&doc);
}

int main(void)
{
    test_accepts();
    test_refuses();
    test_depth();
    test_cut();
    test_values();
    test_real();
    test_repr();
    test_printable();
    test_dumps();
    return CHECK_DONE();
}
