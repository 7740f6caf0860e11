/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shared by the settings readers: names of collective types, and the lookup of paths inside files.
 * ASTRA-sim looks from the working directory only, so its scripts change folder first; asim then
 * tries the file's own folder, so a run that works in ASTRA-sim opens the same file here.
 */
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"

/* Chakra's spelling (chakra.md#node-and-collective-types), because that is what traces and error
 * messages show. */
const char *asim_coll_type_name(int kind)
{
    static const char *const names[ASIM_COLL_TYPES] = {
        "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER",  "SCATTER", "BROADCAST",
        "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER",
    };

    return kind >= 0 && kind < ASIM_COLL_TYPES ? names[kind] : "?";
}

/* ASTRA-sim's spelling in system files. */
const char *asim_coll_type_key(int kind)
{
    static const char *const keys[ASIM_COLL_TYPES] = {
        "all-reduce", "reduce",         "all-gather",           "gather",  "scatter", "broadcast",
        "all-to-all", "reduce-scatter", "reduce-scatter-block", "barrier",
    };

    return kind >= 0 && kind < ASIM_COLL_TYPES ? keys[kind] : "?";
}

/* Returns the path unchanged where no file is found: the error then names the user's text. */
char *asim_conf_resolve(const char *owner, const char *path)
{
    size_t dir = owner ? asim_text_dirlen(owner) : 0, length = strlen(path);
    char *beside;

    if (path[0] == '/' || dir == 0 || access(path, F_OK) == 0)
        return strdup(path);
    beside = malloc(dir + length + 1);
    if (!beside)
        return NULL;
    memcpy(beside, owner, dir);
    memcpy(beside + dir, path, length + 1);
    if (access(beside, F_OK) == 0)
        return beside;
    memcpy(beside, path, length + 1);
    return beside;
}
