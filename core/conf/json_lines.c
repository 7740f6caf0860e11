/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the line of each value of a JSON text. jansson's iterators give the keys of an object in
 * the order of the text. The walk never trusts the text: where it leaves the tree, because the file
 * has changed, it stops.
 */
#include "conf/json_lines.h"

#include <stdint.h>
#include <string.h>
#include "base/io/src.h"

enum { DEPTH_MOST = 64 };

/* An object or array that the walk is in, and its element to come. */
struct level {
    json_t *of;
    void *iter; /* of an object */
    size_t index;
    int has_key; /* of an object: the key has been passed */
};

struct walk {
    struct asim_json_lines *lines;
    struct level levels[DEPTH_MOST];
    size_t depth;
    unsigned line;
    int failed;
};

static struct level *top(struct walk *walk)
{
    return walk->depth ? &walk->levels[walk->depth - 1] : NULL;
}

static void record(struct walk *walk, const struct level *level)
{
    uint64_t *slot = asim_map_put(&walk->lines->map, (uintptr_t)level->of, level->index);

    if (slot)
        *slot = walk->line;
    else
        walk->failed = 1;
}

/* The value that begins here; NULL where the tree has none. */
static json_t *value_at(struct walk *walk, json_t *root)
{
    struct level *level = top(walk);

    if (!level)
        return root;
    if (json_is_object(level->of))
        return level->iter ? json_object_iter_value(level->iter) : NULL;
    record(walk, level);
    return json_array_get(level->of, level->index);
}

/* A value has ended. */
static void advance(struct walk *walk)
{
    struct level *level = top(walk);

    if (!level)
        return;
    level->index++;
    level->has_key = 0;
    if (level->iter)
        level->iter = json_object_iter_next(level->of, level->iter);
}

/* Goes into the object or array that begins here. 0 where the tree does not follow. */
static int enter(struct walk *walk, json_t *root)
{
    json_t *value = value_at(walk, root);

    if (!json_is_object(value) && !json_is_array(value))
        return 0;
    if (walk->depth == DEPTH_MOST)
        return 0;
    walk->levels[walk->depth++] =
        (struct level){.of = value, .iter = json_is_object(value) ? json_object_iter(value) : NULL};
    return 1;
}

/* Behind the string that begins at `at`. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

/* A string, number or word of JSON; at: behind it. */
static const char *pass_scalar(struct walk *walk, json_t *root, const char *at, const char *end)
{
    struct level *level = top(walk);
    int is_string = *at == '"';

    if (level && is_string && json_is_object(level->of) && !level->has_key) {
        record(walk, level);
        level->has_key = 1;
        return skip_string(at, end);
    }
    value_at(walk, root);
    advance(walk);
    if (is_string)
        return skip_string(at, end);
    while (at < end && !strchr(",:]} \t\r\n", *at))
        at++;
    return at;
}

static void go_through(struct walk *walk, json_t *root, const char *at, const char *end)
{
    while (at < end && !walk->failed) {
        switch (*at) {
        case '\n':
            walk->line++;
            at++;
            break;
        case ' ':
        case '\t':
        case '\r':
        case ',':
        case ':':
            at++;
            break;
        case '{':
        case '[':
            if (!enter(walk, root))
                return;
            at++;
            break;
        case '}':
        case ']':
            walk->depth -= walk->depth > 0;
            advance(walk);
            at++;
            break;
        default:
            at = pass_scalar(walk, root, at, end);
        }
    }
}

int asim_json_lines_open(struct asim_json_lines *lines, json_t *root, const char *path,
                         struct asim_err *err)
{
    struct walk walk = {.lines = lines, .line = 1};
    struct asim_src src;
    int code = path[0] == '{' ? asim_src_open_bytes(&src, "the JSON given", path, strlen(path), err)
                              : asim_src_open(&src, path, err);

    asim_map_init(&lines->map);
    if (code)
        return code;
    go_through(&walk, root, src.data + src.at, src.data + src.size);
    asim_src_close(&src);
    return walk.failed ? asim_err_nomem(err, "reading a JSON file") : 0;
}

unsigned asim_json_line(const struct asim_json_lines *lines, const json_t *of, size_t index)
{
    const uint64_t *line = asim_map_get(&lines->map, (uintptr_t)of, index);

    return line ? (unsigned)*line : 0;
}

unsigned asim_json_line_of(const struct asim_json_lines *lines, json_t *object, const char *key)
{
    const char *at;
    json_t *value;
    size_t index = 0;

    json_object_foreach(object, at, value)
    {
        if (!strcmp(at, key))
            return asim_json_line(lines, object, index);
        index++;
    }
    return 0;
}

void asim_json_lines_close(struct asim_json_lines *lines)
{
    asim_map_fini(&lines->map);
}
