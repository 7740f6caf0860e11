/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the records of a Chakra file. A record is a varint length of at most five bytes and that
 * many bytes of protobuf. There is no magic number, count or footer: a file that is cut exactly
 * between two records looks like a shorter file, and one that is cut anywhere else is an error
 * (ASTRA-sim's and Chakra's readers deliver a default node there). An empty record is a node with
 * id 0 and type INVALID.
 *
 * Schemas before 0.0.4 (October 2023) had no metadata record, or one with attributes in place of
 * today's version. The reader recognises and refuses both, because their node fields mean something
 * else.
 *
 * Memory: one buffer of bytes and one arena for the decoded record, both reused. A node is valid
 * until the next call.
 */
#include "asim/trace_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/bytes.h"
#include "base/mem.h"
#include "trace/chakra/json.h"
#include "trace/chakra/wire.h"

#define LENGTH_BYTES_MAX 5
#define DECODED_MAX      ((size_t)1 << 30) /* memory of one decoded record */

struct asim_chakra {
    struct asim_bytes bytes;
    struct asim_arena arena; /* the record */
    int failed; /* an allocation for the record has failed: protobuf-c tells no cause */
    ProtobufCAllocator allocator;
    uint64_t next;             /* offset of the next record in order */
    uint64_t next_number;      /* its number */
    uint64_t position, number; /* position and number of the record last delivered */
    int has_empty;             /* an empty node has been delivered in order */
    ChakraProtoMsg__GlobalMetadata *metadata;
};

/* "file: record 3 at byte 120: <what>". Records are numbered from 1, the metadata; a record read by
 * its position has no number. */
static int bad(const struct asim_chakra *file, int code, const char *what, struct asim_err *err)
{
    struct asim_where at = {file->bytes.path, 0, 0};
    unsigned long long position = file->position;
    if (!file->number)
        return asim_err_at(err, code, at, "the record at byte %llu %s.", position, what);
    return asim_err_at(err, code, at, "record %llu at byte %llu %s.",
                       (unsigned long long)file->number, position, what);
}

/* Reads the bytes of the record at file->place; *end is the offset behind it. An empty record is
 * legal. A file that is cut within the length or within the record has its own sentence. */
static int read_frame(struct asim_chakra *file, struct asim_record_bytes *record, uint64_t *end,
                      struct asim_err *err)
{
    struct asim_record_bytes head;
    struct asim_bytes_ask ask = {file->position, LENGTH_BYTES_MAX};
    int rc = asim_bytes_get(&file->bytes, ask, &head.data, &head.size, err);
    if (rc)
        return rc;
    char what[160];
    uint64_t length;
    size_t n = asim_wire_varint(head, LENGTH_BYTES_MAX, &length);
    if (!n && head.size < LENGTH_BYTES_MAX)
        return bad(file, ASIM_EINVAL, "is cut within its length: the file is incomplete", err);
    if (!n || length > UINT32_MAX)
        return bad(file, ASIM_EINVAL,
                   "has no valid length (a varint of at most five bytes was expected): this is "
                   "not a Chakra trace, or it is damaged",
                   err);
    if (length > ASIM_CHAKRA_RECORD_MAX) {
        snprintf(what, sizeof what,
                 "claims %" PRIu64 " bytes, more than the %u a record may have: this is not a "
                 "Chakra trace, or it is damaged",
                 length, ASIM_CHAKRA_RECORD_MAX);
        return bad(file, ASIM_EINVAL, what, err);
    }
    *end = file->position + n + length;
    *record = (struct asim_record_bytes){(const unsigned char *)"", 0};
    if (length == 0)
        return 0;
    ask = (struct asim_bytes_ask){file->position + n, (size_t)length};
    rc = asim_bytes_get(&file->bytes, ask, &record->data, &record->size, err);
    if (rc || record->size == length)
        return rc;
    snprintf(what, sizeof what,
             "is cut: it should have %" PRIu64 " bytes and the file ends after %zu of them%s",
             length, record->size, file->number == 1 ? "; it may be no Chakra trace" : "");
    return bad(file, ASIM_EINVAL, what, err);
}

