/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_KEY_H
#define ASIM_KEY_H

#include "asim-compat.h"

#include <string>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimKey declaration. This header is private to the module.
 */

namespace ns3
{

/**
 * @ingroup asim
 * A key of the network configuration and the attribute that stands for it.
 */
class AsimKey
{
  public:
    /**
     * Gets all keys: those of the network, of its congestion controls, and those of several words.
     * @return the keys
     */
    static std::vector<AsimKey> All();
    /**
     * Finds the attribute of a key.
     * @param option the row of the key; it names the attribute (asim/ext/option.h)
     */
    explicit AsimKey(const asim_option* option);

    /**
     * Tells whether the value has several words. ns-3 cuts strings at spaces, so commas separate
     * the words in the attribute.
     * @return true if it has
     */
    bool IsLine() const;
    /**
     * Gets the value of the key.
     * @param conf a configuration
     * @return its value as ns-3 writes values of that kind
     */
    std::string GetText(const asim_netconf& conf) const;

    const asim_option* option; //!< the row of the key
    std::string type;          //!< such as "ns3::RdmaHw"
    std::string attribute;     //!< such as "RateAI"
};

} // namespace ns3

#endif /* ASIM_KEY_H */
