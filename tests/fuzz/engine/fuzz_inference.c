/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of asim inference with a file of requests, times, GPUs or a model; the requests are
 * served.
 */
#include "fuzz/engine/words.h"

WORDS_TARGET(asim_command_inference, "inference")
