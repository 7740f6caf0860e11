/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the heap with a sorted array. Keys come from a small range, so that ties often decide;
 * every entry has its own tie, so the order of pops is fully determined.
 */
#include "check.h"
#include "base/heap.h"

enum { MOST = 400, STEPS = 20000 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct model {
    struct asim_heap_entry at[MOST]; /* ascending */
    size_t n;
};

static void model_insert(struct model *model, struct asim_heap_entry e)
{
    size_t i = model->n++;
    while (i && (model->at[i - 1].key > e.key ||
                 (model->at[i - 1].key == e.key && model->at[i - 1].tie > e.tie))) {
        model->at[i] = model->at[i - 1];
        i--;
    }
    model->at[i] = e;
}

static void model_drop_first(struct model *model)
{
    model->n--;
    memmove(model->at, model->at + 1, model->n * sizeof *model->at);
}

static void check_same(struct asim_heap_entry got, struct asim_heap_entry want)
{
    CHECK_U64(got.key, want.key);
    CHECK_U64(got.tie, want.tie);
    CHECK_U64(got.value, want.value);
}

/* One random operation, push or pop, in both. */
static void step_both(struct asim_heap *heap, struct model *model, uint64_t *state, uint64_t tie)
{
    struct asim_heap_entry e = {draw(state) % 20, tie, ~tie};
    /* Ties run both up and down, so that insertion order alone cannot pass. */
    if (tie & 1)
        e.tie = UINT64_MAX - tie;
    uint64_t what = draw(state) % 10;
    if (model->n == 0 || (what < 5 && model->n < MOST)) {
        CHECK(asim_heap_push(heap, e) == 0);
        model_insert(model, e);
    } else {
        check_same(asim_heap_pop(heap), model->at[0]);
        model_drop_first(model);
    }
    CHECK_U64(heap->n, model->n);
    if (model->n)
        check_same(heap->at[0], model->at[0]);
}

int main(void)
{
    struct asim_heap heap;
    static struct model model; /* large for a stack */
    uint64_t state = 2463534242u;
    asim_heap_init(&heap);
    for (uint64_t i = 0; i < STEPS; i++)
        step_both(&heap, &model, &state, i);
    while (model.n) {
        check_same(asim_heap_pop(&heap), model.at[0]);
        model_drop_first(&model);
    }
    CHECK_U64(heap.n, 0);
    asim_heap_fini(&heap);
    CHECK(!heap.at && !heap.cap);
    return CHECK_DONE();
}
