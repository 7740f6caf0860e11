/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The two families of this stage by name: a file of any known flavour, and a maker with options
 * as "NAME,key=value,...". Formats are asked in the order of their table; a text that no flavour
 * claims is refused with the list of flavours, since guessing one would end in a misleading
 * sentence about its syntax.
 *
 * Who frees: on success the topology is the caller's (asim_topo_fini), on failure it is empty.
 * Sources and options are freed here in any case.
 */
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/src.h"
#include "base/text.h"
#include "topo/build.h"

/* Flavours are told apart by content alone: published files have no common suffix.
 * At most one claims a file; a test holds that for the whole corpus. */
static const struct asim_topo_format *sniff(const struct asim_src *src)
{
    for (size_t i = 0; asim_topo_format_table[i]; i++) {
        const struct asim_topo_format *format =
            (const struct asim_topo_format *)(const void *)asim_topo_format_table[i];

        if (format->sniff(src->data, src->size))
            return format;
    }
    return NULL;
}

/* Says what a first line should look like, because that is all sniffing reads. */
static int unknown_flavour(const char *path, struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; asim_topo_format_table[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 asim_topo_format_table[i]->name);
    return asim_err_at(err, ASIM_EINVAL, at,
                       "this does not look like a topology of any known flavour (%s); the first "
                       "line should be \"nodes switches links\" or SimAI's six words.",
                       list);
}

/* On success *topo is finished and the caller's, on failure empty. */
int asim_topo_read(struct asim_topo *topo, const char *path, struct asim_err *err)
{
    const struct asim_topo_format *format;
    struct asim_src src;
    int rc = asim_src_open(&src, path, err);

    asim_topo_init(topo);
    if (rc)
        return rc;
    format = sniff(&src);
    topo->source = strdup(path);
    if (!format)
        rc = unknown_flavour(path, err);
    else if (!topo->source)
        rc = asim_err_nomem(err, "reading a topology");
    else
        rc = format->read(topo, &src, err);
    asim_src_close(&src);
    if (!rc)
        rc = asim_topo_finish(topo, err);
    if (rc)
        asim_topo_fini(topo);
    return rc;
}

/* Cuts "key=value" off the list at *at and sets it.
 * Changes the list in place; *at is behind what was taken. */
static int set_option(const struct asim_member *member, void *opt, char **at, struct asim_err *err)
{
    static const struct asim_option none[] = {{0}};
    char *word = *at, *end = strchr(word, ','), *equals;
    struct asim_where where = {member->name, 0, 0};
    char safe[64];

    *at = end ? end + 1 : word + strlen(word);
    if (end)
        *end = '\0';
    equals = strchr(word, '=');
    if (!equals)
        return asim_err_at(err, ASIM_EINVAL, where, "found '%s' where key=value is expected.",
                           asim_text_safe(safe, sizeof safe, word));
    *equals = '\0';
    return asim_option_set(member->options ? member->options : none, opt,
                           (const char *const[2]){word, equals + 1}, where, err);
}

/* Keys are checked one by one as they are set, so the first wrong one is named, not the last.
 * Options are freed whatever the maker did; it keeps no pointer into them. */
static int make(struct asim_topo *topo, char *spec, uint32_t hosts, struct asim_err *err)
{
    char *list = strchr(spec, ',');
    const struct asim_topo_maker *maker;
    const struct asim_member *member;
    void *opt;
    int rc = 0;

    if (list)
        *list++ = '\0';
    maker = asim_topo_maker_find(spec, err);
    if (!maker)
        return ASIM_EINVAL;
    member = &maker->member;
    opt = calloc(1, member->options_size + 1);
    if (!opt)
        return asim_err_nomem(err, "making a topology");
    if (member->options)
        rc = asim_option_defaults(member->options, opt, err);
    while (!rc && list && *list)
        rc = set_option(member, opt, &list, err);
    if (!rc)
        rc = maker->make(topo, hosts, opt, err);
    if (member->options)
        asim_option_fini(member->options, opt);
    free(opt);
    return rc;
}

/* spec is "NAME,key=value,…"; hosts = ranks the run has, 0 = unknown. source keeps the spec for
 * messages. */
int asim_topo_make(struct asim_topo *topo, const char *spec, uint32_t hosts, struct asim_err *err)
{
    char *copy = strdup(spec);
    int rc;

    asim_topo_init(topo);
    topo->source = strdup(spec);
    if (copy && topo->source)
        rc = make(topo, copy, hosts, err);
    else
        rc = asim_err_nomem(err, "making a topology");
    free(copy);
    if (rc)
        asim_topo_fini(topo);
    return rc;
}
