#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws rates.csv and queues.csv (asim packet --out=DIR --reports=rates,queues) as one SVG.

Two panels over the same time axis: the rate of each flow, and the bytes queued at the busiest
switch ports. Standard library only. A column of pixels shows the last rate and the longest queue
within it, so that a peak of a few ns is not lost.
usage: tests/bench/plot.py DIR [FILE.svg]     default: DIR/congestion.svg
"""
import csv
import sys
from pathlib import Path

WIDTH, PANEL, LEFT, TOP, GAP, RIGHT = 900, 220, 70, 40, 50, 130
COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5",
           "#9c6b4e", "#9498a0"]
PORTS = 4


def table(path):
    return list(csv.DictReader(open(path))) if path.exists() else []


def read_rates(folder):
    """Flow (src, dst, sport) -> [(ns, bit/s)].

    rates.csv begins with the first change: a flow begins at the rate of its host's first link (links.csv) and
    ends with 0 (flows.csv), where these reports are there."""
    flows = {}
    line = {row["from"]: int(row["rate_bps"]) for row in table(folder / "links.csv")
            if row["port"] == "1"}
    ends = table(folder / "flows.csv")
    for row in ends:
        key = int(row["src"]), int(row["dst"]), int(row["sport"])
        if row["src"] in line:
            flows[key] = [(int(row["start_ns"]), line[row["src"]])]
    for row in table(folder / "rates.csv"):
        key = int(row["src"]), int(row["dst"]), int(row["sport"])
        flows.setdefault(key, []).append((int(row["time_ns"]), int(row["mean_bps"])))
    for row in ends:
        key = int(row["src"]), int(row["dst"]), int(row["sport"])
        if key in flows:
            flows[key].append((int(row["end_ns"]), 0))
    return flows


def read_queues(folder):
    """Switch port (node, port) -> [(ns, bytes)]."""
    queues = {}
    for row in table(folder / "queues.csv"):
        port = queues.setdefault((int(row["node"]), int(row["port"])), [])
        start = int(row["time_ns"])
        if port and port[-1][0] == start:
            port.pop()
        port.append((start, int(row["max_bytes"])))
        port.append((start + int(row["interval_ns"]), 0))  # a bin without a queue has no row
    return queues


def columns(series, end, n, pick):
    """One value a pixel column of a step function: pick(values in the column, value before)."""
    out, now, i = [], 0, 0
    for c in range(n):
        limit, seen = end * (c + 1) / n, []
        while i < len(series) and series[i][0] <= limit:
            seen.append(series[i][1])
            i += 1
        out.append(pick(seen, now))
        now = seen[-1] if seen else now
    return out


def nice(top):
    """A round number at or above top, for the axis."""
    step = 1
    while step * 10 <= top:
        step *= 10
    return next(step * k for k in (1, 2, 5, 10) if step * k >= top) if top else 1


def panel(title, lines, end, y0):
    """lines: [(label, values)] in the unit of the title. Returns SVG text."""
    top = nice(max((max(v) for _, v in lines if v), default=1))
    width = WIDTH - LEFT - RIGHT
    out = [f'<text x="{LEFT}" y="{y0 - 8}" font-weight="bold">{title}</text>']
    for k in range(6):
        y = y0 + PANEL - PANEL * k / 5
        out.append(f'<line x1="{LEFT}" x2="{LEFT + width}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{top * k / 5:g}</text>')
        x = LEFT + width * k / 5
        out.append(f'<text x="{x}" y="{y0 + PANEL + 16}" text-anchor="middle">'
                   f'{end / 1e6 * k / 5:.4g}</text>')
    for i, (label, values) in enumerate(lines):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(f"{LEFT + width * c / len(values):.1f},"
                          f"{y0 + PANEL - PANEL * v / top:.1f}" for c, v in enumerate(values))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        if i < 16:
            out.append(f'<text x="{LEFT + width + 10}" y="{y0 + 10 + 13 * i}" fill="{colour}">'
                       f'{label}</text>')
    return "\n".join(out)


def draw(folder, path, title):
    rates, queues = read_rates(folder), read_queues(folder)
    end = max([s[-1][0] for s in list(rates.values()) + list(queues.values())] or [1])
    n = WIDTH - LEFT - RIGHT
    busiest = sorted(queues, key=lambda k: -max(b for _, b in queues[k]))[:PORTS]
    upper = [(f"{s} to {d}" + (f" #{p}" if p > 10000 else ""),
              [v / 1e9 for v in columns(rates[s, d, p], end, n, lambda x, was: x[-1] if x else was)])
             for s, d, p in sorted(rates)]
    lower = [(f"node {v} port {p}",
              [b / 1e3 for b in columns(queues[v, p], end, n, lambda x, was: max(x + [was]))])
             for v, p in busiest]
    height = TOP + 2 * PANEL + GAP + 50
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            'font-family="sans-serif" font-size="11">',
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            f'<text x="{WIDTH / 2}" y="16" text-anchor="middle" font-size="14">{title}</text>',
            panel("rate of each flow, Gbit/s", upper, end, TOP),
            panel("queue, kB", lower, end, TOP + PANEL + GAP),
            f'<text x="{LEFT + n / 2}" y="{height - 8}" text-anchor="middle">time, ms</text>',
            "</svg>"]
    Path(path).write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    where = Path(sys.argv[1])
    draw(where, sys.argv[2] if len(sys.argv) == 3 else where / "congestion.svg", where.name)
