/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of asim packet at the flow level, with a scenario, a topology or any other of its files:
 * two ranks run, or background traffic alone.
 */
#include "fuzz/engine/words.h"

extern const struct asim_command asim_trace_command_generate;
WORDS_TARGET(asim_command_packet, "packet", "--model=flow", "--quiet")

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char *words[] = {"generate",    "--output=w",     "--ranks=2", "--type=all_reduce",
                     "--size=4KiB", "--compute-us=1", NULL};

    (void)argc;
    (void)argv;
    words_folder();
    return asim_args_command(&asim_trace_command_generate, 6, words);
}
