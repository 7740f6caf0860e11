/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers, truth values, rates, times and sizes as users write them. Each table row is a text and
 * the value it must give, or that it must be refused; a refusal must leave the result untouched.
 * Rate forms are those of ns-3's DataRate; times are checked to the femtosecond.
 */
#include "check.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include "asim/err.h"

struct number {
    const char *text;
    int good;
    uint64_t value;
};

/* Runs one table over one parser; the failing text is printed. */
static void check_numbers(int (*parse)(const char *, uint64_t *), const struct number *rows,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t got = 4711;
        int code = parse(rows[i].text, &got);
        if (code != (rows[i].good ? 0 : ASIM_EINVAL) ||
            got != (rows[i].good ? rows[i].value : 4711))
            fprintf(stderr, "'%s': code %d, value %" PRIu64 "\n", rows[i].text, code, got);
        CHECK_U64(code, rows[i].good ? 0 : ASIM_EINVAL);
        CHECK_U64(got, rows[i].good ? rows[i].value : 4711);
    }
}
#define CHECK_NUMBERS(parse, rows) check_numbers(parse, rows, sizeof rows / sizeof *rows)

static const struct number whole[] = {
    {"0", 1, 0},
    {"007", 1, 7},
    {"18446744073709551615", 1, UINT64_MAX},
    {"18446744073709551616", 0, 0},
    {"99999999999999999999999", 0, 0},
    {"", 0, 0},
    {"-0", 0, 0},
    {"-1", 0, 0},
    {"+1", 0, 0},
    {" 5", 0, 0},
    {"5 ", 0, 0},
    {"5x", 0, 0},
    {"0x10", 0, 0},
    {"1e3", 0, 0},
    {"1.0", 0, 0},
    {"nan", 0, 0},
    {"\xD9\xA3", 0, 0},
};

static const struct number rates[] = {
    {"1bps", 1, 1},
    {"1b/s", 1, 1},
    {"1bit/s", 1, 1},
    {"1Bps", 1, 8},
    {"1B/s", 1, 8},
    {"1kbps", 1, 1000},
    {"1kb/s", 1, 1000},
    {"1Kbps", 1, 1000},
    {"1Kb/s", 1, 1000},
    {"1kBps", 1, 8000},
    {"1KB/s", 1, 8000},
    {"1Kibps", 1, 1024},
    {"1Kib/s", 1, 1024},
    {"1KiB/s", 1, 8192},
    {"1KiBps", 1, 8192},
    {"50Mb/s", 1, 50000000},
    {"1Mbps", 1, 1000000},
    {"100MBps", 1, 800000000},
    {"1MB/s", 1, 8000000},
    {"1Mib/s", 1, 1048576},
    {"1MiB/s", 1, 8388608},
    {"200Gbps", 1, UINT64_C(200000000000)},
    {"200gbit", 1, UINT64_C(200000000000)}, /* iproute2 */
    {"1.5mbit", 1, 1500000},
    {"8bit", 1, 8},
    {"200Gbit", 0, 0},
    {"1gbits", 0, 0},
    {"1.5Gbit/s", 1, 1500000000},
    {"1Gib/s", 1, 1073741824},
    {"10GiBps", 1, UINT64_C(85899345920)},
    {"2.4Tbps", 1, UINT64_C(2400000000000)},
    {"0.1Gbps", 1, 100000000},
    {"4.35Gbps", 1, UINT64_C(4350000000)}, /* a double product may lose a bit here */
    {"0.0000000019Gbps", 1, 1},
    {"1.999bps", 1, 1},
    {"1e3Mbps", 1, 1000000000},
    {"5e-1kbps", 1, 500},
    {".5kbps", 1, 500},
    {"5.kbps", 1, 5000},
    {"0bps", 1, 0},
    {"0e99999999999bps", 1, 0},
    {"1e-99999999999Gbps", 0, 0},
    {"18446744073709551615bps", 1, UINT64_MAX},
    {"18446744073709551616bps", 0, 0},
    {"18446744.073709551616Tbps", 0, 0},
    {"18446744.073709551615Tbps", 1, UINT64_MAX},
    {"1e400bps", 0, 0},
    {"200", 0, 0},
    {"200G", 0, 0},
    {"200gbps", 0, 0},
    {"200 Gbps", 0, 0},
    {" 200Gbps", 0, 0},
    {"200Gbps ", 0, 0},
    {"-1Gbps", 0, 0},
    {"+1Gbps", 0, 0},
    {"Gbps", 0, 0},
    {".Gbps", 0, 0},
    {"1.2.3Gbps", 0, 0},
    {"1eGbps", 0, 0},
    {"1e+Gbps", 0, 0},
    {"nanbps", 0, 0},
    {"infbps", 0, 0},
    {"", 0, 0},
};

