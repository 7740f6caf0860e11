/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the ranks of several processes wait for, put together. Of every kind the first few in the
 * order of ranks are kept, whichever process had them, so that the report does not show how the
 * ranks were dealt.
 */
#include "sim/stall.h"

#include <string.h>

/* A list in the ascending order of its keys, that keeps the first few. */
struct few {
    void *at;
    size_t size; /* bytes a row */
    uint32_t *n, most;
    uint64_t (*key)(const void *row);
};

static uint64_t of_row(const void *row)
{
    return ((const struct asim_stall_row *)row)->rank;
}

static uint64_t of_extra(const void *extra)
{
    return ((const struct asim_stall_extra *)extra)->rank;
}

static uint64_t of_message(const void *message)
{
    return ((const struct asim_unfinished *)message)->id;
}

/* One more; what falls out would never be told. */
static void insert(const struct few *few, const void *row)
{
    char *place = (char *)few->at + *few->n * few->size;
    size_t behind = 0;

    while (place != few->at && few->key(place - few->size) > few->key(row)) {
        place -= few->size;
        behind++;
    }
    if (*few->n < few->most)
        ++*few->n;
    else if (behind)
        behind--; /* the last falls out */
    else
        return;
    memmove(place + few->size, place, behind * few->size);
    memcpy(place, row, few->size);
}

static void merge(const struct few *few, const void *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        insert(few, (const char *)rows + i * few->size);
}

/* Counts are of all. */
void asim_stall_merge(struct asim_stall *into, const struct asim_stall *from)
{
    merge(&(struct few){into->rows, sizeof *into->rows, &into->n_rows, ASIM_STALL_RANKS, of_row},
          from->rows, from->n_rows);
    merge(&(struct few){into->extras, sizeof *into->extras, &into->n_extras, ASIM_STALL_RANKS,
                        of_extra},
          from->extras, from->n_extras);
    merge(&(struct few){into->messages, sizeof *into->messages, &into->n_messages,
                        ASIM_STALL_MESSAGES, of_message},
          from->messages, from->n_messages);
    into->stuck += from->stuck;
    into->undelivered += from->undelivered;
}
