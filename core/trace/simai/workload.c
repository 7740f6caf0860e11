/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads SimAI's workload text line by line. SimAI reads a stream of words without checks, so a
 * short row shifts every later one. Here a row is a line, a count that does not fit is an error
 * with its line, and the error for an unknown collective names the most similar one. SimAI's older
 * files contain BROADCAST, which its reader skips: these columns are counted as ignored.
 *
 * Differences from SimAI 1.6: every checkpoint id is read (in SimAI each entry is the first id); a
 * missing ep, pp, vpp or ga counts as not stated, not as zero; the pp_comm of AICB, "50331648.0",
 * is read completely, where SimAI's integer parse stops at 2^31.
 *
 * asim_simai_fini frees the source's name, marks, distinct rows and row indices. Rows are compared
 * as bytes, hence zeroed before they are filled.
 */
#include "trace/simai/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/io/src.h"
#include "base/text.h"
#include "trace/simai/header.h"

/* 46 days, a little below the longest time that the simulator's clock takes at once. */
static const uint64_t most_ns = 4000000000000000;

/* The word names the collective and its suffix the group. Without a suffix the column decides:
 * weight gradients use data parallelism, the others tensor parallelism (simai.md#rows). */
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

/* Two columns: the collective and its bytes. */
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
        return asim_simai_refuse(src, word, "a collective, or NONE,", err);
    if (parse_comm(w, word, part, comm))
        return asim_err_at(
            err, ASIM_EINVAL, asim_src_where(src),
            "unknown collective '%s'.%s Known are NONE, ALLREDUCE, ALLGATHER, "
            "REDUCESCATTER and ALLTOALL, alone or with _EP or _DP_EP.",
            asim_text_safe(safe, sizeof safe, word),
            asim_text_hint(hint, sizeof hint,
                           asim_text_nearest(word, known, sizeof known / sizeof *known)));
    return asim_simai_bytes(src, "the bytes of that collective", &comm->bytes, err);
}

/* The clock would cut a longer time. */
static int read_time(struct asim_src *src, const char *what, uint64_t *ns, struct asim_err *err)
{
    int rc = asim_simai_whole(src, what, ns, err);
    if (rc || *ns <= most_ns)
        return rc;
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                       "%" PRIu64 " is too long for %s: at most %" PRIu64
                       " (46 days) are taken. Times are in ns.",
                       *ns, what, most_ns);
}

/* Reads a row whose first word has been taken. Columns: name, dependency (unused, always -1), then
 * compute time, collective and bytes for forward, input gradient and weight gradient, then the
 * update time. */
static int read_row(struct asim_simai *w, struct asim_src *src, const char *name,
                    struct asim_simai_row *row, struct asim_err *err)
{
    static const char *const times[] = {"the forward compute time in whole ns",
                                        "the input-gradient compute time in whole ns",
                                        "the weight-gradient compute time in whole ns"};
    int64_t dependency;
    memset(row, 0, sizeof *row); /* rows are compared as bytes */
    snprintf(row->name, sizeof row->name, "%s", name);
    const char *word = asim_src_word_in_line(src);
    int rc = !word || asim_text_i64(word, &dependency)
                 ? asim_simai_refuse(src, word, "the dependency column (-1)", err)
                 : 0;
    for (int part = 0; part < ASIM_SIMAI_PARTS && !rc; part++) {
        rc = read_time(src, times[part], &row->compute_ns[part], err);
        if (!rc)
            rc = read_comm(w, src, part, &row->comm[part], err);
    }
    if (!rc)
        rc = read_time(src, "the update time in whole ns", &row->update_ns, err);
    if (!rc && w->policy == ASIM_SIMAI_CUSTOMIZED && !asim_src_word_in_line(src))
        rc = asim_simai_refuse(src, NULL, "the row's own policy", err);
    if (!rc && (word = asim_src_word_in_line(src)))
        rc = asim_simai_refuse(src, word, "the end of a row of 12 columns", err);
    return rc;
}

/* Returns the index of the row among the distinct rows. Comparing with the latest 64 keeps reading
 * linear; a row that occurs again later than that is stored twice, which only costs memory. */
static int keep_row(struct asim_simai *w, const struct asim_simai_row *row, struct asim_err *err)
{
    size_t seen = 0;
    for (size_t i = w->n_distinct; i-- > 0 && seen < 64; seen++)
        if (!memcmp(&w->distinct[i], row, sizeof *row)) {
            w->rows[w->n_rows++] = (uint32_t)i;
            return 0;
        }
    if (w->n_distinct == w->cap_distinct &&
        asim_grow(&w->distinct, &w->cap_distinct, w->n_distinct + 1, sizeof *w->distinct))
        return asim_err_nomem(err, "reading a workload");
    w->rows[w->n_rows++] = (uint32_t)w->n_distinct;
    w->distinct[w->n_distinct++] = *row;
    return 0;
}

/* Checks the number on line 2. rows grows by doubling, so a wrong number allocates nothing. */
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

/* Marks are row indices, which can be checked after all rows are read. */
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

/* Closes the source in any case. */
static int read_src(struct asim_simai *w, struct asim_src *src, struct asim_err *err)
{
    uint64_t rows = 0;
    w->source = strdup(src->name);
    int rc = w->source ? asim_simai_header(w, src, &rows, err)
                       : asim_err_nomem(err, "reading a workload");
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

/* On failure *w is empty. */
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

/* No key word begins with another and a blank, so the first match is right. */
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

/* i is below n_rows; the row lives as long as the workload. */
const struct asim_simai_row *asim_simai_row(const struct asim_simai *w, uint32_t i)
{
    return &w->distinct[w->rows[i]];
}

void asim_simai_fini(struct asim_simai *w)
{
    ASIM_FREE(w->source, w->checkpoints, w->initiates, w->distinct, w->rows);
    memset(w, 0, sizeof *w);
}
