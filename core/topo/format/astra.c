/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The HPCC / ASTRA-sim flavour (spec rdma-network 5.1): "nodes switches links", the ids of the
 * switches, then a link a line. Line breaks mean nothing to the reference and nothing here;
 * comments and empty lines are accepted beside it. Hosts must be nodes 0 to k-1, as ASTRA-sim
 * needs them (rank = node id), and that is checked with its line rather than in the middle of a
 * run. An NVSwitch is a plain switch in this flavour, so writing one loses that
 * distinction, as ASTRA-sim's own files do.
 *
 * A file that is read and written again has the same links in the same order, hence the same ports
 * and the same results; comments are lost.
 */
#include "topo/topo.h"

#include <inttypes.h>
#include "base/io/out.h"
#include "base/io/src.h"
#include "topo/build.h"
#include "topo/lines.h"

/* ASCII, whatever the locale says. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Start of the first line that has a word, behind a byte order mark, blanks and comments.
 * Returns size where there is none. */
static size_t first_words(const char *data, size_t size)
{
    size_t i = size >= 3 && data[0] == '\xEF' && data[1] == '\xBB' && data[2] == '\xBF' ? 3 : 0;

    while (i < size) {
        int comment = data[i] == '#' || (data[i] == '/' && i + 1 < size && data[i + 1] == '/');

        if (!comment && data[i] != '\n' && !asim_src_is_blank(data[i]))
            break;
        while (comment && i + 1 < size && data[i + 1] != '\n')
            i++;
        i++;
    }
    return i;
}

/* A first word of digits, and no sixth word on that line that is none: SimAI's GPU type. */
static int sniff(const char *data, size_t size)
{
    size_t i = first_words(data, size);
    int words = 0;

    if (i >= size || !is_digit(data[i]))
        return 0;
    while (i < size && data[i] != '\n') {
        int comment = data[i] == '#' || (data[i] == '/' && i + 1 < size && data[i + 1] == '/');

        if (comment)
            return 1;
        if (++words == 6)
            return is_digit(data[i]);
        while (i < size && data[i] != '\n' && !asim_src_is_blank(data[i]))
            i++;
        while (i < size && asim_src_is_blank(data[i]))
            i++;
    }
    return 1;
}

/* Counts of the first line; 64 bits until they are checked. */
struct header {
    uint64_t nodes, switches, links;
};

/* Ceilings first: a slip in a count must not become an allocation of terabytes.
 * Three counts; nothing is allocated before they have been looked at. */
static int read_header(struct asim_src *src, struct header *h, struct asim_err *err)
{
    int rc = asim_lines_u64(src, "the number of nodes", &h->nodes, err);

    if (!rc)
        rc = asim_lines_u64(src, "the number of switches", &h->switches, err);
    if (!rc)
        rc = asim_lines_u64(src, "the number of links", &h->links, err);
    if (rc)
        return rc;
    if (h->nodes > ASIM_BUILD_MAX_NODES || h->links > ASIM_BUILD_MAX_LINKS)
        return asim_err_at(err, ASIM_ENOMEM, asim_src_where(src),
                           "the header announces %" PRIu64 " nodes and %" PRIu64
                           " links; at most %" PRIu64 " and %" PRIu64 " are read.",
                           h->nodes, h->links, ASIM_BUILD_MAX_NODES, ASIM_BUILD_MAX_LINKS);
    if (h->switches >= h->nodes)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "the header announces %" PRIu64 " nodes of which %" PRIu64
                           " are switches, which leaves no host.",
                           h->nodes, h->switches);
    return 0;
}

/* The order of the file. */
static int read_words(struct asim_topo *topo, struct asim_src *src, struct asim_err *err)
{
    struct header h;
    int rc = read_header(src, &h, err);

    if (!rc)
        rc = asim_topo_nodes(topo, (uint32_t)h.nodes, err);
    if (!rc)
        rc = asim_lines_switches(topo, src, h.switches, ASIM_SWITCH, err);
    if (!rc)
        rc = asim_lines_check_hosts(topo, src, h.nodes - h.switches, err);
    return rc ? rc : asim_lines_links(topo, src, h.links, err);
}

/* Ids on one line, links in their order: read back, ports have the same numbers. Appears whole or
 * not at all (base/out). */
static int write_file(const struct asim_topo *topo, const char *path, struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_out_open(&out, path, err);

    if (rc)
        return rc;
    asim_out_printf(&out, "%" PRIu32 " %" PRIu32 " %zu\n", topo->nodes, topo->switches,
                    topo->n_links);
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        asim_out_printf(&out, "%s%" PRIu32, v > topo->hosts ? " " : "", v);
    asim_out_printf(&out, "\n");
    asim_lines_write_links(topo, &out);
    return asim_out_commit(&out, err);
}

const struct asim_topo_format asim_topo_format_astra = {
    .member = {"astra", "HPCC and ASTRA-sim flavour: nodes, switches and links in the header.",
               NULL, 0},
    .sniff = sniff,
    .read = read_words,
    .write = write_file,
};
