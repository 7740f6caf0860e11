/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-cores.h"

#include "ns3/log.h"

#include <bitset>
#include <filesystem>
#include <string>

#ifdef __linux__
#include <sched.h>
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimCores");

AsimCores::Set
AsimCores::OfProcess()
{
#ifdef __linux__
    cpu_set_t cores;

    if (!sched_getaffinity(0, sizeof cores, &cores))
    {
        const auto bytes = reinterpret_cast<const uint8_t*>(&cores);
        return Set(bytes, bytes + sizeof cores);
    }
#endif
    return {};
}

uint32_t
AsimCores::Count(const Set& cores)
{
    uint32_t n = 0;

    for (const uint8_t eight : cores)
    {
        n += std::bitset<8>(eight).count();
    }
    return n;
}

void
AsimCores::Use(const Set& cores)
{
    NS_LOG_FUNCTION(Count(cores));
#ifdef __linux__
    if (cores.empty())
    {
        return;
    }
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    {
        sched_setaffinity(std::stoi(thread.path().filename()),
                          cores.size(),
                          reinterpret_cast<const cpu_set_t*>(cores.data()));
    }
#endif
}

} // namespace ns3
