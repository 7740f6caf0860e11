/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-bells.h"

#ifdef NS3_MPI

#include "ns3/log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <new>

#ifdef __linux__
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimBells");

namespace
{

/** A wait begins with looks at the message, for this time: a peer that runs sends within a window,
 * and a process that wakes beside a busy program may have to wait for a time slice of that program.
 */
constexpr std::chrono::nanoseconds PATIENCE{100000};
/** Looks, of 0.1 us each, before the next look at the clock. */
constexpr int LOOKS = 16;

/** A sleeper looks at its message again after this time, and then after twice as long each time: a
 *  peer on another machine has no bell to ring, and a long message needs both sides to look. */
constexpr long SHORTEST_SLEEP_NS = 50000;
constexpr long LONGEST_SLEEP_NS = 5000000;

} // namespace

/** Where a process sleeps: a futex of Linux. */
struct AsimBells::Bell
{
    /** Wakes the sleeper. */
    void Ring()
    {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (!asleep.load() || !asleep.exchange(0))
        {
            return;
        }
#ifdef __linux__
        syscall(SYS_futex, &asleep, FUTEX_WAKE, 1, nullptr, nullptr, 0);
#endif
    }

    /**
     * Sleeps until somebody rings. The caller has set asleep and then looked at its message, so
     * that it sees the message or the peer sees a sleeper.
     * @param ns at most this time
     */
    void Sleep(long ns)
    {
        const timespec time{0, ns};

#ifdef __linux__
        syscall(SYS_futex, &asleep, FUTEX_WAIT, 1, &time, nullptr, 0);
#else
        nanosleep(&time, nullptr);
#endif
    }

    alignas(64) std::atomic<uint32_t> asleep{0}; //!< its process sleeps, or is about to
    std::atomic<int> core{-1};                   //!< where its process waited last; -1: unknown
};

void
AsimBells::Open(MPI_Comm all, MPI_Comm here)
{
    NS_LOG_FUNCTION(this);
    MPI_Group group;
    MPI_Group every;
    int n;

    MPI_Comm_size(all, &n);
    m_bells.assign(n, nullptr);
    MPI_Win_allocate_shared(sizeof(Bell), 1, MPI_INFO_NULL, here, &m_own, &m_memory);
    new (m_own) Bell;
    MPI_Comm_group(here, &group);
    MPI_Comm_group(all, &every);
    MPI_Comm_size(here, &n);
    for (int i = 0; i < n; i++)
    {
        MPI_Aint size;
        int unit;
        int peer;

        MPI_Group_translate_ranks(group, 1, &i, every, &peer);
        MPI_Win_shared_query(m_memory, i, &size, &unit, &m_bells[peer]);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&every);
    MPI_Barrier(here);
}

void
AsimBells::Close()
{
    NS_LOG_FUNCTION(this);
    MPI_Win_free(&m_memory);
}

bool
AsimBells::SharesCore(uint32_t peer)
{
#ifdef __linux__
    const int core = sched_getcpu();

    m_own->core.store(core, std::memory_order_relaxed);
    return m_bells[peer] && core >= 0 &&
           m_bells[peer]->core.load(std::memory_order_relaxed) == core;
#else
    return false;
#endif
}

void
AsimBells::Await(MPI_Request* request, uint32_t peer)
{
    int done = 0;

    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done)
    {
        return;
    }
    const auto end = std::chrono::steady_clock::now() + PATIENCE;
    while (!done && !SharesCore(peer) && std::chrono::steady_clock::now() < end)
    {
        for (int i = 0; i < LOOKS && !done; i++)
        {
            MPI_Test(request, &done, MPI_STATUS_IGNORE);
        }
    }
    for (long ns = SHORTEST_SLEEP_NS; !done; ns = std::min(2 * ns, LONGEST_SLEEP_NS))
    {
        m_own->asleep.store(1);
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
        {
            m_own->Sleep(ns);
        }
        m_own->asleep.store(0);
    }
}

void
AsimBells::Ring(uint32_t peer)
{
    if (m_bells[peer])
    {
        m_bells[peer]->Ring();
    }
}

} // namespace ns3

#endif /* NS3_MPI */
