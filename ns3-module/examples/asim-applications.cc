/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * Applications of ns-3 beside RDMA: an all-reduce, OnOff (UDP) from the last host to host 0,
 * BulkSend (TCP) and ping from host 1 to host 0, all over the same ports, queues and buffers.
 *
 *   ./ns3 run "asim-applications --xml=flows.xml" --cwd="$PWD"
 *
 * Prints when the ranks finish and what the applications receive, a line for each flow that
 * FlowMonitor has seen, and writes FlowMonitor's XML with --xml=FILE.
 */
#include "ns3/applications-module.h"
#include "ns3/asim-helper.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-apps-module.h"
#include "ns3/internet-module.h"

#include <iostream>

using namespace ns3;

namespace
{

/**
 * A ping has come back.
 * @param rtt its round-trip time
 */
void
OnRtt(Time rtt)
{
    std::cout << "ping " << rtt.GetNanoSeconds() << " ns\n";
}

/**
 * The same, where ns-3 numbers pings.
 * @param number of the ping
 * @param rtt its round-trip time
 */
void
OnCountedRtt(uint16_t number, Time rtt)
{
    OnRtt(rtt);
}

/**
 * Makes an application that pings and prints round-trip times.
 * @param from its host
 * @param to the address that it pings
 * @return the application
 */
Ptr<Application>
InstallPing(Ptr<Node> from, Ipv4Address to)
{
    AsimCompat::Ping helper(to);

    helper.SetAttribute("Interval", TimeValue(MilliSeconds(1)));
    Ptr<Application> ping = helper.Install(from).Get(0);
    if (AsimCompat::PING_COUNTS)
    {
        ping->TraceConnectWithoutContext("Rtt", MakeCallback(&OnCountedRtt));
    }
    else
    {
        ping->TraceConnectWithoutContext("Rtt", MakeCallback(&OnRtt));
    }
    return ping;
}

/**
 * Makes a sink at host 0.
 * @param host the host
 * @param protocol the class of its sockets
 * @param port where it listens
 * @return the sink
 */
Ptr<PacketSink>
InstallSink(Ptr<Node> host, const std::string& protocol, uint16_t port)
{
    PacketSinkHelper helper(protocol, InetSocketAddress(Ipv4Address::GetAny(), port));

    return DynamicCast<PacketSink>(helper.Install(host).Get(0));
}

/**
 * Prints a line for each flow.
 * @param monitor what has seen them
 * @param flows its helper
 */
void
PrintFlows(Ptr<FlowMonitor> monitor, FlowMonitorHelper& flows)
{
    auto classifier = DynamicCast<Ipv4FlowClassifier>(flows.GetClassifier());

    monitor->CheckForLostPackets();
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        const Ipv4FlowClassifier::FiveTuple tuple = classifier->FindFlow(id);
        const Time mean = stats.rxPackets ? stats.delaySum / stats.rxPackets : Time(0);
        std::cout << "flow " << id << (tuple.protocol == 6 ? " TCP " : " UDP ")
                  << tuple.sourceAddress << ":" << tuple.sourcePort << " to "
                  << tuple.destinationAddress << ":" << tuple.destinationPort << ", sent "
                  << stats.txPackets << " packets (" << stats.txBytes << " bytes), received "
                  << stats.rxPackets << " (" << stats.rxBytes << "), lost " << stats.lostPackets
                  << ", mean delay " << mean.GetNanoSeconds() << " ns\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string workload = "examples/workloads/all_reduce_8r_1MiB/all_reduce";
    std::string topology = "auto:switch,rate=100Gbps";
    std::string rate = "20Gbps";
    std::string xml;
    uint64_t bulk = 1000000;
    bool pings = true;
    Time start;
    Time stop = MilliSeconds(1);
    CommandLine cmd(__FILE__);
    cmd.AddValue("workload", "prefix of the traces", workload);
    cmd.AddValue("topology", "topology file, or auto:NAME,key=value", topology);
    cmd.AddValue("rate", "of OnOff; 0bps: no OnOff", rate);
    cmd.AddValue("bulk", "bytes of BulkSend; 0: no BulkSend", bulk);
    cmd.AddValue("ping", "whether host 1 pings host 0", pings);
    cmd.AddValue("start", "start of the applications", start);
    cmd.AddValue("stop", "end of the applications", stop);
    cmd.AddValue("xml", "file for FlowMonitor's XML", xml);
    cmd.Parse(argc, argv);

    AsimHelper asim;
    asim.Set("workload", workload);
    asim.Set("topology", topology);
    if (!asim.TryInstall())
    {
        std::cerr << "asim-applications: " << asim.GetError() << "\n";
        return 1;
    }
    const NodeContainer hosts = asim.GetHosts();
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer interfaces = asim.AssignIpv4(addresses, asim.GetHostDevices());

    const InetSocketAddress udp(interfaces.GetAddress(0), 9);
    const InetSocketAddress tcp(interfaces.GetAddress(0), 10);
    Ptr<PacketSink> udpSink = InstallSink(hosts.Get(0), "ns3::UdpSocketFactory", udp.GetPort());
    Ptr<PacketSink> tcpSink = InstallSink(hosts.Get(0), "ns3::TcpSocketFactory", tcp.GetPort());
    ApplicationContainer sources;
    if (DataRate(rate).GetBitRate())
    {
        OnOffHelper onOff("ns3::UdpSocketFactory", udp);
        onOff.SetConstantRate(DataRate(rate), 972); // 1000 bytes with UDP and IPv4
        sources.Add(onOff.Install(hosts.Get(hosts.GetN() - 1)));
    }
    if (bulk)
    {
        BulkSendHelper source("ns3::TcpSocketFactory", tcp);
        source.SetAttribute("MaxBytes", UintegerValue(bulk));
        sources.Add(source.Install(hosts.Get(1)));
    }
    if (pings)
    {
        sources.Add(InstallPing(hosts.Get(1), interfaces.GetAddress(0)));
    }
    sources.Start(start);
    sources.Stop(start + stop);
    FlowMonitorHelper flows;
    Ptr<FlowMonitor> monitor = flows.Install(hosts);
    Simulator::Stop(start + stop + Seconds(1));

    const int code = asim.Run();
    if (code)
    {
        std::cerr << "asim-applications: " << asim.GetError() << "\n";
        return 1;
    }
    std::cout << "RDMA: rank 0 finished at " << asim.GetFinishTime(0).GetNanoSeconds() << " ns\n"
              << "OnOff: received " << udpSink->GetTotalRx() << " bytes\n"
              << "BulkSend: received " << tcpSink->GetTotalRx() << " bytes\n";
    PrintFlows(monitor, flows);
    if (!xml.empty())
    {
        monitor->SerializeToXmlFile(xml, true, true);
    }
    Simulator::Destroy();
    return 0;
}
