/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the traces of a PyTorch job in a folder: host_3.json and device_3.json, host.3.json,
 * pytorch_et_3.json and kineto_3.json, each also as .gz, and with a model tag before or after the
 * number (host_resnet18_3.json, host_3_resnet18.json, resnet18_host_3.json).
 */
#ifndef ASIM_CONVERTER_PYTORCH_FOLDER_H
#define ASIM_CONVERTER_PYTORCH_FOLDER_H

#include "base/mem.h"
#include "asim/err.h"

struct asim_folder_rank {
    uint32_t rank;
    char *host, *device; /* paths; NULL if the folder has none */
};

struct asim_folder {
    struct asim_folder_rank *at; /* ascending rank */
    size_t n, cap;
    size_t other;  /* .json files that fit no name */
    int lacks_tag; /* no file has the tag that was asked for: these are those without one */
};

/* The meaning of a file name: 'h' host, 'd' device, 0 neither; fills in *rank. tag may be NULL:
 * then names with a tag do not fit. */
int asim_folder_name(const char *name, const char *tag, uint32_t *rank);
/* Reads the folder and, with a tag, its sub-folder of that name. Two files for one role of a rank
 * are an error. */
int asim_folder_read(struct asim_folder *folder, const char *path, const char *tag,
                     struct asim_err *err);
void asim_folder_fini(struct asim_folder *folder);

#endif
