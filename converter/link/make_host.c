/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the host trace of a device trace that comes alone, as torch.profiler leaves it: the CPU ops
 * and runtime calls nested by their times, and the time between two of them on a thread as an op
 * of its own, unless another thread began an op meanwhile, for which the thread may have waited.
 * What an execution trace has beyond it (tensors, and collectives whose call the profiler does not
 * describe) stays unknown.
 */
#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "json/access.h"
#include "json/print.h"
#include "link/link.h"

struct make {
    struct asim_kineto *kin;
    struct asim_out out;
    struct asim_jbuf buf;
    uint32_t *order; /* CPU ops by start, the longer first */
    uint32_t *id;    /* of each op's node */
    double *end;     /* of the ops so far, by thread; below 0 = none */
    double latest;   /* start of the last op of any thread */
    uint32_t latest_thread, next_id;
};

static int by_begin(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_kineto_cpu *x = (const struct asim_kineto_cpu *)ctx + a;
    const struct asim_kineto_cpu *y = (const struct asim_kineto_cpu *)ctx + b;

    return x->ts != y->ts ? x->ts < y->ts : x->dur > y->dur;
}

static void member(struct make *m, const char *name)
{
    asim_jbuf_text(&m->buf, ", \"");
    asim_jbuf_text(&m->buf, name);
    asim_jbuf_text(&m->buf, "\": ");
}

static void begin_node(struct make *m, uint32_t id, const char *name, uint32_t parent)
{
    m->buf.n = 0;
    asim_jbuf_text(&m->buf, id == 1 ? "\n{\"id\": " : ",\n{\"id\": ");
    asim_jprint_int(&m->buf, id);
    member(m, "name");
    asim_jprint_string(&m->buf, name, strlen(name));
    member(m, "ctrl_deps");
    asim_jprint_int(&m->buf, parent);
}

static void end_node(struct make *m, uint32_t thread, uint32_t rf_id)
{
    static const char empty[] = "{\"values\": [], \"shapes\": [], \"types\": []}";

    member(m, "inputs");
    asim_jbuf_text(&m->buf, empty);
    member(m, "outputs");
    asim_jbuf_text(&m->buf, empty);
    member(m, "attrs");
    asim_jbuf_text(&m->buf, "[{\"name\": \"tid\", \"type\": \"uint64\", \"value\": ");
    asim_jprint_int(&m->buf, thread + 1);
    asim_jbuf_text(&m->buf, "}");
    if (rf_id) {
        asim_jbuf_text(&m->buf, ", {\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": ");
        asim_jprint_int(&m->buf, rf_id);
        asim_jbuf_text(&m->buf, "}");
    }
    asim_jbuf_text(&m->buf, "]}");
    asim_out_write(&m->out, m->buf.at ? m->buf.at : "", m->buf.n);
}

/* Two ops of a thread beside each other, and what lay between them. */
static void put_gap(struct make *m, const struct asim_kineto_cpu *op)
{
    double from = m->end[op->thread];

    if (from < 0 || op->ts <= from || (m->latest > from && m->latest_thread != op->thread))
        return;
    begin_node(m, m->next_id++, "time between ops", 2 + op->thread);
    member(m, "ts");
    asim_jprint_real(&m->buf, from);
    member(m, "exclusive_dur");
    asim_jprint_real(&m->buf, op->ts - from);
    end_node(m, op->thread, 0);
}

static void put_op(struct make *m, uint32_t at)
{
    struct asim_kineto *kin = m->kin;
    const struct asim_kineto_cpu *op = &kin->cpu.at[at];
    const struct asim_kineto_comm *comm = &kin->cpu_comm.at[at];
    uint32_t around = kin->enclosing[at];

    if (around == ASIM_NONE)
        put_gap(m, op);
    m->id[at] = m->next_id++;
    begin_node(m, m->id[at], asim_names_get(&kin->names, kin->cpu_name.at[at]),
               around == ASIM_NONE ? 2u + op->thread : m->id[around]);
    if (comm->args != ASIM_NONE) {
        member(m, "kineto_args");
        asim_jbuf_text(&m->buf, asim_names_get(&kin->names, comm->args));
    }
    if (comm->pg_name != ASIM_NONE) {
        const char *group = asim_names_get(&kin->names, comm->pg_name);

        member(m, "pg_name");
        asim_jprint_string(&m->buf, group, strlen(group));
    }
    end_node(m, op->thread, at + 1);
    kin->rf_id.at[at] = at + 1;
    if (op->ts + op->dur > m->end[op->thread])
        m->end[op->thread] = op->ts + op->dur;
    m->latest = op->ts;
    m->latest_thread = op->thread;
}

static void put_all(struct make *m)
{
    m->next_id = 2 + m->kin->threads;
    m->latest = -1;
    asim_out_printf(&m->out, "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [");
    begin_node(m, 1, "[pytorch|profiler|execution_trace|process]", 1);
    end_node(m, 0, 0);
    for (uint32_t t = 0; t < m->kin->threads; t++) {
        m->end[t] = -1;
        begin_node(m, 2 + t, "[pytorch|profiler|execution_trace|thread]", 1);
        end_node(m, t, 0);
    }
    for (size_t i = 0; i < m->kin->cpu.n; i++)
        put_op(m, m->order[i]);
    asim_out_printf(&m->out, "\n]}\n");
}

int asim_link_make_host(struct asim_linking *link, struct asim_err *err)
{
    struct asim_kineto *kin = &link->kin;
    size_t n = kin->cpu.n;
    struct make m = {.kin = kin, .order = asim_iota_u32(n)};
    int code = 0;

    m.id = calloc(n + 1, sizeof *m.id);
    m.end = malloc(((size_t)kin->threads + 1) * sizeof *m.end);
    if (!m.order || !m.id || !m.end || asim_sort_u32(m.order, n, by_begin, kin->cpu.at))
        code = asim_err_nomem(err, "making a host trace");
    if (!code)
        code = asim_out_open(&m.out, link->opt->host, err);
    if (!code) {
        put_all(&m);
        kin->has_rf_ids = 1;
        if (m.buf.failed) {
            asim_out_discard(&m.out);
            code = asim_err_nomem(err, "making a host trace");
        } else {
            code = asim_out_commit(&m.out, err);
        }
    }
    asim_jbuf_fini(&m.buf);
    ASIM_FREE(m.order, m.id, m.end);
    ASIM_KINETO_DROP(kin->cpu_name);
    ASIM_KINETO_DROP(kin->cpu_comm);
    return code;
}
