/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The RDMA hardware of a host, as ns-3 sees it: the settings of its queue pairs as attributes, and
 * the end of each message as a trace source. The queue pairs themselves are in the core
 * (core/fabric/qp.c, receiver.c). An attribute set on the command line
 * (--ns3::RdmaHw::Mtu=4000) goes before the key of the network configuration it stands for.
 */
#ifndef RDMA_HW_H
#define RDMA_HW_H

#include "asim-compat.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

namespace ns3
{

class RdmaHw : public Object
{
  public:
    static TypeId GetTypeId();
    RdmaHw();

    /** Sets every attribute to what the run really uses. */
    void Adopt(const asim_netconf& conf);

    /** Source node, destination node, bytes, start; fires at the sender's last ACK. */
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_qpComplete;
    typedef void (*QpCompleteCallback)(uint32_t src, uint32_t dst, uint64_t bytes, Time start);

  private:
    uint32_t m_mtu;
    uint32_t m_ccMode;
    uint32_t m_chunk;
    uint32_t m_ackInterval;
    bool m_backToZero;
    bool m_hasWin;
    bool m_globalT;
    bool m_varWin;
    bool m_rateBound;
    bool m_ackHighPrio;
    DataRate m_minRate;
};

} // namespace ns3

#endif
