#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a host trace and a Kineto device trace of one rank of an invented DDP job.

Used by the tests for what real traces at hand do not show: RCCL's generic kernels, several
process groups, and files of any size (--megabytes). The shapes of events, the ids and the
proportions (about four CPU ops, one launch, one kernel and two flow arrows per step of work)
follow PyTorch 2.4's; everything is counted, nothing random, so equal arguments give equal bytes.
"""
import argparse
import json

COLLECTIVES = ["allreduce", "_allgather_base", "_reduce_scatter_base", "broadcast", "all_to_allv"]
NCCL = {"allreduce": "nccl:all_reduce", "_allgather_base": "nccl:_all_gather_base",
        "_reduce_scatter_base": "nccl:_reduce_scatter_base", "broadcast": "nccl:broadcast",
        "all_to_allv": "nccl:all_to_all"}
KERNEL = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, " \
         "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)"


class Writer:
    def __init__(self, args):
        self.args = args
        self.host = open(args.host, "w")
        self.device = open(args.device, "w")
        self.rf = 0
        self.node = 2
        self.correlation = 1000
        self.time = 1000000.0
        self.busy = {0: 0.0, 1: 0.0}
        self.first_node = True
        self.first_event = True

    def emit_node(self, ident, name, parent, rf, inputs=None, attrs=()):
        inputs = inputs or ([], [], [])
        node = {"id": ident, "name": name, "ctrl_deps": parent,
                "inputs": {"values": inputs[0], "shapes": inputs[1], "types": inputs[2]},
                "outputs": {"values": [], "shapes": [], "types": []},
                "attrs": [{"name": "rf_id", "type": "uint64", "value": rf},
                          {"name": "fw_parent", "type": "uint64", "value": 0},
                          {"name": "seq_id", "type": "int64", "value": -1},
                          {"name": "scope", "type": "uint64", "value": 0},
                          {"name": "tid", "type": "uint64", "value": 1},
                          {"name": "fw_tid", "type": "uint64", "value": 0},
                          {"name": "op_schema", "type": "string", "value": ""}] + list(attrs)}
        self.host.write(("\n" if self.first_node else ",\n") + json.dumps(node))
        self.first_node = False

    def event(self, **event):
        self.device.write(("\n" if self.first_event else ",\n") + json.dumps(event))
        self.first_event = False

    def op(self, name, parent, dur, inputs=None, attrs=()):
        """A host node and its CPU event; returns (node, external id)."""
        self.rf += 1
        self.node += 1
        self.emit_node(self.node, name, parent, self.rf, inputs, attrs)
        self.event(ph="X", cat="cpu_op", name=name, pid=7, tid=7, ts=round(self.time, 3), dur=dur,
                   args={"External id": self.rf, "Record function id": self.rf, "Ev Idx": self.rf,
                         "Input Dims": [[256, 1024], [1024]], "Input type": ["float", "float"]})
        return self.node, self.rf

    def launch(self, external, name, dur, stream, after=0.0, more=None):
        self.correlation += 1
        runtime = "hipExtModuleLaunchKernel" if self.args.amd else "cudaLaunchKernel"
        where = {"External id": external, "correlation": self.correlation}
        self.event(ph="X", cat="cuda_runtime", name=runtime, pid=7, tid=7,
                   ts=round(self.time + 2, 3), dur=3,
                   args=dict(where, **({"stream": "0x0"} if self.args.amd else {"cbid": 211})))
        for ph in "sf":
            self.event(ph=ph, id=self.correlation, pid=7, tid=7, ts=round(self.time + 2, 3),
                       cat="ac2g", name="ac2g", bp="e")
        start = max(self.time + 8, self.busy[stream], after)
        self.busy[stream] = start + dur
        self.event(ph="X", cat="kernel", name=name, pid=0, tid=stream, ts=round(start, 3), dur=dur,
                   args=dict(where, device=0, stream=stream, grid=[864, 1, 1], block=[256, 1, 1],
                             **(more or {})))

    def compute(self, parent):
        outer, _ = self.op("aten::linear", parent, 30)
        self.time += 1
        inner, _ = self.op("aten::addmm", outer, 25)
        self.time += 1
        _, external = self.op("aten::add_", inner, 20)
        self.launch(external, KERNEL, 12.5, 0)
        self.time += 31

    def collective(self, parent, number, kind):
        group = str(1 + self.args.rank % 2) if number % 2 else "0"
        tensor = [number, number, 0, 4096 * (1 + number % 4), 4, "cuda:0"]
        record, _ = self.op("record_param_comms", parent, 40,
                            ([tensor, number, [group, "g"], 0, kind, [], []],
                             [[4096], [], [[], []], [], [], [], []],
                             ["Tensor(float)", "Int", "Tuple[String,String]", "Int", "String",
                              "GenericList[]", "GenericList[]"]))
        self.time += 1
        _, external = self.op(NCCL[kind], record, 30)
        name = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)" if self.args.amd \
            else "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        self.launch(external, name, 250, 1, self.busy[0])
        self.time += 45

    def run(self):
        args = self.args
        groups = [{"pg_name": "0", "ranks": []},
                  {"pg_name": str(1 + args.rank % 2), "ranks": [args.rank % 2, args.rank % 2 + 2]}]
        self.host.write('{"schema": "1.1.0-chakra.0.0.4", "pid": 7, "time": "2025-01-01 00:00:00",'
                        ' "start_ts": 1, "nodes": [')
        self.device.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "invented"}'
                          '], "distributedInfo": %s, "traceEvents": ['
                          % json.dumps({"backend": "nccl", "rank": args.rank, "world_size": 4,
                                        "pg_config": groups}))
        self.emit_node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)
        self.emit_node(2, "[pytorch|profiler|execution_trace|thread]", 1, 0)
        self.op("## process_group:init ##", 2, 1,
                ([json.dumps(groups)], [[]], ["String"]))
        step = 0
        while step < args.steps or self.device.tell() < args.megabytes * 1e6:
            for _ in range(args.layers):
                self.compute(2)
            if step < args.steps:
                self.collective(2, step, COLLECTIVES[step % len(COLLECTIVES)])
            step += 1
        self.host.write('], "finish_ts": 2}\n')
        self.device.write('], "traceName": "invented.json"}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--steps", type=int, default=10, help="collectives")
    parser.add_argument("--layers", type=int, default=3, help="computations before each")
    parser.add_argument("--megabytes", type=float, default=0, help="least size of the device trace")
    parser.add_argument("--amd", action="store_true", help="RCCL and HIP names")
    Writer(parser.parse_args()).run()


main()
