# SPDX-License-Identifier: GPL-2.0-only
"""Cases that compare the flow level with packets, each drawn from a seed and a kind.

A kind is a family of runs of one accuracy goal. The seed alone decides the case, so nobody can tune
to a list: thresholds are chosen on seeds below 500 and judged on seeds from 500 on.
"""

import json
import random

KIB = 1 << 10

# Type, algorithm, bytes that a rank sends for each byte of --size (n: times the ranks).
PLAIN = [
    ("all_reduce", "ring", 2), ("all_reduce", "halvingDoubling", 2), ("all_reduce", "doubleBinaryTree", 2),
    ("all_reduce", "direct", 2), ("all_reduce", "bruck", 4), ("all_reduce", "treeOrRing", 2),
    ("all_gather", "ring", "n"), ("all_gather", "direct", "n"), ("all_gather", "direct4", "n"),
    ("all_gather", "bruck", "n"), ("all_gather", "halvingDoubling", "n"),
    ("reduce_scatter", "ring", 1), ("reduce_scatter", "halvingDoubling", 1), ("reduce_scatter", "direct", 1),
    ("all_to_all", "direct", 1), ("all_to_all", "ring", "n"), ("all_to_all", "bruck", 4),
    ("reduce", "binomialTree", 1), ("gather", "binomialTree", "n"), ("scatter", "binomialTree", 1),
    ("barrier", "dissemination", 0), ("send_recv", None, 1)]
NCCL = [
    ("all_reduce", "ncclRing8", 2), ("all_reduce", "ncclTree8", 2), ("all_reduce", "ncclNvlsTree", 2),
    ("all_reduce", "ncclAuto", 2), ("all_reduce", "ncclSimai", 2), ("all_gather", "ncclRing8", "n"),
    ("reduce_scatter", "ncclRing8", 1), ("all_to_all", "ncclDirect", 1), ("all_to_all", "ncclPxn", 1),
    ("all_to_all", "ncclSimaiPxn", 1)]
CROSSING = [(kind, name, share) for kind, name, share in PLAIN
            if kind == "all_to_all" and name != "ring" or name in ("halvingDoubling", "bruck", "direct")]
SERVERS = ["auto:Spectrum-X", "auto:rail", "auto:AlibabaHPN", "auto:AlibabaHPN,dp=1"]
GRIDS = {8: "2x4", 16: "4x4", 32: "4x8", 64: "4x4x4", 128: "4x4x8"}
MOST_BYTES = 2e9        # that all ranks of a case send, so that packets end within seconds
MOST_RING_BYTES = 32e9  # fast-forward skips most of a ring


def oversubscribed(draw, ranks):
    """Leaves of 8 hosts with 2 or 4 uplinks of their rate: 4:1 and 2:1."""
    return f"auto:leaf_spine,leaves={max(2, ranks // 8)},psn={draw.choice([2, 2, 4])}"


