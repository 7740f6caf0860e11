/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Looks compute times up in a database.
 *
 * A table has a row per kernel or sub-module: the column `part`, `time_us`, perhaps `min_us`, and
 * any of the key columns below. A key column that the table lacks, and an empty cell, fit every
 * value. Of two rows of one part that fit, the one with more keys counts.
 *
 * A folder holds AIOB's files, FOLDER/GPU/NAME.txt or FOLDER/NAME.txt, and the name tells what was
 * measured: MODEL-world_size8-tp4-pp1-ep1-gbs16-mbs1-seq2048-flash_attn-True.txt. The sizes that
 * change the time of a kernel must be equal (model, tp, ep, mbs, seq, flash_attn); of several such
 * files the one with the same world size, stages and batch counts, else the first by name.
 */

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "cli/csv.h"
#include "base/io/src.h"
#include "base/text.h"
#include "llm/llm.h"
#include "base/io/foreign.h"

enum { KEYS = 12, WORD = 48, PATH_BYTES = 1024 };

/* What a time depends on, as text: one of the options per key. */
struct keys {
    const char *name[KEYS];
    char value[KEYS][WORD];
};

const char *asim_llm_database_gpu(const struct asim_llm_options *opt)
{
    if (opt->gpu_type && strcmp(opt->gpu_type, "None"))
        return opt->gpu_type;
    return opt->roofline ? opt->roofline : "";
}

static void put_number(struct keys *keys, size_t k, const char *name, uint64_t value)
{
    keys->name[k] = name;
    snprintf(keys->value[k], WORD, "%" PRIu64, value);
}

static void fill_keys(struct keys *keys, const struct asim_llm *llm)
{
    const struct asim_llm_options *o = llm->opt;

    keys->name[0] = "gpu";
    snprintf(keys->value[0], WORD, "%.47s", asim_llm_database_gpu(o));
    keys->name[1] = "model";
    snprintf(keys->value[1], WORD, "%.47s", o->model_name);
    put_number(keys, 2, "tp", o->tp);
    put_number(keys, 3, "ep", o->ep);
    put_number(keys, 4, "mbs", o->micro_batch);
    put_number(keys, 5, "seq", o->seq);
    put_number(keys, 6, "hidden", o->hidden);
    put_number(keys, 7, "ffn", llm->ffn);
    put_number(keys, 8, "heads", o->heads);
    put_number(keys, 9, "experts", o->experts);
    put_number(keys, 10, "topk", o->topk);
    put_number(keys, 11, "vocab", o->vocab);
}

/* --- a table ---------------------------------------------------------------------------------- */

/* Rows that fit, and how well; line 0 = AIOB has no lines here. */
struct found {
    int depth;
    unsigned line;
};

struct table {
    const char *path;
    struct asim_csv csv;
    int part, time, min, key[KEYS];
    struct keys keys;
    ASIM_VEC(struct found) found; /* one per section of the times */
};

static int find_columns(struct table *t, struct asim_err *err)
{
    static const char *const part[] = {"part", "kernel", "sub_module"}, *const time[] = {"time_us"},
                             *const min[] = {"min_us"};

    t->part = asim_csv_find(&t->csv, part, 3);
    t->time = asim_csv_find(&t->csv, time, 1);
    t->min = asim_csv_find(&t->csv, min, 1);
    for (int k = 0; k < KEYS; k++)
        t->key[k] = asim_csv_find(&t->csv, &t->keys.name[k], 1);
    if (t->part >= 0 && t->time >= 0)
        return asim_csv_refuse_slips(&t->csv, min, 1, err) ||
                       asim_csv_refuse_slips(&t->csv, t->keys.name, KEYS, err)
                   ? ASIM_EINVAL
                   : 0;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){t->path, 1, 0},
                       "a table of compute times has the columns part and time_us, and keys such "
                       "as gpu, model, tp, ep, mbs, seq, hidden, ffn; %s is not there.",
                       t->part < 0 ? "part" : "time_us");
}

/* Number of keys of the row that equal the options', or -1. */
static int depth_of(const struct table *t)
{
    int depth = 0;

    for (int k = 0; k < KEYS; k++) {
        const char *cell = t->key[k] < 0 ? "" : asim_csv_cell(&t->csv, (size_t)t->key[k]);

        if (!*cell)
            continue;
        if (strcasecmp(cell, t->keys.value[k]))
            return -1;
        depth++;
    }
    return depth;
}

