/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads as ASTRA-sim reads them (trace llm --for=astra-sim): whole microseconds, groups in a
 * file, neither METADATA nor CPU ops nor attributes of asim.
 */
#ifndef ASIM_CONVERTER_LLM_ASTRA_SIM_H
#define ASIM_CONVERTER_LLM_ASTRA_SIM_H

#include "asim/trace.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/value.h"

/* All zero at first. */
struct asim_astra_sim {
    uint32_t rank;
    struct asim_map dropped; /* (rank, id) of METADATA ops */
    struct asim_map numbers; /* (0, group of the workload) -> its number here, from 1 */
    struct asim_jbuf groups; /* the members of the file so far */
    struct asim_jdoc doc;
    ASIM_VEC(uint64_t) deps; /* of the op last changed */
    char group[24];
    int has_all;           /* a collective of all ranks names group numbers.n + 1 */
    uint64_t rounded, cpu; /* durations that lost ns, CPU ops that became computations */
};

/* Learns the groups of a rank and which of its ops fall away; for all ranks before the first
 * asim_astra_sim_op. */
int asim_astra_sim_rank(struct asim_astra_sim *astra, const char *workload, uint32_t rank,
                        struct asim_err *err);
/* Changes an op of a rank; its new lists are the struct's until the next op. *is_dropped: it is
 * not to be written. An op that ASTRA-sim cannot have is ASIM_EINVAL. */
int asim_astra_sim_op(struct asim_astra_sim *astra, uint32_t rank, struct asim_op *op,
                      int *is_dropped, struct asim_err *err);
void asim_astra_sim_fini(struct asim_astra_sim *astra);

#endif
