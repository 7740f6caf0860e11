/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lists the fast paths, and parses their names.
 */
#include "net/fast_path.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

const struct asim_fast_path_row asim_fast_path_rows[] = {
    {"bulk-switch", ASIM_FAST_BULK_SWITCH},
    {"host-fast", ASIM_FAST_HOST},
    {"uniform-phase", ASIM_FAST_UNIFORM_PHASE},
    {"memo", ASIM_FAST_MEMO},
    {"steady-state", ASIM_FAST_STEADY_STATE},
    {"half-steps", ASIM_FAST_HALF_STEPS},
    {"domains", ASIM_FAST_DOMAINS},
    {NULL, 0},
};
enum { PATHS = sizeof asim_fast_path_rows / sizeof *asim_fast_path_rows - 1 };

static int unknown(const char *name, struct asim_err *err)
{
    const char *names[PATHS];
    char shown[LONGEST_NAME], hint[LONGEST_NAME], list[256];

    for (size_t i = 0; i < PATHS; i++)
        names[i] = asim_fast_path_rows[i].name;
    return asim_err_set(err, ASIM_EUSAGE,
                        "--without: unknown fast path '%s'.%s The fast paths are: %s.",
                        asim_text_safe(shown, sizeof shown, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, PATHS)),
                        asim_text_list(list, sizeof list, names, PATHS));
}

int asim_fast_paths_parse(const char *names, uint32_t *set, struct asim_err *err)
{
    const char *at = names ? names : "";

    for (*set = 0; *at;) {
        const struct asim_fast_path_row *row = asim_fast_path_rows;
        size_t n = strcspn(at, ",");
        char name[LONGEST_NAME];

        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), at);
        while (row->name && strcmp(row->name, name))
            row++;
        if (!row->name)
            return unknown(name, err);
        *set |= (uint32_t)row->bit;
        at += n + (at[n] == ',');
    }
    return 0;
}
