/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds and checks the members of a family. A table has tens of rows and is searched only while
 * files are read.
 *
 * CMake makes the tables from the files of a folder; they end with NULL. A family's row begins with
 * struct asim_member, and the caller casts.
 */
#include "asim/ext/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { MOST_NAMES = 128 }; /* suggestions consider so many rows */

/* The list in the error is the one of --help. */
static int unknown(const struct asim_member *const *table, const char *kind, const char *name,
                   struct asim_err *err)
{
    const char *names[MOST_NAMES];
    char safe[80], hint[160], list[1200];
    size_t n = 0;
    for (; table[n] && n < MOST_NAMES; n++)
        names[n] = table[n]->name;
    return asim_err_set(err, ASIM_EINVAL, "unknown %s '%s'.%s Known are: %s.", kind,
                        asim_text_safe(safe, sizeof safe, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, n)),
                        n ? asim_text_list(list, sizeof list, names, n) : "none");
}

/* Names are exact, with case: a published file must mean the same in every version. */
const struct asim_member *asim_family_find(const struct asim_member *const *table, const char *kind,
                                           const char *name, struct asim_err *err)
{
    for (size_t i = 0; table[i]; i++) {
        if (!strcmp(table[i]->name, name))
            return table[i];
    }
    unknown(table, kind, name, err);
    return NULL;
}

int asim_family_options(void **options, const struct asim_member *member, const char *words,
                        char separator, struct asim_err *err)
{
    static const struct asim_option none[] = {{.key = NULL}};
    const struct asim_option *rows = member->options ? member->options : none;
    int code;

    *options = calloc(1, member->options_size + 1);
    code = *options ? asim_option_defaults(rows, *options, err)
                    : asim_err_nomem(err, "reading options");
    if (!code)
        code = asim_option_set_list(rows, *options, words ? words : "", separator,
                                    (struct asim_where){member->name, 0, 0}, err);
    if (code || !member->options) {
        asim_family_options_free(*options, member);
        *options = NULL;
    }
    return code;
}

void asim_family_options_free(void *options, const struct asim_member *member)
{
    if (options && member->options)
        asim_option_fini(member->options, options);
    free(options);
}

/* A failure is a mistake in a new member's file, not the user's: hence ASIM_EBUG. */
static int check_row(const struct asim_member *row, const char *kind, struct asim_err *err)
{
    if (!row->name || !*row->name)
        return asim_err_set(err, ASIM_EBUG, "a row of the %s table has no name.", kind);
    if (!row->about || !*row->about || strchr(row->about, '\n'))
        return asim_err_set(err, ASIM_EBUG, "the %s '%s' needs an about text of one line.", kind,
                            row->name);
    for (const struct asim_option *option = row->options; option && option->key; option++) {
        if (option->offset >= row->options_size)
            return asim_err_set(err, ASIM_EBUG,
                                "option %s of the %s '%s' lies outside its struct of %zu bytes.",
                                option->key, kind, row->name, row->options_size);
        if (!option->help)
            return asim_err_set(err, ASIM_EBUG, "option %s of the %s '%s' has no help text.",
                                option->key, kind, row->name);
    }
    return 0;
}

/* Quadratic in rows, which are tens; runs once per family. */
int asim_family_check(const struct asim_member *const *table, const char *kind,
                      struct asim_err *err)
{
    for (size_t i = 0; table[i]; i++) {
        int code = check_row(table[i], kind, err);
        if (code)
            return code;
        for (size_t j = 0; j < i; j++) {
            if (!strcmp(table[j]->name, table[i]->name))
                return asim_err_set(err, ASIM_EBUG, "two rows of the %s table are called '%s'.",
                                    kind, table[i]->name);
        }
    }
    return 0;
}
