/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the members of the two families by name: the format of a file, and a maker with options as
 * "NAME,key=value,...". Formats are tried in the order of their table. A text that no format
 * recognises is refused with the list of formats, because a guess would end in a misleading syntax
 * error.
 *
 * On success the caller owns the topology (asim_topo_fini); after a failure it is empty.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/diagnostics.h"
#include "base/io/foreign.h"
#include "base/io/src.h"
#include "topo/build.h"
#include "topo/topo.h"

/* Content alone decides: published files have no common suffix. At most one format recognises a
 * file; a test checks this for all sample files. */
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

/* Describes the expected first line, because sniffing reads only that line. */
static int unknown_flavour(const struct asim_src *src, struct asim_err *err)
{
    const char *path = src->name, *foreign = asim_foreign(src->data, src->size);
    struct asim_where at = {path, 0, 0};
    char list[256] = "";
    size_t used = 0;

    if (foreign)
        return asim_err_set(err, ASIM_EINVAL, "%s is no topology but %s.", path, foreign);

    for (size_t i = 0; asim_topo_format_table[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 asim_topo_format_table[i]->name);
    return asim_err_at(err, ASIM_EINVAL, at,
                       "this does not look like a topology of any known flavour (%s); the first "
                       "line should be \"nodes switches links\" or SimAI's six words.",
                       list);
}

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
        rc = unknown_flavour(&src, err);
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

/* "machine:NAME" is the maker machine with file=NAME. The caller frees the copy. */
static char *copy_spec(const char *spec)
{
    static const char with[] = "machine,file=";
    size_t n = strlen("machine:");
    char *copy;

    if (strncmp(spec, "machine:", n))
        return strdup(spec);
    copy = malloc(sizeof with + strlen(spec + n));
    if (copy) {
        memcpy(copy, with, sizeof with);
        strcat(copy, spec + n);
    }
    return copy;
}

int asim_topo_is_made(const char *topology, const char **spec)
{
    *spec = topology;
    if (topology && !strncmp(topology, "auto:", 5))
        *spec = topology + 5;
    return topology && (*spec != topology || !strncmp(topology, "machine:", 8));
}

/* The maker keeps no pointer into its options. */
static int make(struct asim_topo *topo, char *spec, uint32_t hosts, struct asim_err *err)
{
    char *list = strchr(spec, ',');
    const struct asim_topo_maker *maker;
    void *options;
    int rc;

    if (list)
        *list++ = '\0';
    maker = asim_topo_maker_find(spec, err);
    if (!maker)
        return ASIM_EINVAL;
    rc = asim_family_options(&options, &maker->member, list, ',', err);
    if (!rc)
        rc = maker->make(topo, hosts, options, err);
    asim_family_options_free(options, &maker->member);
    return rc;
}

/* Only whole keys of accepted specs are looked for, so parsing them again needs no errors. */
void asim_topo_make_diagnose(const char *spec, const struct asim_diagnostics *diagnostics)
{
    char *copy = copy_spec(spec), *at = copy ? strchr(copy, ',') : NULL;
    const struct asim_topo_maker *maker;

    if (at)
        *at = '\0';
    maker = at ? asim_topo_maker_find(copy, NULL) : NULL;
    while (maker && at) {
        char *key = at + 1, *next = strchr(key, ','), *equals = strchr(key, '=');
        const struct asim_option *row;

        if (next)
            *next = '\0';
        if (equals)
            *equals = '\0';
        row = asim_option_find(maker->member.options, key);
        if (row && row->flags & ASIM_F_NOOP)
            asim_diagnose(diagnostics, "%s: %s: %s", maker->member.name, key, row->help);
        at = next;
    }
    free(copy);
}

/* spec is "NAME,key=value,…"; hosts: the ranks of the run, 0 = unknown. topo->source keeps the spec
 * for messages. */
int asim_topo_make(struct asim_topo *topo, const char *spec, uint32_t hosts, struct asim_err *err)
{
    char *copy = copy_spec(spec);
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
