/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-processes.h"

#include "asim-bells.h"
#include "asim-cores.h"

#include "ns3/log.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#ifdef NS3_MPI
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/string.h"

#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/select.h>
#include <sys/socket.h>
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimProcesses");

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

uint32_t
AsimProcesses::GetBorrowedCores() const
{
    return m_borrowedCores;
}

/* mpiexec has bound each process to a core of its own. */
void
AsimProcesses::UseBorrowedCores() const
{
    AsimCores::Use(m_cores);
}

#ifdef NS3_MPI

namespace
{

/** Before the bytes of a message. */
struct Head
{
    AsimProcesses::Status status; //!< of the sender
    uint64_t bytes;               //!< number of bytes behind
};

/** Bytes of a first piece: MPI sends it without asking the receiver first. */
constexpr std::size_t FIRST_BYTES = 3500;

/** At the end OpenMPI's processes send mpiexec several short messages over TCP. Nagle's algorithm
 * would hold back all but the first until its acknowledgment: 40 ms of every run. */
void
DisableNagle()
{
#ifdef SO_PROTOCOL
    const int on = 1;

    for (int fd = 0; fd < FD_SETSIZE; fd++)
    {
        int protocol = 0;
        socklen_t n = sizeof protocol;

        if (!getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &n) && protocol == IPPROTO_TCP)
        {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        }
    }
#endif
}

/** Tag of the message that wakes a process; all others have 0. */
constexpr int WAKE = 1;

/** A sleeping process looks for that message after 1/NAPS of the time it has slept, at most after
 *  LONGEST_NAP. */
constexpr int NAPS = 32;
constexpr std::chrono::milliseconds LONGEST_NAP{10};

} // namespace

/** A communicator of our own beside that of ns-3. */
struct AsimProcesses::Transport
{
    /** A piece of a message. */
    struct Piece
    {
        MPI_Request request; //!< what is under way
        uint32_t peer;       //!< the process that receives it
    };

    MPI_Comm comm;              //!< for the messages of this class
    std::vector<Piece> sending; //!< empty between meetings
    AsimBells bells;            //!< where processes wait
};

AsimProcesses::AsimProcesses() = default;
AsimProcesses::~AsimProcesses() = default;

/* The null-message simulator needs to know the end of the run, which asim does not. */
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
    NS_LOG_FUNCTION(this);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DistributedSimulatorImpl"));
    MpiInterface::Enable(argc, argv);
    DisableNagle();
    m_self = MpiInterface::GetSystemId();
    m_size = MpiInterface::GetSize();
    m_out.resize(m_size, Bytes(sizeof(Head)));
    m_in.resize(m_size, Bytes(FIRST_BYTES));
    m_transport = std::make_unique<Transport>();
    MPI_Comm_dup(MpiInterface::GetCommunicator(), &m_transport->comm);
    FindCores();
}

void
AsimProcesses::FindCores()
{
    NS_LOG_FUNCTION(this);
    MPI_Comm here;
    int n;

    MPI_Comm_split_type(m_transport->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &n);
    m_borrowedCores = n;
    m_cores = AsimCores::OfProcess();
    MPI_Allreduce(MPI_IN_PLACE,
                  m_cores.data(),
                  static_cast<int>(m_cores.size()),
                  MPI_BYTE,
                  MPI_BOR,
                  here);
    m_transport->bells.Open(m_transport->comm, here);
    MPI_Comm_free(&here);
    if (!m_cores.empty())
    {
        m_borrowedCores = std::min(m_borrowedCores, AsimCores::Count(m_cores));
    }
}

void
AsimProcesses::Sleep() const
{
    NS_LOG_FUNCTION(this);
    const auto begin = std::chrono::steady_clock::now();
    int woken = 0;

    while (!woken)
    {
        const auto passed = std::chrono::steady_clock::now() - begin;
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(passed / NAPS, LONGEST_NAP));
        MPI_Iprobe(0, WAKE, m_transport->comm, &woken, MPI_STATUS_IGNORE);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, WAKE, m_transport->comm, MPI_STATUS_IGNORE);
}

