/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A file into a struct asim_scenario (scenario.h): finds the section of each key and fills its
 * object or list from the option table. Everything that is wrong has a line: jansson reports that
 * of a syntax error, conf/json_lines.c knows those of the values.
 *
 * A value in JSON is a number where the option is one, a string where it is a word, a time ("5ms"),
 * a rate ("100Gbps") or a size ("1MiB"), which need their unit, and a list of whole numbers where
 * the option says so (ASIM_F_LIST).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "conf/json.h"
#include "conf/json_lines.h"
#include "scenario/scenario.h"
#include "base/io/foreign.h"

/* Hosts and switches of the largest topology, twelve characters each, are 12 MB. */
enum { OBJECTS_MOST = 1 << 20, NUMBER = 12 };

struct reader {
    struct asim_scenario *into;
    struct asim_json_lines lines;
    const struct asim_scenario_section *section;
};

static const struct asim_scenario_section *section_at(size_t i)
{
    return (const struct asim_scenario_section *)(const void *)asim_scenario_section_table[i];
}

/* --- values ------------------------------------------------------------------------------------
 */
static int is_number_type(const struct asim_option *row)
{
    return row->type == ASIM_T_U32 || row->type == ASIM_T_U64 || row->type == ASIM_T_I64 ||
           row->type == ASIM_T_DOUBLE;
}

static const char *expected_of(const struct asim_option *row)
{
    switch (row->type) {
    case ASIM_T_BOOL:
        return "true or false";
    case ASIM_T_STRING:
        return row->flags & ASIM_F_LIST ? "a string or a list of whole numbers" : "a string";
    case ASIM_T_CHOICE:
        return "a string";
    case ASIM_T_TIME:
        return "a string with a time, such as \"5ms\",";
    case ASIM_T_RATE:
        return "a string with a rate, such as \"100Gbps\",";
    case ASIM_T_SIZE:
        return "a string with a size, such as \"1MiB\",";
    default:
        return "a number";
    }
}

/* [0, 1, 2] as "0,1,2"; NULL with err. */
static char *list_text(const json_t *list, const struct asim_option *row, struct asim_where at,
                       struct asim_err *err)
{
    size_t n = json_array_size(list), used = 0;
    char *text = malloc(n * NUMBER + 1);

    if (!text) {
        asim_err_nomem(err, "reading a scenario");
        return NULL;
    }
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);

        if (!json_is_integer(one) || json_integer_value(one) < 0 ||
            json_integer_value(one) > UINT32_MAX) {
            asim_err_at(err, ASIM_EINVAL, at,
                        "element %zu of \"%s\" is %s, but a whole number from 0 to %" PRIu32
                        " is expected.",
                        i, row->key,
                        json_is_integer(one) ? "out of range" : asim_json_type_name(one),
                        UINT32_MAX);
            free(text);
            return NULL;
        }
        used += (size_t)snprintf(text + used, n * NUMBER + 1 - used, "%s%" JSON_INTEGER_FORMAT,
                                 i ? "," : "", json_integer_value(one));
    }
    return text;
}

static int read_value(const struct asim_option *row, void *base, const json_t *value,
                      struct asim_where at, struct asim_err *err)
{
    char buf[64], *list;
    int code;

    if (json_is_array(value) && row->flags & ASIM_F_LIST && json_array_size(value)) {
        list = list_text(value, row, at, err);
        code = list ? asim_option_parse(row, base, list, at, err) : ASIM_EINVAL;
        free(list);
        return code;
    }
    if (json_is_string(value) && !is_number_type(row) && row->type != ASIM_T_BOOL &&
        json_string_length(value))
        return asim_option_parse(row, base, json_string_value(value), at, err);
    if ((json_is_number(value) && is_number_type(row)) ||
        (json_is_boolean(value) && row->type == ASIM_T_BOOL))
        return asim_option_parse(row, base, asim_json_scalar_text(buf, sizeof buf, value), at, err);
    if (json_is_string(value) && !json_string_length(value))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"%s\" is an empty string; give it a value or leave it out.",
                           row->key);
    return asim_err_at(err, ASIM_EINVAL, at, "key \"%s\" is %s, but %s is expected.", row->key,
                       json_is_array(value) && !json_array_size(value) ? "an empty list"
                                                                       : asim_json_type_name(value),
                       expected_of(row));
}

