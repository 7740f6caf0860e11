/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-node.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SwitchNode");

NS_OBJECT_ENSURE_REGISTERED(SwitchNode);

TypeId
SwitchNode::GetTypeId()
{
    static TypeId tid = AddSettings(TypeId("ns3::SwitchNode")
                                        .SetParent<AsimSettings>()
                                        .SetGroupName("Asim")
                                        .AddConstructor<SwitchNode>());
    return tid;
}

SwitchNode::SwitchNode()
{
    NS_LOG_FUNCTION(this);
}

} // namespace ns3
