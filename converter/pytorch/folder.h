/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the traces of a PyTorch job in a folder: host_3.json and device_3.json, host.3.json,
 * pytorch_et_3.json and kineto_3.json, each also as .gz, and with a model tag before or after the
 * number (host_resnet18_3.json, host_3_resnet18.json, resnet18_host_3.json); rank3_trace.json is
 * torchtitan's device trace, HOST_PID.TIME.pt.trace.json that of tensorboard_trace_handler, whose
 * distributedInfo says the rank. Patterns of the user come before these names.
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
    size_t other;        /* .json files that fit no name */
    size_t without_rank; /* device traces whose rank neither name nor content says */
    char alone[512];     /* the first of them */
    int lacks_tag;       /* no file has the tag that was asked for: these are those without one */
};

struct asim_folder_names {
    const char *tag; /* or NULL */
    /* Paths below the folder: {rank}, %d or else the first * stands for the rank, * for any text,
     * ? for one character. NULL = the usual names. */
    const char *host, *device;
};

/* 1 if the path fits the pattern; fills in *rank. */
int asim_folder_fits(const char *pattern, const char *path, uint32_t *rank);
#define ASIM_FOLDER_INSIDE (UINT32_MAX - 1)
/* The meaning of a file name: 'h' host, 'd' device, 0 neither; fills in *rank, with
 * ASIM_FOLDER_INSIDE where the file tells it. tag may be NULL:
 * then names with a tag do not fit. */
int asim_folder_name(const char *name, const char *tag, uint32_t *rank);
/* Reads the folder and, with a tag, its sub-folder of that name. Two files for one role of a rank
 * are an error. */
int asim_folder_read(struct asim_folder *folder, const char *path,
                     const struct asim_folder_names *names, struct asim_err *err);
void asim_folder_fini(struct asim_folder *folder);

#endif