/* --- objects -----------------------------------------------------------------------------------
 */
static struct asim_where where(const struct reader *reader, unsigned line)
{
    return (struct asim_where){reader->into->path, line, 0};
}

/* Exact keys only: a file is written once and read often. */
static const struct asim_option *find(const struct asim_option *table, const char *key)
{
    while (table->key && strcmp(table->key, key))
        table++;
    return table->key ? table : NULL;
}

static int check_required(const struct reader *reader, json_t *object, unsigned line,
                          struct asim_err *err)
{
    for (const char *const *key = reader->section->required; key && *key; key++)
        if (!json_object_get(object, *key))
            return asim_err_at(err, ASIM_EINVAL, where(reader, line),
                               "an object of \"%s\" has no key \"%s\", which it must have.",
                               reader->section->member.name, *key);
    return 0;
}

/* base: a struct with its defaults, which begins with its line. Its strings stay, also after a
 * failure. */
static int read_object(const struct reader *reader, json_t *object, unsigned line, void *base,
                       struct asim_err *err)
{
    const struct asim_member *member = &reader->section->member;
    const char *key;
    json_t *value;
    size_t index = 0;

    *(unsigned *)base = line;
    if (!json_is_object(object))
        return asim_err_at(err, ASIM_EINVAL, where(reader, line),
                           "found %s in \"%s\", but an object {\"key\": value, …} is expected.",
                           asim_json_type_name(object), member->name);
    json_object_foreach(object, key, value)
    {
        const struct asim_option *row = find(member->options, key);
        struct asim_where at = where(reader, asim_json_line(&reader->lines, object, index++));

        if (!row)
            return asim_option_unknown(member->options, key, at, err);
        if (read_value(row, base, value, at, err))
            return ASIM_EINVAL;
    }
    return check_required(reader, object, line, err);
}

/* The list or the struct of a section in the scenario. */
struct list {
    char *at;
    size_t n;
};

static void *place_of(const struct asim_scenario *scenario,
                      const struct asim_scenario_section *section)
{
    return (char *)(uintptr_t)scenario + section->offset;
}

static int read_list(const struct reader *reader, json_t *array, unsigned line,
                     struct asim_err *err)
{
    const struct asim_scenario_section *section = reader->section;
    size_t n = json_array_size(array), size = section->member.options_size;
    struct list *list = place_of(reader->into, section);

    if (!json_is_array(array))
        return asim_err_at(err, ASIM_EINVAL, where(reader, line),
                           "\"%s\" is %s, but a list of objects [{\"key\": value, …}, …] is "
                           "expected.",
                           section->member.name, asim_json_type_name(array));
    if (n > OBJECTS_MOST)
        return asim_err_at(err, ASIM_EINVAL, where(reader, line),
                           "\"%s\" has %zu objects; at most %d are possible.", section->member.name,
                           n, OBJECTS_MOST);
    list->at = calloc(n + 1, size);
    if (!list->at)
        return asim_err_nomem(err, "reading a scenario");
    for (size_t i = 0; i < n; i++) {
        void *one = list->at + list->n++ * size;

        if (asim_option_defaults(section->member.options, one, err))
            return ASIM_EBUG;
        if (read_object(reader, json_array_get(array, i), asim_json_line(&reader->lines, array, i),
                        one, err))
            return ASIM_EINVAL;
    }
    return 0;
}

/* --- the file ----------------------------------------------------------------------------------
 */
/* "$schema" is for editors, "about" for people. */
static int is_for_people(const char *key)
{
    return !strcmp(key, "$schema") || !strcmp(key, "about");
}

/* The names of the sections as an option table, for asim_option_unknown. */
static int refuse_key(const struct reader *reader, const char *key, unsigned line,
                      struct asim_err *err)
{
    enum { MOST = 32 };
    struct asim_option names[MOST + 1] = {{0}};

    for (size_t i = 0; asim_scenario_section_table[i] && i < MOST; i++)
        names[i].key = asim_scenario_section_table[i]->name;
    return asim_option_unknown(names, key, where(reader, line), err);
}

