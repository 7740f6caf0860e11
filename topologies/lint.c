/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The checks of `asim topo check`, one pass each. SimAI's runtime relies on the SimAI rules without
 * checking them (simai.md#topology-file): one NVSwitch per server, the NVSwitch of server s is node
 * G + s, ids below 65,536.
 */
#include "topologies/lint.h"

#include <inttypes.h>
#include <stdarg.h>
#include "asim/topology.h"

enum { SHOWN_PER_KIND = 4, FS_PER_NS = 1000000 };
#define MOST_DELAY_FS ((uint64_t)100000 * FS_PER_NS) /* 100 us: 20 km of fibre */

/* Reports the number of findings of one type that were only counted. */
static void close_kind(struct asim_lint *lint)
{
    if (lint->of_kind > SHOWN_PER_KIND)
        fprintf(lint->file, "  … and %u more: %s\n", lint->of_kind - SHOWN_PER_KIND,
                lint->kind + (lint->kind[0] == '!'));
    lint->of_kind = 0;
}

static void ASIM_PRINTF(3, 4) say(struct asim_lint *lint, const char *kind, const char *fmt, ...)
{
    int error = kind[0] == '!';
    va_list args;
    if (lint->kind != kind)
        close_kind(lint);
    lint->kind = kind;
    lint->errors += error;
    lint->warnings += !error;
    if (lint->of_kind++ >= SHOWN_PER_KIND)
        return;
    va_start(args, fmt);
    fprintf(lint->file, "  %s: ", error ? "error" : "warning");
    vfprintf(lint->file, fmt, args);
    fputc('\n', lint->file);
    va_end(args);
}

/* The number of ports of a node. */
static uint32_t degree(const struct asim_topo *topo, uint32_t v)
{
    return topo->first_port[v + 1] - topo->first_port[v];
}

/* A switch with one link is a dead end: no shortest path uses it. */
static void check_isolated(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char hosts[] = "!hosts without a link", switches[] = "useless switches";
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (!degree(topo, v))
            say(lint, hosts, "host %u has no link: its rank could never communicate.", v);
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        if (degree(topo, v) < 2)
            say(lint, switches, "switch %u has %u link%s: nothing can pass through it.", v,
                degree(topo, v), degree(topo, v) ? "" : "s");
}

static int say_parallel(void *lint, uint32_t a, uint32_t b)
{
    static const char kind[] = "parallel links";
    say(lint, kind,
        "nodes %u and %u are joined by more than one link: both are used here, the published "
        "simulators use only the last of the file.",
        a, b);
    return 0;
}

/* ASTRA-sim's neighbour table has one entry per pair of nodes, so the last of parallel links hides
 * the others, and a file with two 200G links runs with one. */
static int check_duplicates(struct asim_lint *lint, const struct asim_topo *topo,
                            struct asim_err *err)
{
    if (asim_topo_duplicate_links(topo, say_parallel, lint))
        return asim_err_nomem(err, "looking for duplicate links");
    return 0;
}

/* Rates and delays a thousand times off usual links: probably a wrong unit. */
static void check_rates(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char kind[] = "odd rates";
    char text[48];
    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *l = &topo->links[i];
        if (l->rate_bps < 1000000000 || l->rate_bps > 100000000000000)
            say(lint, kind, "link %u-%u has a rate of %s: is its unit right?", l->a, l->b,
                asim_topo_show_rate(text, sizeof text, l->rate_bps));
    }
}

/* The format allows 0, which makes the lookahead window of the simulator empty. */
static void check_delays(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char kind[] = "odd delays";
    char text[48];
    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *l = &topo->links[i];
        if (!l->delay_fs || l->delay_fs > MOST_DELAY_FS)
            say(lint, kind, "link %u-%u has a delay of %s: is its unit right? (500 ns is 0.0005ms)",
                l->a, l->b, asim_topo_show_delay(text, sizeof text, l->delay_fs));
    }
}

