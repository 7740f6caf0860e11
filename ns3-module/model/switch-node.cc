/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-node.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchNode);

TypeId
SwitchNode::GetTypeId()
{
    static TypeId tid = AddSettings(
        TypeId("ns3::SwitchNode")
            .SetParent<AsimSettings>()
            .SetGroupName("Asim")
            .AddConstructor<SwitchNode>());
    return tid;
}

SwitchNode::SwitchNode() = default;

} // namespace ns3
