/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-attributes.h"

#include "asim-fabric.h"
#include "rdma-hw.h"
#include "switch-mmu.h"
#include "switch-node.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AsimSettings);

namespace
{

struct Row
{
    const char* type;
    const char* attribute;
    const char* key;
};

/* Names are those of the RDMA modules in use where these have one. */
const Row ROWS[] = {
    {"ns3::RdmaHw", "Mtu", "PACKET_PAYLOAD_SIZE"},
    {"ns3::RdmaHw", "CcMode", "CC_MODE"},
    {"ns3::RdmaHw", "Cc", "CC"},
    {"ns3::RdmaHw", "L2ChunkSize", "L2_CHUNK_SIZE"},
    {"ns3::RdmaHw", "L2AckInterval", "L2_ACK_INTERVAL"},
    {"ns3::RdmaHw", "L2BackToZero", "L2_BACK_TO_ZERO"},
    {"ns3::RdmaHw", "NACKGenerationInterval", "NACK_INTERVAL"},
    {"ns3::RdmaHw", "LossRecovery", "LOSS_RECOVERY"},
    {"ns3::RdmaHw", "Rto", "RTO"},
    {"ns3::RdmaHw", "RtoRetries", "RTO_RETRIES"},
    {"ns3::RdmaHw", "HasWin", "HAS_WIN"},
    {"ns3::RdmaHw", "GlobalT", "GLOBAL_T"},
    {"ns3::RdmaHw", "VarWin", "VAR_WIN"},
    {"ns3::RdmaHw", "RateBound", "RATE_BOUND"},
    {"ns3::RdmaHw", "AckHighPrio", "ACK_HIGH_PRIO"},
    {"ns3::RdmaHw", "NicTotalPauseTime", "NIC_TOTAL_PAUSE_TIME"},
    {"ns3::RdmaHw", "MinRate", "MIN_RATE"},
    {"ns3::RdmaHw", "RateAI", "RATE_AI"},
    {"ns3::RdmaHw", "RateHAI", "RATE_HAI"},
    {"ns3::RdmaHw", "EwmaGain", "EWMA_GAIN"},
    {"ns3::RdmaHw", "ClampTargetRate", "CLAMP_TARGET_RATE"},
    {"ns3::RdmaHw", "AlphaResumInterval", "ALPHA_RESUME_INTERVAL"},
    {"ns3::RdmaHw", "RateDecreaseInterval", "RATE_DECREASE_INTERVAL"},
    {"ns3::RdmaHw", "RPTimer", "RP_TIMER"},
    {"ns3::RdmaHw", "FastRecoveryTimes", "FAST_RECOVERY_TIMES"},
    {"ns3::RdmaHw", "DctcpRateAI", "DCTCP_RATE_AI"},
    {"ns3::RdmaHw", "FastReact", "FAST_REACT"},
    {"ns3::RdmaHw", "MiThresh", "MI_THRESH"},
    {"ns3::RdmaHw", "TargetUtil", "U_TARGET"},
    {"ns3::RdmaHw", "MultiRate", "MULTI_RATE"},
    {"ns3::RdmaHw", "SampleFeedback", "SAMPLE_FEEDBACK"},
    {"ns3::RdmaHw", "IntMulti", "INT_MULTI"},
    {"ns3::RdmaHw", "PintLogBase", "PINT_LOG_BASE"},
    {"ns3::RdmaHw", "PintProb", "PINT_PROB"},
    {"ns3::RdmaHw", "SwiftTarget", "SWIFT_TARGET"},
    {"ns3::RdmaHw", "SwiftAI", "SWIFT_AI"},
    {"ns3::RdmaHw", "SwiftBeta", "SWIFT_BETA"},
    {"ns3::RdmaHw", "SwiftMaxMdf", "SWIFT_MAX_MDF"},
    {"ns3::SwitchNode", "EcnEnabled", "ENABLE_QCN"},
    {"ns3::SwitchNode", "AckHighPrio", "SWITCH_ACK_HIGH_PRIO"},
    {"ns3::SwitchNode", "LoadBalance", "LOAD_BALANCE"},
    {"ns3::SwitchNode", "PriorityGroup", "PRIORITY_GROUP"},
    {"ns3::SwitchNode", "PauseTime", "PAUSE_TIME"},
    {"ns3::SwitchNode", "DynamicThreshold", "USE_DYNAMIC_PFC_THRESHOLD"},
    {"ns3::SwitchNode", "KminMap", "KMIN_MAP"},
    {"ns3::SwitchNode", "KmaxMap", "KMAX_MAP"},
    {"ns3::SwitchNode", "PmaxMap", "PMAX_MAP"},
    {"ns3::SwitchMmu", "BufferSize", "BUFFER_SIZE"},
    {"ns3::SwitchMmu", "HeadroomFactor", "HEADROOM_FACTOR"},
    {"ns3::AsimFabric", "TimeBase", "TIME_BASE"},
    {"ns3::AsimFabric", "NvswitchEndpoints", "NVSWITCH_ENDPOINTS"},
    {"ns3::AsimFabric", "LinkDown", "LINK_DOWN"},
    {"ns3::AsimFabric", "LinkUp", "LINK_UP"},
    {"ns3::AsimFabric", "TopologyFile", "TOPOLOGY_FILE"},
    {"ns3::AsimFabric", "ErrorRatePerLink", "ERROR_RATE_PER_LINK"},
    {"ns3::AsimFabric", "FctOutputFile", "FCT_OUTPUT_FILE"},
    {"ns3::AsimFabric", "PfcOutputFile", "PFC_OUTPUT_FILE"},
    {"ns3::AsimFabric", "EnableTrace", "ENABLE_TRACE"},
    {"ns3::AsimFabric", "TraceFile", "TRACE_FILE"},
    {"ns3::AsimFabric", "TraceOutputFile", "TRACE_OUTPUT_FILE"},
    {"ns3::AsimFabric", "QlenMonFile", "QLEN_MON_FILE"},
    {"ns3::AsimFabric", "QlenMonStart", "QLEN_MON_START"},
    {"ns3::AsimFabric", "QlenMonEnd", "QLEN_MON_END"},
};

/** Keys of several words, which have no row in the core's table. ns-3 cuts strings at spaces, so the
 * words are separated by commas here. */
const asim_option LINES[] = {
    {"KMIN_MAP", nullptr, "ECN: n, then n times a link rate and KB queued where marking begins",
     nullptr, ASIM_T_STRING, offsetof(asim_netconf, kmin), 0, 0, nullptr, 0},
    {"KMAX_MAP", nullptr, "ECN: n, then n times a link rate and KB queued where all are marked",
     nullptr, ASIM_T_STRING, offsetof(asim_netconf, kmax), 0, 0, nullptr, 0},
    {"PMAX_MAP", nullptr, "ECN: n, then n times a link rate and the probability at KMAX",
     nullptr, ASIM_T_STRING, offsetof(asim_netconf, pmax), 0, 0, nullptr, 0},
    {"LINK_DOWN", nullptr, "one more link event: time and the two nodes; empty = none", nullptr,
     ASIM_T_STRING, 0, 0, 0, nullptr, 0},
    {"LINK_UP", nullptr, "one more link event: time and the two nodes; empty = none", nullptr,
     ASIM_T_STRING, 0, 0, 0, nullptr, 0},
};

const asim_option*
FindOption(const char* key)
{
    for (const asim_option& row : LINES)
    {
        if (!std::strcmp(row.key, key))
        {
            return &row;
        }
    }
    for (const asim_option* row = asim_netconf_options; row->key; row++)
    {
        if (!std::strcmp(row->key, key))
        {
            return row;
        }
    }
    return nullptr;
}

template <typename T>
const T&
Field(const asim_netconf& conf, const asim_option& row)
{
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&conf) + row.offset);
}