static void *alloc_for_protobuf(void *self, size_t size)
{
    struct asim_chakra *file = self;
    void *object = asim_arena_alloc(&file->arena, size);
    file->failed |= !object;
    return object;
}

/* The reset frees everything; protobuf-c frees incomplete messages through this. */
static void free_for_protobuf(void *self, void *object)
{
    (void)self;
    (void)object;
}

/* Resets the arena first: nodes are borrowed until here. */
static int decode(struct asim_chakra *file, struct asim_record_bytes record,
                  const ProtobufCMessageDescriptor *type, ProtobufCMessage **message,
                  struct asim_err *err)
{
    char why[160], what[256];
    asim_arena_reset(&file->arena);
    file->failed = 0;
    file->metadata = NULL;
    *message = protobuf_c_message_unpack(type, &file->allocator, record.size, record.data);
    if (*message)
        return 0;
    if (file->failed && file->arena.used_bytes + record.size < DECODED_MAX / 2)
        return asim_err_nomem(err, "decoding a trace record");
    if (file->failed)
        return bad(file, ASIM_ENOMEM, "needs more than 1 GiB of memory when decoded", err);
    snprintf(what, sizeof what, "is not a valid %s: %s", type->short_name,
             asim_wire_why(record, type, why, sizeof why));
    return bad(file, ASIM_EINVAL, what, err);
}

/* Guesses the real type of the file from its first bytes; NULL = no guess. */
static const char *looks_like(const struct asim_record_bytes head)
{
    static const char lfs[] = "version https://git-lfs";
    if (head.size >= sizeof lfs - 1 && !memcmp(head.data, lfs, sizeof lfs - 1))
        return "this is a Git LFS pointer; fetch the file itself with git lfs pull";
    if (head.size && (head.data[0] == '{' || head.data[0] == '['))
        return "this looks like JSON (a PyTorch or Kineto trace?); convert it with asim trace";
    return NULL;
}

static int refuse_head(struct asim_chakra *file, struct asim_err *err)
{
    struct asim_record_bytes head;
    struct asim_err io = {0};
    struct asim_bytes_ask ask = {0, 64};
    int rc = asim_bytes_get(&file->bytes, ask, &head.data, &head.size, &io);
    const char *guess = rc ? NULL : looks_like(head);
    if (!guess)
        return 0;
    char what[160];
    snprintf(what, sizeof what, "is not Chakra metadata: %s", guess);
    return bad(file, ASIM_EINVAL, what, err);
}

/* Decides by one byte (chakra.md#trace-format). */
static int is_old(const struct asim_record_bytes record,
                  const ChakraProtoMsg__GlobalMetadata *metadata)
{
    enum { ID_TAG = 0x08, ATTR_TAG = 0x0a };
    if (!metadata) /* a node: its id is a varint where the version text is today */
        return record.size > 0 && record.data[0] == ID_TAG;
    return metadata->version[0] == ATTR_TAG; /* an attribute in place of the version text */
}

/* A text can decode as fields that the schema does not have. */
static int is_suspicious(const ChakraProtoMsg__GlobalMetadata *metadata)
{
    return !metadata->version[0] && !metadata->n_attr && metadata->base.n_unknown_fields;
}

/* The first record tells wrong files apart: old schemas by the tag of their first field, others by
 * their first bytes. The decoding error is the last resort. */
