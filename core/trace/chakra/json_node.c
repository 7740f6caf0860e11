/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a node of a trace in JSON, in protobuf's form or with its attributes among its keys.
 */
#include "trace/chakra/json.h"

#include <stdio.h>
#include <string.h>
#include "base/text.h"

enum { MOST_ATTRS = 1024, NODE_BYTES = 1 << 26 };

static int fail(struct asim_chakra_json *r, const char *key, const char *what)
{
    char safe[60];

    return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->path, r->line, 0},
                       "\"%s\" of a node or record %s.", asim_text_safe(safe, sizeof safe, key),
                       what);
}

static int nomem(struct asim_chakra_json *r)
{
    return asim_err_nomem(r->err, "reading a trace in JSON");
}

/* A number, or one in a string as protobuf writes 64-bit ones. */
static int read_int(struct asim_chakra_json *r, const char *key, const json_t *value, int64_t *i,
                    uint64_t *u)
{
    const char *text = json_string_value(value);

    *i = json_integer_value(value);
    *u = (uint64_t)*i;
    if (json_is_integer(value))
        return 0;
    if (json_is_boolean(value)) {
        *i = json_is_true(value);
        *u = (uint64_t)*i;
        return 0;
    }
    if (text && !asim_text_i64(text, i)) {
        *u = (uint64_t)*i;
        return 0;
    }
    if (text && !asim_text_u64(text, u)) {
        *i = (int64_t)*u;
        return 0;
    }
    return fail(r, key, "is no whole number");
}

static int is_unsigned(int type)
{
    return type == ASIM_CHAKRA_UINT32 || type == ASIM_CHAKRA_UINT64 ||
           type == ASIM_CHAKRA_FIXED32 || type == ASIM_CHAKRA_FIXED64 || type == ASIM_CHAKRA_BOOL;
}

static int is_real(int type)
{
    return type == ASIM_CHAKRA_DOUBLE || type == ASIM_CHAKRA_FLOAT;
}

/* --- attributes ------------------------------------------------------------------------------- */

union cell {
    double d;
    int64_t i;
    uint64_t u;
    const char *s;
};

static int read_cell(struct asim_chakra_json *r, const char *key, const json_t *value, int type,
                     union cell *cell)
{
    uint64_t u;
    int64_t i;

    if (type == ASIM_CHAKRA_STRING) {
        cell->s = json_string_value(value);
        return cell->s ? 0 : fail(r, key, "is no string");
    }
    if (is_real(type)) {
        cell->d = json_number_value(value);
        return json_is_number(value) ? 0 : fail(r, key, "is no number");
    }
    if (type == ASIM_CHAKRA_BYTES)
        return fail(r, key, "has bytes, which are not read from JSON");
    if (read_int(r, key, value, &i, &u))
        return ASIM_EINVAL;
    if (is_unsigned(type))
        cell->u = u;
    else
        cell->i = i;
    return 0;
}

static int add(struct asim_chakra_json *r, const char *name, int type, union cell cell)
{
    struct asim_chakra_attr attr = {.name = name, .type = type};

    if (type == ASIM_CHAKRA_STRING)
        attr.value.s = cell.s;
    else if (is_real(type))
        attr.value.d = cell.d;
    else if (is_unsigned(type))
        attr.value.u = cell.u;
    else
        attr.value.i = cell.i;
    if (r->attr.n == MOST_ATTRS)
        return fail(r, name, "is one of more than 1024 attributes");
    return ASIM_VEC_PUSH(r->attr, attr) ? nomem(r) : 0;
}

static int add_one(struct asim_chakra_json *r, const char *name, int type, const json_t *value)
{
    union cell cell = {0};

    return read_cell(r, name, value, type, &cell) ? ASIM_EINVAL : add(r, name, type, cell);
}

static int add_list(struct asim_chakra_json *r, const char *name, int type, const json_t *list)
{
    size_t n = json_array_size(list);
    union cell *cells = asim_arena_alloc(&r->arena, (n + 1) * sizeof *cells);
    struct asim_chakra_attr attr = {.name = name, .type = ASIM_CHAKRA_LIST(type)};

    if (list && !json_is_array(list))
        return fail(r, name, "has a list that is none");
    if (!cells)
        return nomem(r);
    for (size_t i = 0; i < n; i++)
        if (read_cell(r, name, json_array_get(list, i), type, &cells[i]))
            return ASIM_EINVAL;
    attr.value.list.at = cells;
    attr.value.list.n = n;
    return ASIM_VEC_PUSH(r->attr, attr) ? nomem(r) : 0;
}

