/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A libFuzzer target over a reader that takes a path: the bytes go through a file in memory.
 */
#ifndef ASIM_TESTS_FUZZ_TARGET_H
#define ASIM_TESTS_FUZZ_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "asim/err.h"

/* Path of a file that holds the bytes; the same file every time. */
static inline const char *target_file(const uint8_t *data, size_t size, const char *suffix)
{
    static char path[64];
    FILE *file;

    snprintf(path, sizeof path, "/dev/shm/asim-fuzz-%ld%s", (long)getpid(), suffix);
    file = fopen(path, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file))
        abort();
    return path;
}

/* A refusal must be explained, and our own state must never contradict itself. */
static inline void target_judge(int code, const struct asim_err *err)
{
    if (code && (!err->text[0] || err->code == ASIM_EBUG))
        abort();
}

#define TARGET(suffix, type, call, fini)                                                           \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        const char *path = target_file(data, size, suffix);                                        \
        struct asim_err err = {0};                                                                 \
        type made = {0};                                                                           \
        int code = call;                                                                           \
                                                                                                   \
        target_judge(code, &err);                                                                  \
        fini;                                                                                      \
        return 0;                                                                                  \
    }

#endif
