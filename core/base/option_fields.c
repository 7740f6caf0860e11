/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fills the fields of an option table from the defaults, and frees their strings. All fields are
 * cleared first: the struct may be uninitialised, asim_option_fini is safe after any failure, and
 * two rows may share a field.
 *
 * A filled struct may be copied with =, but then only one of the copies may go to asim_option_fini.
 */
#include "asim/ext/option.h"

#include <stdlib.h>
#include <string.h>

/* The sizes of the field types in asim/ext/option.h. The default branch is for the three 64-bit
 * types. */
size_t asim_option_bytes(enum asim_type type)
{
    switch (type) {
    case ASIM_T_BOOL:
    case ASIM_T_CHOICE:
        return sizeof(int);
    case ASIM_T_U32:
        return sizeof(uint32_t);
    case ASIM_T_DOUBLE:
        return sizeof(double);
    case ASIM_T_STRING:
        return sizeof(char *);
    default:
        return sizeof(uint64_t);
    }
}

/* A default is parsed like a user's value. */
int asim_option_defaults(const struct asim_option *table, void *base, struct asim_err *err)
{
    static char *const none = NULL;
    for (const struct asim_option *row = table; row && row->key; row++) {
        char *field = (char *)base + row->offset;
        memset(field, 0, asim_option_bytes(row->type));
        if (row->type == ASIM_T_STRING)
            memcpy(field, &none, sizeof none);
    }
    for (const struct asim_option *row = table; row && row->key; row++) {
        struct asim_err why = {0};
        int code =
            row->def ? asim_option_parse(row, base, row->def, (struct asim_where){0}, &why) : 0;
        if (!code)
            continue;
        asim_option_fini(table, base);
        if (code == ASIM_ENOMEM)
            return asim_err_set(err, code, "%s", why.text);
        return asim_err_set(err, ASIM_EBUG,
                            "the built-in default of an option is wrong (please report): %s",
                            why.text);
    }
    return 0;
}

void asim_option_fini(const struct asim_option *table, void *base)
{
    static char *const none = NULL;
    for (const struct asim_option *row = table; row && row->key; row++) {
        char *string;
        if (row->type != ASIM_T_STRING)
            continue;
        memcpy(&string, (char *)base + row->offset, sizeof string);
        free(string);
        memcpy((char *)base + row->offset, &none, sizeof none);
    }
}
