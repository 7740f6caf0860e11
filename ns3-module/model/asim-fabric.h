/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3 as the clock of a packet run. One simulator event advances the core's nodes by one lookahead
 * window: nothing that a node does can reach another one before the smallest link delay W has passed.
 * With a sink for single frames the core runs in per-event mode, and one simulator event is one event
 * of one node. Of several processes each simulates its part of the network; their windows begin at
 * multiples of one W, and the processes meet at the end of each.
 */
#ifndef ASIM_FABRIC_NS3_H
#define ASIM_FABRIC_NS3_H

#include "asim-attributes.h"

#include "ns3/event-id.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

class AsimProcesses;
class QbbNetDevice;

class AsimFabric : public AsimSettings
{
  public:
    static TypeId GetTypeId();
    AsimFabric();

    /** The processes of this run; the world to be set is the part of this one. */
    void SetProcesses(Ptr<AsimProcesses> processes);
    /** The world to drive; not owned. Builds the ns-3 nodes, devices and channels. */
    void SetWorld(asim_world* world);
    /** Called about once per event, for progress. */
    void SetTick(Callback<void> tick);
    /** Time 0 of the workload, then the first event. Returns 0 or the core's failure. */
    int Start(asim_err* err);
    /** True while a next step is scheduled; after Simulator::Run: something stopped the simulator. */
    bool IsUnderWay() const
    {
        return !m_next.IsExpired();
    }

    /** Failure that ended the run, 0 if none. */
    int GetCode() const;
    const asim_err& GetError() const;

    /** Node v of the topology; null where it lives in another process and no link leads there. */
    Ptr<Node> GetNode(uint32_t v) const;
    uint32_t GetNNodes() const;
    /** All interfaces: node by node, in the order of the topology's links. */
    const std::vector<Ptr<QbbNetDevice>>& GetDevices() const;

  protected:
    void DoDispose() override;

  private:
    void Build(const asim_netconf& conf);
    bool IsHere(uint32_t v) const;
    void Step();
    void Plan();
    void StepTogether();
    void StartAlone();
    void End();
    void Meet(uint64_t until);
    bool Pack(uint32_t peer);
    void Unpack(uint32_t peer);
    static void OnFrame(void* self, const asim_frame_seen* seen);
    static void OnMessage(void* self, const asim_observed_message* message);
    static void OnPause(void* self, const asim_observed_pause* pause);
    int Watch(asim_err* err);

    asim_world* m_world{nullptr};
    const asim_topo* m_topo{nullptr};
    asim_err m_err{};
    int m_code{0};
    Callback<void> m_tick;
    Ptr<AsimProcesses> m_processes; //!< null in one process
    uint64_t m_window{0};           //!< ns, of several processes
    bool m_whole{false};            //!< process 0 simulates all of the network
    bool m_watched{false};          //!< a sink of this process wants frames at their own time
    EventId m_next;
    std::vector<Ptr<Node>> m_nodes;           //!< [topo.nodes]
    std::vector<Ptr<QbbNetDevice>> m_devices; //!< [topo.first_port[v] + i]
};

} // namespace ns3

#endif
