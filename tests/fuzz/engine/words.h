/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A libFuzzer target over the options of a command: the lines of the bytes up to an empty line are
 * words of its command line, and the rest is a file, which "@" at the end of a word stands for.
 *
 * Words that name an output are left out, and so are "/" anywhere and numbers of more than three
 * digits: no file is written outside the folder of the process, and a run ends soon.
 */
#ifndef ASIM_TESTS_FUZZ_WORDS_H
#define ASIM_TESTS_FUZZ_WORDS_H

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include "asim/ext/command.h"
#include "cli/args.h"
#include "fuzz/engine/target.h"

enum { WORDS_MOST = 24, WORDS_BYTES = 4096 };

/* The folder of this process becomes the working folder. */
static inline void words_folder(void)
{
    static int made;
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/asim-fuzz-%ld.d", (long)getpid());
    if (!made++ && (mkdir(path, 0700) || chdir(path)))
        abort();
}

static inline int words_are_small(const char *text)
{
    size_t digits = 0;

    for (; *text && digits < 4; text++) {
        digits = isdigit((unsigned char)*text) ? digits + 1 : 0;
        if (*text == '/' || ((*text == 'e' || *text == 'E') && isdigit((unsigned char)text[1])) ||
            !strncmp(text, "-out", 4))
            return 0;
    }
    return digits < 4;
}

/* first: the words before those of the bytes, ends with NULL. A command ends with 0, or with 1 or 2
 * and a sentence. */
static inline void words_run(const struct asim_command *command, const char *const *first,
                             const uint8_t *data, size_t size)
{
    static char text[WORDS_BYTES + 1], with_path[WORDS_MOST][WORDS_BYTES];
    char *argv[WORDS_MOST + 1] = {NULL}, *line = text, *end;
    const char *file;
    int argc = 0, code;

    if (size >= WORDS_BYTES || memchr(data, 0, size))
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!words_are_small(text))
        return;
    for (; first[argc]; argc++)
        argv[argc] = (char *)first[argc];
    end = strstr(text, "\n\n");
    size_t head = end ? (size_t)(end - text) + 2 : size;
    file = target_file(data + head, size - head, ".in");
    if (end)
        *end = '\0';
    for (; line && *line && argc < WORDS_MOST; line = end ? end + 1 : NULL, argc++) {
        size_t n;

        end = strchr(line, '\n');
        n = end ? (size_t)(end - line) : strlen(line);
        argv[argc] = with_path[argc];
        if (n && line[n - 1] == '@')
            snprintf(argv[argc], WORDS_BYTES, "%.*s%s", (int)n - 1, line, file);
        else
            snprintf(argv[argc], WORDS_BYTES, "%.*s", (int)n, line);
    }
    words_folder();
    code = asim_args_command(command, argc, argv);
    if (code < 0 || code > 2)
        abort();
}

#define WORDS_TARGET(command, ...)                                                                 \
    extern const struct asim_command command;                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        static const char *const first[] = {__VA_ARGS__, NULL};                                    \
                                                                                                   \
        words_run(&command, first, data, size);                                                    \
        return 0;                                                                                  \
    }

#endif
