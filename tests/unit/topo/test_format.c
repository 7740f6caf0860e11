/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The graph and ASTRA-sim's format: ports, errors with their line, write and read again, makers by
 * name, sample files, and unreachable pairs of hosts.
 */
#include "net.h"

static int read_topo(const char *path, struct asim_err *err)
{
    struct asim_topo topo;
    int rc = asim_topo_read(&topo, path, err);

    if (!rc)
        asim_topo_fini(&topo);
    return rc;
}

static void test_refusals(void)
{
    static const struct {
        const char *text;
        unsigned line;
        const char *piece;
    } rows[] = {
        {"", 0, "any known flavour"},
        {"hello 1 2\n", 0, "any known flavour"},
        {"3 1\n", 2, "the number of links"},
        {"3 3 2\n0 1 2\n", 1, "leaves no host"},
        {"99999999999 1 2\n2\n", 1, "at most"},
        {"3 1 2\n7\n", 2, "found node 7"},
        {"4 2 2\n3 3\n", 2, "listed twice"},
        {"3 1 2\n0\n", 2, "numbered 0 to 1"},
        {"3 1 2\n2\n2 0 200Gbps 1us 0\n", 4, "the file ends"},
        {"3 1 1\n2\n2 0 200Gbps 1us 0\n2 1 200Gbps 1us 0\n", 4, "behind the 1 links"},
        {"3 1 2\n2\n2 3 200Gbps 1us 0\n", 3, "found node 3"},
        {"3 1 2\n2\n\n2 2 200Gbps 1us 0\n", 4, "to itself"},
        {"3 1 2\n2\n2 0 200 1us 0\n", 3, "found '200' where a link rate"},
        {"3 1 2\n2\n2 0 0Gbps 1us 0\n", 3, "a link rate above 0"},
        {"3 1 2\n2\n2 0 200Gbps 5 0\n", 3, "a link delay"},
        {"3 1 2\n2\n2 0 200Gbps 1us -0.1\n", 3, "a link error rate"},
        {"3 1 2\n2\n2 0 200Gbps 1us nan\n", 3, "a link error rate"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asim_err err = {0};

        CHECK(read_topo(replay_write(rows[i].text, strlen(rows[i].text)), &err) < 0);
        CHECK_U64(err.line, rows[i].line);
        CHECK(strstr(err.text, rows[i].piece) != NULL);
        if (!strstr(err.text, rows[i].piece))
            fprintf(stderr, "  \"%s\" says: %s\n", rows[i].text, err.text);
    }
}

static const struct asim_topo_format *format_of(const char *name)
{
    struct asim_err err = {0};

    return (const struct asim_topo_format *)(const void *)asim_family_find(
        asim_topo_format_table, "topology format", name, &err);
}

static void test_round_trip(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct asim_topo topo, again;
        struct asim_err err = {0};

        net_random(&topo, seed);
        topo.links[0].error_rate = 1.0 / 3;
        topo.links[0].delay_fs = 1234567;
        topo.links[0].rate_bps = 123456789;
        replay_write("", 0);
        CHECK(format_of("astra")->write(&topo, replay_work, &err) == 0);
        CHECK(asim_topo_read(&again, replay_work, &err) == 0);
        CHECK_STR(err.text, "");
        CHECK_U64(again.nodes, topo.nodes);
        CHECK_U64(again.hosts, topo.hosts);
        CHECK_U64(again.n_links, topo.n_links);
        for (size_t i = 0; i < topo.n_links && i < again.n_links; i++) {
            const struct asim_link *a = &topo.links[i], *b = &again.links[i];

            CHECK(a->a == b->a && a->b == b->b && a->port_a == b->port_a && a->port_b == b->port_b);
            CHECK(a->rate_bps == b->rate_bps && a->delay_fs == b->delay_fs);
            CHECK(a->error_rate == b->error_rate);
        }
        asim_topo_fini(&topo);
        asim_topo_fini(&again);
    }
}

/* Ports follow the order of the links; both ends agree. */
static void test_ports(void)
{
    for (uint64_t seed = 100; seed < 130; seed++) {
        struct asim_topo t;

        net_random(&t, seed);
        for (uint32_t v = 0; v < t.nodes; v++) {
            for (uint32_t p = t.first_port[v]; p < t.first_port[v + 1]; p++) {
                const struct asim_port_ref *ref = &t.ports[p];
                const struct asim_port_ref *back =
                    &t.ports[t.first_port[ref->peer] + ref->peer_port - 1];
                const struct asim_link *link = &t.links[ref->link];
                uint32_t number = p - t.first_port[v] + 1;

                CHECK(back->peer == v && back->link == ref->link && back->peer_port == number);
                CHECK((link->a == v ? link->port_a : link->port_b) == number);
                CHECK(number == 1 || ref->link > t.ports[p - 1].link);
            }
        }
        asim_topo_fini(&t);
    }
}

