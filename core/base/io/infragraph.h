/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of InfraGraph files (the model of Keysight/infragraph): named components, links and
 * instances, and ends of edges that name them with indices, as "xpu[0:8]", "xpu.3" or "xpu". A part
 * without a count has as many as edges and connections name.
 */
#ifndef ASIM_BASE_IO_INFRAGRAPH_H
#define ASIM_BASE_IO_INFRAGRAPH_H

#include "asim/err.h"
#include "base/io/yaml.h"
#include "base/mem.h"

enum { ASIM_IG_MOST = 1 << 20 };
enum asim_ig_kind { ASIM_IG_OTHER, ASIM_IG_XPU, ASIM_IG_NIC, ASIM_IG_SWITCH };

struct asim_ig {
    yaml_document_t *document;
    const char *path;
    struct asim_err *err;
};

struct asim_ig_part {
    const char *name;
    const yaml_node_t *node;
    size_t order;   /* in the file, from 0 */
    uint64_t count; /* 0 = not stated */
    uint64_t named; /* the highest index that was named, + 1 */
    enum asim_ig_kind kind;
    double gbytes, latency_ns; /* of a link; 0 and -1 = not stated */
};
struct asim_ig_parts {
    ASIM_VEC(struct asim_ig_part) part; /* ascending by name */
};

struct asim_ig_end { /* parts from `from` to `to` - 1; to 0 = all */
    struct asim_ig_part *part;
    uint64_t from, to;
};

/* What a list of parts is of. */
enum asim_ig_list { ASIM_IG_COMPONENTS, ASIM_IG_LINKS, ASIM_IG_INSTANCES };
/* Reads a list; each name once. The caller frees parts->part.at. */
int asim_ig_read(struct asim_ig *ig, const yaml_node_t *list, enum asim_ig_list what,
                 struct asim_ig_parts *parts);
/* Refuses a key that resembles one that is read and is absent: its default would count unsaid. */
int asim_ig_known(struct asim_ig *ig, const yaml_node_t *map);
/* The part of a name of n letters, or NULL. */
struct asim_ig_part *asim_ig_find(const struct asim_ig_parts *parts, const char *name, size_t n);
uint64_t asim_ig_count(const struct asim_ig_part *part);
/* How many parts the end has, and the i-th of them. */
uint64_t asim_ig_size(const struct asim_ig_end *end);
/* Reads an end and notes the index that it names; *rest: behind it. */
int asim_ig_end(struct asim_ig *ig, const yaml_node_t *at, const char *text,
                const struct asim_ig_parts *parts, struct asim_ig_end *end, const char **rest);
/* The link of a name; NULL in *link where the name is empty. */
int asim_ig_link(struct asim_ig *ig, const yaml_node_t *at, const char *name, size_t n,
                 const struct asim_ig_parts *links, const struct asim_ig_part **link);

/* A joint of two ends of a device: an edge, or a connection "xpu.0.LINK.sw.0". */
struct asim_ig_joint {
    const yaml_node_t *at;
    struct asim_ig_end a, b;
    const struct asim_ig_part *link; /* or NULL */
    int is_one_to_one;
};
struct asim_ig_device {
    struct asim_ig_parts components, links;
};
int asim_ig_device(struct asim_ig *ig, const yaml_node_t *root, struct asim_ig_device *device);
/* Calls see for each joint of the device, in the order of the file; NULL: only finds counts. */
int asim_ig_joints(struct asim_ig *ig, const yaml_node_t *root, const struct asim_ig_device *device,
                   int (*see)(void *self, const struct asim_ig_joint *joint), void *self);
void asim_ig_device_fini(struct asim_ig_device *device);

/* Whether an edge joins its parts one with one, else each with each (also without a scheme). */
int asim_ig_scheme(struct asim_ig *ig, const yaml_node_t *edge, int *is_one_to_one);

/* An error at a node; what has one %s, for text. */
int asim_ig_fail(struct asim_ig *ig, const yaml_node_t *node, const char *what, const char *text);

#endif