/** An empty value of the kind that fits the row, and its checker. Sizes are in MiB. */
Ptr<AttributeValue>
MakeValue(const asim_option& row, Ptr<const AttributeChecker>& checker)
{
    const bool ranged = row.min < row.max;
    switch (row.type)
    {
    case ASIM_T_BOOL:
        checker = MakeBooleanChecker();
        return Create<BooleanValue>();
    case ASIM_T_U32:
        checker = ranged ? MakeUintegerChecker<uint32_t>(static_cast<uint32_t>(row.min),
                                                         static_cast<uint32_t>(row.max))
                         : MakeUintegerChecker<uint32_t>();
        return Create<UintegerValue>();
    case ASIM_T_U64:
    case ASIM_T_I64:
    case ASIM_T_SIZE:
        checker = MakeUintegerChecker<uint64_t>();
        return Create<UintegerValue>();
    case ASIM_T_DOUBLE:
        checker = ranged ? MakeDoubleChecker<double>(row.min, row.max)
                         : MakeDoubleChecker<double>();
        return Create<DoubleValue>();
    case ASIM_T_RATE:
        checker = MakeDataRateChecker();
        return Create<DataRateValue>();
    case ASIM_T_TIME:
        checker = MakeTimeChecker();
        return Create<TimeValue>();
    case ASIM_T_STRING:
    case ASIM_T_CHOICE:
        break;
    }
    checker = MakeStringChecker();
    return Create<StringValue>();
}

bool
IsLine(const asim_option& row)
{
    return &row >= LINES && &row < LINES + sizeof(LINES) / sizeof(LINES[0]);
}

/** A map as its line in the file says it; link events are additions, so there is nothing to show. */
std::string
LineOf(const asim_netconf& conf, const asim_option& row)
{
    std::ostringstream text;
    if (!row.offset)
    {
        return "";
    }
    const asim_rate_map& map = Field<asim_rate_map>(conf, row);
    const double unit = row.offset == offsetof(asim_netconf, pmax) ? 1 : 1000;
    text << map.n;
    for (std::size_t i = 0; i < map.n; i++)
    {
        text << "," << map.at[i].rate_bps << "," << map.at[i].value / unit;
    }
    return text.str();
}

