/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Places the ranks of jobs on hosts. Linear in jobs x slots where policies alternate.
 */
#include "scenario/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/number_list.h"

struct placing {
    const struct asim_scenario *scenario;
    const struct asim_topo *topo;
    struct asim_placement_view view;
    uint32_t *switch_of, *taken, *order; /* taken [hosts]: slots in use */
    const struct asim_scenario_job *job;
    const char *ordered; /* the policy of `order` */
    size_t next;         /* the hosts before it in `order` are full */
};

static int is_list(const struct asim_scenario_job *job)
{
    return *job->placement >= '0' && *job->placement <= '9';
}

/* Numbers the first switches in the order of the hosts. */
static int find_switches(struct placing *at)
{
    const struct asim_topo *topo = at->topo;
    uint32_t *number = malloc(((size_t)topo->nodes + 1) * sizeof *number);

    if (!number)
        return ASIM_ENOMEM;
    memset(number, 0xff, ((size_t)topo->nodes + 1) * sizeof *number);
    for (uint32_t host = 0; host < at->view.hosts; host++) {
        uint32_t p = topo->first_port[host], end = topo->first_port[host + 1];

        while (p < end && topo->node_type[topo->ports[p].peer] != ASIM_SWITCH)
            p++;
        at->switch_of[host] = UINT32_MAX;
        if (p == end)
            continue;
        if (number[topo->ports[p].peer] == UINT32_MAX)
            number[topo->ports[p].peer] = at->view.switches++;
        at->switch_of[host] = number[topo->ports[p].peer];
    }
    for (uint32_t host = 0; host < at->view.hosts; host++)
        if (at->switch_of[host] == UINT32_MAX)
            at->switch_of[host] = at->view.switches;
    free(number);
    return 0;
}

static struct asim_where where(const struct placing *at)
{
    return asim_scenario_at(at->scenario, at->job->line);
}

static int refuse_full(const struct placing *at, uint32_t host, struct asim_err *err)
{
    return asim_err_at(err, ASIM_EINVAL, where(at),
                       "job '%s' puts a further rank on host %" PRIu32 ", which can run %" PRIu32
                       " and has all, or is a storage host; give another placement, or more "
                       "\"ranks\" in \"hosts\".",
                       at->job->name, host, at->view.per_host);
}

static int place_list(struct placing *at, uint32_t ranks, uint32_t *host, struct asim_err *err)
{
    struct asim_number_list ranges = {at->job->placement};
    uint32_t n = 0, one;
    int more;

    while ((more = asim_number_list_next(&ranges, &one)) > 0) {
        if (n == ranks)
            break;
        if (one >= at->view.hosts)
            return asim_err_at(err, ASIM_EINVAL, where(at),
                               "job '%s' puts rank %" PRIu32 " on host %" PRIu32
                               ", but the topology %s has hosts 0 to %" PRIu32 ".",
                               at->job->name, n, one, at->topo->source, at->view.hosts - 1);
        if (at->taken[one] == at->view.per_host)
            return refuse_full(at, one, err);
        at->taken[one]++;
        host[n++] = one;
    }
    if (more < 0)
        return asim_err_at(err, ASIM_EINVAL, where(at),
                           "the placement '%.60s' of job '%s' is no list of hosts such as "
                           "0-7,16.",
                           at->job->placement, at->job->name);
    if (more || n < ranks)
        return asim_err_at(err, ASIM_EINVAL, where(at),
                           "the placement of job '%s' names %s hosts than the job has ranks "
                           "(%" PRIu32 ").",
                           at->job->name, more ? "more" : "fewer", ranks);
    return 0;
}

/* Free slots in the order of the policy. */
static int take(struct placing *at, uint32_t ranks, uint32_t *host, struct asim_err *err)
{
    size_t slots = (size_t)at->view.hosts * at->view.per_host;
    uint32_t n = 0;

    /* A host comes as often as it has slots, so one that others use in part is full before its last
     * turn. */
    while (at->next < slots && at->taken[at->order[at->next]] == at->view.per_host)
        at->next++;
    for (size_t s = at->next; s < slots && n < ranks; s++) {
        uint32_t one = at->order[s];

        if (at->taken[one] == at->view.per_host)
            continue;
        at->taken[one]++;
        host[n++] = one;
    }
    if (n == ranks)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, where(at),
                       "job '%s' has %" PRIu32 " ranks, but only %" PRIu32
                       " places are free (storage hosts are none): the topology %s has %" PRIu32
                       " hosts of %" PRIu32 " ranks each.",
                       at->job->name, ranks, n, at->topo->source, at->view.hosts,
                       at->view.per_host);
}

