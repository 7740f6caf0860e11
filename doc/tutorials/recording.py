# SPDX-License-Identifier: GPL-2.0-only
"""Writes recorded/: what PyTorch would have recorded of a step of two ranks, or as many as the argument says, with one
kernel and one all-reduce each."""
import json
import os
import sys

RANKS = int(sys.argv[1]) if len(sys.argv) > 1 else 2


def attribute(name, kind, value):
    return {"name": name, "type": kind, "value": value}


def host(rank):
    """An execution trace: the process, a thread, two operators that launch a kernel each."""
    def node(number, name, parent, record=None):
        attrs = [attribute("tid", "uint64", 1)] + ([attribute("rf_id", "uint64", record)] if record else [])
        return {"id": number, "name": name, "ctrl_deps": parent, "attrs": attrs,
                "inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}}
    return {"schema": "1.1.0-chakra.0.0.4", "pid": rank + 1, "nodes": [
        node(1, "[pytorch|profiler|execution_trace|process]", 1), node(2, "[pytorch|profiler|execution_trace|thread]", 1),
        node(3, "aten::mm", 2, 5), node(4, "nccl:all_reduce", 2, 6)], "finish_ts": 3}


def device(rank):
    """A profiler's trace: operators on the CPU, launches, and kernels on the GPU; times in us."""
    def event(kind, name, start, length, **args):
        return {"ph": "X", "cat": kind, "name": name, "pid": rank + 1, "tid": 1, "ts": start, "dur": length, "args": args}
    group = {"Process Group Name": "0", "Process Group Ranks": str(list(range(RANKS))), "Collective name": "allreduce", "dtype": "Float",
             "In msg nelems": 1048576, "Out msg nelems": 1048576, "Group size": RANKS}
    return {"distributedInfo": {"rank": rank, "world_size": RANKS}, "traceEvents": [
        event("user_annotation", "ProfilerStep#33", 0, 900),
        event("cpu_op", "aten::mm", 10, 20, **{"Record function id": 5, "External id": 5, "Ev Idx": 1}),
        event("cuda_runtime", "cudaLaunchKernel", 15, 5, **{"External id": 5, "correlation": 50}),
        event("kernel", "ampere_sgemm_128x64", 30, 400, **{"External id": 5, "correlation": 50, "stream": 7}),
        event("cpu_op", "nccl:all_reduce", 40, 20, **{"Record function id": 6, "External id": 6, "Ev Idx": 2}),
        event("cuda_runtime", "cudaLaunchKernel", 45, 5, **{"External id": 6, "correlation": 60}),
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 440, 430, **{"External id": 6, "correlation": 60, "stream": 7}, **group)]}


os.makedirs("recorded", exist_ok=True)
for r in range(RANKS):
    with open(f"recorded/host_{r}.json", "w", encoding="utf-8") as file:
        json.dump(host(r), file)
    with open(f"recorded/device_{r}.json", "w", encoding="utf-8") as file:
        json.dump(device(r), file)
    with open(f"recorded/training_{r}.json", "w", encoding="utf-8") as file:
        json.dump({"t_step_ms": 0.9, "t_comm_ms": 0.43}, file)