void
AsimProcesses::Wake() const
{
    NS_LOG_FUNCTION(this);
    for (uint32_t peer = 1; peer < m_size; peer++)
    {
        MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(peer), WAKE, m_transport->comm);
    }
}

void
AsimProcesses::Disable()
{
    NS_LOG_FUNCTION(this);
    m_transport->bells.Close();
    MPI_Comm_free(&m_transport->comm);
    m_transport.reset();
    MpiInterface::Disable();
}

void
AsimProcesses::Put(uint32_t peer, const uint8_t* bytes, std::size_t n)
{
    m_out[peer].insert(m_out[peer].end(), bytes, bytes + n);
}

/* A message in one or two pieces; the first is received first. */
void
AsimProcesses::Send(uint32_t peer, const Status& status)
{
    Bytes& out = m_out[peer];
    const Head head{status, out.size() - sizeof(Head)};

    std::memcpy(out.data(), &head, sizeof head);
    for (std::size_t at = 0, n = std::min(out.size(), FIRST_BYTES); n; at += n, n = out.size() - at)
    {
        m_transport->sending.push_back({MPI_REQUEST_NULL, peer});
        MPI_Isend(out.data() + at,
                  static_cast<int>(n),
                  MPI_BYTE,
                  static_cast<int>(peer),
                  0,
                  m_transport->comm,
                  &m_transport->sending.back().request);
    }
    m_transport->bells.Ring(peer);
}

/* A long piece moves only while both sides look: the sender may sleep. */
void
AsimProcesses::ReceivePiece(uint32_t peer, std::size_t from, std::size_t n)
{
    MPI_Request request;

    MPI_Irecv(m_in[peer].data() + from,
              static_cast<int>(n),
              MPI_BYTE,
              static_cast<int>(peer),
              0,
              m_transport->comm,
              &request);
    if (from)
    {
        m_transport->bells.Ring(peer);
    }
    m_transport->bells.Await(&request, peer);
    if (from)
    {
        m_transport->bells.Ring(peer);
    }
}

void
AsimProcesses::Receive(uint32_t peer, Status* status)
{
    Bytes& in = m_in[peer];
    Head head;

    ReceivePiece(peer, 0, FIRST_BYTES);
    std::memcpy(&head, in.data(), sizeof head);
    status->next = std::min(status->next, head.status.next);
    status->over = status->over && head.status.over;
    status->ending = status->ending || head.status.ending;
    const std::size_t all = sizeof head + head.bytes;
    if (all > FIRST_BYTES)
    {
        in.resize(std::max(in.size(), all));
        ReceivePiece(peer, FIRST_BYTES, all - FIRST_BYTES);
    }
}

/* All sends begin before the first receive waits. */
void
AsimProcesses::Meet(Status* status)
{
    NS_LOG_FUNCTION(this << status->next << +status->over << +status->ending);
    const Status mine = *status;

    for (uint32_t peer = 0; peer < m_size; peer++)
    {
        if (peer != m_self)
        {
            Send(peer, mine);
        }
    }
    for (uint32_t peer = 0; peer < m_size; peer++)
    {
        if (peer != m_self)
        {
            Receive(peer, status);
        }
    }
    for (Transport::Piece& piece : m_transport->sending)
    {
        m_transport->bells.Await(&piece.request, piece.peer);
    }
    m_transport->sending.clear();
    for (Bytes& out : m_out)
    {
        out.resize(sizeof(Head));
    }
}

const uint8_t*
AsimProcesses::Get(uint32_t peer, std::size_t* n) const
{
    Head head;

    std::memcpy(&head, m_in[peer].data(), sizeof head);
    *n = head.bytes;
    return m_in[peer].data() + sizeof head;
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

#endif

bool
AsimProcesses::All(bool mine) const
{
    const std::vector<Bytes> each = Exchange(Bytes(1, mine));

    return std::all_of(each.begin(), each.end(), [](const Bytes& one) { return one[0] != 0; });
}

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

} // namespace ns3
