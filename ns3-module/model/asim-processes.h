/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_PROCESSES_H
#define ASIM_PROCESSES_H

#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimProcesses declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * The processes of one run, started and joined by ns-3's mpi module.
 *
 * The processes meet at the end of every window: each sends each other one message with the bytes
 * for it and the time of its next event, so that all know the next window. Packets of ns-3 do not
 * carry these bytes, because a window would then take two of ns-3's rounds and about ten times as
 * long. For ns-3's distributed simulators no link leads from one process to another: they run
 * freely from one meeting to the next.
 */
class AsimProcesses : public Object
{
  public:
    using Bytes = std::vector<uint8_t>; //!< what processes send each other

    /** What a process tells the others at the end of a window. */
    struct Status
    {
        uint64_t next;  //!< ns, its next window; UINT64_MAX: it has nothing left to do
        uint8_t over;   //!< its part of the run is done, as far as it knows
        uint8_t ending; //!< every process has to end here
    };

    /**
     * Gets the type.
     * @return the type of AsimProcesses
     */
    static TypeId GetTypeId();
    AsimProcesses();
    ~AsimProcesses() override;

    /**
     * Counts the processes that mpiexec has started.
     * @return their number; 1 without mpiexec
     */
    static uint32_t Started();
    /**
     * Tells why this program cannot run as several processes.
     * @return the reason; empty where it can
     */
    static std::string GetObstacle();
    /**
     * Joins the other processes. Call it before anything asks for the simulator.
     * @param argc the argument of main
     * @param argv the argument of main
     */
    void Enable(int* argc, char*** argv);
    /** Leaves them. All processes call it, after Simulator::Destroy. */
    void Disable();
    /**
     * Gets the number of this process.
     * @return from 0 on
     */
    uint32_t GetSelf() const;
    /**
     * Counts the processes.
     * @return their number
     */
    uint32_t GetSize() const;
    /**
     * Counts the cores that the processes on this machine may use.
     * @return their number, at most one for each process
     */
    uint32_t GetBorrowedCores() const;
    /** Lets all threads of this process run on any of these cores. */
    void UseBorrowedCores() const;

    /**
     * Copies bytes that the next Meet is to send.
     * @param peer the process to send to
     * @param bytes the bytes
     * @param n their number
     */
    void Put(uint32_t peer, const uint8_t* bytes, std::size_t n);

    /**
     * Exchanges the bytes that were Put, and reduces the status: the earliest next; over where all
     * are over; ending where one is ending. This function and all below are collective: all
     * processes call them.
     * @param status of this process; then of all
     */
    void Meet(Status* status);
    /**
     * Gets the bytes that a process has sent.
     * @param peer the process
     * @param n set to their number
     * @return the bytes, valid until the next Meet
     */
    const uint8_t* Get(uint32_t peer, std::size_t* n) const;
    /**
     * Agrees on a condition.
     * @param mine what this process has found
     * @return true where all processes pass true
     */
    bool All(bool mine) const;
    /** Processes other than 0 call it, and return when process 0 calls Wake. MPI's own calls would
     *  spin. */
    void Sleep() const;
    /** Process 0 calls it to end the Sleep of the others. */
    void Wake() const;
    /**
     * Collects bytes at all processes.
     * @param bytes those of this process
     * @return those of every process, in order
     */
    std::vector<Bytes> Exchange(const Bytes& bytes) const;
    /**
     * Collects bytes at process 0 alone.
     * @param bytes those of this process
     * @return at process 0 those of every process, in order
     */
    std::vector<Bytes> Gather(const Bytes& bytes) const;

  private:
    struct Transport;

    /**
     * Collects bytes.
     * @param bytes those of this process
     * @param everywhere true: at all processes; false: at process 0
     * @return those of every process, in order
     */
    std::vector<Bytes> Collect(const Bytes& bytes, bool everywhere) const;
    /** Finds the cores of the processes on this machine. */
    void FindCores();
    /**
     * Sends what was Put, in one or two pieces.
     * @param peer the process to send to
     * @param status of this process
     */
    void Send(uint32_t peer, const Status& status);
    /**
     * Receives what a process has sent.
     * @param peer the process
     * @param status to reduce with that of the process
     */
    void Receive(uint32_t peer, Status* status);

    /**
     * Receives a piece of what a process has sent.
     * @param peer the process
     * @param from place of the piece, bytes
     * @param n most bytes of the piece
     */
    void ReceivePiece(uint32_t peer, std::size_t from, std::size_t n);

    std::unique_ptr<Transport> m_transport; //!< null before Enable and after Disable
    std::vector<Bytes> m_out;               //!< for each peer, a Head first; they only grow
    std::vector<Bytes> m_in;                //!< from each peer, a Head first; they only grow
    Bytes m_cores;                          //!< AsimCores::Set of all processes on this machine
    uint32_t m_self{0};                     //!< number of this process
    uint32_t m_size{1};                     //!< number of processes
    uint32_t m_borrowedCores{1};            //!< see GetBorrowedCores
};

} // namespace ns3

#endif /* ASIM_PROCESSES_H */
