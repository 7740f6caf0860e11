/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of whole commands: making a training workload, estimating
 * it as SimAI-Analytical does, listing a collective's flows, running such flows by name, and
 * reporting a run.
 */
#include "nomem_run.h"

extern const struct asim_command asim_trace_command_llm, asim_command_nccl,
    asim_command_simai_analytical, asim_command_packet, asim_command_report;

int main(void)
{
    char *make[] = {"llm",
                    "--model=gpt-7b",
                    "--world-size=8",
                    "--tp=4",
                    "--sp",
                    "--layers=2",
                    "--global_batch=2",
                    "--roofline=H100",
                    "--et=nomem_et",
                    "-o",
                    "nomem_w.txt",
                    "--force",
                    NULL};
    char *estimate[] = {"simai-analytical", "-w", "nomem_w.txt", "-g",  "8",    "-g_p_s", "8",
                        "-n_p_s",           "8",  "-nv",         "300", "-r_f", ".",      "-r",
                        "nomem-",           NULL};
    char *list[] = {"nccl", "--ranks=8", "--gpus-per-server=4", "--pxn", "-o", "nomem_flows.csv",
                    NULL};
    char *play[] = {"packet", "--workload=nomem_c.txt", "--system=nomem_s.json",
                    "--topology=auto:Spectrum-X,g=4,gps=2,psn=1", NULL};
    char *record[] = {
        "packet",        "--workload=nomem_c.txt", "--quiet", "--topology=auto:leaf_spine,npa=2",
        "--out=nomem_o", "--reports=all",          NULL};
    char *report[] = {"report", "nomem_o", NULL};

    put("nomem_s.json", "{\"preferred-dataset-splits\": 1, \"endpoint-delay\": 10, "
                        "\"all-reduce-implementation\": [\"ncclTree\"], "
                        "\"all-gather-implementation\": [\"ncclPxn\"], "
                        "\"reduce-scatter-implementation\": [\"ncclAuto\"]}");
    put("nomem_c.txt", "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 "
                       "all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n2\n"
                       "a -1 1 ALLREDUCE 65536 1 ALLGATHER 65536 1 NONE 0 1\n"
                       "b -1 1 REDUCESCATTER 65536 1 NONE 0 1 NONE 0 1\n");
    refuse_each(&asim_trace_command_llm, make, 20);
    refuse_each(&asim_command_simai_analytical, estimate, 5);
    refuse_each(&asim_command_nccl, list, 5);
    refuse_each(&asim_command_packet, play, 100);
    CHECK_U64(run_quietly(&asim_command_packet, record), 0);
    refuse_each(&asim_command_report, report, 100);
    return CHECK_DONE();
}
