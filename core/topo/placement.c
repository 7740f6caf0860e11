/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Renumbers hosts so that rank r runs on host r. Links keep their order, so ports and the order of
 * simultaneous events are those of the topology as it was read. All steps are linear.
 */
#include "topo/placement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/src.h"
#include "base/text.h"
#include "topo/lines.h"
#include "base/io/foreign.h"

#define NONE UINT32_MAX

/* A list on the command line is text of one line, whose commas become blanks. */
static int open_list(struct asim_src *src, const char *text, struct asim_err *err)
{
    int code;

    if (text[strspn(text, "0123456789,")])
        return asim_src_open(src, text, err);
    code = asim_src_open_bytes(src, "--placement", text, strlen(text), err);
    for (size_t i = 0; !code && i < src->size; i++)
        if (src->data[i] == ',')
            src->data[i] = ' ';
    return code;
}

/* shown[r]: host of rank r; internal[host]: r. */
static int read_list(const struct asim_topo *topo, struct asim_src *src, uint32_t ranks,
                     struct asim_err *err)
{
    for (uint32_t r = 0; r < ranks; r++) {
        uint64_t host = 0;
        const char *word = asim_src_word(src);

        if (!word)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, 0, 0},
                               "it names %" PRIu32 " hosts, but the run has %" PRIu32 " ranks.", r,
                               ranks);
        if (asim_text_u64(word, &host))
            return asim_lines_refuse(src, word, "the host of a rank", err);
        if (host >= topo->hosts)
            return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                               "found host %" PRIu64 " for rank %" PRIu32
                               ", but the topology has hosts 0 to %" PRIu32 ".",
                               host, r, topo->hosts - 1);
        if (topo->internal[host] != NONE)
            return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                               "found host %" PRIu64 " for the ranks %" PRIu32 " and %" PRIu32
                               ": a host runs one rank.",
                               host, topo->internal[host], r);
        topo->shown[r] = (uint32_t)host;
        topo->internal[host] = r;
    }
    if (asim_src_word(src))
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found a further host behind those of the %" PRIu32 " ranks of the run.",
                           ranks);
    return 0;
}

static void place_others(struct asim_topo *topo, uint32_t ranks)
{
    for (uint32_t host = 0, next = ranks; host < topo->hosts; host++)
        if (topo->internal[host] == NONE) {
            topo->shown[next] = host;
            topo->internal[host] = next++;
        }
}

static uint32_t renumber(const struct asim_topo *topo, uint32_t node)
{
    return node < topo->hosts ? topo->internal[node] : node;
}

/* The arrays of asim_topo.shown and .internal, without any rank yet. */
static int make_numbers(struct asim_topo *topo, struct asim_err *err)
{
    topo->shown = calloc((size_t)topo->nodes + 1, sizeof *topo->shown);
    topo->internal = malloc(((size_t)topo->nodes + 1) * sizeof *topo->internal);
    if (!topo->shown || !topo->internal)
        return asim_err_nomem(err, "placing ranks on hosts");
    memset(topo->internal, 0xff, ((size_t)topo->hosts + 1) * sizeof *topo->internal);
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        topo->shown[v] = topo->internal[v] = v;
    return 0;
}

static int move_hosts(struct asim_topo *topo, uint32_t ranks, struct asim_err *err)
{
    place_others(topo, ranks);
    for (size_t l = 0; l < topo->n_links; l++) {
        topo->links[l].a = renumber(topo, topo->links[l].a);
        topo->links[l].b = renumber(topo, topo->links[l].b);
    }
    return asim_topo_finish(topo, err);
}

int asim_topo_place(struct asim_topo *topo, const char *text, uint32_t ranks, struct asim_err *err)
{
    struct asim_src src;
    int code = open_list(&src, text, err);

    if (code)
        return code;
    code = make_numbers(topo, err);
    if (!code)
        code = read_list(topo, &src, ranks, err);
    asim_src_close(&src);
    return code ? asim_foreign_instead(code, text, NULL, err) : move_hosts(topo, ranks, err);
}

int asim_topo_place_at(struct asim_topo *topo, const uint32_t *host, uint32_t ranks,
                       struct asim_err *err)
{
    int code = make_numbers(topo, err);

    for (uint32_t r = 0; r < ranks && !code; r++) {
        topo->shown[r] = host[r];
        topo->internal[host[r]] = r;
    }
    return code ? code : move_hosts(topo, ranks, err);
}
