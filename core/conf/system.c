/* SPDX-License-Identifier: GPL-2.0-only
 *
 * System JSON (system-layer.md#system-file). Scalars go through one option table with the defaults
 * that ASTRA-sim documents for an absent key; where it has none (undefined memory, a division by
 * zero) the table has the least surprising value and a diagnostic says so. Names of algorithms and
 * of dimension orders stay words until sim/collective/coll_setup.c resolves them, because coll is
 * to the right of conf. Keys of published files without effect are accepted; any other unknown key
 * is an error, because a misspelt option would silently change nothing.
 *
 * Adding a key: a field in struct asim_system and a row here; a key with a value per rank goes to
 * rank_keys.
 */
#include "base/diagnostics.h"
#include "conf/conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/settings.h"
#include "base/text.h"
#include "conf/json.h"
#include "conf/rank_values.h"
#include "base/io/foreign.h"

#define ROW(...) ASIM_OPTION(struct asim_system, __VA_ARGS__)
#define F(f)     offsetof(struct asim_system, f)
#define I32_MAX  2147483647.0

static const struct asim_option system_options[] = {
    ROW("scheduling-policy", CHOICE, policy, "order of waiting collectives", .def = "LIFO",
        .choices = "LIFO|FIFO|EXPLICIT"),
    ROW("collective-optimization", CHOICE, optimization,
        "phases of an all-reduce over several dimensions", .def = "baseline",
        .choices = "baseline|localBWAware"),
    ROW("preferred-dataset-splits", U32, splits, "chunks of each collective", .def = "1", .min = 1,
        .max = 1e6), /* a chunk takes 600 bytes of each rank: memory would end */
    ROW("flow-order-seed", U32, flow_order_seed,
        "order of flows that start at one instant; 0 = by channel", .def = "0"),
    ROW("active-chunks-per-dimension", U32, active_chunks, "chunks that run at once in a dimension",
        .def = "1", .min = 1, .max = I32_MAX),
    ROW("endpoint-delay", I64, endpoint_delay_ns, "time added to each message bundle, ns",
        .def = "10", .max = I32_MAX),
    ROW("local-reduction-delay", U64, local_reduction_delay, "reduction delay of the LogGP bus, ns",
        .def = "1", .max = I32_MAX),
    ROW("L", DOUBLE, loggp_l, "LogGP latency, ns", .def = "0", .max = 1e15),
    ROW("o", DOUBLE, loggp_o, "LogGP overhead, ns", .def = "0", .max = 1e15),
    ROW("g", DOUBLE, loggp_g, "LogGP gap of messages, ns", .def = "0", .max = 1e15),
    ROW("G", DOUBLE, loggp_G, "LogGP gap of bytes, ns per byte", .def = "0", .max = 1e15),
    ROW("model-shared-bus", BOOL, shared_bus, "1 = bundles share a LogGP bus", .def = "0"),
    /* Roofline and reductions: both in the units of the files, scaled where they are used. */
    ROW("peak-perf", DOUBLE, peak_perf_tflops, "compute peak, TFLOP/s", .def = "0", .max = 1e12),
    ROW("local-mem-bw", DOUBLE, local_mem_bw_gbps,
        "memory bandwidth, GB/s; 0 = reductions cost nothing", .def = "0", .max = 1e12),
    ROW("roofline-enabled", BOOL, roofline, "1 = compute times from peak-perf and local-mem-bw",
        .def = "0"),
    ROW("trace-enabled", BOOL, trace_enabled, "1 = log issue and callback of each op", .def = "0"),
    ROW("replay-only", BOOL, replay_only, "1 = every op takes its recorded duration", .def = "0"),
    ROW("track-local-mem", BOOL, track_local_mem, "1 = track tensors in local memory", .def = "0"),
    ROW("local-mem-trace-filename", STRING, local_mem_trace, "prefix of the local memory trace",
        .def = "local_mem_trace"),
    /* From here on keys ASTRA-sim accepts and ignores, or does not have; here they have an
     * effect. */
    ROW("intra-dimension-scheduling", CHOICE, intra_dim, "order of chunks in a dimension",
        .def = "FIFO", .choices = "FIFO|RG|smallestFirst|lessRemainingPhaseFirst"),
    ROW("inter-dimension-scheduling", STRING, dim_order, "order of dimensions", .def = "ascending"),
    ROW("concurrent-collectives", U32, comm_slots,
        "collectives, sends and memory ops of a rank at once", .def = "1", .min = 1,
        .max = I32_MAX),
    ROW("concurrent-computes", U32, comp_slots, "GPU compute ops of a rank at once", .def = "1",
        .min = 1, .max = I32_MAX),
    ROW("concurrent-cpu-ops", U32, cpu_slots, "CPU ops of a rank at once", .def = "1", .min = 1,
        .max = I32_MAX),
    ROW("per-node-custom-implementation", STRING, per_node_custom,
        "YAML file: op id to algorithm trace"),
    ROW("boost-mode", DOUBLE, boost_mode, "of older versions", .def = "0", .flags = ASIM_F_NOOP),
    {0},
};

