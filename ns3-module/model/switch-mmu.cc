/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-mmu.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchMmu);

TypeId
SwitchMmu::GetTypeId()
{
    static TypeId tid = AddSettings(
        TypeId("ns3::SwitchMmu")
            .SetParent<AsimSettings>()
            .SetGroupName("Asim")
            .AddConstructor<SwitchMmu>());
    return tid;
}

SwitchMmu::SwitchMmu() = default;

} // namespace ns3
