/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Common parts of the text formats of a topology (rdma-network.md#topology-files and
 * rdma-network.md#topology-files-of-simai): a stream of words, switch ids after the header, and
 * links "src dst rate delay error_rate". Every error names line and column, also for a file that is
 * cut short.
 */
#ifndef ASIM_TOPO_LINES_H
#define ASIM_TOPO_LINES_H

#include <stdint.h>
#include "asim/err.h"
#include "base/io/out.h"
#include "base/io/src.h"
#include "topo/topo.h"

/* "found '<word>' where <what> is expected", or "the file ends where …" if word is NULL. */
int asim_lines_refuse(const struct asim_src *src, const char *word, const char *what,
                      struct asim_err *err);
int asim_lines_u64(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err);
/* Reads n ids and sets the type of these nodes. */
int asim_lines_switches(struct asim_topo *topo, struct asim_src *src, uint64_t n, uint8_t kind,
                        struct asim_err *err);
/* Checks that the first `hosts` nodes are hosts. */
int asim_lines_check_hosts(const struct asim_topo *topo, const struct asim_src *src, uint64_t hosts,
                           struct asim_err *err);
/* Reads n links and checks that the file ends there. */
int asim_lines_links(struct asim_topo *topo, struct asim_src *src, uint64_t n,
                     struct asim_err *err);
void asim_lines_write_links(const struct asim_topo *topo, struct asim_out *out);

#endif