/* In published files, looked at by no version this follows. */
static const char *const ignored_keys[] = {
    "num-passes",   "sleep",       "num-queues-per-dim", "compute-scale", "comm-scale",
    "separate-log", "seprate-log", "total-stat-rows",    "stat-row",      "run-name",
};

/* What a "<kind>-implementation…" key is; OLD_CHAKRA is the spelling of older files: a list is a
 * custom algorithm, anything else had no effect. */
enum list_form { NO_LIST, NATIVE, CUSTOM, OLD_CHAKRA };

/* One file being read; on the stack. */
struct reader {
    struct asim_system *sys;
    const char *path;
    const struct asim_diagnostics *diagnostics;
    struct asim_err *err;
    char silent[512]; /* keys without effect, for one note */
};

/* Which list a key is, and of which kind. */
static enum list_form list_key(const char *key, int *kind)
{
    static const char mark[] = "-implementation";

    for (int k = 0; k < ASIM_COLL_TYPES; k++) {
        size_t n = strlen(asim_coll_type_key(k));

        if (strncmp(key, asim_coll_type_key(k), n) != 0 ||
            strncmp(key + n, mark, sizeof mark - 1) != 0)
            continue;
        *kind = k;
        key += n + sizeof mark - 1;
        if (*key == '\0')
            return NATIVE;
        if (strcmp(key, "-custom") == 0)
            return CUSTOM;
        return strcmp(key, "-chakra") == 0 ? OLD_CHAKRA : NO_LIST;
    }
    return NO_LIST;
}

/* Exact names only: a prefix would accept a misspelt key that has an effect. */
static int is_ignored(const char *key)
{
    for (size_t i = 0; i < sizeof ignored_keys / sizeof *ignored_keys; i++)
        if (strcmp(key, ignored_keys[i]) == 0)
            return 1;
    return 0;
}

/* Long lists are cut, not refused: the note is only for the eye. */
static void mention(struct reader *r, const char *key)
{
    size_t used = strlen(r->silent);

    snprintf(r->silent + used, sizeof r->silent - used, "%s%s", used ? ", " : "", key);
}

static int bad_key(struct reader *r, const char *key, const char *what)
{
    struct asim_where at = {r->path, 0, 0};

    return asim_err_at(r->err, ASIM_EINVAL, at, "key \"%s\" %s.", key, what);
}

/* Keys of ours that make ranks differ. */
static const struct rank_key {
    const char *key;
    size_t offset;
    double most;
    int whole;
} rank_keys[] = {
    {"rank-compute-scale", F(compute_scale), 1e6, 0},     /* multiplies compute times */
    {"rank-start-delay", F(start_delay_ns), 1e15, 1},     /* ns before the first op is issued */
    {"rank-message-delay", F(message_delay_ns), 1e15, 1}, /* ns on top of endpoint-delay */
};

