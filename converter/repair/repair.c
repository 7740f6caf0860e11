/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads, filters, orders, reconnects and writes rank by rank, then compares the ranks. Of finished
 * ranks only the index stays in memory. The files get their names after that.
 */
#include "repair/repair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/file_set.h"
#include "repair/graph.h"

/* The values filled in while writing count in the comparison, too. */
static int as_written(struct asim_graph *graph, const struct asim_repair_options *opt,
                      struct asim_err *err)
{
    uint32_t group = ASIM_NONE;

    if (opt->group)
        group = asim_names_put(&graph->names, opt->group, strlen(opt->group));
    if (opt->group && group == ASIM_NONE)
        return asim_err_nomem(err, "comparing ranks");
    for (uint32_t i = 0; i < graph->node.n; i++) {
        struct asim_rnode *node = &graph->node.at[i];

        if (node->flags & ASIM_RN_NEEDS_SIZE && !node->bytes)
            node->bytes = opt->default_bytes;
        if (node->group == ASIM_NONE)
            node->group = group;
    }
    return 0;
}

static int repair_one(struct asim_graph *graph, const struct asim_rankfile *file,
                      const struct asim_repair_options *opt, struct asim_err *err)
{
    int code = asim_graph_read(graph, file->in, file->rank, opt, err);

    if (!code)
        code = asim_graph_filter(graph, opt, err);
    if (!code)
        code = asim_graph_order(graph, opt, err);
    if (!code)
        code = asim_graph_reconnect(graph, err);
    if (code)
        return code;
    code = opt->simple ? asim_graph_write_simple(graph, file->temp_name, opt, err)
                       : asim_graph_write(graph, file->temp_name, opt, err);
    return code ? code : as_written(graph, opt, err);
}

static void line(FILE *file, uint64_t n, const char *what)
{
    if (n)
        fprintf(file, "  %" PRIu64 " %s\n", n, what);
}

static void tell(const struct asim_graph *graph, const char *out, FILE *file)
{
    const struct asim_repair_counts *c = &graph->counts;

    fprintf(file, "%s: %" PRIu64 " of %" PRIu64 " nodes kept, %" PRIu64 " of them communication\n",
            out, c->kept, c->nodes, c->comm);
    line(file, c->duplicates, "repeated ids removed");
    line(file, c->self, "dependencies of a node on itself removed");
    line(file, c->missing, "dependencies on missing nodes removed");
    line(file, c->cycles, "cycles broken");
    line(file, c->invalid, "nodes without a type removed");
    line(file, c->metadata, "metadata nodes removed");
    line(file, c->cpu, "computations removed");
    line(file, c->refused, "collectives removed that the simulator refuses");
    line(file, c->partnerless, "sends or receives removed that name no partner");
    line(file, c->reconnected, "dependencies made through removed nodes");
    line(file, c->sizes_read, "sizes filled from their tensors");
    line(file, c->sizes_default, "sizes filled with the default");
    line(file, c->sizes_none,
         "sizes unknown: left as they are; a simulation refuses those that are missing");
    line(file, c->groups, "groups filled");
    line(file, c->moved_to_gpu, "communication nodes no longer marked as CPU ops");
}

/* A graph that waits for the comparison does not need its file; the caller owns the name. */
static void rest(struct asim_graph *graph)
{
    asim_chakra_close(graph->file);
    graph->file = NULL;
    ASIM_FREE(graph->dep.at, graph->topo, graph->join_at, graph->join);
    graph->dep.at = graph->topo = graph->join_at = graph->join = NULL;
}

static int compare(struct asim_graph *graphs, size_t n, const struct asim_repair_options *opt,
                   uint64_t *problems, struct asim_err *err)
{
    int code = n > 1 ? asim_repair_compare(graphs, n, &opt->notes, problems, err) : 0;

    if (code || !*problems || !opt->strict)
        return code;
    return asim_err_set(err, ASIM_EINVAL,
                        "the ranks' collectives differ in %" PRIu64
                        " places, and --strict was given; nothing was written.",
                        *problems);
}

int asim_repair_run(const struct asim_rankfile *files, size_t n,
                    const struct asim_repair_options *opt, uint64_t *problems, struct asim_err *err)
{
    struct asim_graph *graphs = calloc(n ? n : 1, sizeof *graphs);
    struct asim_file_set set = {0};
    int code = graphs ? 0 : asim_err_nomem(err, "repairing traces");

    *problems = 0;
    for (size_t r = 0; r < n && !code; r++) {
        struct asim_rankfile file = files[r];

        code = asim_file_set_add(&set, file.out, &file.temp_name, err);
        if (!code)
            code = repair_one(&graphs[r], &file, opt, err);
        if (!code && opt->report)
            tell(&graphs[r], file.out, opt->report);
        rest(&graphs[r]);
    }
    if (!code)
        code = compare(graphs, n, opt, problems, err);
    code = asim_file_set_end(&set, code, err);
    for (size_t r = 0; r < n && graphs; r++)
        asim_graph_fini(&graphs[r]);
    free(graphs);
    /* Inner functions report failure only; err has the code. */
    return code && err && err->code ? err->code : code;
}
