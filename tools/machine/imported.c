/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes a machine file of a description that tells what is there and hardly how quick it is: what
 * it tells comes from it, the rest from a machine that is like it. That one has to be of the
 * generation; its fitted rates are scaled to the line rates of the description.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/machine/import.h"
#include "tools/machine/write.h"

static const char *const generations[] = {"volta",     "ampere", "hopper",
                                          "blackwell", "cdna3",  "cdna4"};
static const char *const cpus[] = {"intel", "amd", "arm"};
static const char *const ways[] = {"nvswitch", "mesh", "pcie", "nic"};

struct making {
    const struct asim_import_host *found;
    const struct asim_import_like *like;
    const char *path;
    struct asim_machine machine; /* the one that is like it */
    json_t *root;
    int failed;
};

/* --- does it fit ------------------------------------------------------------------------------ */

/* "--like=a, --like=b": carried machines of a generation; -1: the file does not tell it. */
static void list_like(char *text, size_t size, int generation)
{
    size_t used = 0;

    snprintf(text, size, "--like=NAME of 'asim machine list'");
    for (size_t i = 0; generation >= 0 && asim_machine_file(i) && used + 80 < size; i++) {
        char name[64];
        struct asim_machine machine;
        struct asim_err err = {0};

        snprintf(name, sizeof name, "%.*s", (int)strcspn(asim_machine_file(i), "."),
                 asim_machine_file(i));
        if (!asim_machine_read(&machine, name, &err) && machine.generation == generation)
            used +=
                (size_t)snprintf(text + used, size - used, "%s--like=%s", used ? ", " : "", name);
        asim_machine_fini(&machine);
    }
    if (generation >= 0 && !used)
        snprintf(text, size, "--like=FILE, a machine file of your own");
}

static int is_other_rate(const struct making *m)
{
    return m->found->nvlink_gbytes > 0 &&
           fabs(m->found->nvlink_gbytes / m->machine.nvlink_gbytes - 1) > .05;
}

static int check_like(const struct making *m, struct asim_err *err)
{
    const struct asim_import_host *found = m->found;
    struct asim_where at = {m->path, 0, 0};
    char list[400];

    list_like(list, sizeof list, found->generation);
    if (found->generation >= 0 && found->generation != m->machine.generation)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "its %u GPUs are %s (%s), and %s is %s (%s): name a machine that is "
                           "like it, %s.",
                           found->gpus, found->gpu, generations[found->generation], m->like->name,
                           m->machine.gpu, generations[m->machine.generation], list);
    if (m->like->is_given)
        return 0;
    if (found->generation < 0 && found->nvlink_gbytes <= 0)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "nothing tells of which kind its %u GPUs are, neither a generation nor "
                           "the rate of their links: name a machine that is like it, %s.",
                           found->gpus, list);
    if (found->scale_up >= 0 && found->scale_up != m->machine.scale_up)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "its %u GPUs are joined by %s, those of %s by %s: name a machine that "
                           "is like it, whose rates are then scaled, %s.",
                           found->gpus, ways[found->scale_up], m->like->name,
                           ways[m->machine.scale_up], list);
    if (is_other_rate(m))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "its %u GPUs have links of %g GB/s, those of %s %g GB/s: name a machine "
                           "that is like it, whose rates are then scaled, %s.",
                           found->gpus, found->nvlink_gbytes, m->like->name,
                           m->machine.nvlink_gbytes, list);
    return 0;
}

/* --- the keys --------------------------------------------------------------------------------- */

static void put(struct making *m, const char *key, json_t *value, const char *kind,
                const char *text)
{
    m->failed |=
        json_object_set_new(m->root, key, json_pack("{s:o,s:s}", "value", value, kind, text));
}

static void put_source(struct making *m, const char *key, json_t *value)
{
    const char *slash = strrchr(m->path, '/');

    put(m, key, value, "source", slash ? slash + 1 : m->path);
}

static void put_rate(struct making *m, const char *key, double value)
{
    if (value > 0)
        put_source(m, key, json_real(value));
}

static void put_scaled(struct making *m, const char *key, double value, double factor)
{
    char why[160];

    if (factor == 1)
        return;
    snprintf(why, sizeof why, "%.60s's %g, times %.4g as the line rates", m->like->name, value,
             factor);
    put(m, key, json_real(value * factor), "assumption", why);
}

