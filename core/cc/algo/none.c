/* SPDX-License-Identifier: GPL-2.0-only
 *
 * No rate control: every flow sends at line rate; only the window, PFC and go-back-N act. The
 * shipped ASTRA-sim configuration uses it (CC_MODE 12, rdma-network.md#no-congestion-control).
 */
#include "cc/cc.h"

const struct asim_cc asim_cc_none = {
    .member = {.name = "none", .about = "line rate; only window, PFC and go-back-N act"},
    .number = 12,
    .steady = 1,
    .open = asim_cc_open_nothing,
    .on_ack = asim_cc_ack_nothing,
    .on_timer = asim_cc_timer_nothing,
};
