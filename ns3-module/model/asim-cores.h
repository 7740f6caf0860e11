/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_CORES_H
#define ASIM_CORES_H

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimCores declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * The cores of the machine on which a process may run, as Linux has them; elsewhere none is known.
 */
namespace AsimCores
{

/** A bit for each core, the same for all processes of a machine. */
using Set = std::vector<uint8_t>;

/**
 * Gets the cores of this process.
 * @return the cores; empty where they are not known
 */
Set OfProcess();
/**
 * Counts cores.
 * @param cores the cores
 * @return their number
 */
uint32_t Count(const Set& cores);
/**
 * Lets all threads of this process, and those that they start, run on any of these cores.
 * @param cores the cores; empty changes nothing
 */
void Use(const Set& cores);

} // namespace AsimCores

} // namespace ns3

#endif /* ASIM_CORES_H */
