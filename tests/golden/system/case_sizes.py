# SPDX-License-Identifier: GPL-2.0-only
"""All-to-all-v (the attribute comm_sizes): closed forms without contention, groups, windows, chunks,
rendezvous, packets, and what is refused. D = 10 ns endpoint delay, f(s) the time of a message."""
import random
import subprocess
import tempfile

from bench import TOOL, Run, complains, finishes, holds, lists, net, say
from et import coll

FC4, FC6 = net('FullyConnected', 4), net('FullyConnected', 6)
GROUP = {'g.json': {'1': [5, 0, 3, 2]}}
AS_GROUP = ['--comm-group-configuration=g.json']
DIRECT = lists('direct')


def f(size):
    return int(500 + size / (50 * 2**30 / 1e9))


def op(sizes, **more):
    node = coll(1, 'A2A', 0, comm_sizes=sizes, **more)
    del node['comm_size']
    return node


def around(sizes):
    """Every rank sends sizes[d] to the one d places on."""
    n = len(sizes)
    return n, lambda r: [op([sizes[(to - r) % n] for to in range(n)])]


def ticks(run):
    return dict(sorted(run.ticks.items()))


# Any sizes: a rank ends D after its last message has come.
rng = random.Random(11)
for case in range(6):
    n = rng.randint(2, 9)
    table = [[rng.choice([0, 0, 1, 4096, rng.randint(0, 1 << 22)]) for _ in range(n)] for _ in range(n)]
    run = Run((n, lambda r: [op(table[r])]), DIRECT, net('FullyConnected', n))
    want = {i: 20 + max(f(table[j][i]) for j in range(n) if j != i) for i in range(n)}
    holds(f'sizes_{case}', run, [(ticks(run), want)])
for mode in ('unaware', 'aware'):
    for kind in ('ring', 'direct'):  # the algorithm of the list does not matter
        finishes(f'sizes_{kind}_{mode}', Run(around([7, 1 << 20, 0, 65536]), lists(kind), FC4, mode), 20 + f(1 << 20))
    # equal sizes are the plain all-to-all
    want = Run((6, lambda r: [coll(1, 'A2A', 6 << 18)]), DIRECT, net('Ring', 6), mode).ticks
    finishes(f'sizes_equal_{mode}', Run(around([1 << 18] * 6), DIRECT, net('Ring', 6), mode), want)
    finishes(f'sizes_all_zero_{mode}', Run(around([0] * 4), DIRECT, FC4, mode), 20 + f(0))
    run = Run(around([9, 1 << 20, 0, 65536]), DIRECT, FC4, mode, ['--rendezvous-protocol=true'])
    finishes(f'sizes_rendezvous_{mode}', run, 20 + f(8192) + f(1 << 20))

# windows: one message after the other; two dimensions are crossed as one
finishes('sizes_window', Run(around([0, 1 << 20, 0, 65536]), lists('direct1'), FC4),
         10 + sum(f(s) + 10 for s in (1 << 20, 0, 65536)))
run = Run(around([0, 5000, 0, 1 << 20]), lists('ring', 'ring'), net('FullyConnected', 2, 2))
finishes('sizes_two_dims', run, 20 + f(1 << 20))
# chunks: every size is split, the first chunks have the remainder
finishes('sizes_chunks', Run(around([0, 1000003, 2, 0]), {**DIRECT, 'preferred-dataset-splits': 4}, FC4),
         sum(20 + f(s) for s in (250001, 250001, 250001, 250000)))
# groups, in the order of the file: 5 sends to 5, 0, 3, 2
table = {5: [9, 100, 1 << 20, 0], 0: [1 << 19, 9, 0, 0], 3: [0, 77, 9, 1 << 18], 2: [0, 0, 5, 9]}
run = Run((6, lambda r: [op(table[r], pg_name='1')] if r in table else []), DIRECT, FC6, files=GROUP,
          options=AS_GROUP)
