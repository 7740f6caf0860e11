#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs cases at the flow level and in packets and tells how job times differ.

    compare.py --seeds=0-20 --kinds=train,hot [--keep=DIR] [--jobs=N] [--verbose] [--flow=OPTION …]

--keep holds traces and results of packets for later calls; --jobs runs so many cases side by side. With
--flow=--verify=5% the finish that the samples correct is compared. One line a kind: cases, median, nine in ten, worst of the absolute difference in per cent, the same of those
without a flag, and how many the flow level refused or packets did not end.
"""

import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
import cases  # noqa: E402

TOOL = os.environ.get("ASIM_TOOL", "asim")
LIMIT_S = 300


@dataclass
class Compared:
    """by: difference in per cent, None where a run failed, which text tells."""
    kind: str
    seed: int
    by: float | None
    text: str
    flagged: bool = False
    packet_s: float = 0
    flow_s: float = 0


def finish_ns(folder):
    if (folder / "verify.csv").exists():
        with open(folder / "verify.csv", newline="") as rows:
            return int(list(csv.DictReader(rows))[-1]["packet_ns"])
    with open(folder / "ranks.csv", newline="") as rows:
        times = [int(row["finish_ns"]) for row in csv.DictReader(rows) if row["finish_ns"]]
    return max(times)


def make_traces(found, folder):
    """The option that names the workload."""
    prefix = folder / "trace" / "t"
    if "scenario" in found:
        path = folder / "scenario.json"
        path.write_text(cases.scenario(found))
        return f"--scenario={path}"
    if not prefix.parent.exists():
        prefix.parent.mkdir(parents=True)
        if "llm" in found:
            words = ["llm", *found["llm"], f"--out={folder / 'workload.txt'}", f"--et={prefix}"]
        else:
            words = ["generate", f"--out={prefix}", *found["generate"]]
        subprocess.run([TOOL, "trace", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"--workload={prefix}"


def run(found, folder, out, extra):
    """Job time in ns, CPU seconds and stderr; time None after a failure."""
    words = [TOOL, "packet", make_traces(found, folder), *found["run"], *extra, "--quiet", f"--out={out}",
             f"--time-limit={LIMIT_S}"]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        said.seek(0)
        return (None if status else finish_ns(out)), usage.ru_utime + usage.ru_stime, said.read()


def packets(found, folder):
    kept = folder / "packets.txt"
    if not kept.exists():
        ns, cpu, text = run(found, folder, folder / "packets", [])
        kept.write_text(f"{ns} {cpu}\n{text}")
    ns, cpu = kept.read_text().split("\n")[0].split()
    return (None if ns == "None" else int(ns)), float(cpu)


def compare(kind, seed, keep, extra):
    found = cases.case(kind, seed)
    folder = keep / f"{kind}_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    packet_ns, packet_s = packets(found, folder)
    if packet_ns is None:
        return Compared(kind, seed, None, "packets did not end", packet_s=packet_s)
    ns, flow_s, text = run(found, folder, folder / "flow", ["--model=flow", *extra])
    if ns is None:
        return Compared(kind, seed, None, text, packet_s=packet_s, flow_s=flow_s)
    return Compared(kind, seed, (ns / packet_ns - 1) * 100, text, "expect an error" in text, packet_s, flow_s)


def compare_all(wanted, keep, extra, jobs):
    """Yields a Compared for each (kind, seed), in their order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda one: compare(*one, keep, extra), wanted)


def at(values, share):
    ordered = sorted(abs(value) for value in values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def describe(values):
    return f"n {len(values):4d} median {at(values, .5):6.2f} p90 {at(values, .9):6.2f} worst {at(values, 1):6.2f}"


def tell(one):
    found = cases.case(one.kind, one.seed)
    words = " ".join([found.get("what", ""), *found.get("generate", found.get("llm")), *found["run"],
                      str(found.get("scenario", ""))])
    shown = f"{one.by:+8.3f} %" if one.by is not None else "       -  "
    text = re.sub(r"\s+", " ", one.text).strip()[-160:] if one.by is None else ""
    return (f"{one.kind} {one.seed:4d} {shown} {'flag' if one.flagged else '    '} {one.packet_s:6.2f} {one.flow_s:5.2f} s "
            f"{words} {text}")


def summary(kind, all_of):
    ended = [one for one in all_of if one.by is not None]
    return (f"{kind:10s} all {describe([one.by for one in ended])}; "
            f"unflagged {describe([one.by for one in ended if not one.flagged])}; {len(all_of) - len(ended)} not compared; "
            f"CPU {sum(one.packet_s for one in all_of):.1f} s in packets, {sum(one.flow_s for one in all_of):.1f} s in flows")


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word and not word.startswith("--flow="))
    extra = [word[7:] for word in sys.argv[1:] if word.startswith("--flow=")]
    with tempfile.TemporaryDirectory() as scratch:
        keep = Path(options.get("keep", scratch))
        for kind in options.get("kinds", ",".join(cases.KINDS)).split(","):
            wanted = [(kind, seed) for seed in seeds_of(options.get("seeds", "0-9"))]
            all_of = []
            for one in compare_all(wanted, keep, extra, int(options.get("jobs", 1))):
                all_of.append(one)
                if "--verbose" in sys.argv:
                    print(tell(one), flush=True)
            print(summary(kind, all_of), flush=True)


if __name__ == "__main__":
    main()
