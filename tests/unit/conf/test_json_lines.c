/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lines of keys and elements, with braces and quotes inside strings, and texts that do not fit the
 * tree.
 */
#include "files.h"
#include "conf/json.h"
#include "conf/json_lines.h"

static void test_lines(void)
{
    static const char text[] = "{\"a\": 1,\n \"b\\\"}\": [2,\n\n{\"c\": \"{\\\\\"},\n true], "
                               "\"d\":\n{\"e\": null,\n\"f\": []}}";
    struct asim_json_lines lines;
    struct asim_err err = {0};
    json_t *root, *list;

    CHECK(asim_json_open(&root, text, &err) == 0);
    CHECK(asim_json_lines_open(&lines, root, text, &err) == 0);
    list = json_object_get(root, "b\"}");
    CHECK_U64(asim_json_line_of(&lines, root, "a"), 1);
    CHECK_U64(asim_json_line_of(&lines, root, "b\"}"), 2);
    CHECK_U64(asim_json_line(&lines, list, 0), 2);
    CHECK_U64(asim_json_line(&lines, list, 1), 4);
    CHECK_U64(asim_json_line(&lines, list, 2), 5);
    CHECK_U64(asim_json_line(&lines, list, 3), 0);
    CHECK_U64(asim_json_line_of(&lines, json_array_get(list, 1), "c"), 4);
    CHECK_U64(asim_json_line_of(&lines, root, "d"), 5);
    CHECK_U64(asim_json_line_of(&lines, json_object_get(root, "d"), "e"), 6);
    CHECK_U64(asim_json_line_of(&lines, json_object_get(root, "d"), "f"), 7);
    CHECK_U64(asim_json_line_of(&lines, root, "g"), 0);
    asim_json_lines_close(&lines);
    /* another text than that of the tree: no line, or a wrong one, and no harm */
    CHECK(asim_json_lines_open(&lines, root, "{\"x\": [[[1]]], \"y\": {\"z\"", &err) == 0);
    asim_json_lines_close(&lines);
    json_decref(root);
}

int main(void)
{
    test_lines();
    return CHECK_DONE();
}
