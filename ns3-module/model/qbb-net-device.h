/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "asim-compat.h"
#include "asim-datagrams.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

/**
 * @file
 * @ingroup asim
 * ns3::QbbNetDevice declaration.
 */

namespace ns3
{

class QbbChannel;

/**
 * @ingroup asim
 * The ns-3 face of one interface of the packet network (IEEE 802.1Qbb).
 *
 * The state machine is in the core (core/fabric); this object carries its name, rate and trace
 * sources. Connecting one of the frame sources before the run makes the run advance in per-event
 * mode, so that sinks see every frame at its own Simulator::Now(); the results are the same, the
 * run is slower.
 *
 * An interface of a host can carry IPv4 packets of other applications, too
 * (AsimHelper::AssignIpv4): they share its port, and the queues and buffers of the switches, with
 * the RDMA frames.
 */
class QbbNetDevice : public NetDevice
{
  public:
    /**
     * Gets the type.
     * @return the type of QbbNetDevice
     */
    static TypeId GetTypeId();
    QbbNetDevice();

    /**
     * Sets the link.
     * @param channel the link
     */
    void SetChannel(Ptr<QbbChannel> channel);
    /**
     * Sets what the topology and the configuration say of this device.
     * @param rate the rate of the link
     * @param payload payload of a full data frame, bytes
     */
    void SetShown(DataRate rate, uint16_t payload);
    /**
     * Shows a link event of the configuration, and calls back where it is a change.
     * @param isUp true where the link comes up
     */
    void SetLinkUp(bool isUp);
    /**
     * Tells whether a sink wants single frames.
     * @return true if one does
     */
    bool IsWatched() const;
    /**
     * Tells whether a sink wants the pauses of this device.
     * @return true if one does
     */
    bool IsPfcWatched() const;
    /**
     * Fires the trace sources that belong to the event. The packet is as long as the frame and
     * begins with its headers: PPP, IPv4, and UDP, the ACK's or PFC's (asim/packet.h).
     * @param what the event
     * @param headers the headers of the frame
     */
    void Frame(asim_frame_event what, const asim_decoded_headers& headers);
    /**
     * Fires QbbPfc.
     * @param pause true for a pause, false for a resume
     */
    void Pfc(bool pause);
    /**
     * Lets the device carry IPv4 packets, and gives it a NetDeviceQueueInterface, with which queue
     * discs hold packets back while TxQueueLimit of them wait here.
     * @param send takes a packet; false where it cannot be carried
     */
    void UseDatagrams(Callback<bool, const AsimDatagrams::Port&, Ptr<Packet>> send);
    /** The network is gone: later packets are dropped. */
    void EndDatagrams();
    /**
     * Sets the host of this device.
     * @param host its number in the topology
     * @param number of the port, from 1
     */
    void SetPlace(uint32_t host, uint32_t number);
    /**
     * Gets the host of this device.
     * @return its number in the topology
     */
    uint32_t GetHost() const;
    /** A packet that waited here starts to be sent. */
    void DatagramStarted();
    /**
     * A packet has arrived: the node receives it in an event of its own, at once.
     * @param packet the packet
     */
    void DatagramArrived(Ptr<Packet> packet);
    /**
     * A packet was lost on the way to this device, in its node, or while it waited here.
     * @param packet the packet
     */
    void DatagramLost(Ptr<const Packet> packet);
    /**
     * Fires the trace sources that belong to the event of a packet's frame.
     * @param what the event
     * @param packet the packet, from its IPv4 header on
     */
    void DatagramFrame(asim_frame_event what, Ptr<const Packet> packet);
    /**
     * Signature of QbbPfc.
     * @param pause 1 for a pause, 0 for a resume
     */
    typedef void (*PfcTracedCallback)(uint32_t pause);

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    /**
     * Refuses another MTU: ns3::RdmaHw::Mtu is that of all devices.
     * @param mtu the MTU
     * @return true if it is the MTU already
     */
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    /**
     * Tells whether the device has a link that no link event of the configuration has brought down.
     * @return true if it has
     */
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    /**
     * Sends an IPv4 packet to the host of its destination address. Aborts where the device was not
     * given addresses by AsimHelper::AssignIpv4: the packet would be lost and would delay nothing.
     * @param packet the packet, which begins with its IPv4 header
     * @param dest not used: there is no ARP
     * @param protocol 0x0800; another one aborts
     * @return false if the packet is dropped: MacTxDrop
     */
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    /**
     * Does what Send does.
     * @param packet the packet
     * @param source where from
     * @param dest where to
     * @param protocol its protocol number
     * @return as Send
     */
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    /**
     * Passes a packet that has arrived to the node.
     * @param packet the packet
     */
    void Receive(Ptr<Packet> packet);
    /** Lets queue discs send again. */
    void Wake();
    /**
     * Fires the trace sources of an event.
     * @param what the event
     * @param packet the frame
     */
    void Trace(asim_frame_event what, Ptr<const Packet> packet);

    Ptr<Node> m_node;                    //!< the node
    Ptr<QbbChannel> m_channel;           //!< the link
    Mac48Address m_address;              //!< a name only: frames carry IPv4 addresses
    DataRate m_rate;                     //!< of the link
    uint32_t m_ifIndex{0};               //!< its place among the devices of the node
    uint16_t m_mtu{1000};                //!< payload of a full data frame, bytes
    bool m_isUp{true};                   //!< no link event has brought it down
    AsimDatagrams::Port m_port{0, 0, 0}; //!< where packets leave
    uint32_t m_waiting{0};               //!< packets that wait here
    uint32_t m_limit{100};               //!< the most
    uint8_t m_priority{0};               //!< of packets
    Callback<bool, const AsimDatagrams::Port&, Ptr<Packet>> m_send; //!< to the network
    ReceiveCallback m_receive;                                      //!< of the node
    PromiscReceiveCallback m_promiscReceive;                        //!< likewise
    Ptr<NetDeviceQueueInterface> m_queues;                          //!< null: no packets

    TracedCallback<> m_linkChange;                  //!< the link goes down or comes up
    TracedCallback<Ptr<const Packet>> m_phyTxBegin; //!< a frame starts being serialized
    TracedCallback<Ptr<const Packet>> m_macRx;      //!< a frame has arrived
    TracedCallback<Ptr<const Packet>> m_enqueue;    //!< a frame is queued
    TracedCallback<Ptr<const Packet>> m_drop;       //!< a frame is refused or lost
    TracedCallback<Ptr<const Packet>> m_dequeue;    //!< a frame leaves its queue
    TracedCallback<Ptr<const Packet>> m_macTx;      //!< a frame starts being serialized
    TracedCallback<Ptr<const Packet>> m_phyRxEnd;   //!< a frame has arrived
    TracedCallback<Ptr<const Packet>> m_macTxDrop;  //!< a packet cannot be sent
    TracedCallback<Ptr<const Packet>> m_phyRxDrop;  //!< a packet is lost
    TracedCallback<uint32_t> m_pfc;                 //!< a pause (1) or resume (0) takes effect
};

} // namespace ns3

#endif /* QBB_NET_DEVICE_H */
