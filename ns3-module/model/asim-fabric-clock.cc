/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * The world under ns-3's clock. One process runs from event to event. Several processes run from
 * meeting to meeting; where process 0 simulates all of the network, the others sleep.
 */

#include "asim-fabric.h"
#include "asim-processes.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimFabricClock");

int
AsimFabric::Start(asim_err* err)
{
    NS_LOG_FUNCTION(this);
    m_code = Watch(err);
    if (!m_code)
    {
        m_code = asim_world_start(m_world, err);
    }
    if (m_processes)
    {
        if (!m_whole && m_processes->All(!m_code && asim_packet_may_use_half_steps(m_world)))
        {
            asim_packet_use_half_steps(m_world);
        }
        /* The first meeting tells the other processes of a failure here. */
        m_err = *err;
        m_next = Simulator::ScheduleNow(m_whole ? &AsimFabric::StartAlone
                                                : &AsimFabric::StepTogether,
                                        this);
        return 0;
    }
    if (!m_code)
    {
        Plan();
    }
    return m_code;
}

/* Where process 0 simulates all of the network. All processes start and stop together, as ns-3's
 *  distributed simulators require. */
void
AsimFabric::StartAlone()
{
    NS_LOG_FUNCTION(this << m_processes->GetSelf());
    if (m_processes->GetSelf())
    {
        m_processes->Sleep();
        Simulator::Stop();
        return;
    }
    m_processes->UseBorrowedCores();
    Plan();
}

void
AsimFabric::End()
{
    NS_LOG_FUNCTION(this << m_code);
    if (m_processes)
    {
        m_processes->Wake();
    }
    Simulator::Stop();
}

void
AsimFabric::Plan()
{
    const uint64_t next = m_code ? ASIM_NEVER : asim_packet_next(m_world);

    if (next == ASIM_NEVER || asim_world_done(m_world))
    {
        End();
        return;
    }
    m_next = Simulator::Schedule(NanoSeconds(next) - Simulator::Now(), &AsimFabric::Step, this);
}

void
AsimFabric::Step()
{
    NS_LOG_FUNCTION(this);
    asim_packet_step(m_world, &m_err);
    if (!m_tick.IsNull())
    {
        m_tick();
    }
    m_code = m_err.code;
    Plan();
}

/* A window of this process. With a frame sink it takes one simulator event for each ns in which
 *  something happens; the other processes do not notice. */
void
AsimFabric::StepTogether()
{
    const uint64_t now = Simulator::Now().GetNanoSeconds();
    const uint64_t until = now - now % m_window + m_window;

    if (!m_code)
    {
        m_code = asim_packet_advance(m_world, m_watched ? now + 1 : until, &m_err);
    }
    if (!m_tick.IsNull())
    {
        m_tick();
    }
    const uint64_t next = m_watched && !m_code ? asim_packet_next(m_world) : until;
    if (next < until)
    {
        m_next = Simulator::Schedule(NanoSeconds(next - now), &AsimFabric::StepTogether, this);
        return;
    }
    Meet(until);
}

/* The end of a window. The next window is the first in which any process has something to do. Planned
 *  link events may outlast the run: they do not count where no process, and no message between
 *  processes, has anything else left. */
void
AsimFabric::Meet(uint64_t until)
{
    NS_LOG_FUNCTION(this << until);
    AsimProcesses::Status status{};
    bool sent = false;

    status.ending = m_code || asim_world_is_stopped(m_world);
    for (uint32_t peer = 0; peer < m_processes->GetSize(); peer++)
    {
        sent = (peer != m_processes->GetSelf() && Pack(peer)) || sent;
    }
    status.next = sent ? until : asim_packet_next_common(m_world);
    status.over = !sent && asim_world_is_over(m_world);
    status.ending = status.ending || m_code;
    m_processes->Meet(&status);
    for (uint32_t peer = 0; peer < m_processes->GetSize(); peer++)
    {
        if (peer != m_processes->GetSelf())
        {
            Unpack(peer);
        }
    }
    if (status.ending || status.over || status.next == ASIM_NEVER)
    {
        Simulator::Stop();
        return;
    }
    m_next = Simulator::Schedule(NanoSeconds(status.next) - Simulator::Now(),
                                 &AsimFabric::StepTogether,
                                 this);
}

/* True if there are bytes for the peer. */
bool
AsimFabric::Pack(uint32_t peer)
{
    asim_buffer buffer{};

    if (m_code || (m_code = asim_world_pack(m_world, peer, &buffer, &m_err)))
    {
        return false;
    }
    m_processes->Put(peer, buffer.at, buffer.n);
    return buffer.n > 0;
}

/* The next meeting tells the others of a failure. */
void
AsimFabric::Unpack(uint32_t peer)
{
    std::size_t n;
    const uint8_t* at = m_processes->Get(peer, &n);
    const asim_buffer buffer{at, n};

    if (!m_code && n)
    {
        m_code = asim_world_unpack(m_world, &buffer, &m_err);
    }
}

} // namespace ns3
