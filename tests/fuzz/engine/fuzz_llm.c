/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of asim trace llm with a table of compute times, a model or recorded token counts.
 */
#include "fuzz/engine/words.h"

WORDS_TARGET(asim_trace_command_llm, "llm", "--output=w", "--force")
