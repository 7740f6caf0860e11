/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-processes.h"

#include "ns3/simulator.h"

#include <cstdlib>
#include <cstring>
#include <list>
#include <string>

#ifdef NS3_MPI
#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/string.h"

#include <mpi.h>
#endif

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AsimProcesses);

TypeId
AsimProcesses::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AsimProcesses")
                            .SetParent<Object>()
                            .SetGroupName("Asim")
                            .AddConstructor<AsimProcesses>();
    return tid;
}

uint32_t
AsimProcesses::Started()
{
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    {
        if (const char* size = std::getenv(name))
        {
            return static_cast<uint32_t>(std::atoi(size));
        }
    }
    return 1;
}

uint32_t
AsimProcesses::GetSelf() const
{
    return m_self;
}

uint32_t
AsimProcesses::GetSize() const
{
    return m_size;
}

#ifdef NS3_MPI

namespace
{

/** ns-3 receives into buffers of 2000 bytes; what is larger goes beside its packet. */
constexpr std::size_t INLINE_BYTES = 1500;

} // namespace

/** Large batches take a communicator of their own: a packet of ns-3 tells that one is there. */
struct AsimProcesses::Transport
{
    struct Sending
    {
        MPI_Request request;
        Bytes bytes;
    };

    MPI_Comm comm;
    std::list<Sending> sending;

    void Forget()
    {
        for (auto it = sending.begin(); it != sending.end();)
        {
            int done = 0;
            MPI_Test(&it->request, &done, MPI_STATUS_IGNORE);
            it = done ? sending.erase(it) : std::next(it);
        }
    }
};

AsimProcesses::AsimProcesses() = default;
AsimProcesses::~AsimProcesses() = default;

/** The null-message simulator goes on for ever unless it is told when to stop, which is not known.
 */
std::string
AsimProcesses::GetObstacle()
{
    StringValue kind;

    GlobalValue::GetValueByName("SimulatorImplementationType", kind);
    if (kind.Get() == "ns3::DefaultSimulatorImpl" || kind.Get() == "ns3::DistributedSimulatorImpl")
    {
        return "";
    }
    return kind.Get() +
           " cannot run several processes here; leave out --SimulatorImplementationType";
}

void
AsimProcesses::Enable(int* argc, char*** argv)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DistributedSimulatorImpl"));
    MpiInterface::Enable(argc, argv);
    m_self = MpiInterface::GetSystemId();
    m_size = MpiInterface::GetSize();
    m_sent.resize(m_size);
    m_got.resize(m_size);
    m_transport = std::make_unique<Transport>();
    MPI_Comm_dup(MpiInterface::GetCommunicator(), &m_transport->comm);
}

/** A process that stops early leaves batches that are on their way; MPI wants all to be received.
 */
void
AsimProcesses::TakeRest()
{
    Bytes sent(m_size * sizeof(uint64_t));

    std::memcpy(sent.data(), m_sent.data(), sent.size());
    const std::vector<Bytes> all = Exchange(sent);
    for (uint32_t p = 0; p < m_size; p++)
    {
        uint64_t count;
        std::memcpy(&count, all[p].data() + m_self * sizeof count, sizeof count);
        for (; m_got[p] < count; m_got[p]++)
        {
            MPI_Status status;
            int size = 0;
            MPI_Probe(static_cast<int>(p), 0, m_transport->comm, &status);
            MPI_Get_count(&status, MPI_BYTE, &size);
            Bytes bytes(static_cast<std::size_t>(size));
            MPI_Recv(bytes.data(),
                     size,
                     MPI_BYTE,
                     static_cast<int>(p),
                     0,
                     m_transport->comm,
                     MPI_STATUS_IGNORE);
        }
    }
}

void
AsimProcesses::Disable()
{
    TakeRest();
    for (auto& one : m_transport->sending)
    {
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&m_transport->comm);
    m_transport.reset();
    MpiInterface::Disable();
}

/** A door's interfaces have the same numbers in every process: that of the peer, without itself. */
void
AsimProcesses::Open(Time window, Callback<void, uint32_t, const Bytes&> receive)
{
    m_receive = receive;
    for (uint32_t p = 0; p < m_size; p++)
    {
        m_doors.Add(CreateObject<Node>(p));
    }
    for (uint32_t p = 0; p < m_size; p++)
    {
        if (p == m_self)
        {
            continue;
        }
        auto channel = CreateObject<SimpleChannel>();
        Ptr<SimpleNetDevice> ends[2];
        channel->SetAttribute("Delay", TimeValue(window - TimeStep(1)));
        for (uint32_t e = 0; e < 2; e++)
        {
            ends[e] = CreateObject<SimpleNetDevice>();
            ends[e]->SetAttribute("PointToPointMode", BooleanValue(true));
            m_doors.Get(e ? p : m_self)->AddDevice(ends[e]);
            ends[e]->SetChannel(channel);
        }
        auto receiver = CreateObject<MpiReceiver>();
        receiver->SetReceiveCallback(MakeCallback(&AsimProcesses::Receive, this).Bind(p));
        ends[0]->AggregateObject(receiver);
    }
}

