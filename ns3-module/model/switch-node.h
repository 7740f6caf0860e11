/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch of the packet network, as ns-3 sees it: aggregated to its node, with the settings of
 * its queues as attributes. The state machine is in the core (core/fabric/switch/switch.c).
 */
#ifndef SWITCH_NODE_H
#define SWITCH_NODE_H

#include "asim-attributes.h"

namespace ns3
{

class SwitchNode : public AsimSettings
{
  public:
    static TypeId GetTypeId();
    SwitchNode();
};

} // namespace ns3

#endif
