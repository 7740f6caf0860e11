/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim
 * AsimProcesses where ns-3 is configured without MPI: there is one.
 */

#include "asim-processes.h"

#ifndef NS3_MPI

namespace ns3
{

struct AsimProcesses::Transport
{
};

void
AsimProcesses::FindCores()
{
}

void
AsimProcesses::Sleep() const
{
}

void
AsimProcesses::Wake() const
{
}

AsimProcesses::AsimProcesses() = default;
AsimProcesses::~AsimProcesses() = default;

std::string
AsimProcesses::GetObstacle()
{
    return "this ns-3 is configured without MPI; leave out mpiexec, or ./ns3 configure "
           "--enable-mpi";
}

void
AsimProcesses::Enable(int*, char***)
{
}

void
AsimProcesses::Disable()
{
}

void
AsimProcesses::Put(uint32_t, const uint8_t*, std::size_t)
{
}

void
AsimProcesses::Send(uint32_t, const Status&)
{
}

void
AsimProcesses::ReceivePiece(uint32_t, std::size_t, std::size_t)
{
}

void
AsimProcesses::Receive(uint32_t, Status*)
{
}

void
AsimProcesses::Meet(Status*)
{
}

const uint8_t*
AsimProcesses::Get(uint32_t, std::size_t* n) const
{
    *n = 0;
    return nullptr;
}

std::vector<AsimProcesses::Bytes>
AsimProcesses::Collect(const Bytes& bytes, bool) const
{
    return {bytes};
}

} // namespace ns3

#endif
