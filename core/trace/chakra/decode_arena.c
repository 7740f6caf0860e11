/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See decode_arena.h. A record that does not fit into the block gets further, doubling blocks; at the
 * reset they are freed again unless the largest is small enough to keep, so one huge record does
 * not cost its memory for the rest of a run with thousands of ranks.
 *
 * Objects are 16-byte aligned and not zeroed. The limit counts bytes asked for, so a record that
 * fits in one build fits in the other.
 */
#include "trace/chakra/decode_arena.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_BYTES 2048u
#define KEEP_BYTES  65536u
#define ALIGN       16u

struct asim_scratch_block {
    struct asim_scratch_block *older;
    size_t size; /* bytes after the header */
};
#define HEADER ((sizeof(struct asim_scratch_block) + ALIGN - 1) / ALIGN * ALIGN)

static void *face_alloc(void *self, size_t size)
{
    return asim_scratch_alloc(self, size);
}

/* Everything goes at the reset; protobuf-c frees half-made messages through this. */
static void face_free(void *self, void *object)
{
    (void)self;
    (void)object;
}

/* No memory until the first allocation; limit in bytes per record. */
void asim_scratch_init(struct asim_scratch *scratch, size_t limit)
{
    *scratch = (struct asim_scratch){.limit = limit};
    scratch->face.alloc = face_alloc;
    scratch->face.free = face_free;
    scratch->face.allocator_data = scratch;
}

/* Blocks stay where they are: protobuf-c keeps pointers into them. */
static int add_block(struct asim_scratch *scratch, size_t need)
{
    size_t size = scratch->head ? scratch->head->size * 2 : FIRST_BYTES;
#ifdef ASIM_ASAN
    size = need;
#endif
    if (size < need)
        size = need;
    struct asim_scratch_block *block = malloc(HEADER + size);
    if (!block)
        return -1;
    block->older = scratch->head;
    block->size = size;
    scratch->head = block;
    scratch->at = 0;
    return 0;
}

/* failed stays set once an allocation failed, because protobuf-c tells only "cannot unpack",
 * whatever the cause. */
void *asim_scratch_alloc(struct asim_scratch *scratch, size_t size)
{
    int was = scratch->failed;
    scratch->failed = 1;
    if (size > scratch->limit - scratch->used)
        return NULL;
#ifdef ASIM_ASAN
    size_t room = size ? size : 1; /* exactly, so that the block's end is the object's end */
    if (add_block(scratch, room))
        return NULL;
#else
    size_t room = (size + ALIGN - 1) / ALIGN * ALIGN;
    if ((!scratch->head || room > scratch->head->size - scratch->at) && add_block(scratch, room))
        return NULL;
#endif
    void *object = (char *)scratch->head + HEADER + scratch->at;
    scratch->at += room;
    scratch->used += size;
    scratch->failed = was;
    return object;
}

/* All objects end here. Keeps one small block for the next record. */
void asim_scratch_reset(struct asim_scratch *scratch)
{
    struct asim_scratch_block *keep = scratch->head;
#ifdef ASIM_ASAN
    keep = NULL;
#endif
    if (keep && keep->size > KEEP_BYTES)
        keep = NULL;
    for (struct asim_scratch_block *block = scratch->head, *older; block; block = older) {
        older = block->older;
        if (block != keep)
            free(block);
    }
    if (keep)
        keep->older = NULL;
    scratch->head = keep;
    scratch->at = 0;
    scratch->used = 0;
    scratch->failed = 0;
}

void asim_scratch_fini(struct asim_scratch *scratch)
{
    asim_scratch_reset(scratch);
    free(scratch->head);
    scratch->head = NULL;
}
