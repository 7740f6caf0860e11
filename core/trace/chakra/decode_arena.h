/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory for decoding one record: handed out by advancing a pointer, taken back all at once. In
 * the steady state one block serves every record, so decoding calls malloc for none of a record's
 * fields. Beyond `limit` bytes for one record it returns NULL. With ASIM_ASAN defined each object
 * is malloc'ed on its own so that the sanitizer sees overruns and late uses.
 *
 * Not an arena of base/: protobuf-c wants an allocator with a face of its own, and one record's
 * objects all end together.
 */
#ifndef ASIM_TRACE_CHAKRA_DECODE_ARENA_H
#define ASIM_TRACE_CHAKRA_DECODE_ARENA_H

#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct asim_decode_block;

struct asim_decode_arena {
    struct asim_decode_block *head; /* the block being filled; older ones behind it */
    size_t at;                      /* bytes used of head */
    size_t used, limit;             /* bytes handed out since the reset; most allowed */
    int failed;                     /* an alloc since the reset returned NULL */
    ProtobufCAllocator allocator;   /* gives this memory to protobuf-c */
};

/* The struct must not move afterwards: face points at it. */
void asim_decode_arena_init(struct asim_decode_arena *arena, size_t limit);
/* Aligned to 16, not zeroed. */
void *asim_decode_arena_alloc(struct asim_decode_arena *arena, size_t size);
/* Takes everything back; keeps one block of at most 64 KiB. */
void asim_decode_arena_reset(struct asim_decode_arena *arena);
void asim_decode_arena_fini(struct asim_decode_arena *arena);

#endif
