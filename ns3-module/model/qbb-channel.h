/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The ns-3 face of one full-duplex link of the packet network. Frames do not pass through it (they
 * travel in the core's mailboxes); it carries the link's name, its delay as an attribute, and its
 * two ends for anything that walks an ns-3 topology.
 */
#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

namespace ns3
{

class QbbNetDevice;

class QbbChannel : public Channel
{
  public:
    static TypeId GetTypeId();
    QbbChannel();

    /** Joins the next of at most two devices. */
    void Attach(Ptr<QbbNetDevice> device);
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    Time m_delay; //!< propagation delay, as the topology states it
    Ptr<QbbNetDevice> m_ends[2];
    std::size_t m_n{0};
};

} // namespace ns3

#endif
