/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim-tests
 * What ns-3's objects promise beside the run: attributes that can be set and those that cannot, the
 * clock before and after the workload, links that go down, packets of other applications, and the
 * classes that global values name.
 */

#include "asim-test-trace.h"

#include "ns3/asim-helper.h"
#include "ns3/asim-simulator.h"
#include "ns3/channel.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-hw.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

/**
 * @ingroup asim-tests
 * Two ranks over one switch; a run takes 62148 ns.
 */
class AsimObjectsTestCase : public TestCase
{
  public:
    /**
     * Makes the test case.
     * @param name of the test case
     */
    AsimObjectsTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /**
     * Names the workload for a helper.
     * @param asim the helper
     */
    void Prepare(AsimHelper& asim)
    {
        const std::string prefix = CreateTempDirFilename("all_reduce");
        WriteTrace(prefix, 0);
        WriteTrace(prefix, 1);
        asim.Set("workload", prefix);
        asim.Set("topology", "auto:switch,rate=200Gbps");
    }
};

/** The run has read the attributes when its objects exist. */
class AsimBuiltAttributesTestCase : public AsimObjectsTestCase
{
  public:
    AsimBuiltAttributesTestCase()
        : AsimObjectsTestCase("attributes of built objects are refused, not ignored")
    {
    }

  private:
    void DoRun() override
    {
        AsimHelper asim;
        Prepare(asim);
        Ptr<AsimFabric> fabric = asim.Install();
        Ptr<RdmaHw> rdma = fabric->GetNode(0)->GetObject<RdmaHw>();
        Ptr<QbbNetDevice> device = fabric->GetDevices()[0];
        UintegerValue mtu;

        NS_TEST_EXPECT_MSG_EQ(rdma->SetAttributeFailSafe("Mtu", UintegerValue(9000)), false, "Mtu");
        rdma->GetAttribute("Mtu", mtu);
        NS_TEST_EXPECT_MSG_EQ(mtu.Get(), 1000, "the value of the run");
        NS_TEST_EXPECT_MSG_EQ(device->SetAttributeFailSafe("DataRate", StringValue("1Gbps")),
                              false,
                              "DataRate of a device");
        NS_TEST_EXPECT_MSG_EQ(device->SetMtu(9000), false, "SetMtu");
        NS_TEST_EXPECT_MSG_EQ(device->SetMtu(1000), true, "SetMtu of the present value");
        NS_TEST_EXPECT_MSG_EQ(
            device->GetChannel()->SetAttributeFailSafe("Delay", StringValue("1us")),
            false,
            "Delay of a channel");
        DataRateValue rate;
        device->GetAttribute("DataRate", rate);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("200Gbps"), "the rate of the topology");
        Simulator::Destroy();
    }
};

/** Defaults that can have no effect. */
class AsimShownAttributesTestCase : public AsimObjectsTestCase
{
  public:
    AsimShownAttributesTestCase()
        : AsimObjectsTestCase("defaults of what the topology sets are refused")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* name : {"ns3::QbbNetDevice::DataRate", "ns3::QbbChannel::Delay"})
        {
            const bool isRate = std::string(name).find("DataRate") != std::string::npos;
            Config::SetDefault(name, StringValue(isRate ? "1Gbps" : "1us"));
            AsimHelper asim;
            Prepare(asim);
            NS_TEST_EXPECT_MSG_EQ((asim.TryInstall() == nullptr), true, name);
            NS_TEST_EXPECT_MSG_NE(asim.GetError().find(name), std::string::npos, asim.GetError());
            Config::Reset();
            Simulator::Destroy();
        }
    }
};

/** Text that ns-3 would take for another value, or not look at. */
class AsimStrictValuesTestCase : public AsimObjectsTestCase
{
  public:
    AsimStrictValuesTestCase()
        : AsimObjectsTestCase("times need units, choices are checked")
    {
    }

