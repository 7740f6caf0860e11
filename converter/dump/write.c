/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the frame of each form around its nodes; one buffer serves all.
 */
#include "dump/dump.h"
#include "json/access.h"

static const struct {
    const char *before, *between, *after;
    void (*node)(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);
} forms[] = {
    {"", "", "", NULL},
    {"{\"workload_graph\": [\n", ",\n", "\n]}\n", asim_dump_workload_node},
    {"{\"nodes\": [\n", ",\n", "\n]}\n", asim_dump_stg_node},
};

static int flush(struct asim_jbuf *buf, FILE *file, struct asim_err *err)
{
    if (buf->failed)
        return asim_err_nomem(err, "writing a trace as JSON");
    fwrite(buf->at, 1, buf->n, file);
    buf->n = 0;
    return 0;
}

int asim_dump_write(struct asim_chakra *trace, enum asim_dump_form form, FILE *file,
                    struct asim_dump_result *result, struct asim_err *err)
{
    const ChakraProtoMsg__Node *node;
    struct asim_jbuf buf = {0};
    int rc = 0, more;
    if (!forms[form].node)
        asim_dump_message(&buf, &asim_chakra_metadata(trace)->base);
    asim_jbuf_text(&buf, forms[form].before);
    while (!rc && (more = asim_chakra_next(trace, &node, err)) > 0) {
        if (result->nodes++)
            asim_jbuf_text(&buf, forms[form].between);
        if (forms[form].node)
            forms[form].node(&buf, node);
        else
            asim_dump_message(&buf, &node->base);
        result->ctrl_deps += node->n_ctrl_deps;
        rc = flush(&buf, file, err);
    }
    if (!rc && more < 0)
        rc = more;
    asim_jbuf_text(&buf, forms[form].after);
    if (!rc)
        rc = flush(&buf, file, err);
    asim_jbuf_fini(&buf);
    return rc;
}
