/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the keys and makes the points. A list on the command line is separated by commas, or by
 * semicolons where it has one. All values are checked before the first run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "asim/topology.h"
#include "base/io/json.h"
#include "tools/sweep/sweep.h"

extern const struct asim_command asim_trace_command_llm;

static const char *const generated[] = {"type", "size", "ranks", "count"};
enum { GENERATED = sizeof generated / sizeof *generated };

static struct asim_sweep_key *find(const struct asim_sweep *sweep, const char *name)
{
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (!strcmp(sweep->keys.at[k].name, name))
            return &sweep->keys.at[k];
    return NULL;
}

static int add_value(struct asim_sweep_key *key, const char *value, size_t n, struct asim_err *err)
{
    const size_t most = 1500; /* of a word on the command line of a point */
    char *copy;

    if (n > most && !asim_sweep_behind(key->name, "scenario."))
        return asim_err_set(err, ASIM_EUSAGE,
                            "a value of '%.64s' has %zu bytes; a sweep takes at most %zu.",
                            key->name, n, most);
    copy = strndup(value, n);
    if (copy && !ASIM_VEC_PUSH(key->values, copy))
        return 0;
    free(copy);
    return asim_err_nomem(err, "reading a sweep");
}

/* A value, or all of 1..5. */
static int add_values(struct asim_sweep_key *key, const char *value, size_t n, struct asim_err *err)
{
    unsigned long long first, last;
    char text[24];
    int end = 0;

    if (sscanf(value, "%llu..%llu%n", &first, &last, &end) != 2 || (size_t)end != n)
        return add_value(key, value, n, err);
    if (last < first)
        return asim_err_set(err, ASIM_EUSAGE, "%.*s: expected the lower number first, as 1..5.",
                            (int)n, value);
    if (last - first >= ASIM_SWEEP_POINTS)
        return asim_err_set(err, ASIM_EUSAGE, "%.*s: a sweep has at most %d points.", (int)n, value,
                            ASIM_SWEEP_POINTS);
    for (; first <= last; first++) {
        snprintf(text, sizeof text, "%llu", first);
        if (add_value(key, text, strlen(text), err))
            return err->code;
    }
    return 0;
}

static struct asim_sweep_key *add_key(struct asim_sweep *sweep, const char *name, size_t n,
                                      struct asim_err *err)
{
    struct asim_sweep_key key = {.name = strndup(name, n)};

    if (!key.name || ASIM_VEC_PUSH(sweep->keys, key)) {
        free(key.name);
        asim_err_nomem(err, "reading a sweep");
        return NULL;
    }
    return &sweep->keys.at[sweep->keys.n - 1];
}

int asim_sweep_set(struct asim_sweep *sweep, const char *name, const char *value,
                   struct asim_err *err)
{
    struct asim_sweep_key *key = add_key(sweep, name, strlen(name), err);

    return key ? add_value(key, value, strlen(value), err) : ASIM_ENOMEM;
}

/* Bytes of the first value. Between commas a word with '=' behind a topology, as the one of
 * auto:leaf_spine,leaves=4, is part of it. */
static size_t one_value(const char *at, const char *separator)
{
    const char *spec;
    int is_topology = asim_topo_is_made(at, &spec);
    size_t n = strcspn(at, separator);

    while (is_topology && *separator == ',' && at[n] &&
           at[n + 1 + strcspn(at + n + 1, "=,")] == '=')
        n += 1 + strcspn(at + n + 1, ",");
    return n;
}

int asim_sweep_vary(struct asim_sweep *sweep, const char *text, struct asim_err *err)
{
    size_t n = strcspn(text, "=");
    const char *at = text + n + 1, *separator = strchr(text, ';') ? ";" : ",";
    struct asim_sweep_key *key;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), text);
    if (!text[n] || !*at || !n)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--vary=%s: expected KEY=VALUE,VALUE,… or KEY=VALUE;VALUE;…", text);
    key = add_key(sweep, text, n, err);
    if (key)
        key->is_asked = 1;
    for (; key; at += n + 1) {
        n = one_value(at, separator);
        if (!n)
            return asim_err_set(err, ASIM_EUSAGE, "--vary=%s has an empty value.", text);
        if (add_values(key, at, n, err))
            return err->code;
        if (!at[n])
            return 0;
    }
    return ASIM_ENOMEM;
}

/* Numbers and booleans are words of a command line, too. */
static int add_json(struct asim_sweep_key *key, const json_t *value, const char *path,
                    struct asim_err *err)
{
    char *text;
    int code;

