/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts that each placement gives the jobs, on leaves of four hosts and on rails.
 */
#include "check.h"
#include "scenario/place.h"

#include <stdlib.h>
#include <string.h>

enum { HOSTS = 16, MOST = 64 };

/* The hosts of all ranks as text, jobs separated by a bar; or the error. */
static const char *place(char *text, size_t size, const char *spec, const char *json,
                         const uint32_t *ranks)
{
    struct asim_scenario *scenario = NULL;
    struct asim_err err = {0};
    struct asim_topo topo;
    uint32_t host[MOST], next = 0;
    uint32_t hosts = strstr(spec, "gpus=4") ? 4 : strstr(spec, "g=8") ? 8 : HOSTS;
    size_t n = 0;

    asim_topo_init(&topo);
    text[0] = '\0';
    if (!asim_scenario_read(&scenario, json, &err) && !asim_topo_make(&topo, spec, hosts, &err) &&
        !asim_scenario_place(scenario, &topo, ranks, host, &err))
        for (size_t j = 0; j < scenario->jobs.n; j++) {
            n += (size_t)snprintf(text + n, size - n, "%s", j ? "| " : "");
            for (uint32_t r = 0; r < ranks[j]; r++)
                n += (size_t)snprintf(text + n, size - n, "%u ", host[next++]);
        }
    if (err.code)
        snprintf(text, size, "%.900s", err.text);
    asim_topo_fini(&topo);
    asim_scenario_close(scenario);
    return text;
}

#define JOB(placement) "{\"workload\": \"w\", \"placement\": \"" placement "\"}"
#define JOBS(list)     "{\"jobs\": [" list "]}"

static void test_policies(void)
{
    static const struct {
        const char *spec, *json;
        uint32_t ranks[3];
        const char *want;
    } rows[] = {
        {"leaf_spine,npa=4,psn=2", JOBS(JOB("packed")), {5}, "0 1 2 3 4 "},
        {"leaf_spine,npa=4,psn=2", JOBS(JOB("spread")), {6}, "0 4 8 12 1 5 "},
        {"leaf_spine,npa=4,psn=2", JOBS(JOB("rail")), {5}, "0 1 2 3 4 "},
        /* what one job has taken is left out by the next; lists come first */
        {"leaf_spine,npa=4,psn=2",
         JOBS(JOB("spread") "," JOB("packed")),
         {4, 4},
         "0 4 8 12 | 1 2 3 5 "},
        {"leaf_spine,npa=4,psn=2", JOBS(JOB("packed") "," JOB("2-3,0")), {3, 3}, "1 4 5 | 2 3 0 "},
        /* GPUs of two servers of four share four rails */
        {"rail,g=8,gps=4,asn=4", JOBS(JOB("rail")), {4}, "0 4 1 5 "},
        {"leaf_spine,npa=4,psn=2",
         JOBS(JOB("packed") "," JOB("packed")),
         {10, 7},
         "job 'job1' has 7 ranks, but only 6 places are free (storage hosts are none): the "
         "topology "
         "leaf_spine,npa=4,psn=2 has 16 hosts of 1 ranks each."},
    };
    char text[1024];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(place(text, sizeof text, rows[i].spec, rows[i].json, rows[i].ranks),
                  rows[i].want);
}

/* Servers of two ranks: packed fills a host, spread gives each a rank first. */
static void test_servers(void)
{
    const uint32_t ranks[] = {6};
    char text[1024];

    CHECK_STR(place(text, sizeof text, "leaf_spine,npa=4,psn=2",
                    "{\"hosts\": {\"ranks\": 2}, \"jobs\": [" JOB("packed") "]}", ranks),
              "0 0 1 1 2 2 ");
    CHECK_STR(place(text, sizeof text, "leaf_spine,gpus=4,npa=2,psn=2",
                    "{\"hosts\": {\"ranks\": 2}, \"jobs\": [" JOB("spread") "]}", ranks),
              "0 2 1 3 0 2 ");
}

/* Storage hosts run no rank. */
static void test_storage(void)
{
    const uint32_t ranks[] = {3};
    char text[1024];

    CHECK_STR(
        place(text, sizeof text, "leaf_spine,npa=4,psn=2",
              "{\"checkpoints\": [{\"storage\": \"0,2\", \"size\": \"1MiB\"}], \"jobs\": [" JOB(
                  "packed") "]}",
              ranks),
        "1 3 4 ");
}

/* A permutation, the same for one seed, another for another. */
static void test_random(void)
{
    const uint32_t ranks[] = {HOSTS};
    char first[1024], same[1024], other[1024];
    unsigned long seen = 0;
    char *at = first;

    place(first, sizeof first, "switch", JOBS(JOB("random,seed=5")), ranks);
    place(same, sizeof same, "switch", JOBS(JOB("random,seed=5")), ranks);
    place(other, sizeof other, "switch", JOBS(JOB("random,seed=6")), ranks);
    CHECK_STR(first, same);
    CHECK(strcmp(first, other) != 0);
    for (int r = 0; r < HOSTS; r++)
        seen |= 1ul << strtoul(at, &at, 10);
    CHECK(seen == (1ul << HOSTS) - 1);
}

int main(void)
{
    test_policies();
    test_servers();
    test_storage();
    test_random();
    return CHECK_DONE();
}
