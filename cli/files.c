/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks the files that options name. Files that a command derives from others (the traces of a
 * prefix, a name made of sizes) are checked where they are opened, by base/io/inputs.h too.
 *
 * --compat stands for --force: the published tools replace files without asking, and scripts for
 * them rely on it.
 */
#include "cli/files.h"

#include <stdio.h>
#include <string.h>
#include "base/io/out.h"
#include "cli/file_set.h"

static const char *text_of(const struct asim_args_table *table, const struct asim_option *row)
{
    char *text;

    memcpy(&text, (const char *)table->base + row->offset, sizeof text);
    return text;
}

int asim_files_force(const struct asim_args *args)
{
    const struct asim_args_table *table = &args->tables[0];
    const struct asim_option *row =
        table->options ? asim_option_find(table->options, "compat") : NULL;
    int compat = 0;

    if (row && row->type == ASIM_T_BOOL)
        memcpy(&compat, (const char *)table->base + row->offset, sizeof compat);
    return args->limits.force || compat;
}

/* Files inside a text: "a.json,b.json@18x4", "machine:m.json,nodes=4". What names no file is
 * ignored. */
static int add_parts(struct asim_inputs *inputs, const char *text, struct asim_err *err)
{
    int code = 0;

    for (size_t n; *text && !code; text += n + (text[n] != '\0')) {
        char path[4096];

        n = strcspn(text, ",:@=");
        snprintf(path, sizeof path, "%.*s", (int)(n < sizeof path ? n : sizeof path - 1), text);
        code = asim_inputs_add(inputs, path, err);
    }
    return code;
}

static int add(struct asim_inputs *inputs, const char *path, unsigned flags, struct asim_err *err)
{
    int code;

    if (!(flags & ASIM_F_READS) || !path)
        return 0;
    code = flags & ASIM_F_SET ? asim_inputs_add_set(inputs, path, err)
                              : asim_inputs_add(inputs, path, err);
    return code ? code : add_parts(inputs, path, err);
}

static int add_all(struct asim_inputs *inputs, const struct asim_args *args, unsigned words,
                   struct asim_err *err)
{
    int code = 0;

    for (size_t t = 0; t < sizeof args->tables / sizeof *args->tables; t++)
        for (const struct asim_option *row = args->tables[t].options; row && row->key && !code;
             row++)
            if (row->type == ASIM_T_STRING)
                code = add(inputs, text_of(&args->tables[t], row), row->flags, err);
    for (size_t i = 0; i < args->n_words && !code; i++)
        code = add(inputs, args->words[i], words, err);
    return code;
}

/* The rows before this one that write single files. */
static int check_twice(const struct asim_args_table *table, const struct asim_option *row,
                       struct asim_err *err)
{
    int code = 0;

    for (const struct asim_option *other = table->options; other < row && !code; other++)
        if (other->type == ASIM_T_STRING && other->flags & ASIM_F_WRITES &&
            !(other->flags & ASIM_F_SET))
            code = asim_file_set_refuse_duplicate(text_of(table, other), text_of(table, row), err);
    return code;
}

static int check(struct asim_inputs *inputs, const struct asim_args *args,
                 const struct asim_option *row, struct asim_err *err)
{
    const struct asim_args_table *table = &args->tables[0];
    const char *path = text_of(table, row);
    int is_free = row->flags & ASIM_F_RESULT || asim_files_force(args), code;

    if (row->flags & ASIM_F_SET)
        code = asim_inputs_refuse_set(inputs, path, err);
    else if (!(code = asim_inputs_refuse(inputs, path, err)))
        code = check_twice(table, row, err);
    if (code || is_free)
        return code;
    if (row->flags & ASIM_F_SET) {
        code = asim_inputs_refuse(inputs, path, err);
        if (!code)
            code = asim_file_set_refuse_existing_set(path, err);
    }
    return code ? code : asim_file_set_refuse_existing(path, 0, err);
}

int asim_files_check(const struct asim_args *args, unsigned words, struct asim_err *err)
{
    const struct asim_args_table *table = &args->tables[0];
    struct asim_inputs inputs = {0};
    int code = add_all(&inputs, args, words, err);

    for (const struct asim_option *row = table->options; row && row->key && !code; row++)
        if (row->type == ASIM_T_STRING && row->flags & ASIM_F_WRITES)
            code = check(&inputs, args, row, err);
    asim_inputs_fini(&inputs);
    return code;
}

void asim_files_begin(struct asim_files_new *files, const struct asim_args *args)
{
    const struct asim_args_table *table = &args->tables[0];

    files->n = 0;
    for (const struct asim_option *row = table->options; row && row->key; row++)
        if (row->type == ASIM_T_STRING && row->flags & ASIM_F_WRITES &&
            files->n < sizeof files->at / sizeof *files->at && text_of(table, row)) {
            files->at[files->n].path = text_of(table, row);
            files->at[files->n].from = asim_out_missing(text_of(table, row));
            files->n++;
        }
}

void asim_files_end(const struct asim_files_new *files, int failed)
{
    for (size_t i = 0; i < files->n && failed; i++)
        asim_out_remove_empty(files->at[i].path, files->at[i].from);
}

int asim_files_check_inside(const struct asim_args *args, unsigned words, const char *folder,
                            const char *name, struct asim_err *err)
{
    struct asim_inputs inputs = {0};
    char path[4096];
    int code = folder ? add_all(&inputs, args, words, err) : 0;

    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    if (folder && !code)
        code = asim_inputs_refuse(&inputs, path, err);
    asim_inputs_fini(&inputs);
    return code;
}
