/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Host traces (JSON), linked with a device trace.
 */
#include "fuzz/engine/command.h"
#include "unit/converter/small_traces.h"

extern const struct asim_command asim_trace_command_link;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const words[] = {"link", "--host=%s.host", "--device=%s.device",
                                        "--output=%s.out", NULL};

    target_file(data, size, ".host");
    target_file((const uint8_t *)device_text, sizeof device_text - 1, ".device");
    target_run(&asim_trace_command_link, words);
    return 0;
}
