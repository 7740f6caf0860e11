/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Scale-up domains: hosts and switches that short links join, as the GPUs of a server and their
 * NVSwitch. All links between domains are much longer. So a window of all nodes may be as long as
 * these; inside it each domain goes through windows of its own short links, while its nodes are in
 * the processor's cache. A domain that puts no frame on its short links needs no windows of its
 * own.
 */
#ifndef ASIM_FABRIC_CLOCK_DOMAINS_H
#define ASIM_FABRIC_CLOCK_DOMAINS_H

#include <stdint.h>

struct asim_fabric;
struct asim_worker;

struct asim_domain {
    uint32_t *index; /* [n] of the worker's nodes: hosts, then switches */
    uint32_t n_hosts, n;
    /* No message over links out of the domain is acknowledged as a whole before this time, unless
     * a host sends another one. 0: not known. */
    uint64_t completes_at;
    /* Next windows that are not asked whether they may be longer; as many after the last one that
     * was and might not. */
    uint32_t unasked, pause;
    /* With parts (memo/region/part_domains.c): 1 + the number of its part, 0: it has none; how far
     * it has come. */
    uint32_t part;
    uint64_t reached;
};

/* Those of one worker. */
struct asim_domains {
    struct asim_domain *at;
    uint32_t n;
    uint32_t *others, n_others; /* the worker's nodes in no domain, likewise */
    uint64_t calls;             /* the worker's, when completes_at of all domains was right */
    uint32_t *memory;           /* of all `index` and `others` */
    int is_bipartite;           /* each link inside a domain joins a host and a switch */
    int know_parts;             /* the memo has set the part of each domain */
    int with_parts; /* in this window parts lead, follow and begin in the windows of their domain */
    struct asim_domain_turn *turn; /* [n] scratch */
};

/* The order in which domains go through a window. */
struct asim_domain_turn {
    uint64_t key;
    uint32_t domain;
};

/* Finds the domains of this network and gives them to the workers; workers.domain_lookahead stays
 * set.lookahead where windows would not be longer, or where two workers or processes share a
 * domain. Call it whenever nodes get new slots. 0 or ASIM_ENOMEM. Linear in links for each delay.
 */
int asim_domains_open(struct asim_fabric *fabric);
void asim_domains_close(struct asim_worker *worker);

/* Advances the worker's nodes to `until`, at most workers.domain_lookahead behind its start. */
void asim_domains_advance(struct asim_worker *worker, uint64_t until);
/* Advances one domain to `until` without the memo, and without telling ranks, in windows of its
 * short links: an episode that is simulated again. Its nodes have no events but those of its part.
 */
void asim_domain_advance_again(struct asim_worker *worker, uint32_t domain, uint64_t until);
/* A link has changed: no domain knows when its messages may complete. Between windows. */
void asim_domains_forget(struct asim_fabric *fabric);
/* The end of a window that begins at t: as late as no frame may enter a short link before, and no
 * rank act, but a window of short links at least, and one of long links at most. */
uint64_t asim_domains_still_until(struct asim_fabric *fabric, uint64_t t);

#endif
