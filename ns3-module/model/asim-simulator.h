/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_SIMULATOR_H
#define ASIM_SIMULATOR_H

#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup asim
 * ns3::AsimSimulator declaration.
 */

namespace ns3
{

/** @ingroup asim
 * The classes that ns-3's global values name, checked before ns-3 makes them: ns-3 ends without a
 * word where a distributed simulator has no MPI, or a class is of another kind.
 */
namespace AsimSimulator
{

/**
 * Checks SimulatorImplementationType and SchedulerType. Call it before anything asks for the
 * simulator. In one process ns3::DefaultSimulatorImpl takes the place of a distributed simulator.
 * @param processes number of processes that mpiexec has started
 * @param note tells of such a replacement
 * @return why one of them cannot be used; empty where they can
 */
std::string Prepare(uint32_t processes, std::string* note);

} // namespace AsimSimulator

} // namespace ns3

#endif /* ASIM_SIMULATOR_H */
