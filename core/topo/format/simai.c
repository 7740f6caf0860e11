/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Topology files in SimAI's format (simai.md#topology-file,
 * rdma-network.md#topology-files-of-simai): nodes gpus_per_server nvswitches switches links
 * gpu_type ids of the NVSwitches, then of the switches src dst rate delay error_rate        (one
 * line per link)
 *
 * Line breaks have no meaning, as in SimAI. SimAI checks nothing: a short file gives garbage links,
 * and a wrong count drops lines without a word. This reader refuses both and reports the line.
 * Comments (# and //) are allowed here.
 *
 * The writer puts a blank after the last id, as SimAI's generator does: the files are equal byte
 * for byte. A topology without servers is written as servers of one GPU, and an unknown GPU type as
 * NONE, which is SimAI's word.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/io/out.h"
#include "base/io/src.h"
#include "topo/build.h"
#include "topo/lines.h"

/* gpu_type points into the source and is valid until the source is closed. */
struct header {
    uint64_t nodes, server, nvsw, switches, links;
    const char *gpu_type;
};

/* Five counts and a word; each has its own name in errors. */
static int read_header(struct asim_src *src, struct header *h, struct asim_err *err)
{
    const struct {
        uint64_t *at;
        const char *what;
    } fields[] = {{&h->nodes, "the number of nodes"},
                  {&h->server, "the number of GPUs per server"},
                  {&h->nvsw, "the number of NVSwitches"},
                  {&h->switches, "the number of switches"},
                  {&h->links, "the number of links"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int rc = asim_lines_u64(src, fields[i].what, fields[i].at, err);
        if (rc)
            return rc;
    }
    h->gpu_type = asim_src_word(src);
    if (!h->gpu_type)
        return asim_lines_refuse(src, NULL, "the GPU type", err);
    if (strlen(h->gpu_type) >= sizeof((struct asim_topo *)0)->gpu_type)
        return asim_lines_refuse(src, h->gpu_type, "a GPU type of at most 15 letters", err);
    return 0;
}

/* All servers have the same number of GPUs in this format. */
static int check_header(const struct asim_src *src, const struct header *h, struct asim_err *err)
{
    struct asim_where at = asim_src_where(src);
    if (h->nodes > ASIM_BUILD_MAX_NODES || h->links > ASIM_BUILD_MAX_LINKS)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "the header announces %" PRIu64 " nodes and %" PRIu64
                           " links; at most %" PRIu64 " and %" PRIu64 " are read.",
                           h->nodes, h->links, ASIM_BUILD_MAX_NODES, ASIM_BUILD_MAX_LINKS);
    if (h->nvsw >= h->nodes || h->switches >= h->nodes - h->nvsw)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "of %" PRIu64 " nodes %" PRIu64 " are NVSwitches and %" PRIu64
                           " are switches, which leaves no GPU.",
                           h->nodes, h->nvsw, h->switches);
    uint64_t gpus = h->nodes - h->nvsw - h->switches;
    if (!h->server || gpus % h->server)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "%" PRIu64 " GPUs are no whole number of servers of %" PRIu64
                           ": a server needs at least one GPU, and each the same number.",
                           gpus, h->server);
    return 0;
}

/* NVSwitch ids come before switch ids, with or without a line break between them. */
static int read_all(struct asim_topo *topo, struct asim_src *src, struct asim_err *err)
{
    struct header h;
    int rc = read_header(src, &h, err);
    if (!rc)
        rc = check_header(src, &h, err);
    if (!rc)
        rc = asim_topo_nodes(topo, (uint32_t)h.nodes, err);
    if (!rc)
        rc = asim_lines_switches(topo, src, h.nvsw, ASIM_NVSWITCH, err);
    if (!rc)
        rc = asim_lines_switches(topo, src, h.switches, ASIM_SWITCH, err);
    if (!rc)
        rc = asim_lines_check_hosts(topo, src, h.nodes - h.nvsw - h.switches, err);
    if (!rc)
        rc = asim_lines_links(topo, src, h.links, err);
    if (rc)
        return rc;
    topo->gpus_per_server = (uint32_t)h.server;
    if (strcmp(h.gpu_type, "NONE"))
        snprintf(topo->gpu_type, sizeof topo->gpu_type, "%s", h.gpu_type);
    return 0;
}

/* Returns the end of the line at `at`; *stop is the end of its words, before a comment. The text
 * stays unchanged and needs no NUL. */
static const char *line_end(const char *at, const char *end, const char **stop)
{
    *stop = NULL;
    for (; at < end && *at != '\n'; at++)
        if (!*stop && (*at == '#' || (*at == '/' && at + 1 < end && at[1] == '/')))
            *stop = at;
    if (!*stop)
        *stop = at;
    return at;
}

/* Counts the words; *sixth points at the sixth. */
static int count_words(const char *at, const char *stop, const char **sixth)
{
    int words = 0;
    while (at < stop) {
        while (at < stop && asim_src_is_blank(*at))
            at++;
        if (at < stop && ++words == 6)
            *sixth = at;
        while (at < stop && !asim_src_is_blank(*at))
            at++;
    }
    return words;
}

/* The first line with words has six or more, and the sixth is not a number. */
static int sniff(const char *data, size_t size)
{
    const char *at = data, *end = data + size, *stop, *sixth = data;
    if (size >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3))
        at += 3;
    while (at < end) {
        const char *next = line_end(at, end, &stop);
        int words = count_words(at, stop, &sixth);
        if (words && strchr("<{", at[strspn(at, " \t")]))
            return 0; /* XML and JSON */
        if (words)
            return words >= 6 && (*sixth < '0' || *sixth > '9');
        at = next + 1;
    }
    return 0;
}

/* SimAI takes the first `nvswitches` ids as NVSwitches. */
static void write_ids(const struct asim_topo *topo, struct asim_out *out)
{
    for (int kind = ASIM_NVSWITCH; kind >= ASIM_SWITCH; kind--)
        for (uint32_t v = 0; v < topo->nodes; v++)
            if (topo->node_type[v] == kind)
                asim_out_printf(out, "%u ", v);
    asim_out_printf(out, "\n");
}

/* Equal to the file of SimAI's generator for the same network, byte for byte. */
static int write_file(const struct asim_topo *topo, const char *path, struct asim_err *err)
{
    struct asim_out out;
    uint32_t nvsw = 0;
    int rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    for (uint32_t v = 0; v < topo->nodes; v++)
        nvsw += topo->node_type[v] == ASIM_NVSWITCH;
    asim_out_printf(&out, "%u %u %u %u %zu %s\n", topo->nodes,
                    topo->gpus_per_server ? topo->gpus_per_server : 1, nvsw, topo->switches - nvsw,
                    topo->n_links, topo->gpu_type[0] ? topo->gpu_type : "NONE");
    write_ids(topo, &out);
    asim_lines_write_links(topo, &out);
    return asim_out_commit(&out, err);
}

const struct asim_topo_format asim_topo_format_simai = {
    .member = {"simai", "SimAI flavour: servers, NVSwitches and GPU type in the header.", NULL, 0},
    .sniff = sniff,
    .read = read_all,
    .write = write_file,
};
