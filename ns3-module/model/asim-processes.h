/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The processes of one run, started and joined by ns-3's mpi module. All meet at the end of every
 * window: each hands each other one message, with what the window has made for it and when it has
 * its own next event, so that all know which window is next. Packets of ns-3 do not carry what
 * crosses, since with them a window takes two of ns-3's rounds and some ten times as long. To ns-3's
 * distributed simulators no link leads from one process to another: they run freely, from one
 * meeting to the next, and end together.
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

    /** What a process says at the end of a window. */
    struct Word
    {
        uint64_t next;  //!< ns, its next window; UINT64_MAX: it has nothing to do any more
        uint8_t over;   //!< its part of the run is done, as far as it knows
        uint8_t ending; //!< all have to end here
    };

    static TypeId GetTypeId();
    AsimProcesses();
    ~AsimProcesses() override;

    /** How many processes mpiexec has started this one among; 1 without it. */
    static uint32_t Started();
    /** Why this program cannot be more than one process; empty where it can. */
    static std::string GetObstacle();
    /** Joins the others; before anything asks for the simulator. */
    void Enable(int* argc, char*** argv);
    /** Leaves them, all together; after Simulator::Destroy. */
    void Disable();
    uint32_t GetSelf() const;
    uint32_t GetSize() const;
    /** Cores of this machine that the processes on it may run on, as many as these at most. */
    uint32_t GetLent() const;
    /** From here on all threads of this process may run on any of them. */
    void TakeLent() const;

    /** For the peer at the next meeting; copied. */
    void Put(uint32_t peer, const uint8_t* bytes, std::size_t n);

    /** All of these are called by every process together. Hands over what was put, and makes one
     *  word of all: the earliest next; over where it is everywhere; ending where one says so. */
    void Meet(Word* word);
    /** What the peer has handed over, *n bytes; until the next meeting. */
    const uint8_t* Get(uint32_t peer, std::size_t* n) const;
    /** Whether all of them say so. */
    bool Agree(bool mine) const;
    /** A process other than 0 sleeps until process 0 wakes it: MPI's own calls wait spinning. */
    void Rest() const;
    void Wake() const;
    /** What every process gave, in their order: to all of them, or to process 0 alone. */
    std::vector<Bytes> Exchange(const Bytes& bytes) const;
    std::vector<Bytes> Gather(const Bytes& bytes) const;

  private:
    struct Transport;

    std::vector<Bytes> Collect(const Bytes& bytes, bool everywhere) const;
    void SeeCores();
    void Send(uint32_t peer, const Word& word);
    void Receive(uint32_t peer, Word* word);

    std::unique_ptr<Transport> m_transport;
    std::vector<Bytes> m_out, m_in; //!< to and from each, with a head each; they only grow
    Bytes m_cores;                  //!< those of the processes on this machine, as the system has them
    uint32_t m_self{0};
    uint32_t m_size{1};
    uint32_t m_lent{1};
};

} // namespace ns3

#endif
