/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The completions of bash and zsh, made from what each command's --help prints (asim manual).
 */
#ifndef ASIM_TOOLS_COMPLETION_H
#define ASIM_TOOLS_COMPLETION_H

#include <stddef.h>

#include "asim/err.h"
#include "base/io/out.h"

/* A command and what its --help prints. */
struct asim_manual_page {
    char name[80]; /* "trace link" */
    const char *about;
    char *help;
};

enum { ASIM_MANUAL_PAGES = 96 };
struct asim_manual {
    struct asim_manual_page pages[ASIM_MANUAL_PAGES];
    size_t n;
};

/* The key of an option line "  --key=TYPE  help"; its length, 0 where the line is none. */
size_t asim_manual_key(const char *line, const char **key);

/* Opens folder/name, as asim_out_open does. */
int asim_manual_open(struct asim_out *out, const char *folder, const char *name,
                     struct asim_err *err);

/* completions/asim and site-functions/_asim in the folder. */
int asim_completion_bash(const struct asim_manual *manual, const char *folder,
                         struct asim_err *err);
int asim_completion_zsh(const struct asim_manual *manual, const char *folder, struct asim_err *err);

#endif