/* "int64Val" or "int64_val" for the type's name int64_val. */
static int same_key(const char *key, const char *name)
{
    for (; *name; name++, key++) {
        if (*name == '_' && key[0] >= 'A' && key[0] <= 'Z') {
            if (*++name != key[0] - 'A' + 'a')
                return 0;
        } else if (*key != *name) {
            return 0;
        }
    }
    return !*key;
}

/* {"name": …, "int64Val": …}. */
int asim_chakra_json_attr(struct asim_chakra_json *r, const json_t *one)
{
    const char *name = json_string_value(json_object_get(one, "name")), *key;
    json_t *value;

    if (!name)
        return fail(r, "attr", "has no name");
    json_object_foreach((json_t *)one, key, value)
    {
        int type = ASIM_CHAKRA_DOUBLE;

        if (!strcmp(key, "name") || same_key(key, "doc_string"))
            continue;
        while (type <= ASIM_CHAKRA_LIST(ASIM_CHAKRA_BYTES) &&
               !same_key(key, asim_attr_type_name(type)))
            type++;
        if (type > ASIM_CHAKRA_LIST(ASIM_CHAKRA_BYTES))
            return fail(r, key, "is no kind of an attribute's value");
        return type % 2 ? add_one(r, name, type, value)
                        : add_list(r, name, type - 1, json_object_get(value, "values"));
    }
    return fail(r, name, "has no value");
}

/* --- nodes ------------------------------------------------------------------------------------ */

static int read_ids(struct asim_chakra_json *r, const char *key, const json_t *list,
                    const uint64_t **ids, size_t *n)
{
    uint64_t *at = asim_arena_alloc(&r->arena, (json_array_size(list) + 1) * sizeof *at);
    int64_t i;

    if (!json_is_array(list))
        return fail(r, key, "is no list of ids");
    if (!at)
        return nomem(r);
    *n = json_array_size(list);
    *ids = at;
    for (size_t k = 0; k < *n; k++)
        if (read_int(r, key, json_array_get(list, k), &i, &at[k]))
            return ASIM_EINVAL;
    return 0;
}

