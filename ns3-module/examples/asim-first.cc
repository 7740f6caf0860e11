/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * The smallest program: a workload over a topology, and when each rank finishes.
 *
 *   ./ns3 run "asim-first --workload=$PWD/examples/workloads/all_reduce_2r_1MiB/all_reduce"
 *
 * in this repository; the program runs in the folder of the ns-3 tree, hence the whole path.
 * Attributes work as everywhere in ns-3, e.g. --ns3::RdmaHw::Mtu=9000.
 */

#include "ns3/asim-helper.h"
#include "ns3/core-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string workload;
    std::string topology = "auto:switch,rate=200Gbps";
    CommandLine cmd(__FILE__);
    cmd.AddValue("workload", "prefix of the Chakra traces", workload);
    cmd.AddValue("topology", "topology file, or auto:NAME,key=value", topology);
    cmd.Parse(argc, argv);

    AsimHelper asim;
    if (!workload.empty())
    {
        asim.Set("workload", workload);
    }
    asim.Set("topology", topology);
    const int code = asim.TryInstall() ? asim.Run() : 1;
    for (uint32_t rank = 0; !code && rank < asim.GetNRanks(); rank++)
    {
        std::cout << "rank " << rank << " finished at " << asim.GetFinishTime(rank).GetNanoSeconds()
                  << " ns\n";
    }
    if (code)
    {
        std::cerr << "asim-first: " << asim.GetError() << "\n";
    }
    Simulator::Destroy();
    return code ? 1 : 0;
}
