/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A renaming: which wire now stands for which wire of a recorded episode, and which switch for
 * which. ECMP draws another of several equal spines, or of parallel links, for each message; an
 * episode on other ways that share links alike is the same one.
 *
 * The renaming grows with the messages of the replay. The paths of a recorded message and of the
 * new one, there and back, are walked in step. Each wire and each switch stands for one other, and
 * has the same rates, delays, thresholds and buffer. Hosts, their NICs, and so the switches next to
 * them, stand for themselves. The two directions of a link are two wires, and may be renamed apart:
 * only pauses join them, and episodes with pauses are not kept.
 *
 * A wire is renamed between the window in which its first message starts and the next one. No frame
 * has reached the far end by then. So a wire whose state differs is found before any completion is
 * wrong.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_RENAMING_H
#define ASIM_FABRIC_MEMO_REGION_RENAMING_H

#include <stdint.h>

struct asim_episode;
struct asim_fabric;
struct asim_injection;

#define ASIM_NOT_RENAMED UINT32_MAX

/* Arrays that end in _of lead back. `wires` and `nodes` list what is renamed, so that clearing it
 * costs no more. */
struct asim_renaming {
    uint32_t *wire, *wire_of, *wires, n_wires; /* [2 x links] */
    uint32_t *node, *node_of, *nodes, n_nodes; /* [nodes] */
};

/* 0 or ASIM_ENOMEM; the caller closes it in both cases. */
int asim_renaming_open(struct asim_renaming *renaming, const struct asim_fabric *fabric);
void asim_renaming_close(struct asim_renaming *renaming);
void asim_renaming_clear(struct asim_renaming *renaming);
/* A message of host src takes the place of a recorded one with the same ends. Returns 0 if the
 * paths do not fit. */
int asim_renaming_add(struct asim_fabric *fabric, struct asim_renaming *renaming, uint32_t src,
                      const struct asim_injection *recorded, const struct asim_injection *now);
/* A number for the path of a message, given those of all earlier calls since the renaming was
 * cleared: its wires and switches are numbered as they appear. Clear it afterwards. */
uint64_t asim_renaming_shape(struct asim_fabric *fabric, struct asim_renaming *renaming,
                             uint32_t src, const struct asim_injection *injection);
/* Whether the wires renamed so far are in the state that the episode needs. */
int asim_renaming_fits(const struct asim_fabric *fabric, const struct asim_renaming *renaming,
                       const struct asim_episode *episode);
/* Whether it has all wires of the episode. */
int asim_renaming_is_whole(const struct asim_renaming *renaming,
                           const struct asim_episode *episode);
/* Adds what the episode counts. */
void asim_renaming_count(struct asim_fabric *fabric, const struct asim_renaming *renaming,
                         const struct asim_episode *episode);

#endif
