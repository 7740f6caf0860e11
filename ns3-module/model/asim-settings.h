/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_SETTINGS_NS3_H
#define ASIM_SETTINGS_NS3_H

#include "asim-compat.h"

#include "ns3/object.h"

#include <map>
#include <string>

/**
 * @file
 * @ingroup asim
 * ns3::AsimSettings declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * An object whose attributes are settings of the core: RdmaHw, SwitchNode, SwitchMmu, AsimFabric.
 *
 * Names, types, ranges, defaults and help of the attributes come from the rows of the keys in the
 * core (conf/netconf_keys.c, cc/algo/), so a new congestion control brings its attributes. A value
 * that the user changed (Config::SetDefault, --ns3::Class::Attribute=value, NS_ATTRIBUTE_DEFAULT)
 * overrides the network configuration. The run reads the attributes when it is opened, so ns-3
 * refuses to set them on objects.
 */
class AsimSettings : public Object
{
  public:
    /**
     * Gets the type.
     * @return the type of AsimSettings
     */
    static TypeId GetTypeId();

    /**
     * Sets every attribute to the value that the run uses.
     * @param conf the configuration of the run
     */
    void Adopt(const asim_netconf& conf);
    /**
     * Gets the value of a key.
     * @param key the key of the network configuration
     * @return the value as ns-3 writes it; empty where this object has no such key
     */
    std::string GetSetting(const std::string& key) const;
    /**
     * Sets the value of a key.
     * @param key the key of the network configuration
     * @param text the value as ns-3 writes it
     */
    void SetSetting(const std::string& key, const std::string& text);

  protected:
    /**
     * Adds the attributes of the keys that belong to a type.
     * @param tid the type
     * @return the type with its attributes
     */
    static TypeId AddSettings(TypeId tid);

  private:
    std::map<std::string, std::string> m_values; //!< by key
};

} // namespace ns3

#endif /* ASIM_SETTINGS_NS3_H */
