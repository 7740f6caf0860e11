/* SPDX-License-Identifier: GPL-2.0-only
 *
 * AICB's micro tests (simai.md#micro-tests): one collective of all GPUs per row, with sizes
 * doubling from begin_size to end_size, as SimAI text of the policy MICRO. The header also has the
 * number of GPUs, which SimAI takes from its topology. SimAI runs the first row only; asim runs all
 * rows in order.
 */
#include "llm/llm.h"

#include <inttypes.h>
#include <string.h>
#include "base/io/out.h"
#include "base/text.h"

/* AICB's words and the workload's. */
static const char *const comms[][2] = {{"all_reduce", "ALLREDUCE"},
                                       {"all_gather", "ALLGATHER"},
                                       {"reduce_scatter", "REDUCESCATTER"},
                                       {"all_to_all", "ALLTOALL"}};
static const char *const comm_names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                         NULL};

int asim_llm_is_micro(const struct asim_llm_options *opt)
{
    return opt->frame && !strcmp(opt->frame, "collective_test");
}

/* Sizes double, so there are at most 64 rows; the last doubling may not exceed 64 bits. */
static uint32_t count_rows(uint64_t size, uint64_t end)
{
    uint32_t rows = 1;

    while (size <= end / 2) {
        size *= 2;
        rows++;
    }
    return rows;
}

static int find_comm(const struct asim_llm_options *opt, const char **word, struct asim_err *err)
{
    char safe[64], hint[160];

    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
        if (!strcmp(opt->test_comm, comms[i][0])) {
            *word = comms[i][1];
            return 0;
        }
    return asim_err_set(
        err, ASIM_EUSAGE,
        "unknown collective '%s' for --test_comm.%s Known are all_reduce, all_gather, "
        "reduce_scatter and all_to_all.",
        asim_text_safe(safe, sizeof safe, opt->test_comm),
        asim_text_hint(hint, sizeof hint, asim_text_nearest(opt->test_comm, comm_names, 4)));
}

/* Bytes are those of the whole buffer, as in all of SimAI's texts. */
int asim_llm_micro(const struct asim_llm_options *opt, const char *path, uint32_t *rows,
                   struct asim_err *err)
{
    uint64_t size = opt->begin_size;
    const char *word = NULL;
    struct asim_out out;
    int rc = find_comm(opt, &word, err);

    if (!rc && (!size || opt->end_size < size))
        rc = asim_err_set(err, ASIM_EUSAGE,
                          "begin_size=%" PRIu64 " and end_size=%" PRIu64
                          ": give a first size above 0 and a last one that is not below it.",
                          size, opt->end_size);
    if (!rc)
        rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    *rows = count_rows(size, opt->end_size);
    asim_out_printf(&out, "MICRO model_parallel_NPU_group: 1 all_gpus: %u\n%u\n", opt->world,
                    *rows);
    for (uint32_t i = 0; i < *rows; i++, size *= 2)
        asim_out_printf(&out, "micro_test\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\t%s\t%" PRIu64 "\t1\n",
                        word, size);
    return asim_out_commit(&out, err);
}
