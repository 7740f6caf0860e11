/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Which cores of the machine a process may run on, as Linux has them; elsewhere none is known.
 */
#ifndef ASIM_CORES_H
#define ASIM_CORES_H

#include <cstdint>
#include <vector>

namespace ns3
{

namespace AsimCores
{

/** A bit each, the same for all processes of a machine. */
using Set = std::vector<uint8_t>;

/** Of this process; empty where they are not known. */
Set OfProcess();
uint32_t Count(const Set& cores);
/** From here on all threads of this process, and those they start, may run on any of these. */
void Use(const Set& cores);

} // namespace AsimCores

} // namespace ns3

#endif
