/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads SimAI's workload text line by line. SimAI takes a stream of words and believes them; a
 * short row there shifts every later one. Here a row is a line, a count that does not fit is
 * refused with its line, and unknown collective words get the nearest known one, save BROADCAST,
 * which SimAI's older files contain and its reader skips: those columns are counted as ignored.
 *
 * Differs from SimAI 1.6: every checkpoint id is read (there each entry is the first id), a
 * missing ep, pp, vpp or ga counts as not stated instead of zero, and the pp_comm written by AICB
 * as "50331648.0" is taken whole where SimAI's integer parse stops at 2^31.
 *
 * Owned by the struct and freed by asim_simai_fini: the source's name, marks, distinct rows and the
 * list of which row is which. Rows are compared as bytes, hence zeroed before they are filled.
 */
#include "trace/simai.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/src.h"
#include "base/text.h"

enum { COLUMNS = 12, MAX_ROWS = 1 << 24, MAX_MARKS = 1 << 20 };

const char *const asim_simai_policy_names[ASIM_SIMAI_POLICIES] = {"DATA",
                                                                  "MODEL",
                                                                  "MICRO",
                                                                  "HYBRID_TRANSFORMER",
                                                                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                                  "HYBRID_DLRM",
                                                                  "HYBRID_DLRM_ENHANCED",
                                                                  "HYBRID_DATA_MODEL",
                                                                  "HYBRID_MODEL_DATA",
                                                                  "HYBRID_CUSTOMIZED",
                                                                  "DISTRIBUTED_INFERENCE"};

/* word NULL = the line ends here. what: the noun of the sentence. */
static int refuse(const struct asim_src *src, const char *word, const char *what,
                  struct asim_err *err)
{
    char safe[64];
    if (!word)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, src->word_line, 0},
                           "the line ends where %s is expected.", what);
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src), "found '%s' where %s is expected.",
                       asim_text_safe(safe, sizeof safe, word), what);
}

/* Whole numbers first: 64 bits of bytes do not fit a double.
 * A number of bytes or ns; AICB writes some with a fraction of zero.
 * Fractions are cut, not rounded: the files that have one have .0. Above 2^53 a double no longer
 * counts bytes. */
static int parse_amount(const char *word, uint64_t *out)
{
    double value;
    if (!asim_text_u64(word, out))
        return 0;
    if (asim_text_double(word, &value) || value < 0 || value >= 9007199254740992.0)
        return ASIM_EINVAL;
    *out = (uint64_t)value;
    return 0;
}

/* Columns stand on one line: a row that is too short must not borrow from the next. */
static int read_amount(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err)
{
    const char *word = asim_src_word_in_line(src);
    return !word || parse_amount(word, out) ? refuse(src, word, what, err) : 0;
}

/* --- the header ------------------------------------------------------------------------------ */

/* The first word of the file, and what the format is recognised by. */
static int read_policy(struct asim_simai *w, struct asim_src *src, struct asim_err *err)
{
    char safe[64], hint[160];
    const char *word = asim_src_word(src);
    if (!word)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, 1, 0},
                           "the file is empty; its first word should be a policy such as "
                           "HYBRID_TRANSFORMER_FWD_IN_BCKWD.");
    for (int i = 0; i < ASIM_SIMAI_POLICIES; i++)
        if (!strcmp(word, asim_simai_policy_names[i])) {
            w->policy = i;
            return 0;
        }
    return asim_err_at(
        err, ASIM_EINVAL, asim_src_where(src),
        "unknown policy '%s'.%s HYBRID_TRANSFORMER_FWD_IN_BCKWD is what AICB writes.",
        asim_text_safe(safe, sizeof safe, word),
        asim_text_hint(hint, sizeof hint,
                       asim_text_nearest(word, asim_simai_policy_names, ASIM_SIMAI_POLICIES)));
}

/* "checkpoints: 2 4 9": a count and as many row indices.
 * Row indices are checked against the number of rows later, when that is known; an index that
 * does not fit 32 bits becomes one that cannot be right. A list given twice replaces the first. */
