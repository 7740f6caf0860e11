/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tables of this folder, models.json, gpus.json and kernels.json, and files of the user in
 * their form: one reader for all of them.
 */
#ifndef ASIM_CATALOGUE_TABLE_H
#define ASIM_CATALOGUE_TABLE_H

#include <jansson.h>

#include "asim/err.h"

enum { ASIM_CATALOGUE_OWN, ASIM_CATALOGUE_BUILT_IN, ASIM_CATALOGUE_FILES };
struct asim_catalogue {
    const char *what;                       /* "models", "gpus" or "kernels": the key of its rows */
    const char *noun;                       /* one of them in a sentence */
    const char *path[ASIM_CATALOGUE_FILES]; /* for messages */
    json_t *root[ASIM_CATALOGUE_FILES];     /* the user's is NULL where there is none */
};

/* path: a file of the user, borrowed, or NULL. Close it also after a failure. */
int asim_catalogue_open(struct asim_catalogue *catalogue, const char *what, const char *noun,
                        const char *path, struct asim_err *err);
/* The first row of a file that has the name, in any case, as "name" or in a list of names: "gpus",
 * or "names" of "aicb"; NULL without one. */
const json_t *asim_catalogue_row(const struct asim_catalogue *catalogue, int file,
                                 const char *name);
/* A sentence that names what there is. advice: how to add others. */
int asim_catalogue_refuse(const struct asim_catalogue *catalogue, const char *name,
                          const char *advice, struct asim_err *err);
/* A key of the row that is not among the keys, which NULL ends; NULL without one. */
const char *asim_catalogue_unknown(const json_t *row, const char *const *keys);
void asim_catalogue_close(struct asim_catalogue *catalogue);

#endif
