/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a training step: PREFIX.<rank>.et of every rank, and PREFIX.system.json with the settings
 * that let its communications overlap.
 */
#ifndef ASIM_CONVERTER_STEP_WRITE_H
#define ASIM_CONVERTER_STEP_WRITE_H

#include "step/step.h"

/* Least, most and sum over the ranks. */
struct asim_step_summary {
    struct asim_step_traffic least, most, sum;
    /* Of all MoE layers, for one micro-batch: (token, expert) pairs that reach an expert, tokens
     * once for each GPU and each server with one of their experts, the sender's own included; and
     * pairs beyond the experts' capacity. */
    struct asim_step_tokens {
        uint64_t pairs, gpus, servers, dropped;
        uint64_t most_pairs;                    /* to one rank */
        uint64_t dispatch_bytes, combine_bytes; /* of a token */
        uint32_t layers, ranks;
    } tokens;
};
/* Plans and writes the step of the options; measured may be NULL. */
int asim_step_write(const struct asim_llm *llm, const struct asim_llm_times *measured,
                    struct asim_step_summary *summary, struct asim_err *err);
/* What `asim trace llm` prints about it. */
void asim_step_print(const struct asim_llm *llm, const struct asim_step_summary *summary);

#endif
