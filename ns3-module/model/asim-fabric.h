/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3 as the clock of a packet run: one simulator event per safe window advances the core's nodes
 * (design: nothing a node does can reach another before the smallest link delay W has passed). If
 * a sink watches single frames the core runs at W = 0 and an event is one node at one instant.
 */
#ifndef ASIM_FABRIC_NS3_H
#define ASIM_FABRIC_NS3_H

#include "asim-attributes.h"

#include "ns3/event-id.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

class QbbNetDevice;

class AsimFabric : public AsimSettings
{
  public:
    static TypeId GetTypeId();
    AsimFabric();

    /** The world to drive; not owned. Builds the ns-3 nodes, devices and channels. */
    void SetWorld(asim_world* world);
    /** Called about once per event, for progress. */
    void SetTick(Callback<void> tick);
    /** Time 0 of the workload, then the first event. Returns 0 or the core's failure. */
    int Start(asim_err* err);
    /** Failure that ended the run, 0 if none. */
    int GetCode() const;
    const asim_err& GetError() const;

    /** Node v of the topology. */
    Ptr<Node> GetNode(uint32_t v) const;
    uint32_t GetNNodes() const;
    /** All interfaces: node by node, in the order of the topology's links. */
    const std::vector<Ptr<QbbNetDevice>>& GetDevices() const;

  protected:
    void DoDispose() override;

  private:
    void Step();
    void Plan();
    static void OnFrame(void* self,
                        asim_frame_event what,
                        const uint32_t nodePort[2],
                        const asim_frame* frame,
                        uint64_t t);
    static void OnEvent(void* self, const asim_world* world, const asim_event* event);

    asim_world* m_world{nullptr};
    asim_fabric* m_fabric{nullptr};
    const asim_topo* m_topo{nullptr};
    asim_err m_err{};
    int m_code{0};
    Callback<void> m_tick;
    EventId m_next;
    NodeContainer m_nodes;
    std::vector<Ptr<QbbNetDevice>> m_devices; //!< [topo.first_port[v] + i]
};

} // namespace ns3

#endif
