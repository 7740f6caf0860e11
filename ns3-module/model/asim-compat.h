/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_COMPAT_H
#define ASIM_COMPAT_H

/**
 * @file
 * @ingroup asim
 * The module's one door to the C library, its public headers, and the one place for differences
 * between the releases of ns-3, from 3.37 on.
 */

#include "asim/asim.h"
#include "asim/datagram.h"
#include "asim/netconf.h"
#include "asim/observe.h"
#include "asim/packet.h"
#include "asim/topology.h"

#include "ns3/enum.h"

#if __has_include("ns3/iana-link-type-numbers.h")
#include "ns3/iana-link-type-numbers.h"
#else
#include "ns3/trace-helper.h"
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ns3
{

class PingHelper;
class V4PingHelper;

/** @ingroup asim
 * Names that are not the same in all releases of ns-3.
 */
namespace AsimCompat
{

/**
 * Names a class of ns-3 that is a template of its C++ type from 3.41 on.
 * @tparam Enum EnumValue or EnumChecker
 * @return the class for int
 */
template <template <typename> class Enum>
Enum<int> OfInt();
/**
 * Names the same class where it is no template, up to 3.40.
 * @tparam Enum EnumValue or EnumChecker
 * @return the class
 */
template <typename Enum>
Enum OfInt();

using ChoiceValue = decltype(OfInt<EnumValue>());     //!< a choice
using ChoiceChecker = decltype(OfInt<EnumChecker>()); //!< its checker

/** Link type of captures. PcapHelper::DLT_PPP is deprecated after 3.48. */
#if __has_include("ns3/iana-link-type-numbers.h")
constexpr auto LINK_TYPE_PPP = iana::linktype::PPP;
#else
constexpr auto LINK_TYPE_PPP = PcapHelper::DLT_PPP;
#endif

/** Ping of the module internet-apps: V4Ping up to 3.37; later its trace source Rtt has a number. */
#if __has_include("ns3/ping-helper.h")
using Ping = ns3::PingHelper;
constexpr bool PING_COUNTS = true;
#else
using Ping = ns3::V4PingHelper;
constexpr bool PING_COUNTS = false;
#endif

} // namespace AsimCompat

} // namespace ns3

#endif /* ASIM_COMPAT_H */
