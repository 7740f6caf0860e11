/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tables that somebody measured: the text and the JSON of nccl-tests, text, JSON and CSV of
 * rccl-tests, and CSV with the columns size_bytes and time_us (or oop_time_us and ip_time_us), as
 * asim writes it.
 */
#ifndef ASIM_TOOLS_MACHINE_MEASURED_H
#define ASIM_TOOLS_MACHINE_MEASURED_H

#include <stdint.h>
#include "asim/err.h"
#include "base/io/src.h"
#include "base/mem.h"

struct asim_measured_row {
    uint64_t bytes;
    double us, in_place_us; /* out of place (in place where nothing else is given); 0 = not given */
    double bus_factor;      /* bus bandwidth over size / time; 0 = the table does not tell */
    int op;                 /* enum asim_nccl_op; -1 = the table does not tell */
    unsigned line;          /* of the file; 0 = unknown */
    unsigned times;         /* rows of the file with this size and op: us is their mean */
};

struct asim_measured { /* ascending by op and bytes */
    ASIM_VEC(struct asim_measured_row) row;
    size_t wrong;   /* rows of the file with elements that were wrong */
    uint32_t nodes; /* that its column tells; 0 = it has none */
};

/* The caller ends it with _fini, also after a failure. */
int asim_measured_read(struct asim_measured *measured, const char *path, struct asim_err *err);
void asim_measured_fini(struct asim_measured *measured);
/* The row of that size and op, or NULL. Rows whose op the table does not tell are of any op. */
const struct asim_measured_row *asim_measured_find(const struct asim_measured *measured, int op,
                                                   uint64_t bytes);
/* The op of all rows, or -1 where the table does not tell or has several. */
int asim_measured_op(const struct asim_measured *measured);
/* What speaks against these rows being of the op on so many nodes and ranks: a sentence, else "".
 * Bus bandwidth tells both. */
const char *asim_measured_doubt(const struct asim_measured *measured, int op, uint32_t nodes,
                                uint32_t ranks, char text[256]);
/* Leaves the rows that may be of the op. Fails where there is none. */
int asim_measured_keep(struct asim_measured *measured, int op, const char *path,
                       struct asim_err *err);

/* --- for the readers of one format each ------------------------------------------------------- */

/* Adds a row as the file has it; a row of 0 bytes or without times counts as none. */
int asim_measured_add(struct asim_measured *measured, struct asim_measured_row row,
                      const char *path, struct asim_err *err);
/* Whether a row's bandwidth is its size over its time, as far as the printed digits tell; some
 * collectives count a share of the size. */
int asim_measured_agrees(uint64_t bytes, double us, double alg_gbytes);
/* Bus bandwidth over size / time, as far as the printed digits tell; else 0. */
double asim_measured_factor(uint64_t bytes, double us, double bus_gbytes);
int asim_measured_json(struct asim_measured *measured, const struct asim_src *src,
                       struct asim_err *err);
/* Ends lines of src with NUL. */
int asim_measured_text(struct asim_measured *measured, struct asim_src *src, struct asim_err *err);
/* From the header at offset `from`. */
int asim_measured_csv(struct asim_measured *measured, const struct asim_src *src, size_t from,
                      struct asim_err *err);

#endif
