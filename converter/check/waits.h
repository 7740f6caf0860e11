/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Do the ranks wait for each other in a circle?
 */
#ifndef ASIM_CONVERTER_CHECK_WAITS_H
#define ASIM_CONVERTER_CHECK_WAITS_H

#include "check/check.h"

/* Follows all ranks without time, and reports ranks that none can release. 0, or ASIM_ENOMEM with
 * err. A set of more nodes than memory allows is not followed; check->unfollowed tells. */
int asim_check_waits(struct asim_check *check, struct asim_err *err);

#endif
