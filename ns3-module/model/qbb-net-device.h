/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "asim-compat.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
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
     * Aborts: the messages of the traces are the only traffic of these links, so a packet of
     * another application would be lost and would delay nothing.
     * @param packet the packet
     * @param dest where to
     * @param protocol its protocol number
     * @return does not
     */
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    /**
     * Aborts as Send does.
     * @param packet the packet
     * @param source where from
     * @param dest where to
     * @param protocol its protocol number
     * @return does not
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
    Ptr<Node> m_node;          //!< the node
    Ptr<QbbChannel> m_channel; //!< the link
    Mac48Address m_address;    //!< a name only: frames carry IPv4 addresses
    DataRate m_rate;           //!< of the link
    uint32_t m_ifIndex{0};     //!< its place among the devices of the node
    uint16_t m_mtu{1000};      //!< payload of a full data frame, bytes
    bool m_isUp{true};         //!< no link event has brought it down

    TracedCallback<> m_linkChange;                  //!< the link goes down or comes up
    TracedCallback<Ptr<const Packet>> m_phyTxBegin; //!< a frame starts being serialized
    TracedCallback<Ptr<const Packet>> m_macRx;      //!< a frame has arrived
    TracedCallback<Ptr<const Packet>> m_enqueue;    //!< a frame is queued
    TracedCallback<Ptr<const Packet>> m_drop;       //!< a frame is refused or lost
    TracedCallback<Ptr<const Packet>> m_dequeue;    //!< a frame leaves its queue
    TracedCallback<Ptr<const Packet>> m_macTx;      //!< a frame starts being serialized
    TracedCallback<Ptr<const Packet>> m_phyRxEnd;   //!< a frame has arrived
    TracedCallback<uint32_t> m_pfc;                 //!< a pause (1) or resume (0) takes effect
};

} // namespace ns3

#endif /* QBB_NET_DEVICE_H */
