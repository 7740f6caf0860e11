# SPDX-License-Identifier: GPL-2.0-only
"""Holds queues.csv and rates.csv against their definition, from every change (queues_raw, rates_raw).

The length of a queue is sampled every 100 ns: a sample shows the length before its own ns, 0 below 1000 bytes. Rates are
weighed by time from the first change to the last ACK (flows.csv).
"""
import csv
import sys

folder = sys.argv[1]


def rows(name):
    with open(f"{folder}/{name}.csv", encoding="ascii") as file:
        return [{k: int(v) if v.isdigit() else v for k, v in row.items()} for row in csv.DictReader(file)]


def steps_to_bins(changes, end, width):
    """changes: [(ns, value)]. Bin start -> (least, mean, largest) of the value where it holds."""
    bins = {}
    for (since, value), (until, _) in zip(changes, changes[1:] + [(end, 0)]):
        while since < until:
            start = since // width * width
            stop = min(until, start + width)
            low, area, lasted, high = bins.get(start, (value, 0, 0, value))
            bins[start] = min(low, value), area + value * (stop - since), lasted + stop - since, max(high, value)
            since = stop
    return {k: (low, area / lasted, high) for k, (low, area, lasted, high) in bins.items() if high}


def compare(name, got, want):
    wrong = [k for k in sorted(set(got) | set(want))
             if k not in got or k not in want or any(abs(a - b) > 0.501 for a, b in zip(got[k], want[k]))]
    shown = f"; {len(wrong)} differ: {wrong[0]} is {got.get(wrong[0])}, want {want.get(wrong[0])}" if wrong else ""
    print(name, "some" if want else "none", shown)


queues, rates = rows("queues"), rows("rates")
width = queues[0]["interval_ns"]
flows = {(f["src"], f["dst"], f["sport"], f["start_ns"]): f["end_ns"] for f in rows("flows")}
changes = {}
for row in rows("queues_raw"):
    changes.setdefault((row["node"], row["port"]), [(0, 0)]).append((row["time_ns"] // 100 * 100 + 100, row["queued_bytes"] if row["queued_bytes"] >= 1000 else 0))
end = max(max(row["time_ns"] for row in rows("queues_raw")) + 100, max(flows.values()))
want = {(port, start): value for port, list_ in changes.items() for start, value in steps_to_bins(list_, end, width).items()}
compare("queues", {((q["node"], q["port"]), q["time_ns"]): (q["min_bytes"], q["mean_bytes"], q["max_bytes"]) for q in queues}, want)
changes = {}
for row in rows("rates_raw"):
    changes.setdefault((row["src"], row["dst"], row["sport"], row["flow_start_ns"]), []).append((row["time_ns"], row["rate_bps"]))
want = {(flow, start): value for flow, list_ in changes.items() for start, value in steps_to_bins(list_, flows[flow], width).items()}
compare("rates", {((r["src"], r["dst"], r["sport"], r["flow_start_ns"]), r["time_ns"]): (r["min_bps"], r["mean_bps"], r["max_bps"]) for r in rates}, want)
