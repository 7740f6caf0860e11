/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of the commands a trace goes through: linking, converting,
 * repairing in each of its ways, calibrating, scaling, checking, drawing and writing as JSON. The
 * trace is a job of two ranks with a collective, a wait for the GPU and an op without a parent.
 */
#include "nomem_run.h"

extern const struct asim_command asim_trace_command_link, asim_trace_command_convert,
    asim_trace_command_repair, asim_trace_command_calibrate, asim_trace_command_scale,
    asim_trace_command_check, asim_trace_command_draw, asim_trace_command_dump;

static const char host_text[] =
    "{\"schema\": \"1.1.0-chakra.0.0.4\", \"pid\": 1, \"nodes\": ["
    "{\"id\": 1, \"name\": \"[pytorch|profiler|execution_trace|process]\", \"ctrl_deps\": 1,"
    " \"attrs\": []},"
    "{\"id\": 2, \"name\": \"[pytorch|profiler|execution_trace|thread]\", \"ctrl_deps\": 1,"
    " \"attrs\": [{\"name\": \"tid\", \"value\": 1}]},"
    "{\"id\": 3, \"name\": \"aten::add\", \"ctrl_deps\": 2,"
    " \"attrs\": [{\"name\": \"rf_id\", \"value\": 5}, {\"name\": \"tid\", \"value\": 1}]},"
    "{\"id\": 4, \"name\": \"aten::\\u00e9\", \"ctrl_deps\": 99,"
    " \"attrs\": [{\"name\": \"rf_id\", \"value\": 6}, {\"name\": \"tid\", \"value\": 1}]}],"
    " \"finish_ts\": 3}";

static const char device_text[] =
    "{\"distributedInfo\": {\"pg_config\": [{\"pg_name\": \"0\", \"ranks\": []}]},"
    " \"traceEvents\": ["
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 1,"
    " \"ts\": 10, \"dur\": 20.5, \"args\": {\"External id\": 1, \"Record function id\": 5}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 1,"
    " \"tid\": 1, \"ts\": 12, \"dur\": 1, \"args\": {\"correlation\": 7, \"stream\": \"0x0\"}},"
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_Generic_4\", \"pid\": 0,"
    " \"tid\": 0, \"ts\": 15, \"dur\": 10, \"args\": {\"correlation\": 7, \"stream\": 0, "
    "\"device\":"
    " 0, \"Collective name\": \"allreduce\", \"Process Group Name\": \"0\"}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipDeviceSynchronize\", \"pid\": 1,"
    " \"tid\": 1, \"ts\": 31, \"dur\": 5, \"args\": {\"correlation\": 8}},"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mul\", \"pid\": 1, \"tid\": 1,"
    " \"ts\": 40, \"dur\": 2, \"args\": {\"External id\": 2, \"Record function id\": 6}}]}";

int main(void)
{
    char *link[] = {"link", "--host=nomem_h.json", "--device=nomem_d.json", "--output=nomem_l.json",
                    NULL};
    char *convert[] = {"convert",  "--input=nomem_l.json",  "--output=nomem_t.0.et",
                       "--rank=0", "--groups=nomem_g.json", NULL};
    char *host_only[] = {"convert", "--input=nomem_h.json", "--output=nomem_t.1.et", NULL};
    char *repair[] = {"repair", "nomem_t", "--output=nomem_r", NULL};
    char *simple[] = {"repair", "nomem_t", "--output=nomem_s", "--simple", NULL};
    char *gpu_only[] = {"repair", "nomem_t.0.et", "--output=nomem_p.0.et", "--gpu-only", NULL};
    char *calibrate[] = {"calibrate", "nomem_p.0.et", "--output=nomem_c.0.et",
                         "--device=nomem_d.json", NULL};
    char *scale[] = {"scale", "--input=nomem_p", "--output=nomem_4", "--ranks=4", NULL};
    char *check[] = {"check", "nomem_4", NULL};
    char *draw[] = {"draw", "--input=nomem_t.0.et", "--output=nomem_t.graphml", NULL};
    char *dump[] = {"dump", "nomem_t.0.et", NULL};

    put("nomem_h.json", host_text);
    put("nomem_d.json", device_text);
    refuse_each(&asim_trace_command_link, link, 20);
    refuse_each(&asim_trace_command_convert, convert, 20);
    refuse_each(&asim_trace_command_convert, host_only, 20);
    refuse_each(&asim_trace_command_repair, repair, 20);
    refuse_each(&asim_trace_command_repair, simple, 20);
    refuse_each(&asim_trace_command_repair, gpu_only, 20);
    refuse_each(&asim_trace_command_calibrate, calibrate, 20);
    refuse_each(&asim_trace_command_scale, scale, 10);
    refuse_each(&asim_trace_command_check, check, 10);
    refuse_each(&asim_trace_command_draw, draw, 5);
    refuse_each(&asim_trace_command_dump, dump, 5);
    return CHECK_DONE();
}
