/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A digest of texts and files, to tell whether they are the same as before. It finds every accident
 * (two contents share one by chance in one of 2^64 pairs) and is no defence against forgery.
 */
#ifndef ASIM_BASE_IO_DIGEST_H
#define ASIM_BASE_IO_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

enum { ASIM_DIGEST_TEXT = 33 }; /* 32 hexadecimal digits and a NUL */

struct asim_digest { /* all zero = of nothing */
    uint64_t word[2];
};

/* Adds one piece: "ab" and "c" is another digest than "a" and "bc". */
void asim_digest_add(struct asim_digest *digest, const void *data, size_t size);
void asim_digest_add_text(struct asim_digest *digest, const char *text);
/* Adds the bytes of a file, whatever its name; some 5 GB/s where they are in memory. ASIM_EIO where
 * it cannot be read. */
int asim_digest_add_file(struct asim_digest *digest, const char *path, struct asim_err *err);
/* Whether the digits, which may be NULL, are those of the file's bytes. */
int asim_digest_is_of(const char *text, const char *path);
/* Adds the digest of folder/name to the files of folder/identity.json, where there is one: of a
 * file that was made after the others of its run (core/report/folder.c). */
int asim_digest_keep(const char *folder, const char *name, struct asim_err *err);
/* Likewise members of an object, which is freed, to the object under a key there. */
struct json_t;
int asim_digest_note(const char *folder, const char *key, struct json_t *members,
                     struct asim_err *err);
/* Writes identity.json with the digest of its own values. */
int asim_digest_write(const char *path, struct json_t *root, struct asim_err *err);
/* Whether identity.json is as it was written. */
int asim_digest_is_whole(const struct json_t *root);
/* Removes the files, but no links, that are as folder/identity.json has them and that `keeps`,
 * which may be NULL, does not keep. */
void asim_digest_remove(const char *folder, int (*keeps)(void *self, const char *path), void *self);
/* Writes the digits. Returns text. */
const char *asim_digest_show(const struct asim_digest *digest, char text[ASIM_DIGEST_TEXT]);

#endif