/* What it does not tell, and what predictions hang on. */
static void tell_missing(const struct making *m)
{
    const struct asim_import_host *found = m->found;

    if (!found->nics)
        asim_diagnose(&found->notes, "it names no NIC: %u of %g GB/s are taken, as %s has",
                      m->machine.nics, m->machine.nic_gbytes, m->like->name);
    else if (found->nic_gbytes <= 0)
        asim_diagnose(&found->notes, "it gives no rate of its NICs: %g GB/s are taken, as %s has",
                      m->machine.nic_gbytes, m->like->name);
    if (found->nvlink_gbytes <= 0)
        asim_diagnose(&found->notes,
                      "it gives no rate of the links between GPUs: %g GB/s are taken, as %s has",
                      m->machine.nvlink_gbytes, m->like->name);
}

/* What the description tells. */
static void put_found(struct making *m)
{
    const struct asim_import_host *found = m->found;

    put_source(m, "gpus", json_integer(found->gpus));
    if (found->nics)
        put_source(m, "nics", json_integer(found->nics));
    put_rate(m, "nic_gbytes", found->nic_gbytes);
    put_rate(m, "nvlink_gbytes", found->nvlink_gbytes);
    put_rate(m, "pcie_gbytes", found->pcie_gbytes);
    put_rate(m, "graph_gbytes", found->graph_gbytes);
    if (found->generation >= 0)
        put_source(m, "generation", json_string(generations[found->generation]));
    if (found->cpu >= 0)
        put_source(m, "cpu", json_string(cpus[found->cpu]));
    if (found->scale_up >= 0)
        put_source(m, "scale_up", json_string(ways[found->scale_up]));
}

/* Rates over links of another kind are those that NCCL's search counts for the links there are. */
static void put_rates(struct making *m)
{
    const struct asim_import_host *found = m->found;
    const struct asim_machine *like = &m->machine;
    double nvlink = found->nvlink_gbytes > 0 ? found->nvlink_gbytes / like->nvlink_gbytes : 1;
    double nic = found->nic_gbytes > 0 ? found->nic_gbytes / like->nic_gbytes : 1;
    double nics = nic * (found->nics ? (double)found->nics / like->nics : 1);
    int is_other = found->scale_up >= 0 && found->scale_up != like->scale_up;

    if (is_other && found->graph_gbytes > 0)
        put(m, "ring_gbytes", json_real(fmin(found->graph_gbytes, like->ring_gbytes * nvlink)),
            "assumption", "what NCCL's search counts for these links");
    else
        put_scaled(m, "ring_gbytes", like->ring_gbytes, nvlink);
    if (found->graph_gbytes <= 0)
        put_scaled(m, "graph_gbytes", like->graph_gbytes, nvlink);
    put_scaled(m, "nvls_gbytes", like->nvls_gbytes, nvlink);
    put_scaled(m, "nvls_tree_gbytes", like->nvls_tree_gbytes, fmin(nvlink, nics));
    if (like->channel_gbytes > 0)
        put_scaled(m, "channel_gbytes", like->channel_gbytes, nic);
    if (is_other && found->scale_up != ASIM_SCALE_UP_NVSWITCH && like->nvls)
        put(m, "nvls", json_integer(0), "source", "only NVSwitches reduce");
}

static int make(struct making *m, const char *name, struct asim_err *err)
{
    int code = check_like(m, err);

    if (code)
        return code;
    m->root = asim_machine_read_json(m->like->name, err);
    json_object_del(m->root, "measured"); /* no table is of the new machine */
    if (!m->root)
        return err->code;
    m->failed |= json_object_set_new(m->root, "name", json_string(name));
    m->failed |= json_object_set_new(
        m->root, "about", json_sprintf("as %s, with what %s says", m->like->name, m->path));
    tell_missing(m);
    put_found(m);
    put_rates(m);
    return m->failed ? asim_err_nomem(err, "importing a machine") : 0;
}

int asim_import_make(json_t **root, const struct asim_import_host *found, const char *path,
                     const struct asim_import_like *like, struct asim_err *err)
{
    struct making m = {.found = found, .like = like, .path = path};
    int code = asim_machine_read(&m.machine, like->name, err);

    if (!code)
        code = make(&m, like->as, err);
    asim_machine_fini(&m.machine);
    *root = m.root;
    return code;
}
