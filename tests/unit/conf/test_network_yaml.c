/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The analytical network's YAML: good files, and every fault with its line.
 */
#include "asim/net.h"
#include "files.h"

static int read_shape(const char *path, struct asim_err *err)
{
    struct asim_netshape shape;

    return asim_netshape_read(&shape, path, err);
}

static void test_good(void)
{
    struct asim_netshape shape;
    struct asim_err err = {0};
    const char *path = file_of("topology: [ Ring, FullyConnected, Switch ]\n"
                               "npus_count: [ 2, 4, 3 ]\n"
                               "bandwidth:\n  - 200.0\n  - 1e2\n  - 12.5\n"
                               "latency: [ 50, 936.25, 0 ] # ns\n");

    CHECK(!asim_netshape_read(&shape, path, &err));
    CHECK_U64(shape.n, 3);
    CHECK_STR(asim_net_topology_name(shape.at[0].topology), "Ring");
    CHECK_STR(asim_net_topology_name(shape.at[1].topology), "FullyConnected");
    CHECK_STR(asim_net_topology_name(shape.at[2].topology), "Switch");
    CHECK_U64(shape.at[2].npus, 3);
    CHECK(shape.at[1].bandwidth_gbps == 100 && shape.at[2].bandwidth_gbps == 12.5);
    CHECK(shape.at[1].latency_ns == 936.25 && shape.at[2].latency_ns == 0);
}

#define REST "bandwidth: [ 50 ]\nlatency: [ 500 ]\n"

static void test_refusals(void)
{
    static const struct refusal rows[] = {
        {"", 1, "holds no settings"},
        {"[ 1 ]\n", 1, "holds no settings"},
        {"topology: [ Ring\nnpus", 3, "not YAML"},
        {"topology: [ Ring ]\nnpus_cuont: [ 8 ]\n" REST, 2, "Did you mean 'npus_count'"},
        {"topology: Ring\nnpus_count: [ 8 ]\n" REST, 1, "is not a list"},
        {"topology: [ Rings ]\nnpus_count: [ 8 ]\n" REST, 1, "Ring, FullyConnected or Switch"},
        {"topology: [ Ring ]\nnpus_count: [ 1 ]\n" REST, 2, "2 or more"},
        {"topology: [ Ring ]\nnpus_count: [ 8.5 ]\n" REST, 2, "2 or more"},
        {"topology: [ Ring ]\nnpus_count: [ [ 8 ] ]\n" REST, 2, "not a single word"},
        {"topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 0 ]\nlatency: [ 1 ]\n", 3, "above 0"},
        {"topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ tbd ]\nlatency: [ 1 ]\n", 3, "'tbd'"},
        {"topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 1 ]\nlatency: [ -1 ]\n", 4, "0 or"},
        {"topology: [ Ring ]\nnpus_count: [ 8 ]\nlatency: [ 1 ]\n", 0, "\"bandwidth\" is missing"},
        {"topology: [ Ring ]\nnpus_count: [ 8, 2 ]\n" REST, 2, "has 2 entries"},
        {"topology: [ ]\nnpus_count: [ ]\nbandwidth: [ ]\nlatency: [ ]\n", 1, "has 0 entries"},
        {"topology: [ Ring ]\ntopology: [ Ring ]\n" REST, 2, "there twice"},
        {"topology: [ Ring, Ring ]\nnpus_count: [ 65536, 65536 ]\nbandwidth: [ 1, 1 ]\n"
         "latency: [ 1, 1 ]\n",
         2, "passes 2^32"},
    };

    check_refusals(rows, sizeof rows / sizeof *rows, read_shape);
}

int main(void)
{
    test_good();
    test_refusals();
    return CHECK_DONE();
}
