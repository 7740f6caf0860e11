/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim-tests
 * The ns-3 side: windows as events, per-event mode for frame sinks, attributes before
 * configuration keys, cores. The traces are written by the test itself.
 */

#include "asim-test-trace.h"

#include "ns3/asim-attributes.h"
#include "ns3/asim-cores.h"
#include "ns3/asim-fabric.h"
#include "ns3/asim-helper.h"
#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-hw.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup asim-tests
 * Runs two ranks over one switch and keeps what it saw.
 */
class AsimRunTestCase : public TestCase
{
  public:
    /**
     * Makes the test case.
     * @param name of the test case
     * @param watched true for a sink on every frame
     */
    AsimRunTestCase(const std::string& name, bool watched)
        : TestCase(name),
          m_watched(watched)
    {
    }

  protected:
    /**
     * Runs the ranks.
     * @param wanted when both finish, ns
     */
    void Run(uint64_t wanted);

    uint64_t m_frames{0};      //!< frames seen
    uint64_t m_lastFrameNs{0}; //!< when the last one was seen
    uint64_t m_messages{0};    //!< messages completed
    uint64_t m_packets[256]{}; //!< by IPv4 protocol number
    uint64_t m_payload{0};     //!< bytes of data seen
    bool m_timesRise{true};    //!< frames came in order of time

  private:
    void DoRun() override
    {
        Run(62148);
    }

    /**
     * A frame has arrived.
     * @param packet the frame
     */
    void OnFrame(Ptr<const Packet> packet);
    /**
     * A message is complete.
     * @param src source node
     * @param dst destination node
     * @param bytes its size
     * @param start when it was posted
     */
    void OnComplete(uint32_t src, uint32_t dst, uint64_t bytes, Time start);

    bool m_watched; //!< there is a sink on every frame
};

void
AsimRunTestCase::OnFrame(Ptr<const Packet> packet)
{
    const uint64_t now = Simulator::Now().GetNanoSeconds();
    m_timesRise = m_timesRise && now >= m_lastFrameNs;
    m_lastFrameNs = now;
    uint8_t head[36];
    packet->CopyData(head, sizeof head);
    m_packets[head[11]]++;
    NS_TEST_EXPECT_MSG_EQ(head[0] * 256 + head[1], 0x0021, "a frame begins with PPP");
    NS_TEST_EXPECT_MSG_EQ(head[4] * 256u + head[5] + 2, packet->GetSize(), "length in IPv4");
    if (head[11] == ASIM_PROTOCOL_DATA)
    {
        m_payload += packet->GetSize() - sizeof head;
    }
    m_frames++;
}

void
AsimRunTestCase::OnComplete(uint32_t src, uint32_t dst, uint64_t bytes, Time start)
{
    m_messages++;
}

void
AsimRunTestCase::Run(uint64_t wanted)
{
    const std::string prefix = CreateTempDirFilename("all_reduce");
    asim_settings settings{};
    asim_hooks hooks{};
    asim_err err{};
    asim_world* world = nullptr;
    AsimAttributes attributes;
    std::string topology = "auto:switch,rate=200Gbps";

    WriteTrace(prefix, 0);
    WriteTrace(prefix, 1);
    NS_TEST_ASSERT_MSG_EQ(asim_settings_init(&settings, sizeof settings, &err), 0, err.text);
    settings.workload = const_cast<char*>(prefix.c_str());
    settings.topology = topology.data();
    settings.net_overrides = attributes.Overrides();
    NS_TEST_ASSERT_MSG_EQ(asim_world_open(&world, &settings, &hooks, &err), 0, err.text);

    Ptr<AsimFabric> fabric = CreateObject<AsimFabric>();
    fabric->SetWorld(world);
    if (m_watched)
    {
        for (const auto& device : fabric->GetDevices())
        {
            device->TraceConnectWithoutContext("MacRx",
                                               MakeCallback(&AsimRunTestCase::OnFrame, this));
        }
    }
    for (uint32_t rank = 0; rank < 2; rank++)
    {
        fabric->GetNode(rank)->GetObject<RdmaHw>()->TraceConnectWithoutContext(
            "QpComplete",
            MakeCallback(&AsimRunTestCase::OnComplete, this));
    }
    NS_TEST_ASSERT_MSG_EQ(fabric->Start(&err), 0, err.text);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(fabric->GetCode(), 0, "the run failed");
    NS_TEST_EXPECT_MSG_EQ(asim_world_cycles(world, 0), wanted, "finish time of rank 0");
    NS_TEST_EXPECT_MSG_EQ(asim_world_cycles(world, 1), wanted, "finish time of rank 1");
    NS_TEST_EXPECT_MSG_EQ(asim_world_finish(world, 0, &err), 0, err.text);
    NS_TEST_EXPECT_MSG_EQ(m_messages, 16, "QpComplete fires for every message");
    fabric->Dispose();
    Simulator::Destroy();
    asim_world_close(world);
}

