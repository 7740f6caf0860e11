/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3 attributes for the keys of the network configuration. Names, types, ranges, defaults and
 * help come from the key's row in the core (conf/netconf_keys.c, cc/algo/), so a new congestion
 * control brings its attributes. A value the user changed (Config::SetDefault,
 * --ns3::Class::Attribute=value) overrides the configuration file.
 */
#ifndef ASIM_ATTRIBUTES_H
#define ASIM_ATTRIBUTES_H

#include "asim-compat.h"

#include "ns3/object.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/** An object whose attributes are settings of the core: RdmaHw, SwitchNode, SwitchMmu, AsimFabric. */
class AsimSettings : public Object
{
  public:
    static TypeId GetTypeId();

    /** Sets every attribute to what the run really uses. */
    void Adopt(const asim_netconf& conf);
    /** The value of a key as text, as ns-3 writes it. */
    std::string GetSetting(const std::string& key) const;
    void SetSetting(const std::string& key, const std::string& text);

  protected:
    /** tid with the attributes of its rows added. */
    static TypeId AddSettings(TypeId tid);

  private:
    std::map<std::string, std::string> m_values;
};

/** Owns the strings behind asim_settings::net_overrides. */
class AsimAttributes
{
  public:
    /** Collects every attribute whose default was changed. */
    AsimAttributes();
    /** key, value, key, value, ..., nullptr; valid while this object lives. */
    const char* const* Overrides() const;

  private:
    std::vector<std::string> m_words;
    std::vector<const char*> m_pointers;
};

} // namespace ns3

#endif