static int read_root(struct reader *reader, json_t *root, struct asim_err *err)
{
    const char *key;
    json_t *value;
    size_t index = 0;

    json_object_foreach(root, key, value)
    {
        unsigned line = asim_json_line(&reader->lines, root, index++);
        size_t i = 0;

        if (is_for_people(key) && !json_is_string(value))
            return asim_err_at(err, ASIM_EINVAL, where(reader, line),
                               "key \"%s\" is %s, but a string is expected.", key,
                               asim_json_type_name(value));
        if (is_for_people(key))
            continue;
        while (asim_scenario_section_table[i] && strcmp(asim_scenario_section_table[i]->name, key))
            i++;
        if (!asim_scenario_section_table[i])
            return refuse_key(reader, key, line, err);
        reader->section = section_at(i);
        if (reader->section->is_list
                ? read_list(reader, value, line, err)
                : read_object(reader, value, line, place_of(reader->into, reader->section), err))
            return err && err->code ? err->code : ASIM_EINVAL;
    }
    return 0;
}

/* Sections without a key in the file have their defaults, and line 0. */
static int fill_defaults(struct asim_scenario *scenario, struct asim_err *err)
{
    for (size_t i = 0; asim_scenario_section_table[i]; i++)
        if (!section_at(i)->is_list && asim_option_defaults(section_at(i)->member.options,
                                                            place_of(scenario, section_at(i)), err))
            return ASIM_EBUG;
    return 0;
}

static int check_all(struct asim_scenario *scenario, struct asim_err *err)
{
    int code = 0;

    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; asim_scenario_section_table[i] && !code; i++)
            if (section_at(i)->check && section_at(i)->is_first == first)
                code = section_at(i)->check(scenario, err);
    return code;
}

static int fill(struct asim_scenario *scenario, const char *path, struct asim_err *err)
{
    struct reader reader = {.into = scenario};
    json_t *root;
    int code = asim_json_open(&root, path, err);

    if (code)
        return code;
    code = asim_json_lines_open(&reader.lines, root, path, err);
    if (!code)
        code = fill_defaults(scenario, err);
    if (!code)
        code = read_root(&reader, root, err);
    asim_json_lines_close(&reader.lines);
    json_decref(root);
    return code ? code : check_all(scenario, err);
}

int asim_scenario_read(struct asim_scenario **scenario, const char *path, struct asim_err *err)
{
    const char *source = path[0] == '{' ? "the JSON given" : path;
    struct asim_scenario *made = calloc(1, sizeof *made);
    struct asim_err own = {0};
    int code;

    *scenario = NULL;
    if (made)
        made->path = malloc(strlen(source) + 1);
    if (!made || !made->path) {
        free(made);
        return asim_err_nomem(err, "reading a scenario");
    }
    strcpy(made->path, source);
    code = asim_foreign_instead(fill(made, path, err ? err : &own), path, "a scenario", err);
    if (code)
        asim_scenario_close(made);
    else
        *scenario = made;
    return code;
}

void asim_scenario_close(struct asim_scenario *scenario)
{
    if (!scenario)
        return;
    for (size_t i = 0; asim_scenario_section_table[i]; i++) {
        const struct asim_scenario_section *section = section_at(i);
        struct list *list = place_of(scenario, section);

        if (!section->is_list) {
            asim_option_fini(section->member.options, list);
            continue;
        }
        for (size_t k = 0; k < list->n; k++)
            asim_option_fini(section->member.options, list->at + k * section->member.options_size);
        free(list->at);
    }
    free(scenario->path);
    free(scenario);
}

size_t asim_scenario_jobs(const struct asim_scenario *scenario)
{
    return scenario->jobs.n;
}

const struct asim_scenario_job *asim_scenario_end_job(const struct asim_scenario *scenario,
                                                      size_t *i)
{
    *i = scenario->end.number;
    return scenario->end.job ? &scenario->jobs.at[scenario->end.number] : NULL;
}

const struct asim_scenario_job *asim_scenario_job(const struct asim_scenario *scenario, size_t i)
{
    return i < scenario->jobs.n ? &scenario->jobs.at[i] : NULL;
}
