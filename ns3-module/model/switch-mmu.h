/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SWITCH_MMU_H
#define SWITCH_MMU_H

#include "asim-settings.h"

/**
 * @file
 * @ingroup asim
 * ns3::SwitchMmu declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * The shared buffer of a switch, as ns-3 sees it: its size and headroom as attributes. The
 * arithmetic is in the core (core/fabric/switch/mmu.c).
 */
class SwitchMmu : public AsimSettings
{
  public:
    /**
     * Gets the type.
     * @return the type of SwitchMmu
     */
    static TypeId GetTypeId();
    SwitchMmu();
};

} // namespace ns3

#endif /* SWITCH_MMU_H */
