/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The classes that ns-3's global values name, checked before ns-3 makes them: it ends without a word
 * where a distributed simulator has no MPI, or a class is of another kind.
 */
#ifndef ASIM_SIMULATOR_H
#define ASIM_SIMULATOR_H

#include <cstdint>
#include <string>

namespace ns3
{

namespace AsimSimulator
{

/** Call it before anything asks for the simulator. Returns why SimulatorImplementationType or
 *  SchedulerType cannot be used; empty where they can. In one process ns3::DefaultSimulatorImpl
 *  takes the place of a distributed simulator, which *note then tells. */
std::string Prepare(uint32_t processes, std::string* note);

} // namespace AsimSimulator

} // namespace ns3

#endif
