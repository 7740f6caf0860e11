/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * Trace sources: counts what arrives at each host by kind of frame, read from the packets' own
 * headers, and writes the first host's frames as a capture. Connecting a sink of frames makes the
 * run advance event by event; the finish times stay the same.
 *
 *   ./ns3 run "asim-trace-sources --workload=$PWD/examples/workloads/all_reduce_2r_1MiB/all_reduce"
 *
 * in this repository; the program runs in the folder of the ns-3 tree, hence the whole path.
 */

#include "ns3/asim-helper.h"
#include "ns3/core-module.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"

#include <iostream>
#include <map>

using namespace ns3;

namespace
{

std::map<uint8_t, uint64_t> g_frames; //!< by IPv4 protocol number

/**
 * A frame has arrived.
 * @param packet the frame
 */
void
OnFrame(Ptr<const Packet> packet)
{
    uint8_t head[22];
    packet->CopyData(head, sizeof head);
    g_frames[head[2 + 9]]++; // behind two bytes of PPP
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string workload;
    std::string topology = "auto:switch,rate=200Gbps";
    std::string pcap;
    CommandLine cmd(__FILE__);
    cmd.AddValue("workload", "prefix of the Chakra traces", workload);
    cmd.AddValue("topology", "topology file, or auto:NAME,key=value", topology);
    cmd.AddValue("pcap", "prefix of a capture of the first device", pcap);
    cmd.Parse(argc, argv);

    AsimHelper asim;
    if (!workload.empty())
    {
        asim.Set("workload", workload);
    }
    asim.Set("topology", topology);
    Ptr<AsimFabric> fabric = asim.TryInstall();
    if (!fabric)
    {
        std::cerr << "asim-trace-sources: " << asim.GetError() << "\n";
        return 1;
    }
    for (const auto& device : fabric->GetDevices())
    {
        device->TraceConnectWithoutContext("MacRx", MakeCallback(&OnFrame));
    }
    if (!pcap.empty())
    {
        asim.EnablePcap(pcap, fabric->GetDevices()[0]);
    }
    const int code = asim.Run();
    if (code)
    {
        std::cerr << "asim-trace-sources: " << asim.GetError() << "\n";
    }
    std::cout << "data " << g_frames[ASIM_PROTOCOL_DATA] << ", ACK " << g_frames[ASIM_PROTOCOL_ACK]
              << ", NACK " << g_frames[ASIM_PROTOCOL_NACK] << ", PFC "
              << g_frames[ASIM_PROTOCOL_PFC] << ", rank 0 finished at "
              << asim.GetFinishTime(0).GetNanoSeconds() << " ns\n";
    Simulator::Destroy();
    return code ? 1 : 0;
}
