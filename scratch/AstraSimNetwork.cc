/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * AstraSimNetwork: options, build, run, exit code. Words that ns-3 itself understands
 * (--ns3::Class::Attribute=value, --PrintAttributes=..., --RngRun=...) go to ns-3's command line,
 * all others to the option table of the core. Under mpiexec each process simulates its part of the
 * network, and process 0 prints.
 */

#include "ns3/asim-attributes.h"
#include "ns3/asim-fabric.h"
#include "ns3/asim-processes.h"
#include "ns3/asim-simulator.h"
#include "ns3/core-module.h"

extern "C"
{
#include "cli/app.h"
#include "cli/hugepages.h"
#include "cli/interrupt.h"
#include "tools/report/report.h"
#include "tools/scenario/traces.h"
}

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** The variables that ns-3 reads, under the names they get before it looks. */
const char* const VARIABLES[][2] = {{"NS_GLOBAL_VALUE", "AS_GLOBAL_VALUE"},
                                    {"NS_ATTRIBUTE_DEFAULT", "AS_ATTRIBUTE_DEFAULT"}};

#ifdef __linux__
/** Runs before the constructors of ns-3's libraries, which would read NS_GLOBAL_VALUE and abort on
 * a bad value without a word. SetVariables reads the variables with the checks of the command line.
 */
void
HideVariables(int, char**, char** environment)
{
    for (; *environment; environment++)
    {
        for (const auto& names : VARIABLES)
        {
            const std::size_t n = std::strlen(names[0]);
            if (!std::strncmp(*environment, names[0], n) && (*environment)[n] == '=')
            {
                std::memcpy(*environment, names[1], n);
            }
        }
    }
}

__attribute__((section(".preinit_array"),
               used)) void (*const g_hideVariables)(int, char**, char**) = HideVariables;
#endif

const char* g_from = ""; //!< where that word stands, if not on the command line
const char* g_word = ""; //!< the word that ns-3 reads at the moment

/**
 * Finds attributes that the topology sets.
 * @param name of the attribute
 * @return true for these
 */
bool
IsResult(const std::string& name)
{
    return !name.rfind("ns3::QbbNetDevice::", 0) || !name.rfind("ns3::QbbChannel::", 0);
}

/**
 * Tells why a value is refused.
 * @param name of the attribute or global value
 * @return the reason
 */
std::string
WhyRefused(const std::string& name)
{
    const auto end = name.rfind("::");
    const std::string owner = name.substr(0, end);
    TypeId type;
    TypeId::AttributeInformation info;

    if (IsResult(name))
    {
        return "the attribute only shows a value; the topology sets rates and delays, "
               "PACKET_PAYLOAD_SIZE sets the MTU";
    }
    if (name.find("ns3::"))
    {
        return "it takes another value; --PrintGlobals shows which";
    }
    if (!TypeId::LookupByNameFailSafe(owner, &type))
    {
        return "there is no class " + owner + "; --PrintTypeIds lists them";
    }
    if (!type.LookupAttributeByName(name.substr(end + 2), &info))
    {
        return owner + " has no such attribute; --PrintAttributes=" + owner + " lists them";
    }
    if (info.checker->GetValueTypeName() == "ns3::TimeValue")
    {
        return "it takes a time with its unit, such as '300us'";
    }
    if (!info.checker->GetValueTypeName().rfind("ns3::EnumValue", 0))
    {
        return "it takes one of " + info.checker->GetUnderlyingTypeInformation();
    }
    return "it takes another kind of value, such as '" +
           info.initialValue->SerializeToString(info.checker) + "'";
}

/** Wrong usage: one sentence. */
[[noreturn]] void
Refuse()
{
    const std::string word(g_word + 2);
    const auto end = word.find('=');
    const bool isPrint = !word.rfind("Print", 0);

    std::fprintf(stderr,
                 "AstraSimNetwork: %s'%s' is refused: %s.\n",
                 g_from,
                 *g_from ? word.c_str() : g_word,
                 isPrint ? "there is no such class; --PrintTypeIds lists them"
                         : WhyRefused(word.substr(0, end)).c_str());
    std::_Exit(2);
}

