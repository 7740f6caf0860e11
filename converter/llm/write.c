/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the rows as SimAI text, byte for byte as AICB (tabs, a process time of 100 ns for every
 * row, pp_comm with ".0" where Python divides), and any workload as Chakra traces.
 */
#include "llm/llm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/io/out.h"
#include "asim/trace.h"
#include "cli/file_set.h"
#include "llm/astra_sim.h"

/* AICB's name with the folder; booleans are Python's words. */
void asim_llm_file_name(const struct asim_llm *llm, char *name, size_t size)
{
    const struct asim_llm_options *o = llm->opt;
    snprintf(name, size,
             "results/workload/%.80s-%.80s-world_size%u-tp%u-pp%u-ep%u-gbs%u-mbs%u-seq%" PRIu64
             "-MOE-%s-GEMM-%s-flash_attn-%s.txt",
             o->gpu_type, o->model_name, o->world, o->tp, o->pp, o->ep, o->global_batch,
             o->micro_batch, o->seq, o->moe ? "True" : "False", o->grouped_gemm ? "True" : "False",
             o->flash ? "True" : "False");
}

/* " 2 3 9" behind a number: rows where layers start, or end. */
static void put_marks(struct asim_out *out, const char *key, const struct asim_llm_rows *rows,
                      int ends)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->list.n; i++)
        n += (size_t)(ends ? rows->list.at[i].ends_layer : rows->list.at[i].starts_layer);
    asim_out_printf(out, "%s: %zu ", key, n);
    for (size_t i = 0; i < rows->list.n; i++)
        if (ends ? rows->list.at[i].ends_layer : rows->list.at[i].starts_layer)
            asim_out_printf(out, "%zu ", i);
}

/* checkpoints are 0 unless whole layers are computed again: AICB counts recomputation in the
 * forward times. */
static void put_header(struct asim_out *out, const struct asim_llm *llm,
                       const struct asim_llm_rows *rows)
{
    const struct asim_llm_options *o = llm->opt;
    asim_out_printf(
        out,
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: %u ep: %u pp: %u vpp: %" PRIu64
        " ga: %" PRIu64 " all_gpus: %u ",
        o->tp, o->ep, o->pp, llm->stage_layers, llm->ga, o->world);
    if (o->recompute_how == ASIM_LLM_FULL) {
        put_marks(out, "checkpoints", rows, 0);
        put_marks(out, "checkpoint_initiates", rows, 1);
    } else {
        asim_out_printf(out, "checkpoints: 0 checkpoint_initiates: 0 ");
    }
    asim_out_printf(out, "pp_comm: ");
    if (o->pp == 1)
        asim_out_printf(out, "0\n");
    else if (o->sp && llm->tokens_bytes % o->tp)
        asim_out_printf(out, "%.17g\n", (double)llm->tokens_bytes / o->tp);
    else if (o->sp)
        asim_out_printf(out, "%" PRIu64 ".0\n", llm->tokens_bytes / o->tp);
    else
        asim_out_printf(out, "%" PRIu64 "\n", llm->tokens_bytes);
}

/* The file gets its name after the last row (base/io/out.h). */
int asim_llm_write(const struct asim_llm *llm, const struct asim_llm_rows *rows, const char *path,
                   struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    put_header(&out, llm, rows);
    asim_out_printf(&out, "%zu\n", rows->list.n);
    for (size_t i = 0; i < rows->list.n; i++) {
        const struct asim_llm_row *row = &rows->list.at[i];
        asim_out_printf(&out, "%s\t-1", row->name);
        for (int part = 0; part < 3; part++)
            asim_out_printf(&out, "\t%" PRIu64 "\t%s\t%" PRIu64, row->compute_ns[part],
                            row->comm[part].type, row->comm[part].bytes);
        asim_out_printf(&out, "\t100\n");
    }
    return asim_out_commit(&out, err);
}

/* --- Chakra ----------------------------------------------------------------------------------- */

enum { MOST_ATTRS = 12 };

/* Sizes and ranks as int64, which every reader accepts. */
static void add_int(struct asim_chakra_attr *attrs, size_t *n, const char *name, int64_t value)
{
    attrs[(*n)++] =
        (struct asim_chakra_attr){.name = name, .type = ASIM_CHAKRA_INT64, .value.i = value};
}

/* Writes only the attributes that the op has: absence has its own meaning in Chakra. */
static size_t fill_attrs(const struct asim_op *op, struct asim_chakra_attr attrs[MOST_ATTRS])
{
    size_t n = 0;
    attrs[n++] = (struct asim_chakra_attr){
        .name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = op->is_cpu};
    if (op->has & ASIM_HAS_NUM_OPS)
        add_int(attrs, &n, "num_ops", (int64_t)op->num_ops);
    if (op->has & ASIM_HAS_TENSOR_SIZE)
        add_int(attrs, &n, "tensor_size", (int64_t)op->tensor_bytes);
    if (op->has & ASIM_HAS_COMM_TYPE)
        add_int(attrs, &n, "comm_type", op->comm_type);
    if (op->has & ASIM_HAS_COMM_SIZE)
        add_int(attrs, &n, "comm_size", (int64_t)op->comm_bytes);
    if (op->has & ASIM_HAS_COMM_SRC)
        add_int(attrs, &n, "comm_src", op->comm_src);
    if (op->has & ASIM_HAS_COMM_DST)
        add_int(attrs, &n, "comm_dst", op->comm_dst);
    if (op->has & ASIM_HAS_COMM_TAG)
        add_int(attrs, &n, "comm_tag", op->comm_tag);
    if (op->has & ASIM_HAS_QUEUE)
        add_int(attrs, &n, "comm_queue", op->comm_queue);
    if (op->duration_ns % 1000) /* Chakra has microseconds; asim reads this attribute, too */
        attrs[n++] = (struct asim_chakra_attr){
            .name = "duration_ns", .type = ASIM_CHAKRA_UINT64, .value.u = op->duration_ns};
    if (op->has & ASIM_HAS_COMM_SIZES)
        attrs[n++] = (struct asim_chakra_attr){.name = "comm_sizes",
                                               .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64),
                                               .value.list = {op->comm_sizes, op->comm_size_n}};
    if (op->pg_name && *op->pg_name)
        attrs[n++] = (struct asim_chakra_attr){
            .name = "pg_name", .type = ASIM_CHAKRA_STRING, .value.s = op->pg_name};
    return n;
}

