/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The RDMA hardware of a host, as ns-3 sees it: the settings of its queue pairs as attributes, and
 * the end of each message as a trace source. The queue pairs themselves are in the core
 * (core/fabric/host/qp.c, receiver.c). An attribute set on the command line
 * (--ns3::RdmaHw::Mtu=4000) goes before the key of the network configuration it stands for.
 */
#ifndef RDMA_HW_H
#define RDMA_HW_H

#include "asim-attributes.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

namespace ns3
{

class RdmaHw : public AsimSettings
{
  public:
    static TypeId GetTypeId();
    RdmaHw();

    /** Source node, destination node, bytes, start; fires at the sender's last ACK. */
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_qpComplete;
    typedef void (*QpCompleteCallback)(uint32_t src, uint32_t dst, uint64_t bytes, Time start);
};

} // namespace ns3

#endif
