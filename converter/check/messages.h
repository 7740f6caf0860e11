/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends and receives, matched between ranks.
 */
#ifndef ASIM_CONVERTER_CHECK_MESSAGES_H
#define ASIM_CONVERTER_CHECK_MESSAGES_H

#include "check/check.h"

/* Counts a send or a receive. Returns 0 or ASIM_ENOMEM. */
int asim_check_message(struct asim_check *check, uint32_t rank, const struct asim_op *op);
/* After the last rank: reports messages without a partner. */
void asim_check_messages(struct asim_check *check);

#endif