/** The same with a frame sink: per-event mode, every frame at its own time. */
class AsimWatchedTestCase : public AsimRunTestCase
{
  public:
    AsimWatchedTestCase()
        : AsimRunTestCase("frames are seen at their own time, results are the same", true)
    {
    }

  private:
    void DoRun() override
    {
        Run(62148);
        NS_TEST_EXPECT_MSG_EQ(m_timesRise, true, "frames are seen in order of time");
        /* 16 messages x 132 packets, each with its ACK, over two links. */
        NS_TEST_EXPECT_MSG_EQ(m_frames, 16 * 132 * 2 * 2, "every frame is seen at both ends");
        NS_TEST_EXPECT_MSG_EQ(m_packets[ASIM_PROTOCOL_DATA], 16 * 132 * 2, "data, by its header");
        NS_TEST_EXPECT_MSG_EQ(m_packets[ASIM_PROTOCOL_ACK], 16 * 132 * 2, "ACKs, by their header");
        NS_TEST_EXPECT_MSG_EQ(m_payload, 16 * 131072 * 2, "every byte of data at both ends");
        NS_TEST_EXPECT_MSG_GT(m_lastFrameNs, 60000, "the last one near the end of the run");
    }
};

/** An attribute's changed default goes before the configuration. */
class AsimAttributeTestCase : public AsimRunTestCase
{
  public:
    AsimAttributeTestCase()
        : AsimRunTestCase("an attribute set by the user changes the run", false)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RdmaHw::Mtu", UintegerValue(9000));
        Run(64396); /* rdma-network.md#recorded-numbers: payload 9000 */
        Config::SetDefault("ns3::RdmaHw::Mtu", UintegerValue(1000));
    }
};

/** Keys with an effect have an attribute whose default is the configuration's. */
class AsimKeysTestCase : public TestCase
{
  public:
    AsimKeysTestCase()
        : TestCase("every key is an attribute")
    {
    }

  private:
    void DoRun() override
    {
        const char* const types[] = {"ns3::RdmaHw",
                                     "ns3::SwitchNode",
                                     "ns3::SwitchMmu",
                                     "ns3::AsimFabric"};
        std::vector<const asim_option*> options(asim_netconf_keys(nullptr, 0));
        asim_netconf_keys(options.data(), options.size());
        for (const asim_option* row : options)
        {
            bool found = (row->flags & ASIM_F_NOOP) != 0;
            for (const char* type : types)
            {
                const TypeId tid = TypeId::LookupByName(type);
                for (std::size_t i = 0; i < tid.GetAttributeN() && !found; i++)
                {
                    const std::string key = std::string("(") + row->key + ").";
                    found = tid.GetAttribute(i).help.find(key) != std::string::npos;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(found, true, row->key << " has no attribute");
        }
        Ptr<RdmaHw> rdma = CreateObject<RdmaHw>();
        UintegerValue mtu;
        rdma->GetAttribute("Mtu", mtu);
        NS_TEST_EXPECT_MSG_EQ(mtu.Get(), 1000, "default of PACKET_PAYLOAD_SIZE");
        TimeValue timer;
        rdma->GetAttribute("RPTimer", timer);
        NS_TEST_EXPECT_MSG_EQ(timer.Get(), MicroSeconds(900), "default of RP_TIMER");
    }
};

/** Times and words as attributes reach the core. */
class AsimCcAttributeTestCase : public AsimRunTestCase
{
  public:
    AsimCcAttributeTestCase()
        : AsimRunTestCase("congestion control and its settings as attributes", false)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RdmaHw::Cc", StringValue("timely"));
        Config::SetDefault("ns3::RdmaHw::RPTimer", TimeValue(MicroSeconds(300)));
        Config::SetDefault("ns3::SwitchMmu::BufferSize", UintegerValue(16));
        Run(63228); /* rdma-network.md#recorded-numbers: CC 7 */
        Config::Reset();
    }
};

/** A program in ns-3's manner. */
class AsimHelperTestCase : public TestCase
{
  public:
    AsimHelperTestCase()
        : TestCase("AsimHelper installs and runs")
    {
    }

  private:
    void DoRun() override
    {
        const std::string prefix = CreateTempDirFilename("helper");
        WriteTrace(prefix, 0);
        WriteTrace(prefix, 1);
        AsimHelper asim;
        asim.Set("workload", prefix);
        asim.Set("topology", "auto:switch,rate=200Gbps");
        asim.Set("out", CreateTempDirFilename("reports"));
        Ptr<AsimFabric> fabric = asim.Install();
        NS_TEST_EXPECT_MSG_EQ(fabric->GetNNodes(), 3, "two hosts and a switch");
        NS_TEST_EXPECT_MSG_EQ(asim.Run(), 0, asim.GetError());
        NS_TEST_EXPECT_MSG_EQ(asim.GetFinishTime(1), NanoSeconds(62148), "finish time of rank 1");
        std::ifstream ranks(CreateTempDirFilename("reports/ranks.csv"));
        const auto lines = std::count(std::istreambuf_iterator<char>(ranks), {}, '\n');
        NS_TEST_EXPECT_MSG_EQ(lines, 3, "a line for each rank below the head");
        Simulator::Destroy();

        AsimHelper stopped;
        stopped.Set("workload", prefix);
        stopped.Install();
        Simulator::Stop(MicroSeconds(20));
        NS_TEST_EXPECT_MSG_EQ(stopped.Run(), ASIM_EINTR, "the run was stopped");
        Simulator::Destroy();
    }
};

/** A program without traces. */
class AsimMessagesTestCase : public TestCase
{
  public:
    AsimMessagesTestCase()
        : TestCase("messages without traces, and a capture for each device")
    {
    }

