/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-helper.h"

#include "ns3/abort.h"
#include "ns3/asim-attributes.h"
#include "ns3/asim-simulator.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"

#include <iostream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimHelper");

namespace
{

/**
 * Writes a packet to a capture.
 * @param file the capture
 * @param packet the packet
 */
void
WritePcap(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

/**
 * Writes a line for an event.
 * @param stream where to
 * @param event the kind of event (one character), then the path of the trace source
 * @param packet the packet
 */
void
WriteLine(Ptr<OutputStreamWrapper> stream, std::string event, Ptr<const Packet> packet)
{
    *stream->GetStream() << event.substr(0, 1) << " " << Simulator::Now().GetNanoSeconds() << " "
                         << event.substr(1) << " " << packet->GetSize() << "\n";
}

} // namespace

AsimHelper::AsimHelper()
{
    NS_LOG_FUNCTION(this);
    asim_err err{};
    NS_ABORT_MSG_IF(asim_settings_init(&m_settings, sizeof m_settings, &err), err.text);
}

AsimHelper::~AsimHelper()
{
    NS_LOG_FUNCTION(this);
    if (m_fabric)
    {
        m_fabric->Dispose();
    }
    asim_world_close(m_world);
    m_settings.net_overrides = nullptr;
    asim_settings_fini(&m_settings);
}

void
AsimHelper::Set(const std::string& option, const std::string& value)
{
    NS_LOG_FUNCTION(this << option << value);
    asim_err err{};
    const asim_where where{"AsimHelper::Set", 0, 0};
    const asim_key_value setting{option.c_str(), value.c_str()};
    NS_ABORT_MSG_IF(asim_option_set(asim_settings_options, &m_settings, setting, where, &err),
                    err.text);
}

void
AsimHelper::SetPlacement(const std::vector<uint32_t>& hosts)
{
    NS_LOG_FUNCTION(this << hosts.size());
    std::string text;

    for (const uint32_t host : hosts)
    {
        text += (text.empty() ? "" : ",") + std::to_string(host);
    }
    Set("placement", text);
}

void
AsimHelper::Send(uint32_t src, uint32_t dst, uint64_t bytes, Time start)
{
    NS_LOG_FUNCTION(this << src << dst << bytes << start);
    NS_ABORT_MSG_IF(m_world, "Send comes before Install");
    m_messages.Add(src, dst, bytes, start);
}

bool
AsimHelper::UseMessages()
{
    std::string prefix;

    if (m_messages.IsEmpty())
    {
        return true;
    }
    if (m_settings.workload)
    {
        m_error = "the messages of Send and the option workload exclude each other";
        return false;
    }
    if (!m_messages.Write(&prefix, &m_error))
    {
        return false;
    }
    Set("workload", prefix);
    if (!m_settings.system)
    {
        Set("system", m_messages.GetSystem());
    }
    return true;
}

Ptr<AsimFabric>
AsimHelper::Install()
{
    Ptr<AsimFabric> fabric = TryInstall();

    NS_ABORT_MSG_UNLESS(fabric, m_error);
    return fabric;
}

Ptr<AsimFabric>
AsimHelper::TryInstall()
{
    NS_LOG_FUNCTION(this);
    asim_err err{};
    asim_hooks hooks{};

    NS_ABORT_MSG_IF(m_world, "a second Install; make another AsimHelper");
    std::string note;
    m_error = AsimSimulator::Prepare(1, &note);
    if (m_error.empty())
    {
        m_error = AsimAttributes::GetObstacle();
    }
    if (!m_error.empty() || !UseMessages())
    {
        return nullptr;
    }
    if (!note.empty())
    {
        std::cerr << "note: " << note << ".\n";
    }
    AsimAttributes attributes;
    hooks.self = this;
    hooks.stop = IsStopped;
    hooks.note = [](void*, const char* text) { std::cerr << "note: " << text << "\n"; };
    m_settings.net_overrides = attributes.Overrides();
    const int code = asim_world_open(&m_world, &m_settings, &hooks, &err);
    const bool isOpen = !code && !asim_reports_open(m_world, m_settings.out, &err);
    m_settings.net_overrides = nullptr;
    if (!isOpen)
    {
        m_error = err.text;
        return nullptr;
    }
    m_fabric = CreateObject<AsimFabric>();
    m_fabric->SetWorld(m_world);
    return m_fabric;
}

int
AsimHelper::IsStopped(void* self)
{
    return static_cast<AsimHelper*>(self)->m_stopped;
}

int
AsimHelper::Run()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_fabric, "Run before Install");
    asim_err err{};
    int code = m_fabric->Start(&err);

    if (!code)
    {
        Simulator::Run();
        code = m_fabric->GetCode();
        err = code ? m_fabric->GetError() : err;
        m_stopped = m_fabric->IsUnderWay();
        asim_world_is_stopped(m_world);
    }
    code = asim_world_finish(m_world, code, &err);
    m_error = code ? err.text : "";
    return code;
}