/* A number, COMM_COLL_NODE, or symbolic_tensor_graph's coll_comm_node. */
static int read_type(struct asim_chakra_json *r, const char *key, const json_t *value, int *type)
{
    const char *text = json_string_value(value);
    char upper[40];
    size_t i = 0;

    *type = (int)json_integer_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) < 1 << 20)
        return 0;
    for (; text && text[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
    upper[i] = 0;
    if (!strcmp(upper, "COLL_COMM_NODE"))
        snprintf(upper, sizeof upper, "COMM_COLL_NODE");
    for (*type = 0; *type < ASIM_OP_TYPES; ++*type)
        if (!strcmp(upper, asim_op_type_name(*type)))
            return 0;
    return fail(r, key, "is no type of a node");
}

static int read_io(struct asim_chakra_json *r, const char *key, const json_t *value,
                   struct asim_chakra_io *io)
{
    const char *part;
    json_t *text;

    json_object_foreach((json_t *)value, part, text)
    {
        const char **to = !strcmp(part, "values")   ? &io->values
                          : !strcmp(part, "shapes") ? &io->shapes
                          : !strcmp(part, "types")  ? &io->types
                                                    : NULL;

        if (!to || !json_is_string(text))
            return fail(r, key, "has something else than values, shapes and types");
        *to = json_string_value(text);
    }
    return 0;
}

/* A collective's type by number or name. */
static int add_collective(struct asim_chakra_json *r, const json_t *value)
{
    union cell cell = {0};

    if (!json_is_string(value))
        return add_one(r, "comm_type", ASIM_CHAKRA_INT64, value);
    for (; cell.i < ASIM_COLL_TYPES; cell.i++)
        if (!strcmp(json_string_value(value), asim_coll_type_name((int)cell.i)))
            return add(r, "comm_type", ASIM_CHAKRA_INT64, cell);
    return fail(r, "comm_type", "is no collective");
}

/* The group's number or name. */
static int add_group(struct asim_chakra_json *r, const json_t *value)
{
    union cell cell = {0};
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    cell.s = json_is_string(value) ? json_string_value(value)
                                   : asim_arena_strndup(&r->arena, text, strlen(text));
    return cell.s ? add(r, "pg_name", ASIM_CHAKRA_STRING, cell) : nomem(r);
}

/* Keys of attributes in the forms without "attr", and the nodes whose they are: all, or one type.
 * The feeder writes 0 where a node has none. */
static int add_flat(struct asim_chakra_json *r, const char *key, const json_t *value, int type)
{
    enum { ALL = -1 };
    static const struct {
        const char *key;
        int kind, of;
    } rows[] = {{"tensor_size", ASIM_CHAKRA_INT64, ALL},
                {"y_tensor_size", ASIM_CHAKRA_INT64, ALL},
                {"num_ops", ASIM_CHAKRA_INT64, ALL},
                {"comm_priority", ASIM_CHAKRA_INT64, ALL},
                {"comm_size", ASIM_CHAKRA_INT64, ALL},
                {"is_cpu_op", ASIM_CHAKRA_BOOL, ALL},
                {"op_type", ASIM_CHAKRA_STRING, ALL},
                {"comm_tag", ASIM_CHAKRA_INT64, ALL},
                {"comm_src", ASIM_CHAKRA_INT32, ASIM_OP_COMM_RECV},
                {"comm_dst", ASIM_CHAKRA_INT32, ASIM_OP_COMM_SEND},
                {"inputs", ASIM_CHAKRA_LIST(ASIM_CHAKRA_STRING), ALL},
                {"outputs", ASIM_CHAKRA_LIST(ASIM_CHAKRA_STRING), ALL},
                {"comm_type", 0, ASIM_OP_COMM_COLL},
                {"comm_group", 0, ASIM_OP_COMM_COLL}};
    size_t i = 0, n = sizeof rows / sizeof *rows;

    while (i < n && strcmp(key, rows[i].key))
        i++;
    if (i == n)
        return fail(r, key, "is not read");
    if (json_is_null(value) || (rows[i].of != ALL && rows[i].of != type))
        return 0;
    if (!rows[i].kind)
        return strcmp(key, "comm_type") ? add_group(r, value) : add_collective(r, value);
    return rows[i].kind % 2 ? add_one(r, rows[i].key, rows[i].kind, value)
                            : add_list(r, rows[i].key, rows[i].kind - 1, value);
}

/* What all forms have, under its names. 1: it was that. */
static int take_common(struct asim_chakra_json *r, struct asim_chakra_node *node, const char *key,
                       const json_t *value)
{
    int64_t i;
    int code = 0;

    if (!strcmp(key, "id") || !strcmp(key, "Id"))
        code = read_int(r, key, value, &i, &node->id);
    else if (!strcmp(key, "name") || !strcmp(key, "Name"))
        node->name = json_string_value(value);
    else if (!strcmp(key, "type") || !strcmp(key, "NodeType") || !strcmp(key, "node_type"))
        code = 0; /* read before */
    else if (same_key(key, "ctrl_deps"))
        code = read_ids(r, key, value, &node->ctrl_deps, &node->ctrl_dep_n);
    else if (same_key(key, "data_deps"))
        code = read_ids(r, key, value, &node->data_deps, &node->data_dep_n);
    else if (same_key(key, "start_time_micros"))
        code = read_int(r, key, value, &i, &node->start_micros);
    else if (same_key(key, "duration_micros") || !strcmp(key, "runtime"))
        code = read_int(r, key, value, &i, &node->duration_micros);
    else
        return 0;
    return code ? code : 1;
}

static int read_key(struct asim_chakra_json *r, struct asim_chakra_node *node, const char *key,
                    const json_t *value, int is_flat)
{
    int code = take_common(r, node, key, value);

    if (code)
        return code < 0 ? code : 0;
    if (is_flat)
        return add_flat(r, key, value, node->type);
    if (!strcmp(key, "inputs"))
        return read_io(r, key, value, &node->inputs);
    if (!strcmp(key, "outputs"))
        return read_io(r, key, value, &node->outputs);
    if (strcmp(key, "attr") || !json_is_array(value))
        return fail(r, key, "is not read");
    for (size_t i = 0; i < json_array_size(value); i++)
        if (asim_chakra_json_attr(r, json_array_get(value, i)))
            return ASIM_EINVAL;
    return 0;
}

int asim_chakra_json_node(struct asim_chakra_json *r, const json_t *one, int is_flat)
{
    struct asim_chakra_node node = {0};
    const json_t *type = json_object_get(one, "type");
    const char *key;
    json_t *value;
    int code = 0;

    if (!type)
        type = json_object_get(one, is_flat && json_object_get(one, "node_type") ? "node_type"
                                                                                 : "NodeType");
    if (!json_is_object(one))
        return fail(r, "nodes", "is no object");
    if (type && read_type(r, "type", type, &node.type))
        return ASIM_EINVAL;
    asim_arena_init(&r->arena, NODE_BYTES);
    r->attr.n = 0;
    json_object_foreach((json_t *)one, key, value)
    {
        code = code ? code : read_key(r, &node, key, value, is_flat);
    }
    node.attrs = r->attr.at;
    node.attr_n = r->attr.n;
    if (!code)
        code = asim_chakra_writer_node(r->writer, &node, r->err);
    asim_arena_fini(&r->arena);
    return code;
}
