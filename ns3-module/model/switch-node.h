/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SWITCH_NODE_H
#define SWITCH_NODE_H

#include "asim-settings.h"

/**
 * @file
 * @ingroup asim
 * ns3::SwitchNode declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * A switch of the packet network, as ns-3 sees it: aggregated to its node, with the settings of its
 * queues as attributes. The state machine is in the core (core/fabric/switch/switch.c).
 */
class SwitchNode : public AsimSettings
{
  public:
    /**
     * Gets the type.
     * @return the type of SwitchNode
     */
    static TypeId GetTypeId();
    SwitchNode();
};

} // namespace ns3

#endif /* SWITCH_NODE_H */
