/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The whole unit-test kit. A failed check prints both sides and the place, and the test goes on.
 * main ends with `return CHECK_DONE();`.
 */
#ifndef ASIM_TESTS_CHECK_H
#define ASIM_TESTS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;
static int check_count;

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        check_count++;                                                                             \
        if (!(cond)) {                                                                             \
            check_failures++;                                                                      \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                   \
        }                                                                                          \
    } while (0)

#define CHECK_U64(got, want)                                                                       \
    do {                                                                                           \
        uint64_t check_g = (uint64_t)(got), check_w = (uint64_t)(want);                            \
        check_count++;                                                                             \
        if (check_g != check_w) {                                                                  \
            check_failures++;                                                                      \
            fprintf(stderr, "%s:%d: %s is %" PRIu64 ", want %" PRIu64 "\n", __FILE__, __LINE__,    \
                    #got, check_g, check_w);                                                       \
        }                                                                                          \
    } while (0)

#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *check_g = (got), *check_w = (want);                                            \
        check_count++;                                                                             \
        if (!check_g || strcmp(check_g, check_w)) {                                                \
            check_failures++;                                                                      \
            fprintf(stderr, "%s:%d: %s is\n  \"%s\", want\n  \"%s\"\n", __FILE__, __LINE__, #got,  \
                    check_g ? check_g : "(null)", check_w);                                        \
        }                                                                                          \
    } while (0)

/* Long random tests take every seed with tests/run --slow. Else each build takes seeds of its own,
 * of no common remainder: two fifths, and a tenth under the sanitizers, where a seed takes five
 * times as long. */
static inline int check_is_slow(void)
{
    const char *slow = getenv("ASIM_SLOW");

    return slow && *slow;
}

static inline int check_takes(uint64_t seed)
{
    uint32_t tenth = ((uint32_t)(seed * 2654435761u) >> 16) % 10;

#ifdef ASIM_ASAN
    return check_is_slow() || tenth == 0;
#else
    return check_is_slow() || tenth % 5 == 1 || tenth % 5 == 2;
#endif
}

/* Whether sums over the seeds taken are large enough to ask for: not of a tenth. */
static inline int check_sums(void)
{
#ifdef ASIM_ASAN
    return check_is_slow();
#else
    return 1;
#endif
}

/* Of what all seeds reach, the share of those taken. */
static inline uint64_t check_share(uint64_t of_all)
{
    return check_is_slow() ? of_all : of_all * 2 / 5;
}

/* The exit code of main: 1 if a check failed. Ignoring it does not compile. */
#define CHECK_DONE() check_done()

#ifdef __GNUC__
__attribute__((warn_unused_result))
#endif
static inline int
check_done(void)
{
    fprintf(stderr, "%d checks, %d failed\n", check_count, check_failures);
    return check_failures != 0;
}

#endif
