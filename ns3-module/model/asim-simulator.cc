/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-simulator.h"

#include "ns3/global-value.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#endif

namespace ns3
{

namespace
{

const char IMPLEMENTATION[] = "SimulatorImplementationType";
const char USUAL[] = "ns3::DefaultSimulatorImpl";
const char GRANTED_WINDOWS[] = "ns3::DistributedSimulatorImpl";
const char NULL_MESSAGES[] = "ns3::NullMessageSimulatorImpl";

bool
IsOfKind(const TypeId& type, const TypeId& kind)
{
    return type.IsChildOf(kind) && type.HasConstructor();
}

/** All classes of a kind, "ns3::HeapScheduler, ns3::MapScheduler". */
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

std::string
CheckScheduler()
{
    TypeIdValue scheduler;

    GlobalValue::GetValueByName("SchedulerType", scheduler);
    if (IsOfKind(scheduler.Get(), Scheduler::GetTypeId()))
    {
        return "";
    }
    return "SchedulerType is '" + scheduler.Get().GetName() + "', which is no scheduler; there are " +
           Names(Scheduler::GetTypeId());
}

/** True where the program itself has joined the processes of MPI. */
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
