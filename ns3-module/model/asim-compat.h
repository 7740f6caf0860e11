/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Every difference between the ns-3 releases this module builds with (3.37 and newer) stands in
 * this header, and the door to the C core.
 */
#ifndef ASIM_COMPAT_H
#define ASIM_COMPAT_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C"
{
#include "asim/asim.h"
#include "fabric/fabric.h"
#include "fabric/frame_headers.h"
#include "fabric/parallel/distributed.h"
#include "sim/event_bus.h"
}


#endif
