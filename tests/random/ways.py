# SPDX-License-Identifier: GPL-2.0-only
"""Runs a case in each way that must give the same bytes, and compares them.

The measure is the run frame by frame: no fast-forward, one thread, windows. A result is the exit
code, what stdout says, all files written, and of a run that fails the sentence on stderr.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
from pathlib import Path

from chakra import trace

FRAMES = ["--fast-forward=off"]
PATHS = ["bulk-switch", "host-fast", "uniform-phase", "memo", "steady-state", "half-steps", "domains"]
WAYS = {
    "default": [],
    "no_fast_path": ["--fast-forward=off", "--without=" + ",".join(PATHS)],
    "some_fast_paths": None,  # drawn for each case
    "per_event": ["--per-event=1"],
    "threads_2": ["--fast-forward=off", "--threads=2"],
    "threads_3": ["--threads=3"],
    "small_trace_window": ["--trace-window=1"],
    "sanitize": [],
    "ns3": [],
    "ns3_per_event": ["--per-event=1"],
    "mpi_2": [],
    "mpi_3": [],
    "mpi_2_threads": ["--threads=2"],
}
ALONE = ("ns3", "ns3_per_event")  # ns-3, one process
MPI = {"mpi_2": 2, "mpi_3": 3, "mpi_2_threads": 2}
NETWORK_FILES = ("fct.txt", "pfc.txt", "qlen.txt")


class Failure(Exception):
    """What is wrong with a way: its name, and a sentence."""

    def __init__(self, way, said):
        super().__init__(f"{way}: {said}")
        self.way, self.said = way, said


class Tools:
    """The programs, and how long they may take. `limit` is in seconds."""

    def __init__(self, tool, sanitize=None, ns3=None, limit=20):
        self.tool, self.sanitize, self.ns3, self.limit = tool, sanitize, ns3, limit
        self.mpiexec = shutil.which("mpiexec")

    def why_not(self, way):
        if way == "sanitize" and not self.sanitize:
            return "no build under sanitizers (ASIM_TOOL_SANITIZE)"
        if (way in ALONE or way in MPI) and not self.ns3:
            return "no build in ns-3 newer than the sources (./ns3 build, or ASIM_NS3_PROGRAM)"
        if way in MPI and not self.mpiexec:
            return "no mpiexec"
        return None

    def command(self, way):
        if way == "sanitize":
            return [self.sanitize, "packet", "--verbose"]
        if way in ALONE:
            return [self.ns3]
        if way in MPI:
            return [self.mpiexec, "-np", str(MPI[way]), self.ns3]
        return [self.tool, "packet", "--verbose"]

    def environment(self, way):
        env = dict(os.environ)
        if way in ALONE or way in MPI:
            library = str(Path(self.ns3).parent.parent / "lib")
            env["LD_LIBRARY_PATH"] = ":".join(w for w in (library, env.get("LD_LIBRARY_PATH")) if w)
        if way in MPI:
            env.update({"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
                        "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader,tcp",
                        "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none",
                        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        return env


def write(case, folder):
    """The inputs of a case as files. Returns the options that name them, seen from a folder below."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["--workload=../w", "--topology=../topology.txt", "--network=../network.txt", "--system=../system.json"]
    (folder / "topology.txt").write_text(case["topology"])
    (folder / "network.txt").write_text("".join(f"{key} {value}\n" for key, value in case["network"]))
    (folder / "system.json").write_text(json.dumps(case["system"], indent=1) + "\n")
    for rank, ops in enumerate(case["ranks"]):
        (folder / f"w.{rank}.et").write_bytes(trace(ops))
    if case["logical"]:
        (folder / "logical.json").write_text(json.dumps({"logical-dims": [str(d) for d in case["logical"]]}) + "\n")
        words.append("--logical=../logical.json")
    if case["memory"]:
        (folder / "memory.json").write_text(json.dumps(case["memory"]) + "\n")
        words.append("--memory=../memory.json")
    if case["groups"]:
        (folder / "groups.json").write_text(json.dumps(case["groups"]) + "\n")
        words.append("--groups=../groups.json")
    return words + ["--out=out", "--reports=" + case["reports"]] + case["options"]


