/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Converting a layer file while memory runs out.
 */
#include <stdio.h>
#include <unistd.h>
#include "text/graph.h"
#include "nomem.h"
#include "text/text.h"

static const char input[] = "test_nomem_layers.txt", prefix[] = "test_nomem_out";

static int scenario(struct asim_err *err)
{
    struct asim_text_options opt = {.output = prefix, .force = 1, .ranks = 2, .passes = 1};
    struct asim_text_result result = {0};
    struct asim_layers kept = {0};
    int rc = asim_layers_open(&kept, input, 0, err);
    if (!rc)
        rc = asim_text_write(&kept, &opt, &result, err);
    asim_layers_close(&kept);
    return rc;
}

int main(void)
{
    FILE *file = fopen(input, "wb");
    CHECK(file != NULL);
    if (!file)
        return CHECK_DONE();
    fputs("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
          "checkpoint_initiates: 1 0\n1\na -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n",
          file);
    fclose(file);
    nomem_run(scenario);
    unlink(input);
    unlink("test_nomem_out.0.et");
    unlink("test_nomem_out.1.et");
    unlink("test_nomem_out.groups.json");
    return CHECK_DONE();
}
