/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads layer files. chakra_converter takes an unknown collective, and NONE, as an all-reduce. Here
 * an unknown word is an error that names the most similar word: a slip would otherwise simulate
 * something else. Header keys may come in any order.
 */
#include "text/layers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

#define MAX_LAYERS 1000000u /* 150 MB; no published file has more than 2,000 */

static const char *const kinds[ASIM_LAYERS_KINDS] = {
    "MICRO",
    "DATA",
    "MODEL",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "HYBRID_TRANSFORMER",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    "HYBRID_CUSTOMIZED",
    "DATA_REORDER",
    "DISTRIBUTED_INFERENCE",
};

static const char *const comm_words[] = {"NONE", "ALLREDUCE", "ALLGATHER", "ALLTOALL",
                                         "REDUCESCATTER"};
static const int comm_types[] = {ASIM_LAYERS_NO_COMM, 0, 2, 6, 7};
#define COMM_WORDS (sizeof comm_words / sizeof *comm_words)

/* Keeps lists of layer numbers until the layers are known. */
struct header {
    uint64_t *numbers[2]; /* checkpoints, initiates */
    size_t n[2];
};

struct reading {
    struct asim_layers *layers;
    struct asim_err *err;
    int compat;
    struct header header;
};

const char *asim_layers_kind_name(int kind)
{
    return kind >= 0 && kind < ASIM_LAYERS_KINDS ? kinds[kind] : "?";
}

/* Returns the index of the word, or -1. Case matters, as in ASTRA-sim 1.0. */
static int find_kind(const char *word)
{
    for (int i = 0; i < ASIM_LAYERS_KINDS; i++)
        if (!strcmp(kinds[i], word))
            return i;
    return -1;
}

/* "expected <what>, found '<word>'", or that the file ends. */
static int refuse(struct reading *r, const char *word, const char *what)
{
    struct asim_where at = asim_src_where(&r->layers->src);
    char safe[60];
    if (!word)
        return asim_err_at(r->err, ASIM_EINVAL, at, "the file ends where %s is expected.", what);
    return asim_err_at(r->err, ASIM_EINVAL, at, "found '%s' where %s is expected.",
                       asim_text_safe(safe, sizeof safe, word), what);
}

/* Times and sizes become signed 64-bit attributes; a larger one is refused here, with its line. */
static int read_u64(struct reading *r, const char *what, uint64_t *out)
{
    const char *word = asim_src_word(&r->layers->src);
    if (!word || asim_text_u64(word, out) || *out > INT64_MAX)
        return refuse(r, word, what);
    return 0;
}

/* --- header --- */

static int read_list(struct reading *r, int which)
{
    uint64_t n;
    struct header *h = &r->header;
    int rc = read_u64(r, "how many layer numbers follow", &n);
    if (rc)
        return rc;
    if (n > MAX_LAYERS || h->numbers[which])
        return refuse(r, h->numbers[which] ? "a second list" : "a longer list",
                      "one list of at most 1,000,000 layers");
    h->numbers[which] = calloc(n ? n : 1, sizeof *h->numbers[which]);
    if (!h->numbers[which])
        return asim_err_nomem(r->err, "reading a layer file");
    for (h->n[which] = 0; h->n[which] < n && !rc; h->n[which]++)
        rc = read_u64(r, "a layer number", &h->numbers[which][h->n[which]]);
    return rc;
}

/* Recognises a SimAI header, which is not a slip: those files are workloads already. */
static int refuse_key(struct reading *r, const char *word)
{
    static const char *const known[] = {
        "model_parallel_NPU_group:", "checkpoints:", "checkpoint_initiates:"};
    static const char *const simai[] = {
        "ep:", "pp:", "vpp:", "ga:", "all_gpus:", "pp_comm:", "pp_comm"};
    char safe[60], hint[100];
    for (size_t i = 0; i < sizeof simai / sizeof *simai; i++)
        if (!strncmp(word, simai[i], strlen(simai[i])))
            return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->layers->src),
                               "'%s' is a key of a SimAI workload, which needs no conversion: "
                               "simulate the file as it is.",
                               asim_text_safe(safe, sizeof safe, word));
    return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->layers->src),
                       "unknown header key '%s'.%s", asim_text_safe(safe, sizeof safe, word),
                       asim_text_hint(hint, sizeof hint, asim_text_nearest(word, known, 3)));
}

