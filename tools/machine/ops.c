/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of the ops of nccl-tests and rccl-tests.
 */
#include "tools/machine/sweep.h"

#include <string.h>
#include "asim/machine.h"
#include "base/text.h"

const char *const asim_nccl_op_names[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall",
                                          "sendrecv",   "broadcast",  "reduce",         "gather",
                                          "scatter",    "hypercube",  "alltoallv",      NULL};

enum { NAME_BYTES = 32 };

/* Lower case without _ - and the ending perf. */
static void plain_name(char *to, const char *word)
{
    const char *slash = strrchr(word, '/');
    size_t n = strlen(asim_text_plain(to, NAME_BYTES, slash ? slash + 1 : word));

    if (n > 4 && !strcmp(to + n - 4, "perf"))
        to[n - 4] = '\0';
}

int asim_nccl_op_find(const char *word)
{
    char name[NAME_BYTES], known[NAME_BYTES];

    plain_name(name, word);
    for (int i = 0; asim_nccl_op_names[i]; i++) {
        plain_name(known, asim_nccl_op_names[i]);
        if (!strcmp(name, known))
            return i;
    }
    return -1;
}

int asim_nccl_op_parse(const char *word, int *op, struct asim_err *err)
{
    char list[256], safe[64];

    *op = asim_nccl_op_find(word);
    return *op >= 0
               ? 0
               : asim_err_set(err, ASIM_EUSAGE, "--op: '%s' is none of %s.",
                              asim_text_safe(safe, sizeof safe, word),
                              asim_text_list(list, sizeof list, asim_nccl_op_names, ASIM_NCCL_OPS));
}
