/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Layer files of ASTRA-sim 1.0: a line "TYPE [key: value ...]" that says how training is split, a
 * line with the number of layers, and twelve columns for each layer (name, reserved, time and
 * collective of the forward pass, of the input gradient and of the weight gradient, update time),
 * thirteen where every layer names its own split. Read as ASTRA-sim 1.0 reads them: exactly the
 * stated number of layers, line breaks inside a layer do not matter.
 */
#ifndef ASIM_CONVERTER_TEXT_LAYERS_H
#define ASIM_CONVERTER_TEXT_LAYERS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "base/io/src.h"

enum asim_layers_kind { /* order of the words in layers.c */
                        ASIM_LAYERS_MICRO,
                        ASIM_LAYERS_DATA,
                        ASIM_LAYERS_MODEL,
                        ASIM_LAYERS_DATA_MODEL,
                        ASIM_LAYERS_MODEL_DATA,
                        ASIM_LAYERS_DLRM,
                        ASIM_LAYERS_DLRM_ENHANCED,
                        ASIM_LAYERS_OLD =
                            ASIM_LAYERS_DLRM_ENHANCED, /* the last of chakra_converter's types */
                        ASIM_LAYERS_TRANSFORMER,
                        ASIM_LAYERS_FWD_IN_BCKWD,
                        ASIM_LAYERS_CUSTOMIZED,
                        ASIM_LAYERS_REORDER,
                        ASIM_LAYERS_INFERENCE,
                        ASIM_LAYERS_KINDS
};
enum asim_layers_part { ASIM_LAYERS_FWD, ASIM_LAYERS_IG, ASIM_LAYERS_WG, ASIM_LAYERS_PARTS };

#define ASIM_LAYERS_NO_COMM (-1) /* comm type of the word NONE */

struct asim_layer_comm {
    const char *word; /* as written, because node names contain it */
    int type;         /* Chakra comm_type, or ASIM_LAYERS_NO_COMM */
    uint64_t bytes;
};

struct asim_layer {
    const char *name;
    uint64_t time[ASIM_LAYERS_PARTS]; /* ASTRA-sim 1.0 calls them cycles; a Chakra trace has them as
                                         us */
    struct asim_layer_comm comm[ASIM_LAYERS_PARTS];
    int kind; /* of this layer: column 13, else the file's */
};

struct asim_layers {
    struct asim_src src;   /* names and words point into it */
    char *text;            /* the file with line ends as "\n" */
    int kind;              /* enum asim_layers_kind */
    uint64_t stated;       /* number of layers on line 2 */
    uint64_t last_bottom;  /* HYBRID_DLRM k */
    uint64_t group;        /* model_parallel_NPU_group:, 0 = not given */
    unsigned char *marks;  /* [n] bits below */
    struct asim_layer *at; /* [n] */
    size_t n;
    unsigned ignored_line; /* first line after the last layer, 0 = the file ends there */
};
enum { ASIM_LAYERS_CHECKPOINT = 1, ASIM_LAYERS_INITIATE = 2 };

/* compat: as chakra_converter reads: every line to the end is a layer whatever the number
 * says, an unknown collective is an all-reduce, and kinds after ASIM_LAYERS_OLD are refused. */
int asim_layers_open(struct asim_layers *layers, const char *path, int compat,
                     struct asim_err *err);
const char *asim_layers_kind_name(int kind);
/* Also takes an all-zero struct. */
void asim_layers_close(struct asim_layers *layers);

#endif
