# SPDX-License-Identifier: GPL-2.0-only
"""A bench for the tests of the system layer: writes inputs, runs `asim`, compares what it prints."""
import json
import os
import re
import subprocess
import sys
import tempfile

import et

ROOT = os.environ.get('ASIM_ROOT') or os.path.abspath(os.path.join(os.path.dirname(__file__), *['..'] * 3))
TOOL = os.environ.get('ASIM_TOOL') or os.path.join(ROOT, 'build', 'release', 'asim')
ONLY = os.environ.get('ASIM_ONLY', '')
failed = 0


def wanted(name):
    return not ONLY or not ONLY.startswith('golden') or re.search(ONLY, 'golden/system/' + name)


def say(name, complaint):
    global failed
    if not complaint:
        print(f'ok golden/system/{name}')
        return
    failed = 1
    print(f'not ok golden/system/{name}: {complaint}')


SYSTEM = {'scheduling-policy': 'LIFO', 'endpoint-delay': 10, 'active-chunks-per-dimension': 1,
          'preferred-dataset-splits': 1, 'collective-optimization': 'localBWAware', 'local-mem-bw': 50}
NETWORK = {'topology': ['Ring'], 'npus_count': [8], 'bandwidth': [50], 'latency': [500]}


def lists(*words):
    """The four algorithm lists of a system file."""
    return {f'{kind}-implementation': list(words)
            for kind in ('all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all')}


def net(topology, *sizes, bw=50, lat=500):
    one = lambda v: v if isinstance(v, list) else [v] * len(sizes)
    return {'topology': one(topology), 'npus_count': list(sizes), 'bandwidth': one(bw), 'latency': one(lat)}


class Run:
    """What a run gave: ticks {rank: cycles} in finishing order, out, err, code, and its folder."""

    def __init__(self, ranks, system=None, network=None, mode='unaware', options=(), files=None):
        self.folder = tempfile.TemporaryDirectory()
        path = self.path = self.folder.name
        et.write(path + '/w', ranks)
        for name, content in (files or {}).items():
            if name.endswith('.et'):
                et.write(f'{path}/{name[:-3]}', content)
                continue
            with open(f'{path}/{name}', 'w') as f:
                f.write(content if isinstance(content, str) else json.dumps(content))
        with open(path + '/system.json', 'w') as f:
            json.dump({**SYSTEM, **lists('ring'), **(system or {})}, f)
        words = ['packet'] if mode == 'packet' else ['analytical', f'--mode={mode}', '--network-configuration=net.yml']
        with open(path + '/net.yml', 'w') as f:
            f.write(''.join(f'{k}: {json.dumps(v)}\n' for k, v in (network or NETWORK).items()))
        words += ['--workload-configuration=w', '--system-configuration=system.json']
        given = {o.split('=')[0] for o in options} # an option of the test stands for the common one
        p = subprocess.run([TOOL, *(w for w in words if w.split('=')[0] not in given), *options],
                           cwd=path, capture_output=True, text=True, timeout=120)
        self.out, self.err, self.code = p.stdout, p.stderr, p.returncode
        self.ticks = {int(m[1]): int(m[2]) for m in re.finditer(r'sys\[(\d+)\] finished, (\d+) cycles', self.out)}
        self.exposed = {int(m[1]): int(m[2]) for m in re.finditer(r'sys\[(\d+)\] finished.*communication (\d+) ', self.out)}

    def line(self, rank, what):
        """The number a rank's statistics line gives."""
        m = re.search(rf'sys\[{rank}\],? {re.escape(what)}: (\S+)', self.out)
        return m and m[1]

    def why(self):
        return f'exit code {self.code}, {(self.err or self.out).strip()[-300:]!r}'


def finishes(name, run, want):
    """want: one tick for all ranks, or {rank: tick} in finishing order."""
    if isinstance(want, int):
        want = {r: want for r in run.ticks}
        if not want:
            return say(name, run.why())
    if run.code or run.ticks != want:
        return say(name, f'{run.ticks}, want {want}; {run.why()}')
    return say(name, '')


def complains(name, run, *texts):
    """Ends with an error that holds every text, not by a signal."""
    missing = [t for t in texts if t not in run.err]
    if run.code != 1 or missing:
        return say(name, f'want an error with {missing}; {run.why()}')
    return say(name, '')


def holds(name, run, facts):
    """facts: [(got, want), ...]."""
    wrong = [f'{got!r}, want {want!r}' for got, want in facts if got != want]
    return say(name, '; '.join(wrong) + (f' ({run.why()})' if wrong and run.code else ''))


def done():
    sys.exit(failed)
