/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A scenario as text: each section with all keys of its option table, the defaults included, so
 * that a reader of a result sees what the run did.
 */
#include <inttypes.h>
#include <string.h>

#include "asim/topology.h"
#include "scenario/page.h"
#include "scenario/scenario.h"

static const struct asim_scenario_section *section_at(size_t i)
{
    return (const struct asim_scenario_section *)(const void *)asim_scenario_section_table[i];
}

static void put_choice(struct asim_page *page, const char *choices, int index)
{
    while (index-- > 0)
        choices += strcspn(choices, "|") + 1;
    asim_page_printf(page, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void put_number(struct asim_page *page, const struct asim_option *row, const void *field)
{
    uint64_t value;
    char buf[48];

    memcpy(&value, field, sizeof value);
    if (row->type == ASIM_T_RATE)
        asim_page_printf(page, "%s", asim_topo_show_rate(buf, sizeof buf, value));
    else if (row->type == ASIM_T_TIME)
        asim_page_printf(page, "%s ns", asim_topo_show_real(buf, sizeof buf, (double)value / 1e6));
    else
        asim_page_printf(page, "%" PRIu64, value);
}

static void put_value(struct asim_page *page, const struct asim_option *row, const void *base)
{
    const void *field = (const char *)base + row->offset;
    char buf[48];

    switch (row->type) {
    case ASIM_T_STRING:
        asim_page_printf(page, "%s", *(char *const *)field ? *(char *const *)field : "-");
        break;
    case ASIM_T_CHOICE:
        put_choice(page, row->choices, *(const int *)field);
        break;
    case ASIM_T_BOOL:
        asim_page_printf(page, "%s", *(const int *)field ? "true" : "false");
        break;
    case ASIM_T_U32:
        asim_page_printf(page, "%" PRIu32, *(const uint32_t *)field);
        break;
    case ASIM_T_DOUBLE:
        asim_page_printf(page, "%s", asim_topo_show_real(buf, sizeof buf, *(const double *)field));
        break;
    default:
        put_number(page, row, field);
    }
}

static void put_object(struct asim_page *page, const struct asim_scenario_section *section,
                       const void *object)
{
    unsigned line = *(const unsigned *)object;

    asim_page_printf(page, "%s", section->member.name);
    if (line)
        asim_page_printf(page, " (line %u)", line);
    asim_page_printf(page, "\n");
    for (const struct asim_option *row = section->member.options; row->key; row++) {
        asim_page_printf(page, "  %-14s ", row->key);
        put_value(page, row, object);
        asim_page_printf(page, "\n");
    }
}

size_t asim_scenario_show(const struct asim_scenario *scenario, char *buf, size_t size)
{
    struct asim_page page = {buf, size, 0};

    for (size_t i = 0; asim_scenario_section_table[i]; i++) {
        const struct asim_scenario_section *section = section_at(i);
        const void *at = (const char *)scenario + section->offset;
        const ASIM_SCENARIO_LIST(const char) *list = at;

        if (!section->is_list && *(const unsigned *)at)
            put_object(&page, section, at);
        for (size_t k = 0; section->is_list && k < list->n; k++)
            put_object(&page, section, list->at + k * section->member.options_size);
    }
    return page.n;
}
