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

const Row RDMA_HW[] = {{"Mtu", "PACKET_PAYLOAD_SIZE"},
                       {"CcMode", "CC_MODE"},
                       {"L2ChunkSize", "L2_CHUNK_SIZE"},
                       {"L2AckInterval", "L2_ACK_INTERVAL"},
                       {"L2BackToZero", "L2_BACK_TO_ZERO"},
                       {"HasWin", "HAS_WIN"},
                       {"GlobalT", "GLOBAL_T"},
                       {"VarWin", "VAR_WIN"},
                       {"RateBound", "RATE_BOUND"},
                       {"AckHighPrio", "ACK_HIGH_PRIO"},
                       {"MinRate", "MIN_RATE"}};
const Row SWITCH_NODE[] = {{"EcnEnabled", "ENABLE_QCN"}};
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
        const std::string now = info.initialValue->SerializeToString(info.checker);
        if (now != info.originalInitialValue->SerializeToString(info.checker))
        {
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
