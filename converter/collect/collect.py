#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Trains a small model with PyTorch and records what asim needs: asim trace collect prints this file.

Start it once for each GPU, with the variables RANK and WORLD_SIZE of torchrun:

    torchrun --nproc-per-node=8 collect.py --model=resnet50 --dataset=cifar10 --out=traces

It writes for each rank r

    traces/host_r.json      the execution trace (ExecutionTraceObserver) of the recorded steps
    traces/device_r.json    the profiler's trace (Kineto) of the same steps
    traces/training_r.json  training metrics: time of a step and of its communication, in ms

Then `asim run --workload=traces` converts, simulates and compares with the recorded step.
To record a program of your own, import Recorder and call step() behind each training step.
"""
import argparse
import json
import os
import time


class Recorder:
    """Skips `wait` steps, warms up for one, and records the next `steps` of one rank into `folder`."""

    def __init__(self, folder, rank, world_size, wait, steps):
        import torch  # only where it records: --help works without
        from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

        self.torch, self.folder, self.rank, self.world_size = torch, folder, rank, world_size
        self.first, self.last, self.at = wait + 1, wait + 1 + steps, 0
        self.times = []
        os.makedirs(folder, exist_ok=True)
        self.observer = ExecutionTraceObserver()
        self.observer.register_callback(f"{folder}/host_{rank}.json")
        activities = [ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(ProfilerActivity.CUDA)
        self.profiler = profile(
            activities=activities, schedule=schedule(wait=wait, warmup=1, active=steps, repeat=1),
            on_trace_ready=lambda done: done.export_chrome_trace(f"{folder}/device_{rank}.json"),
            record_shapes=True)
        self.profiler.start()
        self._begin()

    def _begin(self):
        if self.at == self.first:
            self.observer.start()
        self._wait()
        self.began = time.perf_counter()

    def _wait(self):
        if self.torch.cuda.is_available():
            self.torch.cuda.synchronize()

    def step(self):
        """Ends a step. Returns True when all steps are recorded."""
        self._wait()
        if self.first <= self.at < self.last:
            self.times.append((time.perf_counter() - self.began) * 1e3)
        self.at += 1
        if self.at == self.last:
            self.observer.stop()
            self.observer.unregister_callback()
        self.profiler.step()
        if self.at < self.last:
            self._begin()
            return False
        self.profiler.stop()
        self._write()
        return True

    def _write(self):
        metrics = {"rank": self.rank, "world_size": self.world_size, "steps": len(self.times),
                   "t_step_ms": sum(self.times) / len(self.times), "t_steps_ms": self.times}
        comm = communication_ms(f"{self.folder}/device_{self.rank}.json")
        if comm > 0:
            metrics["t_comm_ms"] = comm / len(self.times)
        with open(f"{self.folder}/training_{self.rank}.json", "w", encoding="utf-8") as file:
            json.dump(metrics, file, indent=2)
            file.write("\n")


def communication_ms(path):
    """Time in which at least one NCCL or RCCL kernel of a profiler's trace runs."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in events
                   if e.get("cat") == "kernel" and "nccl" in e.get("name", "").lower() and "dur" in e)
    total = end = 0
    for start, stop in spans:
        total += max(0, stop - max(start, end))
        end = max(end, stop)
    return total / 1e3


def make_model(name, classes):
    """A network of torchvision, or a small convolutional one."""
    import torch

    if name != "cifar10":
        import torchvision

        return getattr(torchvision.models, name)(num_classes=classes)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(32, 64, 3),
        torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(classes))


def make_batches(options, device):
    """Batches without end: random images of the data set's size, or CIFAR-10 itself (--download)."""
    import torch

    if options.download:
        import torchvision

        data = torchvision.datasets.CIFAR10("data", download=True, transform=torchvision.transforms.ToTensor())
        loader = torch.utils.data.DataLoader(data, options.batch_size, shuffle=True, drop_last=True)
        while True:
            for images, labels in loader:
                yield images.to(device), labels.to(device)
    side = 32 if options.dataset == "cifar10" else 224
    images = torch.randn(options.batch_size, 3, side, side, device=device)
    labels = torch.randint(0, 10, (options.batch_size,), device=device)
    while True:
        yield images, labels


def train(options):
    import torch
    import torch.distributed as dist

    rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    on_gpu = torch.cuda.is_available()
    device = torch.device(f"cuda:{os.environ.get('LOCAL_RANK', rank)}" if on_gpu else "cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    if world_size > 1:
        dist.init_process_group("nccl" if on_gpu else "gloo")
    model = make_model(options.model, 10).to(device)
    batches = make_batches(options, device)
    model(next(batches)[0][:2])  # sizes of lazy layers
    if world_size > 1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    recorder = Recorder(options.out, rank, world_size, options.trace_wait, options.trace_steps)
    for images, labels in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        if options.inject_sync_hack and on_gpu:
            torch.cuda.synchronize()
        if recorder.step():
            break
    if world_size > 1:
        dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--model", default="resnet50", help="cifar10 (small), or a model of torchvision such as resnet18, resnet50")
    add("--dataset", default="cifar10", choices=["cifar10", "imagenet"], help="size of the images")
    add("--download", action="store_true", help="real CIFAR-10 images; without it random ones, which take as long")
    add("--batch-size", type=int, default=64, help="images a GPU and step")
    add("--trace-wait", type=int, default=32, help="steps before the recording")
    add("--trace-steps", type=int, default=1, help="steps to record")
    add("--inject-sync-hack", action="store_true", help="wait for the GPU at the end of each step")
    add("--epochs", type=int, help="accepted for published commands; the recording ends the program")
    add("--profile-epoch", type=int, help="the same")
    add("--out", "--output-dir", default="traces", help="folder to write")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
