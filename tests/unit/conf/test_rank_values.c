/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers per rank and per-node algorithm files: what is read, and what is refused with which
 * words.
 */
#include "conf/custom.h"
#include "conf/rank_values.h"
#include "check.h"
#include "files.h"

#include <stdlib.h>

static int read_text(struct asim_rank_values *values, const char *text, struct asim_err *err)
{
    json_t *root = json_loads(text, JSON_DECODE_ANY, NULL);
    int code = asim_rank_values_read(
        values, &(struct asim_rank_values_key){"rank-compute-scale", "s.json", 100, 0}, root, err);

    json_decref(root);
    return code;
}

static void check_values(void)
{
    struct asim_rank_values values = {0};
    struct asim_err err = {0};

    CHECK_U64(read_text(&values, "{\"*\": 2, \"4-7\": 3, \"5\": 4, \"6-6\": 1.5}", &err), 0);
    CHECK(asim_rank_values_get(&values, 0, 1) == 2);
    CHECK(asim_rank_values_get(&values, 4, 1) == 3);
    CHECK(asim_rank_values_get(&values, 5, 1) == 4);
    CHECK(asim_rank_values_get(&values, 6, 1) == 1.5);
    asim_rank_values_fini(&values);
    CHECK(asim_rank_values_get(&values, 6, 7) == 7);
}

static void check_bad_values(void)
{
    static const char *const bad[] = {
        "[]",          "{\"x\": 1}",    "{\"1-\": 1}",         "{\"-1\": 1}", "{\"3-2\": 1}",
        "{\"1\": -1}", "{\"1\": 101}",  "{\"1\": \"2\"}",      "{\"\": 1}",   "{\"1-2-3\": 1}",
        "5",           "{\"1\": null}", "{\"4294967295\": 1}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct asim_rank_values values = {0};
        struct asim_err err = {0};

        CHECK(read_text(&values, bad[i], &err) != 0);
        CHECK(strstr(err.text, "rank-compute-scale") != NULL);
        asim_rank_values_fini(&values);
    }
}

static void check_prefixes(void)
{
    static const char *const bad[] = {"- 1\n",     "x: y\n", "1: [a]\n", "1: a\n1: b\n",
                                      "1: \"\"\n", "{",      ""};
    struct asim_node_prefixes prefixes;
    struct asim_err err = {0};

    CHECK_U64(asim_node_prefixes_read(&prefixes, file_of("12: a/b\n3: c\n"), &err), 0);
    CHECK_U64(prefixes.n, 2);
    CHECK_STR(asim_node_prefixes_get(&prefixes, 3), "c");
    CHECK(asim_node_prefixes_get(&prefixes, 4) == NULL);
    asim_node_prefixes_fini(&prefixes);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct asim_err why = {0};

        CHECK(asim_node_prefixes_read(&prefixes, file_of(bad[i]), &why) != 0);
        CHECK(why.text[0] != '\0');
    }
}

int main(void)
{
    check_values();
    check_bad_values();
    check_prefixes();
    return CHECK_DONE();
}
