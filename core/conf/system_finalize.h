/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is left to do with a system JSON when its keys are read: second spellings, and values whose
 * type and range are right and that cannot be meant all the same.
 */
#ifndef ASIM_CONF_SYSTEM_FINALIZE_H
#define ASIM_CONF_SYSTEM_FINALIZE_H

#include "conf/conf.h"

/* Of the whole file, once. */
int asim_system_settle(struct asim_system *sys, const char *path, struct asim_err *err);
/* An entry of the list `key`: does it look like the name of an algorithm? */
int asim_system_check_word(const char *key, const char *word, const char *path,
                           struct asim_err *err);

#endif
