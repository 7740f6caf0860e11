/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-attributes.h"

#include "asim-key.h"
#include "asim-settings.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimAttributes");

namespace
{

/**
 * Gets an attribute's value in the words of the configuration file.
 * @param settings the object
 * @param key the key that the attribute stands for
 * @return the value
 */
std::string
ForCore(const AsimSettings& settings, const AsimKey& key)
{
    if (key.option->type != ASIM_T_TIME)
    {
        return settings.GetSetting(key.option->key);
    }
    TimeValue time;
    std::ostringstream text;
    settings.GetAttribute(key.attribute, time);
    text.precision(17);
    text << time.Get().ToDouble(Time::NS) << "ns";
    return text.str();
}

/**
 * Tells whether a word of NS_ATTRIBUTE_DEFAULT about a setting has an effect; ns-3 passes over the
 * others in silence.
 * @param word "ns3::Class::Attribute=value"
 * @return false if it has none; true for other classes, too
 */
bool
IsTaken(const std::string& word)
{
    const auto equal = word.find('=');
    const auto colons = word.rfind("::", equal);
    TypeId type;
    TypeId::AttributeInformation info;

    if (equal == std::string::npos || colons == std::string::npos ||
        !TypeId::LookupByNameFailSafe(word.substr(0, colons), &type) ||
        !type.IsChildOf(AsimSettings::GetTypeId()))
    {
        return true;
    }
    return type.LookupAttributeByName(word.substr(colons + 2, equal - colons - 2), &info) &&
           info.checker->CreateValidValue(StringValue(word.substr(equal + 1)));
}

/** An attribute that shows what an input says. */
struct Shown
{
    const char* type;      //!< its class
    const char* attribute; //!< its name
    const char* source;    //!< what sets it
};

/** All such attributes. */
const Shown SHOWN[] = {
    {"ns3::QbbNetDevice", "DataRate", "the topology sets rates"},
    {"ns3::QbbNetDevice", "Mtu", "ns3::RdmaHw::Mtu sets the payload of a packet"},
    {"ns3::QbbChannel", "Delay", "the topology sets delays"},
};

} // namespace

/* An object is made of each class: it has the values that Config::SetDefault, the command line and
 *  NS_ATTRIBUTE_DEFAULT give to new objects, in ns-3's own order. */
AsimAttributes::AsimAttributes()
{
    NS_LOG_FUNCTION(this);
    std::map<std::string, Ptr<AsimSettings>> fresh;

    for (const AsimKey& key : AsimKey::All())
    {
        TypeId::AttributeInformation info;
        Ptr<AsimSettings>& object = fresh[key.type];
        if (!object)
        {
            object = ObjectFactory(key.type).Create<AsimSettings>();
        }
        TypeId::LookupByName(key.type).LookupAttributeByName(key.attribute, &info);
        if (object->GetSetting(key.option->key) ==
            info.originalInitialValue->SerializeToString(info.checker))
        {
            continue;
        }
        m_words.emplace_back(key.option->key);
        m_words.push_back(ForCore(*object, key));
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

std::string
AsimAttributes::GetObstacle()
{
    NS_LOG_FUNCTION_NOARGS();
    const char* environment = std::getenv("NS_ATTRIBUTE_DEFAULT");
    std::istringstream words(environment ? environment : "");
    std::string word;

    for (const Shown& shown : SHOWN)
    {
        const std::string name = std::string(shown.type) + "::" + shown.attribute;
        TypeId::AttributeInformation info;
        TypeId::LookupByName(shown.type).LookupAttributeByName(shown.attribute, &info);
        if (info.initialValue->SerializeToString(info.checker) !=
                info.originalInitialValue->SerializeToString(info.checker) ||
            (environment && std::strstr(environment, (name + "=").c_str())))
        {
            return "The default of " + name +
                   " was changed, but the attribute only shows a value: " + shown.source + ".";
        }
    }
    while (std::getline(words, word, ';'))
    {
        if (!IsTaken(word))
        {
            return "NS_ATTRIBUTE_DEFAULT: '" + word +
                   "' names no attribute of that class, or a value that the attribute does not "
                   "take.";
        }
    }
    return "";
}

const char* const*
AsimAttributes::Overrides() const
{
    return m_pointers.data();
}

} // namespace ns3
