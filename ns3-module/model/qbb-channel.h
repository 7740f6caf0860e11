/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

/**
 * @file
 * @ingroup asim
 * ns3::QbbChannel declaration.
 */

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup asim
 * The ns-3 face of one full-duplex link of the packet network.
 *
 * Frames do not pass through it (they travel in the core); it carries the link's name, its delay as
 * an attribute, and its two ends for anything that walks an ns-3 topology.
 */
class QbbChannel : public Channel
{
  public:
    /**
     * Gets the type.
     * @return the type of QbbChannel
     */
    static TypeId GetTypeId();
    QbbChannel();

    /**
     * Joins the next of at most two devices.
     * @param device the device
     */
    void Attach(Ptr<QbbNetDevice> device);
    /**
     * Sets what the topology says of this link.
     * @param delay the propagation delay
     */
    void SetDelay(Time delay);
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    Time m_delay;                //!< propagation delay, as the topology states it
    Ptr<QbbNetDevice> m_ends[2]; //!< the devices, in the order of Attach
    std::size_t m_n{0};          //!< their number
};

} // namespace ns3

#endif /* QBB_CHANNEL_H */
