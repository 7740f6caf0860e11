/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads elements a second time, by their position in the file: only a few values of each are kept
 * between two passes. A gzip file cannot be sought in, so it is inflated into a temporary file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/interrupt.h"
#include "json/reader.h"

/* The file to seek in: the file itself, or its inflated copy. */
static int open_spool(struct asim_jreader *r, struct asim_err *err)
{
    int packed = asim_unpack_is_packed(r->file);
    size_t got = 1;

    r->spool = packed ? tmpfile() : fopen(r->path, "rb");
    if (!r->spool)
        return asim_err_set(err, ASIM_EIO, "%s: cannot open it a second time%s: %s.", r->path,
                            packed ? " (unpacked, in a temporary file)" : "", strerror(errno));
    if (!packed)
        return 0;
    r->at = r->n = 0;
    if (asim_unpack_rewind(r->file, err))
        return ASIM_EIO;
    while (got) {
        if (asim_interrupted())
            return asim_err_set(err, ASIM_EINTR, "interrupted.");
        if (asim_unpack_read(r->file, r->buffer, r->cap, &got, err))
            return ASIM_EIO;
        if (fwrite(r->buffer, 1, got, r->spool) != got)
            return asim_err_set(err, ASIM_EIO, "%s: no room to unpack it in a temporary file.",
                                r->path);
    }
    return 0;
}

/* Fills the buffer from the file so that it holds `size` bytes at `offset`. Nodes are requested
 * nearly in file order, a caller sometimes a little before its callees: so the buffer begins some
 * bytes earlier. */
static int load_again(struct asim_jreader *r, uint64_t offset, size_t size, struct asim_err *err)
{
    uint64_t from = offset > ASIM_JREADER_BUFFER / 4 ? offset - ASIM_JREADER_BUFFER / 4 : 0;
    size_t need = (size_t)(offset - from) + size;
    size_t got;

    if (need > r->cap) {
        char *bigger = realloc(r->buffer, need + 1);

        if (!bigger)
            return asim_err_nomem(err, "reading a JSON file again");
        r->buffer = bigger;
        r->cap = need;
    }
    if (fseeko(r->spool, (off_t)from, SEEK_SET))
        return asim_err_set(err, ASIM_EIO, "%s: cannot be read a second time.", r->path);
    got = fread(r->buffer, 1, r->cap, r->spool);
    if (got < need)
        return asim_err_set(err, ASIM_EIO, "%s: changed while it was being read.", r->path);
    r->base = from;
    r->n = got;
    r->buffer[got] = 0;
    return 0;
}

int asim_jreader_reread(struct asim_jreader *r, uint64_t offset, size_t size, struct asim_jdoc *doc,
                        struct asim_err *err)
{
    enum asim_jresult result;
    size_t used;
    const char *why;
    int code;

    if (!r->spool) {
        code = open_spool(r, err);
        if (code)
            return code;
        r->n = 0;
    }
    if (offset < r->base || offset + size > r->base + r->n) {
        code = load_again(r, offset, size, err);
        if (code)
            return code;
    }
    doc->offset = offset;
    result = asim_jdoc_parse(doc, r->buffer + (offset - r->base), size, &used, &why);
    if (result == ASIM_J_NOMEM)
        return asim_err_nomem(err, "parsing a JSON value");
    if (result != ASIM_J_OK)
        return asim_err_set(err, ASIM_EIO, "%s: changed while it was being read.", r->path);
    return 0;
}