static int read_us(const struct table *t, int column, double *us, struct asim_err *err)
{
    const char *cell = asim_csv_cell(&t->csv, (size_t)column);
    char safe[64];

    if (!asim_text_double(cell, us) && *us >= 0 && *us <= 1e12)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_csv_where(&t->csv, (size_t)column),
                       "found '%s' where a number of microseconds is expected.",
                       asim_text_safe(safe, sizeof safe, cell));
}

/* The section of that name, added if it is new. */
static int section_at(struct table *t, struct asim_llm_times *times, size_t *at)
{
    const char *name = asim_csv_cell(&t->csv, (size_t)t->part);

    for (*at = 0; *at < times->sections.n; (*at)++)
        if (!strcmp(times->sections.at[*at].name, name))
            return 0;
    const struct found none = {-1, 0};
    return asim_llm_sections_add(times, name) && !ASIM_VEC_PUSH(t->found, none) ? 0 : ASIM_ENOMEM;
}

static int take_row(struct table *t, struct asim_llm_times *times, struct asim_err *err)
{
    struct asim_where where = asim_csv_where(&t->csv, (size_t)t->part);
    int depth = depth_of(t), rc;
    double us = 0, min;
    size_t at;

    if ((rc = read_us(t, t->time, &us, err)))
        return rc;
    min = us;
    if (t->min >= 0 && *asim_csv_cell(&t->csv, (size_t)t->min) &&
        (rc = read_us(t, t->min, &min, err)))
        return rc;
    if (depth < 0)
        return 0;
    if (section_at(t, times, &at))
        return asim_err_nomem(err, "reading compute times");
    if (depth == t->found.at[at].depth)
        return asim_err_at(err, ASIM_EINVAL, where,
                           "this row and line %u both give the time of %s for these sizes; give "
                           "one of them a further key.",
                           t->found.at[at].line, times->sections.at[at].name);
    if (depth < t->found.at[at].depth)
        return 0;
    t->found.at[at] = (struct found){depth, where.line};
    times->sections.at[at].avg_us = times->sections.at[at].max_us = us;
    times->sections.at[at].min_us = min;
    return 0;
}

static int read_table(struct asim_llm_times *times, const struct asim_llm *llm,
                      struct asim_err *err)
{
    struct table t = {.path = llm->opt->database};
    struct asim_csv_text text;
    struct asim_src src;
    int got = 0, rc = asim_src_open(&src, t.path, err);

    if (rc)
        return rc;
    fill_keys(&t.keys, llm);
    text = (struct asim_csv_text){src.data, src.size};
    asim_csv_init(&t.csv, t.path, (struct asim_csv_source){&text, asim_csv_read_text});
    rc = asim_csv_header(&t.csv, err);
    if (!rc)
        rc = find_columns(&t, err);
    while (!rc && (got = asim_csv_row(&t.csv, err)) > 0)
        rc = take_row(&t, times, err);
    asim_csv_close(&t.csv);
    asim_src_close(&src);
    free(t.found.at);
    return asim_foreign_instead(rc ? rc : got, t.path, NULL, err);
}

/* --- a folder of AIOB's files ----------------------------------------------------------------- */

/* The value behind `key` in the name: "-tp" of "m-tp4-pp1" gives 4. */
static void part_of(const char *name, const char *key, char value[WORD])
{
    const char *at = strstr(name, key);
    size_t n;

    value[0] = '\0';
    if (!at)
        return;
    at += strlen(key);
    n = strcspn(at, "-.");
    snprintf(value, WORD, "%.*s", (int)(n < WORD ? n : WORD - 1), at);
}

struct file_key {
    const char *key;
    int must; /* else it only breaks ties */
    char want[WORD];
};
enum { FILE_KEYS = 9 };