want = {r: 20 + f(max(table[s][i] for s in table if s != r)) for i, r in enumerate(table)}
holds('sizes_group', run, [({r: t for r, t in ticks(run).items() if r in table}, dict(sorted(want.items())))])
# a group of everybody keeps its own order
order = [3, 1, 0, 2]
run = Run((4, lambda r: [op([(1 << 20) * (r == 3 and m == 0) for m in order], pg_name='1')]), DIRECT, FC4,
          files={'g.json': {'1': order}}, options=AS_GROUP)
holds('sizes_group_of_all', run, [(ticks(run), {0: 20 + f(1 << 20), 1: 20 + f(0), 2: 20 + f(0), 3: 20 + f(0)})])

# packets: equal sizes are the plain all-to-all, others end and carry their bytes
for options in ([], ['--rendezvous-protocol=true']):
    name = 'packet' + '_rendezvous' * len(options)
    want = Run((4, lambda r: [coll(1, 'A2A', 1 << 18)]), DIRECT, mode='packet', options=options).ticks
    finishes(f'sizes_{name}', Run(around([1 << 16] * 4), DIRECT, mode='packet', options=options), want)
    run = Run(around([0, 1 << 17, 0, 5000]), DIRECT, mode='packet', options=options + ['--out=o'])
    holds(f'sizes_{name}_uneven', run, [(len(run.ticks), 4), (run.code, 0)])

# refused
complains('sizes_too_few', Run((4, lambda r: [op([1, 2, 3])]), DIRECT, FC4), 'has 3 comm_sizes, but the ranks are 4')
complains('sizes_negative', Run((4, lambda r: [op([1, 2, 3, -4])]), DIRECT, FC4), 'comm_sizes', 'sizes of 0 or more')
complains('sizes_no_list', Run((4, lambda r: [op(5)]), DIRECT, FC4), 'comm_sizes', 'expected an int64_list or uint64_list')
complains('sizes_of_all_reduce', Run((4, lambda r: [coll(1, 'AR', 8, comm_sizes=[1] * 4)]), DIRECT, FC4),
          'ALL_REDUCE with comm_sizes: only an ALL_TO_ALL')
complains('sizes_involved', Run((4, lambda r: [op([1] * 4, involved_dim=[True, False])]), lists('ring', 'ring'),
                                net('FullyConnected', 2, 2)), 'involved_dim leaves ranks out')
complains('sizes_or_not', Run((4, lambda r: [op([1] * 4) if r else coll(1, 'A2A', 8)]), DIRECT, FC4),
          'ALL_TO_ALL with comm_sizes', 'must issue their collectives in the same order')
complains('sizes_absent_member', Run((4, lambda r: [op([1] * 4)] if r else []), DIRECT, FC4), 'which these ranks never joined: 0')

# the tool writes and checks them
with tempfile.TemporaryDirectory() as folder:
    def tool(*words):
        return subprocess.run([TOOL, 'trace', *words], cwd=folder, capture_output=True, text=True)
    made = tool('generate', '--out=w', '--ranks=3', '--type=all_to_all', '--sizes=0,1MiB,64KiB')
    checked, dumped = tool('check', 'w'), tool('dump', 'w.1.et')
    fine = not made.returncode and not checked.returncode and '0 errors, 0 warnings' in checked.stdout
    say('sizes_generate', '' if fine else made.stderr + checked.stdout + checked.stderr)
    say('sizes_generate_list', '' if '65536' in dumped.stdout and '1048576' in dumped.stdout else dumped.stdout[-600:])
    for name, words, text in (('few', ['--sizes=1,2'], 'fewer sizes than the 3 ranks'),
                              ('many', ['--sizes=1,2,3,4'], 'more sizes than the 3 ranks'),
                              ('bad', ['--sizes=1,x,3'], "'x' is no size"),
                              ('type', ['--sizes=1,2,3', '--type=all_reduce'], '--type=all_to_all only')):
        done = tool('generate', '--out=x', '--ranks=3', *(['--type=all_to_all'] * ('--type' not in str(words))), *words)
        say(f'sizes_generate_{name}', '' if done.returncode == 2 and text in done.stderr else done.stderr or done.stdout)
