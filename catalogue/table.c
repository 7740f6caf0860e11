/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the tables of this folder, which are compiled into the tool, and files in their form.
 */
#include "catalogue/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/embedded.h"
#include "base/io/foreign.h"

enum { MOST_NAMES = 128 };

/* Name i of a row: its "name", then the words of its lists; NULL behind the last. */
static const char *name_of(const json_t *row, size_t i)
{
    const json_t *lists[] = {json_object_get(json_object_get(row, "aicb"), "names"),
                             json_object_get(row, "gpus")};
    const char *name = json_string_value(json_object_get(row, "name"));

    if (name && !i--)
        return name;
    for (size_t l = 0; l < 2; l++) {
        if (i < json_array_size(lists[l]))
            return json_string_value(json_array_get(lists[l], i));
        i -= json_array_size(lists[l]);
    }
    return NULL;
}

struct named {
    const char *name;
    size_t row;
};

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* A name that two rows of the user's file have, or NULL: the first would count unsaid. */
static int find_twice(const json_t *rows, const char **name, struct asim_err *err)
{
    ASIM_VEC(struct named) all = {0};
    struct named at;
    int is_short = 0;

    *name = NULL;
    for (at.row = 0; at.row < json_array_size(rows) && !is_short; at.row++)
        for (size_t i = 0; !is_short && (at.name = name_of(json_array_get(rows, at.row), i)); i++)
            is_short = ASIM_VEC_PUSH(all, at);
    if (!is_short && all.n)
        qsort(all.at, all.n, sizeof *all.at, by_name);
    for (size_t i = 1; i < all.n && !is_short; i++)
        if (all.at[i].row != all.at[i - 1].row && !by_name(&all.at[i], &all.at[i - 1]))
            *name = all.at[i].name;
    free(all.at);
    return is_short ? asim_err_nomem(err, "reading a table") : 0;
}

/* Refuses a file of the user with keys beside its rows that nothing reads, or with a row twice. */
static int check_own(const struct asim_catalogue *catalogue, struct asim_err *err)
{
    const json_t *root = catalogue->root[ASIM_CATALOGUE_OWN];
    const char *path = catalogue->path[ASIM_CATALOGUE_OWN];
    const char *key =
        asim_catalogue_unknown(root, (const char *const[]){"about", catalogue->what, NULL});
    const char *name;
    char safe[64];

    if (key)
        return asim_err_set(err, ASIM_EINVAL, "%s: unknown key \"%s\" beside \"%s\".", path,
                            asim_text_safe(safe, sizeof safe, key), catalogue->what);
    if (find_twice(json_object_get(root, catalogue->what), &name, err))
        return err->code;
    if (name)
        return asim_err_set(err, ASIM_EINVAL, "%s: the %s '%s' is there twice.", path,
                            catalogue->noun, asim_text_safe(safe, sizeof safe, name));
    return 0;
}

int asim_catalogue_open(struct asim_catalogue *catalogue, const char *what, const char *noun,
                        const char *path, struct asim_err *err)
{
    const struct asim_embedded *file = catalogue_files;
    size_t n = strlen(what);

    *catalogue = (struct asim_catalogue){.what = what, .noun = noun, .path = {path}};
    while (strncmp(file->name, what, n) != 0 || file->name[n] != '.')
        file++;
    catalogue->path[ASIM_CATALOGUE_BUILT_IN] = file->name;
    catalogue->root[ASIM_CATALOGUE_BUILT_IN] = json_loads(file->text, 0, NULL);
    if (!catalogue->root[ASIM_CATALOGUE_BUILT_IN])
        return asim_err_nomem(err, "reading a table");
    if (!path)
        return 0;
    if (!asim_json_read(&catalogue->root[ASIM_CATALOGUE_OWN], path, err) &&
        json_is_array(json_object_get(catalogue->root[ASIM_CATALOGUE_OWN], what)))
        return check_own(catalogue, err);
    asim_err_set(err, ASIM_EINVAL,
                 "%s is no table of %s; expected {\"%s\": [ rows ]} as in catalogue/%s.", path,
                 what, what, file->name);
    return asim_foreign_instead(err->code, path,
                                *what == 'g' ? "a table of GPUs" : "a table of kernels", err);
}

const json_t *asim_catalogue_row(const struct asim_catalogue *catalogue, int file, const char *name)
{
    const json_t *rows = json_object_get(catalogue->root[file], catalogue->what);
    const char *word;

    for (size_t r = 0; r < json_array_size(rows); r++)
        for (size_t i = 0; (word = name_of(json_array_get(rows, r), i)); i++)
            if (!strcasecmp(word, name))
                return json_array_get(rows, r);
    return NULL;
}

/* Adds the first name of a row, or the others, to names[n …). */
static size_t add_names(const json_t *row, int others, const char *names[MOST_NAMES], size_t n)
{
    const char *word;

    for (size_t i = others ? 1 : 0; n < MOST_NAMES && (word = name_of(row, i)); i++) {
        names[n++] = word;
        if (!others)
            break;
    }
    return n;
}

static size_t add_all(const struct asim_catalogue *catalogue, int others,
                      const char *names[MOST_NAMES], size_t n)
{
    for (int file = 0; file < ASIM_CATALOGUE_FILES; file++) {
        const json_t *rows = json_object_get(catalogue->root[file], catalogue->what);

        for (size_t r = 0; r < json_array_size(rows); r++)
            n = add_names(json_array_get(rows, r), others, names, n);
    }
    return n;
}

int asim_catalogue_refuse(const struct asim_catalogue *catalogue, const char *name,
                          const char *advice, struct asim_err *err)
{
    char safe[64], hint[160], list[900];
    const char *names[MOST_NAMES];
    size_t first = add_all(catalogue, 0, names, 0), n = add_all(catalogue, 1, names, first);

    return asim_err_set(err, ASIM_EUSAGE, "unknown %s '%s'.%s Known are %s; %s.", catalogue->noun,
                        asim_text_safe(safe, sizeof safe, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, n)),
                        asim_text_list(list, sizeof list, names, first), advice);
}

const char *asim_catalogue_unknown(const json_t *row, const char *const *keys)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)row, key, value)
    {
        size_t i = 0;

        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i])
            return key;
    }
    return NULL;
}

void asim_catalogue_close(struct asim_catalogue *catalogue)
{
    for (int file = 0; file < ASIM_CATALOGUE_FILES; file++)
        json_decref(catalogue->root[file]);
}