/** What conf holds for the row, as ns-3 writes values of that kind. */
std::string
TextOf(const asim_netconf& conf, const asim_option& row)
{
    if (IsLine(row))
    {
        return LineOf(conf, row);
    }
    std::ostringstream text;
    text.precision(17);
    switch (row.type)
    {
    case ASIM_T_BOOL:
        text << (Field<int>(conf, row) ? "true" : "false");
        break;
    case ASIM_T_U32:
        text << Field<uint32_t>(conf, row);
        break;
    case ASIM_T_U64:
    case ASIM_T_I64:
        text << Field<uint64_t>(conf, row);
        break;
    case ASIM_T_SIZE:
        text << (Field<uint64_t>(conf, row) >> 20);
        break;
    case ASIM_T_DOUBLE:
        text << Field<double>(conf, row);
        break;
    case ASIM_T_RATE:
        text << Field<uint64_t>(conf, row) << "bps";
        break;
    case ASIM_T_TIME:
        text << static_cast<double>(Field<uint64_t>(conf, row)) * 1e-6 << "ns";
        break;
    case ASIM_T_STRING:
        text << (Field<char*>(conf, row) ? Field<char*>(conf, row) : "");
        break;
    case ASIM_T_CHOICE: {
        std::istringstream words(row.choices);
        std::string word;
        for (int i = Field<int>(conf, row); i >= 0; i--)
        {
            std::getline(words, word, '|');
        }
        text << word;
        break;
    }
    }
    return text.str();
}

/** Reads and writes one key of an AsimSettings. */
class SettingAccessor : public AttributeAccessor
{
  public:
    SettingAccessor(const char* key, Ptr<const AttributeChecker> checker)
        : m_key(key),
          m_checker(checker)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto settings = dynamic_cast<AsimSettings*>(object);
        if (settings)
        {
            settings->SetSetting(m_key, value.SerializeToString(m_checker));
        }
        return settings;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        auto settings = dynamic_cast<const AsimSettings*>(object);
        return settings && value.DeserializeFromString(settings->GetSetting(m_key), m_checker);
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    const char* m_key;
    Ptr<const AttributeChecker> m_checker;
};

/** The attribute's value in the words of the configuration file. */
std::string
ForCore(const TypeId::AttributeInformation& info)
{
    auto time = DynamicCast<const TimeValue>(info.initialValue);
    if (!time)
    {
        return info.initialValue->SerializeToString(info.checker);
    }
    std::ostringstream text;
    text.precision(17);
    text << time->Get().ToDouble(Time::NS) << "ns";
    return text.str();
}

} // namespace

TypeId
AsimSettings::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AsimSettings").SetParent<Object>().SetGroupName("Asim");
    return tid;
}

TypeId
AsimSettings::AddSettings(TypeId tid)
{
    asim_netconf defaults;

    NS_ABORT_MSG_IF(asim_netconf_defaults(&defaults, nullptr), "out of memory");
    for (const Row& row : ROWS)
    {
        const asim_option* option = FindOption(row.key);
        if (tid.GetName() != row.type || !option)
        {
            continue;
        }
        Ptr<const AttributeChecker> checker;
        Ptr<AttributeValue> initial = MakeValue(*option, checker);
        initial->DeserializeFromString(TextOf(defaults, *option), checker);
        tid.AddAttribute(row.attribute,
                         std::string(option->help) + " (" + option->key + ").",
                         *initial,
                         Create<SettingAccessor>(row.key, checker),
                         checker);
    }
    asim_netconf_fini(&defaults);
    return tid;
}

void
AsimSettings::Adopt(const asim_netconf& conf)
{
    for (const Row& row : ROWS)
    {
        if (GetInstanceTypeId().GetName() == row.type)
        {
            m_values[row.key] = TextOf(conf, *FindOption(row.key));
        }
    }
}

std::string
AsimSettings::GetSetting(const std::string& key) const
{
    auto at = m_values.find(key);
    return at == m_values.end() ? "" : at->second;
}

void
AsimSettings::SetSetting(const std::string& key, const std::string& text)
{
    m_values[key] = text;
}

AsimAttributes::AsimAttributes()
{
    for (const Row& row : ROWS)
    {
        TypeId::AttributeInformation info;
        if (!TypeId::LookupByName(row.type).LookupAttributeByName(row.attribute, &info) ||
            info.initialValue->SerializeToString(info.checker) ==
                info.originalInitialValue->SerializeToString(info.checker))
        {
            continue;
        }
        m_words.emplace_back(row.key);
        m_words.push_back(ForCore(info));
        if (IsLine(*FindOption(row.key)))
        {
            std::replace(m_words.back().begin(), m_words.back().end(), ',', ' ');
        }
    }
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