    if (json_is_string(value))
        return add_value(key, json_string_value(value), json_string_length(value), err);
    if (!json_is_number(value) && !json_is_boolean(value))
        return asim_err_at(
            err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
            "the key '%s' has a value that is no string, number or boolean, nor a list of those.",
            key->name);
    text = json_dumps(value, JSON_ENCODE_ANY);
    code = text ? add_value(key, text, strlen(text), err) : asim_err_nomem(err, "reading a sweep");
    free(text);
    return code;
}

int asim_sweep_read(struct asim_sweep *sweep, const char *path, struct asim_err *err)
{
    json_t *root, *value;
    const char *name;
    int code = asim_json_read(&root, path, err);

    if (code)
        return code;
    if (!json_is_object(root)) {
        json_decref(root);
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                           "this is no object; expected a JSON object such as {\"ranks\": [2, 4], "
                           "\"topo\": \"auto:1d\"}.");
    }
    json_object_foreach(root, name, value)
    {
        struct asim_sweep_key *key = add_key(sweep, name, strlen(name), err);

        code = key ? 0 : ASIM_ENOMEM;
        for (size_t i = 0; !code && i < json_array_size(value); i++)
            code = add_json(key, json_array_get(value, i), path, err);
        if (!code && !json_is_array(value))
            code = add_json(key, value, path, err);
        if (!code && !key->values.n)
            code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                               "the key '%s' has an empty list.", name);
        if (code)
            break;
    }
    json_decref(root);
    return code;
}

const char *asim_sweep_behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(name, prefix, n) ? NULL : name + n;
}

int asim_sweep_has_llm(const struct asim_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_behind(sweep->keys.at[k].name, "llm."))
            return 1;
    return 0;
}

static int is_generated(const struct asim_sweep *sweep, const char *name)
{
    if (!asim_sweep_runs_jobs(sweep))
        return 0;
    if (asim_sweep_behind(name, "llm."))
        return 1;
    for (size_t i = 0; i < GENERATED; i++)
        if (!strcmp(name, generated[i]))
            return 1;
    return 0;
}

int asim_sweep_is_made(const struct asim_sweep *sweep, const char *name)
{
    return is_generated(sweep, name) || asim_sweep_behind(name, "topo.") ||
           asim_sweep_behind(name, "scenario.");
}

const struct asim_option *asim_sweep_option(const struct asim_sweep *sweep, const char *name)
{
    const struct asim_option *row = asim_option_find(asim_sweep_member(sweep)->options, name);

    if (asim_sweep_is_made(sweep, name))
        return NULL;
    return row || !asim_sweep_runs_jobs(sweep) ? row
                                               : asim_option_find(asim_settings_options, name);
}

int asim_sweep_is_own(const struct asim_sweep *sweep, const char *name)
{
    const struct asim_option *row = asim_sweep_option(sweep, name);

    for (const char *const *own = sweep->target->own; row && *own; own++)
        if (!strcmp(row->key, *own))
            return 1;
    return 0;
}

int asim_sweep_is_workload(const struct asim_sweep *sweep, const char *name)
{
    const struct asim_option *row = asim_sweep_option(sweep, name);

    return row && !strcmp(row->key, "workload");
}

const char *asim_sweep_alone(const struct asim_sweep *sweep, const char *name)
{
    const struct asim_option *row = asim_sweep_option(sweep, name);

    if (row && row->type == ASIM_T_BOOL)
        return "1";
    return row && row->flags & ASIM_F_ALONE ? "-" : NULL;
}

/* The option of a run or of `asim trace llm` behind a key. */
static const struct asim_option *row_of(const struct asim_sweep *sweep, const char *name)
{
    const char *llm = asim_sweep_behind(name, "llm.");

    return llm ? asim_option_find(asim_trace_command_llm.member.options, llm)
               : asim_sweep_option(sweep, name);
}

/* Whether a value in a scenario has the other one in it. */
static int holds(const char *name, const char *other)
{
    size_t n = strlen(name);

    return asim_sweep_behind(name, "scenario.") && !strncmp(name, other, n) && other[n] == '.';
}

/* Two keys of one option: one of them would count, and rows would name both. */
static int check_twice(const struct asim_sweep *sweep, size_t k, struct asim_err *err)
{
    const char *name = sweep->keys.at[k].name;
    const struct asim_option *row = row_of(sweep, name);

    for (size_t i = 0; i < k; i++) {
        const char *other = sweep->keys.at[i].name;

        if (!strcmp(name, other))
            return asim_err_set(err, ASIM_EUSAGE,
                                "'%s' is given twice; give it once, in the file, --vary or --set.",
                                name);
        if (holds(name, other) || holds(other, name))
            return asim_err_set(err, ASIM_EUSAGE, "'%s' and '%s' have one value in both.", other,
                                name);
        if (row && row == row_of(sweep, other))
            return asim_err_set(err, ASIM_EUSAGE, "'%s' and '%s' are one option; give one of them.",
                                other, name);
    }
    return 0;
}