/** Does what ns-3's command line does, but refuses a word where that aborts. */
void
SetValue(const char* word)
{
    const std::string text(word + 2);
    const auto end = text.find('=');
    const std::string name = text.substr(0, end);
    const StringValue value(end == std::string::npos ? "" : text.substr(end + 1));
    std::ostringstream said;
    const auto terminate = std::set_terminate(Refuse);
    const auto usual = std::cerr.rdbuf(said.rdbuf());

    g_word = word;
    if (IsResult(name) ||
        (!Config::SetGlobalFailSafe(name, value) && !Config::SetDefaultFailSafe(name, value)))
    {
        Refuse();
    }
    std::cerr.rdbuf(usual);
    std::set_terminate(terminate);
    std::cerr << said.str();
}

/** What NS_GLOBAL_VALUE and NS_ATTRIBUTE_DEFAULT say, "name=value;name=value". The command line,
 * which is read later, wins. */
void
SetVariables()
{
    for (const auto& names : VARIABLES)
    {
        const char* text = std::getenv(names[1]);
        std::istringstream words(text ? text : "");
        std::string word;

        while (std::getline(words, word, ';'))
        {
            const std::string from = std::string(names[0]) + ": ";
            const std::string asOption = "--" + word;
            g_from = from.c_str();
            if (!word.empty())
            {
                SetValue(asOption.c_str());
            }
        }
    }
    g_from = "";
}

/** Refuses a class that ns-3 does not know; ns-3 would abort. */
void
CheckPrint(const char* word)
{
    const char attributes[] = "--PrintAttributes";
    const char* value = std::strchr(word, '=');
    TypeId type;

    g_word = word;
    if (!std::strncmp(word, attributes, sizeof attributes - 1) &&
        !TypeId::LookupByNameFailSafe(value ? value + 1 : "", &type))
    {
        Refuse();
    }
}

/** Hands ns-3 its own words and returns the others. */
std::vector<char*>
SplitWords(int argc, char** argv)
{
    const char print[] = "--Print";
    const char* const values[] = {"--ns3::",
                                  "--RngRun",
                                  "--RngSeed",
                                  "--SchedulerType",
                                  "--SimulatorImplementationType",
                                  "--ChecksumEnabled"};
    std::vector<char*> prints{argv[0]};
    std::vector<char*> ours{argv[0]};

    for (int i = 1; i < argc; i++)
    {
        bool isValue = false;
        for (const char* prefix : values)
        {
            isValue = isValue || !std::strncmp(argv[i], prefix, std::strlen(prefix));
        }
        if (isValue)
        {
            SetValue(argv[i]);
        }
        else if (!std::strncmp(argv[i], print, sizeof print - 1))
        {
            CheckPrint(argv[i]);
            prints.push_back(argv[i]);
        }
        else
        {
            ours.push_back(argv[i]);
        }
    }
    CommandLine cmd(__FILE__);
    cmd.Parse(static_cast<int>(prints.size()), prints.data());
    ours.push_back(nullptr);
    return ours;
}

/**
 * Agrees on an error: that of the first process that has one.
 * @param self the processes
 * @param code of this process
 * @param err its error, then that of all
 * @return the code of all
 */
int
CollectiveError(void* self, int code, asim_err* err)
{
    auto processes = static_cast<AsimProcesses*>(self);
    AsimProcesses::Bytes mine(sizeof code + sizeof *err);

    std::memcpy(mine.data(), &code, sizeof code);
    std::memcpy(mine.data() + sizeof code, err, sizeof *err);
    for (const auto& one : processes->Exchange(mine))
    {
        std::memcpy(&code, one.data(), sizeof code);
        if (code)
        {
            std::memcpy(err, one.data() + sizeof code, sizeof *err);
            break;
        }
    }
    return code;
}

/**
 * Merges the results of all processes into process 0.
 * @param processes the processes
 * @param world the part of this process
 * @param code the result of this process
 * @param err its error, then that of the run
 * @return the code of this process
 */
