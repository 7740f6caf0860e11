/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A log of a part (part.h): writing one, and finding one that begins as a part does. The key is a
 * hash of the sends of the first tick. A search then compares every send, so the hash only saves
 * time.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_LOG_H
#define ASIM_FABRIC_MEMO_REGION_PART_LOG_H

#include "fabric/memo/region/part.h"

/* What a part does at the start of an episode. */
struct asim_part_opening {
    uint64_t *state; /* asim_part_state_save; NULL for the whole network */
    uint64_t hash;   /* asim_part_hash */
};

/* Keeps the state of the part, which the caller frees. 0 or ASIM_ENOMEM. */
int asim_part_opening_save(const struct asim_fabric *fabric, const struct asim_part *part,
                           struct asim_part_opening *opening);
/* Of the class of the part, its state, and those of the messages given by each host that were sent
 * at part->begin; equal for all rotations. The times of `deferred` messages are absolute. Of the
 * whole network the paths of some go into it. */
uint64_t asim_part_hash(struct asim_fabric *fabric, const struct asim_part *part,
                        const uint64_t *state);
/* An empty log for a part that leads from part->begin on, among those of its worker; NULL: no
 * memory. */
struct asim_part_log *asim_part_log_new(struct asim_part *part,
                                        const struct asim_part_opening *opening);
/* The part leaves its log. A dead log without users, and an unfinished one without a leader, go. */
void asim_part_log_leave(struct asim_part *part);

/* Whether the message is the i-th of its host in the log, whose start is `start` in its time. */
int asim_part_log_has(struct asim_fabric *fabric, const struct asim_part *part,
                      const struct asim_part_log *log, const struct asim_memo_message *message,
                      size_t i, uint64_t start);
/* Whether the first frames of the part come to the switch in the order of the log, as far as it is
 * known, and its rotation does not matter. */
int asim_part_log_keeps_order(const struct asim_fabric *fabric, const struct asim_part *part,
                              const struct asim_part_log *log);
/* A log that fits, with part->rotation set for it; NULL: none, or simulations after mismatches have
 * taken too much. */
struct asim_part_log *asim_part_log_find(struct asim_fabric *fabric, struct asim_part *part,
                                         const struct asim_part_opening *opening, uint64_t until);

/* The leader has started a message of the host: appends it. 0 or ASIM_ENOMEM. */
int asim_part_log_sent(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_injection *injection, uint32_t host);
/* Appends the first frames that came to the leader's switch since the last call. */
void asim_part_log_arrived(const struct asim_fabric *fabric, struct asim_part *part);
/* A completion of the leader is known: adds both of its rows. 0 or ASIM_ENOMEM. */
int asim_part_log_completes(struct asim_fabric *fabric, struct asim_part *part,
                            const struct asim_notification *notification);

#endif
