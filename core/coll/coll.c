/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The functions all collectives share: the search for an algorithm by its published spelling, and
 * the formulas that do not depend on the algorithm. Only asim_coll_peer is called per message; the
 * number of bytes is checked once per phase.
 */
#include "coll/coll.h"
#include "coll/dims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In 64 bits, since index + hop may exceed 2^32. Anticlockwise, n - hop replaces hop. */
uint32_t asim_coll_peer(const struct asim_coll *coll, uint64_t by)
{
    uint64_t n = coll->n, hop = by < n ? by : by % n, at;

    if (coll->step < 0)
        hop = hop ? n - hop : 0;
    at = coll->index + hop;
    return (uint32_t)(at < n ? at : at - n);
}

/* Integer division as in ASTRA-sim: later phases lose the remainder (system-layer.md#phases). */
uint64_t asim_coll_out_bytes(const struct asim_coll_algo *algo, int coll_type, uint64_t bytes,
                             uint32_t n)
{
    if (algo->keeps_size)
        return bytes;
    if (coll_type == ASIM_REDUCE_SCATTER || coll_type == ASIM_SCATTER)
        return bytes / n;
    return coll_type == ASIM_ALL_GATHER || coll_type == ASIM_GATHER ? bytes * n : bytes;
}

int asim_coll_can(const struct asim_coll_algo *algo, int coll_type, struct asim_err *err)
{
    if (coll_type >= 0 && coll_type < ASIM_COLL_TYPES && algo->coll_types & 1u << coll_type)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "algorithm %s cannot do %s; name another one in the system "
                        "configuration's list for it",
                        algo->member.name, asim_coll_type_name(coll_type));
}

/* The plan owns no memory. A type the algorithm lacks is refused here, so that its plan() need not
 * check. */
int asim_coll_plan(struct asim_plan *plan, const struct asim_coll_algo *algo,
                   const struct asim_coll *coll, struct asim_err *err)
{
    memset(plan, 0, sizeof *plan);
    plan->coll = *coll;
    plan->algo = algo;
    if (asim_coll_can(algo, coll->coll_type, err))
        return ASIM_EINVAL;
    if (!algo->plan)
        return asim_err_set(err, ASIM_EBUG, "algorithm %s has flows and no plan",
                            algo->member.name);
    if (coll->coll_type == ASIM_ALL_GATHER && coll->bytes > UINT64_MAX / coll->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "an all-gather of %llu bytes from each of %u members is more than 64 "
                            "bits can count; check the comm_size of its ops",
                            (unsigned long long)coll->bytes, coll->n);
    plan->out_bytes = asim_coll_out_bytes(algo, coll->coll_type, coll->bytes, coll->n);
    return algo->plan(plan, err);
}

/* Splits "oneDirect12" into the prefix flag, "direct" and 12. Returns 0 if a tail is no number. */
static int split(const char *word, char *base, size_t size, struct asim_coll_choice *choice)
{
    size_t digits = strcspn(word, "0123456789"), length = digits;
    char *end = NULL;

    choice->one = !strncmp(word, "one", 3) && word[3] >= 'A' && word[3] <= 'Z';
    snprintf(base, size, "%.*s", (int)length, word);
    if (choice->one) {
        memmove(base, base + 3, strlen(base + 3) + 1);
        base[0] = (char)(base[0] - 'A' + 'a');
    }
    choice->window = 0;
    if (!word[digits])
        return 1;
    choice->window = (uint32_t)strtoul(word + digits, &end, 10);
    return !*end && choice->window > 0 && strlen(word + digits) < 8;
}

/* Words that people of NCCL take (NCCL_ALGO, and small letters): its algorithms, which send chunk
 * after chunk. ASTRA-sim's doubleBinaryTree does not. */
static const char *name_of(const char *base)
{
    static const char *const names[][2] = {{"tree", "ncclTree"}, {"Tree", "ncclTree"},
                                           {"nvls", "ncclNvls"}, {"NVLS", "ncclNvls"},
                                           {"pxn", "ncclPxn"},   {"nvlsTree", "ncclNvlsTree"},
                                           {"Ring", "ring"},     {"NVLSTree", "ncclNvlsTree"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(base, names[i][0]))
            return names[i][1];
    return base;
}

/* Resolved once at set-up; word is borrowed. Unlike ASTRA-sim, direct0 (which never sends) and
 * a number behind another algorithm are errors. */
int asim_coll_choose(struct asim_coll_choice *choice, const char *word, struct asim_err *err)
{
    char base[64];
    const struct asim_member *member;
    int good = split(word, base, sizeof base, choice);

    member = asim_family_find(asim_coll_algo_table, "collective algorithm", name_of(base), err);
    if (!member)
        return ASIM_EINVAL;
    choice->algo = (const struct asim_coll_algo *)member;
    if (!good || (choice->window && strcmp(base, "direct") && !choice->algo->flows))
        return asim_err_set(err, ASIM_EINVAL,
                            "collective algorithm '%s': only direct takes a number after its name, "
                            "the window, from 1 on (direct4), and nccl…, the GPUs of a server "
                            "(ncclRing8)",
                            word);
    return 0;
}

/* A row without flows needs the hooks of the plan engine. */
int asim_coll_check(struct asim_err *err)
{
    int code = asim_family_check(asim_coll_algo_table, "collective algorithm", err);

    for (const struct asim_member *const *row = asim_coll_algo_table; !code && *row; row++) {
        const struct asim_coll_algo *algo = (const struct asim_coll_algo *)*row;

        if (!algo->coll_types || (!algo->flows && !(algo->plan && algo->step && algo->arrival)))
            code = asim_err_set(err, ASIM_EBUG,
                                "the collective algorithm '%s' lacks its types or a hook.",
                                algo->member.name);
    }
    if (!code)
        code = asim_family_check(asim_coll_dims_table, "inter-dimension-scheduling", err);
    for (const struct asim_member *const *row = asim_coll_dims_table; !code && *row; row++)
        if (!((const struct asim_coll_dims *)*row)->order)
            code = asim_err_set(err, ASIM_EBUG, "the dimension order '%s' lacks its hook.",
                                (*row)->name);
    return code;
}
