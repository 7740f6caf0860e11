# SPDX-License-Identifier: GPL-2.0-only
"""Writes small analytical runs (traces, system, network, groups) and reads what they print.

A node of a workload is a dict: id, t (COMP COLL SEND RECV LOAD STORE META), and what its type needs: dur
(us), c (AR AG RS A2A) and size, dst or src and tag, g (group), inv (involved dimensions), prio, deps,
num_ops and tensor_size. The same dicts feed the oracle, an independent model kept outside the
repository.
"""
import json
import re
import struct
import subprocess

KINDS = {"AR": 0, "AG": 2, "A2A": 6, "RS": 7}
TYPES = {"META": 1, "LOAD": 2, "STORE": 3, "COMP": 4, "SEND": 5, "RECV": 6, "COLL": 7}
LISTS = {"AR": "all-reduce", "AG": "all-gather", "RS": "reduce-scatter", "A2A": "all-to-all"}


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def num(field, value):
    return varint(field << 3) + varint(value) if value else b""


def blob(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def attr(name, value):
    return blob(10, blob(1, name.encode()) + value)


def node_bytes(node):
    """One Chakra node (core/trace/chakra.proto has the numbers)."""
    out = num(1, node["id"]) + blob(2, f"n{node['id']}".encode()) + num(3, TYPES[node["t"]])
    if node.get("deps"):
        out += blob(5, b"".join(varint(d) for d in node["deps"]))
    out += num(7, node.get("dur", 0))
    out += attr("is_cpu_op", varint(27 << 3) + varint(int(node.get("cpu", 0))))
    ints = {"comm_size": node.get("size"), "comm_tag": node.get("tag"), "comm_dst": node.get("dst"),
            "comm_src": node.get("src"), "comm_priority": node.get("prio"),
            "num_ops": node.get("num_ops"), "tensor_size": node.get("tensor_size")}
    if "c" in node:
        ints["comm_type"] = KINDS[node["c"]]
    for name, value in ints.items():
        if value is not None:
            out += attr(name, varint(13 << 3) + varint(value))
    if node.get("g") is not None:
        out += attr("pg_name", blob(29, str(node["g"]).encode()))
    if node.get("inv"):
        out += attr("involved_dim", blob(28, blob(1, bytes(int(bool(b)) for b in node["inv"]))))
    return out


def write_traces(folder, ranks):
    """ranks: a list of nodes per rank."""
    for rank, nodes in enumerate(ranks):
        data = bytearray()
        for record in [blob(1, b"0.0.4")] + [node_bytes(n) for n in nodes]:
            data += varint(len(record)) + record
        (folder / f"w.{rank}.et").write_bytes(data)


def write_case(folder, net, ranks, system=None, groups=None, memory=None):
    """net: [(topology, npus, GB/s, ns), ...]; system: keys over the common setting of the golden
    numbers; `impl` there is one list for all collectives."""
    keys = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
            "preferred-dataset-splits": 1, "local-mem-bw": 50,
            "collective-optimization": "localBWAware"}
    keys.update(system or {})
    impl = keys.pop("impl", ["ring"] * len(net))
    for kind, name in LISTS.items():
        keys.setdefault(f"{name}-implementation", impl)
    keys = {k: v for k, v in keys.items() if v is not None}
    (folder / "s.json").write_text(json.dumps(keys))
    (folder / "n.yml").write_text("".join(
        f"{key}: [ {', '.join(str(d[i]) for d in net)} ]\n"
        for i, key in enumerate(("topology", "npus_count", "bandwidth", "latency"))))
    (folder / "m.json").write_text(json.dumps(memory or {"memory-type": "NO_MEMORY_EXPANSION"}))
    if groups:
        (folder / "g.json").write_text(json.dumps({str(k): v for k, v in groups.items()}))
    write_traces(folder, ranks)


def run(tool, mode, folder, *options):
    """The finished process of one case."""
    words = [tool, "analytical", f"--mode={mode}", "--workload-configuration=w",
             "--system-configuration=s.json", "--network-configuration=n.yml",
             "--remote-memory-configuration=m.json", *options]
    if (folder / "g.json").exists():
        words.append("--comm-group-configuration=g.json")
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)


def finishes(text):
    """[(rank, tick), ...] in finishing order."""
    return [(int(m[1]), int(m[2]))
            for m in re.finditer(r"sys\[(\d+)\] finished, (\d+) cycles", text)]


def exposed(text):
    return {int(m[1]): int(m[2]) for m in re.finditer(
        r"sys\[(\d+)\] finished, \d+ cycles, exposed communication (\d+) cycles", text)}
