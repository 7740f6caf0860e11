/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_HELPER_H
#define ASIM_HELPER_H

#include "asim-messages.h"

#include "ns3/asim-fabric.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/qbb-net-device.h"
#include "ns3/trace-helper.h"

#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimHelper declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * A run of traces over the packet network from a C++ program, in ns-3's manner: name the inputs,
 * Install, connect trace sources, Run. Attributes changed before Install (Config::SetDefault, the
 * command line) go before the network configuration, as in AstraSimNetwork.
 */
class AsimHelper
{
  public:
    AsimHelper();
    ~AsimHelper();
    AsimHelper(const AsimHelper&) = delete;
    AsimHelper& operator=(const AsimHelper&) = delete;

    /**
     * Sets an option of AstraSimNetwork; aborts if there is no such option. Result lines are not
     * printed, and nothing is compared.
     * @param option its name, such as "workload" or "out"
     * @param value its value
     */
    void Set(const std::string& option, const std::string& value);
    /**
     * Places ranks on hosts; without it rank r runs on host r. Nodes of hosts are numbered by rank
     * then, in AsimFabric::GetNode as in trace sources.
     * @param hosts the host of each rank, as the topology numbers hosts
     */
    void SetPlacement(const std::vector<uint32_t>& hosts);
    /**
     * Sends a message; for programs without traces, which leave out the option "workload". Hosts
     * are numbered as in the topology. The messages of a host do not wait for each other. RdmaHw's
     * trace source QpComplete tells when a message is acknowledged.
     * @param src the host that sends
     * @param dst the host that receives
     * @param bytes size of the message
     * @param start when it is posted, counted from the beginning of the run
     */
    void Send(uint32_t src, uint32_t dst, uint64_t bytes, Time start = Time(0));
    /**
     * Reads the inputs, opens the reports and builds nodes, devices and channels; aborts with the
     * core's sentence. Notes go to std::cerr. A helper installs once.
     * @return the network
     */
    Ptr<AsimFabric> Install();
    /**
     * Does what Install does, but does not abort.
     * @return the network; null on failure, and GetError tells why
     */
    Ptr<AsimFabric> TryInstall();
    /**
     * Begins the workload now and calls Simulator::Run, until no event is left, those of the
     * program included. Simulator::Now is then the finish of the last rank or later. The trace
     * source Finished of AsimFabric can stop what else goes on for ever.
     * @return 0, or the core's failure code: ASIM_EINTR after a Simulator::Stop before all ranks
     * have finished, which ends the run for good
     */
    int Run();
    /**
     * Counts the ranks.
     * @return their number
     */
    uint32_t GetNRanks() const;
    /**
     * Gets the simulated time at which a rank finished, after Run.
     * @param rank the rank
     * @return the time
     */
    Time GetFinishTime(uint32_t rank) const;
    /**
     * Tells why Run or TryInstall failed.
     * @return the core's sentence
     */
    const std::string& GetError() const;

    /**
     * Gets the nodes of all hosts, after Install.
     * @return the nodes, by host
     */
    NodeContainer GetHosts() const;
    /**
     * Gets an interface of each host, after Install.
     * @param nic which one of a host, from 0, in the order of the topology's links
     * @return the interfaces, by host; without the hosts that have no such interface
     */
    NetDeviceContainer GetHostDevices(uint32_t nic = 0) const;
    /**
     * Assigns IPv4 addresses to interfaces of hosts, which then carry packets of other ns-3
     * applications through the ports, queues and buffers of the RDMA frames. Comes after
     * InternetStackHelper::Install on the hosts and before Run. The run is in per-event mode.
     * Aborts with the core's sentence.
     * @tparam AddressHelper ns3::Ipv4AddressHelper, a class of the module internet, which this
     * module does not link
     * @param addresses the helper, whose SetBase was called
     * @param devices the interfaces
     * @return the ns3::Ipv4InterfaceContainer of the helper
     */
    template <typename AddressHelper>
    auto AssignIpv4(AddressHelper& addresses, const NetDeviceContainer& devices);

    /**
     * Writes the frames that pass a device to a capture (PPP, IPv4), prefix-node-interface.pcap.
     * Selects per-event mode, as every sink of frames does.
     * @param prefix of the file's name
     * @param device the device
     */
    void EnablePcap(const std::string& prefix, Ptr<QbbNetDevice> device);
    /**
     * Writes a capture for every device of this process.
     * @param prefix of the files' names
     */
    void EnablePcapAll(const std::string& prefix);
    /**
     * Writes a line per event of every device: + queued, - sent, r received, d lost. Selects
     * per-event mode.
     * @param stream where to
     */
    void EnableAsciiAll(Ptr<OutputStreamWrapper> stream);

  private:
    /**
     * Lets an interface carry IPv4 packets.
     * @param device the interface
     */
    void UseDatagrams(Ptr<NetDevice> device);
    /**
     * Makes the messages of Send the workload.
     * @return true unless it fails; GetError tells why
     */
    bool UseMessages();
    /**
     * Tells the core whether the simulator was stopped.
     * @param self the AsimHelper
     * @return not 0 if it was
     */
    static int IsStopped(void* self);

    AsimMessages m_messages;      //!< of Send
    asim_settings m_settings{};   //!< the options
    bool m_stopped{false};        //!< Simulator::Stop came before the end
    asim_world* m_world{nullptr}; //!< the run
    Ptr<AsimFabric> m_fabric;     //!< its network
    std::string m_error;          //!< see GetError
};

template <typename AddressHelper>
auto
AsimHelper::AssignIpv4(AddressHelper& addresses, const NetDeviceContainer& devices)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        UseDatagrams(devices.Get(i)); // before queue discs are installed
    }
    auto interfaces = addresses.Assign(devices);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        m_fabric->AddAddress(interfaces.GetAddress(i), DynamicCast<QbbNetDevice>(devices.Get(i)));
    }
    return interfaces;
}

} // namespace ns3

#endif /* ASIM_HELPER_H */
