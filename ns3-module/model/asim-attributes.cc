/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-attributes.h"

#include "asim-key.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimAttributes");

namespace
{

/**
 * Gets an attribute's value in the words of the configuration file.
 * @param info the attribute
 * @return the value
 */
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

AsimAttributes::AsimAttributes()
{
    NS_LOG_FUNCTION(this);
    for (const AsimKey& key : AsimKey::All())
    {
        TypeId::AttributeInformation info;
        if (!TypeId::LookupByName(key.type).LookupAttributeByName(key.attribute, &info) ||
            info.initialValue->SerializeToString(info.checker) ==
                info.originalInitialValue->SerializeToString(info.checker))
        {
            continue;
        }
        m_words.emplace_back(key.option->key);
        m_words.push_back(ForCore(info));
        NS_LOG_INFO(key.type << "::" << key.attribute << " was changed to " << m_words.back());
        if (key.IsLine())
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
