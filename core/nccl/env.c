/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's variables that change a plan, from the environment or from a file in the form of
 * nccl.conf: lines NAME=VALUE, # before a comment.
 */
#include "asim/machine.h"
#include "base/diagnostics.h"
#include "base/io/src.h"
#include "base/text.h"
#include "base/io/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

#define ROW(...) ASIM_OPTION(struct asim_nccl_env, __VA_ARGS__)
static const struct asim_option rows[] = {
    ROW("NCCL_ALGO", STRING, algo, "algorithms, as ring,tree or ^nvls or allreduce:tree"),
    ROW("NCCL_PROTO", STRING, proto, "protocols, likewise"),
    ROW("NCCL_MIN_NCHANNELS", I64, min_channels, "fewest channels"),
    ROW("NCCL_MAX_NCHANNELS", I64, max_channels, "most channels"),
    ROW("NCCL_CROSS_NIC", I64, cross_nic, "1: rings may change rails", .def = "-1", .min = -1,
        .max = 2),
    ROW("NCCL_IB_QPS_PER_CONNECTION", I64, qps, "queue pairs of a connection", .def = "1", .min = 1,
        .max = 128),
    ROW("NCCL_P2P_NET_CHUNKSIZE", I64, p2p_chunk, "bytes of a send's chunk over a NIC",
        .def = "131072", .min = 1, .max = 1 << 30),
    ROW("NCCL_BUFFSIZE", I64, buffer, "bytes of a channel's buffer", .def = "4194304", .min = 4096,
        .max = 1 << 30),
    ROW("NCCL_NVLS_ENABLE", I64, nvls, "0: no NVLS", .def = "2", .max = 2),
    ROW("NCCL_PXN_DISABLE", I64, pxn_disable, "1: no PXN", .max = 1),
    {0}};

/* --- lists of algorithms and protocols ----------------------------------------------------------
 */

/* A word of NCCL and its bit; without a bit it is one that asim does not model. */
struct word {
    const char *text;
    uint32_t bit;
};
static const struct word algo_words[] = {{"ring", 1u << ASIM_NCCL_RING},
                                         {"tree", 1u << ASIM_NCCL_TREE},
                                         {"nvls", 1u << ASIM_NCCL_NVLS},
                                         {"nvlstree", 1u << ASIM_NCCL_NVLS_TREE},
                                         {"collnetdirect", 0},
                                         {"collnetchain", 0},
                                         {"pat", 0},
                                         {NULL, 0}};
static const struct word proto_words[] = {{"simple", 1u << ASIM_NCCL_SIMPLE},
                                          {"ll", 1u << ASIM_NCCL_LL},
                                          {"ll128", 1u << ASIM_NCCL_LL128},
                                          {NULL, 0}};
static const struct word function_words[] = {{"allreduce", 1u << ASIM_NCCL_ALL_REDUCE},
                                             {"allgather", 1u << ASIM_NCCL_ALL_GATHER},
                                             {"reducescatter", 1u << ASIM_NCCL_REDUCE_SCATTER},
                                             {"broadcast", 1u << ASIM_NCCL_BROADCAST},
                                             {"reduce", 1u << ASIM_NCCL_REDUCE},
                                             {NULL, 0}};

/* Bits of a list of words, "^a,b": all but a and b. 0, or EINVAL with *bad set to the word. */
static int read_list(char *list, const struct word *words, uint32_t *bits, const char **bad)
{
    char *rest = NULL;
    int inverted = *list == '^';

    *bits = 0;
    for (char *text = strtok_r(list + inverted, ",", &rest); text;
         text = strtok_r(NULL, ",", &rest)) {
        const struct word *word = words;

        while (word->text && strcasecmp(word->text, text))
            word++;
        *bad = text;
        if (!word->text)
            return ASIM_EINVAL;
        *bits |= word->bit;
    }
    if (inverted)
        *bits = ~*bits;
    return 0;
}

