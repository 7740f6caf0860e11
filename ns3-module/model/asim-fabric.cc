/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-fabric.h"

#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "rdma-hw.h"
#include "switch-mmu.h"
#include "switch-node.h"

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AsimFabric);

TypeId
AsimFabric::GetTypeId()
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

void
AddDevice(Ptr<Node> node, Ptr<QbbNetDevice> device, const asim_link& link, uint32_t payload)
{
    device->SetAttribute("DataRate", DataRateValue(DataRate(link.rate_bps)));
    device->SetAttribute("Mtu", UintegerValue(payload));
    node->AddDevice(device);
}

} // namespace

void
AsimFabric::SetWorld(asim_world* world)
{
    const asim_netconf* conf = asim_world_netconf(world);

    Adopt(*conf);
    m_world = world;
    m_fabric = asim_world_fabric(world);
    m_topo = asim_world_topo(world);
    m_nodes.Create(m_topo->nodes);
    m_devices.resize(m_topo->first_port[m_topo->nodes]);
    for (uint32_t v = 0; v < m_topo->nodes; v++)
    {
        if (m_topo->kind[v] == ASIM_HOST)
        {
            Ptr<RdmaHw> rdma = CreateObject<RdmaHw>();
            rdma->Adopt(*conf);
            m_nodes.Get(v)->AggregateObject(rdma);
            continue;
        }
        Ptr<SwitchNode> node = CreateObject<SwitchNode>();
        Ptr<SwitchMmu> mmu = CreateObject<SwitchMmu>();
        node->Adopt(*conf);
        mmu->Adopt(*conf);
        m_nodes.Get(v)->AggregateObject(node);
        m_nodes.Get(v)->AggregateObject(mmu);
    }
    for (std::size_t l = 0; l < m_topo->n_links; l++)
    {
        const asim_link& link = m_topo->links[l];
        Ptr<QbbChannel> channel = CreateObject<QbbChannel>();
        Ptr<QbbNetDevice> a = CreateObject<QbbNetDevice>();
        Ptr<QbbNetDevice> b = CreateObject<QbbNetDevice>();
        channel->SetAttribute("Delay", TimeValue(FemtoSeconds(link.delay_fs)));
        AddDevice(m_nodes.Get(link.a), a, link, conf->payload_bytes);
        AddDevice(m_nodes.Get(link.b), b, link, conf->payload_bytes);
        channel->Attach(a);
        channel->Attach(b);
        m_devices[m_topo->first_port[link.a] + link.port_a - 1] = a;
        m_devices[m_topo->first_port[link.b] + link.port_b - 1] = b;
    }
    asim_viewer viewer{};
    viewer.wants = 1u << ASIM_EV_FCT | 1u << ASIM_EV_PFC;
    viewer.self = this;
    viewer.see = &AsimFabric::OnEvent;
    asim_world_view(world, &viewer);
}

void
AsimFabric::SetTick(Callback<void> tick)
{
    m_tick = tick;
}

int
AsimFabric::Start(asim_err* err)
{
    for (const auto& device : m_devices)
    {
        if (device->IsWatched())
        {
            if (asim_fabric_watch_frames(m_fabric, &AsimFabric::OnFrame, this))
            {
                return m_code = asim_err_set(err, ASIM_ENOMEM, "too many watch frames");
            }
            break;
        }
    }
    m_code = asim_world_start(m_world, err);
    if (!m_code)
    {
        Plan();
    }
    return m_code;
}

void
AsimFabric::Plan()
{
    const uint64_t next = asim_fabric_next(m_fabric);

    if (next == ASIM_NEVER || asim_world_done(m_world))
    {
        Simulator::Stop();
        return;
    }
    m_next = Simulator::Schedule(NanoSeconds(next) - Simulator::Now(), &AsimFabric::Step, this);
}

void
AsimFabric::Step()
{
    asim_fabric_step(m_fabric, &m_err);
    if (!m_tick.IsNull())
    {
        m_tick();
    }
    if (m_err.code)
    {
        m_code = m_err.code;
        Simulator::Stop();
        return;
    }
    Plan();
}

void
AsimFabric::OnFrame(void* self,
                    asim_frame_event what,
                    const uint32_t nodePort[2],
                    const asim_frame* frame,
                    uint64_t t)
{
    auto fabric = static_cast<AsimFabric*>(self);
    const uint32_t first = fabric->m_topo->first_port[nodePort[0]];
    const Ptr<QbbNetDevice>& device = fabric->m_devices[first + nodePort[1] - 1];
    asim_frame_facts facts;

    if (device->IsWatched())
    {
        asim_fabric_facts(fabric->m_fabric, frame, nodePort, &facts);
        device->Frame(what, facts);
    }
}

void
AsimFabric::OnEvent(void* self, const asim_world* world, const asim_event* event)
{
    auto fabric = static_cast<AsimFabric*>(self);

    if (event->kind == ASIM_EV_PFC)
    {
        const uint32_t first = fabric->m_topo->first_port[event->rank];
        fabric->m_devices[first + event->of.pfc.port - 1]->Pfc(event->of.pfc.pause);
        return;
    }
    Ptr<RdmaHw> rdma = fabric->m_nodes.Get(event->rank)->GetObject<RdmaHw>();
    rdma->m_qpComplete(event->rank,
                       event->of.fct.dst,
                       event->of.fct.bytes,
                       NanoSeconds(event->of.fct.start));
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

Ptr<Node>
AsimFabric::GetNode(uint32_t v) const
{
    return m_nodes.Get(v);
}

uint32_t
AsimFabric::GetNNodes() const
{
    return m_nodes.GetN();
}

const std::vector<Ptr<QbbNetDevice>>&
AsimFabric::GetDevices() const
{
    return m_devices;
}

void
AsimFabric::DoDispose()
{
    m_next.Cancel();
    m_devices.clear();
    m_nodes = NodeContainer();
    m_world = nullptr;
    m_fabric = nullptr;
    Object::DoDispose();
}

} // namespace ns3
