/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-hw.h"

namespace ns3
{

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

RdmaHw::RdmaHw() = default;

} // namespace ns3
