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

#include "asim-attributes.h"
#include "asim-fabric.h"
#include "asim-processes.h"
#include "qbb-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimFabricClock");

int
AsimFabric::Start(asim_err* err)
{
    NS_LOG_FUNCTION(this);
    const std::string obstacle = AsimAttributes::GetObstacle();

    m_begin = Simulator::Now();
    m_hasBegun = true;
    m_code = obstacle.empty() ? Watch(err) : asim_err_set(err, ASIM_EINVAL, "%s", obstacle.c_str());
    if (!m_code)
    {
        m_code = asim_world_start(m_world, err);
    }
    if (!m_code)
    {
        PlanLinkChanges();
    }
    if (m_processes)
    {
        if (!m_whole && m_processes->All(!m_code && asim_packet_may_use_half_steps(m_world)))
        {
            asim_packet_use_half_steps(m_world);
        }
        /* The first meeting tells the other processes of a failure here. */
        m_err = *err;
        m_next =
            Simulator::ScheduleNow(m_whole ? &AsimFabric::StartAlone : &AsimFabric::StepTogether,
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
        Stop();
        return;
    }
    m_processes->UseBorrowedCores();
    Plan();
}

void
AsimFabric::ScheduleAt(uint64_t ns, void (AsimFabric::*step)())
{
    m_next = Simulator::Schedule(m_begin + NanoSeconds(ns) - Simulator::Now(), step, this);
}

void
AsimFabric::Stop()
{
    NS_LOG_FUNCTION(this << m_code);
    CancelLinkChanges();
    Simulator::Stop();
}

/* The last window has begun before its last rank finished. */
void
AsimFabric::PlanEnd(uint64_t last)
{
    const Time left = m_begin + NanoSeconds(last) - Simulator::Now();

    m_end = Simulator::Schedule(Max(left, Time(0)), &AsimFabric::End, this);
}

/* Events of the program itself may be left: the simulator goes on. */
void
AsimFabric::End()
{
    NS_LOG_FUNCTION(this);
    CancelLinkChanges();
    m_finished();
}

uint64_t
AsimFabric::GetLastFinish() const
{
    uint64_t last = 0;

    for (uint32_t rank = 0; rank < asim_world_ranks(m_world); rank++)
    {
        if (IsHere(rank))
        {
            last = std::max(last, asim_world_cycles(m_world, rank));
        }
    }
    return last;
}

void
AsimFabric::PlanLinkChanges()
{
    std::vector<asim_link_change> changes(asim_packet_link_changes(m_world, nullptr, 0));

    asim_packet_link_changes(m_world, changes.data(), changes.size());
    for (const asim_link_change& change : changes)
    {
        m_linkChanges.push_back(Simulator::Schedule(NanoSeconds(change.time_ns),
                                                    &AsimFabric::ChangeLink,
                                                    this,
                                                    change));
    }
}

void
AsimFabric::CancelLinkChanges()
{
    for (EventId& change : m_linkChanges)
    {
        change.Cancel();
    }
    m_linkChanges.clear();
}

void
AsimFabric::ChangeLink(asim_link_change change)
{
    NS_LOG_FUNCTION(this << change.link << change.is_up);
    const asim_link& link = m_topo->links[change.link];

    for (const uint32_t port : {m_topo->first_port[link.a] + link.port_a - 1,
                                m_topo->first_port[link.b] + link.port_b - 1})
    {
        if (m_devices[port])
        {
            m_devices[port]->SetLinkUp(change.is_up);
        }
    }
}

void
AsimFabric::Plan()
{
    const uint64_t next = m_code ? ASIM_NEVER : asim_packet_next(m_world);

    if (!m_hasEnded && (next == ASIM_NEVER || asim_world_done(m_world)))
    {
        m_hasEnded = true;
        Conclude();
    }
    if (!m_hasEnded || (m_datagrams && m_datagrams->GetUnderWay()))
    {
        PlanStep();
    }
}

/* Packets of other applications go on after the workload's end. */
void
AsimFabric::PlanStep()
{
    const uint64_t next = m_code ? ASIM_NEVER : asim_packet_next(m_world);

    if (next == ASIM_NEVER || (!m_next.IsExpired() && m_nextNs <= next))
    {
        return;
    }
    m_next.Cancel();
    m_nextNs = next;
    ScheduleAt(next, &AsimFabric::Step);
}

bool
AsimFabric::SendDatagram(const AsimDatagrams::Port& port, Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << port.host << packet);
    NS_ABORT_MSG_UNLESS(m_hasBegun, "an application sends before AsimHelper::Run");
    if (m_code || !m_datagrams->Send(port, packet, Simulator::Now() - m_begin))
    {
        return false;
    }
    if (!m_isStepping)
    {
        PlanStep();
    }
    return true;
}

void
AsimFabric::Conclude()
{
    if (m_processes)
    {
        m_processes->Wake();
    }
    const uint64_t last = GetLastFinish();
    if (m_code || last == ASIM_NEVER || asim_world_is_stopped(m_world))
    {
        Stop();
        return;
    }
    PlanEnd(last);
}

void
AsimFabric::Step()
{
    NS_LOG_FUNCTION(this);
    m_isStepping = true;
    asim_packet_step(m_world, &m_err);
    m_isStepping = false;
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
    const uint64_t now = (Simulator::Now() - m_begin).GetNanoSeconds();
    const uint64_t until = asim_packet_window_end(m_world, now);

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
        ScheduleAt(next, &AsimFabric::StepTogether);
        return;
    }
    Meet(until);
}

/* The end of a window. The next window is the first in which any process has something to do.
 * Planned link events may outlast the run: they do not count where no process, and no message
 * between processes, has anything else left. */
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
    const uint64_t next = asim_packet_window_begin(m_world, until, status.next);
    if (status.ending)
    {
        Stop();
    }
    else if (status.over || next == ASIM_NEVER)
    {
        EndTogether();
    }
    else
    {
        ScheduleAt(next, &AsimFabric::StepTogether);
    }
}

void
AsimFabric::EndTogether()
{
    const uint64_t mine = GetLastFinish();
    AsimProcesses::Bytes bytes(sizeof mine);
    uint64_t last = 0;

    std::memcpy(bytes.data(), &mine, sizeof mine);
    for (const AsimProcesses::Bytes& one : m_processes->Exchange(bytes))
    {
        uint64_t theirs;
        std::memcpy(&theirs, one.data(), sizeof theirs);
        last = std::max(last, theirs);
    }
    if (last == ASIM_NEVER)
    {
        Stop();
        return;
    }
    PlanEnd(last);
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
