/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes Chakra traces. An own encoder (encode.h) replaces protobuf-c's, which needs a tree of
 * allocated messages for every node. One buffer serves all records, so a node allocates nothing
 * after the largest one.
 */
#include "asim/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/out.h"
#include "asim/trace_record.h"
#include "trace/chakra/value.h"
#include "trace/chakra/encode.h"

/* Field numbers of chakra.proto. */
enum { META_VERSION = 1, META_ATTR = 2 };
enum { ATTR_NAME = 1, ATTR_DOC = 2 };
enum { IO_VALUES = 1, IO_SHAPES = 2, IO_TYPES = 3 };
enum {
    NODE_ID = 1,
    NODE_NAME = 2,
    NODE_TYPE = 3,
    NODE_CTRL_DEPS = 4,
    NODE_DATA_DEPS = 5,
    NODE_START = 6,
    NODE_DURATION = 7,
    NODE_INPUTS = 8,
    NODE_OUTPUTS = 9,
    NODE_ATTR = 10
};

/* out keeps the first write error for the commit. */
struct asim_chakra_writer {
    struct asim_out out;
    struct asim_encode record, length; /* reused for every record */
    int has_metadata;
};

int asim_chakra_writer_open(struct asim_chakra_writer **writer, const char *path,
                            struct asim_err *err)
{
    *writer = NULL;
    struct asim_chakra_writer *made = calloc(1, sizeof *made);
    if (!made)
        return asim_err_nomem(err, "opening a trace for writing");
    int rc = asim_out_open(&made->out, path, err);
    if (rc)
        free(made);
    else
        *writer = made;
    return rc;
}

/* The first record counts as metadata. */
int asim_chakra_writer_bytes(struct asim_chakra_writer *writer, const void *data, size_t size,
                             struct asim_err *err)
{
    struct asim_where at = {writer->out.path, 0, 0};
    if (size > ASIM_CHAKRA_RECORD_MAX)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "a record of %zu bytes is larger than readers take (%u bytes).", size,
                           ASIM_CHAKRA_RECORD_MAX);
    writer->length.n = 0;
    asim_encode_varint(&writer->length, size);
    if (writer->length.failed)
        return asim_err_nomem(err, "writing a trace");
    asim_out_write(&writer->out, writer->length.at, writer->length.n);
    asim_out_write(&writer->out, data, size);
    writer->has_metadata = 1;
    return 0;
}

/* Writes the collected record and empties it. */
static int flush(struct asim_chakra_writer *writer, struct asim_err *err)
{
    if (writer->record.failed)
        return asim_err_nomem(err, "writing a trace");
    int rc = asim_chakra_writer_bytes(writer, writer->record.at, writer->record.n, err);
    writer->record.n = 0;
    return rc;
}

/* A value that does not fit drops the record. */
static int put_attrs(struct asim_chakra_writer *writer, unsigned field,
                     const struct asim_chakra_attr *attrs, size_t n, struct asim_err *err)
{
    struct asim_encode *out = &writer->record;
    for (size_t i = 0; i < n; i++) {
        size_t begin = asim_encode_begin(out, field);
        asim_encode_opt_text(out, ATTR_NAME, attrs[i].name);
        asim_encode_opt_text(out, ATTR_DOC, attrs[i].doc);
        struct asim_where at = {writer->out.path, 0, 0};
        if (!asim_chakra_value(out, &attrs[i]))
            return asim_err_at(err, ASIM_EINVAL, at,
                               "attribute '%.80s' has a value that does not fit its kind (%s).",
                               attrs[i].name ? attrs[i].name : "",
                               asim_attr_type_name(attrs[i].type));
        asim_encode_end(out, begin);
    }
    return 0;
}

int asim_chakra_writer_metadata(struct asim_chakra_writer *writer, const char *version,
                                const struct asim_chakra_attr *attrs, size_t n,
                                struct asim_err *err)
{
    if (writer->has_metadata)
        return asim_err_set(err, ASIM_EBUG, "the metadata of '%s' was written after other records.",
                            writer->out.path);
    writer->record.n = 0;
    asim_encode_opt_text(&writer->record, META_VERSION, version);
    int rc = put_attrs(writer, META_ATTR, attrs, n, err);
    return rc ? rc : flush(writer, err);
}

/* Tensor names, shapes and types of a node's inputs or outputs, as JSON. */
static void put_io(struct asim_encode *out, unsigned field, const struct asim_chakra_io *io)
{
    if (!io->values && !io->shapes && !io->types)
        return;
    size_t begin = asim_encode_begin(out, field);
    asim_encode_opt_text(out, IO_VALUES, io->values);
    asim_encode_opt_text(out, IO_SHAPES, io->shapes);
    asim_encode_opt_text(out, IO_TYPES, io->types);
    asim_encode_end(out, begin);
}

/* Fields in the order of their numbers. A refused node leaves the file as it was. */
int asim_chakra_writer_node(struct asim_chakra_writer *writer, const struct asim_chakra_node *node,
                            struct asim_err *err)
{
    if (!writer->has_metadata)
        return asim_err_set(err, ASIM_EBUG, "a node of '%s' was written before the metadata.",
                            writer->out.path);
    struct asim_encode *out = &writer->record;
    out->n = 0;
    asim_encode_opt_number(out, NODE_ID, node->id);
    asim_encode_opt_text(out, NODE_NAME, node->name);
    asim_encode_opt_number(out, NODE_TYPE, (uint64_t)node->type);
    asim_encode_opt_packed(out, NODE_CTRL_DEPS, node->ctrl_deps, node->ctrl_dep_n);
    asim_encode_opt_packed(out, NODE_DATA_DEPS, node->data_deps, node->data_dep_n);
    asim_encode_opt_number(out, NODE_START, node->start_micros);
    asim_encode_opt_number(out, NODE_DURATION, node->duration_micros);
    put_io(out, NODE_INPUTS, &node->inputs);
    put_io(out, NODE_OUTPUTS, &node->outputs);
    int rc = put_attrs(writer, NODE_ATTR, node->attrs, node->attr_n, err);
    return rc ? rc : flush(writer, err);
}

int asim_chakra_writer_commit(struct asim_chakra_writer *writer, struct asim_err *err)
{
    int rc = asim_out_commit(&writer->out, err);
    if (rc)
        asim_out_discard(&writer->out);
    free(writer->record.at);
    free(writer->length.at);
    free(writer);
    return rc;
}

void asim_chakra_writer_discard(struct asim_chakra_writer *writer)
{
    if (!writer)
        return;
    asim_out_discard(&writer->out);
    free(writer->record.at);
    free(writer->length.at);
    free(writer);
}
