/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-mmu.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchMmu);

TypeId
SwitchMmu::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SwitchMmu")
            .SetParent<Object>()
            .SetGroupName("Asim")
            .AddConstructor<SwitchMmu>()
            .AddAttribute("BufferSize",
                          "Shared buffer, MiB (BUFFER_SIZE).",
                          UintegerValue(32),
                          MakeUintegerAccessor(&SwitchMmu::m_bufferMiB),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HeadroomFactor",
                          "Headroom of a port in bandwidth-delay products (HEADROOM_FACTOR).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SwitchMmu::m_headroomFactor),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

SwitchMmu::SwitchMmu() = default;

void
SwitchMmu::Adopt(const asim_netconf& conf)
{
    m_bufferMiB = static_cast<uint32_t>(conf.buffer_bytes >> 20);
    m_headroomFactor = conf.headroom_factor;
}

} // namespace ns3
