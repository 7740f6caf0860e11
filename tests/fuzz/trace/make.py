#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the corpus of small Chakra traces beside this script, good ones and bad ones.

Needs no protobuf package: the few wire types are encoded by hand, so that what no encoder would
write (a cut varint, a wrong wire type, an old layout) can be written too. The outcome each file
must have stands in tests/unit/trace/test_feed.c. Output is the same bytes on every run.
"""
import gzip
import pathlib
import struct

HERE = pathlib.Path(__file__).parent


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def tag(number, wire):
    return varint(number << 3 | wire)


def num(number, value):
    return tag(number, 0) + varint(value)


def blob(number, data):
    data = data.encode() if isinstance(data, str) else data
    return tag(number, 2) + varint(len(data)) + data


def packed(number, values):
    return blob(number, b"".join(varint(v) for v in values)) if values else b""


def zigzag(value):
    return value * 2 if value >= 0 else -value * 2 - 1


def attr(name, value):
    return blob(10, blob(1, name) + value)


def node(id, data=(), ctrl=(), type=4, name=None, extra=b""):
    out = num(1, id) if id else b""
    out += blob(2, name or f"n{id}") + num(3, type)
    return out + packed(4, ctrl) + packed(5, data) + num(7, 5) + extra


def coll(id, extra):
    return node(id, type=7, extra=extra)


def record(data):
    return varint(len(data)) + data


META = record(blob(1, "0.0.4"))


def trace(*nodes):
    return META + b"".join(record(n) for n in nodes)


def every_kind():
    """One attribute of each of the 30 members of the oneof, in field order."""
    scalars = [
        (3, lambda f: tag(f, 1) + struct.pack("<d", 1.25), struct.pack("<dd", 1.25, -2)),
        (5, lambda f: tag(f, 5) + struct.pack("<f", 1.25), struct.pack("<ff", 1.25, -2)),
        (7, lambda f: num(f, -5), varint(-5) + varint(7)),
        (9, lambda f: num(f, -5), varint(-5) + varint(7)),
        (11, lambda f: num(f, 5), varint(5) + varint(300)),
        (13, lambda f: num(f, 5), varint(5) + varint(300)),
        (15, lambda f: num(f, zigzag(-5)), varint(zigzag(-5))),
        (17, lambda f: num(f, zigzag(-5)), varint(zigzag(-5))),
        (19, lambda f: tag(f, 5) + struct.pack("<I", 9), struct.pack("<II", 9, 8)),
        (21, lambda f: tag(f, 1) + struct.pack("<Q", 9), struct.pack("<QQ", 9, 8)),
        (23, lambda f: tag(f, 5) + struct.pack("<i", -9), struct.pack("<ii", -9, 8)),
        (25, lambda f: tag(f, 1) + struct.pack("<q", -9), struct.pack("<qq", -9, 8)),
        (27, lambda f: num(f, 1), bytes([1, 0, 1])),
    ]
    out = b""
    for number, one, many in scalars:
        out += attr(f"a{number}", one(number))
        out += attr(f"a{number + 1}", blob(number + 1, blob(1, many)))
    out += attr("a29", blob(29, "text")) + attr("a30", blob(30, blob(1, "x") + blob(1, "")))
    return out + attr("a31", blob(31, b"\0\1")) + attr("a32", blob(32, blob(1, b"\0") + blob(1, b"")))


SIZE = num(9, 4096)
FILES = {
    "chain": trace(node(1), node(2, [1]), node(3, [2])),
    "diamond": trace(node(1), node(2, [1]), node(3, [1]), node(4, [2, 3])),
    "forward": trace(node(1, [3]), node(2, [1]), node(3)),
    "unordered": trace(node(5), node(9, [5]), node(3), node(7, [3, 9])),
    "gaps": trace(node(10), node(20, [10]), node(40, [10, 20]), node(1 << 63, [40])),
    "ctrl_only": trace(node(1), node(2, ctrl=[1]), node(3, ctrl=[2, 1])),
    "dup_dep": trace(node(1), node(2, [1, 1], [1])),
    "units": trace(node(1, type=7), node(2, type=6), node(3, type=5), node(4), node(5, type=2),
                   node(6, extra=attr("is_cpu_op", num(27, 1)))),
    "no_nodes": META,
    "empty_meta": record(b"") + record(node(1)),
    "empty_node": META + record(b"") + record(node(1, [0])),
    "unpacked": trace(node(1), node(2), node(3, extra=num(5, 1) + num(5, 2) + num(4, 1))),
    "unknown_fields": trace(node(1, extra=num(900, 7) + blob(901, "x") + tag(902, 5) + b"abcd"),
                            node(2, [1], extra=attr("something_new", num(77, 1)))),
    "unknown_groups": trace(node(1, extra=tag(900, 3) + num(1, 7) + blob(2, "x" * 200) + tag(900, 4)),
                            node(2, [1], extra=tag(901, 3) + tag(901, 4)),
                            node(3, [2], extra=attr("a", tag(77, 3) + tag(5, 3) + tag(6, 1) + bytes(8) +
                                                    tag(5, 4) + tag(77, 4)))),
    "bad_group_open": trace(node(1, extra=tag(900, 3) + num(1, 7))),
    "bad_group_other": trace(node(1, extra=tag(900, 3) + tag(901, 4))),
    "bad_group_end": trace(node(1, extra=tag(900, 4))),
    "not_utf8": trace(node(1, name="a"), num(1, 2) + blob(2, b"\xff\xfe\x80") + num(3, 4)),
    "kinds": trace(node(1, type=1, extra=blob(8, blob(1, "['[]']")) + every_kind())),
    "attrs_legacy": trace(coll(1, attr("is_cpu_op", num(7, 0)) + attr("comm_type", num(13, 7)) +
                               attr("comm_size", SIZE) + attr("comm_group", num(7, 3)))),
    "group_twice": trace(coll(1, attr("pg_name", blob(29, "3")) + attr("comm_group", num(7, 3)))),
    "bad_group_twice": trace(coll(1, attr("pg_name", blob(29, "4")) + attr("comm_group", num(7, 3)))),
    "bad_attr_twice": trace(coll(1, attr("comm_size", SIZE) + attr("comm_size", num(9, 1)))),
    "bad_group_attr_twice": trace(coll(1, attr("comm_group", num(9, 4)) + attr("comm_group", num(9, 4)))),
    "bad_nanos_twice": trace(node(1, extra=attr("duration_ns", num(9, 0)) + attr("duration_ns", num(9, 5)))),
    "bad_lists_twice": trace(node(1, extra=attr("inputs", blob(30, b"")) + attr("inputs", blob(30, b"")))),
    "bad_bool_size": trace(coll(1, attr("comm_size", num(27, 1)))),
    "bad_bool_type": trace(coll(1, attr("comm_type", num(27, 0)))),
    "bad_cpu_number": trace(node(1, extra=attr("is_cpu_op", num(7, 2)))),
    "bad_dims_sizes": trace(coll(1, attr("involved_dim", blob(10, blob(1, bytes([2, 4])))))),
    "bad_size_beyond": trace(coll(1, attr("comm_size", num(13, (1 << 62) + 1)))),
    "bad_tensor_beyond": trace(node(1, extra=attr("tensor_size", num(13, (1 << 64) - 8)))),
    "bad_nanos_other": trace(node(1, extra=attr("duration_ns", num(9, 7000)))),
    "attrs_new": trace(coll(1, attr("comm_type", num(9, 6)) +
                            attr("comm_size", tag(21, 1) + struct.pack("<Q", 1 << 40)) +
                            attr("pg_name", blob(29, "12")) + attr("comm_priority", num(7, -3)) +
                            attr("involved_dim", blob(28, blob(1, bytes([1, 0, 1])))) +
                            attr("inputs", blob(30, blob(1, "w") + blob(1, "64"))))),
    "renamed_gzip": gzip.compress(trace(node(1), node(2, [1])), mtime=0),
    "gzip_members": gzip.compress(trace(node(1)), mtime=0) + gzip.compress(record(node(2, [1])), mtime=0),
    "gzip_padded": gzip.compress(trace(node(1)), mtime=0) + bytes(512),
    "bad_gzip_followed": gzip.compress(trace(node(1)), mtime=0) + b"garbage\n",
    "bad_gzip_byte": gzip.compress(trace(node(1)), mtime=0) + bytes(3) + b"\x1f",
    "bad_gzip_second": gzip.compress(trace(node(1)), mtime=0) + gzip.compress(record(node(2)), mtime=0)[:-3],
    "bad_missing_ctrl": trace(node(1), node(2, [1], [99])),
    "bad_missing_data": trace(node(1), node(2, [99])),
    "bad_dup_id": trace(node(1), node(2), node(1, name="second")),
    "bad_self_data": trace(node(1), node(2, [2])),
    "bad_self_ctrl": trace(node(1), node(2, ctrl=[2])),
    "bad_cycle": trace(node(1), node(2, [4, 1]), node(3, [2]), node(4, [3])),
    "bad_cycle_kinds": trace(node(1, ctrl=[2]), node(2, [1])),
    "bad_cycle_long": trace(*[node(i, [i % 20 + 1]) for i in range(1, 21)]),
    "bad_float_size": trace(coll(7, attr("comm_size", tag(3, 1) + struct.pack("<d", 4096)))),
    "bad_text_size": trace(coll(7, attr("comm_size", blob(29, "4096")))),
    "bad_negative_size": trace(coll(7, attr("comm_size", num(9, -1)))),
    "bad_wide_rank": trace(coll(7, attr("comm_dst", num(9, 1 << 32)))),
    "bad_no_value": trace(coll(7, attr("comm_type", b""))),
    "longest": trace(node(1, extra=num(7, (1 << 62) // 1000)),
                     node(2, [1], extra=num(7, 0) + attr("duration_ns", num(9, 1 << 62)))),
    "bad_micros": trace(node(1), node(2, [1], extra=num(7, -1))),
    "bad_micros_long": trace(node(1, extra=num(7, (1 << 62) // 1000 + 1))),
    "bad_nanos_long": trace(node(1, extra=attr("duration_ns", num(9, (1 << 62) + 1)))),
    "bad_dims_kind": trace(coll(7, attr("involved_dim", num(27, 1)))),
    "bad_dims_many": trace(coll(7, attr("involved_dim", blob(28, blob(1, bytes(17)))))),
    "bad_type": trace(node(1, type=11)),
    "bad_type_negative": trace(node(1, type=-1)),
    "bad_wire": trace(node(1), num(1, 2) + tag(7, 5) + b"abcd"),
    "bad_group": trace(tag(1, 3) + tag(1, 4)),
    "bad_attr_overrun": trace(num(1, 1) + blob(10, blob(1, "x") + tag(29, 2) + varint(500))),
    "bad_packed": trace(num(1, 1) + blob(5, b"\x80\x80")),
    "bad_cut": trace(node(1), node(2, [1]))[:-3],
    "bad_cut_length": trace(node(1)) + b"\x80",
    "bad_long_varint": META + b"\x80\x80\x80\x80\x80\x01",
    "bad_oversize": META + varint((64 << 20) + 1),
    "bad_node_first": record(node(1)) + record(node(2)),
    "bad_old_metadata": record(blob(1, blob(1, "schema") + num(2, 1))) + record(node(1)),
    "bad_json": b'{"schema": "1.0.2-chakra.0.0.4", "pid": 1, "nodes": []}' + b" " * 80,
    "bad_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "bad_gzip_cut": gzip.compress(trace(node(1), node(2, [1])), mtime=0)[:-6],
    "bad_empty": b"",
}

for name, data in FILES.items():
    (HERE / f"{name}.et").write_bytes(data)
print(f"wrote {len(FILES)} traces")
