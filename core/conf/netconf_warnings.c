/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a user should know about a config.txt that was read without error: settings that do
 * nothing (yet), and absent keys for which the reference has another built-in value than the
 * shipped files. One sentence each, so that a published file costs one line. A key counts as
 * asking for something when its value differs from the default.
 *
 * Why remarks and not errors: published files carry keys of other simulators, and a file that ran
 * must go on running; but a user who sets a key must learn that it changes nothing.
 */
#include "conf/netconf.h"

#include <stdio.h>
#include <string.h>

/* Room for all keys of the table at their present lengths; add() cuts rather than overflows. */
struct list {
    char text[1400];
};

/* Cut where the room ends; the list is for the eye. */
static void add(struct list *list, const char *key, const char *value)
{
    size_t used = strlen(list->text);

    snprintf(list->text + used, sizeof list->text - used, "%s%s%s%s", used ? ", " : "", key,
             value ? " " : "", value ? value : "");
}

/* As in base/option_fields.c, of the types config.txt has. */
/* Bytes suffice: both sides come from the same parser, and no default is a NaN or -0. */
static int differs(const struct asim_option *row, const struct asim_netconf *net,
                   const struct asim_netconf *plain)
{
    const char *a = (const char *)net + row->offset, *b = (const char *)plain + row->offset;

    if (row->type == ASIM_T_STRING)
        return 1; /* no string has a default */
    return memcmp(a, b, asim_option_bytes(row->type)) != 0;
}

/* Settings of the packet trace ask for nothing while the trace is off. */
static int is_idle(const struct asim_option *row, const struct asim_netconf *net)
{
    return !net->enable_trace && (row->offset == offsetof(struct asim_netconf, enable_trace) ||
                                  row->offset == offsetof(struct asim_netconf, trace_file) ||
                                  row->offset == offsetof(struct asim_netconf, trace_output));
}

/* Rows the reference ignores. */
static void say_without_effect(const struct asim_netconf *net, const struct asim_netconf *plain,
                               const unsigned *seen, const struct asim_diagnostics *notes,
                               const char *path)
{
    struct list noop = {""};

    for (size_t i = 0; asim_netconf_options[i].key; i++) {
        const struct asim_option *row = &asim_netconf_options[i];

        if (!seen[i] || !(row->flags & ASIM_F_NOOP) || is_idle(row, net))
            continue;
        if (differs(row, net, plain))
            add(&noop, row->key, NULL);
    }
    if (noop.text[0])
        asim_diagnose(notes, "%s: no effect, as in ASTRA-sim: %s.", path, noop.text);
}

/* Only keys that the chosen CC_MODE looks at, or every published file would be scolded for DCQCN
 * keys. */
static void say_absent(const struct asim_netconf *net, const unsigned *seen,
                       const struct asim_diagnostics *notes, const char *path)
{
    unsigned mode = net->cc_mode < 32 ? 1u << net->cc_mode : 0;
    struct list absent = {""};

    for (const struct asim_netconf_trait *t = asim_netconf_traits; t->key; t++) {
        const struct asim_option *row = asim_option_find(asim_netconf_options, t->key);

        if (!t->builtin || !row || (t->modes && !(t->modes & mode)))
            continue;
        if (!seen[row - asim_netconf_options])
            add(&absent, t->key, t->builtin);
    }
    if (absent.text[0])
        asim_diagnose(notes,
                      "%s: absent keys have the values of the published configuration; ASTRA-sim "
                      "without them would use %s.",
                      path, absent.text);
}

/* The defaults are filled in anew to compare with: cheaper than marking each field as it is
 * read. */
int asim_netconf_warn(const struct asim_netconf *net, const unsigned *seen, const char *path,
                      const struct asim_diagnostics *notes, struct asim_err *err)
{
    struct asim_netconf plain;
    int rc = asim_netconf_defaults(&plain, err);

    if (rc)
        return rc;
    say_without_effect(net, &plain, seen, notes, path);
    say_absent(net, seen, notes, path);
    asim_netconf_fini(&plain);
    return 0;
}
