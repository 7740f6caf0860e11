# SPDX-License-Identifier: GPL-2.0-only
"""The workloads the golden numbers name, as nodes per rank (lab.py)."""

MIB = 1 << 20


def collective(kind, size, n, **more):
    return [[{"id": 1, "t": "COLL", "c": kind, "size": size, **more}] for _ in range(n)]


def sequence(n):
    """All-reduce of 1 MiB, of 512 KiB, all-gather of 64 KiB, one after the other."""
    return [[{"id": 1, "t": "COLL", "c": "AR", "size": MIB},
             {"id": 2, "t": "COLL", "c": "AR", "size": MIB // 2, "deps": [1]},
             {"id": 3, "t": "COLL", "c": "AG", "size": MIB // 16, "deps": [2]}] for _ in range(n)]


def halves(n, members):
    """An all-reduce in the group (1 or 2) each rank is in; others do nothing."""
    return [[{"id": 1, "t": "COLL", "c": "AR", "size": MIB, "g": g} for g, ranks in members.items()
             if r in ranks] or [{"id": 1, "t": "COMP", "dur": 1}] for r in range(n)]


def pipeline(n):
    """Three micro-batches through a chain of ranks; 20 us of compute each."""
    ranks = []
    for r in range(n):
        nodes = []
        for m in range(3):
            if r:
                nodes.append({"id": 10 * m + 1, "t": "RECV", "src": r - 1, "size": MIB, "tag": m})
            nodes.append({"id": 10 * m + 2, "t": "COMP", "dur": 20,
                          "deps": [10 * m + 1] if r else []})
            if r < n - 1:
                nodes.append({"id": 10 * m + 3, "t": "SEND", "dst": r + 1, "size": MIB, "tag": m,
                              "deps": [10 * m + 2]})
        ranks.append(nodes)
    return ranks


def dag(n):
    return [[{"id": 1, "t": "COMP", "dur": 10},
             {"id": 2, "t": "COLL", "c": "AR", "size": MIB, "deps": [1]},
             {"id": 3, "t": "COMP", "dur": 30, "deps": [1]},
             {"id": 4, "t": "COLL", "c": "RS", "size": MIB, "deps": [3]},
             {"id": 5, "t": "COMP", "dur": 5, "deps": [2, 4]},
             {"id": 6, "t": "COLL", "c": "AG", "size": MIB // 4, "deps": [1]}] for _ in range(n)]


def skew(n):
    return [[{"id": 1, "t": "COMP", "dur": 10 * (r + 1)},
             {"id": 2, "t": "COLL", "c": "AR", "size": MIB, "deps": [1]}] for r in range(n)]


def groups_skew(n):
    """Pairs 1 … 4, then evens (11) and odds (12), then everybody."""
    return [[{"id": 1, "t": "COMP", "dur": 3 * (r + 1)},
             {"id": 2, "t": "COLL", "c": "AR", "size": MIB // 4, "g": r // 2 + 1, "deps": [1]},
             {"id": 3, "t": "COMP", "dur": 4, "deps": [2]},
             {"id": 4, "t": "COLL", "c": "RS", "size": MIB, "g": 11 + r % 2, "deps": [3]},
             {"id": 5, "t": "COLL", "c": "AG", "size": MIB // 8, "g": 11 + r % 2, "deps": [4]},
             {"id": 6, "t": "COLL", "c": "AR", "size": MIB // 16, "deps": [5]}] for r in range(n)]


def roofline(n):
    return [[{"id": 1, "t": "COMP", "num_ops": 4 * 10**10, "tensor_size": 3 * 10**8},
             {"id": 2, "t": "COLL", "c": "AR", "size": MIB, "deps": [1]},
             {"id": 3, "t": "COMP", "num_ops": 10**9, "tensor_size": 10**9, "deps": [1]}]
            for _ in range(n)]


def roofline_pair(n):
    return [[{"id": 1, "t": "COMP", "num_ops": 10**12, "tensor_size": 10**9},
             {"id": 2, "t": "COMP", "num_ops": 10**9, "tensor_size": 10**9}] for _ in range(n)]


def load_store(n):
    return [[{"id": 1, "t": "LOAD", "tensor_size": 1000},
             {"id": 2, "t": "STORE", "tensor_size": 1000}] for _ in range(n)]


# Name -> (nodes per rank from the number of ranks, groups or None).
NAMED = {
    "sequence": (sequence, None),
    "pipeline": (pipeline, None),
    "dag": (dag, None),
    "skew": (skew, None),
    "roofline": (roofline, None),
    "roofline_pair": (roofline_pair, None),
    "load_store": (load_store, None),
    "groups_skew": (groups_skew, {**{i + 1: [2 * i, 2 * i + 1] for i in range(4)},
                                  11: [0, 2, 4, 6], 12: [1, 3, 5, 7]}),
}


def grouped(spec):
    """"group:0.2.4.6/1.3.5.7": an all-reduce in each group."""
    members = {i + 1: [int(r) for r in part.split(".")] for i, part in enumerate(spec.split("/"))}
    return lambda n: halves(n, members), members
