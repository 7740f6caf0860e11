/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * A program without traces: hosts send messages of their own to host 0 at the same time (an
 * incast).
 *
 *   ./ns3 run "asim-sends --hosts=9 --bytes=1000000"
 *
 * Each message is printed with the time at which its last byte was acknowledged. Attributes work as
 * everywhere in ns-3, e.g. --ns3::RdmaHw::Cc=dctcp.
 */
#include "ns3/asim-helper.h"
#include "ns3/core-module.h"
#include "ns3/rdma-hw.h"

#include <iostream>

using namespace ns3;

namespace
{

/**
 * A message is complete.
 * @param src source node
 * @param dst destination node
 * @param bytes size of the message
 * @param start when it was posted
 */
void
OnComplete(uint32_t src, uint32_t dst, uint64_t bytes, Time start)
{
    std::cout << "host " << src << " has sent " << bytes << " bytes to host " << dst << ", from "
              << start.GetNanoSeconds() << " ns on\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t hosts = 5;
    uint64_t bytes = 1000000;
    std::string topology = "auto:switch,rate=100Gbps";
    std::string pcap;
    CommandLine cmd(__FILE__);
    cmd.AddValue("hosts", "number of hosts, 2 or more", hosts);
    cmd.AddValue("bytes", "size of each message", bytes);
    cmd.AddValue("topology", "topology file, or auto:NAME,key=value", topology);
    cmd.AddValue("pcap", "prefix of captures of all devices", pcap);
    cmd.Parse(argc, argv);
    if (hosts < 2 || !bytes)
    {
        std::cerr << "asim-sends: --hosts is 2 or more, --bytes is 1 or more\n";
        return 1;
    }

    AsimHelper asim;
    asim.Set("topology", topology);
    for (uint32_t host = 1; host < hosts; host++)
    {
        asim.Send(host, 0, bytes, MicroSeconds(host));
    }
    Ptr<AsimFabric> fabric = asim.TryInstall();
    if (!fabric)
    {
        std::cerr << "asim-sends: " << asim.GetError() << "\n";
        return 1;
    }
    for (uint32_t host = 1; host < hosts; host++)
    {
        fabric->GetNode(host)->GetObject<RdmaHw>()->TraceConnectWithoutContext(
            "QpComplete",
            MakeCallback(&OnComplete));
    }
    if (!pcap.empty())
    {
        asim.EnablePcapAll(pcap);
    }
    const int code = asim.Run();
    if (code)
    {
        std::cerr << "asim-sends: " << asim.GetError() << "\n";
    }
    else
    {
        std::cout << "host 0 has received all at " << asim.GetFinishTime(0).GetNanoSeconds()
                  << " ns\n";
    }
    Simulator::Destroy();
    return code ? 1 : 0;
}
