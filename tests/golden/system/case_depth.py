# SPDX-License-Identifier: GPL-2.0-only
"""Workloads and files that are deep, with a stack of 1 MiB: no depth of calls follows the input."""
import os
import resource
import subprocess
import tempfile

import bench
import et
from bench import Run, finishes, net, say
from et import coll, comp, recv, send

MIB = 1 << 20
R2 = net('Ring', 2)
ALGORITHM = {'all-reduce-implementation-custom': ['algo'], 'scheduling-policy': 'FIFO', 'concurrent-collectives': 100000}


def receives(n):
    """Rank 1 sends one message; rank 0 receives it byte by byte, each receive after the one before."""
    return lambda r: [send(1, 0, n, 0)] if r else [comp(1, 1000)] + [recv(i, 1, 1, 0, [i - 1]) for i in range(2, n + 2)]


def chain(n):
    return [comp(i, 1, [i - 1] if i > 1 else []) for i in range(1, n + 1)]


def commands(name, *lines):
    """Commands in a folder with a long chain c.0.et; each ends with its exit code and says its words."""
    with tempfile.TemporaryDirectory() as path:
        et.write(path + '/c', [chain(20000)])
        for code, words, line in lines:
            p = subprocess.run(['bash', '-c', line.replace('asim', bench.TOOL)], cwd=path, capture_output=True, text=True, timeout=60)
            if p.returncode != code or words not in p.stdout + p.stderr:
                return say(name, f'{line}: exit code {p.returncode}, {(p.stdout + p.stderr).strip()[-200:]!r}')
    return say(name, '')


before = resource.getrlimit(resource.RLIMIT_STACK)
resource.setrlimit(resource.RLIMIT_STACK, (MIB, before[1]))
# All messages have arrived when the first receive starts.
run = Run((2, lambda r: [coll(1, 'AR', MIB)]), ALGORITHM, R2, 'packet', files={'algo.et': (2, receives(60000))})
finishes('receives_of_an_algorithm', run, {1: 4505, 0: 1000000})
run = Run((2, receives(20000)), network=R2, mode='packet')
finishes('receives_of_a_workload', run, {1: 2865, 0: 1000000})
# Rank 1 has nothing to do in 20000 collectives that wait for the all-gather: each ends as it starts.
run = Run((2, lambda r: [coll(i, 'AR' if i > 1 else 'AG', MIB) for i in range(1, 20001)]), ALGORITHM, R2,
          files={'algo.et': (2, lambda r: [] if r else [comp(1, 1)])})
finishes('collectives_over_at_once', run, {1: 20051, 0: 20019051})
# Walks over dependencies are loops.
commands('chain_of_ops', (0, 'good: 0 errors', 'asim trace check c'), (0, '20000 of 20000 nodes kept', 'asim trace repair c.0.et --out=r.0.et'),
         (0, '', 'asim trace dump c.0.et --out=c.json'), (0, '19999 edges', 'asim trace draw --input=c.0.et --output=c.dot'),
         (0, '40000 nodes', 'asim trace scale --input=c --out=s --ranks=2'), (0, '20000 ops', 'asim packet --workload=c --out=o'),
         (0, 'report.html is written', 'asim report o'))
# Nested files: the readers have limits (jansson 2048, the converter 200, YAML 32).
commands('nested_files', *[(1, words, f"python3 -c 'print({text})' >deep; {line}") for text, words, line in (
    ('"["*100000', 'maximum parsing depth', 'asim packet --workload=c --system=deep'),
    ('"["*100000', 'maximum parsing depth', 'asim scenario check deep'),
    ('"["*100000', 'maximum parsing depth', 'asim sweep deep'),
    ('"["*100000', 'maximum parsing depth', 'asim nccl-tests --machine=./deep'),
    ('"["*100000', 'nested more than 200 deep', 'asim trace convert --input=deep --output=x.0.et'),
    ('"["*100000', 'nested more than 32 deep', 'mv deep deep.yml; asim machine import deep.yml --out=y'),
    ('"<pci busid=\\"0\\">"*100000', 'nested more than 64 deep', 'mv deep deep.xml; asim machine import deep.xml --out=y'))])
resource.setrlimit(resource.RLIMIT_STACK, before)
