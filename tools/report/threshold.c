/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Judges runs by thresholds, and prints their figures as JSON.
 */
#include "tools/report/threshold.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "tools/report/html.h"

enum unit { TIME, PART, COUNT, BYTES, PERCENT, GBPS }; /* PART: of the step, a time or % */

static double time_of(const struct asim_run *run)
{
    return (double)run->finish;
}

/* Of the mean rank. */
static double part_of(const struct asim_run *run, int part)
{
    struct asim_time_part parts[ASIM_PARTS];

    asim_html_mean_parts(parts, run);
    return run->ranks.n ? parts[part].ns : NAN;
}

static double computation_of(const struct asim_run *run)
{
    return part_of(run, 0) + part_of(run, 1);
}

static double hidden_of(const struct asim_run *run)
{
    return part_of(run, 1);
}

static double exposed_of(const struct asim_run *run)
{
    return part_of(run, 2);
}

static double waiting_of(const struct asim_run *run)
{
    return run->has_breakdown ? part_of(run, 3) : NAN;
}

static double messages_of(const struct asim_run *run)
{
    return (double)run->messages;
}

static double marks_of(const struct asim_run *run)
{
    return run->is_flow_level ? NAN : (double)run->marks;
}

static double pauses_of(const struct asim_run *run)
{
    return run->is_flow_level ? NAN : (double)run->pauses;
}

static double drops_of(const struct asim_run *run)
{
    return run->is_flow_level ? NAN : (double)run->drops;
}

static double busbw_of(const struct asim_run *run)
{
    const struct asim_run_coll *coll = asim_run_main_coll(run);

    return coll ? coll->busbw : NAN;
}

static double busiest_of(const struct asim_run *run)
{
    return run->n_worst ? 100 * run->links.at[run->worst[0]].utilisation : NAN;
}

static double queue_of(const struct asim_run *run)
{
    if (!run->has_links || run->is_flow_level)
        return NAN;
    return run->longest == ASIM_RUN_NONE ? 0 : (double)run->links.at[run->longest].peak_queue;
}

static double error_of(const struct asim_run *run)
{
    return run->recorded_ms > 0 ? run->recorded_error : NAN;
}

static double expected_of(const struct asim_run *run)
{
    return run->expected_error > 0 ? run->expected_error : NAN;
}

/* missing: what records it. */
static const struct figure {
    const char *name, *key, *missing;
    enum unit unit;
    double (*of)(const struct asim_run *run);
} figures[] = {{"time", "time_ns", "", TIME, time_of},
               {"computation", "computation_ns", "ranks.csv", PART, computation_of},
               {"hidden", "hidden_ns", "ranks.csv", PART, hidden_of},
               {"exposed", "exposed_ns", "ranks.csv", PART, exposed_of},
               {"waiting", "waiting_ns", "a run of this version", PART, waiting_of},
               {"messages", "messages", "", COUNT, messages_of},
               {"marks", "ecn_marks", "a run of packets", COUNT, marks_of},
               {"pauses", "pfc_pauses", "a run of packets", COUNT, pauses_of},
               {"drops", "drops", "a run of packets", COUNT, drops_of},
               {"busbw", "busbw_GBps", "a collective", GBPS, busbw_of},
               {"busiest", "busiest_percent", "--reports=links", PERCENT, busiest_of},
               {"queue", "queue_bytes", "--reports=links and packets", BYTES, queue_of},
               {"error", "error_percent", "a recorded step of as many ranks", PERCENT, error_of},
               {"expected", "expected_error_percent", "a run of the flow level without a doubt",
                PERCENT, expected_of},
               {0}};

struct threshold {
    const struct figure *figure;
    char text[80];
    int is_above, is_share; /* > or >=; a value in % of the step */
    int counts_equal;
    double value;
};

static int unknown(const char *name, int length, struct asim_err *err)
{
    char names[300] = "";

    for (const struct figure *figure = figures; figure->name; figure++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                 figure->name);
    return asim_err_set(err, ASIM_EUSAGE,
                        "--fail-if: there is no figure '%.*s'; known: %s. Write NAME>VALUE, as "
                        "'time>12ms,drops>0'.",
                        length, name, names);
}

static int parse_value(struct threshold *threshold, const char *text)
{
    char number[64];
    uint64_t whole;
    size_t n = strlen(text);
    enum unit unit = threshold->figure->unit;
    int has_percent = n && text[n - 1] == '%';

    if (has_percent != (unit == PERCENT) && !(has_percent && unit == PART))
        return 1;
    threshold->is_share = has_percent && unit == PART;
    if (!has_percent && (unit == TIME || unit == PART)) {
        if (asim_text_time(text, &whole))
            return 1;
        threshold->value = (double)whole / 1e6; /* fs */
        return 0;
    }
    if (unit == BYTES) {
        if (asim_text_u64(text, &whole) && asim_text_size(text, &whole))
            return 1;
        threshold->value = (double)whole;
        return 0;
    }
    snprintf(number, sizeof number, "%.*s", (int)(n - (size_t)has_percent), text);
    return asim_text_double(number, &threshold->value);
}