/* Whether an option of the command or of the simulation takes these values. */
static int check_values(const struct asim_sweep *sweep, const struct asim_sweep_key *key,
                        const struct asim_option *row, struct asim_err *err)
{
    const struct asim_member *member = asim_sweep_member(sweep);
    int is_own = asim_option_find(member->options, key->name) == row;
    size_t size = is_own ? member->options_size : sizeof(struct asim_settings);
    void *fields = calloc(1, size);
    const struct asim_where where = {"", 0, 0};
    const struct asim_option one[] = {*row, {0}};

    if (!fields)
        return asim_err_nomem(err, "checking a sweep");
    for (size_t i = 0; i < key->values.n && !err->code; i++) {
        asim_option_parse(row, fields, key->values.at[i], where, err);
        asim_option_fini(one, fields);
        memset(fields, 0, size);
    }
    free(fields);
    return err->code;
}

/* Options of what makes inputs; what the maker of a topology takes, the run checks. */
static int check_made(const struct asim_sweep *sweep, const struct asim_sweep_key *key,
                      struct asim_err *err)
{
    const struct asim_option *rows = asim_trace_command_llm.member.options;
    const char *llm = asim_sweep_behind(key->name, "llm."),
               *topo = asim_sweep_behind(key->name, "topo.");

    if (topo && (!*topo || !(asim_sweep_has(sweep, "topo") || asim_sweep_has(sweep, "topology"))))
        return asim_err_set(err, ASIM_EUSAGE,
                            "'%s' changes a topology: give topo=auto:NAME or machine:NAME, too.",
                            key->name);
    if (asim_sweep_behind(key->name, "scenario.") && !asim_sweep_has(sweep, "scenario"))
        return asim_err_set(err, ASIM_EUSAGE, "'%s' changes a scenario: give scenario=FILE, too.",
                            key->name);
    if (llm && (!asim_option_find(rows, llm) || !strcmp(llm, "et") || !strcmp(llm, "out")))
        return asim_option_unknown(rows, llm, (struct asim_where){"", 0, 0}, err);
    if (asim_sweep_has_llm(sweep) && is_generated(sweep, key->name) && !llm)
        return asim_err_set(err, ASIM_EUSAGE,
                            "'%s' is for `asim trace generate`, but there are keys of `asim trace "
                            "llm`; leave one out.",
                            key->name);
    return 0;
}

static int check_key(const struct asim_sweep *sweep, const struct asim_sweep_key *key,
                     struct asim_err *err)
{
    const struct asim_option *row = asim_sweep_option(sweep, key->name);
    const struct asim_where where = {"", 0, 0};

    if (asim_sweep_is_own(sweep, key->name))
        return asim_err_set(err, ASIM_EUSAGE, "the sweep chooses --%s itself.", key->name);
    if (is_generated(sweep, key->name) && !asim_sweep_generates(sweep))
        return asim_err_set(err, ASIM_EUSAGE,
                            "'%s' is for generated workloads, but there is a workload; leave one "
                            "out (world-size replicates the ranks of a workload).",
                            key->name);
    if (!row && !asim_sweep_is_made(sweep, key->name))
        return asim_option_unknown(asim_sweep_runs_jobs(sweep) ? asim_settings_options
                                                               : asim_sweep_member(sweep)->options,
                                   key->name, where, err);
    if (row && check_values(sweep, key, row, err))
        return err->code;
    for (size_t i = 0; row && !strcmp(row->key, "backend") && i < key->values.n; i++)
        if (!strcmp(key->values.at[i], "all"))
            return asim_err_set(err, ASIM_EUSAGE,
                                "backend=all has four times, and a point has one; vary "
                                "backend=packet,unaware,aware.");
    return 0;
}

int asim_sweep_has(const struct asim_sweep *sweep, const char *name)
{
    const struct asim_option *row = asim_sweep_option(sweep, name);

    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_option *other = asim_sweep_option(sweep, sweep->keys.at[k].name);

        if (row ? other && !strcmp(row->key, other->key) : !strcmp(name, sweep->keys.at[k].name))
            return 1;
    }
    return 0;
}