/* ns-3 counts whole nanoseconds in these simulators; the generator's 0.000025ms is 25 ns. */
static void check_parts(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char kind[] = "parts of a nanosecond";
    char text[48];
    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *l = &topo->links[i];
        if (l->delay_fs % FS_PER_NS)
            say(lint, kind,
                "link %u-%u has a delay of %s: runs in whole nanoseconds lose the rest.", l->a,
                l->b, asim_topo_show_delay(text, sizeof text, l->delay_fs));
    }
}

/* RoCE with go-back-N makes almost no progress above one lost packet in a hundred. */
static void check_losses(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char kind[] = "high error rates";
    for (size_t i = 0; i < topo->n_links; i++)
        if (topo->links[i].error_rate > 0.01)
            say(lint, kind, "link %u-%u loses %g of its packets.", topo->links[i].a,
                topo->links[i].b, topo->links[i].error_rate);
}

/* The sum of a host's rates, to compare hosts. */
static uint64_t host_rate(const struct asim_topo *topo, uint32_t host)
{
    uint64_t sum = 0;
    for (uint32_t i = topo->first_port[host]; i < topo->first_port[host + 1]; i++)
        sum += topo->links[topo->ports[i].link].rate_bps;
    return sum;
}

/* Legal, but collectives wait for the slowest host; usually a slip in one line. */
static void check_hosts_alike(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char kind[] = "hosts unlike host 0";
    for (uint32_t v = 1; v < topo->hosts; v++)
        if (degree(topo, v) != degree(topo, 0) || host_rate(topo, v) != host_rate(topo, 0))
            say(lint, kind, "host %u has %u links and %.6g Gbit/s in sum, host 0 has %u and %.6g.",
                v, degree(topo, v), (double)host_rate(topo, v) / 1e9, degree(topo, 0),
                (double)host_rate(topo, 0) / 1e9);
}

/* Linear in a's ports, of which a host has few. */
static int joined(const struct asim_topo *topo, uint32_t a, uint32_t b)
{
    for (uint32_t i = topo->first_port[a]; i < topo->first_port[a + 1]; i++)
        if (topo->ports[i].peer == b)
            return 1;
    return 0;
}

/* Only for files with servers or NVSwitches; others are not SimAI topologies. */
static void check_simai(struct asim_lint *lint, const struct asim_topo *topo)
{
    static const char counts[] = "NVSwitch counts", places[] = "NVSwitch places", ids[] = "ids";
    uint32_t nvsw = 0, server = topo->gpus_per_server;
    for (uint32_t v = 0; v < topo->nodes; v++)
        nvsw += topo->node_type[v] == ASIM_NVSWITCH;
    if (topo->nodes > 65536 && server)
        say(lint, ids, "%u nodes: SimAI makes addresses of ids below 65536 only.", topo->nodes);
    if (!nvsw)
        return;
    if (!server) {
        say(lint, counts, "there are %u NVSwitches but the GPUs per server are not stated.", nvsw);
        return;
    }
    if ((uint64_t)nvsw * server != topo->hosts) {
        say(lint, counts,
            "%u servers of %u GPUs have %u NVSwitches: SimAI's runtime takes exactly one each.",
            topo->hosts / server, server, nvsw);
        return;
    }
    for (uint32_t gpu = 0; gpu < topo->hosts; gpu++)
        if (!joined(topo, gpu, topo->hosts + gpu / server))
            say(lint, places,
                "GPU %u is not joined to node %u, which SimAI takes for its NVSwitch.", gpu,
                topo->hosts + gpu / server);
}

/* In the order in which a user would correct them: unreachable nodes first, odd numbers last. */
int asim_lint_run(struct asim_lint *lint, const struct asim_topo *topo, struct asim_err *err)
{
    static const char split[] = "!connectivity";
    struct asim_err found = {0};
    check_isolated(lint, topo);
    int rc = asim_topo_check_connected(topo, topo->hosts, &found);
    if (rc == ASIM_ENOMEM)
        return asim_err_set(err, rc, "%s", found.text);
    if (rc)
        say(lint, split, "%s", found.text);
    rc = check_duplicates(lint, topo, err);
    check_rates(lint, topo);
    check_delays(lint, topo);
    check_parts(lint, topo);
    check_losses(lint, topo);
    check_hosts_alike(lint, topo);
    check_simai(lint, topo);
    close_kind(lint);
    return rc;
}
