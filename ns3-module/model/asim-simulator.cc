/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-simulator.h"

#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimSimulator");

namespace
{

const char IMPLEMENTATION[] = "SimulatorImplementationType";    //!< a global value
const char USUAL[] = "ns3::DefaultSimulatorImpl";               //!< for one process
const char GRANTED_WINDOWS[] = "ns3::DistributedSimulatorImpl"; //!< for several
const char NULL_MESSAGES[] = "ns3::NullMessageSimulatorImpl";   //!< for several

/**
 * Tells whether ns-3 can make an object of a class where it wants one of a kind.
 * @param type the class
 * @param kind the kind
 * @return true if it can
 */
bool
IsOfKind(const TypeId& type, const TypeId& kind)
{
    return type.IsChildOf(kind) && type.HasConstructor();
}

/**
 * Lists the classes of a kind.
 * @param kind the kind
 * @return "ns3::HeapScheduler, ns3::MapScheduler"
 */
std::string
Names(const TypeId& kind)
{
    std::string names;

    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);

        if (IsOfKind(type, kind))
        {
            names += (names.empty() ? "" : ", ") + type.GetName();
        }
    }
    return names;
}

/**
 * Checks SchedulerType.
 * @return why it cannot be used; empty where it can
 */
std::string
CheckScheduler()
{
    TypeIdValue scheduler;

    GlobalValue::GetValueByName("SchedulerType", scheduler);
    const bool isClass = scheduler.Get().GetUid() != 0;
    if (isClass && IsOfKind(scheduler.Get(), Scheduler::GetTypeId()))
    {
        return "";
    }
    return "SchedulerType is '" + (isClass ? scheduler.Get().GetName() : "") +
           "', which is no scheduler; there are " + Names(Scheduler::GetTypeId());
}

/**
 * Tells whether the program itself has joined the processes of MPI.
 * @return true if it has
 */
bool
IsMpiEnabled()
{
#ifdef NS3_MPI
    return MpiInterface::IsEnabled();
#else
    return false;
#endif
}

} // namespace

std::string
AsimSimulator::Prepare(uint32_t processes, std::string* note)
{
    NS_LOG_FUNCTION(processes);
    StringValue kind;
    TypeId type;

    GlobalValue::GetValueByName(IMPLEMENTATION, kind);
    if (processes < 2 && !IsMpiEnabled() &&
        (kind.Get() == GRANTED_WINDOWS || kind.Get() == NULL_MESSAGES))
    {
        *note = "one process was started, so " + std::string(USUAL) + " runs in place of " +
                kind.Get() + "; ./ns3 run AstraSimNetwork --mpi N starts N processes";
        GlobalValue::Bind(IMPLEMENTATION, StringValue(USUAL));
        return CheckScheduler();
    }
    if (!TypeId::LookupByNameFailSafe(kind.Get(), &type) ||
        !IsOfKind(type, SimulatorImpl::GetTypeId()))
    {
        return std::string(IMPLEMENTATION) + " is '" + kind.Get() +
               "', which is no simulator; there are " + Names(SimulatorImpl::GetTypeId());
    }
    return CheckScheduler();
}

} // namespace ns3
