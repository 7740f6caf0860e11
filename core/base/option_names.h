/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of options that mean the same in every command: where a table lacks a name, the row of
 * another name of the list is meant. The first name is asim's; the others are published ones.
 */
#ifndef ASIM_BASE_OPTION_NAMES_H
#define ASIM_BASE_OPTION_NAMES_H

#include <stddef.h>

/* All names of the list that has the first `length` letters of key, ended by NULL; NULL where no
 * list has it. '-' equals '_'. */
const char *const *asim_option_names(const char *key, size_t length);

#endif
