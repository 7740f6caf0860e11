/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Values of an execution plan's JSON, read strictly; the first error stays.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void asim_mscclpp_fail(struct asim_mscclpp *plan, const char *fmt, ...)
{
    struct asim_where at = {plan->to->path, 0, 0};
    char text[256], safe[40];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (plan->err->code)
        return;
    if (plan->name)
        asim_err_at(plan->err, ASIM_EINVAL, at,
                    "gpu %" PRIu32 ", thread block %" PRIu32 ", op %" PRIu32 " (%s): %s",
                    plan->block.gpu, plan->block.id, plan->number,
                    asim_text_safe(safe, sizeof safe, plan->name), text);
    else
        asim_err_at(plan->err, ASIM_EINVAL, at, "%s", text);
}

void asim_mscclpp_refuse_unknown(struct asim_mscclpp *plan, json_t *object,
                                 const char *const *known)
{
    const char *key;
    json_t *value;
    char safe[40];

    if (!json_is_object(object)) {
        asim_mscclpp_fail(plan, "found something else where an object with \"%s\" belongs.",
                          known[0]);
        return;
    }
    json_object_foreach(object, key, value)
    {
        size_t i = 0;

        while (known[i] && strcmp(known[i], key))
            i++;
        if (!known[i])
            asim_mscclpp_fail(plan, "the key \"%s\" has no meaning here; correct or remove it.",
                              asim_text_safe(safe, sizeof safe, key));
    }
}

uint32_t asim_mscclpp_number(struct asim_mscclpp *plan, const json_t *value, const char *name,
                             uint32_t most)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) <= most)
        return (uint32_t)json_integer_value(value);
    asim_mscclpp_fail(plan, "%s is %s; expected a whole number from 0 to %" PRIu32 ".", name,
                      value ? "something else" : "missing", most);
    return 0;
}

uint32_t asim_mscclpp_number_of(struct asim_mscclpp *plan, const json_t *object, const char *key,
                                uint32_t most)
{
    return asim_mscclpp_number(plan, json_object_get(object, key), key, most);
}

const char *asim_mscclpp_text_of(struct asim_mscclpp *plan, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    if (!text)
        asim_mscclpp_fail(plan, "the text %s is missing.", key);
    return text ? text : "";
}

/* The list of that name; an empty one, and an error, where there is none. */
json_t *asim_mscclpp_list_of(struct asim_mscclpp *plan, const json_t *object, const char *key)
{
    json_t *list = json_object_get(object, key);

    if (!json_is_array(list))
        asim_mscclpp_fail(plan, "the list %s is missing.", key);
    return list;
}

int asim_mscclpp_buffer_of(struct asim_mscclpp *plan, const json_t *object, const char *key)
{
    const char *text = asim_mscclpp_text_of(plan, object, key);
    const char *found = *text && !text[1] ? strchr("ios", *text) : NULL;

    if (!found)
        asim_mscclpp_fail(plan, "%s is no buffer; expected i, o or s.", key);
    return found && *found == 'o'   ? ASIM_MSCCL_OUTPUT
           : found && *found == 's' ? ASIM_MSCCL_SCRATCH
                                    : ASIM_MSCCL_INPUT;
}

/* ASIM_MSCCLPP_CHANNELS for those of switches and none, which only ops have that are refused. */
int asim_mscclpp_channel_type(struct asim_mscclpp *plan, const json_t *object, const char *key)
{
    const char *text = asim_mscclpp_text_of(plan, object, key);
    static const char *const known[] = {"memory", "port", "switch", "none"};

    for (int i = 0; i < 4; i++)
        if (!strcmp(text, known[i]))
            return i < ASIM_MSCCLPP_CHANNELS ? i : ASIM_MSCCLPP_CHANNELS;
    asim_mscclpp_fail(plan, "a channel's type is neither memory, port, switch nor none.");
    return ASIM_MSCCLPP_CHANNELS;
}
