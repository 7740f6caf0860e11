/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The format of HPCC and ASTRA-sim (rdma-network.md#topology-files): "nodes switches links", the
 * ids of the switches, then one line per link. Line breaks have no meaning, as in ASTRA-sim;
 * comments and empty lines are allowed, too. Hosts must be nodes 0 to k-1 (rank = node id); the
 * reader checks this and reports the line. An NVSwitch is a plain switch in this format, so writing
 * loses that distinction.
 *
 * A file that is read and written has the same links in the same order, hence the same ports and
 * the same results; comments are lost.
 */

#include <inttypes.h>
#include "base/io/out.h"
#include "base/io/src.h"
#include "topo/build.h"
#include "topo/lines.h"

/* Independent of the locale. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the start of the first line that has a word, after a byte order mark, blanks and
 * comments, or size if there is none. */
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

/* The first word is a number, and the line has no sixth word that is not a number: SimAI's GPU
 * type. */
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

/* The counts of the first line, in 64 bits until they are checked. */
struct header {
    uint64_t nodes, switches, links;
};

/* Checks the limits before anything is allocated: a slip in a count must not allocate terabytes. */
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

/* The order of the links keeps the port numbers. */
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
