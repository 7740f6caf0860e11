/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The processes of one run, started and joined by ns-3's mpi module. They meet at the end of every
 * window: each sends each other one message with the bytes for it and the time of its next event, so
 * that all know the next window. Packets of ns-3 do not carry these bytes, because a window would
 * then take two of ns-3's rounds and about ten times as long. For ns-3's distributed simulators no
 * link leads from one process to another: they run freely from one meeting to the next.
 */
#ifndef ASIM_PROCESSES_H
#define ASIM_PROCESSES_H

#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class AsimProcesses : public Object
{
  public:
    using Bytes = std::vector<uint8_t>;

    /** What a process tells the others at the end of a window. */
    struct Status
    {
        uint64_t next;  //!< ns, its next window; UINT64_MAX: it has nothing left to do
        uint8_t over;   //!< its part of the run is done, as far as it knows
        uint8_t ending; //!< every process has to end here
    };

    static TypeId GetTypeId();
    AsimProcesses();
    ~AsimProcesses() override;

    /** Number of processes that mpiexec has started; 1 without it. */
    static uint32_t Started();
    /** Why this program cannot run as several processes; empty where it can. */
    static std::string GetObstacle();
    /** Joins the other processes; call it before anything asks for the simulator. */
    void Enable(int* argc, char*** argv);
    /** Leaves them. All processes call it, after Simulator::Destroy. */
    void Disable();
    uint32_t GetSelf() const;
    uint32_t GetSize() const;
    /** Number of cores that the processes on this machine may use, at most one for each process. */
    uint32_t GetBorrowedCores() const;
    /** Lets all threads of this process run on any of these cores. */
    void UseBorrowedCores() const;

    /** Copies bytes for the peer, to be sent by the next Meet. */
    void Put(uint32_t peer, const uint8_t* bytes, std::size_t n);

    /** From here on every function is collective: all processes call it. Meet exchanges the bytes
     *  that were Put, and reduces the status: the earliest next; over where all are over; ending
     *  where one is ending. */
    void Meet(Status* status);
    /** The bytes of the peer, *n of them; valid until the next Meet. */
    const uint8_t* Get(uint32_t peer, std::size_t* n) const;
    /** True where all processes pass true. */
    bool All(bool mine) const;
    /** Processes other than 0 call Sleep, and return when process 0 calls Wake. MPI's own calls
     *  would spin. */
    void Sleep() const;
    void Wake() const;
    /** The bytes of every process, in order: at all processes, or at process 0 alone. */
    std::vector<Bytes> Exchange(const Bytes& bytes) const;
    std::vector<Bytes> Gather(const Bytes& bytes) const;

  private:
    struct Transport;

    std::vector<Bytes> Collect(const Bytes& bytes, bool everywhere) const;
    void FindCores();
    void Send(uint32_t peer, const Status& status);
    void Receive(uint32_t peer, Status* status);

    std::unique_ptr<Transport> m_transport;
    std::vector<Bytes> m_out, m_in; //!< per peer, a Head first; they only grow
    Bytes m_cores;                  //!< AsimCores::Set of all processes on this machine
    uint32_t m_self{0};
    uint32_t m_size{1};
    uint32_t m_borrowedCores{1};
};

} // namespace ns3

#endif
