#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does what verdicts say: runs cases in packets, then with the first remedy of their sentence.

    judge.py --seeds=0-3 --kinds=uplinks,control [--keep=DIR] [--verbose]

A row a case: kind, seed, cause in the sentence, what it promises and what packets then save, in per cent.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(os.environ.get("ASIM_ROOT", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tests/golden/system"))
sys.path.insert(0, str(Path(__file__).parent))
import cases  # noqa: E402

MENDS = {"ranks": "equal ranks", "bubble": "half the pipeline's bubble"}


@dataclass
class Judged:
    kind: str
    seed: int
    sentence: str
    cause: str
    is_named: bool
    promised: float
    saved: float

    @property
    def is_kept(self):
        return self.saved >= self.promised / 2 > 0

    @property
    def is_good(self):
        return self.is_named and self.is_kept


def run(folder, name, options):
    words = [cases.TOOL, "packet", f"--workload={folder}/w", f"--out={folder}/{name}", "--reports=links",
             *(option.replace("{folder}", str(folder)) for option in options)]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    sentence = next((line for line in done.stderr.splitlines() if line.startswith("What limits")), "")
    with open(folder / name / "summary.json", encoding="utf-8") as file:
        return json.load(file)["finish_ns"], sentence


def promised_by_row(folder, change):
    with open(folder / "before/what_if.csv", newline="", encoding="utf-8") as file:
        rows = {row["change"]: row["finish_ns"] for row in csv.DictReader(file)}
    return (1 - int(rows[change] or 0) / int(rows["as it is"])) * 100 if rows.get(change) else 0


def with_option(options, option):
    key = option.split("=")[0]
    return [given for given in options if given.split("=")[0] != key] + [option]


def judge(kind, seed, folder):
    case = cases.case(kind, seed)
    folder.mkdir(parents=True, exist_ok=True)
    case["write"](folder, False)
    before, sentence = run(folder, "before", case["run"])
    cause = sentence.removeprefix("What limits this run: ").split(". ")[0]
    tried = re.search(r"Try (--\S+): -([\d.]+) %", sentence)
    options, promised = case["run"], 0.0
    if tried:
        options, promised = with_option(options, tried[1]), float(tried[2])
    elif case.get("mends"):
        promised = promised_by_row(folder, "bubble" if kind == "bubble" else "ranks")
        case["write"](folder, True)
    after = run(folder, "after", options)[0]
    return Judged(kind, seed, sentence, cause, re.search(case["cause"], cause) is not None, promised,
                  (1 - after / before) * 100)


def tell(one):
    return (f"{one.kind:10s} {one.seed:4d} {'ok  ' if one.is_good else 'FAIL'} promised {one.promised:4.0f} % "
            f"saved {one.saved:6.1f} %  {one.cause if one.is_good else one.sentence}")


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
    with tempfile.TemporaryDirectory() as scratch:
        keep = Path(options.get("keep", scratch))
        for kind in options.get("kinds", ",".join(cases.DRAWS)).split(","):
            for seed in seeds_of(options.get("seeds", "0-3")):
                print(tell(judge(kind, seed, keep / f"{kind}_{seed}")), flush=True)


if __name__ == "__main__":
    main()