/* The rest of line 1 of the transformer types. */
static int read_keys(struct reading *r)
{
    struct asim_layers *layers = r->layers;
    const char *word;
    int rc = 0;
    while (!rc && (word = asim_src_word_in_line(&layers->src))) {
        if (!strcmp(word, "model_parallel_NPU_group:"))
            rc = read_u64(r, "the number of NPUs of a model-parallel group", &layers->group);
        else if (!strcmp(word, "checkpoints:"))
            rc = read_list(r, 0);
        else if (!strcmp(word, "checkpoint_initiates:"))
            rc = read_list(r, 1);
        else
            rc = refuse_key(r, word);
    }
    return rc;
}

/* chakra_converter treats both spellings as one type, and so does ASTRA-sim 1.0 except for the
 * numbers. */
static int is_dlrm(int kind)
{
    return kind == ASIM_LAYERS_DLRM || kind == ASIM_LAYERS_DLRM_ENHANCED;
}

/* It must be on line 1: otherwise the number of the next line would be read for it. */
static int read_last_bottom(struct reading *r)
{
    const char *word = asim_src_word_in_line(&r->layers->src);
    if (!word || asim_text_u64(word, &r->layers->last_bottom) || r->layers->last_bottom > INT64_MAX)
        return refuse(r, word ? word : "the end of the line",
                      "the number of the last bottom layer");
    return 0;
}

static int read_kind(struct reading *r)
{
    struct asim_layers *layers = r->layers;
    const char *word = asim_src_word(&layers->src);
    size_t known = r->compat ? ASIM_LAYERS_OLD + 1 : ASIM_LAYERS_KINDS;
    char safe[60], hint[100], list[400];
    if (!word)
        return refuse(r, word, "the kind of parallelism");
    layers->kind = find_kind(word);
    if (layers->kind < 0)
        return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&layers->src),
                           "unsupported parallelism type '%s'.%s Known are %s.",
                           asim_text_safe(safe, sizeof safe, word),
                           asim_text_hint(hint, sizeof hint, asim_text_nearest(word, kinds, known)),
                           asim_text_list(list, sizeof list, kinds, known));
    if (r->compat && layers->kind > ASIM_LAYERS_OLD)
        return asim_err_at(
            r->err, ASIM_EINVAL, asim_src_where(&layers->src),
            "unsupported parallelism type '%s', as in chakra_converter; it works with --compat=0.",
            word);
    if (is_dlrm(layers->kind))
        return read_last_bottom(r);
    if (layers->kind == ASIM_LAYERS_TRANSFORMER || layers->kind == ASIM_LAYERS_FWD_IN_BCKWD)
        return read_keys(r);
    return 0;
}

/* --- layers --- */

static int read_comm(struct reading *r, struct asim_layer_comm *comm)
{
    char safe[60], hint[100];
    size_t i = 0;
    comm->word = asim_src_word(&r->layers->src);
    if (!comm->word)
        return refuse(r, NULL, "a collective");
    while (i < COMM_WORDS && strcmp(comm_words[i], comm->word))
        i++;
    if (i == COMM_WORDS && !r->compat)
        return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->layers->src),
                           "unknown collective '%s', expected NONE, ALLREDUCE, ALLGATHER, ALLTOALL "
                           "or REDUCESCATTER.%s",
                           asim_text_safe(safe, sizeof safe, comm->word),
                           asim_text_hint(hint, sizeof hint,
                                          asim_text_nearest(comm->word, comm_words, COMM_WORDS)));
    comm->type = i < COMM_WORDS ? comm_types[i] : 0;
    if (r->compat && comm->type == ASIM_LAYERS_NO_COMM)
        comm->type = 0;
    return read_u64(r, "the size of a collective in bytes", &comm->bytes);
}

/* Column 13. MICRO has no split, and the later types are not types of a layer. */
static int read_split(struct reading *r, struct asim_layer *layer)
{
    const char *word = asim_src_word_in_line(&r->layers->src);
    layer->kind = word ? find_kind(word) : -1;
    if (layer->kind < ASIM_LAYERS_DATA || layer->kind > ASIM_LAYERS_MODEL_DATA)
        return refuse(r, word ? word : "the end of the line",
                      "DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA of this layer");
    return 0;
}

