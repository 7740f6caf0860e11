/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches sends with receives: for each pair of ranks and tag, the difference in number and in
 * bytes. Bytes decide, as in the simulator: a receive may take several messages; only with
 * rendezvous-protocol each needs its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "check/check.h"

struct message_key {
    uint64_t ranks, tag; /* ranks: source in the high half, destination in the low half */
};

/* The map holds two's-complement numbers. */
static int add(struct asim_map *map, struct message_key key, uint64_t value, int is_send)
{
    uint64_t *slot = asim_map_put(map, key.ranks, key.tag);
    if (!slot)
        return ASIM_ENOMEM;
    *slot += is_send ? value : 0 - value;
    return 0;
}

int asim_check_message(struct asim_check *check, uint32_t rank, const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint64_t src = is_send ? rank : op->comm_src, dst = is_send ? op->comm_dst : rank;
    struct message_key key = {src << 32 | dst, op->comm_tag};
    if (add(&check->message_counts, key, 1, is_send))
        return ASIM_ENOMEM;
    /* A message without bytes counts as one byte, as in the simulator, which waits for it, too. */
    return add(&check->message_bytes, key, op->comm_bytes ? op->comm_bytes : 1, is_send);
}

/* Reports the lowest wrong key and the number of wrong keys: the order of the table must not
 * show. */
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

static uint64_t size_of(int64_t more)
{
    return more < 0 ? 0 - (uint64_t)more : (uint64_t)more;
}

static void say_more(struct asim_check *check, int is_error, const struct asim_map_slot *slot,
                     const char *what, uint64_t n)
{
    asim_check_say(check, is_error,
                   "from rank %" PRIu64 " to rank %" PRIu64 " with tag %" PRIu64
                   " there %s; pairs with such a difference: %" PRIu64 ".",
                   slot->hi >> 32, slot->hi & UINT32_MAX, slot->lo, what, n);
}

/* "are 2 more sends than receives". */
static void show_count(char what[96], int64_t more)
{
    uint64_t n = size_of(more);

    snprintf(what, 96, "%s %" PRIu64 " more %s%s than %s", n == 1 ? "is" : "are", n,
             more < 0 ? "receive" : "send", asim_text_s(n), more < 0 ? "sends" : "receives");
}

void asim_check_messages(struct asim_check *check)
{
    const struct asim_map *counts = &check->message_counts, *bytes = &check->message_bytes;
    const struct asim_map_slot *slot;
    char what[192];
    uint64_t n = find_lowest(bytes, NULL, &slot);
    if (slot) {
        int64_t more = (int64_t)*asim_map_get(counts, slot->hi, slot->lo);
        uint64_t size = size_of((int64_t)slot->value);
        if (more)
            show_count(what, more);
        else
            snprintf(what, sizeof what, "%s %" PRIu64 " byte%s more to %s",
                     size == 1 ? "is" : "are", size, asim_text_s(size),
                     (int64_t)slot->value < 0 ? "receive than are sent" : "send than are received");
        say_more(check, 1, slot, what, n);
    }
    n = find_lowest(counts, bytes, &slot);
    if (!slot)
        return;
    show_count(what, (int64_t)slot->value);
    strcat(what, " of as many bytes, which rendezvous-protocol cannot match");
    say_more(check, 0, slot, what, n);
}