uint32_t
AsimHelper::GetNRanks() const
{
    return asim_world_ranks(m_world);
}

Time
AsimHelper::GetFinishTime(uint32_t rank) const
{
    return m_fabric->GetBegin() + NanoSeconds(asim_world_cycles(m_world, rank));
}

const std::string&
AsimHelper::GetError() const
{
    return m_error;
}

NodeContainer
AsimHelper::GetHosts() const
{
    NodeContainer hosts;

    NS_ABORT_MSG_UNLESS(m_fabric, "GetHosts comes after Install");
    for (uint32_t v = 0; v < m_fabric->GetNNodes(); v++)
    {
        if (asim_world_topo(m_world)->node_type[v] == ASIM_HOST)
        {
            hosts.Add(m_fabric->GetNode(v));
        }
    }
    return hosts;
}

NetDeviceContainer
AsimHelper::GetHostDevices(uint32_t nic) const
{
    NetDeviceContainer devices;
    const NodeContainer hosts = GetHosts();

    for (uint32_t host = 0; host < hosts.GetN(); host++)
    {
        if (nic < hosts.Get(host)->GetNDevices())
        {
            devices.Add(hosts.Get(host)->GetDevice(nic));
        }
    }
    return devices;
}

void
AsimHelper::UseDatagrams(Ptr<NetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    asim_err err{};

    NS_ABORT_MSG_UNLESS(m_fabric, "AssignIpv4 comes after Install");
    Ptr<QbbNetDevice> interface = DynamicCast<QbbNetDevice>(device);
    NS_ABORT_MSG_UNLESS(interface, "AssignIpv4 takes interfaces of hosts (GetHostDevices)");
    NS_ABORT_MSG_IF(m_fabric->UseDatagrams(interface, &err), err.text);
}

void
AsimHelper::EnablePcap(const std::string& prefix, Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << prefix << device);
    PcapHelper pcap;
    const std::string name = prefix + "-" + std::to_string(device->GetNode()->GetId()) + "-" +
                             std::to_string(device->GetIfIndex()) + ".pcap";
    Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, AsimCompat::LINK_TYPE_PPP);

    device->TraceConnectWithoutContext("PhyTxBegin", MakeBoundCallback(&WritePcap, file));
    device->TraceConnectWithoutContext("MacRx", MakeBoundCallback(&WritePcap, file));
}

void
AsimHelper::EnablePcapAll(const std::string& prefix)
{
    NS_LOG_FUNCTION(this << prefix);
    NS_ABORT_MSG_UNLESS(m_fabric, "EnablePcapAll comes after Install");
    for (const auto& device : m_fabric->GetDevices())
    {
        if (device)
        {
            EnablePcap(prefix, device);
        }
    }
}

void
AsimHelper::EnableAsciiAll(Ptr<OutputStreamWrapper> stream)
{
    NS_LOG_FUNCTION(this << stream);
    const char* const sources[][2] = {{"QbbEnqueue", "+"},
                                      {"QbbDequeue", "-"},
                                      {"MacRx", "r"},
                                      {"QbbDrop", "d"}};

    for (const auto& device : m_fabric->GetDevices())
    {
        const std::string path = "/NodeList/" + std::to_string(device->GetNode()->GetId()) +
                                 "/DeviceList/" + std::to_string(device->GetIfIndex());
        for (const auto& source : sources)
        {
            device->TraceConnectWithoutContext(
                source[0],
                MakeBoundCallback(&WriteLine, stream, source[1] + path + "/" + source[0]));
        }
    }
}

} // namespace ns3
