/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The time left: exact at an even speed, near after a change of speed, unknown while nothing is
 * done; with more samples than the list has room for, too.
 */
#include "check.h"
#include "cli/eta.h"

/* Twenty times as fast before `turn` seconds as after it; returns the share done after s. */
static double two_speeds(double s, double turn, double end)
{
    double all = 20 * turn + (end - turn);

    return s < turn ? 20 * s / all : (20 * turn + (s - turn)) / all;
}

/* At 25, 50, 75 % of the time the estimate is within 1 % where the speed has been even for a third
 * of the time passed. */
static void check_change(double turn, double end)
{
    struct asim_eta eta = {.n = 0};
    unsigned right = 0;

    for (int i = 1; i < 2 * end; i++) {
        double s = i / 2.0, left;

        asim_eta_note(&eta, s, two_speeds(s, turn, end));
        left = asim_eta_left(&eta);
        if (s == end / 4 || s == end / 2 || s == end * 3 / 4)
            right += left > 0.99 * (end - s) && left < 1.01 * (end - s);
    }
    CHECK_U64(right, 3);
}

int main(void)
{
    struct asim_eta eta = {.n = 0};

    CHECK(asim_eta_left(&eta) < 0);
    asim_eta_note(&eta, 1, 0);
    CHECK(asim_eta_left(&eta) < 0);
    asim_eta_note(&eta, 2, 0.25);
    CHECK(asim_eta_left(&eta) > 2.99 && asim_eta_left(&eta) < 3.01);
    for (int s = 3; s < 8; s++)
        asim_eta_note(&eta, s, 0.25);
    CHECK(asim_eta_left(&eta) < 0);
    check_change(0, 100);
    check_change(10, 100);
    check_change(10, 1000);
    return CHECK_DONE();
}
