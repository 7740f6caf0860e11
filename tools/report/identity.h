/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which files of a folder are of the run that wrote its identity.json.
 */
#ifndef ASIM_TOOLS_REPORT_IDENTITY_H
#define ASIM_TOOLS_REPORT_IDENTITY_H

#include "asim/asim.h"

struct json_t;

struct asim_identity {
    char text[ASIM_IDENTITY_BYTES];
    const char *folder; /* borrowed */
    struct json_t *root;
};

/* Reads identity.json; ASIM_EINVAL where there is none, or where summary.json is not of it. Close
 * on every path. */
int asim_identity_open(struct asim_identity *identity, const char *folder, struct asim_err *err);
/* 1 if the folder has the file, as that run wrote it; reads all of it. */
int asim_identity_has(const struct asim_identity *identity, const char *name);
void asim_identity_close(struct asim_identity *identity);

#endif
