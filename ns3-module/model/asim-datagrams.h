/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_DATAGRAMS_H
#define ASIM_DATAGRAMS_H

#include "asim-compat.h"

#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <unordered_map>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimDatagrams declaration.
 */

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup asim
 * The packets of ns-3's applications that are in the packet network.
 *
 * The core knows their sizes and numbers, this object their bytes. It finds the host of an IPv4
 * address, gives a packet to the core, and gives it to the device of the host where the core says
 * that it has arrived.
 */
class AsimDatagrams : public SimpleRefCount<AsimDatagrams>
{
  public:
    /** The interface that a packet leaves through. */
    struct Port
    {
        uint32_t host;    //!< its number in the topology
        uint32_t number;  //!< of the port, from 1
        uint8_t priority; //!< of the packet; 0: that of the RDMA frames
    };

    /**
     * Constructor.
     * @param world the world that carries the packets; it must outlive this object
     * @param devices all interfaces, as AsimFabric::GetDevices; likewise
     */
    AsimDatagrams(asim_world* world, const std::vector<Ptr<QbbNetDevice>>& devices);
    /**
     * Asks the core to carry packets.
     * @param err filled on failure
     * @return 0, or the core's failure
     */
    int Open(asim_err* err);
    /**
     * Says where an address is.
     * @param address the address
     * @param host the host, by its number in the topology
     */
    void AddAddress(Ipv4Address address, uint32_t host);
    /**
     * Gives a packet to the network.
     * @param port the interface that it leaves through
     * @param packet the packet, which begins with its IPv4 header
     * @param now the time since the workload's begin
     * @return false if no other host has its destination address
     */
    bool Send(const Port& port, Ptr<Packet> packet, Time now);
    /**
     * Gets a packet that is in the network.
     * @param token its number
     * @return the packet
     */
    Ptr<const Packet> Get(uint32_t token) const;
    /**
     * Counts the packets in the network.
     * @return their number
     */
    uint64_t GetUnderWay() const;

  private:
    /**
     * Something has become of a packet.
     * @param self the AsimDatagrams
     * @param seen what
     */
    static void OnSeen(void* self, const asim_datagram_seen* seen);
    /**
     * Finds the host of a packet's destination address; says once where there is none.
     * @param address the address
     * @param from the host that sends
     * @param to set to the host
     * @return true if there is one other than the sender
     */
    bool Find(Ipv4Address address, uint32_t from, uint32_t* to);
    /**
     * Names a packet.
     * @param packet the packet
     * @return a free number
     */
    uint32_t Keep(Ptr<Packet> packet);

    asim_world* m_world;                             //!< not owned
    const std::vector<Ptr<QbbNetDevice>>& m_devices; //!< [topo.first_port[v] + i]
    std::unordered_map<uint32_t, uint32_t> m_hosts;  //!< of an address
    std::vector<Ptr<Packet>> m_packets;              //!< by number; null where it is free
    std::vector<uint32_t> m_free;                    //!< free numbers
    bool m_hasNoted{false};                          //!< of an address that no host has
};

} // namespace ns3

#endif /* ASIM_DATAGRAMS_H */