  private:
    /**
     * Sets a default.
     * @param attribute its name
     * @param value its value
     * @param isTaken whether ns-3 takes the value
     */
    void Expect(const std::string& attribute, const std::string& value, bool isTaken)
    {
        NS_TEST_EXPECT_MSG_EQ(Config::SetDefaultFailSafe(attribute, StringValue(value)),
                              isTaken,
                              attribute << "=" << value);
    }

    void DoRun() override
    {
        for (const char* value :
             {"300", "1e3", "300 us", "300xs", "us", "", "-1us", "1e300s", "nan"})
        {
            Expect("ns3::RdmaHw::RPTimer", value, false);
        }
        for (const char* value : {"300us", "0", "1.5ms", "1h"})
        {
            Expect("ns3::RdmaHw::RPTimer", value, true);
        }
        NS_TEST_EXPECT_MSG_EQ(
            Config::SetDefaultFailSafe("ns3::RdmaHw::RPTimer", TimeValue(MicroSeconds(3))),
            true,
            "a TimeValue");
        for (const char* value : {"foo", "", "go_back_n|selective_repeat", "0"})
        {
            Expect("ns3::RdmaHw::LossRecovery", value, false);
        }
        Expect("ns3::RdmaHw::LossRecovery", "selective_repeat", true);
        Expect("ns3::RdmaHw::Mtu", "0", false);
        Config::Reset();
        Ptr<RdmaHw> rdma = CreateObject<RdmaHw>();
        StringValue recovery;
        rdma->GetAttribute("LossRecovery", recovery);
        NS_TEST_EXPECT_MSG_EQ(recovery.Get(), "go_back_n", "a choice as text");
    }
};

/** A workload is one of several things that a program simulates. */
class AsimClockTestCase : public AsimObjectsTestCase
{
  public:
    AsimClockTestCase()
        : AsimObjectsTestCase("the clock before, at and after the end of the workload")
    {
    }

  private:
    void DoRun() override
    {
        AsimHelper first;
        Prepare(first);
        Ptr<AsimFabric> fabric = first.Install();
        fabric->TraceConnectWithoutContext("Finished",
                                           MakeCallback(&AsimClockTestCase::OnFinished, this));
        NS_TEST_EXPECT_MSG_EQ(first.Run(), 0, first.GetError());
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), NanoSeconds(62148), "the last rank has finished");
        NS_TEST_EXPECT_MSG_EQ(m_finished, NanoSeconds(62148), "Finished");

        /* A second workload goes on at that time, with an event of the program behind its end. */
        AsimHelper second;
        Prepare(second);
        second.Install();
        Simulator::Schedule(MilliSeconds(1), &AsimClockTestCase::OnEvent, this);
        NS_TEST_EXPECT_MSG_EQ(second.Run(), 0, second.GetError());
        NS_TEST_EXPECT_MSG_EQ(second.GetFinishTime(0), NanoSeconds(2 * 62148), "rank 0");
        NS_TEST_EXPECT_MSG_EQ(m_event, NanoSeconds(62148 + 1000000), "the program's own event");
        Simulator::Destroy();

        /* Finished can end what would go on for ever. */
        AsimHelper third;
        Prepare(third);
        third.Install()->TraceConnectWithoutContext("Finished",
                                                    MakeCallback(&AsimClockTestCase::Stop));
        Simulator::Schedule(MicroSeconds(1), &AsimClockTestCase::Again, this);
        NS_TEST_EXPECT_MSG_EQ(third.Run(), 0, third.GetError());
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), NanoSeconds(62148), "stopped there");
        Simulator::Destroy();
    }

    /** All ranks have finished. */
    void OnFinished()
    {
        m_finished = Simulator::Now();
    }

    /** An event of the program. */
    void OnEvent()
    {
        m_event = Simulator::Now();
    }

    /** An event that comes again. */
    void Again()
    {
        Simulator::Schedule(MicroSeconds(1), &AsimClockTestCase::Again, this);
    }

    /** Ends the simulation. */
    static void Stop()
    {
        Simulator::Stop();
    }

    Time m_finished; //!< of OnFinished
    Time m_event;    //!< of OnEvent
};