/* Suggests the nearest scalar, list or ignored key. */
static int unknown_key(struct reader *r, const char *key)
{
    enum {
        SCALARS = sizeof system_options / sizeof *system_options - 1,
        LISTS = 2 * ASIM_COLL_TYPES
    };
    const char *words[SCALARS + LISTS + sizeof rank_keys / sizeof *rank_keys];
    char lists[LISTS][48], safe[80], hint[128];
    struct asim_where at = {r->path, 0, 0};
    size_t n = 0;

    for (size_t i = 0; i < SCALARS; i++)
        words[n++] = system_options[i].key;
    for (size_t i = 0; i < LISTS; i++) {
        snprintf(lists[i], sizeof lists[i], "%s-implementation%s", asim_coll_type_key((int)i / 2),
                 i % 2 ? "-custom" : "");
        words[n++] = lists[i];
    }
    for (size_t i = 0; n < sizeof words / sizeof *words; i++)
        words[n++] = rank_keys[i].key;
    asim_text_hint(hint, sizeof hint, asim_text_nearest(key, words, n));
    return asim_err_at(r->err, ASIM_EINVAL, at, "unknown system key '%s'.%s",
                       asim_text_safe(safe, sizeof safe, key), hint);
}

/* An algorithm's name is letters, then digits. Which names exist, coll/ knows; file and key of a
 * malformed one are known here. */
static int check_word(const char *key, const char *word, const char *path, struct asim_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = strspn(word, letters);
    char safe[80];

    if (n && !word[n + strspn(word + n, "0123456789")])
        return 0;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                       "key \"%s\" has the entry '%s', which cannot be the name of an algorithm; "
                       "expected letters, and behind them a number for those that take one, as in "
                       "ring or direct4.",
                       key, asim_text_safe(safe, sizeof safe, word));
}

/* words->n counts what was copied, so that a failure half way is freed by asim_system_fini. */
static int read_list(struct reader *r, const char *key, struct asim_words *words,
                     const json_t *list)
{
    size_t n = json_array_size(list);

    if (!json_is_array(list))
        return bad_key(r, key, "is not an array; give one algorithm name a dimension: [\"ring\"]");
    if (n == 0 || n > ASIM_DIMS)
        return bad_key(r, key, "is empty or names more than 16 algorithms; give one per dimension");
    words->at = calloc(n, sizeof *words->at);
    if (!words->at)
        return asim_err_nomem(r->err, "reading the system file");
    for (size_t i = 0; i < n; i++) {
        const json_t *word = json_array_get(list, i);

        if (!json_is_string(word) || json_string_length(word) == 0)
            return bad_key(r, key, "has an entry that is not the name of an algorithm");
        if (check_word(key, json_string_value(word), r->path, r->err))
            return ASIM_EINVAL;
        words->at[i] = strdup(json_string_value(word));
        if (!words->at[i])
            return asim_err_nomem(r->err, "reading the system file");
        words->n++;
    }
    return 0;
}

/* ASTRA-sim throws unless the array has exactly one entry; more would never be looked at. */
static int read_custom(struct reader *r, const char *key, char **out, const json_t *list)
{
    const json_t *word = json_array_get(list, 0);

    if (json_array_size(list) != 1 || !json_is_string(word) || json_string_length(word) == 0)
        return bad_key(r, key, "is not an array with exactly one string, a prefix of traces");
    *out = strdup(json_string_value(word));
    return *out ? 0 : asim_err_nomem(r->err, "reading the system file");
}

/* A key of older files: a diagnostic only if its value is not 0 or false. */
static int read_ignored(struct reader *r, const char *key, const json_t *value)
{
    if (json_is_false(value) || (json_is_number(value) && json_number_value(value) == 0))
        return 0;
    mention(r, key);
    return 0;
}

/* injection-scale multiplies an endpoint delay only where the file states one, hence the flag. */
static int read_scalar(struct reader *r, const struct asim_option *row, const json_t *value)
{
    int rc = asim_json_option(row, r->sys, value, r->path, r->err);

    if (rc)
        return rc;
    if (row->offset == F(endpoint_delay_ns))
        r->sys->endpoint_delay_set = 1;
    return row->flags & ASIM_F_NOOP ? read_ignored(r, row->key, value) : 0;
}