static int read_marks(struct asim_src *src, uint32_t **marks, uint32_t *n, struct asim_err *err)
{
    uint64_t count, mark;
    int rc = read_amount(src, "the number of layers behind it", &count, err);
    if (rc)
        return rc;
    if (count > MAX_MARKS)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "%" PRIu64 " layers are listed; at most %d are taken.", count,
                           MAX_MARKS);
    free(*marks);
    *n = 0;
    *marks = malloc((size_t)(count + 1) * sizeof **marks);
    if (!*marks)
        return asim_err_nomem(err, "reading a workload");
    for (uint64_t i = 0; i < count; i++) {
        rc = read_amount(src, "the number of a layer", &mark, err);
        if (rc)
            return rc;
        (*marks)[(*n)++] = mark < UINT32_MAX ? (uint32_t)mark : UINT32_MAX;
    }
    return 0;
}

/* A trailing colon belongs to the spelling. Counts above 2^24 are slips; 0 means "not stated". */
static int read_key(struct asim_simai *w, struct asim_src *src, char *key, struct asim_err *err)
{
    const struct {
        const char *name;
        uint32_t *at;
    } fields[] = {{"model_parallel_NPU_group", &w->tp},
                  {"ep", &w->ep},
                  {"pp", &w->pp},
                  {"vpp", &w->vpp},
                  {"ga", &w->ga},
                  {"all_gpus", &w->all_gpus}};
    char safe[64];
    uint64_t value;
    size_t n = strlen(key);
    if (n && key[n - 1] == ':')
        key[n - 1] = '\0';
    if (!strcmp(key, "checkpoints"))
        return read_marks(src, &w->checkpoints, &w->n_checkpoints, err);
    if (!strcmp(key, "checkpoint_initiates"))
        return read_marks(src, &w->initiates, &w->n_initiates, err);
    if (!strcmp(key, "pp_comm"))
        return read_amount(src, "a number of bytes behind pp_comm:", &w->pp_comm, err);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(key, fields[i].name))
            continue;
        int rc = read_amount(src, "a number behind that key", &value, err);
        if (!rc && value > 1 << 24)
            rc = refuse(src, "a larger number", "one of at most 16777216", err);
        *fields[i].at = rc ? 0 : (uint32_t)value;
        return rc;
    }
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                       "unknown key '%s' in the header. Known are model_parallel_NPU_group, ep, "
                       "pp, vpp, ga, all_gpus, checkpoints, checkpoint_initiates and pp_comm.",
                       asim_text_safe(safe, sizeof safe, key));
}

/* Policy and "key: value" pairs up to the end of line 1, the number of rows alone on line 2 (spec
 * simai.md b.1). */
static int read_header(struct asim_simai *w, struct asim_src *src, uint64_t *rows,
                       struct asim_err *err)
{
    char *key;
    int rc = read_policy(w, src, err);
    while (!rc && (key = asim_src_word_in_line(src)))
        rc = read_key(w, src, key, err);
    if (rc)
        return rc;
    const char *word = asim_src_word(src);
    if (!word || asim_text_u64(word, rows))
        return refuse(src, word, "the number of rows", err);
    if (!*rows || *rows > MAX_ROWS)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "the file announces %" PRIu64 " rows; 1 to %d are taken.", *rows,
                           MAX_ROWS);
    word = asim_src_word_in_line(src);
    return word ? refuse(src, word, "the end of the line behind the number of rows", err) : 0;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* The word names the collective, its suffix the group; without one the column decides: weight
 * gradients go over data parallelism, the others over tensor parallelism (spec simai.md b.2). */
static int parse_comm(struct asim_simai *w, const char *word, int part,
                      struct asim_simai_comm *comm)
{
    static const char *const ops[] = {"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER",
                                      "ALLTOALL"};
    if (!strcmp(word, "BROADCAST")) {
        w->ignored++;
        comm->op = ASIM_SIMAI_NONE;
        return 0;
    }
    for (uint8_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t n = strlen(ops[i]);
        const char *suffix = word + n;
        if (strncmp(word, ops[i], n))
            continue;
        comm->op = i;
        comm->group = part == ASIM_SIMAI_WG ? ASIM_SIMAI_DP : ASIM_SIMAI_TP;
        if (!strcmp(suffix, "_EP"))
            comm->group = ASIM_SIMAI_EP;
        else if (!strcmp(suffix, "_DP_EP"))
            comm->group = ASIM_SIMAI_DP_EP;
        else if (*suffix)
            return ASIM_EINVAL;
        return 0;
    }
    return ASIM_EINVAL;
}

