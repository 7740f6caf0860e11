# SPDX-License-Identifier: GPL-2.0-only
"""Cases that compare the flow level with packets, each drawn from a seed and a kind.

A kind is a family of runs of one accuracy goal. The seed alone decides the case, so nobody can tune
to a list: thresholds are chosen on seeds below 500 and judged on seeds from 500 on.
"""

import random

KINDS = ("train", "collective", "hot", "control")
KIB = 1 << 10


def network(draw, ranks, full):
    """A topology for so many hosts; full: without oversubscription."""
    leaves = max(2, ranks // 8)
    spines = 8 if full else draw.choice([2, 4])
    found = [f"auto:leaf_spine,leaves={leaves},psn={spines}"]
    if full:
        found += ["auto:switch", "auto:fat_tree", "auto:Spectrum-X", "auto:rail", "auto:AlibabaHPN",
                  "auto:dragonfly", f"auto:leaf_spine,leaves={leaves},psn=4,apbw=400Gbps"]
    return draw.choice(found)


def collective(draw, ranks, algorithms=None):
    """Type, algorithm and size; what a host sends stays below some MiB, so that packets end."""
    choices = algorithms or [
        ("all_reduce", "ring"), ("all_reduce", "halvingDoubling"), ("all_reduce", "doubleBinaryTree"),
        ("all_reduce", "direct"), ("all_gather", "ring"), ("all_gather", "direct"),
        ("all_gather", "bruck"), ("reduce_scatter", "ring"), ("all_to_all", "direct"),
        ("all_to_all", "ring"), ("send_recv", None)]
    kind, algorithm = draw.choice(choices)
    size = int(4 * KIB * 2 ** draw.uniform(0, 11))
    make = [f"--ranks={ranks}", f"--type={kind}", f"--size={size}"]
    return make, [f"--algorithm={algorithm}"] if algorithm else []


def train(draw):
    tp = draw.choice([2, 4, 8])
    pp = draw.choice([1, 2, 4])
    cp = draw.choice([1, 1, 1, 2])
    dp = draw.choice([2, 4])
    world = tp * pp * cp * dp
    make = [f"--model={draw.choice(['gpt-7b', 'gpt-13b', 'llama-3-8b'])}", f"--tp={tp}", f"--pp={pp}",
            f"--cp={cp}", f"--world_size={world}", f"--layers={pp}", f"--gbs={dp * cp * pp}",
            "--seq_length=1024", f"--roofline={draw.choice(['A100', 'H100', 'H200'])}"]
    run = [f"--topology={draw.choice(['auto:Spectrum-X', 'auto:AlibabaHPN', 'auto:rail'])}",
           f"--cc={draw.choice(['none', 'dcqcn'])}"]
    return {"llm": make, "run": run}


def draw_collective(draw):
    ranks = draw.choice([8, 16, 32, 64])
    make, run = collective(draw, ranks)
    return {"generate": make, "run": run + [f"--topology={network(draw, ranks, True)}"]}


def hot(draw):
    ranks = draw.choice([16, 32, 64])
    what = draw.choice(["collision", "oversubscribed", "incast"])
    if what == "incast":
        make, run = [f"--ranks={ranks}", "--type=incast", f"--size={int(16 * KIB * 2 ** draw.uniform(0, 6))}"], []
    elif what == "collision":
        make, run = collective(draw, ranks, [("all_reduce", "halvingDoubling"), ("all_to_all", "direct"),
                                             ("all_gather", "bruck")])
    else:
        make, run = collective(draw, ranks)
    full = what in ("collision", "incast")
    case = {"generate": make, "run": run + [f"--topology={network(draw, ranks, full)}"], "what": what}
    return case


def control(draw):
    ranks = draw.choice([16, 32, 64])
    what = draw.choice(["incast", "all_to_all", "halvingDoubling"])
    size = int(256 * KIB * 2 ** draw.uniform(0, 5))
    kind = {"incast": "incast", "all_to_all": "all_to_all", "halvingDoubling": "all_reduce"}[what]
    run = [f"--cc={draw.choice(['dcqcn', 'hpcc', 'swift'])}", f"--topology={network(draw, ranks, False)}"]
    if kind == "all_reduce":
        run.append("--algorithm=halvingDoubling")
    if kind == "all_to_all":
        run.append("--algorithm=direct")
    return {"generate": [f"--ranks={ranks}", f"--type={kind}", f"--size={size}"], "run": run, "what": what}


def case(kind, seed):
    """{"generate" or "llm": arguments that make the traces, "run": options of the run,
    "what": a word}; "--qps-per-connection=1" is among the options."""
    found = {"train": train, "collective": draw_collective, "hot": hot,
             "control": control}[kind](random.Random(f"{kind} {seed}"))
    found["run"].append("--qps-per-connection=1")
    return found
