/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a host or port as a list of words, to compare it with that of the window before
 * (repeat.h).
 */
#ifndef ASIM_FABRIC_MEMO_SLEEP_REPEAT_WORDS_H
#define ASIM_FABRIC_MEMO_SLEEP_REPEAT_WORDS_H

#include <string.h>

#include "fabric/memo/sleep/repeat.h"

struct asim_repeat_words {
    uint64_t *at, *end; /* where the next word goes; the end of the memory */
    uint64_t t;         /* the begin of the window */
    int is_excluded;    /* something excludes sleep, or words are missing */
};

static inline struct asim_repeat_words asim_repeat_words_begin(const struct asim_repeats *repeats)
{
    return (struct asim_repeat_words){repeats->words, repeats->words + ASIM_REPEAT_WORDS,
                                      asim_repeat_time(repeats, repeats->window), 0};
}

/* Whether the words equal those of a window ago, which they replace if not. */
int asim_repeat_words_end(const struct asim_repeats *repeats, const struct asim_repeat_words *words,
                          struct asim_repeat_state *state);

static inline void asim_repeat_put(struct asim_repeat_words *words, uint64_t word)
{
    if (words->at == words->end)
        words->is_excluded = 1;
    else
        *words->at++ = word;
}

/* A future time, counted from 1; 0 for a past one. */
static inline void asim_repeat_put_time(struct asim_repeat_words *words, uint64_t t)
{
    asim_repeat_put(words, t >= words->t ? t - words->t + 1 : 0);
}

/* A transmission that has ended counts as none. */
static inline void asim_repeat_put_port(struct asim_repeat_words *words,
                                        const struct asim_port *port)
{
    unsigned busy = port->busy && port->busy_until >= words->t ? port->busy : 0;

    asim_repeat_put(words, busy << 16 | (unsigned)port->paused << 8 | port->down);
    if (!busy)
        return;
    asim_repeat_put(words, port->busy_until - words->t);
    asim_repeat_put(words, port->busy_until - port->tx_start);
    asim_repeat_put(words, port->start_recency);
}

#endif
