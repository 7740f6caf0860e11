/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-fabric.h"

#include "asim-processes.h"
#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "rdma-hw.h"
#include "switch-mmu.h"
#include "switch-node.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/traced-value.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimFabric");

NS_OBJECT_ENSURE_REGISTERED(AsimFabric);

TypeId
AsimFabric::GetTypeId()
{
    static TypeId tid =
        AddSettings(TypeId("ns3::AsimFabric")
                        .SetParent<AsimSettings>()
                        .SetGroupName("Asim")
                        .AddConstructor<AsimFabric>()
                        .AddTraceSource("Finished",
                                        "All ranks have finished, at this time. The simulator "
                                        "goes on while other events are left.",
                                        MakeTraceSourceAccessor(&AsimFabric::m_finished),
                                        "ns3::TracedValueCallback::Void"));
    return tid;
}

AsimFabric::AsimFabric() = default;

namespace
{

/**
 * Adds an interface to a node.
 * @param node the node
 * @param device the interface
 * @param link its link
 * @param payload of a full data frame, bytes
 */
void
AddDevice(Ptr<Node> node, Ptr<QbbNetDevice> device, const asim_link& link, uint32_t payload)
{
    device->SetShown(DataRate(link.rate_bps), static_cast<uint16_t>(payload));
    node->AddDevice(device);
}

} // namespace

void
AsimFabric::SetProcesses(Ptr<AsimProcesses> processes)
{
    NS_LOG_FUNCTION(this << processes);
    m_processes = processes;
}

bool
AsimFabric::IsHere(uint32_t v) const
{
    return asim_packet_is_here(m_world, v);
}

void
AsimFabric::SetWorld(asim_world* world)
{
    NS_LOG_FUNCTION(this << world);
    m_world = world;
    m_topo = asim_world_topo(world);
    m_whole = asim_world_is_unpartitioned(world);
    Build(*asim_world_netconf(world));
}

void
AsimFabric::Build(const asim_netconf& conf)
{
    NS_LOG_FUNCTION(this << m_topo->nodes << m_topo->n_links);
    std::vector<bool> wanted(m_topo->nodes);
    /* Also for the far ends of cut links: with the system id of another process ns-3 would
     * synchronize in every window, for packets of its own that never come. */
    const uint32_t self = m_processes ? m_processes->GetSelf() : 0;
    const auto payload = static_cast<const uint32_t*>(
        asim_netconf_field(&conf, asim_netconf_key("PACKET_PAYLOAD_SIZE")));

    Adopt(conf);
    m_nodes.resize(m_topo->nodes);
    m_devices.resize(m_topo->first_port[m_topo->nodes]);
    for (std::size_t l = 0; l < m_topo->n_links; l++)
    {
        const asim_link& link = m_topo->links[l];
        const bool here = IsHere(link.a) || IsHere(link.b);
        wanted[link.a] = wanted[link.a] || here;
        wanted[link.b] = wanted[link.b] || here;
    }
    for (uint32_t v = 0; v < m_topo->nodes; v++)
    {
        if (!wanted[v] && !IsHere(v))
        {
            continue;
        }
        m_nodes[v] = CreateObject<Node>(self);
        if (m_topo->node_type[v] == ASIM_HOST)
        {
            Ptr<RdmaHw> rdma = CreateObject<RdmaHw>();
            rdma->Adopt(conf);
            m_nodes[v]->AggregateObject(rdma);
            continue;
        }
        Ptr<SwitchNode> node = CreateObject<SwitchNode>();
        Ptr<SwitchMmu> mmu = CreateObject<SwitchMmu>();
        node->Adopt(conf);
        mmu->Adopt(conf);
        m_nodes[v]->AggregateObject(node);
        m_nodes[v]->AggregateObject(mmu);
    }
    for (std::size_t l = 0; l < m_topo->n_links; l++)
    {
        const asim_link& link = m_topo->links[l];
        if (!IsHere(link.a) && !IsHere(link.b))
        {
            continue;
        }
        Ptr<QbbChannel> channel = CreateObject<QbbChannel>();
        Ptr<QbbNetDevice> a = CreateObject<QbbNetDevice>();
        Ptr<QbbNetDevice> b = CreateObject<QbbNetDevice>();
        channel->SetDelay(FemtoSeconds(link.delay_fs));
        AddDevice(m_nodes[link.a], a, link, *payload);
        AddDevice(m_nodes[link.b], b, link, *payload);
        a->SetPlace(link.a, link.port_a);
        b->SetPlace(link.b, link.port_b);
        channel->Attach(a);
        channel->Attach(b);
        m_devices[m_topo->first_port[link.a] + link.port_a - 1] = a;
        m_devices[m_topo->first_port[link.b] + link.port_b - 1] = b;
    }
}

void
AsimFabric::SetTick(Callback<void> tick)
{
    m_tick = tick;
}

