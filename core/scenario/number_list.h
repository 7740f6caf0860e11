/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lists of hosts or ranks as users write them: "0-7,12,3".
 */
#ifndef ASIM_SCENARIO_NUMBER_LIST_H
#define ASIM_SCENARIO_NUMBER_LIST_H

#include <stdint.h>

/* Begin with {text}. */
struct asim_number_list {
    const char *at;
    uint32_t next, last; /* of the range under way */
    int is_open;
};

/* The next number, in the order of the text: 1, 0 at the end, or ASIM_EINVAL where the text is no
 * such list. */
int asim_number_list_next(struct asim_number_list *ranges, uint32_t *number);

/* Whether the text is such a list, and names no number twice: 0; 1 with *twice, the least that it
 * does; ASIM_EINVAL for no list; ASIM_ENOMEM. Takes the time of its length, not of its numbers. */
int asim_number_list_check(const char *text, uint32_t *twice);

#endif
