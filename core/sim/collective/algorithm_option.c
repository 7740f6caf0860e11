/* SPDX-License-Identifier: GPL-2.0-only
 *
 * --algorithm: "ring" for every kind of collective that can do it among all-reduce, all-gather,
 * reduce-scatter and all-to-all, or "all-reduce=ring,all-to-all=direct" for some kinds. It replaces
 * the lists of the system configuration; a list with one name serves all dimensions.
 */
#include "base/text.h"
#include "sim/collective/coll_setup.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_kind(struct asim_world *world, int kind, const char *name, struct asim_err *err)
{
    struct asim_words *words = &world->set.system.impl[kind];

    if (world->set.system.custom[kind])
        return asim_err_set(err, ASIM_EINVAL,
                            "--algorithm has no effect on %s: the system configuration has "
                            "%s-implementation-custom. Leave one of them out.",
                            asim_coll_type_key(kind), asim_coll_type_key(kind));
    for (size_t i = 0; i < words->n; i++)
        free(words->at[i]);
    words->n = 0;
    if (!words->at)
        words->at = calloc(1, sizeof *words->at);
    if (words->at)
        words->at[0] = strdup(name);
    if (!words->at || !words->at[0])
        return asim_err_nomem(err, "choosing algorithms");
    words->n = 1;
    return 0;
}

/* "ring": where the algorithm fits. */
static int set_all(struct asim_world *world, const char *name, struct asim_err *err)
{
    static const int kinds[] = {ASIM_ALL_REDUCE, ASIM_ALL_GATHER, ASIM_REDUCE_SCATTER,
                                ASIM_ALL_TO_ALL};
    struct asim_coll_choice choice;
    struct asim_err why = {0};

    if (asim_coll_choose(&choice, name, &why))
        return asim_err_set(err, ASIM_EINVAL, "--algorithm: %s", why.text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (choice.algo->coll_types >> kinds[i] & 1 && set_kind(world, kinds[i], name, err))
            return ASIM_EINVAL;
    return 0;
}

/* "all-reduce=ring". seen: bits of the kinds that were set so. */
static int set_one(struct asim_world *world, char *pair, unsigned *seen, struct asim_err *err)
{
    const char *keys[ASIM_COLL_TYPES];
    char *name = strchr(pair, '='), safe[80], hint[128];
    struct asim_coll_choice choice;
    struct asim_err why = {0};

    *name++ = '\0';
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++) {
        keys[kind] = asim_coll_type_key(kind);
        if (strcmp(pair, keys[kind]))
            continue;
        if (*seen >> kind & 1)
            return asim_err_set(err, ASIM_EINVAL, "--algorithm: '%s' is there twice.", pair);
        *seen |= 1u << kind;
        if (asim_coll_choose(&choice, name, &why) || asim_coll_can(choice.algo, kind, &why))
            return asim_err_set(err, ASIM_EINVAL, "--algorithm: %s", why.text);
        return set_kind(world, kind, name, err);
    }
    return asim_err_set(
        err, ASIM_EINVAL, "--algorithm: '%s' is no kind of collective.%s",
        asim_text_safe(safe, sizeof safe, pair),
        asim_text_hint(hint, sizeof hint, asim_text_nearest(pair, keys, ASIM_COLL_TYPES)));
}

int asim_algorithm_option(struct asim_world *world, const char *text, struct asim_err *err)
{
    char *copy = text ? strdup(text) : NULL, *rest = copy;
    unsigned seen = 0;
    int code = 0;

    if (!text)
        return 0;
    if (!copy)
        return asim_err_nomem(err, "choosing algorithms");
    while (!code && rest) {
        char *word = rest, *comma = strchr(rest, ',');

        rest = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        code = strchr(word, '=') ? set_one(world, word, &seen, err) : set_all(world, word, err);
    }
    free(copy);
    return code;
}
