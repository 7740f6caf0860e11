/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Spells numbers with units.
 */
#include "tools/report/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* value with three or four digits and the unit that fits. */
static const char *scaled(char *buf, double value, double step, const char *const *units, int n)
{
    int unit = 0;

    while (value >= step && unit < n - 1) {
        value /= step;
        unit++;
    }
    snprintf(buf, ASIM_SHOW_BYTES,
             value < 10 && unit    ? "%.2f %s"
             : value < 100 && unit ? "%.1f %s"
                                   : "%.0f %s",
             value, units[unit]);
    return buf;
}

const char *asim_show_time(char *buf, double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};

    return scaled(buf, ns, 1000, units, 4);
}

const char *asim_show_bytes(char *buf, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

    return scaled(buf, bytes, 1000, units, 5);
}

const char *asim_show_rate(char *buf, uint64_t bps)
{
    static const char *const units[] = {"b/s", "kb/s", "Mb/s", "Gb/s"};

    return scaled(buf, (double)bps, 1000, units, 4);
}

const char *asim_show_node(char *buf, size_t size, const struct asim_run *run, uint32_t id)
{
    const struct asim_run_node *node = asim_run_node_of(run, id);

    if (node)
        snprintf(buf, size, "%s", node->name);
    else
        snprintf(buf, size, "node %u", id);
    return buf;
}

const char *asim_show_link(char *buf, const struct asim_run *run, const struct asim_run_link *link)
{
    char from[32], to[32];

    snprintf(buf, ASIM_LINK_NAME_BYTES, "%s → %s",
             asim_show_node(from, sizeof from, run, link->from),
             asim_show_node(to, sizeof to, run, link->to));
    return buf;
}

const char *asim_show_difference(char *buf, double share)
{
    double percent = 100 * share;

    snprintf(buf, ASIM_SHOW_BYTES, "%+.1f %%", fabs(percent) < 0.05 ? 0 : percent);
    return buf;
}

const char *asim_show_expected_error(char *buf, const struct asim_run *run)
{
    if (!*run->trust)
        snprintf(buf, ASIM_SHOW_BYTES, "not stated");
    else if (run->expected_error > 0)
        snprintf(buf, ASIM_SHOW_BYTES, "within %.0f %% in 9 of 10 tests", run->expected_error);
    else
        snprintf(buf, ASIM_SHOW_BYTES, "there is one, see below");
    return buf;
}

const char *asim_show_count(char *buf, uint64_t count)
{
    char digits[24];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;

    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = digits[i];
    }
    buf[at] = '\0';
    return buf;
}

/* "leaf", "spine", "core", "tier 4". */
static const char *show_tier(char *buf, size_t size, uint64_t tier)
{
    static const char *const names[] = {"host", "leaf", "spine", "core"};

    if (tier < 4)
        snprintf(buf, size, "%s", names[tier]);
    else
        snprintf(buf, size, "tier %" PRIu64, tier);
    return buf;
}

const char *asim_show_ratio(char *buf, size_t size, const struct asim_run_ratio *ratio)
{
    char tier[32], seen[48] = "no traffic above them";

    if (ratio->seen > 0)
        snprintf(seen, sizeof seen, "%.3g : 1 seen", ratio->seen);
    snprintf(buf, size, "%s switches: %.3g : 1 built, %s",
             show_tier(tier, sizeof tier, ratio->tier), ratio->built, seen);
    return buf;
}

const char *asim_show_ways(char *buf, size_t size, const struct asim_run_ways *ways)
{
    *buf = '\0';
    if (ways->flows)
        snprintf(buf, size,
                 "%" PRIu64
                 " messages chose among equal ways: %.3g at once on a way in mean, at most %" PRIu64
                 " (%s, port %" PRIu64 "; evenly spread %.3g)",
                 ways->flows, ways->mean, ways->worst, ways->at, ways->port, ways->even);
    return buf;
}
