/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Remote memory JSON (system-layer.md#remote-memory). ASTRA-sim leaves the type undefined when
 * the key is absent, divides by zero for PER_NODE without a node size and truncates the bandwidth
 * to whole GB/s; here the first two are errors and a fraction is kept, with a note because it
 * changes times.
 *
 * The struct owns no memory. sim/ops/memory.c models the contention for a shared memory.
 */
#include "base/diagnostics.h"
#include "conf/conf.h"

#include <math.h>
#include <string.h>
#include "conf/json.h"
#include "base/io/foreign.h"

#define ROW(...) ASIM_OPTION(struct asim_memory, __VA_ARGS__)

static const struct asim_option memory_options[] = {
    ROW("memory-type", CHOICE, type, "sharing of the remote memory", .def = "NO_MEMORY_EXPANSION",
        .choices =
            "NO_MEMORY_EXPANSION|PER_NODE_MEMORY_EXPANSION|PER_NPU_MEMORY_EXPANSION|MEMORY_POOL"),
    ROW("num-nodes", U32, nodes, "nodes, for PER_NODE_MEMORY_EXPANSION", .def = "0"),
    ROW("num-npus-per-node", U32, npus_per_node, "ranks of a node, for PER_NODE_MEMORY_EXPANSION",
        .def = "0"),
    ROW("remote-mem-latency", U64, latency_ns, "time before the first byte, ns", .def = "0"),
    ROW("remote-mem-bw", DOUBLE, bandwidth_gbps, "bandwidth, GB/s (1e9 bytes a second)", .def = "0",
        .max = 1e9),
    {0},
};

/* Combinations of keys that are wrong. Each sentence says what to write, since published files for
 * "no remote memory" differ. */
static int check(const struct asim_memory *mem, const json_t *root, const char *path,
                 struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};

    if (!json_object_get(root, "memory-type"))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"memory-type\" is missing; without remote memory write "
                           "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}.");
    if (mem->type != ASIM_MEM_NONE && mem->bandwidth_gbps <= 0)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"remote-mem-bw\" is missing or 0, so no access would ever end; "
                           "expected a bandwidth above 0, in GB/s.");
    if (mem->type == ASIM_MEM_PER_NODE && (mem->nodes == 0 || mem->npus_per_node == 0))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "PER_NODE_MEMORY_EXPANSION needs the keys \"num-nodes\" and "
                           "\"num-npus-per-node\", both above 0.");
    return 0;
}

/* No strings in the struct, so there is nothing to free. */
int asim_memory_read(struct asim_memory *mem, const char *path,
                     const struct asim_diagnostics *diagnostics, struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    const char *key;
    json_t *root, *value;
    int rc;

    memset(mem, 0, sizeof *mem);
    rc = asim_option_defaults(memory_options, mem, err);
    if (rc)
        return rc;
    rc = asim_json_open(&root, path, err);
    if (rc)
        return asim_foreign_instead(rc, path, "a remote memory", err);
    json_object_foreach(root, key, value)
    {
        const struct asim_option *row = asim_option_find(memory_options, key);

        rc = row ? asim_json_option(row, mem, value, path, err)
                 : asim_option_unknown(memory_options, key, at, err);
        if (rc) {
            asim_json_place(err, path, key);
            break;
        }
    }
    if (!rc)
        rc = check(mem, root, path, err);
    if (!rc && mem->type != ASIM_MEM_PER_NODE && (mem->nodes || mem->npus_per_node))
        asim_diagnose(diagnostics,
                      "%s: num-nodes and num-npus-per-node have an effect with "
                      "PER_NODE_MEMORY_EXPANSION only.",
                      path);
    if (!rc && mem->bandwidth_gbps != floor(mem->bandwidth_gbps))
        asim_diagnose(diagnostics,
                      "%s: remote-mem-bw %g GB/s is used as it stands; ASTRA-sim would "
                      "cut it to %.0f.",
                      path, mem->bandwidth_gbps, floor(mem->bandwidth_gbps));
    json_decref(root);
    return asim_foreign_instead(rc, path, "a remote memory", err);
}
