/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes in the forms of other tools.
 */
#ifndef ASIM_CONVERTER_DUMP_FORMS_H
#define ASIM_CONVERTER_DUMP_FORMS_H

#include "dump/dump.h"

/* One element of the array, on one line. */
void asim_dump_workload_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);
void asim_dump_stg_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);

#endif
