/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host trace (PyTorch's ExecutionTraceObserver, chakra.md#host-trace) as an index of its nodes:
 * ids, tree, CPU op in the device trace, and position of the text. The text stays in the file and
 * is read again for writing. The form of a node (flat 1.0.1, or with attrs, 1.0.2 and later) is
 * visible in the node; the schema string decides nothing.
 */
#ifndef ASIM_CONVERTER_LINK_HOST_H
#define ASIM_CONVERTER_LINK_HOST_H

#include "json/reader.h"
#include "lib/index.h"

struct asim_host_node { /* 32 bytes: there may be tens of millions */
    int64_t id;
    int64_t parent;       /* id, or -1; see asim_host_settle */
    uint64_t offset : 36; /* of its text */
    uint64_t size : 28;
    union {
        uint32_t cpu;          /* linking: CPU op in the device trace, or ASIM_NONE */
        uint32_t inter_thread; /* converting: id of a node of another thread, or ASIM_NONE */
    };
    union {
        uint32_t tid;    /* PyTorch's thread number, while matching */
        uint32_t new_id; /* after matching */
    };
};

/* A top-level member other than nodes: its name decoded, its text as written. */
struct asim_host_member {
    char *key, *text;
    size_t key_n;
    int before; /* comes before the nodes */
};

struct asim_host_trace {
    struct asim_jreader reader; /* for reading nodes again */
    const char *path;
    ASIM_VEC(struct asim_host_node) node; /* file order */
    ASIM_VEC(struct asim_host_member) member;
    struct asim_key_index by_id;
    uint32_t *order; /* nodes by ascending id */
    char schema[64];
    int flat;                     /* 1.0.1 nodes */
    uint64_t duplicates, orphans; /* ids twice; parents not in the file */
    uint64_t repeats;             /* keys that an object has twice with two values */
    uint64_t no_utf8;             /* strings with bytes that are not UTF-8 */
    uint64_t parents_assigned;    /* orphans that got another parent */
};

/* Called for each node during reading, with its record (id and parent filled in) and its text. */
struct asim_host_visit {
    int (*see)(void *self, const struct asim_jdoc *doc, struct asim_host_node *node,
               struct asim_err *err);
    void *self;
};

/* Call asim_host_index after it. */
int asim_host_read(struct asim_host_trace *host, const char *path,
                   const struct asim_host_visit *visit, struct asim_err *err);
/* 0 if the trace has a schema that is newer than this program. */
int asim_host_is_known(const struct asim_host_trace *host);
/* Builds by_id, order and the counts; call it again after nodes were added. */
int asim_host_index(struct asim_host_trace *host, struct asim_err *err);
/* Assigns a parent to each node whose parent is not in the file: the op of its thread that was open
 * when it began, else the thread's root. Returns 0 or ASIM_ENOMEM. */
struct asim_host_roots {
    const int64_t *at; /* ids of the threads' roots by thread number, -1 = none */
    size_t n;
    int64_t other; /* for threads without a root; -1 = their orphans stay */
};
/* Replaces each parent by the number of its node, or by -2 - id if it is not in the file (-1 = none
 * stays), and frees by_id. */
void asim_host_settle(struct asim_host_trace *host);
void asim_host_fini(struct asim_host_trace *host);

/* Returns the value of an attribute of a node of either form ("rf_id", "tid" …), or NULL. */
const struct asim_jv *asim_host_attr(const struct asim_jdoc *doc, const char *name);

/* Writes the node's text, in the 1.0.2 form if it was flat, as members of an object with 3 levels
 * of indent: all except id, name and ctrl_deps, which the caller gives. */
struct asim_host_head {
    int64_t id, parent;
    int has_parent;
    const char *name; /* NULL = the node's own */
};

int asim_host_adopt(struct asim_host_trace *host, const struct asim_host_roots *roots);

void asim_host_print(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                     const struct asim_host_head *head);

#endif
