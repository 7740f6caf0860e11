/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of the commands a trace goes through: linking, converting,
 * repairing in each of its ways, calibrating, scaling, changing buckets, checking, drawing and
 * writing as JSON. The trace is a job of two ranks with a collective, a wait for the GPU and an op
 * without a parent.
 */
#include "nomem_run.h"
#include "converter/small_traces.h"

extern const struct asim_command asim_trace_command_link, asim_trace_command_convert,
    asim_trace_command_repair, asim_trace_command_calibrate, asim_trace_command_scale,
    asim_trace_command_buckets, asim_trace_command_check, asim_trace_command_draw,
    asim_trace_command_dump, asim_trace_command_generate;

int main(void)
{
    char *link[] = {
        "link", "--host=nomem_h.json", "--device=nomem_d.json", "--output=nomem_l.json", "--force",
        NULL};
    char *convert[] = {"convert",
                       "--input=nomem_l.json",
                       "--output=nomem_t.0.et",
                       "--force",
                       "--rank=0",
                       "--groups=nomem_g.json",
                       NULL};
    char *host_only[] = {"convert", "--input=nomem_h.json", "--output=nomem_t.1.et", "--force",
                         NULL};
    char *repair[] = {"repair", "nomem_t", "--output=nomem_r", "--force", NULL};
    char *simple[] = {"repair", "nomem_t", "--output=nomem_s", "--simple", "--force", NULL};
    char *gpu_only[] = {"repair",     "nomem_t.0.et", "--output=nomem_p.0.et",
                        "--gpu-only", "--force",      NULL};
    char *calibrate[] = {"calibrate", "nomem_p.0.et",          "--output=nomem_c.0.et",
                         "--force",   "--device=nomem_d.json", NULL};
    char *scale[] = {"scale", "--input=nomem_p", "--output=nomem_4", "--ranks=4", "--force", NULL};
    char *buckets[] = {"buckets",         "--input=nomem_a", "--output=nomem_b",
                       "--bucket-mb=0.5", "--force",         NULL};
    char *made[] = {"generate",  "--out=nomem_a", "--ranks=2", "--size=1MiB",
                    "--count=3", "--force",       NULL}; /* of an earlier run of the test */
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
    CHECK_U64(run_quietly(&asim_trace_command_generate, made), 0);
    refuse_each(&asim_trace_command_buckets, buckets, 10);
    refuse_each(&asim_trace_command_check, check, 10);
    refuse_each(&asim_trace_command_draw, draw, 5);
    refuse_each(&asim_trace_command_dump, dump, 5);
    return CHECK_DONE();
}
