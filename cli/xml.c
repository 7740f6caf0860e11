/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads XML with expat into a tree. Memory is bounded by the text: an element takes some 60 bytes
 * beside its names, and no entity multiplies anything.
 */
#include "cli/xml.h"

#include <expat.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/io/foreign.h"
#include "base/text.h"

enum { MOST_DEPTH = 64, MEMORY = 1 << 30 };

struct reader {
    struct asim_xml *xml;
    struct asim_xml_node *open;
    XML_Parser parser;
    int depth;
    struct asim_err *err;
};

static void stop(struct reader *r, const char *what)
{
    unsigned line = (unsigned)XML_GetCurrentLineNumber(r->parser);

    if (!r->err->code)
        asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->xml->path, line, 0}, "%s", what);
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *keep(struct reader *r, const char *text)
{
    return asim_arena_strndup(&r->xml->arena, text, strlen(text));
}

static const char **keep_attributes(struct reader *r, const XML_Char **from)
{
    size_t n = 0;
    const char **to;

    while (from[n])
        n++;
    to = asim_arena_alloc(&r->xml->arena, (n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        if (!(to[i] = keep(r, from[i])))
            return NULL;
    if (to)
        to[n] = NULL;
    return to;
}

static void begin(void *self, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *r = self;
    struct asim_xml_node *node = asim_arena_alloc(&r->xml->arena, sizeof *node);

    if (++r->depth > MOST_DEPTH) {
        stop(r, "elements are nested more than 64 deep; no file that asim reads needs so many.");
        return;
    }
    if (!node)
        return stop(r, "this XML file needs too much memory.");
    *node = (struct asim_xml_node){.name = keep(r, name),
                                   .attributes = keep_attributes(r, attributes),
                                   .parent = r->open,
                                   .line = (unsigned)XML_GetCurrentLineNumber(r->parser)};
    if (!node->name || !node->attributes)
        return stop(r, "this XML file needs too much memory.");
    if (!r->open)
        r->xml->root = node;
    else if (r->open->last)
        r->open->last->next = node;
    else
        r->open->first = node;
    if (r->open)
        r->open->last = node;
    r->open = node;
}

static void end(void *self, const XML_Char *name)
{
    struct reader *r = self;

    (void)name;
    r->depth--;
    r->open = r->open->parent;
}

static void see_text(void *self, const XML_Char *text, int n)
{
    struct reader *r = self;
    int i = 0;

    while (i < n && strchr(" \t\r\n", text[i]))
        i++;
    if (i < n && !r->xml->texts++)
        r->xml->text_line = (unsigned)XML_GetCurrentLineNumber(r->parser);
}

static void see_doctype(void *self, const XML_Char *name, const XML_Char *system,
                        const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    stop(self, "this XML has a DOCTYPE; expected elements only.");
}

int asim_xml_read(struct asim_xml *xml, const struct asim_src *src, struct asim_err *err)
{
    struct reader r = {.xml = xml, .parser = XML_ParserCreate("UTF-8"), .err = err};

    *xml = (struct asim_xml){.path = src->name};
    asim_arena_init(&xml->arena, MEMORY);
    if (!r.parser)
        return asim_err_nomem(err, "reading XML");
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin, end);
    XML_SetCharacterDataHandler(r.parser, see_text);
    XML_SetStartDoctypeDeclHandler(r.parser, see_doctype);
    if (src->size > INT_MAX)
        asim_err_set(err, ASIM_ENOMEM, "%s: XML of more than 2 GiB is not read.", src->name);
    else if (XML_Parse(r.parser, src->data, (int)src->size, 1) != XML_STATUS_OK && !err->code)
        asim_err_at(err, ASIM_EINVAL,
                    (struct asim_where){src->name, (unsigned)XML_GetCurrentLineNumber(r.parser), 0},
                    "this is not well-formed XML: %s.",
                    XML_ErrorString(XML_GetErrorCode(r.parser)));
    if (err->code == ASIM_EINVAL &&
        src->data[src->at + strspn(src->data + src->at, " \t\r\n")] != '<')
        asim_foreign_say(src->name, src->data, src->size, err);
    XML_ParserFree(r.parser);
    return err->code;
}

void asim_xml_fini(struct asim_xml *xml)
{
    asim_arena_fini(&xml->arena);
    xml->root = NULL;
}

const char *asim_xml_get(const struct asim_xml_node *node, const char *name)
{
    for (const char **at = node->attributes; *at; at += 2)
        if (!strcmp(*at, name))
            return at[1];
    return NULL;
}

int asim_xml_count(const struct asim_xml *xml, const struct asim_xml_node *node, const char *name,
                   uint64_t absent, uint64_t most, uint64_t *out, struct asim_err *err)
{
    const char *text = asim_xml_get(node, name);
    char safe[40];

    *out = absent;
    if (!text)
        return 0;
    if (asim_text_u64(text, out) || *out > most)
        return asim_xml_fail(xml, node, err,
                             "%s=\"%s\" of <%.40s> is no whole number from 0 to %" PRIu64 ".", name,
                             asim_text_safe(safe, sizeof safe, text), node->name, most);
    return 0;
}

int asim_xml_fail(const struct asim_xml *xml, const struct asim_xml_node *node,
                  struct asim_err *err, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){xml->path, node ? node->line : 1, 0},
                       "%s", text);
}

const struct asim_xml_node *asim_xml_after(const struct asim_xml_node *node)
{
    if (node->first)
        return node->first;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}
