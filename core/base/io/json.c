/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads JSON strictly, on jansson.
 */
#include "base/io/json.h"

#include <string.h>
#include "base/io/foreign.h"
#include "base/io/src.h"
#include "base/text.h"

static int fail(const char *name, const json_error_t *why, unsigned before, struct asim_err *err)
{
    /* jansson reports line -1 where it failed before reading. */
    unsigned line = why->line > 0 ? (unsigned)why->line + before : 0;
    unsigned column = why->line > 0 && why->column > 0 ? (unsigned)why->column : 0;
    char text[JSON_ERROR_TEXT_LENGTH];

    /* jansson often reports nothing when it runs out of memory. */
    if (!why->text[0] || json_error_code(why) == json_error_out_of_memory)
        return asim_err_nomem(err, "reading a JSON file");
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){name, line, column},
                       "this is not valid JSON: %s.", asim_text_safe(text, sizeof text, why->text));
}

int asim_json_text(json_t **root, const char *name, const char *text, size_t size, size_t *used,
                   unsigned before, struct asim_err *err)
{
    json_error_t why;

    memset(&why, 0, sizeof why);
    *root = json_loadb(
        text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | (used ? JSON_DISABLE_EOF_CHECK : 0),
        &why);
    if (used)
        *used = *root ? (size_t)why.position : 0;
    return *root ? 0 : fail(name, &why, before, err);
}

/* Reads through base/io/src.h, which checks size, NUL and BOM of every text. A path that begins
 * like an object is one: users can write short JSON on the command line. */
int asim_json_read(json_t **root, const char *path, struct asim_err *err)
{
    const char *name = path[0] == '{' ? "the JSON given" : path;
    struct asim_src src;
    int rc = path[0] == '{' ? asim_src_open_bytes(&src, name, path, strlen(path), err)
                            : asim_src_open(&src, path, err);

    *root = NULL;
    if (rc)
        return rc;
    rc = asim_json_text(root, name, src.data + src.at, src.size - src.at, NULL, 0, err);
    if (rc == ASIM_EINVAL && src.data[src.at + strspn(src.data + src.at, " \t\r\n")] != '{')
        rc = asim_foreign_say(name, src.data, src.size, err);
    asim_src_close(&src);
    return rc;
}
