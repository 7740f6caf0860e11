/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints the result of linking in a few lines; each operation that is not linked is counted under a
 * reason.
 */
#include "link/link.h"

#include <inttypes.h>
#include "base/text.h"

static void reason(FILE *file, uint64_t n, const char *why)
{
    if (n)
        fprintf(file, "  %" PRIu64 " %s\n", n, why);
}

static double busy_us(const struct asim_kineto *kin)
{
    double sum = 0;

    for (size_t i = 0; i < kin->gpu.n; i++)
        sum += kin->gpu.at[i].dur;
    return sum;
}

/* The first call that launched GPU operations and that Chakra's tools do not know. */
static const char *unlisted(const struct asim_kineto *kin)
{
    for (size_t i = 0; i < kin->gpu.n; i++) {
        uint32_t call = kin->gpu.at[i].call;

        if (call != ASIM_NONE && !(kin->call.at[call].flags & ASIM_KIN_LAUNCH))
            return asim_names_get(&kin->names, kin->call.at[call].name);
    }
    return "";
}

void asim_link_report(const struct asim_linking *link, uint32_t rank, FILE *file)
{
    const struct asim_link_counts *c = &link->counts;
    const struct asim_launch_counts *l = &c->launches;
    const struct asim_kineto *kin = &link->kin;
    char schema[80], call[80];
    uint64_t memsets = 0;

    for (size_t i = 0; i < kin->gpu.n; i++)
        memsets += kin->gpu.at[i].kind == ASIM_GPU_MEMSET && link->opt->compat;
    fprintf(file,
            "rank %" PRIu32 ": host schema %s, %" PRIu64 " nodes, %" PRIu64
            " matched to the device trace's %zu CPU ops\n",
            rank,
            link->host.schema[0] ? asim_text_safe(schema, sizeof schema, link->host.schema)
                                 : "(none)",
            c->host_nodes, c->host_matched, kin->cpu.n);
    if (kin->rank >= 0 && kin->rank != (int64_t)rank)
        fprintf(file, "  the device trace says that it is of rank %" PRId64 "\n", kin->rank);
    reason(file, c->aligned, "of them by the order of names (no Record function ids)");
    if (!c->host_matched)
        reason(file, c->host_nodes,
               "host nodes have no counterpart: are the two files of one run and one rank?");
    reason(file, link->host.duplicates, "host nodes repeat an id; the last of each was kept");
    reason(file, link->host.repeats + kin->repeats,
           "keys stand twice in one object, with two values; the last of each was taken");
    reason(file, link->host.no_utf8 + kin->no_utf8,
           "strings have bytes that are not UTF-8; U+FFFD stands for each");
    reason(file, link->host.parents_assigned,
           "host nodes name a parent that is not in the file; hung on their thread");
    fprintf(file, "GPU operations: %" PRIu64 " of %zu linked, %.0f us busy\n", c->gpu_linked,
            kin->gpu.n, busy_us(kin));
    reason(file, l->no_correlation, "dropped: no correlation id in the trace");
    reason(file, l->no_call, "dropped: no runtime call has their correlation id");
    reason(file, l->no_op, "dropped: their thread ran no CPU op before the launch");
    reason(file, c->not_in_host, "dropped: no op around their launch is in the host trace");
    reason(file, memsets, "dropped: memsets (the published tools do not know them; --compat)");
    reason(file, c->moved,
           "given to an op further out, as the launching one is not in the host trace");
    reason(file, l->outside, "launched outside any CPU op; given to the latest one before");
    if (l->not_listed && !link->opt->compat)
        fprintf(file, "  %" PRIu64 " launched by calls other tools do not know (%s)\n",
                l->not_listed, asim_text_safe(call, sizeof call, unlisted(kin)));
    fprintf(file,
            "waits: %" PRIu64 " nodes wait for another thread, %" PRIu64
            " dependencies on GPU operations (%.0f us of waiting taken off CPU ops)\n",
            c->inter_thread, c->sync_deps, c->waited_us);
}
