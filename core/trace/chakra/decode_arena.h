/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory for the messages of one record: allocation advances a pointer, and a reset takes
 * everything back. In the steady state one block serves every record, and no record calls malloc.
 * Beyond `limit` bytes for one record an allocation returns NULL. With ASIM_ASAN each object gets
 * its own malloc, so that the sanitizer sees overruns and late uses.
 *
 * The arena of base/mem.h does not fit: protobuf-c needs an allocator struct, and all objects of a
 * record end together.
 */
#ifndef ASIM_TRACE_CHAKRA_DECODE_ARENA_H
#define ASIM_TRACE_CHAKRA_DECODE_ARENA_H

#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct asim_decode_block;

struct asim_decode_arena {
    struct asim_decode_block *head; /* the block in use, in front of older ones */
    size_t at;                      /* bytes used of head */
    size_t used, limit;             /* bytes handed out since the reset; limit */
    int failed;                     /* an allocation since the reset has failed */
    ProtobufCAllocator allocator;   /* passes this memory to protobuf-c */
};

/* The struct must not move afterwards: allocator points to it. */
void asim_decode_arena_init(struct asim_decode_arena *arena, size_t limit);
/* Takes all objects back; keeps one block of at most 64 KiB. */
void asim_decode_arena_reset(struct asim_decode_arena *arena);
void asim_decode_arena_fini(struct asim_decode_arena *arena);

#endif
