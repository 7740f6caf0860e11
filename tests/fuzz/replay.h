/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Corpus replay without an engine: every file of a folder of tests/fuzz is given to a reader as it
 * is, cut at every byte, and with single bytes changed by a fixed generator. A reader passes if it
 * neither crashes nor hangs (sanitizers watch) and explains each refusal with a sentence.
 */
#ifndef ASIM_TESTS_REPLAY_H
#define ASIM_TESTS_REPLAY_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/err.h"
#include "check.h"

enum { REPLAY_MAX_BYTES = 4096, REPLAY_CHANGES = 400 };

/* Reads the file at path, gives back what it made, returns the reader's code. */
typedef int replay_fn(const char *path, struct asim_err *err);

static char replay_work[64];

/* The top of the repository: as tests/run says, else from where this file was compiled. */
static inline const char *replay_root(char *buf, size_t size)
{
    const char *said = getenv("ASIM_ROOT");
    const char *tail = strstr(__FILE__, "tests/unit/");

    if (said)
        snprintf(buf, size, "%s/", said);
    else
        snprintf(buf, size, "%.*s", tail ? (int)(tail - __FILE__) : 0, __FILE__);
    return buf;
}

/* A file in the working folder, named after the test so that tests may run side by side. */
static inline const char *replay_write(const char *data, size_t size)
{
    FILE *file;

    if (!replay_work[0])
        snprintf(replay_work, sizeof replay_work, "replay-%ld.tmp", (long)getpid());
    remove(replay_work); /* writing over a file makes ext4 allocate its blocks at once */
    file = fopen(replay_work, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file))
        abort();
    return replay_work;
}

static inline void replay_one(replay_fn *read, const char *data, size_t size)
{
    struct asim_err err = {0};
    int rc = read(replay_write(data, size), &err);

    CHECK(rc <= 0);
    CHECK(rc == err.code);
    CHECK(rc == 0 || strlen(err.text) > 10);
    CHECK(rc != ASIM_EBUG);
}

static inline void replay_file(replay_fn *read, const char *path)
{
    char data[REPLAY_MAX_BYTES];
    FILE *file = fopen(path, "rb");
    size_t size;
    uint64_t state = 88172645463325252u;

    CHECK(file != NULL);
    if (!file)
        return;
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t cut = 0; cut <= size; cut++)
        replay_one(read, data, cut);
    for (int i = 0; size && i < REPLAY_CHANGES; i++) {
        size_t at;
        char was;

        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        at = (size_t)(state % size);
        was = data[at];
        data[at] = (state >> 60) < 8 ? "0-9.e \"{}[],#"[(state >> 40) % 13] : (char)(state >> 32);
        replay_one(read, data, size);
        if (state >> 63)
            data[at] = was;
    }
}

/* Every file of tests/fuzz/<folder> whose name ends in suffix; how many there were. */
static inline int replay_folder(const char *folder, const char *suffix, replay_fn *read)
{
    char root[512], path[1100];
    struct dirent *entry;
    int n = 0;
    DIR *dir;

    snprintf(path, sizeof path, "%stests/fuzz/%s", replay_root(root, sizeof root), folder);
    dir = opendir(path);
    CHECK(dir != NULL);
    while (dir && (entry = readdir(dir))) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);

        if (length < end || strcmp(entry->d_name + length - end, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%stests/fuzz/%s/%.300s", root, folder, entry->d_name);
        replay_file(read, path);
        n++;
    }
    if (dir)
        closedir(dir);
    if (replay_work[0])
        remove(replay_work);
    return n;
}

#endif
