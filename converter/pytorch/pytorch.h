/* SPDX-License-Identifier: GPL-2.0-only
 *
 * From a folder of PyTorch traces to a workload: link, convert, repair, calibrate.
 */
#ifndef ASIM_CONVERTER_PYTORCH_PYTORCH_H
#define ASIM_CONVERTER_PYTORCH_PYTORCH_H

#include <stdio.h>
#include "base/diagnostics.h"
#include "calibrate/calibrate.h"
#include "asim/trace.h"
#include "pytorch/folder.h"

struct asim_pytorch_options {
    const char *folder;
    const char *output;    /* folder for the workload; NULL = workload_et, with a prefix none */
    const char *et_prefix; /* NAME -> NAME/NAME.RANK.et; "auto" = after the main collective */
    struct asim_folder_names names; /* selects traces; a tag -> workload.TAG.RANK.et */
    const uint32_t *ranks;          /* only these; n = 0: all */
    size_t ranks_n;
    int simple, gpu_only, astra, no_clean, strict;
    int force;         /* replace traces that exist */
    int allow_missing; /* traces of some ranks of the job only */
    int no_guess;      /* a communication kernel of unknown type is an error */
    uint64_t max_comm, default_bytes;
    struct asim_calibrate_options calibrate;
    struct asim_diagnostics notes;
};

/* Prints a summary to report. */
int asim_pytorch_run(const struct asim_pytorch_options *opt, FILE *report, struct asim_err *err);

#endif
