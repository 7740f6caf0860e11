/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Looks for what SimAI passes over in a workload text without a word. Only the header and counts of
 * the text are looked at; one more reading of a small file.
 */
#include "trace/simai/notes.h"
#include "asim/simai.h"

#include <string.h>

/* SimAI takes 0 tensor ranks for all GPUs. */
static void say_zeros(const struct asim_simai *w, const struct asim_diagnostics *diagnostics)
{
    static const char *const keys[] = {"model_parallel_NPU_group", "ep", "pp", "vpp", "ga"};

    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        if (w->zeros & 1u << i)
            asim_diagnose(diagnostics, "%s:1: %s is 0; %s", w->source, keys[i],
                          i ? "it counts as not stated" : "all GPUs are taken");
}

/* Only stages need micro-batches; the rows mark them by the name embedding_layer. */
static void say_batches(const struct asim_simai *w, const struct asim_diagnostics *diagnostics)
{
    uint32_t starts = 0;

    for (uint32_t i = 0; i < w->n_rows; i++)
        starts += !strcmp(asim_simai_row(w, i)->name, "embedding_layer");
    if (w->pp > 1 && w->pp_comm && w->ga > 1 && starts != w->ga)
        asim_diagnose(diagnostics,
                      "%s:1: ga is %u and the rows begin %u micro-batches: all rows pass the "
                      "stages as one",
                      w->source, w->ga, starts);
}

void asim_simai_diagnose(const char *path, const struct asim_diagnostics *diagnostics)
{
    struct asim_simai w;

    if (asim_simai_read(&w, path, NULL))
        return;
    say_zeros(&w, diagnostics);
    say_batches(&w, diagnostics);
    if (w.ignored)
        asim_diagnose(diagnostics, "%s: %u BROADCAST columns are ignored, as SimAI does", path,
                      w.ignored);
    if (w.pp > 1 && !w.pp_comm)
        asim_diagnose(diagnostics,
                      "%s: %u pipeline stages and pp_comm 0: nothing is sent between them", path,
                      w.pp);
    if (w.pp <= 1 && w.pp_comm)
        asim_diagnose(diagnostics, "%s: pp_comm without pipeline stages has no effect", path);
    asim_simai_fini(&w);
}