/* NULL if the key is none of ours. */
static const struct rank_key *rank_key_of(const char *key)
{
    for (size_t i = 0; i < sizeof rank_keys / sizeof *rank_keys; i++)
        if (strcmp(key, rank_keys[i].key) == 0)
            return &rank_keys[i];
    return NULL;
}

/* Scalars, per-rank values, lists, keys without effect, in that order; anything else is unknown. */
static int read_key(struct reader *r, const char *key, const json_t *value)
{
    const struct asim_option *row = asim_option_find(system_options, key);
    const struct rank_key *of_ranks = rank_key_of(key);
    int kind = 0;

    if (row)
        return read_scalar(r, row, value);
    if (of_ranks)
        return asim_rank_values_read(
            (void *)((char *)r->sys + of_ranks->offset),
            &(struct asim_rank_values_key){key, r->path, of_ranks->most, of_ranks->whole}, value,
            r->err);
    switch (list_key(key, &kind)) {
    case NATIVE:
        return read_list(r, key, &r->sys->impl[kind], value);
    case CUSTOM:
        return read_custom(r, key, &r->sys->custom[kind], value);
    case OLD_CHAKRA:
        if (json_is_array(value))
            return read_custom(r, key, &r->sys->custom[kind], value);
        mention(r, key);
        return 0;
    default:
        return is_ignored(key) ? read_ignored(r, key, value) : unknown_key(r, key);
    }
}

/* Below a kilobyte a second the ns of a large reduction exceed 64 bits, and the reduction would
 * seem free (system-layer.md#endpoint-delay-and-reduction: only 0 is free). */
static int check_values(struct asim_system *sys, const char *path, struct asim_err *err)
{
    double bw = sys->local_mem_bw_gbps;

    if (bw == 0 || bw >= 1e-6)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                       "local-mem-bw is '%g', expected 1e-06 to 1e+12 GB/s, or 0, where reductions "
                       "cost nothing.",
                       bw);
}

/* Keys that another key makes useless. */
static void diagnose_unused(struct reader *r, const struct asim_system *sys)
{
    for (int k = 0; k < ASIM_COLL_TYPES; k++)
        if (sys->custom[k] && sys->impl[k].n)
            asim_diagnose(r->diagnostics,
                          "%s: %s-implementation has no effect beside %s-implementation-custom.",
                          r->path, asim_coll_type_key(k), asim_coll_type_key(k));
    if (!sys->shared_bus &&
        (sys->loggp_l > 0 || sys->loggp_o > 0 || sys->loggp_g > 0 || sys->loggp_G > 0))
        asim_diagnose(r->diagnostics,
                      "%s: L, o, g and G have no effect without model-shared-bus 1.", r->path);
}

/* Checks, diagnostics and paths that need the whole file. */
static int finish(struct reader *r, const json_t *root)
{
    struct asim_system *sys = r->sys;
    char *resolved;
    int rc = check_values(sys, r->path, r->err);

    if (rc)
        return rc;
    if (!json_object_get(root, "preferred-dataset-splits"))
        asim_diagnose(r->diagnostics,
                      "%s: preferred-dataset-splits is absent, so collectives are not split (1 "
                      "chunk); ASTRA-sim stops with a division by zero here.",
                      r->path);
    if (sys->intra_dim ||
        (strcmp(sys->dim_order, "ascending") && strcmp(sys->dim_order, "baseline")))
        asim_diagnose(r->diagnostics,
                      "%s: inter- and intra-dimension-scheduling have an effect here; ASTRA-sim "
                      "ignores them (always ascending and FIFO).",
                      r->path);
    if (r->silent[0])
        asim_diagnose(r->diagnostics, "%s: no effect, as in ASTRA-sim: %s.", r->path, r->silent);
    diagnose_unused(r, sys);
    if (!sys->per_node_custom)
        return 0;
    resolved = asim_conf_resolve(r->path, sys->per_node_custom);
    if (!resolved)
        return asim_err_nomem(r->err, "reading the system file");
    free(sys->per_node_custom);
    sys->per_node_custom = resolved;
    return 0;
}

