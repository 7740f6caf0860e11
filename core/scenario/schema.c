/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The JSON Schema (draft 2020-12) of scenario files, made of the sections' option tables, so that
 * it says what the reader takes. Editors use it; a test compares it with the file in
 * examples/scenarios/.
 */
#include <string.h>

#include "scenario/page.h"
#include "scenario/scenario.h"

static const struct asim_scenario_section *section_at(size_t i)
{
    return (const struct asim_scenario_section *)(const void *)asim_scenario_section_table[i];
}

static void put_choices(struct asim_page *page, const char *choices)
{
    const char *at = choices;

    asim_page_printf(page, "\"enum\": [");
    while (*at) {
        size_t n = strcspn(at, "|");

        asim_page_printf(page, "%s\"%.*s\"", at == choices ? "" : ", ", (int)n, at);
        at += n + (at[n] == '|');
    }
    asim_page_printf(page, "]");
}

/* Units of times, rates and sizes are those of base/text.h. */
static void put_type(struct asim_page *page, const struct asim_option *row)
{
    static const char number[] = "[0-9.]+([eE][-+]?[0-9]+)?";

    switch (row->type) {
    case ASIM_T_BOOL:
        asim_page_printf(page, "\"type\": \"boolean\"");
        break;
    case ASIM_T_U32:
    case ASIM_T_U64:
    case ASIM_T_I64:
        asim_page_printf(page, "\"type\": \"integer\"");
        break;
    case ASIM_T_DOUBLE:
        asim_page_printf(page, "\"type\": \"number\"");
        break;
    case ASIM_T_CHOICE:
        put_choices(page, row->choices);
        break;
    case ASIM_T_TIME:
        asim_page_printf(
            page, "\"type\": \"string\", \"pattern\": \"^%s(fs|ps|ns|us|ms|s|min|h|d)$\"", number);
        break;
    case ASIM_T_RATE:
        asim_page_printf(page, "\"type\": \"string\", \"pattern\": \"^%s[A-Za-z/]+$\"", number);
        break;
    case ASIM_T_SIZE:
        asim_page_printf(page, "\"type\": \"string\", \"pattern\": \"^%s([KMGT]i?B)?$\"", number);
        break;
    default:
        asim_page_printf(page,
                         row->flags & ASIM_F_LIST
                             ? "\"anyOf\": [{\"type\": \"string\", \"minLength\": 1}, {\"type\": "
                               "\"array\", \"minItems\": 1, \"items\": {\"type\": \"integer\", "
                               "\"minimum\": 0}}]"
                             : "\"type\": \"string\", \"minLength\": 1");
    }
}

static int is_number(const struct asim_option *row)
{
    return row->type == ASIM_T_U32 || row->type == ASIM_T_U64 || row->type == ASIM_T_I64 ||
           row->type == ASIM_T_DOUBLE;
}

static void put_option(struct asim_page *page, const struct asim_option *row)
{
    asim_page_quote(page, row->key);
    asim_page_printf(page, ": {");
    put_type(page, row);
    if (is_number(row) && (row->min != 0 || row->max != 0))
        asim_page_printf(page, ", \"minimum\": %.10g, \"maximum\": %.10g", row->min, row->max);
    if (row->def) {
        asim_page_printf(page, ", \"default\": ");
        if (is_number(row) || row->type == ASIM_T_BOOL)
            asim_page_printf(page, "%s", row->def);
        else
            asim_page_quote(page, row->def);
    }
    asim_page_printf(page, ", \"description\": ");
    asim_page_quote(page, row->help);
    asim_page_printf(page, "}");
}

static void put_object(struct asim_page *page, const struct asim_scenario_section *section,
                       const char *indent)
{
    const struct asim_option *row = section->member.options;

    asim_page_printf(page, "\"type\": \"object\", \"additionalProperties\": false,");
    for (const char *const *key = section->required; key && *key; key++)
        asim_page_printf(page, "%s\"%s\"%s", key == section->required ? " \"required\": [" : ", ",
                         *key, key[1] ? "" : "],");
    asim_page_printf(page, "\n%s\"properties\": {", indent);
    for (; row->key; row++) {
        asim_page_printf(page, "\n%s  ", indent);
        put_option(page, row);
        asim_page_printf(page, row[1].key ? "," : "\n%s}", indent);
    }
}

static void put_section(struct asim_page *page, const struct asim_scenario_section *section)
{
    asim_page_printf(page, ",\n    \"%s\": {\n      \"description\": ", section->member.name);
    asim_page_quote(page, section->member.about);
    asim_page_printf(page, ",\n      ");
    if (section->is_list)
        asim_page_printf(page, "\"type\": \"array\",\n      \"items\": {");
    put_object(page, section, "      ");
    asim_page_printf(page, section->is_list ? "}\n    }" : "\n    }");
}

size_t asim_scenario_schema(char *buf, size_t size)
{
    struct asim_page page = {buf, size, 0};

    asim_page_printf(&page,
                     "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                     "  \"title\": \"A scenario of asim\",\n"
                     "  \"type\": \"object\",\n  \"anyOf\": [{\"required\": [\"jobs\"]}, "
                     "{\"required\": [\"background\"]}],\n"
                     "  \"additionalProperties\": false,\n  \"properties\": {\n"
                     "    \"$schema\": {\"type\": \"string\"},\n"
                     "    \"about\": {\"type\": \"string\", \"description\": \"for people\"}");
    for (size_t i = 0; asim_scenario_section_table[i]; i++)
        put_section(&page, section_at(i));
    asim_page_printf(&page, "\n  }\n}\n");
    return page.n;
}