/** LINK_DOWN and LINK_UP as other models see them. */
class AsimLinkChangeTestCase : public AsimObjectsTestCase
{
  public:
    AsimLinkChangeTestCase()
        : AsimObjectsTestCase("devices tell of links that go down and come up")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::AsimFabric::LinkDown", StringValue("20us,0,2"));
        Config::SetDefault("ns3::AsimFabric::LinkUp", StringValue("30us,0,2"));
        AsimHelper asim;
        Prepare(asim);
        m_device = asim.Install()->GetDevices()[0];
        m_device->AddLinkChangeCallback(MakeCallback(&AsimLinkChangeTestCase::OnChange, this));
        NS_TEST_EXPECT_MSG_EQ(m_device->IsLinkUp(), true, "before the run");
        NS_TEST_EXPECT_MSG_EQ(asim.Run(), 0, asim.GetError());
        NS_TEST_ASSERT_MSG_EQ(m_times.size(), 2, "two changes");
        NS_TEST_EXPECT_MSG_EQ(m_times[0], MicroSeconds(20), "down");
        NS_TEST_EXPECT_MSG_EQ(m_times[1], MicroSeconds(30), "up");
        NS_TEST_EXPECT_MSG_EQ(m_up[0], false, "down");
        NS_TEST_EXPECT_MSG_EQ(m_up[1], true, "up");
        NS_TEST_EXPECT_MSG_GT(asim.GetFinishTime(0), NanoSeconds(62148), "the outage costs time");
        m_device = nullptr;
        Config::Reset();
        Simulator::Destroy();
    }

    /** A link has gone down or come up. */
    void OnChange()
    {
        m_times.push_back(Simulator::Now());
        m_up.push_back(m_device->IsLinkUp());
    }

    Ptr<QbbNetDevice> m_device; //!< one end of the link
    std::vector<Time> m_times;  //!< of the changes
    std::vector<bool> m_up;     //!< after each
};

/** A packet that the model cannot carry is not lost in silence. */
class AsimSendTestCase : public AsimObjectsTestCase
{
  public:
    AsimSendTestCase()
        : AsimObjectsTestCase("packets of other applications end the program with a sentence")
    {
    }

  private:
    void DoRun() override
    {
        AsimHelper asim;
        Prepare(asim);
        Ptr<QbbNetDevice> device = asim.Install()->GetDevices()[0];
        int ends[2];
        std::string said;
        char buffer[512];
        int status = 0;

        NS_TEST_ASSERT_MSG_EQ(pipe(ends), 0, "pipe");
        const pid_t child = fork();
        if (!child)
        {
            dup2(ends[1], STDERR_FILENO);
            device->Send(Create<Packet>(100), device->GetBroadcast(), 0x0800);
            _exit(0);
        }
        close(ends[1]);
        for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        {
            said.append(buffer, n);
        }
        close(ends[0]);
        waitpid(child, &status, 0);
        NS_TEST_EXPECT_MSG_EQ(WIFSIGNALED(status), true, "the program ends");
        NS_TEST_EXPECT_MSG_NE(said.find("AsimHelper::AssignIpv4 lets the interfaces"),
                              std::string::npos,
                              said);
        Simulator::Destroy();
    }
};

/** A trace source says what it fires. */
class AsimSignatureTestCase : public AsimObjectsTestCase
{
  public:
    AsimSignatureTestCase()
        : AsimObjectsTestCase("QbbPfc takes a sink of its documented signature")
    {
    }

  private:
    /**
     * A pause or resume.
     * @param pause 1 or 0
     */
    static void OnPause(uint32_t pause)
    {
    }