/* Defaults first, then every key of the file over them. On failure nothing is left to free. */
int asim_system_read(struct asim_system *sys, const char *path,
                     const struct asim_diagnostics *diagnostics, struct asim_err *err)
{
    struct reader r = {sys, path, diagnostics, err, ""};
    json_t *root = NULL, *value;
    const char *key;
    int rc;

    memset(sys, 0, sizeof *sys);
    rc = asim_option_defaults(system_options, sys, err);
    if (!rc)
        rc = asim_json_open(&root, path, err);
    if (!rc) {
        json_object_foreach(root, key, value)
        {
            rc = read_key(&r, key, value);
            if (rc) {
                asim_json_place(err, path, key);
                break;
            }
        }
    }
    if (!rc)
        rc = finish(&r, root);
    json_decref(root);
    if (rc)
        asim_system_fini(sys);
    return asim_foreign_instead(rc, path, "a system", err);
}

/* On failure words->at may be set with n = 0, which asim_system_fini frees. */
static int one_word(struct asim_words *words, const char *word)
{
    words->at = calloc(1, sizeof *words->at);
    if (!words->at)
        return ASIM_ENOMEM;
    words->at[0] = strdup(word);
    words->n = words->at[0] ? 1 : 0;
    return words->n ? 0 : ASIM_ENOMEM;
}

/* NCCL: a collective is not split; those of a communicator run in the order of their launch, those
 * of several at once, as streams let them (NCCL User Guide, "Using multiple NCCL communicators
 * concurrently"). ASTRA-sim: what the shipped Ring_4chunks says (system-layer.md#defaults), so a
 * run without a system file is a known one; but all-to-all is direct, where a ring would forward
 * every byte, and a small all-reduce takes a tree. */
int asim_system_defaults(struct asim_system *sys, int like, struct asim_err *err)
{
    int nccl = like == ASIM_LIKE_NCCL;
    const struct {
        int kind;
        const char *algorithm;
    } lists[] = {{ASIM_ALL_REDUCE, nccl ? "ncclChoice" : "treeOrRing"},
                 {ASIM_ALL_GATHER, nccl ? "ncclChoice" : "ring"},
                 {ASIM_REDUCE_SCATTER, nccl ? "ncclChoice" : "ring"},
                 {ASIM_ALL_TO_ALL, "direct"},
                 {ASIM_BROADCAST, nccl ? "ncclChoice" : NULL},
                 {ASIM_REDUCE, nccl ? "ncclChoice" : NULL}};
    int rc;

    memset(sys, 0, sizeof *sys);
    rc = asim_option_defaults(system_options, sys, err);
    sys->optimization = ASIM_LOCAL_BW_AWARE;
    sys->splits = nccl ? 1 : 4;
    if (nccl) {
        sys->in_communicators = 1;
        sys->active_chunks = sys->comm_slots = INT32_MAX;
    }
    sys->policy = nccl ? ASIM_FIFO : ASIM_LIFO;
    sys->local_mem_bw_gbps = 1600;
    /* As if a file had said so: injection-scale applies. */
    sys->endpoint_delay_set = 1;
    for (size_t i = 0; !rc && i < sizeof lists / sizeof *lists; i++)
        if (lists[i].algorithm && one_word(&sys->impl[lists[i].kind], lists[i].algorithm))
            rc = asim_err_nomem(err, "filling the default system");
    if (rc)
        asim_system_fini(sys);
    return rc;
}

/* Safe after any failure: every pointer is NULL or owned. */
void asim_system_fini(struct asim_system *sys)
{
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++) {
        for (size_t i = 0; i < sys->impl[kind].n; i++)
            free(sys->impl[kind].at[i]);
        free(sys->impl[kind].at);
        free(sys->custom[kind]);
    }
    asim_rank_values_fini(&sys->compute_scale);
    asim_rank_values_fini(&sys->start_delay_ns);
    asim_rank_values_fini(&sys->message_delay_ns);
    asim_option_fini(system_options, sys);
    memset(sys, 0, sizeof *sys);
}
