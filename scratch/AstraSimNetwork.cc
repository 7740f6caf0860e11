/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * AstraSimNetwork: options, build, run, exit code. Words that ns-3 itself understands
 * (--ns3::Class::Attribute=value, --PrintAttributes=..., --RngRun=...) go to ns-3's command line,
 * all others to the option table of the core.
 */
#include "ns3/asim-attributes.h"
#include "ns3/asim-fabric.h"
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

/** Number of MPI processes this one was started among. */
int
MpiSize()
{
    const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
    size = size ? size : std::getenv("PMI_SIZE");
    return size ? std::atoi(size) : 1;
}

} // namespace

int
main(int argc, char** argv)
{
    asim_app app{};
    std::vector<char*> words = SplitWords(argc, argv);
    AsimAttributes attributes;

    if (MpiSize() > 1)
    {
        std::fprintf(stderr,
                     "AstraSimNetwork: started as %d MPI processes, but this version runs on one; "
                     "leave out mpiexec\n",
                     MpiSize());
        return 1;
    }
    app.program = "AstraSimNetwork";
    app.stop = Interrupted;
    app.settings.net_overrides = attributes.Overrides();
    const int early = asim_app_open(&app, static_cast<int>(words.size()) - 1, words.data());
    if (early != ASIM_APP_GO_ON)
    {
        return early;
    }
    std::signal(SIGINT, OnInterrupt);
    std::signal(SIGTERM, OnInterrupt);

    Ptr<AsimFabric> fabric = CreateObject<AsimFabric>();
    fabric->SetWorld(app.world);
    fabric->SetTick(MakeBoundCallback(&asim_app_tick, &app));
    int code = fabric->Start(&app.err);
    if (!code)
    {
        Simulator::Run();
        code = fabric->GetCode();
        app.err = code ? fabric->GetError() : app.err;
    }
    const int result = asim_app_close(&app, code);
    fabric->Dispose();
    Simulator::Destroy();
    return result;
}
