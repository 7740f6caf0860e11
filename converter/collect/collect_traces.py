#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Records the two traces that `asim trace pytorch` needs from a PyTorch DDP job, CUDA or ROCm.

Run it as it is for a small example job:

    torchrun --nproc-per-node=4 collect_traces.py --output traces
    asim trace pytorch traces --et-prefix=auto

or take `Recorder` into your own training script: make one after init_process_group, call step()
after each optimizer step, and stop() at the end. Each rank writes host_RANK.json (the execution
trace of the host: operators, tensors, process groups) and device_RANK.json (Kineto's trace of
kernels and runtime calls). Both observers must run over the same iterations, in one process;
record_shapes puts tensor sizes into the trace, from which the sizes of collectives come.

ROCm builds of PyTorch answer to torch.cuda and to the backend name "nccl" (RCCL), so nothing here
differs between the two. Where the profiler has the experimental switch, synchronisation events
are recorded too (CUDA only); without them waits are found from the blocking calls.

Not tested here: there was no machine with PyTorch and GPUs at hand. It uses only interfaces that
PyTorch 2.1 to 2.5 document.
"""
import argparse
import os

import torch
import torch.distributed as dist
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule


def experimental_config():
    """Asks for synchronisation events where this PyTorch knows them."""
    try:
        from torch._C._profiler import _ExperimentalConfig
        return _ExperimentalConfig(enable_cuda_sync_events=True)
    except (ImportError, TypeError):
        return None


class Recorder:
    """Records `active` iterations after `wait` idle and `warmup` warm ones."""

    def __init__(self, folder, rank, wait=0, warmup=5, active=1):
        os.makedirs(folder, exist_ok=True)
        self.host = os.path.join(folder, "host_%d.json" % rank)
        self.device = os.path.join(folder, "device_%d.json" % rank)
        self.first = wait + warmup
        self.last = wait + warmup + active
        self.count = 0
        self.observer = ExecutionTraceObserver()
        self.observer.register_callback(self.host)
        options = {}
        config = experimental_config()
        if config is not None:
            options["experimental_config"] = config
        self.profiler = profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=1),
            on_trace_ready=lambda p: p.export_chrome_trace(self.device),
            record_shapes=True,
            **options,
        )
        self.profiler.start()
        self._maybe_start()

    def _maybe_start(self):
        # Kernels still in flight from before would have no host op in the trace.
        if self.count == self.first:
            torch.cuda.synchronize()
            self.observer.start()

    def step(self):
        """Call once after each iteration."""
        self.count += 1
        if self.count == self.last:
            torch.cuda.synchronize()
            self.observer.stop()
        self.profiler.step()
        self._maybe_start()

    def done(self):
        return self.count >= self.last

    def stop(self):
        if self.count < self.last:
            self.observer.stop()
        self.profiler.stop()
        self.observer.unregister_callback()


def example(args):
    """A few layers under DDP, so that all-reduces overlap the backward pass."""
    local = int(os.environ.get("LOCAL_RANK", "0"))
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    layers = []
    for _ in range(args.layers):
        layers += [torch.nn.Linear(args.width, args.width), torch.nn.ReLU()]
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(*layers).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    recorder = Recorder(args.output, dist.get_rank(), warmup=args.warmup, active=args.active)
    while not recorder.done():
        batch = torch.randn(args.batch, args.width, device="cuda")
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        recorder.step()
    recorder.stop()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="traces", help="folder for the traces")
    parser.add_argument("--warmup", type=int, default=5, help="iterations before recording")
    parser.add_argument("--active", type=int, default=1, help="iterations recorded")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=256)
    example(parser.parse_args())


if __name__ == "__main__":
    main()