def sentence(text):
    """The error on stderr, without the program's name, notes, and what mpiexec adds."""
    said, taken = [], False
    for line in text.splitlines():
        start = re.match(r"(?:asim packet|AstraSimNetwork): (.*)", line)
        if start:
            taken = not start.group(1).startswith("note")
            line = start.group(1)
        elif line.startswith(("---", "note: ", "[")):
            taken = False
        if taken:
            said.append(line)
    return "\n".join(said)


class Result:
    """What one run gave."""

    def __init__(self, code, out, said, files, stderr):
        self.code, self.out, self.said, self.files, self.stderr = code, out, said, files, stderr

    def rows(self, name):
        """A CSV file of --out as a list of dictionaries."""
        lines = self.files.get(f"out/{name}", b"").decode().splitlines()
        return [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]] if lines else []

    def summary(self):
        return json.loads(self.files.get("out/summary.json", b"{}"))


def execute(tools, way, words, folder):
    """Runs a way in a folder of its own. A run that does not end, and one that a signal ended, are
    failures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    limit = tools.limit * (3 if way in MPI or way == "sanitize" else 1)
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(tools.command(way) + words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True, env=tools.environment(way))
        try:
            code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            stop(process)
            raise Failure(way, f"does not end within {limit} s") from None
        except BaseException:
            stop(process)
            raise
    text = (folder / "stderr").read_text(errors="replace")
    if code not in (0, 1):
        raise Failure(way, f"ends with exit code {code}: {text.strip()[-600:]}")
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    out = files.pop("stdout").decode(errors="replace")
    files.pop("stderr")
    return Result(code, out, sentence(text), files, text)


def stop(process):
    """Ends a run and all processes it started: TERM first, because mpiexec then ends its own."""
    for number, seconds in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def first_difference(a, b):
    lines, others = a.splitlines(), b.splitlines()
    for number, (one, other) in enumerate(zip(lines, others), 1):
        if one != other:
            return f"line {number}: {one[:200]!r} and {other[:200]!r}"
    return f"{len(lines)} and {len(others)} lines"


def compare(way, measure, result):
    """Raises a Failure that names the first difference."""
    if result.code != measure.code:
        raise Failure(way, f"exit code {result.code}, not {measure.code}: {(result.said or measure.said)[:400]}")
    is_stopped = measure.code and not measure.files.get("out/summary.json")  # by an error: which lines are out, is a race
    if result.out != measure.out and not (way in MPI and is_stopped):
        raise Failure(way, "stdout differs, " + first_difference(measure.out, result.out))
    if measure.code and result.said != measure.said:
        raise Failure(way, "the error differs, " + first_difference(measure.said, result.said))
    if result.files.keys() != measure.files.keys():
        raise Failure(way, f"files {sorted(result.files)}, not {sorted(measure.files)}")
    for name, data in measure.files.items():
        if result.files[name] != data:
            raise Failure(way, f"{name} differs, " + first_difference(data.decode(errors='replace'),
                                                                      result.files[name].decode(errors='replace')))


def some_paths(rng):
    """Fast-forward on or off, and some of the fast paths turned off."""
    off = [name for name in PATHS if rng.random() < .4]
    words = ["--fast-forward=" + rng.choice(["on", "on", "off"])]
    return words + (["--without=" + ",".join(off)] if off else [])


def left_out(case, way, measure):
    """The reason why a way means nothing for this case, or None."""
    if way in MPI:
        if any(word.startswith("--pcap") for word in case["options"]):
            return "a capture is written by one process"
        windows = measure.summary().get("finish_ns", 0) / smallest_delay(case)
        if windows > 40000:
            return "more than 40,000 windows, each a meeting of all processes"
    return None


def smallest_delay(case):
    delays = [float(number) * {"ps": .001, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit] for number, unit in
              re.findall(r" ([0-9.e-]+)(ps|ns|us|ms|s) ", case["topology"])]
    return max(1, min(delays, default=1))


def words_of(way, seed):
    return some_paths(random.Random(f"paths {seed}")) if way == "some_fast_paths" else WAYS[way]


def refused_parts(result):
    """Why several processes refuse the case: too few parts or hosts, or ranks that share a memory. Else None."""
    said = re.search(r"cannot be cut into|start fewer processes|run this on one|processes for a network of", result.said)
    return f"refused: {re.sub(r'[0-9]+', 'N', result.said)[:80]}" if result.code == 1 and said else None
