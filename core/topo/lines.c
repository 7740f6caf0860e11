/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Switch ids and links as text. ASTRA-sim does not check these words: it drops links without a word
 * if the count is too small, and makes links of random memory if the count is too large. This
 * reader checks each word.
 *
 * All functions take the source by its cursor and leave the cursor behind the words taken. On
 * failure the topology is incomplete and the caller frees it; the error has the line of the word.
 */
#include "topo/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "asim/topology.h"

/* A short file ends after the line of its last word, hence src->line. */
int asim_lines_refuse(const struct asim_src *src, const char *word, const char *what,
                      struct asim_err *err)
{
    char shown[64];

    if (!word)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, src->line, 0},
                           "the file ends where %s is expected; is it cut short, or a count of its "
                           "header too large?",
                           what);
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src), "found '%s' where %s is expected.",
                       asim_text_safe(shown, sizeof shown, word), what);
}

/* what: the noun of the sentence, "the number of nodes". */
int asim_lines_u64(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err)
{
    const char *word = asim_src_word(src);

    if (!word || asim_text_u64(word, out))
        return asim_lines_refuse(src, word, what, err);
    return 0;
}

/* Checks the id against the header at once, so that the error has its line. Writes *node on success
 * only. */
static int read_node(const struct asim_topo *topo, struct asim_src *src, const char *what,
                     uint32_t *node, struct asim_err *err)
{
    uint64_t id = 0;
    int rc = asim_lines_u64(src, what, &id, err);

    if (rc)
        return rc;
    if (id >= topo->nodes)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found node %" PRIu64 ", but the header announces %" PRIu32
                           " nodes, numbered 0 to %" PRIu32 ".",
                           id, topo->nodes, topo->nodes - 1);
    *node = (uint32_t)id;
    return 0;
}

/* All nodes start as hosts; each listed id becomes a switch, once. */
int asim_lines_switches(struct asim_topo *topo, struct asim_src *src, uint64_t n, uint8_t kind,
                        struct asim_err *err)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t id = 0;
        int rc = read_node(topo, src, "the id of a switch", &id, err);

        if (rc)
            return rc;
        if (topo->node_type[id] != ASIM_HOST)
            return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                               "switch %" PRIu32 " is listed twice.", id);
        topo->node_type[id] = kind;
    }
    return 0;
}

/* Reads the words after the first node. ns-3 reads a rate without unit as bit/s; here it is an
 * error: a forgotten unit. */
static int read_rest(struct asim_topo *topo, struct asim_src *src, uint32_t a, struct asim_err *err)
{
    struct asim_link link = {.a = a};
    const char *word;
    int rc = read_node(topo, src, "the second node of a link", &link.b, err);

    if (rc)
        return rc;
    if (link.a == link.b)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "this link joins node %" PRIu32
                           " to itself; remove it, or name the other end.",
                           link.a);
    word = asim_src_word(src);
    if (!word || asim_text_rate(word, &link.rate_bps) || !link.rate_bps)
        return asim_lines_refuse(
            src, word, "a link rate above 0 with its unit, as 400Gbps, and below 2^64 bit/s", err);
    word = asim_src_word(src);
    if (!word || asim_text_time(word, &link.delay_fs))
        return asim_lines_refuse(
            src, word, "a link delay with its unit, as 0.0005ms, and of 0 or at least 1 fs", err);
    word = asim_src_word(src);
    if (!word || asim_text_double(word, &link.error_rate) ||
        !(link.error_rate >= 0 && link.error_rate <= 1))
        return asim_lines_refuse(src, word, "a link error rate from 0 to 1", err);
    return asim_topo_link(topo, &link, err);
}

/* The five words may be on any lines. If one is wrong, the first link that continued on another
 * line probably lacks a word. *split: the line where that link began, or 0. */
static int read_link(struct asim_topo *topo, struct asim_src *src, unsigned *split,
                     struct asim_err *err)
{
    uint32_t a = 0;
    unsigned line;
    int rc = read_node(topo, src, "the first node of a link", &a, err);

    if (!rc) {
        line = src->word_line;
        rc = read_rest(topo, src, a, err);
        *split = !*split && src->word_line > line ? line : *split;
    }
    if (rc && err && *split)
        snprintf(err->text + strlen(err->text), sizeof err->text - strlen(err->text),
                 " The link on line %u has fewer than five words there.", *split);
    return rc;
}

int asim_lines_check_hosts(const struct asim_topo *topo, const struct asim_src *src, uint64_t hosts,
                           struct asim_err *err)
{
    for (uint32_t v = 0; v < hosts; v++)
        if (topo->node_type[v] != ASIM_HOST)
            return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                               "node %" PRIu32 " is listed as a switch, but the %" PRIu64
                               " hosts must be numbered 0 to %" PRIu64
                               " and switches after them, because rank r runs on node r.",
                               v, hosts, hosts - 1);
    return 0;
}

/* Words after the last link are an error: ASTRA-sim drops them if the count is too small. */
int asim_lines_links(struct asim_topo *topo, struct asim_src *src, uint64_t n, struct asim_err *err)
{
    const char *word;
    char shown[64];
    unsigned split = 0;

    for (uint64_t i = 0; i < n; i++) {
        int rc = read_link(topo, src, &split, err);

        if (rc)
            return rc;
    }
    word = asim_src_word(src);
    if (!word)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                       "found '%s' behind the %" PRIu64
                       " links the header announces; raise the number of links or remove the rest.",
                       asim_text_safe(shown, sizeof shown, word), n);
}

/* 17 digits keep a double unchanged. */
void asim_lines_write_links(const struct asim_topo *topo, struct asim_out *out)
{
    char rate[48], delay[48], error[32];

    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *link = &topo->links[i];

        asim_out_printf(out, "%" PRIu32 " %" PRIu32 " %s %s %s\n", link->a, link->b,
                        asim_topo_show_rate(rate, sizeof rate, link->rate_bps),
                        asim_topo_show_delay(delay, sizeof delay, link->delay_fs),
                        asim_topo_show_real(error, sizeof error, link->error_rate));
    }
}