/* Two columns: what, and how many bytes. */
static int read_comm(struct asim_simai *w, struct asim_src *src, int part,
                     struct asim_simai_comm *comm, struct asim_err *err)
{
    static const char *const known[] = {"NONE",          "ALLREDUCE",       "ALLGATHER",
                                        "REDUCESCATTER", "ALLTOALL",        "ALLREDUCE_DP_EP",
                                        "ALLGATHER_EP",  "ALLGATHER_DP_EP", "REDUCESCATTER_EP",
                                        "ALLREDUCE_EP",  "ALLTOALL_EP",     "REDUCESCATTER_DP_EP"};
    char safe[64], hint[160];
    const char *word = asim_src_word_in_line(src);
    if (!word)
        return refuse(src, word, "a collective, or NONE,", err);
    if (parse_comm(w, word, part, comm))
        return asim_err_at(
            err, ASIM_EINVAL, asim_src_where(src),
            "unknown collective '%s'.%s Known are NONE, ALLREDUCE, ALLGATHER, "
            "REDUCESCATTER and ALLTOALL, alone or with _EP or _DP_EP.",
            asim_text_safe(safe, sizeof safe, word),
            asim_text_hint(hint, sizeof hint,
                           asim_text_nearest(word, known, sizeof known / sizeof *known)));
    return read_amount(src, "the bytes of that collective", &comm->bytes, err);
}

/* The row of the line the cursor stands on, its first word taken.
 * Columns: name, dependency (unused, always -1), then compute time, collective and bytes for
 * forward, input gradient and weight gradient, then the update time. */
static int read_row(struct asim_simai *w, struct asim_src *src, const char *name,
                    struct asim_simai_row *row, struct asim_err *err)
{
    static const char *const times[] = {"the forward compute time in ns",
                                        "the input-gradient compute time in ns",
                                        "the weight-gradient compute time in ns"};
    int64_t dependency;
    memset(row, 0, sizeof *row); /* rows are compared as bytes */
    snprintf(row->name, sizeof row->name, "%s", name);
    const char *word = asim_src_word_in_line(src);
    int rc = !word || asim_text_i64(word, &dependency)
                 ? refuse(src, word, "the dependency column (-1)", err)
                 : 0;
    for (int part = 0; part < ASIM_SIMAI_PARTS && !rc; part++) {
        rc = read_amount(src, times[part], &row->compute_ns[part], err);
        if (!rc)
            rc = read_comm(w, src, part, &row->comm[part], err);
    }
    if (!rc)
        rc = read_amount(src, "the update time in ns", &row->update_ns, err);
    if (!rc && w->policy == ASIM_SIMAI_CUSTOMIZED && !asim_src_word_in_line(src))
        rc = refuse(src, NULL, "the row's own policy", err);
    if (!rc && (word = asim_src_word_in_line(src)))
        rc = refuse(src, word, "the end of a row of 12 columns", err);
    return rc;
}

/* Index of the row among the distinct ones. The latest sorts are the likeliest to come again.
 * Comparing with the last 64 sorts keeps reading linear; a row that comes back later than that
 * is kept twice, which costs memory and nothing else. */
static int keep_row(struct asim_simai *w, const struct asim_simai_row *row, struct asim_err *err)
{
    size_t seen = 0;
    for (size_t i = w->n_sorts; i-- > 0 && seen < 64; seen++)
        if (!memcmp(&w->sorts[i], row, sizeof *row)) {
            w->rows[w->n_rows++] = (uint32_t)i;
            return 0;
        }
    if (w->n_sorts == w->cap_sorts &&
        asim_grow(&w->sorts, &w->cap_sorts, w->n_sorts + 1, sizeof *w->sorts))
        return asim_err_nomem(err, "reading a workload");
    w->rows[w->n_rows++] = (uint32_t)w->n_sorts;
    w->sorts[w->n_sorts++] = *row;
    return 0;
}

