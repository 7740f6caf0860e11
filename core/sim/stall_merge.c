/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the ranks of several processes wait for, put together. Of every kind the first few in the
 * order of ranks are kept, whichever process had them, so that the report does not show how the
 * ranks were dealt.
 */
#include "sim/stall.h"

#include <string.h>

/* A list in ascending order that keeps the first few. */
struct few {
    void *at;
    size_t size; /* bytes a row */
    uint32_t *n, most;
};

/* One more, in front of row `at`: what falls out at the end would never be told. */
static void insert(const struct few *few, uint32_t at, const void *row)
{
    char *place = (char *)few->at + at * few->size;

    if (at == few->most)
        return;
    *few->n += *few->n < few->most;
    memmove(place + few->size, place, (*few->n - 1 - at) * few->size);
    memcpy(place, row, few->size);
}

static void merge_row(struct asim_stall *into, const struct asim_stall_row *row)
{
    const struct few few = {into->rows, sizeof *row, &into->n_rows, ASIM_STALL_RANKS};
    uint32_t at = into->n_rows;

    while (at && into->rows[at - 1].rank > row->rank)
        at--;
    insert(&few, at, row);
}

/* The same for messages nobody asked for, */
static void merge_extra(struct asim_stall *into, const struct asim_stall_extra *extra)
{
    const struct few few = {into->extras, sizeof *extra, &into->n_extras, ASIM_STALL_RANKS};
    uint32_t at = into->n_extras;

    while (at && into->extras[at - 1].rank > extra->rank)
        at--;
    insert(&few, at, extra);
}

/* and for those the network still has. */
static void merge_message(struct asim_stall *into, const struct asim_unfinished *message)
{
    const struct few few = {into->messages, sizeof *message, &into->n_messages,
                            ASIM_STALL_MESSAGES};
    uint32_t at = into->n_messages;

    while (at && into->messages[at - 1].id > message->id)
        at--;
    insert(&few, at, message);
}

/* Counts are of all, lists of the first few by rank. */
void asim_stall_merge(struct asim_stall *into, const struct asim_stall *from)
{
    for (uint32_t i = 0; i < from->n_rows; i++)
        merge_row(into, &from->rows[i]);
    for (uint32_t i = 0; i < from->n_extras; i++)
        merge_extra(into, &from->extras[i]);
    for (uint32_t i = 0; i < from->n_messages; i++)
        merge_message(into, &from->messages[i]);
    into->stuck += from->stuck;
    into->undelivered += from->undelivered;
}
