#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs cases at the flow level and in packets and tells how job times differ.

    compare.py --seeds=0-20 --kinds=train,hot [--keep=DIR] [--verbose] [--flow=OPTION …]

--keep holds traces and results of packets for later calls. One line a kind: cases, median, nine in
ten, worst of the absolute difference in per cent, and the same of those without a flag.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import cases  # noqa: E402

TOOL = os.environ.get("ASIM_TOOL", "asim")
LIMIT_S = 120


def finish_ns(folder):
    with open(folder / "ranks.csv", newline="") as rows:
        times = [int(row["finish_ns"]) for row in csv.DictReader(rows) if row["finish_ns"]]
    return max(times)


def make_traces(found, folder):
    prefix = folder / "trace" / "t"
    if not prefix.parent.exists():
        prefix.parent.mkdir(parents=True)
        if "llm" in found:
            text = folder / "workload.txt"
            subprocess.run([TOOL, "trace", "llm", *found["llm"], f"--out={text}", f"--et={prefix}"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            subprocess.run([TOOL, "trace", "generate", f"--out={prefix}", *found["generate"]],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"--workload={prefix}"


def run(found, folder, out, extra):
    """Job time in ns, CPU seconds and stderr; time None after a failure."""
    words = [TOOL, "packet", make_traces(found, folder), *found["run"], *extra, "--quiet", f"--out={out}",
             f"--time-limit={LIMIT_S}"]
    before = os.times()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return (finish_ns(out) if done.returncode == 0 else None), cpu, done.stderr


def packets(found, folder):
    kept = folder / "packets.txt"
    if not kept.exists():
        ns, cpu, text = run(found, folder, folder / "packets", [])
        kept.write_text(f"{ns} {cpu}\n{text}")
    ns, cpu = kept.read_text().split("\n")[0].split()
    return (None if ns == "None" else int(ns)), float(cpu)


def compare(kind, seed, keep, extra):
    """(difference in per cent or None, flagged, CPU seconds of packets and flow, error text)"""
    found = cases.case(kind, seed)
    folder = keep / f"{kind}_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    packet_ns, packet_cpu = packets(found, folder)
    if packet_ns is None:
        return None, False, packet_cpu, 0, "packets did not end"
    ns, cpu, text = run(found, folder, folder / "flow", ["--model=flow", *extra])
    if ns is None:
        return None, False, packet_cpu, cpu, text
    return (ns / packet_ns - 1) * 100, "expect an error" in text, packet_cpu, cpu, text


def at(values, share):
    ordered = sorted(abs(value) for value in values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def describe(values):
    return f"n {len(values):4d} median {at(values, .5):6.2f} p90 {at(values, .9):6.2f} worst {at(values, 1):6.2f}"


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word and not word.startswith("--flow="))
    extra = [word[7:] for word in sys.argv[1:] if word.startswith("--flow=")]
    with tempfile.TemporaryDirectory() as scratch:
        keep = Path(options.get("keep", scratch))
        for kind in options.get("kinds", ",".join(cases.KINDS)).split(","):
            differences, unflagged, cpus = [], [], [0, 0]
            for seed in seeds_of(options.get("seeds", "0-9")):
                by, flagged, packet_cpu, cpu, text = compare(kind, seed, keep, extra)
                cpus = [cpus[0] + packet_cpu, cpus[1] + cpu]
                if "--verbose" in sys.argv:
                    found = cases.case(kind, seed)
                    words = found.get("what", "") + " " + " ".join(found.get("generate", found.get("llm")) + found["run"])
                    shown = f"{by:+8.3f} %" if by is not None else "       -  "
                    print(f"{kind} {seed:4d} {shown} {'flag' if flagged else '    '} {packet_cpu:6.2f} {cpu:5.2f} s "
                          f"{words} {text.strip()[-200:]}", flush=True)
                if by is not None:
                    differences.append(by)
                    unflagged += [] if flagged else [by]
            print(f"{kind:10s} all {describe(differences)}; unflagged {describe(unflagged)}; "
                  f"CPU {cpus[0]:.1f} s in packets, {cpus[1]:.1f} s in flows", flush=True)


if __name__ == "__main__":
    main()
