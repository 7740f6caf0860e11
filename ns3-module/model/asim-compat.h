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
 * The module's one door to the C library: its public headers. A difference between the releases of
 * ns-3 belongs here, too.
 */

#include "asim/asim.h"
#include "asim/netconf.h"
#include "asim/observe.h"
#include "asim/packet.h"
#include "asim/topology.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#endif /* ASIM_COMPAT_H */
