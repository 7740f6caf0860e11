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
#include <cctype>
#include <cstring>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AsimSettings);

namespace
{

/** Keys of several words, which have no row in the core's table. ns-3 cuts strings at spaces, so the
 * words are separated by commas here. */
const asim_option LINES[] = {
    {"KMIN_MAP", nullptr, "ECN: n, then n times a link rate and KB queued where marking begins",
     nullptr, ASIM_T_STRING, 0, 0, 0, nullptr, 0,
     "SwitchNode::KminMap", nullptr},
    {"KMAX_MAP", nullptr, "ECN: n, then n times a link rate and KB queued where all are marked",
     nullptr, ASIM_T_STRING, 0, 0, 0, nullptr, 0,
     "SwitchNode::KmaxMap", nullptr},
    {"PMAX_MAP", nullptr, "ECN: n, then n times a link rate and the probability at KMAX",
     nullptr, ASIM_T_STRING, 0, 0, 0, nullptr, 0,
     "SwitchNode::PmaxMap", nullptr},
    {"LINK_DOWN", nullptr, "one more link event: time and the two nodes; empty = none", nullptr,
     ASIM_T_STRING, 0, 0, 0, nullptr, 0, "AsimFabric::LinkDown", nullptr},
    {"LINK_UP", nullptr, "one more link event: time and the two nodes; empty = none", nullptr,
     ASIM_T_STRING, 0, 0, 0, nullptr, 0, "AsimFabric::LinkUp", nullptr},
};

/** An attribute that stands for a key of the network configuration. */
struct Row
{
    std::string type;      /**< "ns3::RdmaHw" */
    std::string attribute; /**< "RateAI" */
    const asim_option* option;
};

/** SWIFT_BETA: SwiftBeta. */
std::string
CamelCase(const char* key)
{
    std::string name;
    bool first = true;
    for (; *key; key++)
    {
        if (*key != '_')
        {
            name += static_cast<char>(first ? *key : std::tolower(*key));
        }
        first = *key == '_';
    }
    return name;
}

/** The attribute that the option's row names (asim/ext/option.h). */
Row
MakeRow(const asim_option* option)
{
    const std::string name = option->attribute ? option->attribute : CamelCase(option->key);
    const std::size_t colons = name.find("::");
    if (colons == std::string::npos)
    {
        return {"ns3::RdmaHw", name, option};
    }
    return {"ns3::" + name.substr(0, colons), name.substr(colons + 2), option};
}

/** All attributes: the keys of the network, of its congestion controls, and LINES. */
std::vector<Row>
Rows()
{
    std::vector<const asim_option*> options(asim_netconf_keys(nullptr, 0));
    std::vector<Row> rows;
    asim_netconf_keys(options.data(), options.size());
    for (const asim_option* option : options)
    {
        if (option->attribute || !(option->flags & ASIM_F_NOOP))
        {
            rows.push_back(MakeRow(option));
        }
    }
    for (const asim_option& line : LINES)
    {
        rows.push_back(MakeRow(&line));
    }
    return rows;
}

template <typename T>
const T&
Field(const asim_netconf& conf, const asim_option& row)
{
    return *static_cast<const T*>(asim_netconf_field(&conf, &row));
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

/** A map as its line in the file has it; link events are additions, so there is nothing to show. */
std::string
LineOf(const asim_netconf& conf, const asim_option& row)
{
    std::string text(asim_netconf_map(&conf, row.key, nullptr, 0), '\0');

    asim_netconf_map(&conf, row.key, text.data(), text.size() + 1);
    std::replace(text.begin(), text.end(), ' ', ',');
    return text;
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
    asim_netconf* defaults;

    NS_ABORT_MSG_IF(asim_netconf_open(&defaults, nullptr, nullptr), "out of memory");
    for (const Row& row : Rows())
    {
        if (tid.GetName() != row.type)
        {
            continue;
        }
        Ptr<const AttributeChecker> checker;
        Ptr<AttributeValue> initial = MakeValue(*row.option, checker);
        initial->DeserializeFromString(TextOf(*defaults, *row.option), checker);
        tid.AddAttribute(row.attribute,
                         std::string(row.option->help) + " (" + row.option->key + ").",
                         *initial,
                         Create<SettingAccessor>(row.option->key, checker),
                         checker);
    }
    asim_netconf_close(defaults);
    return tid;
}

void
AsimSettings::Adopt(const asim_netconf& conf)
{
    for (const Row& row : Rows())
    {
        if (GetInstanceTypeId().GetName() == row.type)
        {
            m_values[row.option->key] = TextOf(conf, *row.option);
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
    for (const Row& row : Rows())
    {
        TypeId::AttributeInformation info;
        if (!TypeId::LookupByName(row.type).LookupAttributeByName(row.attribute, &info) ||
            info.initialValue->SerializeToString(info.checker) ==
                info.originalInitialValue->SerializeToString(info.checker))
        {
            continue;
        }
        m_words.emplace_back(row.option->key);
        m_words.push_back(ForCore(info));
        if (IsLine(*row.option))
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