/* One of the list, which ends at a comma. Returns what is left, or NULL with the error. */
static const char *parse(struct threshold *threshold, const char *list, struct asim_err *err)
{
    static const char *const wants[] = {"a time, as 12ms", "a time, as 12ms, or 30%", "a number",
                                        "bytes, as 1MB",   "a percentage, as 80%",    "GB/s"};
    size_t name = strcspn(list, "<>=,"), length = strcspn(list, ",");
    const char *value = list + name;

    *threshold = (struct threshold){.is_above = *value == '>'};
    snprintf(threshold->text, sizeof threshold->text, "%.*s", (int)length, list);
    for (const struct figure *figure = figures; figure->name; figure++)
        if (strlen(figure->name) == name && !strncmp(figure->name, list, name))
            threshold->figure = figure;
    if (!threshold->figure || (*value != '>' && *value != '<')) {
        unknown(list, (int)(threshold->figure ? length : name), err);
        return NULL;
    }
    value++;
    threshold->counts_equal = *value == '=';
    value += threshold->counts_equal;
    if (length >= sizeof threshold->text ||
        parse_value(threshold, threshold->text + (value - list))) {
        asim_err_set(err, ASIM_EUSAGE, "--fail-if: '%s' wants %s behind the sign.", threshold->text,
                     wants[threshold->figure->unit]);
        return NULL;
    }
    return list + length + (list[length] == ',');
}

int asim_threshold_check(const char *list, struct asim_err *err)
{
    struct threshold threshold;

    while (list && *list)
        list = parse(&threshold, list, err);
    return list ? 0 : err->code;
}

static int is_crossed(const struct threshold *threshold, double value)
{
    return threshold->is_above
               ? value > threshold->value || (threshold->counts_equal && value >= threshold->value)
               : value < threshold->value || (threshold->counts_equal && value <= threshold->value);
}

/* Adds the thresholds that the run crosses to `crossed`. */
static int judge(json_t *crossed, const struct asim_run *run, const char *list,
                 struct asim_err *err)
{
    while (list && *list) {
        struct threshold threshold;
        double value;

        list = parse(&threshold, list, err);
        if (!list)
            return err->code;
        value = threshold.figure->of(run);
        if (isnan(value))
            return asim_err_set(err, ASIM_EINVAL, "--fail-if=%s: %s does not tell it; it needs %s.",
                                threshold.text, run->folder, threshold.figure->missing);
        if (threshold.is_share)
            value = run->finish ? 100 * value / (double)run->finish : 0;
        value = fabs(value); /* an error may be of either sign */
        if (!is_crossed(&threshold, value))
            continue;
        fprintf(stderr, "%s: %s is %.9g%s: it crosses %s\n", run->folder, threshold.figure->name,
                threshold.figure->unit <= PART && !threshold.is_share ? value / 1e6 : value,
                threshold.is_share || threshold.figure->unit == PERCENT ? " %"
                : threshold.figure->unit <= PART                        ? " ms"
                : threshold.figure->unit == BYTES                       ? " bytes"
                : threshold.figure->unit == GBPS                        ? " GB/s"
                                                                        : "",
                threshold.text);
        json_array_append_new(crossed, json_string(threshold.text));
    }
    return 0;
}

static json_t *number(double value)
{
    if (isnan(value))
        return json_null();
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
                                                       : json_real(value);
}

static json_t *describe(const struct asim_run *run, json_t *crossed)
{
    struct asim_verdict verdict;
    json_t *object = json_object(), *values = json_object(), *limit = json_object();

    asim_verdict_of(&verdict, run);
    json_object_set_new(limit, "what", json_string(verdict.what));
    json_object_set_new(limit, "because", json_string(verdict.because));
    json_object_set_new(limit, "advice", json_string(verdict.advice));
    json_object_set_new(object, "folder", json_string(run->folder));
    json_object_set_new(object, "title", json_string(run->title));
    json_object_set_new(object, "identity", json_string(run->identity.text));
    json_object_set_new(object, "state", json_string(run->state));
    json_object_set_new(object, "ranks", json_integer(run->n_ranks));
    for (const struct figure *figure = figures; figure->name; figure++)
        json_object_set_new(values, figure->key, number(figure->of(run)));
    json_object_set_new(object, "figures", values);
    json_object_set_new(object, "limited_by", limit);
    json_object_set(object, "crossed", crossed);
    return object;
}

static int print(const json_t *runs, struct asim_err *err)
{
    json_t *root = json_object();
    int code;

    json_object_set(root, "runs", (json_t *)(uintptr_t)runs);
    code = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (code && !ferror(stdout)) /* what stdout does not take is told at the end */
        return asim_err_nomem(err, "writing JSON");
    putchar('\n');
    return 0;
}

int asim_threshold_judge(const char *const *folders, size_t n, const char *list, int json,
                         struct asim_err *err)
{
    json_t *runs = json_array();
    int code = 0, is_crossed_by_any = 0;

    for (size_t i = 0; i < n && !code; i++) {
        json_t *crossed = json_array();
        struct asim_run run;

        code = asim_run_load(&run, folders[i], 1, err);
        for (uint32_t d = 0; json && !code && d < run.n_doubts; d++)
            fprintf(stderr, "warning: %s: %s\n", run.folder, run.doubts[d]);
        if (!code && list && strcmp(run.state, "finished") && strcmp(run.state, "ended")) {
            fprintf(stderr, "%s: the run is %s\n", run.folder, run.state);
            is_crossed_by_any = 1;
        } else if (!code) {
            code = judge(crossed, &run, list, err);
        }
        is_crossed_by_any |= json_array_size(crossed) > 0;
        if (!code && json)
            json_array_append_new(runs, describe(&run, crossed));
        json_decref(crossed);
        asim_run_close(&run);
    }
    if (!code && json)
        code = print(runs, err);
    json_decref(runs);
    return code ? code : is_crossed_by_any ? ASIM_THRESHOLD_CROSSED : 0;
}
