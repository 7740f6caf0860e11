/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a SimAI workload and opening it as a trace while memory runs out.
 */
#include <stdio.h>
#include "trace/format.h"
#include "nomem.h"

extern const struct asim_trace_format asim_trace_format_simai;
static const char path[] = "test_nomem_simai.tmp.txt";

static int scenario(struct asim_err *err)
{
    const struct asim_trace_format *simai = &asim_trace_format_simai;
    void *reader;
    struct asim_op op;
    int rc = simai->open(&reader, path, 1, err);
    if (rc)
        return rc;
    while ((rc = simai->next(reader, &op, err)) > 0)
        ;
    simai->close(reader);
    return rc;
}

int main(void)
{
    FILE *file = fopen(path, "wb");
    if (!file ||
        fputs("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 "
              "ga: 1 all_gpus: 8 checkpoints: 1 0 checkpoint_initiates: 1 1\n2\n"
              "a -1 1 ALLREDUCE 4096 1 NONE 0 1 NONE 0 1\n"
              "b -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4096 1\n",
              file) < 0 ||
        fclose(file))
        return 1;
    nomem_run(scenario);
    remove(path);
    return CHECK_DONE();
}
