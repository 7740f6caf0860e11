/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which networks have two sides, and that these take turns: over a leaf and spine network the
 * windows of a run are one side's but for the last ones, and no node comes to see an event late.
 * That nothing else changes is what all other tests of windows are about.
 */
#include "fabric/parallel/half_steps.h"
#include "lab.h"

static const uint64_t LINK[2] = {400, 500};

/* Two hosts under each of two leaves, a spine above, and one link more, of `a` and `b`. */
static struct lab *leaf_spine(uint32_t a, uint32_t b)
{
    struct lab *lab = lab_open(4, 3);

    for (uint32_t h = 0; h < 4; h++)
        lab_link(lab, h, 4 + h / 2, LINK);
    lab_link(lab, 4, 6, LINK);
    lab_link(lab, 5, 6, LINK);
    if (a != b)
        lab_link(lab, a, b, LINK);
    return lab;
}

static void sides(uint32_t a, uint32_t b, const char *want)
{
    struct lab *lab = leaf_spine(a, b);

    lab_prepare(lab, 0);
    CHECK((lab->fabric->set.half_of != NULL) == (want != NULL));
    for (uint32_t v = 0; lab->fabric->set.half_of && want && v < 7; v++)
        CHECK_U64(lab->fabric->set.half_of[v], (uint64_t)(want[v] - '0'));
    lab_close(lab);
}

static void turns(void)
{
    struct lab *lab = leaf_spine(0, 0);
    struct asim_err err = {0};
    uint64_t alone = 0, next;

    for (uint32_t h = 0; h < 4; h++)
        lab_send(lab, 0, (const uint32_t[2]){h, (h + 1) % 4}, 200000);
    lab_prepare(lab, 0);
    lab_start(lab);
    while ((next = asim_fabric_next(lab->fabric)) != ASIM_NEVER) {
        CHECK(next >= lab->settled);
        asim_fabric_step(lab->fabric, &err);
        alone += lab->fabric->run.half != ASIM_BOTH_SIDES;
    }
    for (uint32_t i = 0; i < lab->n; i++)
        CHECK_U64(lab->msg[i].n_arrived, 1);
    CHECK(alone + 4 > lab->fabric->run.windows);
    CHECK(alone > 10);
    lab_close(lab);
}

int main(void)
{
    sides(0, 0, "0000110"); /* no link more */
    sides(0, 4, "0000110"); /* a second NIC */
    sides(0, 6, NULL);      /* a host at the spine: a circle of three links */
    sides(4, 5, NULL);      /* leaf with leaf */
    sides(0, 1, NULL);      /* host with host */
    turns();
    return CHECK_DONE();
}
