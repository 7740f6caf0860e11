/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Knows names of options that mean the same.
 */
#include "base/option_names.h"

enum { LISTS = 7, NAMES = 6 };
static const char *const lists[LISTS][NAMES] = {
    {"out", "output", "o", "output-filename", "output-file"},
    {"input", "input-filename", "input-file"},
    {"ranks", "num-npus", "npus"},
    {"hosts", "gpus", "g"},
    {"rate", "bandwidth", "bw"},
    {"delay", "latency", "lat"},
    {"quiet", "q"},
};

static int is_name(const char *name, const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] != key[i] && !(name[i] == '-' && key[i] == '_'))
            return 0;
    return !name[length];
}

const char *const *asim_option_names(const char *key, size_t length)
{
    for (size_t l = 0; l < LISTS; l++)
        for (size_t i = 0; i < NAMES && lists[l][i]; i++)
            if (is_name(lists[l][i], key, length))
                return lists[l];
    return NULL;
}
