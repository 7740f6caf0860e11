/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_ATTRIBUTES_H
#define ASIM_ATTRIBUTES_H

#include <string>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimAttributes declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * The attributes whose defaults the user has changed, as keys and values of the network
 * configuration. This object owns the strings behind asim_settings::net_overrides.
 */
class AsimAttributes
{
  public:
    /** Collects every attribute whose default was changed, in the program or by
     * NS_ATTRIBUTE_DEFAULT. */
    AsimAttributes();
    /**
     * Looks for a changed default that can have no effect.
     * @return the sentence about it; empty where there is none
     */
    static std::string GetObstacle();
    /**
     * Gets what was collected.
     * @return key, value, key, value, ..., nullptr; valid while this object lives
     */
    const char* const* Overrides() const;

  private:
    std::vector<std::string> m_words;    //!< keys and values in turn
    std::vector<const char*> m_pointers; //!< to m_words, then nullptr
};

} // namespace ns3

#endif /* ASIM_ATTRIBUTES_H */