/* Names, dependencies and groups are borrowed from the reader until its next op. */
static int put_op(struct asim_chakra_writer *writer, const struct asim_op *op, struct asim_err *err)
{
    struct asim_chakra_attr attrs[MOST_ATTRS];
    struct asim_chakra_node node = {
        .id = op->id,
        .name = op->name,
        .type = op->type,
        .data_deps = op->data_deps,
        .data_dep_n = op->data_dep_n,
        .ctrl_deps = op->ctrl_deps,
        .ctrl_dep_n = op->ctrl_dep_n,
        .duration_micros = op->duration_micros,
        .inputs.values = op->inputs_values && *op->inputs_values ? op->inputs_values : NULL,
        .attrs = attrs,
    };
    node.attr_n = fill_attrs(op, attrs);
    return asim_chakra_writer_node(writer, &node, err);
}

/* The reader makes ops on demand and the writer keeps one record, so memory does not grow with the
 * workload. astra may be NULL. */
static int write_rank(const char *workload, uint32_t rank, const char *path,
                      struct asim_astra_sim *astra, struct asim_err *err)
{
    struct asim_trace trace;
    struct asim_chakra_writer *writer = NULL;
    struct asim_op op;
    int got = 0, is_dropped = 0, rc = asim_trace_open(&trace, workload, rank, err);

    if (rc)
        return rc;
    rc = asim_chakra_writer_open(&writer, path, err);
    if (!rc)
        rc = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
    while (!rc && (got = asim_trace_next(&trace, &op, err)) > 0) {
        if (astra)
            rc = asim_astra_sim_op(astra, rank, &op, &is_dropped, err);
        if (!rc && !is_dropped)
            rc = put_op(writer, &op, err);
    }
    rc = rc ? rc : got;
    asim_trace_close(&trace);
    if (!rc)
        return asim_chakra_writer_commit(writer, err);
    asim_chakra_writer_discard(writer);
    return rc;
}

static int write_groups(const struct asim_astra_sim *astra, uint32_t ranks,
                        struct asim_file_set *set, const char *prefix, struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_file_set_open(set, &out, prefix, ".groups.json", err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{%.*s", (int)astra->groups.n, astra->groups.at);
    for (uint32_t r = 0; r < ranks && astra->has_all; r++)
        r ? asim_out_printf(&out, ", %" PRIu32, r)
          : asim_out_printf(&out, ",\n  \"%zu\": [0", astra->numbers.n + 1);
    asim_out_printf(&out, "%s\n}\n", astra->has_all ? "]" : "");
    return asim_out_commit(&out, err);
}

/* The user names the complete file, so an error about "nofile.txt.0.et" would not help. */
static int count_ranks(const char *workload, uint32_t *ranks, struct asim_err *err)
{
    struct asim_err why = {0};
    int rc = asim_trace_ranks(workload, ranks, &why);
    const char *ending = strrchr(workload, '.');

    if (rc && access(workload, F_OK) && ending && !strcmp(ending, ".txt"))
        return asim_err_set(err, ASIM_EINVAL, "there is no file %s.", workload);
    if (rc && err)
        *err = why;
    return rc;
}

/* Parses the workload once per rank, which takes less time than writing the rank's file. */
int asim_llm_to_et(const char *workload, const struct asim_llm_options *opt,
                   struct asim_llm_traces *made, struct asim_err *err)
{
    struct asim_file_set set = {0};
    struct asim_astra_sim astra = {0};
    const char *prefix = opt->et, *temp_name;
    int rc = count_ranks(workload, &made->ranks, err);

    if (!rc)
        rc = asim_file_set_begin(&set, prefix, made->ranks, opt->force, err);
    if (!rc)
        rc = asim_inputs_add_set(&set.inputs, workload, err);
    for (uint32_t r = 0; !rc && opt->for_astra_sim && r < made->ranks; r++)
        rc = asim_astra_sim_rank(&astra, workload, r, err);
    for (uint32_t r = 0; !rc && r < made->ranks; r++) {
        rc = asim_file_set_rank(&set, prefix, r, &temp_name, err);
        if (!rc)
            rc = write_rank(workload, r, temp_name, opt->for_astra_sim ? &astra : NULL, err);
    }
    if (!rc && astra.numbers.n)
        rc = write_groups(&astra, made->ranks, &set, prefix, err);
    made->groups = astra.numbers.n + (size_t)astra.has_all;
    made->rounded = astra.rounded;
    made->cpu = astra.cpu;
    asim_astra_sim_fini(&astra);
    return asim_file_set_end(&set, rc, err);
}
