/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qbb-net-device.h"

#include "qbb-channel.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

namespace
{

constexpr uint16_t IPV4 = 0x0800; //!< the protocol number

} // namespace

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Asim")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate of the interface, as the topology states it.",
                          TypeId::ATTR_GET,
                          DataRateValue(DataRate("400Gb/s")),
                          MakeDataRateAccessor(&QbbNetDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Mtu",
                          "Payload bytes of a full frame, as PACKET_PAYLOAD_SIZE states it.",
                          TypeId::ATTR_GET,
                          UintegerValue(1000),
                          MakeUintegerAccessor(&QbbNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("Priority",
                          "Priority (802.1Qbb) of the IPv4 packets sent here, 1 to 7; 0 is the "
                          "priority of the RDMA frames (PRIORITY_GROUP). Every priority has PFC.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbNetDevice::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("TxQueueLimit",
                          "The most IPv4 packets that wait at this interface; more wait in its "
                          "queue disc, or are dropped without one.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&QbbNetDevice::m_limit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource(
                "PhyTxBegin",
                "A frame starts being serialized here. Connecting selects per-event mode.",
                MakeTraceSourceAccessor(&QbbNetDevice::m_phyTxBegin),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTx",
                            "The same as PhyTxBegin: there is no queue between MAC and PHY.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("QbbDequeue",
                            "The same moment: the frame has left the queue.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_dequeue),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit has arrived here: the same moment as MacRx.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame has arrived here. Connecting selects per-event mode.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "QbbEnqueue",
                "A switch has queued a frame, or a host an ACK, here. Connecting selects "
                "per-event mode.",
                MakeTraceSourceAccessor(&QbbNetDevice::m_enqueue),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("QbbDrop",
                            "A switch has dropped a frame that came in here. Connecting selects "
                            "per-event mode.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_drop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "An IPv4 packet cannot be sent: the link is down, TxQueueLimit packets "
                            "wait, or no other host has its destination address.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "An IPv4 packet was lost on the link to this interface, was dropped "
                            "where it came in, or waited here when the link went down.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("QbbPfc",
                            "A PFC frame took effect here: 1 = pause, 0 = resume. Fires when its "
                            "window is settled; at its own time in per-event mode.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pfc),
                            "ns3::QbbNetDevice::PfcTracedCallback");
    return tid;
}

QbbNetDevice::QbbNetDevice()
    : m_address(Mac48Address::Allocate())
{
}

void
QbbNetDevice::SetChannel(Ptr<QbbChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    m_channel = channel;
}

void
QbbNetDevice::SetShown(DataRate rate, uint16_t payload)
{
    NS_LOG_FUNCTION(this << rate << payload);
    m_rate = rate;
    m_mtu = payload;
}

void
QbbNetDevice::SetLinkUp(bool isUp)
{
    NS_LOG_FUNCTION(this << isUp);
    if (isUp != m_isUp)
    {
        m_isUp = isUp;
        m_linkChange();
    }
}

bool
QbbNetDevice::IsWatched() const
{
    return !m_phyTxBegin.IsEmpty() || !m_macRx.IsEmpty() || !m_enqueue.IsEmpty() ||
           !m_drop.IsEmpty() || !m_dequeue.IsEmpty() || !m_macTx.IsEmpty() || !m_phyRxEnd.IsEmpty();
}

bool
QbbNetDevice::IsPfcWatched() const
{
    return !m_pfc.IsEmpty();
}

void
QbbNetDevice::Frame(asim_frame_event what, const asim_decoded_headers& headers)
{
    NS_LOG_FUNCTION(this << what << +headers.protocol << headers.wire);
    uint8_t head[ASIM_FRAME_HEAD_MAX];
    uint32_t total;
    const uint32_t n = asim_frame_head(&headers, head, &total);
    Ptr<Packet> packet = Create<Packet>(head, n);

    packet->AddPaddingAtEnd(total - n);
    Trace(what, packet);
}

void
QbbNetDevice::DatagramFrame(asim_frame_event what, Ptr<const Packet> packet)
{
    const uint8_t ppp[] = {0x00, 0x21};
    Ptr<Packet> frame = Create<Packet>(ppp, sizeof ppp);

    frame->AddAtEnd(packet);
    Trace(what, frame);
}

void
QbbNetDevice::Trace(asim_frame_event what, Ptr<const Packet> packet)
{
    switch (what)
    {
    case ASIM_FRAME_TX:
        m_dequeue(packet);
        m_macTx(packet);
        m_phyTxBegin(packet);
        break;
    case ASIM_FRAME_RX:
        m_phyRxEnd(packet);
        m_macRx(packet);
        break;
    case ASIM_FRAME_ENQUEUE:
        m_enqueue(packet);
        break;
    case ASIM_FRAME_DROP:
        m_drop(packet);
        break;
    }
}

void
QbbNetDevice::Pfc(bool pause)
{
    NS_LOG_FUNCTION(this << pause);
    m_pfc(pause);
}

void
QbbNetDevice::UseDatagrams(Callback<bool, const AsimDatagrams::Port&, Ptr<Packet>> send)
{
    NS_LOG_FUNCTION(this);
    m_send = send;
    if (!m_queues)
    {
        m_queues = CreateObject<NetDeviceQueueInterface>();
        AggregateObject(m_queues);
    }
}

void
QbbNetDevice::EndDatagrams()
{
    m_send.Nullify();
}

void
QbbNetDevice::SetPlace(uint32_t host, uint32_t number)
{
    NS_LOG_FUNCTION(this << host << number);
    m_port.host = host;
    m_port.number = number;
}

uint32_t
QbbNetDevice::GetHost() const
{
    return m_port.host;
}

void
QbbNetDevice::DatagramStarted()
{
    m_waiting--;
    if (m_queues->GetTxQueue(0)->IsStopped())
    {
        Simulator::ScheduleWithContext(m_node->GetId(), Time(0), &QbbNetDevice::Wake, this);
    }
}

void
QbbNetDevice::Wake()
{
    if (m_node && m_waiting < m_limit)
    {
        m_queues->GetTxQueue(0)->Wake();
    }
}

void
QbbNetDevice::DatagramArrived(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    Simulator::ScheduleWithContext(m_node->GetId(), Time(0), &QbbNetDevice::Receive, this, packet);
}

void
QbbNetDevice::Receive(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, packet->Copy(), IPV4, GetBroadcast(), m_address, PACKET_HOST);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, packet, IPV4, GetBroadcast());
    }
}

