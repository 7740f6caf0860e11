/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A libFuzzer target over a whole command: the bytes are its input file, and outputs go to files in
 * memory. Run the target with -close_fd_mask=3, because commands print.
 */
#ifndef ASIM_TESTS_FUZZ_COMMAND_H
#define ASIM_TESTS_FUZZ_COMMAND_H

#include "asim/ext/command.h"
#include "cli/args.h"
#include "fuzz/engine/target.h"

enum { TARGET_WORDS = 8, TARGET_WORD = 128 };

/* Runs the command with words in which %s is the folder and name of this process's files. A command
 * ends with 0, or with 1 and a sentence. */
static inline void target_run(const struct asim_command *command, const char *const *words)
{
    static char text[TARGET_WORDS][TARGET_WORD];
    char *argv[TARGET_WORDS + 1] = {NULL}, out[64];
    int argc = 0, code;

    snprintf(out, sizeof out, "/dev/shm/asim-fuzz-%ld", (long)getpid());
    for (; words[argc]; argc++) {
        snprintf(text[argc], sizeof text[argc], words[argc], out);
        argv[argc] = text[argc];
    }
    code = asim_args_command(command, argc, argv);
    if (code != 0 && code != 1)
        abort();
}

#define COMMAND_TARGET(suffix, command, ...)                                                       \
    extern const struct asim_command command;                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        const char *const words[] = {__VA_ARGS__, NULL};                                           \
                                                                                                   \
        target_file(data, size, suffix);                                                           \
        target_run(&command, words);                                                               \
        return 0;                                                                                  \
    }

#endif
