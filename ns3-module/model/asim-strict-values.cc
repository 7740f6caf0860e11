/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-strict-values.h"

#include "ns3/log.h"

#include <cmath>
#include <map>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimStrictValues");

namespace
{

/** The core counts times in fs, in 64 bits. */
constexpr double MOST_SECONDS = 18446;

} // namespace

Ptr<AttributeValue>
AsimTimeValue::Copy() const
{
    return ns3::Create<AsimTimeValue>(*this);
}

/* ns-3 aborts on text that is no time, and takes a number beyond its own range for any time. */
bool
AsimTimeValue::DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker)
{
    static const std::map<std::string, double> seconds{{"fs", 1e-15},
                                                       {"ps", 1e-12},
                                                       {"ns", 1e-9},
                                                       {"us", 1e-6},
                                                       {"ms", 1e-3},
                                                       {"s", 1},
                                                       {"min", 60},
                                                       {"h", 3600}};
    std::istringstream text(value);
    double number;
    std::string unit;

    if (!(text >> number))
    {
        return false;
    }
    std::getline(text, unit);
    const auto at = seconds.find(unit);
    const bool isBare = unit.empty() && number == 0;
    if (!isBare && (at == seconds.end() || std::abs(number) * at->second > MOST_SECONDS))
    {
        return false;
    }
    return TimeValue::DeserializeFromString(value, checker);
}

bool
AsimTimeChecker::Check(const AttributeValue& value) const
{
    return m_usual->Check(value);
}

std::string
AsimTimeChecker::GetValueTypeName() const
{
    return m_usual->GetValueTypeName();
}

bool
AsimTimeChecker::HasUnderlyingTypeInformation() const
{
    return m_usual->HasUnderlyingTypeInformation();
}

std::string
AsimTimeChecker::GetUnderlyingTypeInformation() const
{
    return m_usual->GetUnderlyingTypeInformation();
}

Ptr<AttributeValue>
AsimTimeChecker::Create() const
{
    return ns3::Create<AsimTimeValue>();
}

bool
AsimTimeChecker::Copy(const AttributeValue& source, AttributeValue& destination) const
{
    return m_usual->Copy(source, destination);
}

Ptr<AttributeValue>
AsimChoiceValue::Copy() const
{
    return ns3::Create<AsimChoiceValue>(*this);
}

bool
AsimChoiceValue::DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker)
{
    const auto choices = dynamic_cast<const AsimChoiceChecker*>(PeekPointer(checker));

    return choices && choices->Has(value) &&
           AsimCompat::ChoiceValue::DeserializeFromString(value, checker);
}

AsimChoiceChecker::AsimChoiceChecker(const std::string& choices)
{
    std::istringstream words(choices);
    std::string word;

    for (int i = 0; std::getline(words, word, '|'); i++)
    {
        Add(i, word);
        m_words.insert(word);
    }
}

Ptr<AttributeValue>
AsimChoiceChecker::Create() const
{
    return ns3::Create<AsimChoiceValue>();
}

bool
AsimChoiceChecker::Has(const std::string& word) const
{
    return m_words.count(word) > 0;
}

} // namespace ns3
