/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events of a switch in one window: a calendar queue (R. Brown, CACM 1988). Its buckets are
 * short spans of time, each with lists ordered by time, tie key (tie_key.h), event count and value.
 * Each port has two entries, one for its next arrival and one for the end of its transmission. So
 * the queue allocates nothing, and an entry costs the same however many ports are busy: ports in
 * lockstep append to their list.
 *
 * Times lie in [begin, begin + BUCKETS << shift). The order does not depend on the widths of
 * buckets.
 */
#ifndef ASIM_FABRIC_LINK_CALENDAR_QUEUE_H
#define ASIM_FABRIC_LINK_CALENDAR_QUEUE_H

#include <stdint.h>
#include <string.h>

/* In `next`: the entry is the last of its list; the entry is in no list. */
enum { ASIM_CALENDAR_BUCKETS = 512, ASIM_CALENDAR_END = -1, ASIM_CALENDAR_ABSENT = -2 };

struct asim_calendar_entry {
    uint64_t t, tie, seq;
    int32_t next; /* the value of the next entry, or one of the above */
};

/* A bucket has one list of even values (arrivals) and one of odd values (ends of transmissions). In
 * one list each entry would have to pass the entries of the other kind. */
struct asim_calendar_queue {
    uint64_t begin;
    uint32_t shift, first;                       /* no bucket before `first` holds an entry */
    uint64_t bitmap[ASIM_CALENDAR_BUCKETS / 64]; /* bit per bucket: it holds an entry */
    struct asim_calendar_bucket {
        int32_t head[2], tail[2]; /* head ASIM_CALENDAR_END: the list is empty */
        int32_t hint[2];          /* the last entry that was inserted, not appended */
    } bucket[ASIM_CALENDAR_BUCKETS];
    struct asim_calendar_entry *at; /* [value]; the switch owns it */
};

/* Initialises a queue of zeros, with entries 0 to values - 1. */
static inline void asim_calendar_queue_init(struct asim_calendar_queue *queue, uint32_t values)
{
    for (uint32_t i = 0; i < ASIM_CALENDAR_BUCKETS; i++)
        queue->bucket[i].head[0] = queue->bucket[i].head[1] = ASIM_CALENDAR_END;
    for (uint32_t i = 0; i < values; i++)
        queue->at[i].next = ASIM_CALENDAR_ABSENT;
}

/* Sets the window. The queue must be empty. A bucket is one tick wide if the window is short enough
 * (links of 500 ns at ns resolution), so a list holds one time; else a power of two. */
static inline void asim_calendar_queue_begin(struct asim_calendar_queue *queue, uint64_t begin,
                                             uint64_t until)
{
    queue->begin = begin;
    queue->first = 0;
    while ((until - begin - 1) >> queue->shift >= ASIM_CALENDAR_BUCKETS)
        queue->shift++;
    while (queue->shift && (until - begin - 1) >> (queue->shift - 1) < ASIM_CALENDAR_BUCKETS)
        queue->shift--;
}

/* The order of two entries. No two entries have the same value. */
static inline int asim_calendar_queue_before(const struct asim_calendar_queue *queue, int32_t a,
                                             int32_t b)
{
    const struct asim_calendar_entry *x = &queue->at[a], *y = &queue->at[b];

    if (x->t != y->t)
        return x->t < y->t;
    if (x->tie != y->tie)
        return x->tie < y->tie;
    return x->seq != y->seq ? x->seq < y->seq : a < b;
}

/* The bucket of an entry's time, whether or not the entry is in it. */
static inline struct asim_calendar_bucket *
asim_calendar_bucket_of(struct asim_calendar_queue *queue, int32_t value)
{
    return &queue->bucket[(queue->at[value].t - queue->begin) >> queue->shift];
}

/* Inserts a value before the end of its list. Successive inserts are close to each other, so the
 * search begins at the last one, if it is still there. */
static inline void asim_calendar_queue_sort_in(struct asim_calendar_queue *queue,
                                               struct asim_calendar_bucket *bucket, int32_t value)
{
    int32_t *link = &bucket->head[value & 1], hint = bucket->hint[value & 1];

    if (queue->at[hint].next != ASIM_CALENDAR_ABSENT &&
        asim_calendar_bucket_of(queue, hint) == bucket &&
        asim_calendar_queue_before(queue, hint, value))
        link = &queue->at[hint].next;
    while (*link != ASIM_CALENDAR_END && asim_calendar_queue_before(queue, *link, value))
        link = &queue->at[*link].next;
    queue->at[value].next = *link;
    *link = value;
    bucket->hint[value & 1] = value;
}

/* Puts an entry in. Its t, tie and seq are set, and t lies in the window. */
static inline void asim_calendar_queue_put(struct asim_calendar_queue *queue, int32_t value)
{
    struct asim_calendar_bucket *bucket = asim_calendar_bucket_of(queue, value);
    uint32_t at = (uint32_t)(bucket - queue->bucket), odd = value & 1;
    int32_t tail = bucket->tail[odd];

    queue->bitmap[at / 64] |= 1ull << at % 64;
    if (at < queue->first)
        queue->first = at;
    if (bucket->head[odd] == ASIM_CALENDAR_END)
        bucket->head[odd] = bucket->hint[odd] = value;
    else if (asim_calendar_queue_before(queue, tail, value))
        queue->at[tail].next = value;
    else {
        asim_calendar_queue_sort_in(queue, bucket, value);
        return;
    }
    queue->at[value].next = ASIM_CALENDAR_END;
    bucket->tail[odd] = value;
}

/* Takes the first entry out and returns its value; ASIM_CALENDAR_END: the queue is empty. */
static inline int32_t asim_calendar_queue_take(struct asim_calendar_queue *queue)
{
    uint32_t word = queue->first / 64, odd;
    struct asim_calendar_bucket *bucket;
    int32_t value;

    while (word < ASIM_CALENDAR_BUCKETS / 64 && !queue->bitmap[word])
        word++;
    if (word == ASIM_CALENDAR_BUCKETS / 64)
        return ASIM_CALENDAR_END;
    queue->first = word * 64 + (uint32_t)__builtin_ctzll(queue->bitmap[word]);
    bucket = &queue->bucket[queue->first];
    if (bucket->head[0] == ASIM_CALENDAR_END || bucket->head[1] == ASIM_CALENDAR_END)
        odd = bucket->head[0] == ASIM_CALENDAR_END;
    else
        odd = (uint32_t)asim_calendar_queue_before(queue, bucket->head[1], bucket->head[0]);
    value = bucket->head[odd];
    bucket->head[odd] = queue->at[value].next;
    if (bucket->head[0] == ASIM_CALENDAR_END && bucket->head[1] == ASIM_CALENDAR_END)
        queue->bitmap[word] &= queue->bitmap[word] - 1;
    queue->at[value].next = ASIM_CALENDAR_ABSENT;
    return value;
}

#endif