int
Merge(const AsimProcesses& processes, asim_world* world, int code, asim_err* err)
{
    asim_buffer block{};
    asim_err own = *err;

    own.code = code;
    if (processes.GetSelf())
    {
        asim_world_pack_end(world, &own, &block, err);
    }
    const auto all = processes.Gather(AsimProcesses::Bytes(block.at, block.at + block.n));
    for (uint32_t p = 1; !processes.GetSelf() && p < all.size(); p++)
    {
        /* After a failure here, too: the earliest failure of all is that of the run. */
        const asim_buffer theirs{all[p].data(), all[p].size()};
        asim_err why{};
        const int result = asim_world_unpack_end(world, &theirs, &why);

        if (result && !code)
        {
            code = result;
            *err = why;
        }
    }
    return code;
}

/** Ends the simulator, which in real time does not end by itself. */
void
StopSimulator()
{
    Simulator::Stop();
}

/**
 * Takes the world from its start to its reports.
 * @param app the run
 * @param processes the processes, or null
 * @return the exit code
 */
int
RunWorld(asim_app& app, Ptr<AsimProcesses> processes)
{
    if (!asim_packet_is_used(app.world)) /* --model=flow has no frames for ns-3's nodes */
    {
        int started = asim_world_start(app.world, &app.err);
        return asim_app_close(&app, started ? started : asim_world_go(app.world, &app.err));
    }
    Ptr<AsimFabric> fabric = CreateObject<AsimFabric>();

    fabric->SetProcesses(processes);
    fabric->SetWorld(app.world);
    fabric->SetTick(MakeBoundCallback(&asim_app_tick, &app));
    /* A simulator in real time does not end by itself. */
    fabric->TraceConnectWithoutContext("Finished", MakeCallback(&StopSimulator));
    int code = fabric->Start(&app.err);
    if (!code)
    {
        Simulator::Run();
        code = fabric->GetCode();
        app.err = code ? fabric->GetError() : app.err;
    }
    if (processes && !asim_world_is_unpartitioned(app.world))
    {
        code = Merge(*processes, app.world, code, &app.err);
    }
    const int result = asim_app_close(&app, code);
    fabric->Dispose();
    return result;
}

} // namespace

int
main(int argc, char** argv)
{
    asim_app app{};
    SetVariables();
    std::vector<char*> words = SplitWords(argc, argv);
    std::string note;
    const std::string obstacle = AsimSimulator::Prepare(AsimProcesses::Started(), &note);
    AsimAttributes attributes;
    Ptr<AsimProcesses> processes;

    if (!obstacle.empty())
    {
        std::fprintf(stderr, "AstraSimNetwork: %s.\n", obstacle.c_str());
        return 2;
    }
    if (!note.empty())
    {
        std::fprintf(stderr, "note: %s.\n", note.c_str());
    }
    if (AsimProcesses::Started() > 1 && !AsimProcesses::GetObstacle().empty())
    {
        std::fprintf(stderr,
                     "AstraSimNetwork: started as %u processes, but %s\n",
                     AsimProcesses::Started(),
                     AsimProcesses::GetObstacle().c_str());
        return 1;
    }
    app.program = "AstraSimNetwork";
    app.verdict = asim_report_text;
    app.settings.net_overrides = attributes.Overrides();
    app.like = ASIM_LIKE_ASTRA_SIM;
    app.settings.verbose = 1; /* scripts for ASTRA-sim parse the lines of each rank */
    if (AsimProcesses::Started() > 1)
    {
        asim_pages_large(); /* changes malloc, so it precedes MPI's threads */
        /* mpiexec forwards SIGUSR1. After a SIGINT it would not wait for the reports. The first
         * process may be running when another has not come back from Enable yet, which must not die
         * of the signal. */
        asim_interrupt_note_too(SIGUSR1);
        processes = CreateObject<AsimProcesses>();
        processes->Enable(&argc, &argv);
        app.settings.process = processes->GetSelf();
        app.settings.processes = processes->GetSize();
        app.settings.borrowed_cores = processes->GetBorrowedCores();
        app.collective_error = CollectiveError;
        app.collective_self = PeekPointer(processes);
    }
    else
    {
        app.make_traces = asim_scenario_traces_for;
        app.drop_traces = asim_scenario_traces_drop;
    }
    int result = asim_app_open(&app, static_cast<int>(words.size()) - 1, words.data());
    if (result == ASIM_APP_GO_ON)
    {
        asim_interrupt_note();
        result = RunWorld(app, processes);
        Simulator::Destroy();
    }
    if (processes)
    {
        processes->Disable();
        processes->Dispose();
    }
    return result;
}
