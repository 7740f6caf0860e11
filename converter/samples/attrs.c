/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One attribute of every type in the schema, with chakra_generator's values.
 */
#include "samples/samples.h"

#define LIST(array)                                                                                \
    {                                                                                              \
        .list = { array, sizeof array / sizeof *array }                                            \
    }
#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

static const double doubles[] = {1.2345, 2.3456};
static const int64_t int32s[] = {12345, 23456}, int64s[] = {9876543210, 1234567890};
static const int64_t signed32s[] = {12345, -23456}, signed64s[] = {9876543210, -1234567890};
static const uint64_t uint32s[] = {12345, 23456}, uint64s[] = {9876543210u, 1234567890u};
static const uint64_t bools[] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
static const char *const strings[] = {"12345", "12346", "12347", "12348", "12349",
                                      "12350", "12351", "12352", "12353", "12354"};
static const struct asim_chakra_bytes bytes[] = {
    BYTES("12345"), BYTES("12346"), BYTES("12347"), BYTES("12348"), BYTES("12349"),
    BYTES("12350"), BYTES("12351"), BYTES("12352"), BYTES("12353"), BYTES("12354")};

static const struct asim_chakra_attr attrs[] = {
    {"double", "double", ASIM_CHAKRA_DOUBLE, {.d = 1.2345}},
    {"double_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_DOUBLE), LIST(doubles)},
    {"float", "float", ASIM_CHAKRA_FLOAT, {.d = 1.2345}},
    {"float_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_FLOAT), LIST(doubles)},
    {"int32", "int32", ASIM_CHAKRA_INT32, {.i = 12345}},
    {"int32_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_INT32), LIST(int32s)},
    {"int64", "int64", ASIM_CHAKRA_INT64, {.i = 9876543210}},
    {"int64_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_INT64), LIST(int64s)},
    {"uint32", "uint32", ASIM_CHAKRA_UINT32, {.u = 12345}},
    {"uint32_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT32), LIST(uint32s)},
    {"uint64", "uint64", ASIM_CHAKRA_UINT64, {.u = 9876543210u}},
    {"uint64_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64), LIST(uint64s)},
    {"sint32", "sint32", ASIM_CHAKRA_SINT32, {.i = -12345}},
    {"sint32_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_SINT32), LIST(signed32s)},
    {"sint64", "sint64", ASIM_CHAKRA_SINT64, {.i = -9876543210}},
    {"sint64_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_SINT64), LIST(signed64s)},
    {"fixed32", NULL, ASIM_CHAKRA_FIXED32, {.u = 12345}},
    {"fixed32_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_FIXED32), LIST(uint32s)},
    {"fixed64", NULL, ASIM_CHAKRA_FIXED64, {.u = 9876543210u}},
    {"fixed64_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_FIXED64), LIST(uint64s)},
    {"sfixed32", NULL, ASIM_CHAKRA_SFIXED32, {.i = -12345}},
    {"sfixed32_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_SFIXED32), LIST(signed32s)},
    {"sfixed64", NULL, ASIM_CHAKRA_SFIXED64, {.i = -9876543210}},
    {"sfixed64_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_SFIXED64), LIST(signed64s)},
    {"bool", "bool", ASIM_CHAKRA_BOOL, {.u = 1}},
    {"bool_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_BOOL), LIST(bools)},
    {"string", "string", ASIM_CHAKRA_STRING, {.s = "12345"}},
    {"string_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_STRING), LIST(strings)},
    {"bytes", NULL, ASIM_CHAKRA_BYTES, {.bytes = BYTES("12345")}},
    {"bytes_list", NULL, ASIM_CHAKRA_LIST(ASIM_CHAKRA_BYTES), LIST(bytes)},
};

const struct asim_chakra_attr *asim_samples_attrs(size_t *n)
{
    *n = sizeof attrs / sizeof *attrs;
    return attrs;
}
