# SPDX-License-Identifier: GPL-2.0-only
"""Writes Chakra traces from Python lists, for tests: the few fields and kinds a simulator reads.

A node is a dict: id, type (a name below), deps, ctrl, us (duration), and any attribute under its own
name: bool, int (int64), str, list of bool, of int (int64), of str. values = the inputs.values of METADATA;
twice = further attributes, after the others."""
TYPES = dict(INVALID=0, METADATA=1, LOAD=2, STORE=3, COMP=4, SEND=5, RECV=6, COLL=7)
KINDS = dict(AR=0, REDUCE=1, AG=2, GATHER=3, SCATTER=4, BROADCAST=5, A2A=6, RS=7, RSB=8, BARRIER=9)


def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_of(v):
    if isinstance(v, bool):
        return field(27, int(v))
    if isinstance(v, int):
        return field(9, v)
    if isinstance(v, str):
        return field(29, v.encode())
    if isinstance(v, bytes):
        return field(31, v)
    if v and isinstance(v[0], bool):
        return field(28, field(1, bytes(map(int, v))))
    if v and isinstance(v[0], int):
        return field(10, field(1, b''.join(map(varint, v))))
    return field(30, b''.join(field(1, s.encode()) for s in v))


def node_of(n):
    out = field(1, n['id']) if n['id'] else b''
    out += field(2, n.get('name', n['type'].lower()).encode()) + field(3, TYPES[n['type']])
    for key, number in (('ctrl', 4), ('deps', 5)):
        if n.get(key):
            out += field(number, b''.join(map(varint, n[key])))
    if n.get('us'):
        out += field(7, n['us'])
    if 'values' in n:
        out += field(8, field(1, n['values'].encode()))
    rest = {'is_cpu_op': False, **n}
    for key in ('id', 'type', 'name', 'deps', 'ctrl', 'us', 'values', 'twice'):
        rest.pop(key, None)
    for name, v in [*rest.items(), *n.get('twice', {}).items()]:
        out += field(10, field(1, name.encode()) + value_of(v))
    return out


def write(prefix, ranks):
    """ranks: a list of node lists, one per rank, or (count, function of the rank)."""
    lists = [ranks[1](r) for r in range(ranks[0])] if isinstance(ranks, tuple) else ranks
    for r, nodes in enumerate(lists):
        with open(f'{prefix}.{r}.et', 'wb') as f:
            for record in [field(1, b'0.0.4')] + [node_of(n) for n in nodes]:
                f.write(varint(len(record)) + record)


def coll(id, kind, size, deps=(), **more):
    return dict(id=id, type='COLL', deps=list(deps), comm_type=KINDS[kind], comm_size=size, **more)


def comp(id, us, deps=(), **more):
    return dict(id=id, type='COMP', us=us, deps=list(deps), **more)


def send(id, to, size, tag, deps=(), **more):
    return dict(id=id, type='SEND', comm_dst=to, comm_size=size, comm_tag=tag, deps=list(deps), **more)


def recv(id, source, size, tag, deps=(), **more):
    return dict(id=id, type='RECV', comm_src=source, comm_size=size, comm_tag=tag, deps=list(deps), **more)