/* "ring,tree", or "allreduce:tree;allgather,broadcast:ring": by function. */
static int read_choice(const char *key, const char *value, const struct word *words,
                       uint32_t allowed[ASIM_NCCL_OPS], struct asim_err *err)
{
    char *copy = strdup(value), *rest = NULL, safe[40];
    const char *bad = "";
    int rc = copy ? 0 : asim_err_nomem(err, "reading variables of NCCL");

    for (char *part = copy ? strtok_r(copy, ";", &rest) : NULL; part && !rc;
         part = strtok_r(NULL, ";", &rest)) {
        char *colon = strchr(part, ':');
        uint32_t functions = UINT32_MAX, bits = 0;

        if (colon)
            *colon = '\0';
        if (colon)
            rc = read_list(part, function_words, &functions, &bad);
        if (!rc)
            rc = read_list(colon ? colon + 1 : part, words, &bits, &bad);
        if (rc)
            asim_err_set(err, rc, "%s: '%s' is none of NCCL's words: %s", key,
                         asim_text_safe(safe, sizeof safe, bad),
                         words == algo_words
                             ? "ring, tree, nvls, nvlstree, collnetdirect, collnetchain, pat, with "
                               "^ before a list of others, behind a function as allreduce:"
                             : "simple, ll, ll128, with ^ before a list of others, behind a "
                               "function as allreduce:");
        for (int op = 0; op < ASIM_NCCL_OPS; op++)
            if (functions >> op & 1)
                allowed[op] = bits;
    }
    free(copy);
    return rc;
}

/* --- variables ----------------------------------------------------------------------------------
 */

struct reading {
    struct asim_nccl_env *env;
    const struct asim_diagnostics *notes;
    uint8_t seen[sizeof rows / sizeof *rows];
    char unknown[400]; /* names with ", " between them */
};

static void add_unknown(struct reading *r, const char *name, size_t n)
{
    size_t used = strlen(r->unknown);

    if (used + n + 3 < sizeof r->unknown) {
        memcpy(r->unknown + used, ", ", 3);
        strncat(r->unknown, name, n);
    }
}

/* "NAME=VALUE"; in the environment, names of others are ignored. The first line of a name counts,
 * as in NCCL. */
static int take(struct reading *r, const char *text, struct asim_where at, struct asim_err *err)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    const struct asim_option *row;
    char name[64];

    if ((strncmp(text, "NCCL_", 5) && !at.line) || n >= sizeof name)
        return 0;
    if (!equals)
        return asim_err_at(err, ASIM_EINVAL, at, "'%s' is not NAME=VALUE.", text);
    memcpy(name, text, n);
    name[n] = '\0';
    row = asim_option_find(rows, name);
    if (row && r->seen[row - rows]++) {
        asim_diagnose(r->notes, "%s:%u: %s was set before; the first one counts", at.source,
                      at.line, name);
        return 0;
    }
    if (row)
        return asim_option_set(rows, r->env, (struct asim_key_value){name, equals + 1}, at, err);
    add_unknown(r, name, n);
    return 0;
}

static int take_file(struct reading *r, const char *path, struct asim_err *err)
{
    struct asim_src src;
    int rc = asim_src_open(&src, path, err);

    if (rc)
        return rc;
    while (!rc && asim_src_next_line(&src))
        for (char *word; !rc && (word = asim_src_word_in_line(&src)) != NULL;)
            rc = take(r, word, asim_src_where(&src), err);
    asim_src_close(&src);
    return asim_foreign_instead(rc, path, NULL, err);
}

int asim_nccl_env_read(struct asim_nccl_env *env, const char *path,
                       const struct asim_diagnostics *notes, struct asim_err *err)
{
    struct reading r = {.env = env, .notes = notes};
    int rc = asim_option_defaults(rows, env, err);

    for (int op = 0; op < ASIM_NCCL_OPS; op++)
        env->algos[op] = env->protos[op] = UINT32_MAX;
    if (!rc && path)
        rc = take_file(&r, path, err);
    for (char **text = environ; !path && text && *text && !rc; text++)
        rc = take(&r, *text, (struct asim_where){"the environment", 0, 0}, err);
    if (!rc && env->algo)
        rc = read_choice("NCCL_ALGO", env->algo, algo_words, env->algos, err);
    if (!rc && env->proto)
        rc = read_choice("NCCL_PROTO", env->proto, proto_words, env->protos, err);
    if (!rc && *r.unknown)
        asim_diagnose(notes, "variables of NCCL that asim does not model: %s", r.unknown + 2);
    return rc;
}

void asim_nccl_env_fini(struct asim_nccl_env *env)
{
    asim_option_fini(rows, env);
}

size_t asim_nccl_env_text(char *buf, size_t size)
{
    size_t used = 0;

    for (const struct asim_option *row = rows; row->key; row++) {
        const char *value = getenv(row->key);
        size_t left = used < size ? size - used : 0;

        if (value)
            used += (size_t)snprintf(left ? buf + used : NULL, left, "%s=%s\n", row->key, value);
    }
    return used;
}
