/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * How the world goes on under ns-3's clock: from event to event alone, from meeting to meeting where
 * several processes share the network, and asleep where the first of them has all of it.
 */
#include "asim-fabric.h"
#include "asim-processes.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3
{

int
AsimFabric::Start(asim_err* err)
{
    m_code = Watch(err);
    if (!m_code)
    {
        m_code = asim_world_start(m_world, err);
    }
    if (m_processes)
    {
        if (!m_whole && m_processes->Agree(!m_code && asim_packet_may_use_half_steps(m_world)))
        {
            asim_packet_use_half_steps(m_world);
        }
        /* A failure of this process alone is everybody's, once they have met. */
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

/** Of processes of which the first has all of the network. They begin and end together, as ns-3's
 *  distributed simulators want it. */
void
AsimFabric::StartAlone()
{
    if (m_processes->GetSelf())
    {
        m_processes->Rest();
        Simulator::Stop();
        return;
    }
    m_processes->TakeLent();
    Plan();
}

void
AsimFabric::End()
{
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
    asim_packet_step(m_world, &m_err);
    if (!m_tick.IsNull())
    {
        m_tick();
    }
    m_code = m_err.code;
    Plan();
}

/** A window of this process; where a sink watches its frames in as many simulator events as there
 *  are ns in which something happens, which nobody else has to know. */
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

/** The end of a window. The next one is the first in which anybody has something to do. Planned link
 *  events, which go on for ever or longer than the run, do not count where nothing else is left
 *  anywhere, on the way from one to another neither. */
void
AsimFabric::Meet(uint64_t until)
{
    AsimProcesses::Word word{};
    bool told = false;

    word.ending = m_code || asim_world_is_stopped(m_world);
    for (uint32_t peer = 0; peer < m_processes->GetSize(); peer++)
    {
        told = (peer != m_processes->GetSelf() && Tell(peer)) || told;
    }
    word.next = told ? until : asim_packet_next_common(m_world);
    word.over = !told && asim_world_is_over(m_world);
    word.ending = word.ending || m_code;
    m_processes->Meet(&word);
    for (uint32_t peer = 0; peer < m_processes->GetSize(); peer++)
    {
        if (peer != m_processes->GetSelf())
        {
            Hear(peer);
        }
    }
    if (word.ending || word.over || word.next == ASIM_NEVER)
    {
        Simulator::Stop();
        return;
    }
    m_next = Simulator::Schedule(NanoSeconds(word.next) - Simulator::Now(),
                                 &AsimFabric::StepTogether,
                                 this);
}

/** Whether there was anything to say. */
bool
AsimFabric::Tell(uint32_t peer)
{
    asim_buffer buffer{};

    if (m_code || (m_code = asim_world_pack(m_world, peer, &buffer, &m_err)))
    {
        return false;
    }
    m_processes->Put(peer, buffer.at, buffer.n);
    return buffer.n > 0;
}

/** A failure is told at the next meeting. */
void
AsimFabric::Hear(uint32_t peer)
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
