/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What this network has of the features that exclude ways to advance (net/ways.h).
 */
#ifndef ASIM_FABRIC_CLOCK_WAYS_H
#define ASIM_FABRIC_CLOCK_WAYS_H

struct asim_fabric;

/* Sets `features` and `ways`. Call it after each change of something that features_of reads. */
void asim_ways_find(struct asim_fabric *fabric);

#endif
