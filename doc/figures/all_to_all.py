#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws all_to_all.svg: completion time of an all-to-all against its size, at packet level and by formulas.

    doc/figures/all_to_all.py [path of the asim tool, default ./asim]

32 ranks exchange directly over 4 leaf and 2 spine switches, all links 400 Gb/s and 500 ns, so four
hosts share each uplink. Writes all_to_all.csv (the numbers) and all_to_all.svg beside this script.
Takes about five seconds. Needs Python only.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASIM = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "asim").resolve()
TOPOLOGY = "--topology=auto:leaf_spine,leaves=4,spines=2"
SIZES = [2 ** k for k in range(16, 27)]  # bytes per rank, 64 KiB to 64 MiB
SYSTEM = {"preferred-dataset-splits": 1, "all-to-all-implementation": ["direct"],
          "local-mem-bw": 1600, "scheduling-policy": "LIFO",
          "collective-optimization": "localBWAware"}
LINES = [  # column, label, colour, dashes
    ("packet_dcqcn", "packets, DCQCN", "#b3261e", ""),
    ("packet_none", "packets, window and PFC only", "#1a5fb4", ""),
    ("aware", "formulas, congestion-aware", "#555555", "7 4"),
    ("unaware", "formulas, congestion-unaware", "#7a7a7a", "2 4"),
]


def run(folder, *args):
    """Output of the tool, started in `folder` because it writes fct.txt and pfc.txt where it stands."""
    return subprocess.run([ASIM, *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def measure(folder, size):
    """Completion time in ns for each line."""
    prefix, system, network = f"{folder}/w{size}", f"{folder}/system.json", f"{folder}/dcqcn.txt"
    Path(system).write_text(json.dumps(SYSTEM))
    Path(network).write_text("CC_MODE 1\n")
    run(folder, "trace", "generate", f"--out={prefix}", "--ranks=32", "--type=all_to_all", f"--size={size}")
    common = [f"--workload={prefix}", f"--system={system}", TOPOLOGY]
    totals = re.search(r"^ +total +(\d+) +(\d+) +(\d+)", run(folder, "compare", *common), re.M)
    dcqcn = re.search(r"ranks, (\d+) cycles", run(folder, "packet", *common, f"--network={network}"))
    return {"packet_none": int(totals[1]), "unaware": int(totals[2]), "aware": int(totals[3]),
            "packet_dcqcn": int(dcqcn[1])}


def human(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def draw(rows):
    """SVG text; both axes are logarithmic."""
    left, right, top, bottom, low, high = 74, 470, 44, 330, 3, 7
    x0, x1 = math.log2(SIZES[0]), math.log2(SIZES[-1])

    def x(size):
        return left + (math.log2(size) - x0) / (x1 - x0) * (right - left)

    def y(ns):
        return bottom - (math.log10(ns) - low) / (high - low) * (bottom - top)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 380" width="720" height="380" '
           'font-family="sans-serif" font-size="13" fill="#222">',
           '<rect width="720" height="380" fill="#fff"/>',
           f'<text x="{left}" y="24" font-size="15">Completion time of an all-to-all, 32 ranks, leaf and spine, '
           '4 hosts per uplink</text>']
    for power in range(low, high + 1):
        label = {3: "1 µs", 4: "10 µs", 5: "100 µs", 6: "1 ms", 7: "10 ms"}[power]
        at = y(10 ** power)
        out += [f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="#ddd"/>',
                f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>']
    for size in SIZES[::2]:
        out.append(f'<text x="{x(size):.1f}" y="{bottom + 20}" text-anchor="middle">{human(size)}</text>')
    out.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 42}" text-anchor="middle">'
               'bytes per rank</text>')
    for column, label, colour, dashes in LINES:
        points = " ".join(f"{x(row['bytes']):.1f},{y(row[column]):.1f}" for row in rows)
        last = rows[-1][column]
        out += [f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
                f'stroke-dasharray="{dashes}"/>',
                f'<text x="{right + 10}" y="{y(last) + LABEL_SHIFT.get(column, 4):.1f}" '
                f'fill="{colour}">{label}</text>']
    return "\n".join(out + ["</svg>", ""])


LABEL_SHIFT = {"packet_dcqcn": -3, "packet_none": 11}  # the two ends lie close together


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = [{"bytes": size, **measure(folder, size)} for size in SIZES]
    columns = ["bytes", *(line[0] for line in LINES)]
    lines = [",".join(columns)] + [",".join(str(row[c]) for c in columns) for row in rows]
    (HERE / "all_to_all.csv").write_text("\n".join(lines) + "\n")
    (HERE / "all_to_all.svg").write_text(draw(rows))


if __name__ == "__main__":
    main()
