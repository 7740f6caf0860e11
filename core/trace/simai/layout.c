/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups of a SimAI workload (simai.md#communicator-groups). Within one pipeline stage
 * they are SimAI's: tensor groups are neighbours, a data group takes the same position of every
 * tensor group, an expert group the same position of ep neighbouring tensor groups, DP_EP the rest
 * of data.
 *
 * Difference: SimAI sets pp to 1 and so makes data groups across pipeline stages (its defect 9).
 * Here a stage is a block of gpus / pp ranks and no group leaves it. With pp = 1 the groups are
 * SimAI's.
 *
 * Example: 8 GPUs, tp 2, ep 2, pp 1 give dp 4: TP groups {0,1} {2,3} {4,5} {6,7}; DP groups
 * {0,2,4,6} {1,3,5,7}; EP groups {0,2} {4,6} {1,3} {5,7}; DP_EP groups {0,4} {2,6} {1,5} {3,7}.
 */
#include "trace/simai/workload.h"

/* n `what` are split into groups of `by`. given: number of GPUs from the command line, 0 = from the
 * header. */
struct split {
    const char *what;
    uint64_t n, by;
    uint32_t given;
};

/* Refuses zeros, too. Blames the command line if the number of GPUs comes from there. */
static int check_divides(const struct asim_simai *w, const struct split *split,
                         struct asim_err *err)
{
    if (split->n && split->by && split->n % split->by == 0)
        return 0;
    if (split->given)
        return asim_err_set(err, ASIM_EINVAL,
                            "-g %u does not fit %s: %llu %s cannot be split into groups of %llu. "
                            "Check it against the header's model_parallel_NPU_group, ep and pp.",
                            split->given, w->source, (unsigned long long)split->n, split->what,
                            (unsigned long long)split->by);
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){w->source, 1, 0},
                       "%llu %s cannot be split into groups of %llu: check "
                       "model_parallel_NPU_group, ep, pp and all_gpus.",
                       (unsigned long long)split->n, split->what, (unsigned long long)split->by);
}

/* gpus replaces the header's all_gpus unless 0. dp is the rest after tp and pp. */
int asim_simai_layout(const struct asim_simai *w, uint32_t gpus, struct asim_simai_layout *layout,
                      struct asim_err *err)
{
    uint32_t all = gpus ? gpus : w->all_gpus;
    if (!all)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){w->source, 1, 0},
                           "the header does not say how many GPUs there are; add \"all_gpus: N\".");
    layout->gpus = all;
    layout->pp = w->pp ? w->pp : 1;
    layout->tp = w->tp ? w->tp : all / layout->pp; /* SimAI: 0 means all of them */
    layout->ep = w->ep ? w->ep : 1;
    struct split ranks = {"GPUs", all, (uint64_t)layout->tp * layout->pp, gpus};
    int rc = check_divides(w, &ranks, err);
    if (rc)
        return rc;
    layout->dp = all / layout->pp / layout->tp;
    struct split data = {"data-parallel ranks", layout->dp, layout->ep, gpus};
    return check_divides(w, &data, err);
}

/* O(1), without tables. id 0 stays free for "all ranks". */
void asim_simai_group(const struct asim_simai_layout *layout, int group, uint32_t rank,
                      struct asim_simai_ranks *ranks)
{
    uint32_t tp = layout->tp, ep = layout->ep, stage = layout->gpus / layout->pp;
    uint32_t first = rank / stage * stage, in_stage = rank - first;
    uint32_t place = in_stage % tp, block = in_stage / tp; /* of the tensor group */
    switch (group) {
    case ASIM_SIMAI_TP:
        *ranks = (struct asim_simai_ranks){0, first + block * tp, 1, tp};
        break;
    case ASIM_SIMAI_DP:
        *ranks = (struct asim_simai_ranks){0, first + place, tp, layout->dp};
        break;
    case ASIM_SIMAI_EP:
        *ranks = (struct asim_simai_ranks){0, first + block / ep * ep * tp + place, tp, ep};
        break;
    default:
        *ranks =
            (struct asim_simai_ranks){0, first + block % ep * tp + place, tp * ep, layout->dp / ep};
        break;
    }
    /* The lowest member distinguishes groups of one type. */
    ranks->id = 1 + (uint32_t)group * layout->gpus + ranks->base;
}
