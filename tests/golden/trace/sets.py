#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the sets of sets.txt into the current folder: what fits a rank by rank and not together."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'system'))
from et import write  # noqa: E402


def text(groups):
    return "['" + json.dumps([{'pg_name': n, 'ranks': r} for n, r in groups.items()]) + "']"


def meta(id, values):
    return dict(id=id, type='METADATA', values=values if isinstance(values, str) else text(values))


def coll(id, group, deps=(), size=4096):
    return dict(id=id, type='COLL', deps=deps, comm_type=0, comm_size=size, pg_name=group)


def send(id, src, dst, size=100, deps=()):
    return dict(id=id, type='SEND', deps=deps, comm_src=src, comm_dst=dst, comm_tag=0, comm_size=size)


def recv(id, src, dst, size=100, deps=()):
    return {**send(id, src, dst, size, deps), 'type': 'RECV'}


COMP = dict(id=1, type='COMP', us=5)
TWO, THREE = {'1': [0, 1]}, {'1': [0, 1, 2]}
GROUPS = {'1': [0, 1], '2': [0, 2], '3': [1, 2]}
SETS = {
    'group': [[meta(1, TWO), coll(5, '1')]] * 2 + [[meta(1, TWO)]],
    'others': [[meta(1, TWO), coll(5, '1')]] + [[meta(1, THREE), coll(5, '1')]] * 2,
    'order': [[meta(1, THREE), coll(5, '1')]] * 2 + [[meta(1, {'1': [0, 2, 1]}), coll(5, '1')], []],
    'order_of_two': [[meta(1, TWO), coll(5, '1')], [meta(1, {'1': [1, 0]}), coll(5, '1')]],
    'outside': [[meta(1, {'1': [0, 9]}), coll(5, '')]] * 2,
    'twice': [[meta(1, {'1': [0, 0]}), coll(5, '')]] * 2,
    'no_json': [[meta(1, "['[{bad json']"), coll(5, '1')]] * 2,
    'no_json_unused': [[meta(1, "['[{bad json']"), coll(5, '')]] * 2,
    'number': [[meta(1, "['[{\"pg_name\": 1, \"ranks\": [0, 1]}]']"), coll(5, '1')]] * 2,
    'unwrapped': [[meta(1, '[{"pg_name": "1", "ranks": [0, 1]}]'), coll(5, '1')]] * 2,
    'late': [[coll(5, '1'), meta(7, TWO)]] * 2,
    'late_waits': [[COMP, coll(5, '1', [1]), meta(7, TWO)]] * 2,
    'lacking': [[meta(1, TWO), coll(5, '1')], [coll(5, '1')]],
    'redefined': [[meta(1, TWO), meta(2, {'1': [1]}), coll(5, '1')]] * 2,
    'replaced': [[meta(1, TWO), meta(2, {'2': [0, 1]}), coll(5, '1')]] * 2,
    'never': [[meta(1, TWO), coll(5, '1')], [meta(1, TWO)]],
    'big_id': [[meta(1, {'268435456': [0, 1]}), coll(5, '268435456')]] * 2,
    'to_itself': [[send(1, 0, 0)], []],
    'src': [[send(1, 1, 1)], [recv(1, 0, 1)]],
    'dst': [[send(1, 0, 1)], [recv(1, 0, 0)]],
    'short': [[send(1, 0, 1)], [recv(1, 0, 1, 200)]],
    'long': [[send(1, 0, 1, 250)], [recv(1, 0, 1)]],
    'joined': [[send(1, 0, 1), send(2, 0, 1, 200)], [recv(1, 0, 1, 300)]],
    'empty_send': [[send(1, 0, 1, 0)], []],
    'unknown': [[coll(5, '9')]] * 2,
    'circle': [[recv(1, 1, 0), send(2, 0, 1, deps=[1])], [recv(1, 0, 1), send(2, 1, 0, deps=[1])]],
    'circle_of_groups': [[meta(1, GROUPS), coll(5, '1'), coll(6, '2', [5])], [meta(1, GROUPS), coll(5, '1', [6]), coll(6, '3')],
                         [meta(1, GROUPS), coll(5, '2'), coll(6, '3', [5])]],
    'no_circle': [[send(2, 0, 1), recv(1, 1, 0, deps=[2])], [recv(1, 0, 1), send(2, 1, 0, deps=[1])]],
    'other_ids': [[coll(5, ''), coll(6, '', [5])], [coll(5, '', [6]), coll(6, '')]],
    'long_message': [[send(1, 0, 1, 1 << 44)], [recv(1, 0, 1, 1 << 44)]],
    'zero_of_some': [[meta(1, {'0': [0]}), coll(5, '')]] * 2,
    'listed_twice': [[meta(1, "['[{\"pg_name\": \"1\", \"ranks\": [0]}, {\"pg_name\": \"1\", \"ranks\": [0, 1]}]']"), coll(5, '1')]] * 2,
    'one_rank': [[coll(5, '')]],
    'some_dims': [[dict(coll(5, ''), involved_dim=[False]), COMP], [COMP, dict(coll(5, ''), involved_dim=[False])]],
    'no_tensor': [[dict(id=1, type='LOAD')]],
    'no_dims': [[dict(coll(5, ''), involved_dim=[False, False])]] * 2,
    'no_duration': [[dict(id=1, type='COMP', num_ops=1000, tensor_size=8), dict(id=2, type='COMP')]],
}

for name, ranks in SETS.items():
    write(f'set_{name}', ranks)