static void fill_file_keys(struct file_key keys[], const struct asim_llm *llm)
{
    const struct asim_llm_options *o = llm->opt;
    const struct {
        const char *key;
        int must;
        uint64_t value;
    } rows[] = {{"-tp", 1, o->tp},
                {"-ep", 1, o->ep},
                {"-mbs", 1, o->micro_batch},
                {"-seq", 1, o->seq},
                {"-world_size", 0, o->world},
                {"-pp", 0, o->pp},
                {"-gbs", 0, o->global_batch}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        keys[i] = (struct file_key){.key = rows[i].key, .must = rows[i].must};
        snprintf(keys[i].want, WORD, "%" PRIu64, rows[i].value);
    }
    keys[7] = (struct file_key){.key = "-flash_attn-", .must = 1};
    snprintf(keys[7].want, WORD, "%s", o->flash ? "True" : "False");
    keys[8] = (struct file_key){.key = "", .must = 1}; /* the model: all before -world_size */
    snprintf(keys[8].want, WORD, "%.47s", o->model_name);
}

/* How far a name is from the keys: 100 for each that must agree, 1 for others. `differs` receives
 * the first that must. */
static unsigned distance_of(const char *name, const struct file_key keys[], char *differs,
                            size_t size)
{
    unsigned distance = 0;
    char value[WORD];

    differs[0] = '\0';
    for (int i = 0; i < FILE_KEYS; i++) {
        if (*keys[i].key) {
            part_of(name, keys[i].key, value);
        } else {
            const char *end = strstr(name, "-world_size");
            snprintf(value, sizeof value, "%.*s", end ? (int)(end - name) % WORD : 0, name);
        }
        if (!strcmp(value, keys[i].want))
            continue;
        distance += keys[i].must ? 100 : 1;
        if (keys[i].must && !*differs)
            snprintf(differs, size, "%s%s where %s is wanted", *keys[i].key ? keys[i].key + 1 : "",
                     value, keys[i].want);
    }
    return distance;
}

/* The nearest file of the folder. Ties go to the first name, so the order of readdir does not
 * matter. */
struct nearest {
    char name[256], differs[3 * WORD];
    unsigned distance;
};

static int search_folder(struct nearest *best, const char *folder, const struct asim_llm *llm,
                         struct asim_err *err)
{
    struct file_key keys[FILE_KEYS];
    DIR *dir = opendir(folder);
    struct dirent *entry;

    best->name[0] = '\0';
    if (!dir)
        return asim_err_set(err, ASIM_EINVAL, "cannot read the folder %s.", folder);
    fill_file_keys(keys, llm);
    while ((entry = readdir(dir))) {
        char differs[3 * WORD];
        size_t n = strlen(entry->d_name);
        if (n < 5 || n >= sizeof best->name || strcmp(entry->d_name + n - 4, ".txt"))
            continue;
        unsigned distance = distance_of(entry->d_name, keys, differs, sizeof differs);
        if (*best->name && (distance > best->distance ||
                            (distance == best->distance && strcmp(entry->d_name, best->name) > 0)))
            continue;
        best->distance = distance;
        snprintf(best->name, sizeof best->name, "%s", entry->d_name);
        snprintf(best->differs, sizeof best->differs, "%s", differs);
    }
    closedir(dir);
    return 0;
}

static int is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int read_folder(struct asim_llm_times *times, const struct asim_llm *llm,
                       struct asim_err *err)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    const char *gpu = asim_llm_database_gpu(llm->opt);
    struct nearest best = {.distance = 0};
    int rc;

    snprintf(folder, sizeof folder, "%s/%s", llm->opt->database, gpu);
    if (!*gpu || !is_folder(folder))
        snprintf(folder, sizeof folder, "%s", llm->opt->database);
    rc = search_folder(&best, folder, llm, err);
    if (rc)
        return rc;
    if (!*best.name)
        return asim_err_set(
            err, ASIM_EINVAL,
            "the folder %s has no compute times; AIOB's files have names such as "
            "gpt-7b-world_size8-tp4-pp1-ep1-gbs16-mbs1-seq2048-flash_attn-True.txt.",
            folder);
    if (best.distance >= 100)
        return asim_err_set(
            err, ASIM_EINVAL,
            "the folder %s has no compute times for these sizes; the nearest file is %s, with %s.",
            folder, best.name, best.differs);
    snprintf(path, sizeof path, "%s/%s", folder, best.name);
    return asim_llm_sections_read(times, path, err);
}

int asim_llm_database_find(struct asim_llm_times *times, const struct asim_llm *llm,
                           struct asim_err *err)
{
    return is_folder(llm->opt->database) ? read_folder(times, llm, err)
                                         : read_table(times, llm, err);
}
