#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mscclpp.py KIND GPUS [OLD~NEW ...]: an execution plan of MSCCL++; OLD is replaced by NEW once in the text.
Without arguments: the kinds.

reads (all-reduce: each sums its chunk of all and writes it back), packets (the same in packets), ports (all-gather
by puts with signals), gets (reduce-scatter by gets), shared (all-to-all: two thread blocks share each put, a third
signals behind a barrier), relay (all-gather round a ring, thread blocks handing on by semaphores).
"""
import json
import sys


class Gpu:
    """Channel and remote buffer p lead to the p-th other GPU, in the order `others`."""

    def __init__(self, rank, n, i, o, s, kind="memory", remote="i"):
        self.others = [(rank + k) % n for k in range(1, n)]
        self.kind, self.remote = kind, remote
        self.json = {"id": rank, "input_chunks": i, "output_chunks": o, "scratch_chunks": s, "threadblocks": [],
                     "channels": [{"channel_type": kind, "connected_to": self.others}],
                     "remote_buffers": [{"rank": p, "type": remote, "access_channel_types": [kind]} for p in self.others],
                     "semaphores": []}

    def block(self, *ops):
        ids = list(range(len(self.others)))
        self.json["threadblocks"].append({"id": len(self.json["threadblocks"]), "ops": list(ops),
                                          "channels": [{"channel_type": self.kind, "channel_ids": ids}],
                                          "remote_buffer_refs": [{"access_channel_type": self.kind, "remote_buffer_ids": ids}]})

    def to(self, peer, at):
        return {"buffer_id": self.others.index(peer), "index": at, "size": 1}


def own(buffer, at):
    return {"type": buffer, "index": at, "size": 1}


def op(name, src=(), dst=(), **more):
    return {"name": name, **({"src_buff": list(src), "dst_buff": list(dst)} if src else {}), **more}


def meet(n, kind="memory", relaxed=""):
    ids = {"channel_ids": list(range(n - 1)), "channel_type": kind}
    return op(relaxed + "signal", **ids), op(relaxed + "wait", **ids)


def reads(n):
    for r in range(n):
        gpu = Gpu(r, n, n, n, 0)
        there = [gpu.to(p, r) for p in gpu.others]
        gpu.block(*meet(n, relaxed="rlx"), op("nop"),
                  op("rres", [own("i", r)] + there, [own("i", r)] + there, channel_type="memory", reduce_op="sum"), *meet(n))
        yield gpu


def packets(n):
    for r in range(n):
        gpu = Gpu(r, n, n, n, 2 * n, remote="s")
        gpu.block(*[op("ppkt", [own("i", p)], [gpu.to(p, r)], channel_type="memory") for p in gpu.others])
        gpu.block(op("respkt", [own("i", r)] + [own("s", p) for p in gpu.others],
                     [own("i", r)] + [gpu.to(p, n + r) for p in gpu.others], channel_type="memory", reduce_op="sum"))
        gpu.block(*[op("upkt", [own("s", n + p)], [own("i", p)]) for p in gpu.others])
        yield gpu


def ports(n):
    for r in range(n):
        gpu = Gpu(r, n, 1, n, 0, kind="port", remote="o")
        ids = {"channel_ids": list(range(n - 1)), "channel_type": "port"}
        gpu.block(op("copy", [own("i", 0)], [own("o", r)]), op("nop"),
                  op("pwsf", [own("o", r)] * (n - 1), [gpu.to(p, r) for p in gpu.others], **ids), op("wait", **ids))
        yield gpu


def gets(n):
    for r in range(n):
        gpu = Gpu(r, n, n, 1, n)
        gpu.block(*meet(n), *[op("get", [gpu.to(p, r)], [own("s", p)], channel_type="memory") for p in gpu.others],
                  op("re", [own("i", r)] + [own("s", p) for p in gpu.others], [own("o", 0)], reduce_op="sum"), *meet(n))
        yield gpu


def shared(n):
    for r in range(n):
        gpu = Gpu(r, n, n, n, 0, remote="o")
        stop = op("barrier", barrier_id=0, num_threadblocks=3)
        for half in range(2):
            gpu.block(*[op("put", [own("i", p)], [gpu.to(p, r)], channel_type="memory", tbg_info={"tb_id": half, "tbg_size": 2})
                        for p in gpu.others], stop)
        gpu.block(op("copy", [own("i", r)], [own("o", r)]), stop, *meet(n))
        yield gpu


def relay(n):
    for r in range(n):
        gpu = Gpu(r, n, 1, n, 0, remote="o")
        gpu.json["semaphores"] = [{"init_value": 1}]
        ahead, behind = {"channel_ids": [0], "channel_type": "memory"}, {"channel_ids": [n - 2], "channel_type": "memory"}
        send, take = [op("copy", [own("i", 0)], [own("o", r)])], []
        for k in range(n - 1):
            c = (r - k) % n
            send += [op("sem_acquire", semaphore_ids=[0]), op("put", [own("o", c)], [gpu.to((r + 1) % n, c)], channel_type="memory"),
                     op("signal", **ahead)]
            take += [op("wait", **behind), op("sem_release", semaphore_ids=[0])]
        gpu.block(*send)
        gpu.block(*take)
        yield gpu


KINDS = {"reads": ("allreduce", reads, True), "packets": ("allreduce", packets, True), "ports": ("allgather", ports, False),
         "gets": ("reducescatter", gets, False), "shared": ("alltoall", shared, False), "relay": ("allgather", relay, False)}


def main():
    if len(sys.argv) < 2:
        print(*KINDS)
        return
    coll, make, in_place = KINDS[sys.argv[1]]
    plan = {"name": sys.argv[1], "collective": coll, "protocol": "LL" if sys.argv[1] == "packets" else "Simple",
            "inplace": in_place, "reuse_resources": False, "gpus": [gpu.json for gpu in make(int(sys.argv[2]))],
            "num_threads_per_block": 1024, "use_double_scratch_buffer": False, "buffer_alignment": 16,
            "min_message_size": 0, "max_message_size": 2**64 - 1}
    text = json.dumps(plan)
    for change in sys.argv[3:]:
        old, new = change.split("~")
        assert old in text, old
        text = text.replace(old, new, 1)
    print(text)


main()
