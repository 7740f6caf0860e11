/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-fabric.h"

#include "asim-processes.h"
#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "rdma-hw.h"
#include "switch-mmu.h"
#include "switch-node.h"

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AsimFabric);

TypeId AsimFabric::GetTypeId()
{
    static TypeId tid = AddSettings(TypeId("ns3::AsimFabric")
                                        .SetParent<AsimSettings>()
                                        .SetGroupName("Asim")
                                        .AddConstructor<AsimFabric>());
    return tid;
}

AsimFabric::AsimFabric() = default;

namespace
{

void AddDevice(Ptr<Node> node, Ptr<QbbNetDevice> device, const asim_link &link, uint32_t payload)
{
    device->SetAttribute("DataRate", DataRateValue(DataRate(link.rate_bps)));
    device->SetAttribute("Mtu", UintegerValue(payload));
    node->AddDevice(device);
}

} // namespace

void AsimFabric::SetProcesses(Ptr<AsimProcesses> processes)
{
    m_processes = processes;
}

bool AsimFabric::IsHere(uint32_t v) const
{
    return asim_distributed_is_local(m_fabric, v);
}

void AsimFabric::SetWorld(asim_world *world)
{
    m_world = world;
    m_fabric = asim_world_fabric(world);
    m_topo = asim_world_topo(world);
    m_window = asim_distributed_lookahead(m_fabric);
    m_whole = asim_world_is_whole(world);
    Build(*asim_world_netconf(world));
}

void AsimFabric::Build(const asim_netconf &conf)
{
    std::vector<bool> wanted(m_topo->nodes);
    /* Far ends of cut links, too: they stand in for nodes of other processes. As such they would
     * make ns-3 hold a round in every window, for packets of its own that never come. */
    const uint32_t self = m_processes ? m_processes->GetSelf() : 0;

    Adopt(conf);
    m_nodes.resize(m_topo->nodes);
    m_devices.resize(m_topo->first_port[m_topo->nodes]);
    for (std::size_t l = 0; l < m_topo->n_links; l++) {
        const asim_link &link = m_topo->links[l];
        const bool here = IsHere(link.a) || IsHere(link.b);
        wanted[link.a] = wanted[link.a] || here;
        wanted[link.b] = wanted[link.b] || here;
    }
    for (uint32_t v = 0; v < m_topo->nodes; v++) {
        if (!wanted[v] && !IsHere(v)) {
            continue;
        }
        m_nodes[v] = CreateObject<Node>(self);
        if (m_topo->node_type[v] == ASIM_HOST) {
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
    for (std::size_t l = 0; l < m_topo->n_links; l++) {
        const asim_link &link = m_topo->links[l];
        if (!IsHere(link.a) && !IsHere(link.b)) {
            continue;
        }
        Ptr<QbbChannel> channel = CreateObject<QbbChannel>();
        Ptr<QbbNetDevice> a = CreateObject<QbbNetDevice>();
        Ptr<QbbNetDevice> b = CreateObject<QbbNetDevice>();
        channel->SetAttribute("Delay", TimeValue(FemtoSeconds(link.delay_fs)));
        AddDevice(m_nodes[link.a], a, link, conf.payload_bytes);
        AddDevice(m_nodes[link.b], b, link, conf.payload_bytes);
        channel->Attach(a);
        channel->Attach(b);
        m_devices[m_topo->first_port[link.a] + link.port_a - 1] = a;
        m_devices[m_topo->first_port[link.b] + link.port_b - 1] = b;
    }
}

void AsimFabric::SetTick(Callback<void> tick)
{
    m_tick = tick;
}

/* Of reports' events: those that trace sources have sinks for. */
unsigned AsimFabric::GetWatchedEvents() const
{
    const bool ends = std::any_of(m_nodes.begin(), m_nodes.end(), [](const Ptr<Node> &node) {
        Ptr<RdmaHw> rdma = node ? node->GetObject<RdmaHw>() : nullptr;
        return rdma && !rdma->m_qpComplete.IsEmpty();
    });
    const bool pauses =
        std::any_of(m_devices.begin(), m_devices.end(), [](const Ptr<QbbNetDevice> &device) {
            return device && device->IsPfcWatched();
        });

    return ends << ASIM_EV_FCT | pauses << ASIM_EV_PFC;
}

int AsimFabric::Watch(asim_err *err)
{
    asim_viewer viewer{};

    viewer.wants = GetWatchedEvents();
    viewer.self = this;
    viewer.see = &AsimFabric::OnEvent;
    m_watched =
        std::any_of(m_devices.begin(), m_devices.end(),
                    [](const Ptr<QbbNetDevice> &device) { return device && device->IsWatched(); });
    if (((!m_processes || m_whole) && viewer.wants && asim_world_view(m_world, &viewer)) ||
        (m_watched && asim_fabric_watch_frames(m_fabric, &AsimFabric::OnFrame, this))) {
        return asim_err_set(err, ASIM_ENOMEM, "too many watch events or frames");
    }
    return 0;
}

void AsimFabric::OnFrame(void *self, asim_frame_event what, const uint32_t nodePort[2],
                         const asim_frame *frame, uint64_t t)
{
    auto fabric = static_cast<AsimFabric *>(self);
    const uint32_t first = fabric->m_topo->first_port[nodePort[0]];
    const Ptr<QbbNetDevice> &device = fabric->m_devices[first + nodePort[1] - 1];
    asim_decoded_headers facts;

    if (device->IsWatched()) {
        asim_fabric_decode_headers(fabric->m_fabric, frame, nodePort, &facts);
        device->Frame(what, facts);
    }
}

void AsimFabric::OnEvent(void *self, const asim_world *world, const asim_event *event)
{
    auto fabric = static_cast<AsimFabric *>(self);

    if (event->kind == ASIM_EV_PFC) {
        const uint32_t first = fabric->m_topo->first_port[event->rank];
        fabric->m_devices[first + event->of.pfc.port - 1]->Pfc(event->of.pfc.pause);
        return;
    }
    Ptr<RdmaHw> rdma = fabric->m_nodes[event->rank]->GetObject<RdmaHw>();
    rdma->m_qpComplete(event->rank, event->of.fct.dst, event->of.fct.bytes,
                       NanoSeconds(event->of.fct.start));
}

int AsimFabric::GetCode() const
{
    return m_code;
}

const asim_err &AsimFabric::GetError() const
{
    return m_err;
}

Ptr<Node> AsimFabric::GetNode(uint32_t v) const
{
    return m_nodes.at(v);
}

uint32_t AsimFabric::GetNNodes() const
{
    return m_nodes.size();
}

const std::vector<Ptr<QbbNetDevice>> &AsimFabric::GetDevices() const
{
    return m_devices;
}

void AsimFabric::DoDispose()
{
    m_next.Cancel();
    m_devices.clear();
    m_nodes.clear();
    m_world = nullptr;
    m_fabric = nullptr;
    Object::DoDispose();
}

} // namespace ns3
