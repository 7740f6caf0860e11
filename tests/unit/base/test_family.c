/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Family tables: finding a row, the sentence for an unknown one, and the start-up check's view of
 * each way a row can be incomplete.
 */
#include "check.h"
#include "asim/ext/family.h"

static const struct asim_option options[] = {
    {"width", NULL, "Links side by side.", "1", ASIM_T_U32, 0, 1, 64, NULL, 0},
    {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
};
static const struct asim_option mute[] = {
    {"width", NULL, NULL, "1", ASIM_T_U32, 0, 1, 64, NULL, 0},
    {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
};
static const struct asim_member ring = {"ring", "Each rank passes to the next.", options, 4};
static const struct asim_member tree = {"tree", "Two trees.", NULL, 0};
static const struct asim_member no_name = {"", "Something.", NULL, 0};
static const struct asim_member no_about = {"silent", NULL, NULL, 0};
static const struct asim_member two_lines = {"chatty", "One.\nTwo.", NULL, 0};
static const struct asim_member outside = {"outside", "Small struct.", options, 0};
static const struct asim_member helpless = {"helpless", "No help.", mute, 4};

static void test_find(void)
{
    static const struct asim_member *const table[] = {&ring, &tree, NULL};
    static const struct asim_member *const empty[] = {NULL};
    struct asim_err err = {0}, far = {0}, none = {0};
    CHECK(asim_family_find(table, "collective", "tree", &err) == &tree && !err.code);
    CHECK(!asim_family_find(table, "collective", "rnig", &err));
    CHECK(err.code == ASIM_EINVAL);
    CHECK_STR(err.text, "unknown collective 'rnig'. Did you mean 'ring'? Known are: ring, tree.");
    CHECK(!asim_family_find(table, "collective", "wheel", &far));
    CHECK_STR(far.text, "unknown collective 'wheel'. Known are: ring, tree.");
    CHECK(!asim_family_find(empty, "collective", "ring", &none));
    CHECK_STR(none.text, "unknown collective 'ring'. Known are: none.");
    CHECK(!asim_family_find(table, "collective", "", NULL));
}

static void test_check(void)
{
    static const struct {
        const struct asim_member *const table[3];
        const char *want; /* part of the sentence; NULL = good */
    } rows[] = {
        {{NULL}, NULL},
        {{&ring, &tree}, NULL},
        {{&ring, &ring}, "two rows of the maker table are called 'ring'"},
        {{&ring, &no_name}, "no name"},
        {{&no_about}, "'silent' needs an about text"},
        {{&two_lines}, "'chatty' needs an about text of one line"},
        {{&outside}, "option width of the maker 'outside' lies outside its struct of 0 bytes"},
        {{&helpless}, "option width of the maker 'helpless' has no help"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asim_err err = {0};
        int code = asim_family_check(rows[i].table, "maker", &err);
        CHECK(code == (rows[i].want ? ASIM_EBUG : 0) && code == err.code);
        if (rows[i].want && !strstr(err.text, rows[i].want))
            CHECK_STR(err.text, rows[i].want);
    }
}

int main(void)
{
    test_find();
    test_check();
    return CHECK_DONE();
}