def full(draw, ranks):
    """A network without oversubscription; several have equal paths on which ECMP collides."""
    leaves = max(2, ranks // 8)
    return draw.choice([f"auto:leaf_spine,leaves={leaves},psn=8", "auto:switch", "auto:fat_tree", "auto:dragonfly",
                        f"auto:torus,dims={GRIDS[ranks]}", f"auto:leaf_spine,leaves={leaves},psn=16,apbw=200Gbps",
                        *SERVERS])


def size_of(draw, doublings):
    """From 4 KiB on, spread evenly over its logarithm."""
    return int(4 * KIB * 2 ** draw.uniform(0, doublings))


def collective(draw, ranks, among):
    """Words for `trace generate` and options of the run: 4 KiB to 1 GiB, as far as packets end."""
    kind, algorithm, share = draw.choice(among)
    sent = ranks * (ranks if share == "n" else share)
    most = MOST_RING_BYTES if algorithm in ("ring", "ncclRing8") and kind != "all_to_all" else MOST_BYTES
    size = size_of(draw, 18)
    while size * sent > most:
        size = size_of(draw, 18)
    return ([f"--ranks={ranks}", f"--type={kind}", f"--size={size}"],
            [f"--algorithm={algorithm}"] if algorithm else [])


def incast(draw, ranks):
    return [f"--ranks={ranks}", "--type=incast", f"--size={size_of(draw, 11)}"], []


def train(draw):
    tp = draw.choice([2, 4, 8])
    pp = draw.choice([1, 2, 4])
    cp = draw.choice([1, 1, 1, 2])
    world = max(draw.choice([64, 64, 64, 128, 256]), tp * pp * cp * 2)
    dp = world // (tp * pp * cp)
    make = [f"--model={draw.choice(['gpt-7b', 'gpt-13b', 'llama-3-8b'])}", f"--tp={tp}", f"--pp={pp}",
            f"--cp={cp}", f"--world_size={world}", f"--layers={pp}", f"--gbs={dp * cp * draw.choice([1, pp])}",
            f"--seq_length={draw.choice([512, 1024])}", f"--roofline={draw.choice(['A100', 'H100', 'H200'])}"]
    run = [f"--topology={draw.choice(['auto:Spectrum-X', 'auto:AlibabaHPN', 'auto:rail'])}",
           f"--cc={draw.choice(['none', 'dcqcn'])}"]
    if draw.random() < 0.4:  # of NCCL; on AlibabaHPN a GPU has two NICs
        run.append(f"--algorithm={draw.choice(['ncclAuto', 'ncclRing8', 'ncclTree8'])}")
    return {"llm": make, "run": run}


def draw_collective(draw):
    ranks = draw.choice([8, 16, 32, 64, 128])
    topology = full(draw, ranks)
    among = NCCL if topology in SERVERS and ranks > 8 and draw.random() < 0.4 else PLAIN
    make, run = collective(draw, ranks, among)
    return {"generate": make, "run": [*run, f"--topology={topology}"]}


def hot(draw):
    ranks = draw.choice([16, 32, 64, 128])
    what = draw.choice(["collision", "oversubscribed", "incast"])
    topology = oversubscribed(draw, ranks) if what == "oversubscribed" else full(draw, ranks)
    make, run = incast(draw, ranks) if what == "incast" else \
        collective(draw, ranks, CROSSING if what == "collision" else PLAIN)
    return {"generate": make, "run": [*run, f"--topology={topology}"], "what": what}


def background(draw):
    """A collective beside random traffic that loads hosts or uplinks to 30 or 60 %."""
    ranks = draw.choice([16, 32, 64])
    load = draw.choice([0.3, 0.6])
    make, run = collective(draw, ranks, [row for row in PLAIN if row[0] != "barrier"])
    traffic = {"load": load, "pattern": draw.choice(["uniform", "across"]),
               "sizes": draw.choice(["web-search", "storage", "64KiB"]), "seed": draw.randrange(1000)}
    if traffic["pattern"] == "across":
        traffic["tier"] = "uplinks"
    topology = draw.choice([f"auto:leaf_spine,leaves={ranks // 8},psn={draw.choice([4, 8])}", "auto:fat_tree"])
    run += [f"--topology={topology}", f"--cc={draw.choice(['none', 'dcqcn'])}"]
    return {"generate": make, "run": run, "scenario": {"background": [traffic]}, "what": f"{load:.0%}"}


def spray(draw):
    """Packets of a flow take turns on all equal ways; not on grids and planes, where ways overlap in part."""
    ranks = draw.choice([16, 32, 64])
    topology = draw.choice([oversubscribed(draw, ranks), f"auto:leaf_spine,leaves={ranks // 8},psn=8", "auto:fat_tree",
                            "auto:Spectrum-X", "auto:rail", "auto:AlibabaHPN,dp=1"])
    make, run = collective(draw, ranks, draw.choice([PLAIN, CROSSING]))
    return {"generate": make, "run": [*run, "--network-keys=LOAD_BALANCE=spray", f"--topology={topology}"]}


def link(draw):
    """A link of a leaf, or a spine, goes down and comes up again, or a link becomes slower, while ranks send."""
    ranks = draw.choice([16, 32, 64])
    kind, name, share = draw.choice([row for row in PLAIN if row[0] not in ("barrier", "send_recv")])
    make, run = collective(draw, ranks, [(kind, name, share)])
    alone_us = int(make[2].split("=")[1]) * (ranks if share == "n" else share) / 25e3  # at 200 Gb/s
    leaves, spines = ranks // 8, draw.choice([4, 8])
    leaf, spine = ranks + draw.randrange(leaves), ranks + leaves + draw.randrange(spines)
    event = draw.choice([{"kind": "link-down", "link": [leaf, spine]}, {"kind": "switch-down", "switch": [spine]},
                         {"kind": "link-rate", "link": [leaf, spine], "rate": draw.choice(["0.25x", "0.5x"])}])
    event |= {"at": f"{int(1000 * alone_us * draw.random()) + 1}ns", "for": f"{int(1000 * alone_us) + 1000}ns"}
    return {"generate": make, "run": [*run, f"--topology=auto:leaf_spine,leaves={leaves},psn={spines}"],
            "scenario": {"events": [event], "routing": {"reconverge": draw.choice(["0ns", "5us", "20us"])}},
            "what": event["kind"]}


def control(draw):
    ranks = draw.choice([16, 32, 64])
    what = draw.choice(["incast", "all_to_all", "halvingDoubling", "any"])
    among = {"all_to_all": [("all_to_all", "direct", 1)], "halvingDoubling": [("all_reduce", "halvingDoubling", 2)],
             "any": PLAIN}
    make, run = incast(draw, ranks) if what == "incast" else collective(draw, ranks, among[what])
    cc = draw.choice(["dcqcn", "dcqcn", "hpcc", "swift", "dctcp", "timely"])
    return {"generate": make, "run": [*run, f"--cc={cc}", f"--topology={oversubscribed(draw, ranks)}"],
            "what": f"{what} {cc}"}


def message(draw):
    """A queue pair a message, as in ASTRA-sim: packets answer such runs chaotically."""
    ranks = draw.choice([8, 16, 32, 64])
    make, run = collective(draw, ranks, PLAIN)
    return {"generate": [*make, f"--count={draw.choice([1, 2, 4])}", f"--independent={draw.choice([0, 1])}"],
            "run": [*run, f"--topology={full(draw, ranks)}"], "qps": 0}


DRAWS = {"train": train, "collective": draw_collective, "hot": hot, "background": background, "spray": spray, "link": link,
         "control": control, "message": message}
KINDS = tuple(DRAWS)


def case(kind, seed):
    """{"generate" or "llm": arguments that make the traces, "run": options of the run,
    "scenario": its keys beside the job, "what": a word}."""
    draw = random.Random(f"{kind} {seed}")
    found = DRAWS[kind](draw)
    found["run"].append(f"--like={draw.choice(['astra-sim', 'nccl'])}")  # MTU 1000 or 4096, servers
    found["run"].append(f"--qps-per-connection={found.get('qps', 1)}")
    return found


def scenario(found):
    """The text of the scenario of a case that has one."""
    words = " ".join(["generate", *found["generate"]])
    return json.dumps({"jobs": [{"generate": words}], **found["scenario"]})
