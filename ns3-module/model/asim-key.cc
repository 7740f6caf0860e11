/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-key.h"

#include "ns3/log.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimKey");

namespace
{

/** Keys of several words, which have no row in the core's table. */
const asim_option LINES[] = {
    {"KMIN_MAP",
     nullptr,
     "ECN: n, then n times a link rate and KB queued where marking begins",
     nullptr,
     ASIM_T_STRING,
     0,
     0,
     0,
     nullptr,
     0,
     "SwitchNode::KminMap",
     nullptr},
    {"KMAX_MAP",
     nullptr,
     "ECN: n, then n times a link rate and KB queued where all are marked",
     nullptr,
     ASIM_T_STRING,
     0,
     0,
     0,
     nullptr,
     0,
     "SwitchNode::KmaxMap",
     nullptr},
    {"PMAX_MAP",
     nullptr,
     "ECN: n, then n times a link rate and the probability at KMAX",
     nullptr,
     ASIM_T_STRING,
     0,
     0,
     0,
     nullptr,
     0,
     "SwitchNode::PmaxMap",
     nullptr},
    {"LINK_DOWN",
     nullptr,
     "one more link event: time and the two nodes; empty = none",
     nullptr,
     ASIM_T_STRING,
     0,
     0,
     0,
     nullptr,
     0,
     "AsimFabric::LinkDown",
     nullptr},
    {"LINK_UP",
     nullptr,
     "one more link event: time and the two nodes; empty = none",
     nullptr,
     ASIM_T_STRING,
     0,
     0,
     0,
     nullptr,
     0,
     "AsimFabric::LinkUp",
     nullptr},
};

/**
 * Makes an attribute's name from a key: SwiftBeta from SWIFT_BETA.
 * @param key the key
 * @return the name
 */
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

/**
 * Gets the field of a configuration that a key sets.
 * @tparam T the type of the field
 * @param conf the configuration
 * @param row the row of the key
 * @return the field
 */
template <typename T>
const T&
Field(const asim_netconf& conf, const asim_option& row)
{
    return *static_cast<const T*>(asim_netconf_field(&conf, &row));
}

/**
 * Gets a map as its line in the file has it. Link events are additions, so there is nothing to
 * show.
 * @param conf the configuration
 * @param row the row of the key
 * @return the words, separated by commas
 */
std::string
LineOf(const asim_netconf& conf, const asim_option& row)
{
    std::string text(asim_netconf_map(&conf, row.key, nullptr, 0), '\0');

    asim_netconf_map(&conf, row.key, text.data(), text.size() + 1);
    std::replace(text.begin(), text.end(), ' ', ',');
    return text;
}

} // namespace

AsimKey::AsimKey(const asim_option* option)
    : option(option),
      type("ns3::RdmaHw"),
      attribute(option->attribute ? option->attribute : CamelCase(option->key))
{
    const std::size_t colons = attribute.find("::");

    if (colons != std::string::npos)
    {
        type = "ns3::" + attribute.substr(0, colons);
        attribute = attribute.substr(colons + 2);
    }
}

std::vector<AsimKey>
AsimKey::All()
{
    NS_LOG_FUNCTION_NOARGS();
    std::vector<const asim_option*> options(asim_netconf_keys(nullptr, 0));
    std::vector<AsimKey> keys;

    asim_netconf_keys(options.data(), options.size());
    for (const asim_option* option : options)
    {
        if (option->attribute || !(option->flags & ASIM_F_NOOP))
        {
            keys.emplace_back(option);
        }
    }
    for (const asim_option& line : LINES)
    {
        keys.emplace_back(&line);
    }
    return keys;
}

bool
AsimKey::IsLine() const
{
    return option >= LINES && option < LINES + sizeof(LINES) / sizeof(LINES[0]);
}

std::string
AsimKey::GetText(const asim_netconf& conf) const
{
    const asim_option& row = *option;

    if (IsLine())
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

} // namespace ns3
