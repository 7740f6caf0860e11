/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_HW_H
#define RDMA_HW_H

#include "asim-settings.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

/**
 * @file
 * @ingroup asim
 * ns3::RdmaHw declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * The RDMA hardware of a host, as ns-3 sees it: the settings of its queue pairs as attributes, and
 * the end of each message as a trace source. The queue pairs themselves are in the core
 * (core/fabric/host).
 */
class RdmaHw : public AsimSettings
{
  public:
    /**
     * Gets the type.
     * @return the type of RdmaHw
     */
    static TypeId GetTypeId();
    RdmaHw();

    /** Source node, destination node, bytes, start; fires at the sender's last ACK. */
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_qpComplete;
    /**
     * Signature of the trace source QpComplete.
     * @param [in] src source node
     * @param [in] dst destination node
     * @param [in] bytes size of the message
     * @param [in] start time at which the message was posted
     */
    typedef void (*QpCompleteCallback)(uint32_t src, uint32_t dst, uint64_t bytes, Time start);
};

} // namespace ns3

#endif /* RDMA_HW_H */