static void test_maker(void)
{
    struct asim_topo topo;
    struct asim_err err = {0};

    CHECK(asim_topo_make(&topo, "switch", 0, &err) == 0);
    CHECK_U64(topo.hosts, 8);
    CHECK_U64(topo.links[7].rate_bps, 200000000000u);
    CHECK_U64(topo.links[7].delay_fs, 500000000u);
    CHECK_U64(topo.ports[topo.first_port[8] + 3].peer, 3);
    asim_topo_fini(&topo);
    CHECK(asim_topo_make(&topo, "switch,rate=100Gbps,delay=1us", 100000, &err) == 0);
    CHECK_U64(topo.hosts, 100000);
    CHECK_U64(topo.links[0].rate_bps, 100000000000u);
    CHECK(asim_topo_check_connected(&topo, 100000, &err) == 0);
    asim_topo_fini(&topo);
    CHECK(asim_topo_make(&topo, "swich", 0, &err) < 0);
    CHECK(strstr(err.text, "Did you mean 'switch'") != NULL);
    err.code = 0;
    CHECK(asim_topo_make(&topo, "switch,rat=1Gbps", 0, &err) < 0);
    CHECK(strstr(err.text, "'rate'") != NULL);
    err.code = 0;
    CHECK(asim_topo_make(&topo, "switch,rate", 0, &err) < 0);
    CHECK(strstr(err.text, "key=value") != NULL);
}

static void test_connected(void)
{
    struct asim_topo topo;
    struct asim_err err = {0};

    /* Host 1 has a link to both islands, which does not join hosts 0 and 2. */
    net_nodes(&topo, 3, 2);
    net_link(&topo, 0, 3, 100);
    net_link(&topo, 1, 3, 100);
    net_link(&topo, 1, 4, 100);
    net_link(&topo, 2, 4, 100);
    net_finish(&topo);
    CHECK(asim_topo_check_connected(&topo, 2, &err) == 0);
    CHECK(asim_topo_check_connected(&topo, 3, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "host 0 cannot reach host 2") != NULL);
    err.code = 0;
    CHECK(asim_topo_check_connected(&topo, 4, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "4 ranks") != NULL);
    asim_topo_fini(&topo);
    /* Pairs joined each by another island, or by a link. */
    err.code = 0;
    net_nodes(&topo, 3, 2);
    net_link(&topo, 0, 3, 100);
    net_link(&topo, 1, 3, 100);
    net_link(&topo, 1, 4, 100);
    net_link(&topo, 2, 4, 100);
    net_link(&topo, 2, 0, 100);
    net_finish(&topo);
    CHECK(asim_topo_check_connected(&topo, 3, &err) == 0);
    asim_topo_fini(&topo);
}

static void test_order(void)
{
    struct asim_topo topo;
    struct asim_err err = {0};

    net_nodes(&topo, 3, 0);
    topo.node_type[1] = ASIM_SWITCH;
    CHECK(asim_topo_finish(&topo, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "node 2 is a host behind switch 1") != NULL);
    asim_topo_fini(&topo);
}

static void test_samples(void)
{
    static const struct {
        const char *name;
        uint32_t hosts, switches, links;
    } rows[] = {{"2_nodes_1_switch", 2, 1, 2},
                {"8_nodes_1_switch", 8, 1, 8},
                {"8_nodes_2_leaves_4_spines", 8, 6, 16}};
    char root[512], path[700];

    replay_root(root, sizeof root);
    for (size_t i = 0; i < 3; i++) {
        struct asim_topo topo;
        struct asim_err err = {0};

        snprintf(path, sizeof path, "%stopologies/%s_topology.txt", root, rows[i].name);
        CHECK(asim_topo_read(&topo, path, &err) == 0);
        CHECK_STR(err.text, "");
        CHECK_U64(topo.hosts, rows[i].hosts);
        CHECK_U64(topo.switches, rows[i].switches);
        CHECK_U64(topo.n_links, rows[i].links);
        CHECK(asim_topo_check_connected(&topo, rows[i].hosts, &err) == 0);
        asim_topo_fini(&topo);
    }
}

int main(void)
{
    test_refusals();
    test_round_trip();
    test_ports();
    test_maker();
    test_connected();
    test_order();
    test_samples();
    remove(replay_work);
    return CHECK_DONE();
}
