/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares a set of indices with a plain array of flags.
 */
#include <stdlib.h>
#include "check.h"
#include "base/index_set.h"

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void check_set(uint32_t size)
{
    struct asim_index_set set;
    uint64_t state = size + 1;
    unsigned char *plain = calloc(size, 1);
    CHECK_U64(asim_index_set_init(&set, size), 0);
    for (int i = 0; i < 2000; i++) {
        uint32_t at = (uint32_t)(draw(&state) % size);
        if (plain[at])
            asim_index_set_remove(&set, at);
        else
            asim_index_set_add(&set, at);
        plain[at] ^= 1;
        unsigned char *first = memchr(plain, 1, size);
        CHECK((set.n == 0) == (first == NULL));
        if (first)
            CHECK_U64(asim_index_set_lowest(&set), first - plain);
    }
    asim_index_set_fini(&set);
    free(plain);
}

int main(void)
{
    static const uint32_t sizes[] = {1, 63, 64, 65, 4096, 4097, 300000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_set(sizes[i]);
    return CHECK_DONE();
}
