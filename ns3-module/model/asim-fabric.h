/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_FABRIC_NS3_H
#define ASIM_FABRIC_NS3_H

#include "asim-datagrams.h"
#include "asim-settings.h"

#include "ns3/event-id.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimFabric declaration.
 */

/**
 * @defgroup asim RDMA networks for distributed machine learning
 *
 * A packet-level model of RDMA over Converged Ethernet that carries the messages of Chakra
 * execution traces. Nodes, devices and channels of this module are faces of a C library, which has
 * the state machines. Start with ns3::AsimHelper.
 */

/**
 * @ingroup asim
 * @ingroup tests
 * @defgroup asim-tests Tests of RDMA networks for distributed machine learning
 */

namespace ns3
{

class AsimProcesses;
class QbbNetDevice;

/**
 * @ingroup asim
 * ns-3 as the clock of a packet run.
 *
 * One simulator event advances the core's nodes by one lookahead window: no node acts on another
 * one before the smallest link delay W has passed. With a sink for single frames the core runs in
 * per-event mode, and one simulator event is one event of one node. Of several processes each
 * simulates its part of the network; their windows begin at multiples of one W, and the processes
 * meet at the end of each.
 */
class AsimFabric : public AsimSettings
{
  public:
    /**
     * Gets the type.
     * @return the type of AsimFabric
     */
    static TypeId GetTypeId();
    AsimFabric();

    /**
     * Sets the processes of this run. The world of SetWorld is then the part of this process.
     * @param processes the processes; null for one process
     */
    void SetProcesses(Ptr<AsimProcesses> processes);
    /**
     * Sets the world to drive and builds the ns-3 nodes, devices and channels.
     * @param world the world; it must outlive Dispose
     */
    void SetWorld(asim_world* world);
    /**
     * Sets a function to call about once per event, for progress.
     * @param tick the function
     */
    void SetTick(Callback<void> tick);
    /**
     * Starts the workload now, at its time 0, and schedules the first event.
     * @param err filled on failure
     * @return 0, or the core's failure
     */
    int Start(asim_err* err);
    /**
     * Gets the time of Start.
     * @return the simulator's time at time 0 of the workload
     */
    Time GetBegin() const;

    /**
     * Tells whether a next event is scheduled. After Simulator::Run it tells whether the simulator
     * was stopped before the end of the workload.
     * @return true while an event is scheduled
     */
    bool IsUnderWay() const
    {
        return !m_hasEnded && !m_next.IsExpired();
    }

    /**
     * Gets the failure that ended the run.
     * @return its code; 0 if there is none
     */
    int GetCode() const;
    /**
     * Gets the failure that ended the run.
     * @return its sentence
     */
    const asim_err& GetError() const;

    /**
     * Gets a node of the topology.
     * @param v its number in the topology; where ranks are placed, the rank of a host
     * @return the node; null where it lives in another process and no link leads there
     */
    Ptr<Node> GetNode(uint32_t v) const;
    /**
     * Counts the nodes of the topology.
     * @return their number
     */
    uint32_t GetNNodes() const;
    /**
     * Gets all interfaces.
     * @return node by node, in the order of the topology's links
     */
    const std::vector<Ptr<QbbNetDevice>>& GetDevices() const;

    /**
     * Lets interfaces of hosts carry IPv4 packets of other applications, before the start; the
     * network is then in per-event mode. AsimHelper::AssignIpv4 calls it.
     * @param device an interface of a host
     * @param err filled on failure
     * @return 0, or the core's failure
     */
    int UseDatagrams(Ptr<QbbNetDevice> device, asim_err* err);
    /**
     * Says at which host an IPv4 address is.
     * @param address the address
     * @param device an interface of the host
     */
    void AddAddress(Ipv4Address address, Ptr<QbbNetDevice> device);

  protected:
    void DoDispose() override;