/* text: NAME or NAME,key=value. */
static int place_by_policy(struct placing *at, uint32_t ranks, uint32_t *host, struct asim_err *err)
{
    const char *text = at->job->placement;
    size_t n = strcspn(text, ",");
    const struct asim_placement *policy;
    struct asim_err own = {0};
    char name[64];
    void *options;
    int code;

    if (at->ordered && !strcmp(at->ordered, text))
        return take(at, ranks, host, err);
    snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), text);
    policy = (const void *)asim_family_find(asim_scenario_placement_table, "placement", name, &own);
    if (!policy ||
        asim_family_options(&options, &policy->member, text[n] ? text + n + 1 : NULL, ',', &own))
        return asim_err_at(err, own.code, where(at), "placement of job '%s': %s", at->job->name,
                           own.text);
    code = policy->order(&at->view, options, at->order);
    asim_family_options_free(options, &policy->member);
    at->ordered = text;
    at->next = 0;
    return code ? asim_err_nomem(err, "placing ranks") : take(at, ranks, host, err);
}

static int check_host(const struct placing *at, const char *what, uint32_t host, unsigned line,
                      struct asim_err *err)
{
    if (host < at->view.hosts)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(at->scenario, line),
                       "found the %s %" PRIu32 ", but the topology %s has hosts 0 to %" PRIu32 ".",
                       what, host, at->topo->source, at->view.hosts - 1);
}

/* A list that is none is refused where it takes effect (sim/rank/noise.c). */
static int check_stragglers(const struct placing *at, struct asim_err *err)
{
    for (size_t i = 0; i < at->scenario->stragglers.n; i++) {
        const struct asim_scenario_straggler *one = &at->scenario->stragglers.at[i];
        struct asim_number_list ranges = {one->hosts ? one->hosts : ""};
        uint32_t host;

        while (asim_number_list_next(&ranges, &host) > 0)
            if (check_host(at, "host of a straggler", host, one->line, err))
                return ASIM_EINVAL;
    }
    return 0;
}

/* No rank runs on a storage host. */
static int reserve(struct placing *at, const struct asim_scenario_storage *storage, size_t n,
                   struct asim_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct asim_number_list ranges = {storage[i].hosts};
        uint32_t host;

        while (asim_number_list_next(&ranges, &host) > 0) {
            if (check_host(at, "storage host", host, storage[i].line, err))
                return ASIM_EINVAL;
            at->taken[host] = at->view.per_host;
        }
    }
    return 0;
}

static int place_all(struct placing *at, const uint32_t *ranks, uint32_t *host,
                     struct asim_err *err)
{
    const struct asim_scenario *scenario = at->scenario;

    if (check_stragglers(at, err) ||
        reserve(at, scenario->checkpoints.at, scenario->checkpoints.n, err) ||
        reserve(at, scenario->loading.at, scenario->loading.n, err))
        return ASIM_EINVAL;
    for (int lists = 1; lists >= 0; lists--) {
        uint32_t *next = host;

        for (size_t j = 0; j < at->scenario->jobs.n; j++, next += ranks[j - 1]) {
            at->job = &at->scenario->jobs.at[j];
            if (is_list(at->job) != lists)
                continue;
            if (lists ? place_list(at, ranks[j], next, err)
                      : place_by_policy(at, ranks[j], next, err))
                return ASIM_EINVAL;
        }
    }
    return 0;
}

int asim_scenario_place(const struct asim_scenario *scenario, const struct asim_topo *topo,
                        const uint32_t *ranks, uint32_t *host, struct asim_err *err)
{
    struct placing at = {.scenario = scenario, .topo = topo};
    size_t hosts = topo->hosts - topo->endpoints;
    int code;

    at.view.hosts = (uint32_t)hosts;
    at.view.per_host = scenario->hosts.ranks;
    at.switch_of = malloc((hosts + 1) * sizeof *at.switch_of);
    at.taken = calloc(hosts + 1, sizeof *at.taken);
    at.order = malloc((hosts * at.view.per_host + 1) * sizeof *at.order);
    at.view.switch_of = at.switch_of;
    if (!at.switch_of || !at.taken || !at.order || find_switches(&at))
        code = asim_err_nomem(err, "placing ranks");
    else
        code = place_all(&at, ranks, host, err);
    ASIM_FREE(at.switch_of, at.taken, at.order);
    return code;
}
