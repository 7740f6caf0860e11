/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-settings.h"

#include "asim-key.h"
#include "asim-strict-values.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimSettings");

NS_OBJECT_ENSURE_REGISTERED(AsimSettings);

namespace
{

/**
 * Makes an empty value of the kind that fits a key. Sizes are in MiB.
 * @param row the row of the key
 * @param checker set to the checker of the value
 * @return the value
 */
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
        /* ns-3 reads -1 as 2^64 - 1. */
        checker = MakeUintegerChecker<uint64_t>(0, std::numeric_limits<int64_t>::max());
        return Create<UintegerValue>();
    case ASIM_T_DOUBLE:
        checker =
            ranged ? MakeDoubleChecker<double>(row.min, row.max) : MakeDoubleChecker<double>();
        return Create<DoubleValue>();
    case ASIM_T_RATE:
        checker = MakeDataRateChecker();
        return Create<DataRateValue>();
    case ASIM_T_TIME:
        checker = Create<AsimTimeChecker>();
        return checker->Create();
    case ASIM_T_CHOICE:
        checker = Create<AsimChoiceChecker>(row.choices);
        return checker->Create();
    case ASIM_T_STRING:
        break;
    }
    checker = MakeStringChecker();
    return Create<StringValue>();
}

/** Reads and writes one key of an AsimSettings. */
class SettingAccessor : public AttributeAccessor
{
  public:
    /**
     * Makes the accessor.
     * @param key the key of the network configuration
     * @param checker the checker of its values
     */
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
    const char* m_key;                     //!< the key of the network configuration
    Ptr<const AttributeChecker> m_checker; //!< the checker of its values
};

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
    NS_LOG_FUNCTION(tid);
    asim_netconf* defaults;

    NS_ABORT_MSG_IF(asim_netconf_open(&defaults, nullptr, nullptr), "out of memory");
    for (const AsimKey& key : AsimKey::All())
    {
        if (tid.GetName() != key.type)
        {
            continue;
        }
        Ptr<const AttributeChecker> checker;
        Ptr<AttributeValue> initial = MakeValue(*key.option, checker);
        initial->DeserializeFromString(key.GetText(*defaults), checker);
        tid.AddAttribute(key.attribute,
                         std::string(key.option->help) + " (" + key.option->key + ").",
                         TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                         *initial,
                         Create<SettingAccessor>(key.option->key, checker),
                         checker);
    }
    asim_netconf_close(defaults);
    return tid;
}

void
AsimSettings::Adopt(const asim_netconf& conf)
{
    NS_LOG_FUNCTION(this);
    for (const AsimKey& key : AsimKey::All())
    {
        if (GetInstanceTypeId().GetName() == key.type)
        {
            m_values[key.option->key] = key.GetText(conf);
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
    NS_LOG_FUNCTION(this << key << text);
    m_values[key] = text;
}

} // namespace ns3
