/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-datagrams.h"

#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/header.h"
#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <iostream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimDatagrams");

namespace
{

/**
 * The first 20 bytes of an IPv4 header, as far as a link looks at them. The module internet has the
 * whole header; this module works without it.
 */
class Ipv4Head : public Header
{
  public:
    /**
     * Gets the type.
     * @return the type of Ipv4Head
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::AsimIpv4Head")
                                .SetParent<Header>()
                                .SetGroupName("Asim")
                                .AddConstructor<Ipv4Head>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return m_bytes.size();
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_bytes.data(), m_bytes.size());
    }

    uint32_t Deserialize(Buffer::Iterator start) override
    {
        start.Read(m_bytes.data(), m_bytes.size());
        return m_bytes.size();
    }

    void Print(std::ostream& os) const override
    {
        os << "to " << GetDestination();
    }

    /**
     * Gets the destination.
     * @return its address
     */
    Ipv4Address GetDestination() const
    {
        return Ipv4Address::Deserialize(&m_bytes[16]);
    }

    /**
     * Gets the length of the whole header.
     * @return bytes
     */
    uint32_t GetLength() const
    {
        return 4 * (m_bytes[0] & 15);
    }

    /**
     * Tells whether ports follow the header: of UDP and TCP, but for later fragments.
     * @return true if they do
     */
    bool HasPorts() const
    {
        return (m_bytes[9] == 6 || m_bytes[9] == 17) && !(m_bytes[6] & 0x1f) && !m_bytes[7];
    }

    /**
     * Marks the packet (ECN), if it may be marked.
     * @return true if it has changed
     */
    bool Mark()
    {
        const unsigned ecn = m_bytes[1] & 3;

        if (ecn != 1 && ecn != 2)
        {
            return false;
        }
        const uint32_t old = m_bytes[0] << 8 | m_bytes[1];
        const uint32_t sum = m_bytes[10] << 8 | m_bytes[11];
        m_bytes[1] |= 3;
        if (sum) // RFC 1624; ns-3 leaves it 0 where checksums are off
        {
            const uint32_t word = m_bytes[0] << 8 | m_bytes[1];
            uint32_t next = (~sum & 0xffff) + (~old & 0xffff) + word;
            next = (next & 0xffff) + (next >> 16);
            next = ~((next & 0xffff) + (next >> 16)) & 0xffff;
            m_bytes[10] = next >> 8;
            m_bytes[11] = next & 0xff;
        }
        return true;
    }

  private:
    std::array<uint8_t, 20> m_bytes{}; //!< without options
};

} // namespace

AsimDatagrams::AsimDatagrams(asim_world* world, const std::vector<Ptr<QbbNetDevice>>& devices)
    : m_world(world),
      m_devices(devices)
{
}

int
AsimDatagrams::Open(asim_err* err)
{
    NS_LOG_FUNCTION(this);
    return asim_datagrams_open(m_world, &AsimDatagrams::OnSeen, this, err);
}

void
AsimDatagrams::AddAddress(Ipv4Address address, uint32_t host)
{
    NS_LOG_FUNCTION(this << address << host);
    m_hosts[address.Get()] = host;
}

bool
AsimDatagrams::Find(Ipv4Address address, uint32_t from, uint32_t* to)
{
    const auto found = m_hosts.find(address.Get());

    if (found != m_hosts.end() && found->second != from)
    {
        *to = found->second;
        return true;
    }
    if (!m_hasNoted)
    {
        m_hasNoted = true;
        std::cerr
            << "note: host " << from << " drops packets to " << address
            << ", which is the address of no other host (AsimHelper::AssignIpv4); there is no "
               "broadcast or multicast between the hosts of a packet network. Further such "
               "packets are dropped without a note.\n";
    }
    return false;
}

uint32_t
AsimDatagrams::Keep(Ptr<Packet> packet)
{
    if (m_free.empty())
    {
        m_packets.push_back(packet);
        return m_packets.size() - 1;
    }
    const uint32_t token = m_free.back();
    m_free.pop_back();
    m_packets[token] = packet;
    return token;
}

bool
AsimDatagrams::Send(const Port& port, Ptr<Packet> packet, Time now)
{
    NS_LOG_FUNCTION(this << port.host << port.number << packet << now);
    asim_datagram datagram{};
    asim_err err{};
    Ipv4Head head;
    uint8_t bytes[64]; // the longest header, and ports

    if (packet->GetSize() < head.GetSerializedSize())
    {
        return false;
    }
    packet->PeekHeader(head);
    if (!Find(head.GetDestination(), port.host, &datagram.to))
    {
        return false;
    }
    const uint32_t begin = head.GetLength();
    if (head.HasPorts() && packet->CopyData(bytes, begin + 4) == begin + 4)
    {
        datagram.sport = bytes[begin] << 8 | bytes[begin + 1];
        datagram.dport = bytes[begin + 2] << 8 | bytes[begin + 3];
    }
    datagram.from = port.host;
    datagram.port = port.number;
    datagram.queue = port.priority;
    datagram.bytes = packet->GetSize();
    datagram.token = Keep(packet->Copy());
    const int code = asim_datagram_send(m_world, now.GetNanoSeconds(), &datagram, &err);
    NS_ABORT_MSG_IF(code, err.text);
    return true;
}

Ptr<const Packet>
AsimDatagrams::Get(uint32_t token) const
{
    return m_packets.at(token);
}

uint64_t
AsimDatagrams::GetUnderWay() const
{
    return asim_datagrams_under_way(m_world);
}

void
AsimDatagrams::OnSeen(void* self, const asim_datagram_seen* seen)
{
    auto datagrams = static_cast<AsimDatagrams*>(self);
    const asim_topo* topo = asim_world_topo(datagrams->m_world);
    const Ptr<QbbNetDevice>& device =
        datagrams->m_devices[topo->first_port[seen->node] + seen->port - 1];
    Ptr<Packet> packet = datagrams->m_packets[seen->token];

    if (seen->event == ASIM_DATAGRAM_STARTED)
    {
        device->DatagramStarted();
        return;
    }
    datagrams->m_packets[seen->token] = nullptr;
    datagrams->m_free.push_back(seen->token);
    if (seen->event == ASIM_DATAGRAM_LOST)
    {
        device->DatagramLost(packet);
        return;
    }
    if (seen->congested)
    {
        Ipv4Head head;
        packet->RemoveHeader(head);
        head.Mark();
        packet->AddHeader(head);
    }
    device->DatagramArrived(packet);
}

} // namespace ns3