/* Only what trace sources have sinks for: the rest is not recorded. */
int
AsimFabric::Watch(asim_err* err)
{
    NS_LOG_FUNCTION(this);
    asim_observer observer{};
    int code = 0;
    const bool ends = std::any_of(m_nodes.begin(), m_nodes.end(), [](const Ptr<Node>& node) {
        Ptr<RdmaHw> rdma = node ? node->GetObject<RdmaHw>() : nullptr;
        return rdma && !rdma->m_qpComplete.IsEmpty();
    });
    const bool pauses =
        std::any_of(m_devices.begin(), m_devices.end(), [](const Ptr<QbbNetDevice>& device) {
            return device && device->IsPfcWatched();
        });

    observer.size = sizeof observer;
    observer.self = this;
    observer.message_done = ends ? &AsimFabric::OnMessage : nullptr;
    observer.paused = pauses ? &AsimFabric::OnPause : nullptr;
    m_watched =
        std::any_of(m_devices.begin(), m_devices.end(), [](const Ptr<QbbNetDevice>& device) {
            return device && device->IsWatched();
        });
    NS_LOG_INFO("sinks of messages: " << ends << ", of pauses: " << pauses
                                      << ", of frames: " << m_watched);
    if ((!m_processes || m_whole) && (ends || pauses))
    {
        code = asim_world_observe(m_world, &observer, err);
    }
    if (!code && m_watched)
    {
        code = asim_packet_watch_frames(m_world, &AsimFabric::OnFrame, this, err);
    }
    return code;
}

void
AsimFabric::OnFrame(void* self, const asim_frame_seen* seen)
{
    auto fabric = static_cast<AsimFabric*>(self);
    const uint32_t first = fabric->m_topo->first_port[seen->node];
    const Ptr<QbbNetDevice>& device = fabric->m_devices[first + seen->port - 1];
    asim_decoded_headers headers;

    if (device->IsWatched())
    {
        asim_packet_decode(fabric->m_world, seen, &headers);
        if (headers.protocol == ASIM_PROTOCOL_DATAGRAM)
        {
            device->DatagramFrame(seen->event, fabric->m_datagrams->Get(headers.seq));
        }
        else
        {
            device->Frame(seen->event, headers);
        }
    }
}

int
AsimFabric::UseDatagrams(Ptr<QbbNetDevice> device, asim_err* err)
{
    NS_LOG_FUNCTION(this << device);
    int code = 0;

    if (m_topo->node_type[device->GetHost()] != ASIM_HOST)
    {
        return asim_err_set(err,
                            ASIM_EINVAL,
                            "node %u is a switch; IPv4 packets of other applications begin and end "
                            "at hosts.",
                            device->GetHost());
    }
    if (m_hasBegun)
    {
        return asim_err_set(err, ASIM_EINVAL, "IPv4 addresses are assigned before the run begins.");
    }
    if (!m_datagrams)
    {
        m_datagrams = Create<AsimDatagrams>(m_world, m_devices);
        code = m_datagrams->Open(err);
    }
    device->UseDatagrams(MakeCallback(&AsimFabric::SendDatagram, this));
    return code;
}

void
AsimFabric::AddAddress(Ipv4Address address, Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << address << device);
    m_datagrams->AddAddress(address, device->GetHost());
}

void
AsimFabric::OnPause(void* self, const asim_observed_pause* pause)
{
    auto fabric = static_cast<AsimFabric*>(self);
    const uint32_t first = fabric->m_topo->first_port[pause->node];

    fabric->m_devices[first + pause->port - 1]->Pfc(pause->is_pause);
}

void
AsimFabric::OnMessage(void* self, const asim_observed_message* message)
{
    auto fabric = static_cast<AsimFabric*>(self);
    Ptr<RdmaHw> rdma = fabric->m_nodes[message->src]->GetObject<RdmaHw>();

    rdma->m_qpComplete(message->src,
                       message->dst,
                       message->bytes,
                       fabric->m_begin + NanoSeconds(message->start_ns));
}

int
AsimFabric::GetCode() const
{
    return m_code;
}

const asim_err&
AsimFabric::GetError() const
{
    return m_err;
}

Time
AsimFabric::GetBegin() const
{
    return m_begin;
}

Ptr<Node>
AsimFabric::GetNode(uint32_t v) const
{
    return m_nodes.at(v);
}

uint32_t
AsimFabric::GetNNodes() const
{
    return m_nodes.size();
}

const std::vector<Ptr<QbbNetDevice>>&
AsimFabric::GetDevices() const
{
    return m_devices;
}

void
AsimFabric::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_next.Cancel();
    m_end.Cancel();
    CancelLinkChanges();
    for (const auto& device : m_devices)
    {
        if (m_datagrams && device)
        {
            device->EndDatagrams();
        }
    }
    m_datagrams = nullptr;
    m_devices.clear();
    m_nodes.clear();
    m_world = nullptr;
    Object::DoDispose();
}

} // namespace ns3
