/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Gives protobuf-c memory that ends with the record. A record that does not fit into the block gets
 * more blocks of double size. The reset frees them unless the largest is small enough to keep, so
 * that one huge record does not take its memory for the rest of a run with thousands of ranks.
 *
 * Objects are 16-byte aligned and not zeroed. The limit counts the bytes asked for, so that a
 * record fits in both builds or in none.
 */
#include "trace/chakra/decode_arena.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_BYTES 2048u
#define KEEP_BYTES  65536u
#define ALIGN       16u

struct asim_decode_block {
    struct asim_decode_block *older;
    size_t size; /* bytes after the header */
};
#define HEADER ((sizeof(struct asim_decode_block) + ALIGN - 1) / ALIGN * ALIGN)

/* Blocks never move: protobuf-c keeps pointers into them. */
static int add_block(struct asim_decode_arena *arena, size_t need)
{
    size_t size = arena->head ? arena->head->size * 2 : FIRST_BYTES;
#ifdef ASIM_ASAN
    size = need;
#endif
    if (size < need)
        size = need;
    struct asim_decode_block *block = malloc(HEADER + size);
    if (!block)
        return -1;
    block->older = arena->head;
    block->size = size;
    arena->head = block;
    arena->at = 0;
    return 0;
}

/* Aligned to 16 bytes, not zeroed. failed stays set after a failed allocation, because protobuf-c
 * reports "cannot unpack" for any cause. */
static void *alloc_for_protobuf(void *self, size_t size)
{
    struct asim_decode_arena *arena = self;
    int was = arena->failed;
    arena->failed = 1;
    if (size > arena->limit - arena->used)
        return NULL;
#ifdef ASIM_ASAN
    size_t room =
        size ? size : 1; /* the exact size: the end of the block is the end of the object */
    if (add_block(arena, room))
        return NULL;
#else
    size_t room = (size + ALIGN - 1) / ALIGN * ALIGN;
    if ((!arena->head || room > arena->head->size - arena->at) && add_block(arena, room))
        return NULL;
#endif
    void *object = (char *)arena->head + HEADER + arena->at;
    arena->at += room;
    arena->used += size;
    arena->failed = was;
    return object;
}

/* Does nothing, the reset frees everything; protobuf-c frees incomplete messages through this. */
static void free_for_protobuf(void *self, void *object)
{
    (void)self;
    (void)object;
}

/* Allocates nothing yet. */
void asim_decode_arena_init(struct asim_decode_arena *arena, size_t limit)
{
    *arena = (struct asim_decode_arena){.limit = limit};
    arena->allocator.alloc = alloc_for_protobuf;
    arena->allocator.free = free_for_protobuf;
    arena->allocator.allocator_data = arena;
}

void asim_decode_arena_reset(struct asim_decode_arena *arena)
{
    struct asim_decode_block *keep = arena->head;
#ifdef ASIM_ASAN
    keep = NULL;
#endif
    if (keep && keep->size > KEEP_BYTES)
        keep = NULL;
    for (struct asim_decode_block *block = arena->head, *older; block; block = older) {
        older = block->older;
        if (block != keep)
            free(block);
    }
    if (keep)
        keep->older = NULL;
    arena->head = keep;
    arena->at = 0;
    arena->used = 0;
    arena->failed = 0;
}

void asim_decode_arena_fini(struct asim_decode_arena *arena)
{
    asim_decode_arena_reset(arena);
    free(arena->head);
    arena->head = NULL;
}
