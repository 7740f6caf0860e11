/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-mmu.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SwitchMmu");

NS_OBJECT_ENSURE_REGISTERED(SwitchMmu);

TypeId
SwitchMmu::GetTypeId()
{
    static TypeId tid = AddSettings(TypeId("ns3::SwitchMmu")
                                        .SetParent<AsimSettings>()
                                        .SetGroupName("Asim")
                                        .AddConstructor<SwitchMmu>());
    return tid;
}

SwitchMmu::SwitchMmu()
{
    NS_LOG_FUNCTION(this);
}

} // namespace ns3
