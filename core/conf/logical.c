/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Logical topology JSON, {"logical-dims": ["8", "4"]} (system-layer.md#logical-topology): the sizes
 * of the logical dimensions; dimension 0 varies fastest. Published files have strings; numbers are
 * valid too. A missing key is an error; ASTRA-sim reads out of bounds.
 *
 * Without such a file the ranks form one dimension. The order of dimensions is that of the links'
 * speed in published files: 0 is the innermost, and localBWAware reduces there first.
 */
#include "conf/conf.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "conf/json.h"
#include "base/io/foreign.h"

uint64_t asim_dims_product(const struct asim_dims *dims)
{
    uint64_t product = 1;

    /* The reader has made sure that this stays below 2^32. */
    for (size_t i = 0; i < dims->n; i++)
        product *= dims->at[i];
    return product;
}

/* Refuses before a product could wrap: rank numbers are 32 bits everywhere.
 * Sizes may be strings, as published, or numbers. */
static int read_dims(struct asim_dims *dims, const json_t *list, const char *path,
                     struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    uint64_t product = 1, size;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (asim_json_u64(&size, value) || size == 0 || size > UINT32_MAX)
            return asim_err_at(err, ASIM_EINVAL, at,
                               "entry %zu of \"logical-dims\" is not a whole number above 0, such "
                               "as \"8\".",
                               i + 1);
        product *= size; /* both factors are below 2^32 */
        if (product > UINT32_MAX)
            return asim_err_at(err, ASIM_ENOMEM, at,
                               "the product of \"logical-dims\" passes 2^32 ranks.");
        dims->at[dims->n++] = (uint32_t)size;
    }
    return 0;
}

static int check_list(const json_t *list, const char *path, struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};

    if (!json_is_array(list))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"logical-dims\" is %s, but an array with "
                           "one size per dimension is expected.",
                           asim_json_type_name(list));
    if (json_array_size(list) == 0 || json_array_size(list) > ASIM_DIMS)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"logical-dims\" has %zu entries; 1 to %d "
                           "dimensions are possible.",
                           json_array_size(list), ASIM_DIMS);
    return 0;
}

/* Unknown keys are errors even here, where only one is known. */
static int read_object(struct asim_dims *dims, json_t *root, const char *path, struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    const json_t *list = json_object_get(root, "logical-dims");
    const char *key;
    json_t *value;

    json_object_foreach(root, key, value)
    {
        static const struct asim_option known[] = {
            {"logical-dims", NULL, "ranks of each dimension", NULL, ASIM_T_STRING, 0, 0, 0, NULL,
             0},
            {0},
        };

        if (strcmp(key, "logical-dims") != 0) {
            asim_option_unknown(known, key, at, err);
            return asim_json_place(err, path, key);
        }
    }
    if (!list)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"logical-dims\" is missing; expected for example "
                           "{\"logical-dims\": [\"8\", \"4\"]}.");
    return check_list(list, path, err) || read_dims(dims, list, path, err)
               ? asim_json_place(err, path, "logical-dims")
               : 0;
}

/* "8x64": sizes and nothing else. */
static int is_sizes(const char *text)
{
    return *text && !text[strspn(text, "0123456789x")] && access(text, F_OK);
}

static int read_sizes(struct asim_dims *dims, const char *text, struct asim_err *err)
{
    const struct asim_where at = {"--logical", 0, 0};
    json_t *list = json_array();
    int rc = list ? 0 : asim_err_nomem(err, "reading the logical dimensions");

    for (const char *word = text; !rc && word; word = strchr(word, 'x')) {
        word += *word == 'x';
        if (json_array_append_new(list, json_stringn(word, strcspn(word, "x"))))
            rc = asim_err_nomem(err, "reading the logical dimensions");
    }
    if (!rc)
        rc = check_list(list, at.source, err);
    if (!rc)
        rc = read_dims(dims, list, at.source, err);
    json_decref(list);
    return rc;
}

/* dims->n = 0 on failure. Whether the product fits the network is the world's question. */
int asim_logical_read(struct asim_dims *dims, const char *path, struct asim_err *err)
{
    json_t *root;
    int rc;

    memset(dims, 0, sizeof *dims);
    if (is_sizes(path)) {
        rc = read_sizes(dims, path, err);
        dims->n = rc ? 0 : dims->n;
        return rc;
    }
    rc = asim_json_open(&root, path, err);
    if (!rc)
        rc = read_object(dims, root, path, err);
    json_decref(root);
    return asim_foreign_instead(rc, path, "a logical topology", err);
}
