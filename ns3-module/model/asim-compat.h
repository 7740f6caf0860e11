/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The module's one door to the C library: its public headers. The module builds with ns-3 3.37 and
 * newer and needs no difference between the releases so far; where one comes, it belongs here.
 */
#ifndef ASIM_COMPAT_H
#define ASIM_COMPAT_H

#include "asim/asim.h"
#include "asim/netconf.h"
#include "asim/observe.h"
#include "asim/packet.h"
#include "asim/topology.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#endif
