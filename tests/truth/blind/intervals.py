# SPDX-License-Identifier: GPL-2.0-only
"""Intervals of predicted collectives that are to hold nine of ten rows: by how the machine was fitted
(to tables of this kind, to one other table of this kind, to none), by kind of op, by size. They are set
on one half of the first DRAWN tables, drawn by SEED, and judged on the others; tables that came later only judge."""
import csv
import math
import random
from pathlib import Path

TRUTH = Path(__file__).resolve().parent.parent
SEED, DRAWN, HOLD, FEW = 56, 69, .9, 3  # FEW tables: those of both kinds of op count
SENDS = ("alltoall", "sendrecv")
HOW = ("fitted", "another table", "nothing")


def read(name):
    with open(TRUTH / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows():
    """(table, how, sends or not, large or not, |ln(predicted / measured)|) of rows that were not fitted. A row that
    takes 1.4 times as long as the next size is a warm-up, as for `asim fit`."""
    tables = {t["table"]: t for t in read("tables.csv")}
    measured = read("measured.csv")
    times = {(m["table"], m["size_bytes"]): float(m["time_us"]) for m in measured}
    odd = {(m["table"], m["size_bytes"]) for m, n in zip(measured, measured[1:])
           if m["table"] == n["table"] and float(m["time_us"]) > 1.4 * float(n["time_us"])}
    found = [(p["table"], HOW[0], p) for p in read("predicted.csv") if tables[p["table"]]["set"] == "predicted"]
    found += [(p["table"], HOW[1] if p["by"] else HOW[2], p) for p in read("left_out.csv")]
    for table, how, p in found:
        size = p["size_bytes"]
        if (table, size) in odd:
            continue
        yield table, how, tables[table]["op"] in SENDS, int(size) >= 65536, abs(math.log(float(p["time_us"]) / times[table, size]))


def halves():
    """Names of the tables that set the intervals, and of those that judge them."""
    first, known = {t["table"] for t in read("tables.csv")[:DRAWN]}, {row[0] for row in rows()}
    names = sorted(known & first)
    random.Random(SEED).shuffle(names)
    half = (len(names) + 1) // 2
    return names[:half], names[half:] + sorted(known - first)


def ninth(errors):
    """The size that holds HOLD of the rows where each table counts alike; one table more is to come, so few tables hold more."""
    each = {table: sum(1 for t, _ in errors if t == table) for table, _ in errors}
    level, sum_of = min(1, HOLD * (len(each) + 1) / len(each)), 0
    for table, error in sorted(errors, key=lambda e: e[1]):
        sum_of += 1 / each[table] / len(each)
        if sum_of >= level - 1e-9:
            return error
    return max(e for _, e in errors)


def spreads(names=None):
    """Of (how, sends, large), by the tables of `names` or of the first half."""
    names, found = set(names or halves()[0]), {}
    mine = [row for row in rows() if row[0] in names]
    for how in HOW:
        for sends in (False, True):
            for large in (False, True):
                same = [row for row in mine if row[1] == how and row[3] == large]
                of = [row for row in same if row[2] == sends]
                of = of if len({row[0] for row in of}) >= FEW else same
                found[how, sends, large] = ninth([(row[0], row[4]) for row in of])
    return found


def judged():
    """(how, large, tables, rows, rows inside) of the second half, and of all."""
    spread, names = spreads(), set(halves()[1])
    mine = [row for row in rows() if row[0] in names]
    for how in (*HOW, None):
        for large in (True, False, None):
            of = [row for row in mine if how in (row[1], None) and large in (row[3], None)]
            if of and (how is None) == (large is None):
                yield how, large, len({row[0] for row in of}), len(of), sum(row[4] <= spread[row[1], row[2], row[3]] for row in of)