/* The number on line 2 is a promise that is checked both ways. rows grows by doubling, so a false
 * promise costs nothing. */
static int read_rows(struct asim_simai *w, struct asim_src *src, uint64_t rows,
                     struct asim_err *err)
{
    struct asim_simai_row row;
    const char *name;
    size_t cap = 0;
    int rc = 0;
    while (!rc && (name = asim_src_word(src))) {
        if (w->n_rows == rows)
            return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                               "the file announces %" PRIu64
                               " rows but here is another one: raise the number on line 2.",
                               rows);
        if (w->n_rows == cap && asim_grow(&w->rows, &cap, (size_t)w->n_rows + 1, sizeof *w->rows))
            return asim_err_nomem(err, "reading a workload");
        rc = read_row(w, src, name, &row, err);
        if (!rc)
            rc = keep_row(w, &row, err);
    }
    if (!rc && w->n_rows < rows)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, src->line, 0},
                         "the file announces %" PRIu64 " rows but ends after %u: is it cut short?",
                         rows, w->n_rows);
    return rc;
}

/* Marks are row indices; only known to be right when all rows are read. */
static int check_marks(const struct asim_simai *w, const uint32_t *marks, uint32_t n,
                       struct asim_err *err)
{
    for (uint32_t i = 0; i < n; i++)
        if (marks[i] >= w->n_rows)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){w->source, 1, 0},
                               "the header marks layer %u as a checkpoint, but the rows are "
                               "numbered 0 to %u.",
                               marks[i], w->n_rows - 1);
    return 0;
}

/* Takes the source over: it is closed whatever happens. */
static int read_src(struct asim_simai *w, struct asim_src *src, struct asim_err *err)
{
    uint64_t rows = 0;
    w->source = strdup(src->name);
    int rc =
        w->source ? read_header(w, src, &rows, err) : asim_err_nomem(err, "reading a workload");
    if (!rc)
        rc = read_rows(w, src, rows, err);
    if (!rc)
        rc = check_marks(w, w->checkpoints, w->n_checkpoints, err);
    if (!rc)
        rc = check_marks(w, w->initiates, w->n_initiates, err);
    asim_src_close(src);
    if (rc)
        asim_simai_fini(w);
    return rc;
}

/* *w is the caller's on success and empty on failure. */
int asim_simai_read(struct asim_simai *w, const char *path, struct asim_err *err)
{
    struct asim_src src;
    memset(w, 0, sizeof *w);
    int rc = asim_src_open(&src, path, err);
    return rc ? rc : read_src(w, &src, err);
}

int asim_simai_read_bytes(struct asim_simai *w, const char *name, const char *data, size_t size,
                          struct asim_err *err)
{
    struct asim_src src;
    memset(w, 0, sizeof *w);
    int rc = asim_src_open_bytes(&src, name, data, size, err);
    return rc ? rc : read_src(w, &src, err);
}

/* No key word begins with another and a blank, so the first that fits is the right one. */
int asim_simai_sniff(const void *head, size_t size)
{
    const char *text = head;
    for (int i = 0; i < ASIM_SIMAI_POLICIES; i++) {
        size_t n = strlen(asim_simai_policy_names[i]);
        if (size > n && !memcmp(text, asim_simai_policy_names[i], n) &&
            (text[n] == ' ' || text[n] == '\t' || text[n] == '\n' || text[n] == '\r'))
            return 1;
    }
    return 0;
}

/* i below n_rows; the row lives as long as the workload. */
const struct asim_simai_row *asim_simai_row(const struct asim_simai *w, uint32_t i)
{
    return &w->sorts[w->rows[i]];
}

void asim_simai_fini(struct asim_simai *w)
{
    free(w->source);
    free(w->checkpoints);
    free(w->initiates);
    free(w->sorts);
    free(w->rows);
    memset(w, 0, sizeof *w);
}