  private:
    void DoRun() override
    {
        AsimHelper alone;
        alone.Set("topology", "auto:switch,rate=200Gbps");
        alone.Send(0, 1, 1);
        NS_TEST_ASSERT_MSG_NE(alone.TryInstall(), nullptr, alone.GetError());
        NS_TEST_EXPECT_MSG_EQ(alone.Run(), 0, alone.GetError());
        const Time once = alone.GetFinishTime(1);
        Simulator::Destroy();

        AsimHelper later;
        later.Set("topology", "auto:switch,rate=200Gbps");
        later.Send(0, 1, 1, NanoSeconds(777));
        later.Send(2, 1, 1);
        Ptr<AsimFabric> fabric = later.TryInstall();
        NS_TEST_ASSERT_MSG_NE(fabric, nullptr, later.GetError());
        const std::string prefix = CreateTempDirFilename("all");
        later.EnablePcapAll(prefix);
        NS_TEST_EXPECT_MSG_EQ(later.Run(), 0, later.GetError());
        NS_TEST_EXPECT_MSG_EQ(later.GetNRanks(), 3, "hosts 0 to 2");
        NS_TEST_EXPECT_MSG_EQ(later.GetFinishTime(1), once + NanoSeconds(777), "starts count");
        for (const auto& device : fabric->GetDevices())
        {
            std::ifstream file(prefix + "-" + std::to_string(device->GetNode()->GetId()) + "-" +
                               std::to_string(device->GetIfIndex()) + ".pcap");
            NS_TEST_EXPECT_MSG_EQ(file.is_open(), true, "a capture of each device");
        }
        Simulator::Destroy();

        AsimHelper placed;
        const std::string far = CreateTempDirFilename("far.txt");
        std::ofstream(far) << "4 1 3\n3\n0 3 200Gbps 500ns 0\n1 3 200Gbps 500ns 0\n"
                              "2 3 200Gbps 5us 0\n";
        placed.Set("topology", far);
        placed.SetPlacement({2, 0});
        placed.Send(0, 1, 1);
        NS_TEST_ASSERT_MSG_NE(placed.TryInstall(), nullptr, placed.GetError());
        NS_TEST_EXPECT_MSG_EQ(placed.Run(), 0, placed.GetError());
        NS_TEST_EXPECT_MSG_EQ(placed.GetFinishTime(1),
                              once + NanoSeconds(9000),
                              "both ways over the long link");
        Simulator::Destroy();

        AsimHelper both;
        both.Set("workload", prefix);
        both.Send(0, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(both.TryInstall(), nullptr, "traces and messages");
        NS_TEST_EXPECT_MSG_NE(both.GetError().find("exclude each other"),
                              std::string::npos,
                              both.GetError());
    }
};

/** Where the system tells of cores; else there are none, and nothing is changed. */
class AsimCoresTestCase : public TestCase
{
  public:
    AsimCoresTestCase()
        : TestCase("A process may be bound to one core and set free again")
    {
    }

  private:
    void DoRun() override
    {
        const AsimCores::Set all = AsimCores::OfProcess();
        AsimCores::Set first(all.size());
        const auto byte = std::find_if(all.begin(), all.end(), [](uint8_t b) { return b != 0; });

        if (byte != all.end())
        {
            first[byte - all.begin()] = *byte & -*byte;
            AsimCores::Use(first);
            NS_TEST_EXPECT_MSG_EQ(AsimCores::Count(AsimCores::OfProcess()), 1, "one core");
        }
        AsimCores::Use(all);
        NS_TEST_EXPECT_MSG_EQ((AsimCores::OfProcess() == all), true, "all of them again");
    }
};

/**
 * @ingroup asim-tests
 * The suite.
 */
class AsimTestSuite : public TestSuite
{
  public:
    AsimTestSuite()
        : TestSuite("asim")
    {
        AddTestCase(new AsimRunTestCase("2 ranks, 1 MiB all-reduce, windows", false));
        AddTestCase(new AsimWatchedTestCase());
        AddTestCase(new AsimAttributeTestCase());
        AddTestCase(new AsimKeysTestCase());
        AddTestCase(new AsimCcAttributeTestCase());
        AddTestCase(new AsimHelperTestCase());
        AddTestCase(new AsimMessagesTestCase());
        AddTestCase(new AsimCoresTestCase());
    }
};

static AsimTestSuite g_asimTestSuite; //!< registers the suite