static const struct number times[] = {
    {"1fs", 1, 1},
    {"1ps", 1, 1000},
    {"25ns", 1, 25000000},
    {"0.0005ms", 1, 500000000},
    {"1us", 1, 1000000000},
    {"1.5us", 1, 1500000000},
    {"1ms", 1, UINT64_C(1000000000000)},
    {"1s", 1, UINT64_C(1000000000000000)},
    {"1min", 1, UINT64_C(60000000000000000)},
    {"1h", 1, UINT64_C(3600000000000000000)},
    {"0.1d", 1, UINT64_C(8640000000000000000)},
    {"0.123456789012345678h", 1, UINT64_C(444444440444444441)},
    {"0.4fs", 0, 0},
    {"0.5fs", 1, 1},
    {"0.49999999999999999999999999999fs", 0, 0},
    {"2.5fs", 1, 3},
    {"0.0000004ns", 0, 0},
    {"0.0000005ns", 1, 1},
    {"5e-1fs", 1, 1},
    {"5e-2fs", 0, 0},
    {"1e-6ns", 1, 1},
    {"25E1ns", 1, 250000000},
    {"18446744073709551615fs", 1, UINT64_MAX},
    {"18446744073709551615.4fs", 1, UINT64_MAX},
    {"18446744073709551615.5fs", 0, 0},
    {"18446744073709551616fs", 0, 0},
    {"1d", 0, 0},
    {"6h", 0, 0},
    {"1e400s", 0, 0},
    {"25", 0, 0},
    {"0", 0, 0},
    {"25 ns", 0, 0},
    {"25nss", 0, 0},
    {"25NS", 0, 0},
    {"-1ns", 0, 0},
    {"ns", 0, 0},
    {"nans", 0, 0},
    {"", 0, 0},
};

static const struct number sizes[] = {
    {"4096", 1, 4096},
    {"0", 1, 0},
    {"7B", 1, 7},
    {"64KiB", 1, 65536},
    {"64kB", 1, 64000},
    {"1MiB", 1, 1048576},
    {"10MB", 1, 10000000},
    {"2GiB", 1, UINT64_C(2147483648)},
    {"1.5MiB", 1, 1572864},
    {"0.5KiB", 1, 512},
    {"1TiB", 1, UINT64_C(1099511627776)},
    {"1e6", 1, 1000000},
    {"18446744073709551615", 1, UINT64_MAX},
    {"16777215TiB", 1, UINT64_C(18446742974197923840)},
    {"16777216TiB", 0, 0},
    {"18446744073709551616", 0, 0},
    {"1.5", 0, 0},
    {"0.3KiB", 0, 0},
    {"1e-30", 0, 0},
    {"64K", 1, 65536}, /* nccl-tests */
    {"1M", 1, 1048576},
    {"2g", 1, UINT64_C(1) << 31},
    {"1T", 0, 0},
    {"64Kb", 0, 0},
    {"64Ki", 0, 0},
    {"64KB ", 0, 0},
    {"64b", 0, 0},
    {"-1", 0, 0},
    {"KiB", 0, 0},
    {"", 0, 0},
};