/* Reads twelve columns and skips the rest of the line of the last one. */
static int read_layer(struct reading *r, struct asim_layer *layer, const char *name)
{
    static const char *const times[] = {"the forward time", "the input-gradient time",
                                        "the weight-gradient time"};
    struct asim_src *src = &r->layers->src;
    const char *word;
    uint64_t update;
    int rc = 0;
    layer->name = name;
    layer->kind = r->layers->kind;
    word = asim_src_word(src);
    if (!word)
        return refuse(r, word, "the reserved column of a layer");
    for (int part = 0; part < ASIM_LAYERS_PARTS && !rc; part++) {
        rc = read_u64(r, times[part], &layer->time[part]);
        if (!rc)
            rc = read_comm(r, &layer->comm[part]);
    }
    if (!rc)
        rc = read_u64(r, "the update time of a layer", &update);
    if (!rc && layer->kind == ASIM_LAYERS_CUSTOMIZED)
        rc = read_split(r, layer);
    while (!rc && asim_src_word_in_line(src))
        ;
    return rc;
}

/* Reads layers up to the stated number or, with compat, to the end of the file. */
static int read_layers(struct reading *r)
{
    struct asim_layers *layers = r->layers;
    size_t cap = 0;
    int rc = 0;
    while (!rc) {
        const char *name = asim_src_word(&layers->src);
        int is_full = !r->compat && layers->n == layers->stated;
        if (is_full && name)
            layers->ignored_line = layers->src.word_line;
        if (is_full || (!name && r->compat))
            break;
        if (!name)
            return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&layers->src),
                               "the file ends after %zu of the %" PRIu64 " layers it says it has.",
                               layers->n, layers->stated);
        if (layers->n == MAX_LAYERS)
            return refuse(r, name, "the end of the file after 1,000,000 layers, the most");
        if (asim_grow(&layers->at, &cap, layers->n + 1, sizeof *layers->at))
            return asim_err_nomem(r->err, "reading a layer file");
        memset(&layers->at[layers->n], 0, sizeof *layers->at);
        rc = read_layer(r, &layers->at[layers->n++], name);
    }
    if (!rc && !layers->n)
        return refuse(r, NULL, "a layer");
    return rc;
}

/* Turns the header's lists into marks on layers. */
static int set_marks(struct reading *r)
{
    struct asim_layers *layers = r->layers;
    struct asim_where at = {layers->src.name, 1, 0};
    unsigned char *marks = calloc(layers->n, 1);
    size_t first = SIZE_MAX;
    if (!marks)
        return asim_err_nomem(r->err, "reading a layer file");
    layers->marks = marks;
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < r->header.n[which]; i++) {
            uint64_t layer = r->header.numbers[which][i];
            if (layer >= layers->n)
                return asim_err_at(r->err, ASIM_EINVAL, at,
                                   "layer %" PRIu64 " is named, but layers are 0 to %zu.", layer,
                                   layers->n - 1);
            if (which == 0 && layer < first)
                first = (size_t)layer;
            if (which == 1 && layer < first)
                return asim_err_at(
                    r->err, ASIM_EINVAL, at,
                    "layer %" PRIu64
                    " initiates a recomputation, but no checkpoint stands at it or before it.",
                    layer);
            marks[layer] |= which ? ASIM_LAYERS_INITIATE : ASIM_LAYERS_CHECKPOINT;
        }
    }
    return 0;
}

/* Line ends as in Python's text files: the trace contains the text. */
static char *copy_text(const struct asim_src *src)
{
    char *text = malloc(src->size + 1);
    size_t n = 0;
    for (size_t i = 0; text && i < src->size; i++) {
        if (src->data[i] == '\r' && i + 1 < src->size && src->data[i + 1] == '\n')
            continue;
        text[n++] = src->data[i] == '\r' ? '\n' : src->data[i];
    }
    if (text)
        text[n] = 0;
    return text;
}

/* Copies the text first, because reading cuts words in place. */
int asim_layers_open(struct asim_layers *layers, const char *path, int compat, struct asim_err *err)
{
    struct reading r = {.layers = layers, .err = err, .compat = compat};
    int rc;
    memset(layers, 0, sizeof *layers);
    rc = asim_src_open(&layers->src, path, err);
    if (rc)
        return rc;
    layers->text = copy_text(&layers->src);
    if (!layers->text)
        rc = asim_err_nomem(err, "reading a layer file");
    if (!rc)
        rc = read_kind(&r);
    if (!rc)
        rc = read_u64(&r, "the number of layers", &layers->stated);
    if (!rc)
        rc = read_layers(&r);
    if (!rc)
        rc = set_marks(&r);
    ASIM_FREE(r.header.numbers[0], r.header.numbers[1]);
    if (rc)
        asim_layers_close(layers);
    return rc;
}

void asim_layers_close(struct asim_layers *layers)
{
    asim_src_close(&layers->src);
    ASIM_FREE(layers->text, layers->marks, layers->at);
    memset(layers, 0, sizeof *layers);
}
