/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-node.h"

#include "ns3/boolean.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchNode);

TypeId
SwitchNode::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SwitchNode")
                            .SetParent<Object>()
                            .SetGroupName("Asim")
                            .AddConstructor<SwitchNode>()
                            .AddAttribute("EcnEnabled",
                                          "Mark frames by the ECN thresholds (ENABLE_QCN).",
                                          BooleanValue(true),
                                          MakeBooleanAccessor(&SwitchNode::m_ecn),
                                          MakeBooleanChecker());
    return tid;
}

SwitchNode::SwitchNode() = default;

void
SwitchNode::Adopt(const asim_netconf& conf)
{
    m_ecn = conf.enable_qcn;
}

} // namespace ns3
