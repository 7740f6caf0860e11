/* SPDX-License-Identifier: GPL-2.0-only
 *
 * No rate control: line rate for ever; only the window, PFC and go-back-N act. This is what the
 * shipped ASTRA-sim configuration (CC_MODE 12) runs, spec rdma-network.md section 3.7. The
 * do-nothing hooks other members borrow live here too.
 */
#include "cc/cc.h"

#include <stdio.h>
#include <string.h>

void asim_cc_open_nothing(struct asim_cc_flow *flow, const struct asim_netconf *conf)
{
    (void)flow, (void)conf;
}

void asim_cc_ack_nothing(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                         const struct asim_netconf *conf)
{
    (void)flow, (void)ack, (void)conf;
}

void asim_cc_timer_nothing(struct asim_cc_flow *flow, uint64_t now, const struct asim_netconf *conf)
{
    (void)flow, (void)now, (void)conf;
}

/* "none (0, 12), dcqcn (1)" into buf. */
static void list(char *buf, size_t size)
{
    size_t at = 0;

    buf[0] = 0;
    for (const struct asim_member *const *row = asim_cc_table; *row; row++) {
        const struct asim_cc *cc = (const struct asim_cc *)*row;

        if (cc->number >= 0 && at < size)
            at += (size_t)snprintf(buf + at, size - at, "%s%d %s", at ? ", " : "", cc->number,
                                   cc->member.name);
    }
}

const struct asim_cc *asim_cc_number(uint32_t number, struct asim_err *err)
{
    char known[512];

    if (number == 0)
        number = 12;
    for (const struct asim_member *const *row = asim_cc_table; *row; row++)
        if (((const struct asim_cc *)*row)->number == (int)number)
            return (const struct asim_cc *)*row;
    list(known, sizeof known);
    asim_err_set(err, ASIM_EINVAL, "CC_MODE %u is no congestion control of this version; known: %s",
                 number, known);
    return NULL;
}

const struct asim_cc asim_cc_none = {
    .member = {.name = "none", .about = "line rate; only window, PFC and go-back-N act"},
    .number = 12,
    .open = asim_cc_open_nothing,
    .on_ack = asim_cc_ack_nothing,
    .on_timer = asim_cc_timer_nothing,
};
