/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps a sorted list of the files that a run reads. A set of traces may have many files, and each
 * of many outputs is looked up among them: hence the order.
 */
#include "base/io/file_id.h"
#include "base/io/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/rank_path.h"

int asim_inputs_add(struct asim_inputs *inputs, const char *path, struct asim_err *err)
{
    struct asim_file_id id;

    if (!path || !*path) /* "" has the identity of the folder */
        return 0;
    id = asim_file_id_of(path);
    if (*id.name || !id.is_regular)
        return 0;
    inputs->is_sorted = 0;
    return ASIM_VEC_PUSH(inputs->file, id) ? asim_err_nomem(err, "listing the inputs") : 0;
}

static int add_rank(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    (void)rank;
    return asim_inputs_add(self, path, err);
}

int asim_inputs_add_set(struct asim_inputs *inputs, const char *prefix, struct asim_err *err)
{
    int code = asim_inputs_add(inputs, prefix, err);

    return code || !prefix ? code : asim_rank_path_each(prefix, add_rank, inputs, err);
}

static int by_id(const void *a, const void *b)
{
    return asim_file_id_compare(a, b);
}

int asim_inputs_has(struct asim_inputs *inputs, const char *path)
{
    struct asim_file_id id;

    if (!inputs->file.n || !path)
        return 0;
    if (!inputs->is_sorted)
        qsort(inputs->file.at, inputs->file.n, sizeof *inputs->file.at, by_id);
    inputs->is_sorted = 1;
    id = asim_file_id_of(path);
    return bsearch(&id, inputs->file.at, inputs->file.n, sizeof id, by_id) != NULL;
}

int asim_inputs_refuse(struct asim_inputs *inputs, const char *output, struct asim_err *err)
{
    if (!asim_inputs_has(inputs, output))
        return 0;
    return asim_err_set(
        err, ASIM_EINVAL,
        "%s is an input and an output of this command. Give the output another name.", output);
}

static int refuse_rank(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    (void)rank;
    return asim_inputs_refuse(self, path, err);
}

int asim_inputs_refuse_set(struct asim_inputs *inputs, const char *prefix, struct asim_err *err)
{
    static const char *const tails[] = {".system.json", ".groups.json"};
    char path[4096];
    int code = 0;

    if (!inputs->file.n || !prefix)
        return 0;
    for (size_t i = 0; i < sizeof tails / sizeof *tails && !code; i++) {
        snprintf(path, sizeof path, "%s%s", prefix, tails[i]);
        code = asim_inputs_refuse(inputs, path, err);
    }
    return code ? code : asim_rank_path_each(prefix, refuse_rank, inputs, err);
}

void asim_inputs_fini(struct asim_inputs *inputs)
{
    free(inputs->file.at);
    memset(inputs, 0, sizeof *inputs);
}
