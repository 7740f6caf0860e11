/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Converting a layer file while memory runs out.
 */
#define _XOPEN_SOURCE 700 /* as trace/file_set.c wants */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/io/out.h"
#include "base/io/src.h"
#include "base/text.h"
#include "text/graph.h"
#include "trace/chakra/chakra_record.h"
#include "trace/chakra/chakra_value.h"
#include "trace/op.h"
#include "trace/file_set.h"
#include "nomem.h"

#include "../../../core/base/mem.c"
#ifdef ASIM_ASAN
#include "../../../core/base/mem_asan.c"
#else
#include "../../../core/base/mem_fast.c"
#endif
#include "../../../core/base/io/src.c"
#include "../../../core/trace/chakra/encode.c"
#undef WIRE_BYTES
#define kinds wire_kinds
#include "../../../core/trace/chakra/chakra_value.c"
#undef kinds
#include "../../../core/trace/chakra/chakra_write.c"
#include "../../../core/trace/file_set.c"
#include "../../../converter/text/extended.c"
#undef FWD
#undef IG
#undef WG
#include "../../../converter/text/graph.c"
#include "../../../converter/text/layers.c"
#include "../../../converter/text/published.c"
#undef PATH_TAIL
#include "../../../converter/text/write.c"

static const char input[] = "test_nomem_layers.txt", prefix[] = "test_nomem_out";

static int scenario(struct asim_err *err)
{
    struct asim_text_options opt = {.output = prefix, .ranks = 2, .passes = 1};
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
