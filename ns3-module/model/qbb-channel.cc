/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qbb-channel.h"

#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbChannel");

NS_OBJECT_ENSURE_REGISTERED(QbbChannel);

TypeId
QbbChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbChannel")
            .SetParent<Channel>()
            .SetGroupName("Asim")
            .AddConstructor<QbbChannel>()
            .AddAttribute("Delay",
                          "Propagation delay of the link, as the topology states it.",
                          TypeId::ATTR_GET,
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&QbbChannel::m_delay),
                          MakeTimeChecker());
    return tid;
}

QbbChannel::QbbChannel() = default;

void
QbbChannel::Attach(Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_n == 2, "a QbbChannel joins two devices");
    m_ends[m_n++] = device;
    device->SetChannel(this);
}

void
QbbChannel::SetDelay(Time delay)
{
    m_delay = delay;
}

std::size_t
QbbChannel::GetNDevices() const
{
    return m_n;
}

Ptr<NetDevice>
QbbChannel::GetDevice(std::size_t i) const
{
    return i < m_n ? m_ends[i] : nullptr;
}

} // namespace ns3
