#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""msccl.py KIND GPUS [CHANGE]: an algorithm in MSCCL's XML.

KIND: ring (all-reduce round a ring, in place), pairs (all-reduce, everybody sends to everybody),
gather and scatter (round a ring), alltoall. CHANGE is OLD=NEW, replaced once in the text.
"""
import sys


class Gpu:
    def __init__(self, rank, i, o, s):
        self.rank, self.chunks, self.blocks = rank, (i, o, s), []

    def block(self, send, recv, steps):
        self.blocks.append((send, recv, steps))
        return len(self.blocks) - 1


def step(kind, src, src_at, dst, dst_at, dep=(-1, -1)):
    return kind, src, src_at, dst, dst_at, dep


def ring(n):
    for r in range(n):
        gpu = Gpu(r, n, n, 0)
        steps = [step("s", "i", r, "i", r)]
        for k in range(1, n):
            c = (r - k) % n
            steps.append(step("rrs" if k < n - 1 else "rrcs", "i", c, "i", c))
        for k in range(n - 1):
            c = (r - k) % n
            steps.append(step("rcs" if k < n - 2 else "r", "i", c, "i", c))
        gpu.block((r + 1) % n, (r - 1) % n, steps)
        yield gpu


def pairs(n):
    for r in range(n):
        gpu = Gpu(r, 1, 1, n)
        others = [p for p in range(n) if p != r]
        for p in others:
            gpu.block(p, p, [step("s", "i", 0, "s", r), step("r", "i", 0, "s", p)])
        waits = [step("nop", "i", 0, "i", 0, (b, 1)) for b in range(len(others))]
        gpu.block(-1, -1, waits + [step("re", "s", p, "i", 0) for p in others])
        yield gpu


def gather(n):
    for r in range(n):
        gpu = Gpu(r, 1, n, 0)
        steps = [step("cpy", "i", 0, "o", r), step("s", "i", 0, "o", r)]
        for k in range(1, n):
            c = (r - k) % n
            steps.append(step("rcs" if k < n - 1 else "r", "o", c, "o", c))
        gpu.block((r + 1) % n, (r - 1) % n, steps)
        yield gpu


def scatter(n):
    for r in range(n):
        gpu = Gpu(r, n, 1, 0)
        steps = [step("s", "i", (r - 1) % n, "i", 0)]
        for k in range(2, n):
            steps.append(step("rrs", "i", (r - k) % n, "i", 0))
        steps.append(step("rrc", "i", r, "o", 0))
        gpu.block((r + 1) % n, (r - 1) % n, steps)
        yield gpu


def alltoall(n):
    for r in range(n):
        gpu = Gpu(r, n, n, 0)
        gpu.block(-1, -1, [step("cpy", "i", r, "o", r)])
        for p in range(n):
            if p != r:
                gpu.block(p, p, [step("s", "i", p, "o", r), step("r", "i", r, "o", p)])
        yield gpu


KINDS = {"ring": ("allreduce", ring, 1), "pairs": ("allreduce", pairs, 1), "gather": ("allgather", gather, 0),
         "scatter": ("reduce_scatter", scatter, 0), "alltoall": ("alltoall", alltoall, 0)}


def main():
    coll, make, in_place = KINDS[sys.argv[1]]
    n = int(sys.argv[2])
    chunks = 1 if sys.argv[1] == "pairs" else n
    text = f'<algo name="{sys.argv[1]}" nchunksperloop="{chunks}" nchannels="1" proto="Simple" ngpus="{n}" coll="{coll}" inplace="{in_place}">\n'
    for gpu in make(n):
        i, o, s = gpu.chunks
        text += f' <gpu id="{gpu.rank}" i_chunks="{i}" o_chunks="{o}" s_chunks="{s}">\n'
        for b, (send, recv, steps) in enumerate(gpu.blocks):
            text += f'  <tb id="{b}" send="{send}" recv="{recv}" chan="0">\n'
            for k, (kind, src, src_at, dst, dst_at, dep) in enumerate(steps):
                text += (f'   <step s="{k}" type="{kind}" srcbuf="{src}" srcoff="{src_at}" dstbuf="{dst}" dstoff="{dst_at}" '
                         f'cnt="1" depid="{dep[0]}" deps="{dep[1]}" hasdep="0"/>\n')
            text += '  </tb>\n'
        text += ' </gpu>\n'
    text += '</algo>\n'
    for change in sys.argv[3:]:
        old, new = change.split("~")
        assert old in text, old
        text = text.replace(old, new, 1)
    print(text, end="")


main()
