/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds makers by the names that people type. The rows have the published names (Spectrum-X, DCN+).
 * On the command line case and punctuation do not matter (spectrum_x, dcn) and a few short forms
 * exist; names in files and in other tables are exact. The error for an unknown name has the most
 * similar name and the list.
 */
#include "topo/build.h"

#include <ctype.h>
#include <string.h>

static const char *const short_forms[][2] = {
    {"hpn", "AlibabaHPN"}, {"nvl72", "nvl"}, {"clos", "leaf_spine"}, {"none", "rail"}};

/* 1 if both have the same letters and digits, so nvl72 and nvl36 differ. */
static int same_name(const char *a, const char *b)
{
    for (;;) {
        while (*a && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        if (!*a || !*b)
            return !*a && !*b;
        if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
            return 0;
    }
}

/* Tries short forms, then loose comparison, then the family's exact search, which makes the
 * error. */
const struct asim_topo_maker *asim_topo_maker_find(const char *name, struct asim_err *err)
{
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++)
        if (same_name(short_forms[i][0], name))
            name = short_forms[i][1];
    for (size_t i = 0; asim_topo_maker_table[i]; i++)
        if (same_name(asim_topo_maker_table[i]->name, name))
            return (const struct asim_topo_maker *)asim_topo_maker_table[i];
    return (const struct asim_topo_maker *)asim_family_find(asim_topo_maker_table, "topology maker",
                                                            name, err);
}
