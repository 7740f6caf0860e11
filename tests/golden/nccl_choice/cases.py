#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ncclAuto beside each algorithm that it chooses from, in packets, on drawn machines, sizes and nodes.

A seed is a case: a fabric (servers of a machine file, SimAI's pods, or single hosts), a number of
servers, a collective and a size. `cases.py SEED [SEED ...]` or `FIRST-LAST` prints a row a case and
the quantiles of the time of ncclAuto over the best candidate. Seeds below 500 were looked at when
the estimate was made (core/sim/collective/nccl_estimate.c), those from 1000 to 2000 when it was mended
later; 3000 to 3399, 4000 to 4200, 4500 to 4720, 4800 to 4840, 5000 to 5499, 12000 to 12190, 15000 to
15099, 16000 to 16099, 60000 to 62199, 70000 to 71149, 73000 to 73199, 80000 to 80099 and 82000 to 82199 were seen:
judge it by seeds beyond. Words with -- go to `asim packet`: --machine=none shows the estimate, --model=flow is quick.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

TOOL = os.environ.get("ASIM_TOOL", os.path.join(os.path.dirname(__file__), "../../../build/release/asim"))
MACHINES = {  # GPUs of a host, whether NVSwitches reduce
    "h100-ndr": (8, 1), "h200-roce": (8, 1), "a100-hdr": (8, 0), "b200-hgx": (8, 1), "h100-efa": (8, 1),
    "gh200-slingshot": (4, 0), "a100-slingshot": (4, 0), "generic-ethernet": (8, 0), "mi300x-roce": (8, 0)}
MOST_TRAFFIC = 6e9  # bytes times ranks: a few seconds of one core


def fabric(draw):
    """(topology, GPUs of a server, servers, has NVLS)"""
    servers = draw.choice([1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16])
    kind = draw.choice(["machine", "machine", "machine", "pod", "flat"])
    if kind == "flat":
        hosts = draw.choice([2, 3, 4, 8, 12, 16, 24, 32])
        made = draw.choice(["switch", "leaf_spine,leaves=4,psn=2", "leaf_spine"])
        return f"auto:{made}", 1, hosts, 0
    if kind == "pod":
        made, gpu = draw.choice(["rail", "Spectrum-X", "AlibabaHPN", "DCN+"]), draw.choice(["A100", "H100"])
        return f"auto:{made},g={8 * servers},gps=8,gt={gpu}", 8, servers, gpu == "H100"
    machine = draw.choice(sorted(MACHINES))
    gpus, nvls = MACHINES[machine]
    used = draw.choice([gpus, gpus, gpus, gpus // 2])
    words = [f"machine:{machine}", f"nodes={servers}", f"gpus={used}"]
    shape = draw.choice(["star", "rail", "leaf_spine"])
    words.append(f"fabric={shape}")
    if shape != "star":
        words.append(f"spines={draw.choice([1, 2, 4])}")
        words.append(f"oversubscription={draw.choice([1, 1, 2, 4])}")
    if shape == "leaf_spine":
        words.append(f"per_leaf={draw.choice([1, 2, 4])}")
    return ",".join(words), used, servers, nvls and used > 1


def case(seed):
    draw = random.Random(seed)
    topology, local, servers, nvls = fabric(draw)
    ranks = local * servers
    kind = draw.choice(["all_reduce", "all_reduce", "all_reduce", "all_gather", "reduce_scatter"])
    most = min(256 << 20, MOST_TRAFFIC / ranks)
    size = int(2 ** draw.uniform(13, 28))
    size = int(min(size, most)) // (ranks * 64) * ranks * 64 or ranks * 64
    names = ["ncclRing"]
    if servers > 1 and local > 1:
        names.append("ncclPxn")
    if kind == "all_reduce":
        names.append("ncclTree")
        if nvls:
            names.append("ncclNvlsTree" if servers > 1 else "ncclNvls")
    return {"topology": topology, "ranks": ranks, "kind": kind, "size": size, "names": names}


def finish_ns(of, name, folder, options):
    size = of["size"] // of["ranks"] if of["kind"] == "all_gather" else of["size"]
    prefix = os.path.join(folder, "w")
    if not os.path.exists(prefix + ".0.et"):
        subprocess.run([TOOL, "trace", "generate", f"--ranks={of['ranks']}", f"--type={of['kind']}",
                        f"--size={size}", f"--out={prefix}"], check=True, capture_output=True)
    done = subprocess.run([TOOL, "packet", f"--workload={prefix}", f"--topology={of['topology']}",
                           "--like=nccl", f"--algorithm={name}", *options],
                          capture_output=True, text=True)
    found = re.search(r"(\d+) cycles \(", done.stdout)
    if done.returncode or not found:
        raise SystemExit(f"{of['topology']} {name}: {done.stderr[-400:]}")
    return int(found[1])


def measure(seed, options=()):
    """The row of a case: its time with ncclAuto, and with each candidate."""
    of = case(seed)
    with tempfile.TemporaryDirectory() as folder:
        times = {name: finish_ns(of, name, folder, options) for name in of["names"]}
        auto = finish_ns(of, "ncclAuto", folder, options)
    return of, auto, times


def main(words):
    seeds, ratios = [], []
    options = [word for word in words if word.startswith("--")]
    for word in words:
        if word in options:
            continue
        first, _, last = word.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    print("seed,topology,ranks,kind,bytes,auto_ns,best_ns,best,ratio,candidates")
    for seed in seeds:
        of, auto, times = measure(seed, options)
        best = min(times, key=times.get)
        ratios.append(auto / times[best])
        print(f"{seed},\"{of['topology']}\",{of['ranks']},{of['kind']},{of['size']},{auto},{times[best]},"
              f"{best},{ratios[-1]:.3f},\"{times}\"", flush=True)
    ratios.sort()
    print(f"{len(ratios)} cases: median {ratios[len(ratios) // 2]:.3f}, nine in ten "
          f"{ratios[len(ratios) * 9 // 10]:.3f}, worst {ratios[-1]:.3f}, above 1.1: "
          f"{sum(r > 1.1 for r in ratios)}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["1000-1199"])
