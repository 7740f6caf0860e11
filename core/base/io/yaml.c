/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a YAML file whole, for the limits of base/src, and hands it to libyaml from memory.
 */
#include "base/io/yaml.h"
#include "base/io/src.h"

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

int asim_yaml_read(yaml_document_t *document, const char *path, struct asim_err *err)
{
    struct asim_src src;
    yaml_parser_t parser;
    int code = asim_src_open(&src, path, err);

    if (code)
        return code;
    code = check_depth(&src, err);
    if (code) {
        asim_src_close(&src);
        return code;
    }
    if (!yaml_parser_initialize(&parser)) {
        asim_src_close(&src);
        return asim_err_nomem(err, "reading YAML");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)src.data, src.size);
    if (!yaml_parser_load(&parser, document)) {
        code = fail(&parser, path, err);
    } else {
        code = check_end(&parser, path, err);
        if (code)
            yaml_document_delete(document);
    }
    yaml_parser_delete(&parser);
    asim_src_close(&src);
    return code;
}