  private:
    /**
     * Builds nodes, devices and channels.
     * @param conf the configuration of the run
     */
    void Build(const asim_netconf& conf);
    /**
     * Tells whether this process simulates a node.
     * @param v the node's number in the topology
     * @return true if it does
     */
    bool IsHere(uint32_t v) const;
    /** An event of a run in one process. */
    void Step();
    /** Schedules the next event of a run in one process, and once its end. */
    void Plan();
    /** The workload has ended, or cannot go on. */
    void Conclude();
    /**
     * Schedules the next step of the network, where it is earlier than the one scheduled.
     */
    void PlanStep();
    /**
     * Gives a packet of another application to the network.
     * @param port where it leaves
     * @param packet the packet
     * @return false if it cannot be carried
     */
    bool SendDatagram(const AsimDatagrams::Port& port, Ptr<Packet> packet);
    /**
     * Schedules an event of the run.
     * @param ns its time, of the workload
     * @param step the function of the event
     */
    void ScheduleAt(uint64_t ns, void (AsimFabric::*step)());
    /** A window of this process, or one event of it, of a run in several processes. */
    void StepTogether();
    /** The start of a run whose network the first process simulates alone. */
    void StartAlone();
    /** Stops the simulator: the run cannot go on, or should not. */
    void Stop();
    /**
     * Schedules the end of the workload.
     * @param last the finish of the last rank, ns
     */
    void PlanEnd(uint64_t last);
    /** The end of the workload: all ranks have finished. */
    void End();
    /** Schedules the end of the workload where several processes share it. */
    void EndTogether();
    /**
     * Gets the finish of the last rank in this process.
     * @return ns; ASIM_NEVER where one has not finished
     */
    uint64_t GetLastFinish() const;
    /** Schedules the link events of the configuration for the devices to show. */
    void PlanLinkChanges();
    /** Forgets those that are left. */
    void CancelLinkChanges();
    /**
     * A link goes down or comes up.
     * @param change the link event
     */
    void ChangeLink(asim_link_change change);
    /**
     * The end of a window of several processes.
     * @param until the end in ns
     */
    void Meet(uint64_t until);
    /**
     * Puts the bytes for a process.
     * @param peer the process
     * @return true if there are any
     */
    bool Pack(uint32_t peer);
    /**
     * Takes the bytes of a process.
     * @param peer the process
     */
    void Unpack(uint32_t peer);
    /**
     * A frame is seen.
     * @param self the AsimFabric
     * @param seen the frame
     */
    static void OnFrame(void* self, const asim_frame_seen* seen);
    /**
     * A message is complete.
     * @param self the AsimFabric
     * @param message the message
     */
    static void OnMessage(void* self, const asim_observed_message* message);
    /**
     * A pause or resume takes effect.
     * @param self the AsimFabric
     * @param pause the pause
     */
    static void OnPause(void* self, const asim_observed_pause* pause);
    /**
     * Asks the core for what connected trace sources need.
     * @param err filled on failure
     * @return 0, or the core's failure
     */
    int Watch(asim_err* err);

    asim_world* m_world{nullptr};             //!< not owned
    const asim_topo* m_topo{nullptr};         //!< of the world
    asim_err m_err{};                         //!< the failure that ended the run
    int m_code{0};                            //!< its code
    Callback<void> m_tick;                    //!< called about once per event
    Ptr<AsimProcesses> m_processes;           //!< null in one process
    bool m_whole{false};                      //!< process 0 simulates all of the network
    bool m_watched{false};                    //!< a sink of this process wants each frame
    Time m_begin;                             //!< simulator's time at Start
    EventId m_next;                           //!< the next event of the run
    uint64_t m_nextNs{0};                     //!< its time, of the workload
    bool m_isStepping{false};                 //!< inside an event of the run
    bool m_hasBegun{false};                   //!< Start has been called
    bool m_hasEnded{false};                   //!< the workload has ended, or cannot go on
    Ptr<AsimDatagrams> m_datagrams;           //!< packets of other applications; may be null
    EventId m_end;                            //!< the end of the workload
    std::vector<EventId> m_linkChanges;       //!< link events to come
    TracedCallback<> m_finished;              //!< all ranks have finished
    std::vector<Ptr<Node>> m_nodes;           //!< [topo.nodes]
    std::vector<Ptr<QbbNetDevice>> m_devices; //!< [topo.first_port[v] + i]
};

} // namespace ns3

#endif /* ASIM_FABRIC_NS3_H */
