/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of whole commands. For programs test_*_nomem_run.c only:
 * there the linker puts the malloc of this file in place of libc's (tests/CMakeLists.txt, --wrap).
 * Each failure must end with code 1 (2 while options are read) and the sentence for it; the
 * sanitizer build says if it left memory.
 */
#ifndef ASIM_TESTS_NOMEM_RUN_H
#define ASIM_TESTS_NOMEM_RUN_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/args.h"
#include "check.h"
#include "nomem_malloc.h"

/* What the command printed, both streams in one file. */
static char said[65536];

static int run_quietly(const struct asim_command *command, char **argv)
{
    int argc = 0, code, out = dup(1), err = dup(2);
    int file = open("nomem_said.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);

    while (argv[argc])
        argc++;
    fflush(NULL);
    dup2(file, 1);
    dup2(file, 2);
    code = asim_args_command(command, argc, argv);
    left = -1;
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    lseek(file, 0, SEEK_SET);
    ssize_t n = read(file, said, sizeof said - 1);
    said[n > 0 ? n : 0] = 0;
    close(file);
    return code;
}

static void refuse_each(const struct asim_command *command, char **argv, long least)
{
    long n = 0, step = 1;

    CHECK_U64(run_quietly(command, argv), 0);
    do {
        refused = 0;
        left = n;
        int code = run_quietly(command, argv);

        CHECK(code == 0 || code == 1 || (code == 2 && n < 20)); /* 2: its options' memory */
        CHECK(code == 0 || strstr(said, "memory") != NULL);
        if (check_failures) {
            fprintf(stderr, "  %s at allocation %ld, code %d: %s\n", command->member.name, n, code,
                    said);
            return;
        }
        step = n < 400 ? 1 : 37; /* the many of a run are alike */
        n += step;
    } while (refused && n < 200000);
    fprintf(stderr, "%s: %ld allocations\n", command->member.name, n);
    CHECK(n > least);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

#endif
