/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the map with an array of its expected content, over long random runs of puts and deletes
 * with a fixed seed. Few keys make long probe runs with many deletions inside, where errors of the
 * backward shift appear.
 */
#include "check.h"
#include "base/map.h"

enum { KEYS = 700, STEPS = 60000 };

/* xorshift64: the same draws on every machine. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct model {
    int there[KEYS];
    uint64_t value[KEYS];
    size_t n;
};

/* Key number k in one of three patterns users make: running numbers, ranks in the high word,
 * multiples of a large power of two. */
static void key_of(unsigned pattern, uint64_t k, uint64_t *hi, uint64_t *lo)
{
    *hi = pattern == 1 ? k : 0;
    *lo = pattern == 0 ? k : pattern == 2 ? k << 48 : 7;
}

static void compare(const struct asim_map *map, const struct model *model, unsigned pattern)
{
    uint64_t hi, lo;
    CHECK_U64(map->n, model->n);
    for (uint64_t k = 0; k < KEYS; k++) {
        key_of(pattern, k, &hi, &lo);
        const uint64_t *got = asim_map_get(map, hi, lo);
        CHECK((got != NULL) == model->there[k]);
        if (got)
            CHECK_U64(*got, model->value[k]);
    }
}

static void test_model(unsigned pattern)
{
    struct model model = {.n = 0};
    struct asim_map map;
    uint64_t state = 88172645463325252u + pattern, hi, lo;
    asim_map_init(&map);
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t k = draw(&state) % KEYS;
        key_of(pattern, k, &hi, &lo);
        /* The share of deletes varies, so the table fills and empties. */
        if (draw(&state) % 100 < ((step >> 12) & 1 ? 65u : 35u)) {
            CHECK(asim_map_delete(&map, hi, lo) == model.there[k]);
            model.n -= (size_t)model.there[k];
            model.there[k] = 0;
        } else {
            uint64_t *value = asim_map_put(&map, hi, lo);
            CHECK(value && *value == (model.there[k] ? model.value[k] : 0));
            if (!value)
                break;
            model.n += !model.there[k];
            model.there[k] = 1;
            model.value[k] = *value = draw(&state);
        }
        if (step % 5000 == 0)
            compare(&map, &model, pattern);
    }
    compare(&map, &model, pattern);
    CHECK((map.cap & (map.cap - 1)) == 0 && map.n < map.cap);
    asim_map_fini(&map);
}

static void test_empty(void)
{
    struct asim_map map;
    asim_map_init(&map);
    CHECK(!asim_map_get(&map, 0, 0));
    CHECK(!asim_map_delete(&map, 0, 0));
    CHECK(asim_map_put(&map, 0, 0) != NULL); /* the all-zero key is a key like others */
    CHECK(asim_map_get(&map, 0, 0) != NULL && !asim_map_get(&map, 1, 0) &&
          !asim_map_get(&map, 0, 1));
    CHECK(asim_map_delete(&map, 0, 0) == 1 && map.n == 0);
    asim_map_fini(&map);
    CHECK(map.cap == 0);
    CHECK(asim_map_put(&map, 1, 2) != NULL); /* usable after fini */
    asim_map_fini(&map);
}

int main(void)
{
    test_empty();
    for (unsigned pattern = 0; pattern < 3; pattern++)
        test_model(pattern);
    return CHECK_DONE();
}
