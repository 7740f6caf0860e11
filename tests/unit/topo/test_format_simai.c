/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI's topology format: a written file reads back as the same graph, a file cut at any byte is
 * refused with a line or is complete, a change of any single byte gives at worst an error, and each
 * wrong content names its line.
 */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "topo/topo.h"

extern const struct asim_topo_format asim_topo_format_simai;

static char path[] = "test_format_simai.tmp";

static void put(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file))
        abort();
}

static int read_text(struct asim_topo *topo, const char *text, size_t size, struct asim_err *err)
{
    put(text, size);
    memset(err, 0, sizeof *err);
    return asim_topo_read(topo, path, err);
}

static const char good[] = "6 2 1 1 6 H100\n4 5 \n"
                           "0 4 2400Gbps 0.000025ms 0\n1 4 2400Gbps 0.000025ms 0\n"
                           "0 5 100Gbps 0.0005ms 0\n1 5 100Gbps 0.0005ms 0\n"
                           "2 5 100Gbps 0.0005ms 0\n3 5 100Gbps 0.0005ms 0.001\n";

static void check_good(void)
{
    struct asim_topo topo;
    struct asim_err err;
    CHECK_U64(read_text(&topo, good, strlen(good), &err), 0);
    CHECK_U64(topo.hosts, 4);
    CHECK_U64(topo.gpus_per_server, 2);
    CHECK_STR(topo.gpu_type, "H100");
    CHECK_U64(topo.node_type[4], ASIM_NVSWITCH);
    CHECK_U64(topo.node_type[5], ASIM_SWITCH);
    CHECK_U64(topo.links[0].rate_bps, 2400000000000);
    CHECK_U64(topo.links[0].delay_fs, 25000000);
    CHECK(topo.links[5].error_rate == 0.001);
    asim_topo_fini(&topo);
}

static void check_cuts(void)
{
    struct asim_topo topo;
    struct asim_err err;
    for (size_t n = 0; n < strlen(good); n++) {
        int rc = read_text(&topo, good, n, &err);
        if (!rc) {
            /* the last error rate cut to 0.00 is a number still */
            CHECK(n + 7 > strlen(good));
            asim_topo_fini(&topo);
            continue;
        }
        CHECK(err.text[0] && strchr(err.source, '.'));
        CHECK(err.line || strstr(err.text, "flavour"));
    }
}

static void check_flips(void)
{
    static const char swaps[] = {'0', '9', '-', ' ', '\n', 'x', '#', '.', '\xff', '\0'};
    char text[sizeof good];
    for (size_t i = 0; i < strlen(good); i++)
        for (size_t s = 0; s < sizeof swaps; s++) {
            struct asim_topo topo;
            struct asim_err err;
            memcpy(text, good, sizeof good);
            text[i] = swaps[s];
            if (!read_text(&topo, text, strlen(good), &err))
                asim_topo_fini(&topo);
            else
                CHECK(err.text[0]);
        }
}

static void check_refused(const char *text, unsigned line, const char *words)
{
    struct asim_topo topo;
    struct asim_err err;
    CHECK(read_text(&topo, text, strlen(text), &err) < 0);
    CHECK_U64(err.line, line);
    if (!strstr(err.text, words)) {
        fprintf(stderr, "got \"%s\", want \"%s\"\n", err.text, words);
        CHECK(0);
    }
}

static void check_refusals(void)
{
    check_refused("3 1 0 1 2 A100\n7\n", 2, "the header announces 3 nodes");
    check_refused("3 1 0 1 2 A100\n2\n0 2 1Gbps 1us 0\n", 4, "the file ends where");
    check_refused("3 1 0 1 2 A100\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n0 1 1Gbps 1us 0\n", 5,
                  "behind the 2 links");
    check_refused("3 1 0 1 1 A100\n2\n0 2 400 1us 0\n", 3, "a link rate above 0 with its unit");
    check_refused("3 1 0 1 1 A100\n2\n0 2 0Gbps 1us 0\n", 3, "a link rate above 0");
    check_refused("3 1 0 1 1 A100\n2\n0 2 1Gbps 500 0\n", 3, "a link delay with its unit");
    check_refused("3 1 0 1 1 A100\n2\n0 2 1Gbps 1us 1.5\n", 3, "error rate from 0 to 1");
    check_refused("3 1 0 1 1 A100\n2\n0 3 1Gbps 1us 0\n", 3, "found node 3");
    check_refused("3 1 0 1 1 A100\n2\n2 2 1Gbps 1us 0\n", 3, "to itself");
    check_refused("4 1 1 1 1 A100\n2 2\n0 3 1Gbps 1us 0\n", 2, "listed twice");
    check_refused("3 1 0 1 1 A100\n0\n0 2 1Gbps 1us 0\n", 2, "listed as a switch");
    check_refused("3 1 0 3 1 A100\n0 1 2\n0 2 1Gbps 1us 0\n", 1, "leaves no GPU");
    check_refused("5 3 0 1 1 A100\n4\n0 2 1Gbps 1us 0\n", 1, "no whole number of servers");
    check_refused("5 0 0 1 1 A100\n4\n0 2 1Gbps 1us 0\n", 1, "no whole number of servers");
    check_refused("99999999999 1 0 1 1 A100\n4\n", 1, "at most");
    check_refused("3 1 0 1 1 A100A100A100A100\n2\n0 2 1Gbps 1us 0\n", 1, "at most 15 letters");
    check_refused("3 1 0 1 -1 A100\n2\n0 2 1Gbps 1us 0\n", 1, "the number of links");
}

static int same_graph(const struct asim_topo *a, const struct asim_topo *b)
{
    if (a->nodes != b->nodes || a->n_links != b->n_links ||
        memcmp(a->node_type, b->node_type, a->nodes))
        return 0;
    for (size_t i = 0; i < a->n_links; i++) {
        const struct asim_link *x = &a->links[i], *y = &b->links[i];
        if (x->a != y->a || x->b != y->b || x->port_a != y->port_a || x->port_b != y->port_b ||
            x->rate_bps != y->rate_bps || x->delay_fs != y->delay_fs ||
            x->error_rate != y->error_rate)
            return 0;
    }
    return 1;
}

static void check_round_trip(const char *maker)
{
    struct asim_topo made, back;
    struct asim_err err = {0};
    CHECK_U64(asim_topo_make(&made, maker, 24, &err), 0);
    CHECK_U64(asim_topo_format_simai.write(&made, path, &err), 0);
    CHECK_U64(asim_topo_read(&back, path, &err), 0);
    CHECK_STR(err.text, "");
    CHECK(same_graph(&made, &back));
    CHECK_STR(back.gpu_type, made.gpu_type);
    asim_topo_fini(&made);
    asim_topo_fini(&back);
}

int main(void)
{
    check_good();
    check_cuts();
    check_flips();
    check_refusals();
    check_round_trip("Spectrum-X,er=0.1,l=1.234567ns,bw=25.5Gbps");
    check_round_trip("AlibabaHPN,dp=1,psn=4,gt=H20");
    check_round_trip("dragonfly");
    check_round_trip("torus,ndims=3,er=0.3333333333333333");
    check_round_trip("fully_connected");
    remove(path);
    return CHECK_DONE();
}