void
AsimProcesses::Send(uint32_t peer, Time at, Bytes&& bytes)
{
    const uint64_t size = bytes.size();
    uint8_t head[sizeof size + INLINE_BYTES];
    std::size_t used = sizeof size;

    m_transport->Forget();
    std::memcpy(head, &size, sizeof size);
    if (size <= INLINE_BYTES)
    {
        std::memcpy(head + used, bytes.data(), size);
        used += size;
    }
    else
    {
        m_sent[peer]++;
        m_transport->sending.push_back({MPI_REQUEST_NULL, std::move(bytes)});
        auto& one = m_transport->sending.back();
        MPI_Isend(one.bytes.data(),
                  static_cast<int>(size),
                  MPI_BYTE,
                  static_cast<int>(peer),
                  0,
                  m_transport->comm,
                  &one.request);
    }
    MpiInterface::SendPacket(Create<Packet>(head, static_cast<uint32_t>(used)),
                             at,
                             m_doors.Get(peer)->GetId(),
                             m_self < peer ? m_self : m_self - 1);
}

void
AsimProcesses::Receive(uint32_t peer, Ptr<Packet> packet)
{
    uint8_t head[sizeof(uint64_t) + INLINE_BYTES];
    uint64_t size;

    packet->CopyData(head, sizeof head);
    std::memcpy(&size, head, sizeof size);
    Bytes bytes(size);
    if (size <= INLINE_BYTES)
    {
        std::memcpy(bytes.data(), head + sizeof size, size);
    }
    else
    {
        m_got[peer]++;
        MPI_Recv(bytes.data(),
                 static_cast<int>(size),
                 MPI_BYTE,
                 static_cast<int>(peer),
                 0,
                 m_transport->comm,
                 MPI_STATUS_IGNORE);
    }
    m_receive(peer, bytes);
}

bool
AsimProcesses::All(bool here) const
{
    int mine = here;
    int all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, m_transport->comm);
    return all;
}

std::vector<AsimProcesses::Bytes>
AsimProcesses::Collect(const Bytes& bytes, bool everywhere) const
{
    const int mine = static_cast<int>(bytes.size());
    std::vector<int> sizes(m_size);
    std::vector<int> starts(m_size + 1);
    MPI_Comm comm = m_transport->comm;

    MPI_Allgather(&mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
    for (uint32_t p = 0; p < m_size; p++)
    {
        starts[p + 1] = starts[p] + sizes[p];
    }
    Bytes all(static_cast<std::size_t>(starts[m_size]) + 1);
    if (everywhere)
    {
        MPI_Allgatherv(bytes.data(),
                       mine,
                       MPI_BYTE,
                       all.data(),
                       sizes.data(),
                       starts.data(),
                       MPI_BYTE,
                       comm);
    }
    else
    {
        MPI_Gatherv(bytes.data(),
                    mine,
                    MPI_BYTE,
                    all.data(),
                    sizes.data(),
                    starts.data(),
                    MPI_BYTE,
                    0,
                    comm);
    }
    std::vector<Bytes> each;
    for (uint32_t p = 0; p < m_size; p++)
    {
        each.emplace_back(all.begin() + starts[p], all.begin() + starts[p + 1]);
    }
    return each;
}

#else

struct AsimProcesses::Transport
{
};

AsimProcesses::AsimProcesses() = default;
AsimProcesses::~AsimProcesses() = default;

std::string
AsimProcesses::GetObstacle()
{
    return "this ns-3 is configured without MPI; leave out mpiexec, or ./ns3 configure "
           "--enable-mpi";
}

void
AsimProcesses::Enable(int*, char***)
{
}

void
AsimProcesses::Disable()
{
}

void
AsimProcesses::Open(Time, Callback<void, uint32_t, const Bytes&>)
{
}

void
AsimProcesses::Send(uint32_t, Time, Bytes&&)
{
}

void
AsimProcesses::Receive(uint32_t, Ptr<Packet>)
{
}

void
AsimProcesses::TakeRest()
{
}

bool
AsimProcesses::All(bool here) const
{
    return here;
}

std::vector<AsimProcesses::Bytes>
AsimProcesses::Collect(const Bytes& bytes, bool) const
{
    return {bytes};
}

#endif

std::vector<AsimProcesses::Bytes>
AsimProcesses::Exchange(const Bytes& bytes) const
{
    return Collect(bytes, true);
}

std::vector<AsimProcesses::Bytes>
AsimProcesses::Gather(const Bytes& bytes) const
{
    return Collect(bytes, false);
}

void
AsimProcesses::DoDispose()
{
    m_doors = NodeContainer();
    m_receive = Callback<void, uint32_t, const Bytes&>();
    Object::DoDispose();
}

} // namespace ns3
