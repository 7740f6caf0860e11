/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The functions that all congestion controls share: finding a member by name or CC_MODE number,
 * sizes of frames, clamping a rate, random draws, and hooks that do nothing.
 */
#include "cc/cc.h"
#include "cc/flow.h"
#include "base/map.h"

#include <math.h>
#include <stdio.h>

enum { INT_BYTES = 42, TIMESTAMP_BYTES = 8, ACK_WITH_INT = 76 };

/* Whole bytes of PINT's digest. The digest counts from 0 to log_base(512 x 512) inclusive: 256 at
 * base 1.05, which takes 9 bits. */
static uint32_t digest_bytes(double base)
{
    double most = ceil(log((double)ASIM_PINT_SCALE * ASIM_PINT_SCALE) / log(base));

    return most < 256 ? 1 : 2;
}

struct asim_cc_frames asim_cc_frames(const struct asim_cc *cc, double pint_log_base)
{
    struct asim_cc_frames frames = {ASIM_DATA_OVERHEAD, ASIM_ACK_WIRE};

    if (cc->needs & ASIM_CC_INT) {
        frames.overhead += INT_BYTES;
        frames.ack = ACK_WITH_INT;
    }
    if (cc->needs & ASIM_CC_TIMESTAMP)
        frames.overhead += TIMESTAMP_BYTES;
    if (cc->needs & ASIM_CC_DIGEST)
        frames.overhead += digest_bytes(pint_log_base);
    return frames;
}

void asim_cc_open_nothing(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    (void)flow, (void)config;
}

void asim_cc_ack_nothing(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                         const struct asim_cc_config *config)
{
    (void)flow, (void)ack, (void)config;
}

void asim_cc_timer_nothing(struct asim_cc_flow *flow, uint64_t now,
                           const struct asim_cc_config *config)
{
    (void)flow, (void)now, (void)config;
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

/* parity: any other number runs without control in ASTRA-sim; here it is refused, because such
 * a number is a slip. */
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

/* A name goes before a number, so that algorithms without a published number can be chosen. */
const struct asim_cc *asim_cc_choose(const char *name, uint32_t number, struct asim_err *err)
{
    if (!name || !*name)
        return asim_cc_number(number, err);
    return (const struct asim_cc *)asim_family_find(asim_cc_table, "congestion control", name, err);
}

/* A mistake in a new member's file, never a user's: hence ASIM_EBUG. */
int asim_cc_check(struct asim_err *err)
{
    int code = asim_family_check(asim_cc_table, "congestion control", err);

    for (const struct asim_member *const *row = asim_cc_table; !code && *row; row++) {
        const struct asim_cc *cc = (const struct asim_cc *)*row;

        if (!cc->open || !cc->on_ack || !cc->on_timer)
            code = asim_err_set(err, ASIM_EBUG, "the congestion control '%s' lacks a hook.",
                                cc->member.name);
        else if (cc->number >= 0 && asim_cc_number((uint32_t)cc->number, NULL) != cc)
            code = asim_err_set(err, ASIM_EBUG, "two congestion controls have CC_MODE %d.",
                                cc->number);
    }
    return code;
}

/* The floor is applied first: a line slower than MIN_RATE runs at its own rate. */
uint64_t asim_cc_clamp(const struct asim_cc_flow *flow, uint64_t bps)
{
    if (bps < flow->min_bps)
        bps = flow->min_bps;
    return bps < flow->line_bps ? bps : flow->line_bps;
}

uint64_t asim_cc_scale(const struct asim_cc_flow *flow, uint64_t bps, double factor)
{
    double scaled = (double)bps * factor;

    if (!(scaled >= 0)) /* NaN and below */
        return flow->min_bps;
    return asim_cc_clamp(flow, scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX);
}

/* 4.9 us are 4 us, as ASTRA-sim's integer-microsecond factory has it
 * (rdma-network.md#modes-and-timers). */
uint64_t asim_cc_timer_ns(uint64_t fs)
{
    return fs / 1000000000 * 1000;
}

/* splitmix64 over (seed, count): no state but the count. */
double asim_cc_draw(struct asim_cc_flow *flow)
{
    uint64_t x = flow->seed + ++flow->draws * 0x9e3779b97f4a7c15ull;

    return (double)(asim_mix64(x) >> 11) * 0x1p-53;
}
