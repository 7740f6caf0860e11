# SPDX-License-Identifier: GPL-2.0-only
"""Runs with a known cause, each drawn from a kind and a seed.

A case is a dict: write(folder, mended) writes traces below folder/w and may write files beside; run: options, in which
{folder} is the folder; cause: what the sentence must name, a regular expression; mends: whether write(mended=True) is the
remedy, where the sentence has no option. Thresholds of the verdict are chosen on seeds below 100 and judged on seeds from
500 on.
"""
import os
import random
import subprocess

import et

KIB, MIB = 1 << 10, 1 << 20
TOOL = os.environ.get("ASIM_TOOL", "asim")


def make(words, folder):
    subprocess.run([TOOL, "trace", *words, "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   cwd=folder)


def generated(**options):
    words = ["generate", "--out=w", *(f"--{key.replace('_', '-')}={value}" for key, value in options.items())]
    return lambda folder, mended: make(words, folder)


def sends(pairs, ranks):
    """A message from a to b for each (a, b, bytes); those of a rank begin together."""
    nodes = [[] for _ in range(ranks)]
    for tag, (a, b, size) in enumerate(pairs):
        nodes[a].append(dict(id=tag + 1, type="SEND", comm_src=a, comm_dst=b, comm_size=size, comm_tag=tag))
        nodes[b].append(dict(id=tag + 1, type="RECV", comm_src=a, comm_dst=b, comm_size=size, comm_tag=tag))
    return lambda folder, mended: et.write(f"{folder}/w", nodes)


def network(text, write):
    """Beside the traces, a configuration of the network."""
    def both(folder, mended):
        (folder / "network.txt").write_text(text)
        write(folder, mended)
    return both


def uplinks(draw):
    hosts, leaves = draw.choice([4, 8]), draw.choice([2, 4])
    ranks = hosts * leaves
    rate = draw.choice([100, 200, 400]) * hosts // 4
    kind = draw.choice(["all_to_all", "pairs"])
    topology = f"auto:leaf_spine,leaves={leaves},psn=1,apbw={rate}Gbps"
    if kind == "pairs":
        write = sends([(h, (h + hosts) % ranks, draw.randrange(2, 8) * MIB) for h in range(ranks)], ranks)
    else:
        write = generated(ranks=ranks, type=kind, size=draw.randrange(4, 16) * MIB)
    run = [f"--topology={topology}", "--network-keys=SWITCH_ACK_HIGH_PRIO=1"]
    return dict(write=write, run=run, cause="uplinks")


def collisions(draw):
    hosts, leaves = draw.choice([4, 8, 16]), draw.choice([2, 4])
    ranks = hosts * leaves
    size = draw.randrange(4, 16) * MIB
    order = list(range(hosts))
    draw.shuffle(order)
    run = [f"--topology=auto:leaf_spine,leaves={leaves},psn={hosts}"]
    if draw.random() < 0.5:
        write = sends([(h, order[h % hosts] + (h // hosts + 1) % leaves * hosts, size) for h in range(ranks)], ranks)
    else:
        write = generated(ranks=ranks, type="all_reduce", size=size * 2)
        run.append("--algorithm=halvingDoubling")
    return dict(write=write, run=run, cause="ECMP collisions")


def latency(draw):
    ranks = draw.choice([8, 16, 32])
    kind = draw.choice(["all_reduce", "all_gather", "all_to_all", "send_recv"])
    delay = draw.choice([1, 2, 5])
    topology = draw.choice([f"auto:switch,l={delay}us", f"auto:leaf_spine,leaves=4,l={delay}us"])
    return dict(write=generated(ranks=ranks, type=kind, size=draw.randrange(512, 4 * KIB), count=draw.randrange(5, 20)),
                run=[f"--topology={topology}", *(["--algorithm=ring"] if draw.random() < 0.5 and kind != "send_recv" else [])],
                cause="latency")


def compute(draw):
    ranks = draw.choice([4, 8, 16])
    return dict(write=generated(ranks=ranks, type="all_reduce", size=draw.choice([64 * KIB, MIB, 4 * MIB]), count=draw.randrange(3, 8),
                                compute_us=draw.randrange(800, 2000)),
                run=[f"--topology={draw.choice(['auto:switch', 'auto:leaf_spine,leaves=4'])}"], cause="^computation")


def straggler(draw):
    ranks, slow = draw.choice([4, 8, 16]), draw.randrange(4)
    times, us, size = draw.randrange(3, 8), draw.randrange(100, 500), draw.choice([64 * KIB, MIB])
    factor = draw.uniform(1.6, 4)

    def write(folder, mended):
        et.write(f"{folder}/w", (ranks, lambda r: [n for i in range(times) for n in (
            et.comp(2 * i + 1, int(us * (factor if r == slow and not mended else 1)), [2 * i] if i else []),
            et.coll(2 * i + 2, "AR", size, [2 * i + 1]))]))

    return dict(write=write, run=[f"--topology={draw.choice(['auto:switch', 'auto:leaf_spine,leaves=4'])}"],
                cause=f"rank {slow}, which is slow", mends=True)


def bubble(draw):
    stages, batches = draw.choice([4, 8]), draw.choice([2, 4, 8])
    order = draw.choice(["gpipe", "1f1b"])
    tp = draw.choice([1, 2])
    words = ["llm", "--model=llama-3-8b", f"--pp={stages}", f"--tp={tp}", f"--world_size={stages * tp}", "--vocab_size=1024",
             f"--layers={stages * 2}", "--seq=2048", f"--schedule={order}", "--compute_model=H100", f"--et=w",
             f"--gbs={min(batches, stages) * 2}"]

    def write(folder, mended):
        make([*words, f"--mbs={1 if mended else 2}"], folder)

    return dict(write=write, run=["--topology=auto:Spectrum-X"], cause="bubble", mends=True)


def control(draw):
    ranks, victim = draw.choice([8, 16]), draw.randrange(4)
    others = [h for h in range(ranks) if h != victim]
    draw.shuffle(others)
    # Several senders meet at first; one of them has far more to send and rises slowly.
    pairs = [(h, victim, MIB) for h in others[1:draw.randrange(4, 7)]] + [(others[0], victim, draw.randrange(16, 48) * MIB)]
    text = f"HAS_WIN 0\nRATE_AI {draw.choice([5, 20])}Mb/s\nRATE_HAI {draw.choice([20, 50])}Mb/s\nRP_TIMER {draw.choice([900, 1500])}\n"
    return dict(write=network(text, sends(pairs, ranks)),
                run=["--network={folder}/network.txt", "--cc=dcqcn", "--topology=auto:switch"],
                cause="congestion control")


def pauses(draw):
    hosts = draw.choice([4, 6, 8])
    ranks = 3 * hosts
    if draw.random() < 0.5:  # incast alone
        return dict(write=sends([(h, 0, 4 * MIB) for h in range(1, ranks, 2)] + [(h, h - 1, MIB) for h in range(2, ranks, 3)], ranks),
                    run=["--topology=auto:leaf_spine,leaves=3,psn=4"], cause="incast at host 0")
    # Hosts of two leaves fill the queue of host 0; its pauses hold up those who send elsewhere.
    burst = draw.randrange(4, 8) * MIB
    long = int(hosts * burst * draw.uniform(1.2, 2))
    pairs = [(h, 0, burst) for h in range(hosts, 2 * hosts - 1)] + [(2 * hosts - 1, 1, long)]
    return dict(write=network("BUFFER_SIZE 2\n", sends(pairs, ranks)),
                run=["--network={folder}/network.txt", "--topology=auto:leaf_spine,leaves=3,psn=1,apbw=800Gbps"],
                cause="PFC pauses")


def windows(draw):
    pairs, rate = 1, draw.choice([50, 100, 200])
    sizes = draw.randrange(4, 16) * MIB
    both = [(h, h + pairs, sizes) for h in range(pairs)]
    return dict(write=sends(both + [(b, a, size) for a, b, size in both], 2 * pairs),
                run=[f"--topology=auto:leaf_spine,leaves=2,psn=1,apbw={rate}Gbps"], cause="windows too small")


def nics(draw):
    ranks = draw.choice([16, 32])
    if draw.random() < 0.5:
        return dict(write=generated(ranks=ranks, type=draw.choice(["all_reduce", "all_gather"]),
                                    size=draw.choice([4, 8]) * MIB), run=["--topology=auto:Spectrum-X", "--algorithm=ring"],
                    cause="rings over .* NICs")
    return dict(write=generated(ranks=ranks, type="all_to_all", size=draw.choice([8, 16]) * MIB),
                run=["--topology=auto:Spectrum-X,bw=100Gbps"], cause="NICs")


DRAWS = {f.__name__: f for f in (uplinks, collisions, latency, compute, straggler, bubble, control, pauses, windows, nics)}


def case(kind, seed):
    found = DRAWS[kind](random.Random(f"{kind} {seed}"))
    found["run"].append("--qps-per-connection=1")  # as in NCCL; with a queue pair a message rings are chaotic
    return found
