#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""encode_et.py IN.json OUT.et: the Chakra trace whose recorded JSON form is IN.json.

For recordings of the published jsonizer whose trace is not at hand: `asim trace dump` of OUT.et must
give IN.json again, byte for byte. Knows the kinds of attributes that those recordings hold. Written
from the schema's field numbers alone, so it shares nothing with the reader it tests.
"""
import json
import sys

TYPES = ["INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
         "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE", "STORAGE_NODE", "BATCH_NODE",
         "CHECKPOINT_NODE"]


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(int(n))


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def attr(a):
    out = block(1, a["name"])
    for key, field in (("int32Val", 7), ("int64Val", 9), ("uint32Val", 11), ("uint64Val", 13),
                       ("boolVal", 27)):
        if key in a:
            out += number(field, a[key])
    if "boolList" in a:
        out += block(28, block(1, bytes(a["boolList"]["values"])))
    return out + (block(29, a["stringVal"]) if "stringVal" in a else b"")


def node(n):
    out = number(1, n["id"]) if "id" in n else b""
    out += block(2, n["name"]) if "name" in n else b""
    out += number(3, TYPES.index(n["type"])) if "type" in n else b""
    for key, field in (("ctrlDeps", 4), ("dataDeps", 5)):
        out += block(field, b"".join(varint(int(d)) for d in n[key])) if key in n else b""
    for key, field in (("startTimeMicros", 6), ("durationMicros", 7)):
        out += number(field, n[key]) if key in n else b""
    for key, field in (("inputs", 8), ("outputs", 9)):
        if key in n:
            out += block(field, b"".join(block(i + 1, n[key][part]) for i, part in
                                         enumerate(("values", "shapes", "types"))
                                         if part in n[key]))
    return out + b"".join(block(10, attr(a)) for a in n.get("attr", []))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    decoder, at, first = json.JSONDecoder(), 0, True
    with open(sys.argv[2], "wb") as out:
        while text[at:at + 1]:
            value, at = decoder.raw_decode(text, at)
            record = (b"".join(block(2, attr(a)) for a in value.get("attr", [])) if first
                      else node(value))
            first = False
            out.write(varint(len(record)) + record)


if __name__ == "__main__":
    main()
