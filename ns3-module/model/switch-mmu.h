/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer of a switch, as ns-3 sees it: its size and headroom as attributes. The
 * arithmetic is in the core (core/fabric/mmu.c).
 */
#ifndef SWITCH_MMU_H
#define SWITCH_MMU_H

#include "asim-compat.h"

#include "ns3/object.h"

namespace ns3
{

class SwitchMmu : public Object
{
  public:
    static TypeId GetTypeId();
    SwitchMmu();
    /** Sets every attribute to what the run really uses. */
    void Adopt(const asim_netconf& conf);

  private:
    uint32_t m_bufferMiB;
    uint32_t m_headroomFactor;
};

} // namespace ns3

#endif