void
QbbNetDevice::DatagramLost(Ptr<const Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    m_phyRxDrop(packet);
}

void
QbbNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
QbbNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
QbbNetDevice::GetChannel() const
{
    return m_channel;
}

void
QbbNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
QbbNetDevice::GetAddress() const
{
    return m_address;
}

bool
QbbNetDevice::SetMtu(const uint16_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    return mtu == m_mtu;
}

uint16_t
QbbNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
QbbNetDevice::IsLinkUp() const
{
    return m_channel && m_isUp;
}

void
QbbNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
QbbNetDevice::IsBroadcast() const
{
    return false;
}

Address
QbbNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
QbbNetDevice::IsMulticast() const
{
    return false;
}

Address
QbbNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
QbbNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
QbbNetDevice::IsBridge() const
{
    return false;
}

bool
QbbNetDevice::IsPointToPoint() const
{
    return true;
}

bool
QbbNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol)
{
    return SendFrom(packet, GetAddress(), dest, protocol);
}

bool
QbbNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocol);
    NS_ABORT_MSG_UNLESS(m_queues,
                        "interface "
                            << m_ifIndex << " of node " << (m_node ? m_node->GetId() : 0)
                            << " was given a packet of another application and carries RDMA "
                               "frames only; AsimHelper::AssignIpv4 lets the interfaces of "
                               "hosts carry IPv4 packets, too");
    NS_ABORT_MSG_IF(protocol != IPV4,
                    "interface " << m_ifIndex << " of node " << m_node->GetId()
                                 << " was given a packet of protocol " << protocol
                                 << " and carries IPv4 (2048) only");
    if (m_send.IsNull() || !IsLinkUp() || m_waiting >= m_limit)
    {
        m_macTxDrop(packet);
        return false;
    }
    m_port.priority = m_priority;
    m_waiting++; // the network may call DatagramStarted
    if (!m_send(m_port, packet))
    {
        m_waiting--;
        m_macTxDrop(packet);
        return false;
    }
    if (m_waiting >= m_limit)
    {
        m_queues->GetTxQueue(0)->Stop();
    }
    return true;
}

Ptr<Node>
QbbNetDevice::GetNode() const
{
    return m_node;
}

void
QbbNetDevice::SetNode(Ptr<Node> node)
{
    NS_LOG_FUNCTION(this << node);
    m_node = node;
}

bool
QbbNetDevice::NeedsArp() const
{
    return false;
}

void
QbbNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receive = cb;
}

void
QbbNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

bool
QbbNetDevice::SupportsSendFrom() const
{
    return false;
}

void
QbbNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    m_channel = nullptr;
    m_queues = nullptr;
    m_send.Nullify();
    m_receive.Nullify();
    m_promiscReceive.Nullify();
    NetDevice::DoDispose();
}

} // namespace ns3
