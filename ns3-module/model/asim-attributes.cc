/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-attributes.h"

#include "rdma-hw.h"
#include "switch-mmu.h"
#include "switch-node.h"

namespace ns3
{

namespace
{

struct Row
{
    const char* attribute;
    const char* key;
};

// Rows whose attribute a class does not have (yet) are passed over.
const Row RDMA_HW[] = {{"Mtu", "PACKET_PAYLOAD_SIZE"},
                       {"CcMode", "CC_MODE"},
                       {"Cc", "CC"},
                       {"L2ChunkSize", "L2_CHUNK_SIZE"},
                       {"L2AckInterval", "L2_ACK_INTERVAL"},
                       {"L2BackToZero", "L2_BACK_TO_ZERO"},
                       {"HasWin", "HAS_WIN"},
                       {"GlobalT", "GLOBAL_T"},
                       {"VarWin", "VAR_WIN"},
                       {"RateBound", "RATE_BOUND"},
                       {"AckHighPrio", "ACK_HIGH_PRIO"},
                       {"MinRate", "MIN_RATE"},
                       {"RateAI", "RATE_AI"},
                       {"RateHAI", "RATE_HAI"},
                       {"DctcpRateAI", "DCTCP_RATE_AI"},
                       {"EwmaGain", "EWMA_GAIN"},
                       {"ClampTargetRate", "CLAMP_TARGET_RATE"},
                       {"FastRecoveryTimes", "FAST_RECOVERY_TIMES"},
                       {"AlphaResumInterval", "ALPHA_RESUME_INTERVAL"},
                       {"RateDecreaseInterval", "RATE_DECREASE_INTERVAL"},
                       {"RPTimer", "RP_TIMER"},
                       {"MiThresh", "MI_THRESH"},
                       {"FastReact", "FAST_REACT"},
                       {"TargetUtil", "U_TARGET"},
                       {"MultiRate", "MULTI_RATE"},
                       {"SampleFeedback", "SAMPLE_FEEDBACK"},
                       {"IntMulti", "INT_MULTI"},
                       {"PintLogBase", "PINT_LOG_BASE"},
                       {"PintProb", "PINT_PROB"},
                       {"SwiftTarget", "SWIFT_TARGET"},
                       {"SwiftAi", "SWIFT_AI"},
                       {"SwiftBeta", "SWIFT_BETA"},
                       {"SwiftMaxMdf", "SWIFT_MAX_MDF"},
                       {"LossRecovery", "LOSS_RECOVERY"},
                       {"Rto", "RTO"},
                       {"RtoRetries", "RTO_RETRIES"},
                       {"NACKGenerationInterval", "NACK_INTERVAL"},
                       {"PriorityGroup", "PRIORITY_GROUP"},
                       {"NicTotalPauseTime", "NIC_TOTAL_PAUSE_TIME"},
                       {"ErrorRate", "ERROR_RATE_PER_LINK"},
                       {"TimeBase", "TIME_BASE"}};
const Row SWITCH_NODE[] = {{"EcnEnabled", "ENABLE_QCN"},
                           {"AckHighPrio", "SWITCH_ACK_HIGH_PRIO"},
                           {"LoadBalance", "LOAD_BALANCE"},
                           {"PauseTime", "PAUSE_TIME"}};
const Row SWITCH_MMU[] = {{"BufferSize", "BUFFER_SIZE"}, {"HeadroomFactor", "HEADROOM_FACTOR"}};

template <std::size_t N>
void
Collect(TypeId tid, const Row (&rows)[N], std::vector<std::string>& words)
{
    for (const Row& row : rows)
    {
        TypeId::AttributeInformation info;
        if (!tid.LookupAttributeByName(row.attribute, &info))
        {
            continue;
        }
        std::string now = info.initialValue->SerializeToString(info.checker);
        if (now != info.originalInitialValue->SerializeToString(info.checker))
        {
            if (!now.empty() && now[0] == '+')
            {
                now.erase(0, 1); // ns-3 writes times as "+5000ns"
            }
            words.emplace_back(row.key);
            words.push_back(now);
        }
    }
}

} // namespace

AsimAttributes::AsimAttributes()
{
    Collect(RdmaHw::GetTypeId(), RDMA_HW, m_words);
    Collect(SwitchNode::GetTypeId(), SWITCH_NODE, m_words);
    Collect(SwitchMmu::GetTypeId(), SWITCH_MMU, m_words);
    for (const std::string& word : m_words)
    {
        m_pointers.push_back(word.c_str());
    }
    m_pointers.push_back(nullptr);
}

const char* const*
AsimAttributes::Overrides() const
{
    return m_pointers.data();
}

} // namespace ns3
