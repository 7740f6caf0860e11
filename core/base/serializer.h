/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A serializer appends values to a byte buffer that goes to another process of the run; a
 * deserializer reads them there in the same order. Values lie unaligned, as in memory: all
 * processes run the same program on machines of one kind. Only the length is checked. A failure
 * (no memory, or fewer bytes than asked for) sets `failed`; the caller tests it once, at the end.
 */
#ifndef ASIM_BASE_SERIALIZER_H
#define ASIM_BASE_SERIALIZER_H

#include <string.h>
#include "asim/buffer.h"
#include "base/mem.h"

struct asim_serializer { /* all zero: empty; free(at) releases it */
    uint8_t *at;
    size_t n, cap;
    int failed;
};

/* Appends size bytes, padding included. */
static inline void asim_serialize_bytes(struct asim_serializer *to, const void *data, size_t size)
{
    if (ASIM_VEC_RESERVE(*to, to->n + size)) {
        to->failed = 1;
        return;
    }
    if (size)
        memcpy(to->at + to->n, data, size);
    to->n += size;
}
/* Appends a variable; its type gives the size. */
#define ASIM_SERIALIZE(to, object) asim_serialize_bytes((to), &(object), sizeof(object))

/* Appends the length and the text with its NUL, so that the reader can borrow the text. */
static inline void asim_serialize_text(struct asim_serializer *to, const char *text)
{
    uint32_t size = (uint32_t)strlen(text) + 1;

    ASIM_SERIALIZE(to, size);
    asim_serialize_bytes(to, text, size);
}

/* Borrows the buffer it reads. */
struct asim_deserializer {
    const uint8_t *at, *end;
    int failed;
};

/* Returns a pointer into the buffer, or NULL if fewer than size bytes remain. */
static inline const void *asim_deserialize_bytes(struct asim_deserializer *from, size_t size)
{
    const void *at = from->at;

    if ((size_t)(from->end - from->at) < size) {
        from->failed = 1;
        return NULL;
    }
    from->at += size;
    return at;
}

/* Zeroes the object if fewer than size bytes remain. */
static inline void asim_deserialize_copy(struct asim_deserializer *from, void *object, size_t size)
{
    const void *at = asim_deserialize_bytes(from, size);

    if (at)
        memcpy(object, at, size);
    else
        memset(object, 0, size);
}
#define ASIM_DESERIALIZE(from, object) asim_deserialize_copy((from), &(object), sizeof(object))

/* Returns a text that lies in the buffer, or "" if none remains. */
static inline const char *asim_deserialize_text(struct asim_deserializer *from)
{
    uint32_t size;
    const char *text;

    ASIM_DESERIALIZE(from, size);
    text = asim_deserialize_bytes(from, size);
    return text && size && !text[size - 1] ? text : "";
}

#endif
