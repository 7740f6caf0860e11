/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The ns-3 face of one interface of the packet network (IEEE 802.1Qbb). The state machine is in
 * the core (core/fabric); this object carries its name, rate and trace sources. Connecting one of
 * the frame sources before the run makes the run advance in per-event mode, so that sinks
 * see every frame at its own Simulator::Now(); the results are the same, the run is slower.
 */
#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "asim-compat.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

namespace ns3
{

class QbbChannel;

class QbbNetDevice : public NetDevice
{
  public:
    static TypeId GetTypeId();
    QbbNetDevice();

    void SetChannel(Ptr<QbbChannel> channel);
    /** True if a sink wants single frames. */
    bool IsWatched() const;
    /** True if a sink wants its pauses. */
    bool IsPfcWatched() const;
    /** Fires the sources that belong to the event. The packet is as long as the frame and begins
     *  with its headers: PPP, IPv4, and UDP, the ACK's or PFC's (asim/packet.h). */
    void Frame(asim_frame_event what, const asim_decoded_headers& headers);
    void Pfc(bool pause);

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    /** Refused (false): the RDMA hardware is the only sender on these links. */
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
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
    Ptr<Node> m_node;
    Ptr<QbbChannel> m_channel;
    Mac48Address m_address;
    DataRate m_rate;
    uint32_t m_ifIndex{0};
    uint16_t m_mtu{1000};

    TracedCallback<Ptr<const Packet>> m_phyTxBegin;
    TracedCallback<Ptr<const Packet>> m_macRx;
    TracedCallback<Ptr<const Packet>> m_enqueue;
    TracedCallback<Ptr<const Packet>> m_drop;
    TracedCallback<Ptr<const Packet>> m_dequeue;
    TracedCallback<Ptr<const Packet>> m_macTx;
    TracedCallback<Ptr<const Packet>> m_phyRxEnd;
    TracedCallback<uint32_t> m_pfc;
};

} // namespace ns3

#endif
