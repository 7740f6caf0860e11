/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Which ns-3 attribute stands for which key of the network configuration, and which of them the
 * user has changed (Config::SetDefault, --ns3::Class::Attribute=value).
 */
#ifndef ASIM_ATTRIBUTES_H
#define ASIM_ATTRIBUTES_H

#include <string>
#include <vector>

namespace ns3
{

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
