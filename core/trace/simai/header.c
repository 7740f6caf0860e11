/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the header of SimAI's workload text (simai.md#header), and the numbers of header and
 * rows. Keys come in any order, each once: SimAI takes the last of two without a message. The
 * workload owns the lists of marks, also after a failure.
 */
#include "trace/simai/header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { MAX_ROWS = 1 << 24, MAX_MARKS = 1 << 20 };

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
int asim_simai_refuse(const struct asim_src *src, const char *word, const char *what,
                      struct asim_err *err)
{
    char safe[64];
    if (!word)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, src->word_line, 0},
                           "the line ends where %s is expected.", what);
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src), "found '%s' where %s is expected.",
                       asim_text_safe(safe, sizeof safe, word), what);
}

/* Tries whole numbers first: a double does not hold 64 bits of bytes. AICB writes some numbers with
 * a fraction of zero, which is dropped. Above 2^53 a double does not count single bytes. */
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

/* The columns of a row are on one line: a short row must not take words of the next. */
int asim_simai_bytes(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err)
{
    const char *word = asim_src_word_in_line(src);
    return !word || parse_amount(word, out) ? asim_simai_refuse(src, word, what, err) : 0;
}

/* 4.0 is 4; 4.5 is an error. */
int asim_simai_whole(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err)
{
    const char *word = asim_src_word_in_line(src);
    double value;
    if (!word || parse_amount(word, out) ||
        (*out < UINT64_C(1) << 53 && !asim_text_double(word, &value) && value != (double)*out))
        return asim_simai_refuse(src, word, what, err);
    return 0;
}

/* The first word of the file, by which the format is recognised. */
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

/* Reads "checkpoints: 2 4 9": a count and as many row indices. They are checked when the number of
 * rows is known; an index above 32 bits becomes one that fails that check. */
static int read_marks(struct asim_src *src, uint32_t **marks, uint32_t *n, struct asim_err *err)
{
    uint64_t count, mark;
    int rc = asim_simai_whole(src, "the number of layers behind it", &count, err);
    if (rc)
        return rc;
    if (count > MAX_MARKS)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "%" PRIu64 " layers are listed; at most %d are taken.", count,
                           MAX_MARKS);
    *marks = malloc((size_t)(count + 1) * sizeof **marks);
    if (!*marks)
        return asim_err_nomem(err, "reading a workload");
    for (uint64_t i = 0; i < count; i++) {
        rc = asim_simai_whole(src, "the number of a layer", &mark, err);
        if (rc)
            return rc;
        (*marks)[(*n)++] = mark < UINT32_MAX ? (uint32_t)mark : UINT32_MAX;
    }
    return 0;
}

/* A colon may follow the key. Counts above 2^24 are slips; 0 means "not stated". seen has a bit for
 * each key, to refuse a key that occurs twice. */
static int read_key(struct asim_simai *w, struct asim_src *src, char *key, unsigned *seen,
                    struct asim_err *err)
{
    static const char *const keys[] = {
        "model_parallel_NPU_group", "ep",     "pp", "vpp", "ga", "all_gpus", "checkpoints",
        "checkpoint_initiates",     "pp_comm"};
    enum { CHECKPOINTS = 6, INITIATES, PP_COMM, KEYS };
    uint32_t *const fields[] = {&w->tp, &w->ep, &w->pp, &w->vpp, &w->ga, &w->all_gpus};
    char safe[64];
    uint64_t value;
    size_t n = strlen(key), i = 0;
    if (n && key[n - 1] == ':')
        key[n - 1] = '\0';
    while (i < KEYS && strcmp(key, keys[i]))
        i++;
    if (i == KEYS)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "unknown key '%s' in the header. Known are model_parallel_NPU_group, "
                           "ep, pp, vpp, ga, all_gpus, checkpoints, checkpoint_initiates and "
                           "pp_comm.",
                           asim_text_safe(safe, sizeof safe, key));
    if (*seen & 1u << i)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "the key %s stands twice in the header; keep one.", key);
    *seen |= 1u << i;
    if (i == CHECKPOINTS)
        return read_marks(src, &w->checkpoints, &w->n_checkpoints, err);
    if (i == INITIATES)
        return read_marks(src, &w->initiates, &w->n_initiates, err);
    if (i == PP_COMM)
        return asim_simai_bytes(src, "a number of bytes behind pp_comm:", &w->pp_comm, err);
    int rc = asim_simai_whole(src, "a whole number behind that key", &value, err);
    if (!rc && value > 1 << 24)
        rc = asim_simai_refuse(src, "a larger number", "one of at most 16777216", err);
    *fields[i] = rc ? 0 : (uint32_t)value;
    w->zeros |= !rc && !value ? 1u << i : 0;
    return rc;
}

/* Reads the policy and "key: value" pairs up to the end of line 1, and the number of rows on line 2
 * (simai.md#header). */
int asim_simai_header(struct asim_simai *w, struct asim_src *src, uint64_t *rows,
                      struct asim_err *err)
{
    unsigned seen = 0;
    char *key;
    int rc = read_policy(w, src, err);
    while (!rc && (key = asim_src_word_in_line(src)))
        rc = read_key(w, src, key, &seen, err);
    if (rc)
        return rc;
    const char *word = asim_src_word(src);
    if (!word || asim_text_u64(word, rows))
        return asim_simai_refuse(src, word, "the number of rows", err);
    if (!*rows || *rows > MAX_ROWS)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "the file announces %" PRIu64 " rows; 1 to %d are taken.", *rows,
                           MAX_ROWS);
    word = asim_src_word_in_line(src);
    return word ? asim_simai_refuse(src, word, "the end of the line behind the number of rows", err)
                : 0;
}
