/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer of a switch, as ns-3 sees it: its size and headroom as attributes. The
 * arithmetic is in the core (core/fabric/switch/mmu.c).
 */
#ifndef SWITCH_MMU_H
#define SWITCH_MMU_H

#include "asim-attributes.h"

namespace ns3
{

class SwitchMmu : public AsimSettings
{
  public:
    static TypeId GetTypeId();
    SwitchMmu();
};

} // namespace ns3

#endif
