/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_STRICT_VALUES_H
#define ASIM_STRICT_VALUES_H

#include "asim-compat.h"

#include "ns3/attribute.h"
#include "ns3/nstime.h"

#include <set>
#include <string>

/**
 * @file
 * @ingroup asim
 * Values of attributes that refuse text which ns-3 would take for another value: a time without a
 * unit (ns-3 takes it for seconds, the network configuration for ns or us), and a word that is no
 * choice (an optimized ns-3 does not check it). This header is private to the module.
 */

namespace ns3
{

/**
 * @ingroup asim
 * A TimeValue whose text has a unit; 0 needs none.
 */
class AsimTimeValue : public TimeValue
{
  public:
    Ptr<AttributeValue> Copy() const override;
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;
};

/**
 * @ingroup asim
 * The checker of AsimTimeValue: times from 0 on.
 */
class AsimTimeChecker : public AttributeChecker
{
  public:
    bool Check(const AttributeValue& value) const override;
    std::string GetValueTypeName() const override;
    bool HasUnderlyingTypeInformation() const override;
    std::string GetUnderlyingTypeInformation() const override;
    Ptr<AttributeValue> Create() const override;
    bool Copy(const AttributeValue& source, AttributeValue& destination) const override;

  private:
    Ptr<const AttributeChecker> m_usual{MakeTimeChecker(Time(0))}; //!< ns-3's own
};

/**
 * @ingroup asim
 * An EnumValue whose text is one of the choices.
 */
class AsimChoiceValue : public AsimCompat::ChoiceValue
{
  public:
    /**
     * Copies the value.
     * @return the copy
     */
    Ptr<AttributeValue> Copy() const override;
    /**
     * Reads the value from text.
     * @param value the text
     * @param checker the checker
     * @return false where the text is no choice
     */
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;
};

/**
 * @ingroup asim
 * The checker of AsimChoiceValue.
 */
class AsimChoiceChecker : public AsimCompat::ChoiceChecker
{
  public:
    /**
     * Takes the choices.
     * @param choices "flow|spray"; the value of a word is its place
     */
    explicit AsimChoiceChecker(const std::string& choices);
    /**
     * Makes an empty value.
     * @return the value
     */
    Ptr<AttributeValue> Create() const override;
    /**
     * Looks for a word.
     * @param word the word
     * @return true if it is a choice
     */
    bool Has(const std::string& word) const;

  private:
    std::set<std::string> m_words; //!< the choices
};

} // namespace ns3

#endif /* ASIM_STRICT_VALUES_H */
