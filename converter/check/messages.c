/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends against receives: for each pair of ranks and tag, how many more of one there are.
 */
#include <inttypes.h>
#include "check/check.h"

/* The map holds two's-complement numbers. */
static int add(struct asim_map *map, const uint64_t key[2], uint64_t value, int is_send)
{
    uint64_t *slot = asim_map_put(map, key[0], key[1]);
    if (!slot)
        return ASIM_ENOMEM;
    *slot += is_send ? value : 0 - value;
    return 0;
}

int asim_check_message(struct asim_check *check, uint32_t rank, const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint64_t src = is_send ? rank : op->comm_src, dst = is_send ? op->comm_dst : rank;
    uint64_t key[2] = {src << 32 | dst, op->comm_tag};
    if (add(&check->messages[0], key, 1, is_send))
        return ASIM_ENOMEM;
    return add(&check->messages[1], key, op->comm_bytes, is_send);
}

/* The table's order must not show, so the lowest key that is wrong is told, with a count. */
static uint64_t find_lowest(const struct asim_map *map, const struct asim_map *unless,
                            const struct asim_map_slot **lowest)
{
    uint64_t n = 0;
    *lowest = NULL;
    for (size_t i = 0; i < map->cap; i++) {
        const struct asim_map_slot *slot = &map->slots[i];
        if (!map->used[i] || !slot->value || (unless && *asim_map_get(unless, slot->hi, slot->lo)))
            continue;
        n++;
        if (!*lowest || slot->hi < (*lowest)->hi ||
            (slot->hi == (*lowest)->hi && slot->lo < (*lowest)->lo))
            *lowest = slot;
    }
    return n;
}

void asim_check_messages(struct asim_check *check)
{
    const struct asim_map_slot *slot;
    uint64_t n = find_lowest(&check->messages[0], NULL, &slot);
    if (slot) {
        int64_t more = (int64_t)slot->value;
        asim_check_say(check, 1,
                       "from rank %" PRIu64 " to rank %" PRIu64 " with tag %" PRIu64
                       " there are %" PRId64 " more %s; pairs with such a difference: %" PRIu64 ".",
                       slot->hi >> 32, slot->hi & UINT32_MAX, slot->lo, more < 0 ? -more : more,
                       more < 0 ? "receives than sends" : "sends than receives", n);
    }
    n = find_lowest(&check->messages[1], &check->messages[0], &slot);
    if (slot)
        asim_check_say(check, 0,
                       "from rank %" PRIu64 " to rank %" PRIu64 " with tag %" PRIu64
                       " sends and receives differ in bytes; pairs with such a difference: "
                       "%" PRIu64 ".",
                       slot->hi >> 32, slot->hi & UINT32_MAX, slot->lo, n);
}
