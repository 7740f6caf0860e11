/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Digests bytes in words of eight: even and odd words go through asim_mix64 in two chains, which a
 * processor advances at once.
 */
#include "base/io/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/io/json.h"
#include "base/io/out.h"
#include "base/map.h"

enum { STEP = 16, CHUNK = 1 << 14 };

/* Little-endian on every machine, so that a digest is the same on all. */
static uint64_t word_at(const unsigned char *at)
{
    uint64_t word = 0;

    for (int i = 8; i-- > 0;)
        word = word << 8 | at[i];
    return word;
}

static void add_step(struct asim_digest *digest, const unsigned char *at)
{
    digest->word[0] = asim_mix64(digest->word[0] ^ word_at(at));
    digest->word[1] = asim_mix64(digest->word[1] ^ word_at(at + 8));
}

/* The length comes first, so the zeros behind the last bytes are no content. Both chains then
 * depend on every byte before. */
void asim_digest_add(struct asim_digest *digest, const void *data, size_t size)
{
    const unsigned char *at = data;
    unsigned char last[STEP] = {0};
    uint64_t first = digest->word[0];

    digest->word[0] = asim_mix64(digest->word[1] + size);
    digest->word[1] = asim_mix64(first ^ ~(uint64_t)size);
    for (; size >= STEP; size -= STEP, at += STEP)
        add_step(digest, at);
    memcpy(last, at, size);
    add_step(digest, last);
    digest->word[1] += digest->word[0];
    digest->word[0] = asim_mix64(digest->word[0] ^ digest->word[1]);
}

void asim_digest_add_text(struct asim_digest *digest, const char *text)
{
    asim_digest_add(digest, text, strlen(text));
}

int asim_digest_add_file(struct asim_digest *digest, const char *path, struct asim_err *err)
{
    FILE *file = fopen(path, "rb");
    char chunk[CHUNK];
    size_t n;
    int why = file ? 0 : errno;

    do {
        n = file ? fread(chunk, 1, CHUNK, file) : 0;
        asim_digest_add(digest, chunk, n);
    } while (n == CHUNK);
    if (file && ferror(file))
        why = errno ? errno : EIO;
    if (file)
        fclose(file);
    return why ? asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", path, strerror(why)) : 0;
}

const char *asim_digest_show(const struct asim_digest *digest, char text[ASIM_DIGEST_TEXT])
{
    snprintf(text, ASIM_DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, digest->word[0], digest->word[1]);
    return text;
}

static int change(json_t *root, const char *key, json_t *members)
{
    json_t *object = json_object_get(root, key);

    return object ? json_object_update(object, members) : json_object_set(root, key, members);
}

/* Of all values but "digest", however they are written. NULL: no memory. */
static const char *digest_of(const json_t *root, char text[ASIM_DIGEST_TEXT])
{
    struct asim_digest digest = {.word = {0}};
    json_t *rest = json_copy((json_t *)root);
    char *all;

    json_object_del(rest, "digest");
    all = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (all)
        asim_digest_add_text(&digest, all);
    json_decref(rest);
    if (!all)
        return NULL;
    free(all);
    return asim_digest_show(&digest, text);
}

int asim_digest_is_whole(const json_t *root)
{
    const char *kept = json_string_value(json_object_get(root, "digest"));
    char text[ASIM_DIGEST_TEXT];

    return kept && digest_of(root, text) && !strcmp(kept, text);
}

int asim_digest_write(const char *path, json_t *root, struct asim_err *err)
{
    char digest[ASIM_DIGEST_TEXT], *all = NULL;
    struct asim_out out;
    int code;

    if (digest_of(root, digest) && !json_object_set_new(root, "digest", json_string(digest)))
        all = json_dumps(root, JSON_INDENT(2));
    code = all ? asim_out_open(&out, path, err) : asim_err_nomem(err, "writing identity.json");
    if (!code) {
        asim_out_printf(&out, "%s\n", all);
        code = asim_out_commit(&out, err);
    }
    free(all);
    return code;
}

int asim_digest_note(const char *folder, const char *key, json_t *members, struct asim_err *err)
{
    char path[4096];
    json_t *root = NULL;
    int code;

    snprintf(path, sizeof path, "%.3800s/identity.json", folder);
    if (access(path, F_OK)) { /* a run that failed has none */
        json_decref(members);
        return 0;
    }
    code = asim_json_read(&root, path, err);
    if (!code)
        code = members && !change(root, key, members)
                   ? asim_digest_write(path, root, err)
                   : asim_err_nomem(err, "writing identity.json");
    json_decref(root);
    json_decref(members);
    return code;
}

int asim_digest_keep(const char *folder, const char *name, struct asim_err *err)
{
    struct asim_digest digest = {.word = {0}};
    char path[4096], text[ASIM_DIGEST_TEXT];

    snprintf(path, sizeof path, "%.3800s/%s", folder, name);
    if (asim_digest_add_file(&digest, path, err))
        return err->code;
    return asim_digest_note(folder, "files",
                            json_pack("{s:s}", name, asim_digest_show(&digest, text)), err);
}

int asim_digest_is_of(const char *text, const char *path)
{
    struct asim_digest digest = {.word = {0}};
    char own[ASIM_DIGEST_TEXT];

    return text && !asim_digest_add_file(&digest, path, NULL) &&
           !strcmp(text, asim_digest_show(&digest, own));
}

static int is_no_file(const char *path)
{
    struct stat info;

    return !lstat(path, &info) && !S_ISREG(info.st_mode);
}

void asim_digest_remove(const char *folder, int (*keeps)(void *self, const char *path), void *self)
{
    char path[4096];
    const char *name;
    json_t *root = NULL, *value;

    snprintf(path, sizeof path, "%.3800s/identity.json", folder);
    if (access(path, F_OK) || asim_json_read(&root, path, &(struct asim_err){0}))
        return;
    json_object_foreach(json_object_get(root, "files"), name, value)
    {
        snprintf(path, sizeof path, "%.3800s/%.200s", folder, name);
        if (!strchr(name, '/') && !is_no_file(path) &&
            asim_digest_is_of(json_string_value(value), path) && !(keeps && keeps(self, path)))
            unlink(path);
    }
    json_decref(root);
    snprintf(path, sizeof path, "%.3800s/identity.json", folder);
    if (!(keeps && keeps(self, path)))
        unlink(path);
}