static void test_signed(void)
{
    static const struct {
        const char *text;
        int good;
        int64_t value;
    } rows[] = {
        {"-0", 1, 0},
        {"+5", 1, 5},
        {"-5", 1, -5},
        {"9223372036854775807", 1, INT64_MAX},
        {"-9223372036854775808", 1, INT64_MIN},
        {"9223372036854775808", 0, 0},
        {"-9223372036854775809", 0, 0},
        {"--5", 0, 0},
        {"-", 0, 0},
        {"- 5", 0, 0},
        {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = 4711;
        CHECK_U64(asim_text_i64(rows[i].text, &got), rows[i].good ? 0 : ASIM_EINVAL);
        CHECK_U64(got, rows[i].good ? rows[i].value : 4711);
    }
}

static void test_double(void)
{
    static const struct {
        const char *text;
        int good;
        double value;
    } rows[] = {
        {"0.5", 1, 0.5},   {".5", 1, 0.5},      {"5.", 1, 5},        {"-0", 1, 0},
        {"+2e3", 1, 2000}, {"1E-3", 1, 0.001},  {"1e308", 1, 1e308}, {"1e-400", 1, 0},
        {"1e400", 0, 0},   {"-1e400", 0, 0},    {"nan", 0, 0},       {"NaN", 0, 0},
        {"inf", 0, 0},     {"-infinity", 0, 0}, {"0x1p3", 0, 0},     {" 5", 0, 0},
        {"5 ", 0, 0},      {"5x", 0, 0},        {"1e", 0, 0},        {"1e+", 0, 0},
        {".", 0, 0},       {"-", 0, 0},         {"", 0, 0},          {"1,5", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = 4711;
        CHECK_U64(asim_text_double(rows[i].text, &got), rows[i].good ? 0 : ASIM_EINVAL);
        CHECK(got == (rows[i].good ? rows[i].value : 4711));
    }
    double zero = 1;
    CHECK(!asim_text_double("-0", &zero) && signbit(zero));
}

static void test_bool(void)
{
    static const char *const yes[] = {"1", "true", "yes", "on", "True", "YES"};
    static const char *const no[] = {"0", "false", "no", "off", "False", "OFF"};
    static const char *const bad[] = {"", "2", "01", "y", "truee", " 1", "-1"};
    int got;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        got = 5;
        CHECK(asim_text_bool(yes[i], &got) == 0 && got == 1);
        got = 5;
        CHECK(asim_text_bool(no[i], &got) == 0 && got == 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        got = 5;
        CHECK(asim_text_bool(bad[i], &got) == ASIM_EINVAL && got == 5);
    }
}

/* The same characters as printf, also about halfway between two. */
static void test_thousandths(void)
{
    static const double values[] = {0,      0.0005,      0.0015,        0.0625,  0.5,  1.9995,
                                    2.0625, 99.9995,     1e6 / 3,       1e6,     1e17, DBL_MAX,
                                    -1.5,   123456.7895, 99999999.9996, INFINITY};
    char want[400], got[400];

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *asim_text_put_thousandths(got, values[i]) = 0;
        snprintf(want, sizeof want, "%.3f", values[i]);
        CHECK_STR(got, want);
    }
    for (uint64_t i = 1; i < 20000; i++) { /* as bytes over ns */
        double value = (double)(i * i * 977) / (double)(1 + i * 7919 % 100003);

        *asim_text_put_thousandths(got, value) = 0;
        snprintf(want, sizeof want, "%.3f", value);
        CHECK_STR(got, want);
    }
}

int main(void)
{
    CHECK_NUMBERS(asim_text_u64, whole);
    CHECK_NUMBERS(asim_text_rate, rates);
    CHECK_NUMBERS(asim_text_time, times);
    CHECK_NUMBERS(asim_text_size, sizes);
    test_signed();
    test_double();
    test_bool();
    test_thousandths();
    return CHECK_DONE();
}
