#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws inference.svg: 2 prefill and 6 decode servers against 8 mixed ones, at three loads.

    doc/figures/inference.py [path of the asim tool, default ./asim]

A server has 8 H100s with a NIC of 400 Gb/s each; all hang on one rail-optimised network. A
70-billion-parameter model answers prompts of 2048 tokens with 256 tokens. Writes inference.csv
(the numbers) and inference.svg beside this script. Takes about ten seconds. Needs Python only.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASIM = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "asim").resolve()
LOADS = [5, 10, 15]  # requests per second
COMMON = ["--tp=8", "--model=llama-3-70b", "--gpu=H100", "--topology=auto:spectrum_x,g=64", "--mtu=4096",
          "--requests=300", "--prompt=2048", "--output=256"]
WAYS = [  # name, options, colour
    ("2 prefill + 6 decode", ["--prefill=2", "--decode=6"], "#1a5fb4"),
    ("8 mixed (prefill first)", ["--mixed=8", "--scheduler=prefill-first"], "#b3261e"),
    ("8 mixed (chunks of 512)", ["--mixed=8", "--max-tokens=512"], "#2b7a3d"),
]
PANELS = [  # column, title
    ("ttft_p95_ms", "TTFT, 95th percentile, ms"),
    ("tpot_p95_ms", "TPOT, 95th percentile, ms"),
]
COLUMNS = ["servers", "requests_per_s", "ttft_p50_ms", "ttft_p95_ms", "tpot_p50_ms", "tpot_p95_ms", "latency_p50_ms",
           "kv_transfer_p95_ms", "output_tokens_per_s", "kv_share", "collective_share"]


def measure(name, options, load):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ASIM, "inference", *options, *COMMON, f"--rate={load}", f"--out={folder}/o"], check=True,
                       capture_output=True)
        got = json.loads(Path(f"{folder}/o/inference.json").read_text())
    row = {"servers": name, "requests_per_s": load}
    for column in COLUMNS[2:]:
        row[column] = round(got[column[:-3] + "_ns"] / 1e6, 3) if column.endswith("_ms") else got[column]
    return row


def draw(rows):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 330" width="760" height="330" '
           'font-family="sans-serif" font-size="13" fill="#222">', '<rect width="760" height="330" fill="#fff"/>']
    for panel, (column, title) in enumerate(PANELS):
        left, right, top, bottom = 60 + 375 * panel, 345 + 375 * panel, 50, 250
        most = max(row[column] for row in rows) * 1.1
        out.append(f'<text x="{left}" y="30" font-size="15">{title}</text>')
        for tick in range(5):
            y = bottom - (bottom - top) * tick / 4
            out += [f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>',
                    f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{most * tick / 4:.0f}</text>']
        for load in LOADS:
            x = left + (right - left) * load / (LOADS[-1] * 1.05)
            out.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{load}</text>')
        for name, _, colour in WAYS:
            points = [(left + (right - left) * row["requests_per_s"] / (LOADS[-1] * 1.05),
                       bottom - (bottom - top) * row[column] / most) for row in rows if row["servers"] == name]
            out.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" '
                       f'stroke="{colour}" stroke-width="2"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        out.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 40}" text-anchor="middle">requests per second'
                   '</text>')
    for i, (name, _, colour) in enumerate(WAYS):
        x = 60 + 230 * i
        out += [f'<line x1="{x}" y1="312" x2="{x + 24}" y2="312" stroke="{colour}" stroke-width="2"/>',
                f'<text x="{x + 30}" y="316">{name}</text>']
    return "\n".join(out + ["</svg>", ""])


def main():
    rows = [measure(name, options, load) for name, options, _ in WAYS for load in LOADS]
    lines = [",".join(COLUMNS)] + [",".join(str(row[c]) for c in COLUMNS) for row in rows]
    (HERE / "inference.csv").write_text("\n".join(lines) + "\n")
    (HERE / "inference.svg").write_text(draw(rows))


if __name__ == "__main__":
    main()
