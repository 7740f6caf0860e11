/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_BELLS_H
#define ASIM_BELLS_H

#ifdef NS3_MPI

#include <cstdint>
#include <mpi.h>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimBells declaration; private to the module.
 */

namespace ns3
{

/**
 * @ingroup asim
 * Waits of the processes of one run for each other. MPI's own waits spin, and a process that spins
 * for a peer without a core may be what keeps that peer from getting one. Here a process soon
 * sleeps at a bell, in memory that the processes of a machine share, until a peer rings it.
 */
class AsimBells
{
  public:
    /**
     * Makes the bells; all processes call it.
     * @param all all processes
     * @param here the processes on this machine
     */
    void Open(MPI_Comm all, MPI_Comm here);
    /** Frees the bells; all processes call it. */
    void Close();
    /**
     * Waits until a message has been sent or received.
     * @param request what is under way
     * @param peer the process at its other end
     */
    void Await(MPI_Request* request, uint32_t peer);
    /**
     * Wakes a process after something was sent to it or received from it.
     * @param peer the process; nothing happens if it is on another machine
     */
    void Ring(uint32_t peer);

  private:
    struct Bell;

    /**
     * Tells whether this process runs where the peer waited last, so that only one of them can run.
     * @param peer the process
     * @return false where that is unknown
     */
    bool SharesCore(uint32_t peer);

    MPI_Win m_memory;           //!< of the bells
    std::vector<Bell*> m_bells; //!< of each process on this machine, else null
    Bell* m_own{nullptr};       //!< of this process
};

} // namespace ns3

#endif /* NS3_MPI */

#endif /* ASIM_BELLS_H */
