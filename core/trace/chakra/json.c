/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the three JSON forms of a Chakra trace: protobuf's (an object of metadata, then one a
 * node), the feeder's "workload_graph" and symbolic_tensor_graph's "nodes". A key that a form does
 * not have is refused.
 */
#include "trace/chakra/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/io/json.h"
#include "base/io/src.h"

enum { NODE_BYTES = 1 << 26 };

/* --- the file --------------------------------------------------------------------------------- */

/* PyTorch's own files are no workload, not even those without a node. */
static int refuse_foreign(const struct asim_chakra_json *r, const json_t *one)
{
    static const char *const keys[] = {"schema", "schemaVersion", "traceEvents"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(one, keys[i]))
            return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->path, r->line, 0},
                               "this looks like JSON of PyTorch or Kineto (it has \"%s\"); convert "
                               "it with asim trace pytorch.",
                               keys[i]);
    return 0;
}

static int read_metadata(struct asim_chakra_json *r, const json_t *one)
{
    const json_t *list = json_object_get(one, "attr");
    const char *key;
    json_t *value;
    int code = 0;

    json_object_foreach((json_t *)one, key, value) if (
        strcmp(key, "version") &&
        strcmp(
            key,
            "attr")) return asim_err_at(r->err, ASIM_EINVAL,
                                        (struct asim_where){r->path, r->line, 0},
                                        "the key \"%.40s\" belongs to no form of a trace; expected "
                                        "\"version\" and \"attr\" of the metadata, or nodes.",
                                        key);
    asim_arena_init(&r->arena, NODE_BYTES);
    r->attr.n = 0;
    for (size_t i = 0; i < json_array_size(list) && !code; i++)
        code = asim_chakra_json_attr(r, json_array_get(list, i));
    if (!code)
        code = asim_chakra_writer_metadata(r->writer,
                                           json_string_value(json_object_get(one, "version")),
                                           r->attr.at, r->attr.n, r->err);
    asim_arena_fini(&r->arena);
    return code;
}

/* A node of protobuf's form always says its type or its name; metadata do not. */
static int read_value(struct asim_chakra_json *r, const json_t *one, int is_first)
{
    const json_t *list = json_object_get(one, "workload_graph");
    int code = refuse_foreign(r, one);

    if (code)
        return code;
    if (!list && !json_object_get(one, "type"))
        list = json_object_get(one, "nodes");
    if (list && !is_first)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->path, r->line, 0},
                           "a list of nodes behind another record; expected one form of a trace.");
    if (list) {
        code = asim_chakra_writer_metadata(r->writer, "0.0.4", NULL, 0, r->err);
        for (size_t i = 0; i < json_array_size(list) && !code; i++)
            code = asim_chakra_json_node(r, json_array_get(list, i), 1);
        return code;
    }
    if (is_first && !json_object_get(one, "type") && !json_object_get(one, "id"))
        return read_metadata(r, one);
    if (is_first)
        code = asim_chakra_writer_metadata(r->writer, "0.0.4", NULL, 0, r->err);
    return code ? code : asim_chakra_json_node(r, one, 0);
}

/* Blanks, and a comma between two values. */
static int pass_between(struct asim_chakra_json *r, const struct asim_src *src, size_t *at,
                        int is_first)
{
    int commas = 0;

    for (; *at < src->size && src->data[*at] && strchr(" \t\r\n,", src->data[*at]); ++*at) {
        r->line += src->data[*at] == '\n';
        commas += src->data[*at] == ',';
    }
    if (commas > !is_first || (commas && *at == src->size))
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->path, r->line, 0},
                           "a comma, expected a record: the file may be cut off.");
    return 0;
}

/* Values one behind the other, or in one list. */
static int read_all(struct asim_chakra_json *r, const struct asim_src *src)
{
    size_t at = src->at, used;
    int code = 0, n = 0;

    r->line = 1;
    while (!code) {
        json_t *one;

        code = pass_between(r, src, &at, !n);
        if (code || at >= src->size)
            break;
        code = asim_json_text(&one, src->name, src->data + at, src->size - at, &used, r->line - 1,
                              r->err);
        if (code)
            return code;
        if (json_is_array(one))
            for (size_t i = 0; i < json_array_size(one) && !code; i++)
                code = read_value(r, json_array_get(one, i), !n++);
        else
            code = read_value(r, one, !n++);
        json_decref(one);
        for (; used--; at++)
            r->line += src->data[at] == '\n';
    }
    return code;
}

static int open_text(struct asim_src *src, struct asim_bytes *bytes, struct asim_err *err)
{
    const unsigned char *text;
    size_t size;

    if (!bytes->is_gzip)
        return asim_src_open(src, bytes->path, err);
    if (asim_bytes_get(bytes, (struct asim_bytes_ask){.want = bytes->size}, &text, &size, err))
        return err->code;
    return asim_src_open_bytes(src, bytes->path, (const char *)text, size, err);
}

static int convert(struct asim_bytes *bytes, const char *to, struct asim_err *err)
{
    struct asim_chakra_json r = {.path = bytes->path, .err = err};
    struct asim_src src;
    int code = open_text(&src, bytes, err);

    if (code)
        return code;
    code = asim_chakra_writer_open(&r.writer, to, err);
    if (!code)
        code = read_all(&r, &src);
    if (!code)
        code = asim_chakra_writer_commit(r.writer, err);
    else
        asim_chakra_writer_discard(r.writer);
    free(r.attr.at);
    asim_src_close(&src);
    return code;
}

/* A record of 123 or 91 bytes begins with a bracket, too; then a tag and a length follow. */
static int begins_as_json(const unsigned char *head, size_t size)
{
    static const char blank[] = " \t\r\n";
    size_t at = size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
    char bracket;

    while (at < size && head[at] && strchr(blank, head[at]))
        at++;
    if (at == size || (head[at] != '{' && head[at] != '['))
        return 0;
    bracket = (char)head[at++];
    while (at < size && head[at] && strchr(blank, head[at]))
        at++;
    return at < size && head[at] && strchr(bracket == '{' ? "\"}" : "{]", head[at]);
}

int asim_chakra_from_json(struct asim_bytes *bytes, struct asim_err *err)
{
    const char *folder = getenv("TMPDIR");
    const unsigned char *head;
    char path[4096];
    size_t got;
    struct stat st;
    int code, fd;

    if (asim_bytes_get(bytes, (struct asim_bytes_ask){.want = 4096}, &head, &got, err))
        return err->code;
    if (!begins_as_json(head, got))
        return 0;
    if ((size_t)snprintf(path, sizeof path, "%s/asim-json-XXXXXX",
                         folder && *folder ? folder : "/tmp") >= sizeof path)
        return asim_err_set(err, ASIM_EINVAL, "TMPDIR is too long.");
    fd = mkstemp(path);
    if (fd < 0)
        return asim_err_set(err, ASIM_EIO, "%s: cannot make a temporary file for its nodes.",
                            bytes->path);
    close(fd);
    code = convert(bytes, path, err);
    fd = code ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    if (!code && (fd < 0 || fstat(fd, &st)))
        code = asim_err_set(err, ASIM_EIO, "%s: cannot read its nodes back.", bytes->path);
    if (!code)
        asim_bytes_replace(bytes, fd, (uint64_t)st.st_size);
    return code;
}
