# SPDX-License-Identifier: GPL-2.0-only
"""Writes Chakra traces (core/trace/chakra/chakra.proto): a metadata record, then a record a node."""

TYPES = {"METADATA": 1, "MEM_LOAD": 2, "MEM_STORE": 3, "COMP": 4, "SEND": 5, "RECV": 6, "COLL": 7}
COLLECTIVES = ["ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
               "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"]
INT64, INT64_LIST, UINT64, BOOL, BOOL_LIST, STRING = 9, 10, 13, 27, 28, 29


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field_int(number, value):
    return varint(number << 3) + varint(value)


def field_bytes(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, bool):
        body = field_int(BOOL, value)
    elif isinstance(value, int):
        body = field_int(INT64, value)
    elif isinstance(value, str):
        body = field_bytes(STRING, value.encode())
    else:
        kind = BOOL_LIST if value and isinstance(value[0], bool) else INT64_LIST
        body = field_bytes(kind, field_bytes(1, b"".join(varint(v) for v in value)))
    return field_bytes(10, field_bytes(1, name.encode()) + body)


def node(op):
    data = field_int(1, op["id"]) + field_bytes(2, op["name"].encode())
    data += field_int(3, TYPES[op["type"]])
    if op.get("ctrl"):
        data += field_bytes(4, b"".join(varint(d) for d in op["ctrl"]))
    if op.get("deps"):
        data += field_bytes(5, b"".join(varint(d) for d in op["deps"]))
    if op.get("micros"):
        data += field_int(7, op["micros"])
    return data + b"".join(attribute(name, value) for name, value in op["attrs"].items())


def trace(ops):
    records = [field_bytes(1, b"0.0.4")] + [node(op) for op in ops]
    return b"".join(varint(len(record)) + record for record in records)
