/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds a circle of waits by a depth-first search: from a wait the search goes to the waits of
 * the port that has to resume first. A wait that is met again on the way closes a circle. Costs
 * n log n for n waits.
 */
#include "sim/distributed/deadlock.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

enum { NEW, ON_THE_WAY, DONE };

struct search {
    struct asim_pause_waits *waits; /* sorted */
    uint8_t *state;                 /* [n] */
    size_t *way, *next;             /* [n] the way so far; of each wait on it, where to go on */
    size_t n_way;
};

static int compare_ports(const struct asim_port_id *x, const struct asim_port_id *y)
{
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->port == y->port ? 0 : x->port < y->port ? -1 : 1;
}

static int compare(const void *a, const void *b)
{
    const struct asim_pause_wait *x = a, *y = b;
    int by_port = compare_ports(&x->at, &y->at);

    return by_port ? by_port : compare_ports(&x->by, &y->by);
}

/* The first wait of that port, or of a later one. */
static size_t first_of(const struct asim_pause_waits *waits, const struct asim_port_id *port)
{
    size_t from = 0, to = waits->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (compare_ports(&waits->at[middle].at, port) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void enter(struct search *search, size_t i)
{
    search->state[i] = ON_THE_WAY;
    search->way[search->n_way] = i;
    search->next[search->n_way++] = first_of(search->waits, &search->waits->at[i].by);
}

/* Copies the way from wait i on to the front. */
static size_t keep_circle(struct search *search, size_t i)
{
    struct asim_pause_wait *all = search->waits->at;
    size_t begin = 0, n;
    struct asim_pause_wait *circle;

    while (search->way[begin] != i)
        begin++;
    n = search->n_way - begin;
    circle = malloc(n * sizeof *circle);
    if (!circle)
        return 0;
    for (size_t k = 0; k < n; k++)
        circle[k] = all[search->way[begin + k]];
    memcpy(all, circle, n * sizeof *circle);
    free(circle);
    return n;
}

/* One step of the search; returns the length of a circle that it closes. */
static size_t go_on(struct search *search)
{
    const struct asim_pause_waits *waits = search->waits;
    size_t last = search->n_way - 1, i = search->next[last];

    if (i == waits->n || compare_ports(&waits->at[i].at, &waits->at[search->way[last]].by)) {
        search->state[search->way[last]] = DONE;
        search->n_way--;
        return 0;
    }
    search->next[last]++;
    if (search->state[i] == NEW)
        enter(search, i);
    else if (search->state[i] == ON_THE_WAY)
        return keep_circle(search, i);
    return 0;
}

static size_t find(struct search *search)
{
    size_t n = 0;

    for (size_t i = 0; i < search->waits->n && !n; i++) {
        if (search->state[i] == NEW)
            enter(search, i);
        while (search->n_way && !n)
            n = go_on(search);
    }
    return n;
}

size_t asim_deadlock_find(struct asim_pause_waits *waits)
{
    struct search search = {.waits = waits};
    size_t n = 0;

    if (!waits->n)
        return 0;
    qsort(waits->at, waits->n, sizeof *waits->at, compare);
    search.state = calloc(waits->n, 1);
    search.way = malloc(waits->n * sizeof *search.way);
    search.next = malloc(waits->n * sizeof *search.next);
    if (search.state && search.way && search.next)
        n = find(&search);
    ASIM_FREE(search.state, search.way, search.next);
    return n;
}
