/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the memo (memo/) does with each member of a node's state. Beside each struct stands a table
 * ASIM_<STRUCT>_STATE(X) with a row X(KIND, member) for each member; what walks the state gives X a
 * meaning, and says nothing of members by name. tests/shape/fields fails where a member has no row.
 *
 * SAME       a network that comes back to a state has this value again
 * KEPT       the same, and an idle network has it, too: it decides what the next episode does
 * TIME       a tick; one before the present has no influence
 * CLOCK      a tick that goes on with the network even if it is past
 * SENT_AT    a tick of the port's last transmission, without influence once this has ended
 * SENT       what else of it the next frames depend on
 * SEQ        a byte of the message, counted from its first unacknowledged one
 * BASE       that byte, and what equals a SEQ as long as nothing is sent again
 * ORDER      a count of events (tie_key.h): its order among others decides, and no more
 * COUNTER    a sum that users may see; an episode or a period adds to it
 * RARE       a COUNTER that only grows where no episode is replayed: losses, pauses, drops
 * PEAK       the largest value so far, for users
 * DERIVED    follows from other rows, or is written before it is read
 * CONSTANT   set-up, or changes only where the memo is off (random losses, planned events, holds)
 * OWN        has a table or a walk of its own: frames, queue pairs, timers, messages
 */
#ifndef ASIM_FABRIC_MEMO_STATE_FIELDS_H
#define ASIM_FABRIC_MEMO_STATE_FIELDS_H

#include <stdint.h>
#include <string.h>

enum asim_state_kind {
    ASIM_STATE_SAME,
    ASIM_STATE_KEPT,
    ASIM_STATE_TIME,
    ASIM_STATE_CLOCK,
    ASIM_STATE_SENT_AT,
    ASIM_STATE_SENT,
    ASIM_STATE_SEQ,
    ASIM_STATE_BASE,
    ASIM_STATE_ORDER,
    ASIM_STATE_COUNTER,
    ASIM_STATE_RARE,
    ASIM_STATE_PEAK,
    ASIM_STATE_DERIVED,
    ASIM_STATE_CONSTANT,
    ASIM_STATE_OWN
};

/* A member of at most 8 bytes as a number; of a larger one its first bytes. */
static inline uint64_t asim_state_word(const void *member, size_t size)
{
    uint64_t word = 0;

    memcpy(&word, member, size < sizeof word ? size : sizeof word);
    return word;
}
static inline void asim_state_set(void *member, size_t size, uint64_t word)
{
    memcpy(member, &word, size < sizeof word ? size : sizeof word);
}

#endif
