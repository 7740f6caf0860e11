/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Records packed one behind the other for another process, and taken out there in the same order.
 * Nothing is aligned and nothing is checked but the length: both ends are one program. A failure
 * (memory; fewer bytes than asked for) latches and is asked for once, at the end.
 */
#ifndef ASIM_BASE_PARCEL_H
#define ASIM_BASE_PARCEL_H

#include <string.h>
#include "asim/block.h"
#include "base/mem.h"

struct asim_parcel { /* zeroed: empty; free(at) */
    uint8_t *at;
    size_t n, cap;
    int failed;
};

/* size bytes as they lie in memory, padding and all. */
static inline void asim_parcel_put(struct asim_parcel *parcel, const void *data, size_t size)
{
    if (ASIM_VEC_RESERVE(*parcel, parcel->n + size)) {
        parcel->failed = 1;
        return;
    }
    if (size)
        memcpy(parcel->at + parcel->n, data, size);
    parcel->n += size;
}
/* Of a variable: its type says how much. */
#define ASIM_PARCEL_PUT(parcel, object) asim_parcel_put((parcel), &(object), sizeof(object))

/* Length, then the text with its end, so that the reader can use it where it lies. */
static inline void asim_parcel_put_text(struct asim_parcel *parcel, const char *text)
{
    uint32_t size = (uint32_t)strlen(text) + 1;

    ASIM_PARCEL_PUT(parcel, size);
    asim_parcel_put(parcel, text, size);
}

/* Reads a block it does not own. */
struct asim_unparcel {
    const uint8_t *at, *end;
    int failed;
};

/* Points into the block; NULL where so much is not there. */
static inline const void *asim_unparcel_take(struct asim_unparcel *from, size_t size)
{
    const void *at = from->at;

    if ((size_t)(from->end - from->at) < size) {
        from->failed = 1;
        return NULL;
    }
    from->at += size;
    return at;
}

/* Zeroes the object where there is nothing left. */
static inline void asim_unparcel_get(struct asim_unparcel *from, void *object, size_t size)
{
    const void *at = asim_unparcel_take(from, size);

    if (at)
        memcpy(object, at, size);
    else
        memset(object, 0, size);
}
#define ASIM_UNPARCEL_GET(from, object) asim_unparcel_get((from), &(object), sizeof(object))

/* Borrowed from the block; "" where there is none. */
static inline const char *asim_unparcel_text(struct asim_unparcel *from)
{
    uint32_t size;
    const char *text;

    ASIM_UNPARCEL_GET(from, size);
    text = asim_unparcel_take(from, size);
    return text && size && !text[size - 1] ? text : "";
}

#endif
