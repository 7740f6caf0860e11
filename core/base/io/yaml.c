/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a YAML file whole, for the limits of base/src, and hands it to libyaml from memory.
 */
#include "base/io/yaml.h"

#include <stdlib.h>
#include <string.h>
#include "base/io/json.h"
#include "base/io/src.h"
#include "base/text.h"

static int fail(const yaml_parser_t *parser, const char *path, struct asim_err *err)
{
    struct asim_where at = {path, (unsigned)parser->problem_mark.line + 1, 0};

    if (parser->error == YAML_MEMORY_ERROR || !parser->problem)
        return asim_err_nomem(err, "reading YAML");
    return asim_err_at(err, ASIM_EINVAL, at, "this is not YAML: %s.", parser->problem);
}

/* Whether there is nothing more; broken text is something, too. */
static int check_end(yaml_parser_t *parser, const char *path, struct asim_err *err)
{
    unsigned line = (unsigned)parser->mark.line + 1;
    yaml_document_t more;

    if (yaml_parser_load(parser, &more)) {
        int is_there = yaml_document_get_root_node(&more) != NULL;

        line = (unsigned)more.start_mark.line + 1;
        yaml_document_delete(&more);
        if (!is_there)
            return 0;
    }
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, line, 0},
                       "the settings have ended before this; begin all keys in one column and "
                       "have one document.");
}

/* libyaml takes time quadratic in the depth of brackets. Its events come one by one, so this ends
 * at the limit. Broken text is left to the reading that follows. */
static int check_depth(const struct asim_src *src, struct asim_err *err)
{
    enum { MOST = 32 };
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0, more = 1;

    if (!yaml_parser_initialize(&parser))
        return asim_err_nomem(err, "reading YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)src->data, src->size);
    while (more && depth <= MOST && yaml_parser_parse(&parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        more = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        yaml_event_delete(&event);
    }
    struct asim_where at = {src->name, (unsigned)parser.mark.line + 1, 0};
    yaml_parser_delete(&parser);
    return depth <= MOST ? 0
                         : asim_err_at(err, ASIM_EINVAL, at,
                                       "lists are nested more than %d deep; no file that asim "
                                       "reads needs so many levels.",
                                       MOST);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(asim_yaml_text(*(const yaml_node_t *const *)a),
                  asim_yaml_text(*(const yaml_node_t *const *)b));
}

/* libyaml takes a key that stands twice, and readers would take one of the two. */
static int check_keys(yaml_document_t *document, const yaml_node_t *map, const char *path,
                      struct asim_err *err)
{
    size_t n = (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
    const yaml_node_t **key = malloc((n + 1) * sizeof *key);
    int code = key ? 0 : asim_err_nomem(err, "reading YAML");

    for (size_t i = 0; i < n && !code; i++)
        key[i] = yaml_document_get_node(document, map->data.mapping.pairs.start[i].key);
    if (!code && n)
        qsort(key, n, sizeof *key, by_text);
    for (size_t i = 1; i < n && !code; i++)
        if (key[i]->type == YAML_SCALAR_NODE && !by_text(&key[i - 1], &key[i])) {
            unsigned a = asim_yaml_line(key[i - 1]), b = asim_yaml_line(key[i]);
            char safe[60];

            code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, a > b ? a : b, 0},
                               "key \"%s\" is there twice; it was on line %u.",
                               asim_text_safe(safe, sizeof safe, asim_yaml_text(key[i])),
                               a < b ? a : b);
        }
    free(key);
    return code;
}

static int check_maps(yaml_document_t *document, const char *path, struct asim_err *err)
{
    int code = 0;

    for (yaml_node_t *node = document->nodes.start; node < document->nodes.top && !code; node++)
        if (node->type == YAML_MAPPING_NODE)
            code = check_keys(document, node, path, err);
    return code;
}

/* YAML takes JSON, and much that is none: trailing commas, comments, names without quotes. */
static int check_json(const struct asim_src *src, struct asim_err *err)
{
    size_t n = strlen(src->name), from = strncmp(src->data, "\xEF\xBB\xBF", 3) ? 0 : 3;
    json_t *root = NULL;
    int code = 0;

    if (n > 5 && !strcmp(src->name + n - 5, ".json"))
        code = asim_json_text(&root, src->name, src->data + from, src->size - from, NULL, 0, err);
    json_decref(root);
    return code;
}

int asim_yaml_read_src(yaml_document_t *document, const struct asim_src *src, struct asim_err *err)
{
    yaml_parser_t parser;
    int code = check_depth(src, err) || check_json(src, err) ? err->code : 0;

    if (code)
        return code;
    if (!yaml_parser_initialize(&parser))
        return asim_err_nomem(err, "reading YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)src->data, src->size);
    if (!yaml_parser_load(&parser, document)) {
        code = fail(&parser, src->name, err);
    } else {
        code = check_end(&parser, src->name, err);
        if (!code)
            code = check_maps(document, src->name, err);
        if (code)
            yaml_document_delete(document);
    }
    yaml_parser_delete(&parser);
    return code;
}

int asim_yaml_read(yaml_document_t *document, const char *path, struct asim_err *err)
{
    struct asim_src src;
    int code = asim_src_open(&src, path, err);

    if (code)
        return code;
    code = asim_yaml_read_src(document, &src, err);
    asim_src_close(&src);
    return code;
}

const char *asim_yaml_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

const yaml_node_t *asim_yaml_get(yaml_document_t *document, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++)
        if (!strcmp(asim_yaml_text(yaml_document_get_node(document, pair->key)), key))
            return yaml_document_get_node(document, pair->value);
    return NULL;
}

const yaml_node_t *asim_yaml_item(yaml_document_t *document, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE ||
        i >= (size_t)(list->data.sequence.items.top - list->data.sequence.items.start))
        return NULL;
    return yaml_document_get_node(document, list->data.sequence.items.start[i]);
}
