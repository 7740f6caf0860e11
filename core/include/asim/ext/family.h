/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shape all families share (collectives, backends, formats, makers, reports …). A row's first
 * field is a struct asim_member; CMake makes, for folder F, the NULL-terminated table
 * `const struct asim_member *const asim_<family>_table[]` of the rows `asim_<family>_<file>`.
 * Adding a member is adding one file to the folder.
 */
#ifndef ASIM_EXT_FAMILY_H
#define ASIM_EXT_FAMILY_H

#include "asim/err.h"
#include "asim/ext/option.h"

struct asim_member {
    const char *name, *about;          /* both required; about is one line */
    const struct asim_option *options; /* NULL = none */
    size_t options_size;               /* bytes of the struct the options fill */
};

ASIM_C_BEGIN

/* Member of that name. Fails with "unknown <kind> '…'", the nearest name and the whole list. */
ASIM_API const struct asim_member *asim_family_find(const struct asim_member *const *table,
                                                    const char *kind, const char *name,
                                                    struct asim_err *err);
/* A member's options from "key=value,key=value" (or another separator); NULL = the defaults.
 * *options becomes a new struct of options_size bytes, or NULL where the member has no options. */
ASIM_API int asim_family_options(void **options, const struct asim_member *member,
                                 const char *words, char separator, struct asim_err *err);
ASIM_API void asim_family_options_free(void *options, const struct asim_member *member);
/* Start-up check: names present, unique, described. Further fields are the family's business. */
ASIM_API int asim_family_check(const struct asim_member *const *table, const char *kind,
                               struct asim_err *err);

ASIM_C_END
#endif