static int read_metadata(struct asim_chakra *file, struct asim_err *err)
{
    struct asim_record_bytes record;
    struct asim_err first = {0};
    ProtobufCMessage *message = NULL;
    struct asim_where at = {file->bytes.path, 0, 0};
    if (file->bytes.size == 0)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "the file is empty; a Chakra trace begins with a metadata record.");
    file->number = 1;
    int rc = read_frame(file, &record, &file->next, &first);
    if (!rc)
        rc = decode(file, record, &chakra_proto_msg__global_metadata__descriptor, &message, &first);
    file->metadata = (ChakraProtoMsg__GlobalMetadata *)message;
    if ((rc == ASIM_EINVAL && first.code && file->next && is_old(record, NULL)) ||
        (!rc && is_old(record, file->metadata)))
        return bad(file, ASIM_EINVAL,
                   "is not today's metadata record: the file has none, or it was written for a "
                   "Chakra schema before 0.0.4 (October 2023); convert the original trace again",
                   err);
    if ((rc == ASIM_EINVAL || (!rc && is_suspicious(file->metadata))) && refuse_head(file, err))
        return ASIM_EINVAL;
    if (rc)
        return asim_err_at(err, rc, at, "%s", first.text);
    file->next_number = 2;
    return 0;
}

int asim_chakra_open(struct asim_chakra **file, const char *path, struct asim_err *err)
{
    *file = NULL;
    struct asim_chakra *made = calloc(1, sizeof *made);
    if (!made)
        return asim_err_nomem(err, "opening a trace");
    asim_arena_init(&made->arena, DECODED_MAX);
    made->allocator = (ProtobufCAllocator){alloc_for_protobuf, free_for_protobuf, made};
    int rc = asim_bytes_open(&made->bytes, path, err);
    if (!rc)
        rc = asim_chakra_from_json(&made->bytes, err);
    if (!rc)
        rc = read_metadata(made, err);
    if (rc) {
        asim_chakra_close(made);
        return rc;
    }
    *file = made;
    return 0;
}

const ChakraProtoMsg__GlobalMetadata *asim_chakra_metadata(const struct asim_chakra *file)
{
    return file->metadata;
}

/* *end: the position of the next record. */
static int read_node(struct asim_chakra *file, const ChakraProtoMsg__Node **node, uint64_t *end,
                     struct asim_err *err)
{
    struct asim_record_bytes record;
    ProtobufCMessage *message;
    int rc = read_frame(file, &record, end, err);
    if (!rc)
        rc = decode(file, record, &chakra_proto_msg__node__descriptor, &message, err);
    if (!rc)
        *node = (const ChakraProtoMsg__Node *)message;
    return rc;
}

/* Releases memory and file descriptor at the end of the file. */
int asim_chakra_next(struct asim_chakra *file, const ChakraProtoMsg__Node **node,
                     struct asim_err *err)
{
    if (file->next >= file->bytes.size) {
        asim_arena_reset(&file->arena);
        file->metadata = NULL;
        asim_bytes_end_sequential(&file->bytes);
        return 0;
    }
    file->position = file->next;
    file->number = file->next_number;
    int rc = read_node(file, node, &file->next, err);
    if (rc)
        return rc;
    if (file->next == file->position + 1 && file->has_empty++) /* bytes of 0, perhaps for ever */
        return bad(file, ASIM_EINVAL, "is empty, as one before it: both are nodes of the id 0",
                   err);
    file->next_number++;
    return 1;
}

/* A position has no record number, so errors name the byte only. */
int asim_chakra_at(struct asim_chakra *file, uint64_t position, const ChakraProtoMsg__Node **node,
                   struct asim_err *err)
{
    uint64_t end;
    file->position = position;
    file->number = 0;
    if (position >= file->bytes.size)
        return bad(file, ASIM_EINVAL, "does not exist: the file is shorter", err);
    return read_node(file, node, &end, err);
}

uint64_t asim_chakra_tell(const struct asim_chakra *file)
{
    return file->position;
}

const char *asim_chakra_path(const struct asim_chakra *file)
{
    return file->bytes.path;
}

void asim_chakra_close(struct asim_chakra *file)
{
    if (!file)
        return;
    asim_arena_fini(&file->arena);
    asim_bytes_close(&file->bytes);
    free(file);
}
