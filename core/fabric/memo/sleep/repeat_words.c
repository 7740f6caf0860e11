/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See repeat_words.h.
 */
#include "fabric/memo/sleep/repeat_words.h"

int asim_repeat_words_end(const struct asim_repeats *repeats, const struct asim_repeat_words *words,
                          struct asim_repeat_state *state)
{
    size_t n = (size_t)(words->at - repeats->words);
    int same = !words->is_excluded && state->taken_at + 1 == repeats->window &&
               n == state->n_words &&
               !memcmp(state->words, repeats->words, n * sizeof *state->words);

    state->taken_at = words->is_excluded ? ASIM_NEVER : repeats->window;
    if (words->is_excluded || same)
        return same;
    if (n > state->cap && asim_grow(&state->words, &state->cap, n, sizeof *state->words)) {
        state->taken_at = ASIM_NEVER; /* without memory it stays awake */
        return 0;
    }
    memcpy(state->words, repeats->words, n * sizeof *state->words);
    state->n_words = n;
    return 0;
}
