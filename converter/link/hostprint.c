/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a host node again with new id, name and parent. Flat nodes of schema 1.0.1 get the form of
 * 1.0.2 (inputs and outputs as objects, the rest as attrs), which all later tools read.
 */
#include "link/host.h"

#include <string.h>
#include "json/print.h"
#include "json/access.h"

#define LEVEL 3 /* {"nodes": [{ … */

static void begin(struct asim_jbuf *buf, const char *key, int *first)
{
    if (!*first)
        asim_jbuf_put(buf, ",", 1);
    *first = 0;
    asim_jprint_line(buf, LEVEL);
    asim_jbuf_put(buf, "\"", 1);
    asim_jbuf_text(buf, key);
    asim_jbuf_put(buf, "\": ", 3);
}

/* The keys of a node's inputs or outputs: of the object written, and of the lists read. */
struct io_keys {
    const char *object, *list[3];
};

static void print_io(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct io_keys *keys,
                     int *first)
{
    static const char *const parts[] = {"values", "shapes", "types"};

    begin(buf, keys->object, first);
    asim_jbuf_put(buf, "{", 1);
    for (int i = 0; i < 3; i++) {
        const struct asim_jv *v = asim_jv_get(doc, &doc->at[0], keys->list[i]);

        asim_jbuf_text(buf, i ? "," : "");
        asim_jprint_line(buf, LEVEL + 1);
        asim_jbuf_put(buf, "\"", 1);
        asim_jbuf_text(buf, parts[i]);
        asim_jbuf_put(buf, "\": ", 3);
        if (v)
            asim_jprint_value(buf, doc, v, LEVEL + 1);
        else
            asim_jbuf_put(buf, "[]", 2);
    }
    asim_jprint_line(buf, LEVEL);
    asim_jbuf_put(buf, "}", 1);
}

struct attr_row {
    const char *name, *type, *absent; /* absent: value to write if the node has none */
};

static void print_attr(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                       const struct attr_row *row, int comma)
{
    const struct asim_jv *v = asim_jv_get(doc, &doc->at[0], row->name);

    asim_jbuf_text(buf, comma ? "," : "");
    asim_jprint_line(buf, LEVEL + 1);
    asim_jbuf_put(buf, "{", 1);
    asim_jprint_line(buf, LEVEL + 2);
    asim_jbuf_text(buf, "\"name\": \"");
    asim_jbuf_text(buf, row->name);
    asim_jbuf_text(buf, "\",");
    asim_jprint_line(buf, LEVEL + 2);
    asim_jbuf_text(buf, "\"type\": \"");
    asim_jbuf_text(buf, row->type);
    asim_jbuf_text(buf, "\",");
    asim_jprint_line(buf, LEVEL + 2);
    asim_jbuf_text(buf, "\"value\": ");
    if (v)
        asim_jprint_value(buf, doc, v, LEVEL + 2);
    else
        asim_jbuf_text(buf, row->absent);
    asim_jprint_line(buf, LEVEL + 1);
    asim_jbuf_put(buf, "}", 1);
}

static void print_flat(struct asim_jbuf *buf, const struct asim_jdoc *doc, int *first)
{
    static const struct io_keys in = {"inputs", {"inputs", "input_shapes", "input_types"}};
    static const struct io_keys out = {"outputs", {"outputs", "output_shapes", "output_types"}};
    static const struct attr_row attrs[] = {
        {"rf_id", "uint64", "0"},       {"fw_parent", "uint64", "0"}, {"seq_id", "int64", "-1"},
        {"scope", "uint64", "0"},       {"tid", "uint64", "0"},       {"fw_tid", "uint64", "0"},
        {"op_schema", "string", "\"\""}};

    print_io(buf, doc, &in, first);
    print_io(buf, doc, &out, first);
    begin(buf, "attrs", first);
    asim_jbuf_put(buf, "[", 1);
    for (int i = 0; i < 7; i++)
        print_attr(buf, doc, &attrs[i], i);
    asim_jprint_line(buf, LEVEL);
    asim_jbuf_put(buf, "]", 1);
}

static int key_is(const struct asim_jdoc *doc, const struct asim_jv *v, const char *key)
{
    return v->key_n == strlen(key) && !memcmp(doc->text + v->key, key, v->key_n);
}

static void print_name(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                       const struct asim_host_head *head, int *first)
{
    const struct asim_jv *name = asim_jv_get(doc, &doc->at[0], "name");

    begin(buf, "name", first);
    if (head->name)
        asim_jprint_string(buf, head->name, strlen(head->name));
    else if (name)
        asim_jprint_value(buf, doc, name, LEVEL);
    else
        asim_jbuf_put(buf, "\"\"", 2);
}

static void print_parent(struct asim_jbuf *buf, const struct asim_host_head *head, int *first)
{
    if (!head->has_parent)
        return;
    begin(buf, "ctrl_deps", first);
    asim_jprint_int(buf, head->parent);
}

void asim_host_print(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                     const struct asim_host_head *head)
{
    const struct asim_jv *node = &doc->at[0];
    int first = 1;

    if (!asim_jv_get(doc, node, "attrs")) {
        begin(buf, "id", &first);
        asim_jprint_int(buf, head->id);
        print_name(buf, doc, head, &first);
        print_parent(buf, head, &first);
        print_flat(buf, doc, &first);
        return;
    }
    for (const struct asim_jv *v = asim_jv_first(doc, node); v; v = asim_jv_next(doc, v)) {
        if (key_is(doc, v, "id")) {
            begin(buf, "id", &first);
            asim_jprint_int(buf, head->id);
        } else if (key_is(doc, v, "name")) {
            print_name(buf, doc, head, &first);
        } else if (key_is(doc, v, "ctrl_deps")) {
            print_parent(buf, head, &first);
        } else {
            asim_jbuf_text(buf, first ? "" : ",");
            first = 0;
            asim_jprint_line(buf, LEVEL);
            asim_jprint_key(buf, doc, v);
            asim_jprint_value(buf, doc, v, LEVEL);
        }
    }
}
