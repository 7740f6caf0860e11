/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The processes of one run, joined by ns-3's mpi module. Between each two of them lies a door: a
 * point-to-point channel whose delay, one tick less than the window, is the lookahead of ns-3's
 * distributed simulators. What a window made for another process goes through the door as one
 * packet, stamped one tick before the next window begins; ns-3 sees to it that it is there by then.
 */
#ifndef ASIM_PROCESSES_H
#define ASIM_PROCESSES_H

#include "ns3/callback.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"

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

    /** Makes the doors. receive(peer, bytes) is called one tick before a window begins. */
    void Open(Time window, Callback<void, uint32_t, const Bytes&> receive);
    /** To be received by peer at that time, which is a window less one tick from now or later. */
    void Send(uint32_t peer, Time at, Bytes&& bytes);

    /** All of these are called by every process together. Whether it holds in all of them. */
    bool All(bool here) const;
    /** What every process gave, in their order: to all of them, or to process 0 alone. */
    std::vector<Bytes> Exchange(const Bytes& bytes) const;
    std::vector<Bytes> Gather(const Bytes& bytes) const;

  protected:
    void DoDispose() override;

  private:
    struct Transport;

    std::vector<Bytes> Collect(const Bytes& bytes, bool everywhere) const;
    void TakeRest();
    void Receive(uint32_t peer, Ptr<Packet> packet);

    std::unique_ptr<Transport> m_transport;
    NodeContainer m_doors;               //!< [processes]
    std::vector<uint64_t> m_sent, m_got; //!< large batches, to and from each
    Callback<void, uint32_t, const Bytes&> m_receive;
    uint32_t m_self{0};
    uint32_t m_size{1};
};

} // namespace ns3

#endif
