/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-hw.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHw");

NS_OBJECT_ENSURE_REGISTERED(RdmaHw);

TypeId
RdmaHw::GetTypeId()
{
    static TypeId tid = AddSettings(
        TypeId("ns3::RdmaHw")
            .SetParent<AsimSettings>()
            .SetGroupName("Asim")
            .AddConstructor<RdmaHw>()
            .AddTraceSource("QpComplete",
                            "A message sent from here is complete. Fires when its window is "
                            "settled; at its own time in per-event mode.",
                            MakeTraceSourceAccessor(&RdmaHw::m_qpComplete),
                            "ns3::RdmaHw::QpCompleteCallback"));
    return tid;
}

RdmaHw::RdmaHw()
{
    NS_LOG_FUNCTION(this);
}

} // namespace ns3
