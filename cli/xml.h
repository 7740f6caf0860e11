/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An XML file as a tree of elements with their attributes. Text beside elements, which no file that
 * asim reads has, and documents with declarations of their own (DOCTYPE, entities) are refused.
 */
#ifndef ASIM_CLI_XML_H
#define ASIM_CLI_XML_H

#include "asim/err.h"
#include "base/io/src.h"
#include "base/mem.h"

struct asim_xml_node {
    const char *name;
    const char **attributes; /* name, value, …, NULL */
    struct asim_xml_node *parent, *first, *last, *next;
    unsigned line;
};

struct asim_xml {
    const char *path; /* borrowed */
    struct asim_xml_node *root;
    uint32_t texts;     /* between the elements, which no format here has */
    unsigned text_line; /* of the first */
    struct asim_arena arena;
};

/* The text of a file. The caller ends it with asim_xml_fini, also after a failure. */
int asim_xml_read(struct asim_xml *xml, const struct asim_src *src, struct asim_err *err);
void asim_xml_fini(struct asim_xml *xml);
/* The value of an attribute, or NULL. */
const char *asim_xml_get(const struct asim_xml_node *node, const char *name);
/* An attribute that must be a whole number from 0 to `most`; `absent` where there is none. */
int asim_xml_count(const struct asim_xml *xml, const struct asim_xml_node *node, const char *name,
                   uint64_t absent, uint64_t most, uint64_t *out, struct asim_err *err);
/* An error at the element. */
int asim_xml_fail(const struct asim_xml *xml, const struct asim_xml_node *node,
                  struct asim_err *err, const char *fmt, ...) ASIM_PRINTF(4, 5);
/* The next element of the tree in the order of the file, NULL behind the last. */
const struct asim_xml_node *asim_xml_after(const struct asim_xml_node *node);

#endif
