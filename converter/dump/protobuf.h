/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Protobuf's JSON mapping.
 */
#ifndef ASIM_CONVERTER_DUMP_PROTOBUF_H
#define ASIM_CONVERTER_DUMP_PROTOBUF_H

#include "dump/dump.h"

/* The message in protobuf's JSON mapping, as Python prints it with an indent of 2. */
void asim_dump_message(struct asim_jbuf *buf, const ProtobufCMessage *message);

#endif
