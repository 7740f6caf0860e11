# SPDX-License-Identifier: GPL-2.0-only
"""Makes a failing case smaller while it still fails in the same way."""

import copy
import time

import draw


def without_ops(case, gone):
    """The case without these ops (numbers that ranks share). What waited for one waits for what that
    one waited for."""
    other = {**case, "ranks": []}
    for ops in case["ranks"]:
        parents, kept = {}, []
        for op in ops:
            lists = {}
            for key in ("deps", "ctrl"):
                lists[key] = sorted({p for d in op[key] for p in parents.get(d, [d])})
            if op["op"] in gone:
                parents[op["id"]] = sorted(set(lists["deps"] + lists["ctrl"]))
            else:
                kept.append({**op, **lists})
        other["ranks"].append(kept)
    return other


def numbers(case):
    return sorted({op["op"] for ops in case["ranks"] for op in ops})


def smaller_ops(case):
    """Halves, quarters, … and single ops left out."""
    ops = numbers(case)
    size = max(1, len(ops) // 2)
    while ops and size:
        for begin in range(0, len(ops), size):
            yield without_ops(case, set(ops[begin:begin + size]))
        size //= 2


def fewer_ranks(case):
    """The last ranks left out, with the ops that name them; their hosts stay."""
    ranks = len(case["ranks"])
    for keep in sorted({2, 3, ranks // 2, ranks - 2, ranks - 1}):
        if not 2 <= keep < ranks or case["logical"] or case.get("first"):
            continue
        gone = {op["op"] for ops in case["ranks"][keep:] for op in ops if op["type"] != "COLL"}
        other = without_ops(case, gone)
        other["ranks"] = other["ranks"][:keep]
        other["groups"] = {key: [r for r in members if r < keep] for key, members in case["groups"].items()}
        other["groups"] = {key: members for key, members in other["groups"].items() if members}
        yield other


def without_links(case):
    parsed = draw.topology_read(case["topology"])
    if not parsed:
        return
    nodes, switches, links = parsed
    for i in range(len(links) - 1, -1, -1):
        rest = links[:i] + links[i + 1:]
        yield {**case, "topology": draw.topology_text(nodes - len(switches), len(switches), rest)}


def plainer_settings(case):
    for i in range(len(case["network"]) - 1, -1, -1):
        yield {**case, "network": case["network"][:i] + case["network"][i + 1:]}
    for key in list(case["system"]):
        yield {**case, "system": {k: v for k, v in case["system"].items() if k != key}}
    for key, names in case["system"].items():
        if key.endswith("-implementation") and names != ["ring"] and key[:3] in ("all", "red"):
            yield {**case, "system": {**case["system"], key: ["ring"]}}
    for i in range(len(case["options"])):
        yield {**case, "options": case["options"][:i] + case["options"][i + 1:]}
    for key, value in (("logical", None), ("memory", None), ("groups", {})):
        if case[key]:
            yield {**case, key: value}
    for text in ("200Gbps", "400Gbps"):
        parsed = draw.topology_read(case["topology"])
        if parsed and any(link[2] != text for link in parsed[2]):
            links = [link[:2] + [text] + link[3:] for link in parsed[2]]
            yield {**case, "topology": draw.topology_text(parsed[0] - len(parsed[1]), len(parsed[1]), links)}


def smaller_sizes(case):
    for divisor in (16, 2):
        other = copy.deepcopy(case)
        changed = False
        for ops in other["ranks"]:
            for op in ops:
                for key in ("comm_size",):
                    if op["attrs"].get(key, 0) > 1:
                        op["attrs"][key] = -(-op["attrs"][key] // divisor)
                        changed = True
        if changed:
            yield other


def reduce(case, fails, seconds):
    """`fails(case)` is true where the failure is the same. Ends after `seconds` at the latest."""
    end = time.monotonic() + seconds
    again = True
    while again and time.monotonic() < end:
        again = False
        for step in (smaller_ops, fewer_ranks, plainer_settings, without_links, smaller_sizes):
            progress = True
            while progress and time.monotonic() < end:
                progress = False
                for other in step(case):
                    if time.monotonic() > end:
                        break
                    if fails(other):
                        case, again, progress = other, True, True
                        break
    return case