    void DoRun() override
    {
        QbbNetDevice::PfcTracedCallback sink = &AsimSignatureTestCase::OnPause;
        Ptr<QbbNetDevice> device = CreateObject<QbbNetDevice>();
        TypeId::TraceSourceInformation info;

        NS_TEST_EXPECT_MSG_EQ(device->TraceConnectWithoutContext("QbbPfc", MakeCallback(sink)),
                              true,
                              "a sink of one argument");
        QbbNetDevice::GetTypeId().LookupTraceSourceByName("QbbPfc", &info);
        NS_TEST_EXPECT_MSG_EQ(info.callback,
                              "ns3::QbbNetDevice::PfcTracedCallback",
                              "as documented");
    }
};

/** Classes that would end the program without a word. */
class AsimSimulatorTestCase : public AsimObjectsTestCase
{
  public:
    AsimSimulatorTestCase()
        : AsimObjectsTestCase("simulators and schedulers are checked before ns-3 makes them")
    {
    }

  private:
    /**
     * Checks a value.
     * @param global its global value
     * @param value the value
     * @param note set to the note on it
     * @return the obstacle; empty for none
     */
    std::string Try(const std::string& global, const std::string& value, std::string* note)
    {
        StringValue before;
        note->clear();
        GlobalValue::GetValueByName(global, before);
        if (!GlobalValue::BindFailSafe(global, StringValue(value)))
        {
            return "ns-3 itself refuses the value";
        }
        const std::string obstacle = AsimSimulator::Prepare(1, note);
        GlobalValue::Bind(global, before);
        return obstacle;
    }

    void DoRun() override
    {
        const std::string simulator = "SimulatorImplementationType";
        std::string note;

        for (const char* name : {"ns3::DistributedSimulatorImpl", "ns3::NullMessageSimulatorImpl"})
        {
            NS_TEST_EXPECT_MSG_EQ(Try(simulator, name, &note), "", name);
            NS_TEST_EXPECT_MSG_NE(note.find(name), std::string::npos, "a note names it");
        }
        for (const char* name : {"ns3::Foo", "", "ns3::Node", "ns3::SimulatorImpl"})
        {
            NS_TEST_EXPECT_MSG_NE(
                Try(simulator, name, &note).find("there are ns3::DefaultSimulatorImpl"),
                std::string::npos,
                name);
        }
        NS_TEST_EXPECT_MSG_EQ(Try(simulator, "ns3::DefaultSimulatorImpl", &note),
                              "",
                              "the usual one");
        NS_TEST_EXPECT_MSG_EQ(note, "", "without a note");
        NS_TEST_EXPECT_MSG_EQ(Try("SchedulerType", "ns3::HeapScheduler", &note), "", "a scheduler");
        for (const char* name : {"ns3::Node", "ns3::Scheduler"})
        {
            NS_TEST_EXPECT_MSG_NE(Try("SchedulerType", name, &note).find("no scheduler"),
                                  std::string::npos,
                                  name);
        }
        NS_TEST_EXPECT_MSG_NE(Try("SchedulerType", "", &note), "", "no class; 3.37 refuses it");
    }
};

/**
 * @ingroup asim-tests
 * The suite.
 */
class AsimObjectsTestSuite : public TestSuite
{
  public:
    AsimObjectsTestSuite()
        : TestSuite("asim-objects")
    {
        AddTestCase(new AsimBuiltAttributesTestCase());
        AddTestCase(new AsimShownAttributesTestCase());
        AddTestCase(new AsimStrictValuesTestCase());
        AddTestCase(new AsimClockTestCase());
        AddTestCase(new AsimLinkChangeTestCase());
        AddTestCase(new AsimSendTestCase());
        AddTestCase(new AsimSignatureTestCase());
        AddTestCase(new AsimSimulatorTestCase());
    }
};

static AsimObjectsTestSuite g_asimObjectsTestSuite; //!< registers the suite
