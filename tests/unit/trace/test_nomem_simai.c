/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a SimAI workload and opening it as a trace while memory runs out.
 */
#include <inttypes.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/io/src.h"
#include "base/text.h"
#include "conf/conf.h"
#include "trace/op.h"
#include "trace/simai/simai_walk.h"
#include "nomem.h"

#include "../../../core/base/mem.c"
#ifdef ASIM_ASAN
#include "../../../core/base/mem_asan.c"
#else
#include "../../../core/base/mem_fast.c"
#endif
#include "../../../core/base/io/src.c"
#include "../../../core/trace/simai/simai.c"
#include "../../../core/trace/simai/simai_header.c"
#define start start_reader
#include "../../../core/trace/format/simai.c"

static const char path[] = "test_nomem_simai.tmp.txt";

static int scenario(struct asim_err *err)
{
    struct asim_reader *reader;
    struct asim_op op;
    int rc = open_reader(&reader, path, 1, err);
    if (rc)
        return rc;
    while ((rc = next(reader, &op, err)) > 0)
        ;
    close_reader(reader);
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
