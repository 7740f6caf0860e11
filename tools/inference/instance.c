/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The clock of an instance, which is that of its first host; its queue; how it fails.
 */
#include "tools/inference/engine.h"

#include <string.h>

uint64_t asim_instance_now(const struct asim_instance *at)
{
    return asim_messages_now(at->engine->world, at->first_host);
}

void asim_engine_nomem(struct asim_engine *engine)
{
    asim_err_nomem(&engine->err, "serving requests");
}

void asim_instance_wake(const struct asim_instance *at, uint64_t time_ns)
{
    uint64_t now = asim_instance_now(at);

    if (asim_messages_wake(at->engine->world, at->first_host, time_ns > now ? time_ns - now : 0))
        asim_engine_nomem(at->engine);
}

void asim_instance_wait(struct asim_instance *at, uint32_t number, int is_first)
{
    if (is_first && at->head) {
        at->waiting.at[--at->head] = number;
        return;
    }
    if (ASIM_VEC_PUSH(at->waiting, number)) {
        asim_engine_nomem(at->engine);
        return;
    }
    if (is_first) {
        memmove(at->waiting.at + 1, at->waiting.at, (at->waiting.n - 1) * sizeof *at->waiting.at);
        at->waiting.at[0] = number;
    }
}
