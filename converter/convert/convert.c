/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The phases of a conversion in order, and the summary.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/file_set.h"
#include "convert/pgroups.h"

static int run_phases(struct asim_convert *cv, struct asim_err *err)
{
    static int (*const phases[])(struct asim_convert *, struct asim_err *) = {
        asim_convert_load, asim_convert_make,  asim_convert_ledger, asim_convert_tree,
        asim_convert_walk, asim_convert_order, asim_convert_clean,  asim_convert_emit};
    int code = 0;

    for (size_t i = 0; i < sizeof phases / sizeof *phases && !code; i++)
        code = phases[i](cv, err);
    return code;
}

/* Writes trace and groups file together or not at all: a trace with an older groups file would run
 * with wrong groups. */
static int run_with_groups(struct asim_convert *cv, const struct asim_convert_options *opt,
                           struct asim_err *err)
{
    struct asim_convert_options temp_opt = *opt;
    struct asim_file_set set = {0};
    int code = asim_file_set_add(&set, opt->output, &temp_opt.output, err);

    if (!code)
        code = asim_file_set_add(&set, opt->groups, &temp_opt.groups, err);
    cv->opt = &temp_opt;
    if (!code)
        code = run_phases(cv, err);
    cv->opt = opt;
    if (!code)
        code = asim_pgroups_write(&cv->groups, &cv->names, temp_opt.groups, err);
    return asim_file_set_end(&set, code, err);
}

int asim_convert_run(struct asim_convert *cv, const struct asim_convert_options *opt,
                     struct asim_err *err)
{
    int code;

    memset(cv, 0, sizeof *cv);
    cv->opt = opt;
    code = opt->groups ? run_with_groups(cv, opt, err) : run_phases(cv, err);
    /* Inner functions report failure only; err has the code. */
    return code && err && err->code ? err->code : code;
}

static void line(FILE *file, uint64_t n, const char *what)
{
    if (n)
        fprintf(file, "  %" PRIu64 " %s\n", n, what);
}

void asim_convert_report(const struct asim_convert *cv, const char *title, FILE *file)
{
    const struct asim_convert_counts *c = &cv->counts;

    fprintf(file,
            "%s: %" PRIu64 " nodes: %" PRIu64 " CPU (%.0f us), %" PRIu64 " GPU (%.0f us), %" PRIu64
            " of them communication\n",
            title, c->written, c->cpu, c->cpu_us, c->gpu, c->gpu_us, c->comm);
    line(file, c->metadata, "metadata nodes");
    for (int k = 0; k < ASIM_COLL_TYPES; k++)
        if (c->by_kind[k])
            fprintf(file, "  %" PRIu64 " %s, %" PRIu64 " bytes\n", c->by_kind[k],
                    asim_coll_type_name(k), c->bytes_by_kind[k]);
    line(file, c->sends, "sends");
    line(file, c->recvs, "receives");
    line(file, c->host_comm,
         "communication nodes made from host ops, as the trace has no GPU operations");
    line(file, c->batch_members, "of them run in groups of several, a node a call");
    line(file, c->batch_rest, "further kernels of groups kept as computations");
    line(file, c->no_calls, "kernels of groups whose calls the host trace lacks");
    line(file, c->no_kernel, "calls of the host without a kernel, with sizes and without times");
    line(file, c->alone, "calls of the host in groups of one member: nothing to send");
    line(file, c->groups_unknown, "communication nodes of a group that nothing lists");
    line(file, c->split, "all-to-alls with a size for each member (comm_sizes)");
    line(file, c->split_even,
         "all-to-alls whose split sizes are cut, or not one a member: taken in equal parts");
    line(file, c->groups_differ,
         "communication nodes whose group has another size than they state, or other ranks: one of "
         "both is wrong");
    line(file, c->guessed,
         "communication kernels of unknown kind taken for ALL_REDUCE or ALL_TO_ALL");
    line(file, c->sizes_found, "sizes taken from the ops around the launch");
    line(file, c->sizes_missing, "communication nodes without a size (0 bytes)");
    line(file, c->p2p_unknown, "sends or receives without a partner: a simulator refuses them");
    line(file, c->repeated, "nodes repeat an id; the last of each was kept");
    line(file, c->orphans, "nodes with a missing parent hung on their thread");
    line(file, cv->host.no_utf8, "strings have bytes that are not UTF-8; U+FFFD stands for each");
    line(file, c->deleted, "nodes deleted that stood alone");
    line(file, c->lost_gpu, "of those were GPU operations");
    line(file, c->deps_dropped, "dependencies dropped: unknown node, or against recorded time");
    line(file, c->cycles, "cycles broken");
    fprintf(file,
            "  order: %" PRIu64 " along streams, %" PRIu64 " waits for the GPU, %" PRIu64
            " around collectives, %" PRIu64 " between threads\n",
            c->stream_edges, c->sync_edges, c->comm_edges, c->thread_edges);
}

void asim_convert_fini(struct asim_convert *cv)
{
    asim_host_fini(&cv->host);
    asim_names_fini(&cv->names);
    asim_pgroups_fini(&cv->groups);
    asim_pgroups_fini(&cv->called);
    ASIM_FREE(cv->node.at, cv->wait.at, cv->comm.at, cv->child_at, cv->child, cv->edge.at,
              cv->dep_at, cv->dep);
    memset(cv, 0, sizeof *cv);
}
