/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Digests the files that a value names, for what is taken over only where they are as they were:
 * a file, a folder, or words of a list such as "machine:./m.json,nodes=2".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io/digest.h"
#include "tools/sweep/sweep.h"

/* Sums, for a folder has no order. */
static int add_folder(struct asim_digest *sum, const char *folder, struct asim_err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int code = 0;

    while (dir && !code && (entry = readdir(dir))) {
        struct asim_digest one = {.word = {0}};
        char path[2 * ASIM_SWEEP_PATH];
        struct stat info;

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &info) || !S_ISREG(info.st_mode))
            continue;
        asim_digest_add_text(&one, entry->d_name);
        code = asim_digest_add_file(&one, path, err);
        sum->word[0] += one.word[0];
        sum->word[1] += one.word[1];
    }
    if (dir)
        closedir(dir);
    return code;
}

/* 1 if there is something of that name. */
static int add_path(struct asim_digest *sum, const char *path, int *code, struct asim_err *err)
{
    struct stat info;

    if (*code || !*path || stat(path, &info))
        return 0;
    if (S_ISREG(info.st_mode))
        *code = asim_digest_add_file(sum, path, err);
    else if (S_ISDIR(info.st_mode))
        *code = add_folder(sum, path, err);
    return 1;
}

int asim_sweep_add_files(struct asim_digest *sum, const char *value, struct asim_err *err)
{
    char *copy = strdup(value), *rest = NULL;
    int code = copy ? 0 : asim_err_nomem(err, "reading files");

    if (!code && !add_path(sum, value, &code, err))
        for (char *word = strtok_r(copy, ",:=", &rest); word; word = strtok_r(NULL, ",:=", &rest))
            add_path(sum, word, &code, err);
    free(copy);
    return code;
}
