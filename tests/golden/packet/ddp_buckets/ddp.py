# SPDX-License-Identifier: GPL-2.0-only
"""Writes the trace of a training step in Chakra's JSON: eight layers of a backward pass of 40 us each, all-reduces of
gradients beside it, one after another, and an optimizer. Usage: ddp.py PREFIX RANKS STEPS MIB:LAYER,… with the layers that
an all-reduce waits for, in the order of the calls."""
import json
import sys


def node(number, name, kind, deps, micros=0, **attrs):
    listed = [{"name": "is_cpu_op", "boolVal": False}]
    listed += [{"name": key, ("stringVal" if key == "pg_name" else "int64Val"): str(value)} for key, value in attrs.items()]
    return {"id": str(number), "name": name, "type": kind, "dataDeps": [str(dep) for dep in deps], "durationMicros": str(micros), "attr": listed}


def step(first, after, buckets, group):
    """Nodes first … first + 99; returns them and the optimizer."""
    nodes = [node(first + i, f"layer_{i}", "COMP_NODE", [first + i - 1] if i else after, 40) for i in range(8)]
    before = []
    for number, (mib, layer) in enumerate(buckets):
        here = first + 20 + number
        nodes.append(node(here, f"gradients_{number}", "COMM_COLL_NODE", [first + layer - 1, *before], comm_type=0,
                          comm_size=int(mib * 2**20), **group))
        before = [here]
    nodes.append(node(first + 99, "optimizer", "COMP_NODE", before + [first + 7], 10))
    return nodes, first + 99


def main():
    prefix, ranks, steps, text = sys.argv[1:5]
    group = {"pg_name": sys.argv[5]} if len(sys.argv) > 5 else {}
    buckets = [(float(one.split(":")[0]), int(one.split(":")[1])) for one in text.split(",")]
    for rank in range(int(ranks)):
        with open(f"{prefix}.{rank}.et", "w", encoding="utf-8") as file:
            file.write(json.dumps({"version": "0.0.4"}))
            after = []
            for number in range(int(steps)):
                nodes, last = step(100 * number + 1, after, buckets, group)
                after = [last]
                for one in nodes:
                    file.write(json.dumps(one))


main()