int asim_sweep_generates(const struct asim_sweep *sweep)
{
    return asim_sweep_runs_jobs(sweep) && !asim_sweep_has(sweep, "workload") &&
           !asim_sweep_has(sweep, "scenario");
}

/* A point of nccl-tests has one row. */
static int check_rows(const struct asim_sweep *sweep, struct asim_err *err)
{
    static const char *const lists[] = {"sizes", "op", "machine"};

    if (strcmp(sweep->target->command, "nccl-tests"))
        return 0;
    if (!asim_sweep_has(sweep, "sizes"))
        return asim_err_set(err, ASIM_EUSAGE,
                            "a point has one size: give --set sizes=1G or --vary sizes=1M,1G.");
    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];
        int is_list = 0;

        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            is_list |= asim_sweep_option(sweep, key->name) == asim_sweep_option(sweep, lists[i]);
        for (size_t v = 0; is_list && v < key->values.n; v++)
            if (strchr(key->values.at[v], ','))
                return asim_err_set(err, ASIM_EUSAGE,
                                    "a point has one value of '%s'; --vary %s=%s makes points of "
                                    "them.",
                                    key->name, key->name, key->values.at[v]);
    }
    return 0;
}

int asim_sweep_make(struct asim_sweep *sweep, struct asim_err *err)
{
    sweep->n = 1;
    for (size_t k = 0; k < sweep->keys.n; k++) {
        if (check_key(sweep, &sweep->keys.at[k], err) || check_twice(sweep, k, err) ||
            check_made(sweep, &sweep->keys.at[k], err))
            return ASIM_EINVAL;
        sweep->n *= sweep->keys.at[k].values.n;
        if (sweep->n > ASIM_SWEEP_POINTS)
            return asim_err_set(err, ASIM_EINVAL, "more than %d points.", ASIM_SWEEP_POINTS);
    }
    if (check_rows(sweep, err))
        return ASIM_EINVAL;
    if (asim_sweep_generates(sweep) && !find(sweep, "ranks") && !asim_sweep_has_llm(sweep))
        return asim_err_set(err, ASIM_EUSAGE,
                            "no workload; give one, or a scenario, or let one be generated with "
                            "ranks=N (and type, size, count), or with llm.model=NAME.");
    sweep->points = calloc(sweep->n, sizeof *sweep->points);
    return sweep->points ? 0 : asim_err_nomem(err, "making the points of a sweep");
}

const char *asim_sweep_at(const struct asim_sweep *sweep, size_t point, size_t key)
{
    for (size_t k = sweep->keys.n; k-- > key;) {
        size_t n = sweep->keys.at[k].values.n;

        if (k == key)
            return sweep->keys.at[k].values.at[point % n];
        point /= n;
    }
    return NULL;
}

/* "auto:NAME,key=value" with the key's value; what it had before goes. */
static void put_part(char *topo, size_t size, const char *key, const char *value)
{
    size_t n = strlen(key);

    for (char *at = topo; (at = strchr(at, ','));) {
        size_t part = strcspn(at + 1, ",");

        if (strncmp(at + 1, key, n) || at[1 + n] != '=')
            at++;
        else
            memmove(at, at + 1 + part, strlen(at + 1 + part) + 1);
    }
    n = strlen(topo);
    snprintf(topo + n, size - n, ",%s=%s", key, value);
}

void asim_sweep_topo(const struct asim_sweep *sweep, size_t point, char *topo, size_t size)
{
    const char *part;

    *topo = '\0';
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (!strcmp(sweep->keys.at[k].name, "topo") || !strcmp(sweep->keys.at[k].name, "topology"))
            snprintf(topo, size, "%s", asim_sweep_at(sweep, point, k));
    for (size_t k = 0; k < sweep->keys.n; k++)
        if ((part = asim_sweep_behind(sweep->keys.at[k].name, "topo.")))
            put_part(topo, size, part, asim_sweep_at(sweep, point, k));
}

const char *asim_sweep_value(const struct asim_sweep *sweep, size_t point, const char *name)
{
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (!strcmp(sweep->keys.at[k].name, name))
            return asim_sweep_at(sweep, point, k);
    return NULL;
}

void asim_sweep_fini(struct asim_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys.n; k++) {
        struct asim_sweep_key *key = &sweep->keys.at[k];

        for (size_t i = 0; i < key->values.n; i++)
            free(key->values.at[i]);
        ASIM_FREE(key->values.at, key->name);
    }
    for (size_t i = 0; i < sweep->of_options.n; i++)
        free(sweep->of_options.at[i]);
    ASIM_FREE(sweep->of_options.at, sweep->keys.at, sweep->points);
}
