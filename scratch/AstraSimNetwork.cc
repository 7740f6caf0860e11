/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * AstraSimNetwork: options, build, run, exit code. Words that ns-3 itself understands
 * (--ns3::Class::Attribute=value, --PrintAttributes=..., --RngRun=...) go to ns-3's command line,
 * all others to the option table of the core. Under mpiexec each process has its part of the
 * network, and process 0 speaks for all.
 */
#include "ns3/asim-attributes.h"
#include "ns3/asim-fabric.h"
#include "ns3/asim-processes.h"
#include "ns3/core-module.h"

extern "C"
{
#include "tools/app.h"
}

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace ns3;

namespace
{

volatile std::sig_atomic_t g_interrupted = 0;

void
OnInterrupt(int)
{
    g_interrupted = 1;
}

int
Interrupted()
{
    return g_interrupted;
}

/** Hands ns-3 its own words and returns the others. */
std::vector<char*>
SplitWords(int argc, char** argv)
{
    const char* const theirs[] = {"--ns3::",
                                  "--Print",
                                  "--RngRun",
                                  "--RngSeed",
                                  "--SchedulerType",
                                  "--SimulatorImplementationType",
                                  "--ChecksumEnabled"};
    std::vector<char*> ns3Words{argv[0]};
    std::vector<char*> ours{argv[0]};

    for (int i = 1; i < argc; i++)
    {
        bool isTheirs = false;
        for (const char* prefix : theirs)
        {
            isTheirs = isTheirs || !std::strncmp(argv[i], prefix, std::strlen(prefix));
        }
        (isTheirs ? ns3Words : ours).push_back(argv[i]);
    }
    CommandLine cmd(__FILE__);
    cmd.Parse(static_cast<int>(ns3Words.size()), ns3Words.data());
    ours.push_back(nullptr);
    return ours;
}

/** What all processes go by: the error of the first that has one. */
int
Agree(void* self, int code, asim_err* err)
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

/** At the end process 0 puts together what the others have. Returns its own code. */
int
PutTogether(const AsimProcesses& processes, asim_world* world, int code, asim_err* err)
{
    asim_block block{};
    asim_err own = *err;

    own.code = code;
    if (processes.GetSelf())
    {
        asim_world_pack_end(world, &own, &block, err);
    }
    const auto all = processes.Gather(AsimProcesses::Bytes(block.at, block.at + block.n));
    for (uint32_t p = 1; !processes.GetSelf() && p < all.size(); p++)
    {
        /* After a failure here, too: the earliest of all is the run's. */
        const asim_block theirs{all[p].data(), all[p].size()};
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

/** The world from its start to its reports; returns the exit code. */
int
RunWorld(asim_app& app, Ptr<AsimProcesses> processes)
{
    Ptr<AsimFabric> fabric = CreateObject<AsimFabric>();

    fabric->SetProcesses(processes);
    fabric->SetWorld(app.world);
    fabric->SetTick(MakeBoundCallback(&asim_app_tick, &app));
    int code = fabric->Start(&app.err);
    if (!code)
    {
        Simulator::Run();
        code = fabric->GetCode();
        app.err = code ? fabric->GetError() : app.err;
    }
    if (processes)
    {
        code = PutTogether(*processes, app.world, code, &app.err);
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
    std::vector<char*> words = SplitWords(argc, argv);
    AsimAttributes attributes;
    Ptr<AsimProcesses> processes;

    if (AsimProcesses::Started() > 1 && !AsimProcesses::GetObstacle().empty())
    {
        std::fprintf(stderr,
                     "AstraSimNetwork: started as %u processes, but %s\n",
                     AsimProcesses::Started(),
                     AsimProcesses::GetObstacle().c_str());
        return 1;
    }
    app.program = "AstraSimNetwork";
    app.stop = Interrupted;
    app.settings.net_overrides = attributes.Overrides();
    if (AsimProcesses::Started() > 1)
    {
        processes = CreateObject<AsimProcesses>();
        processes->Enable(&argc, &argv);
        /* mpiexec passes this one on; after a SIGINT of its own it would not wait for the reports. */
        std::signal(SIGUSR1, OnInterrupt);
        app.settings.process = processes->GetSelf();
        app.settings.processes = processes->GetSize();
        app.agree = Agree;
        app.agree_self = PeekPointer(processes);
    }
    int result = asim_app_open(&app, static_cast<int>(words.size()) - 1, words.data());
    if (result == ASIM_APP_GO_ON)
    {
        std::signal(SIGINT, OnInterrupt);
        std::signal(SIGTERM, OnInterrupt);
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
