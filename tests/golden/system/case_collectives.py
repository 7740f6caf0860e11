# SPDX-License-Identifier: GPL-2.0-only
"""Collectives (system-layer.md#recorded-numbers), any number of members, roots, barriers, algorithms given as traces."""
from bench import NETWORK, Run, complains, finishes, holds, lists, net
from et import KINDS, coll, comp, recv, send

MIB = 1 << 20


def one(kind, size=MIB, n=8, **more):
    return n, lambda r: [coll(1, kind, size, **more)]


def tree(text):
    return {int(a): int(b) for a, b in (pair.split(':') for pair in text.split())}


# 10.1: one dimension, 8 NPUs, ring
TREE_UNAWARE = tree('7:250872 3:335326 1:418780 5:418780 0:438821 2:438821 4:438821 6:438821')
for kind, algorithm, unaware, aware in (
        ('AR', 'ring', 96365, 96365), ('AR', 'oneRing', 96365, 96365), ('AR', 'direct', 15775, 53331),
        ('AR', 'direct2', 43344, 77429), ('AR', 'halvingDoubling', 64835, 89245),
        ('AR', 'doubleBinaryTree', TREE_UNAWARE, None), ('A2A', 'doubleBinaryTree', TREE_UNAWARE, None),
        ('AG', 'ring', 140297, 140297), ('AG', 'direct', 21551, 196330), ('AG', 'direct2', 82174, 255933),
        ('AG', 'halvingDoubling', 140258, 237913), ('RS', 'ring', 75708, 75708), ('RS', 'direct', 12324, 33293),
        ('RS', 'direct2', 29540, 43676), ('RS', 'halvingDoubling', 44217, 56422), ('A2A', 'ring', 82638, 82638),
        ('A2A', 'direct', 4461, 25430), ('A2A', 'direct2', 13814, 33763)):
    for mode, want in (('unaware', unaware), ('aware', aware)):
        if want:
            finishes(f'{kind}_{algorithm}_{mode}', Run(one(kind), lists(algorithm), mode=mode), want)

# 10.4: three dimensions
THREE = net(['Ring', 'FullyConnected', 'Switch'], 2, 4, 2, bw=[200, 100, 50], lat=[50, 500, 2000])
for algorithm, numbers in (('ring', (119774, 65067, 95056, 55787, 30972)), ('direct', (96669, 53116, 63272, 45687, 20834)),
                           ('halvingDoubling', (55393, 30730, 94038, 19500))):
    for kind, optimization, want in zip(('AR', 'AR', 'AG', 'RS', 'A2A'), ('baseline', 'localBWAware') * 3, numbers):
        system = {**lists(*[algorithm] * 3), 'collective-optimization': optimization if kind == 'AR' else 'baseline',
                  'preferred-dataset-splits': 2}
        finishes(f'three_dims_{kind}_{algorithm}_{optimization}', Run(one(kind, n=16), system, THREE), want)
for dims, want in (((1, 0, 0), 36592), ((0, 1, 0), 67958), ((1, 0, 1), 59856), ((0, 0, 1), 67040)):
    finishes('involved_' + ''.join(map(str, dims)),
             Run(one('AR', n=16, involved_dim=[bool(d) for d in dims]), {**lists(*['ring'] * 3), 'preferred-dataset-splits': 2}, THREE), want)

# 10.6: splitting
for size, splits, want in ((1000003, 4, 106520), (100, 4, 12280), (7, 1, 3070), (0, 1, 3070), (MIB, 3, 114220)):
    finishes(f'split_{size}_{splits}', Run(one('AR', size, 4), {'preferred-dataset-splits': splits}, net('Ring', 4)), want)

# 10.7: groups
GROUPS = {'g.json': {'1': [0, 2, 4, 6], '2': [1, 3, 5, 7], '3': list(range(8))}}
for algorithm, unaware, aware in (('ring', 82540, 111832), ('direct', 44246, 77420), ('halvingDoubling', 51070, 99892)):
    for mode, want in (('unaware', unaware), ('aware', aware)):
        run = Run((8, lambda r: [coll(1, 'AR', MIB, pg_name=str(1 + r % 2))]), lists(algorithm), mode=mode, files=GROUPS,
                  options=['--comm-group-configuration=g.json'])
        finishes(f'groups_{algorithm}_{mode}', run, want)
finishes('group_of_all', Run(one('AR', pg_name='3'), files=GROUPS, options=['--comm-group-configuration=g.json']), 96365)
run = Run([[coll(1, 'AR', MIB, pg_name='1')] if r != 2 else [comp(1, 1)] for r in range(4)], network=net('Ring', 4),
          files={'g.json': {'1': [3, 0, 1]}}, options=['--comm-group-configuration=g.json'])
finishes('group_unsorted', run, {2: 1000, 0: 70530, 1: 70530, 3: 71030})

# 4.9: a group's collectives do not change which tree comes next for all
for members, want in (([0, 2], {0: 207035, 1: 186994, 2: 207035, 3: 186994}),
                      ([1, 3], {0: 186994, 1: 166953, 2: 186994, 3: 166953}),
                      ([0, 1], {0: 207035, 1: 186994, 2: 196770, 3: 176729})):
    run = Run((4, lambda r: ([coll(1, 'AR', MIB, pg_name='1')] if r in members else []) + [coll(2, 'AR', MIB)]),
              {**lists('doubleBinaryTree', 'ring'), 'collective-optimization': 'baseline'}, net('Ring', 2, 2),
              files={'g.json': {'1': members}}, options=['--comm-group-configuration=g.json'])
    finishes('group_trees_' + ''.join(map(str, members)), run, want)
run = Run((4, lambda r: ([coll(1, 'AR', MIB, pg_name='1')] if r < 2 else []) + [coll(2, 'AR', MIB)]),
          lists('doubleBinaryTree'), net('Ring', 4), files={'g.json': {'1': [0, 1]}},
          options=['--comm-group-configuration=g.json'])
holds('group_trees_of_its_own', run, [(run.code, 0), (len(run.ticks), 4)])

# 5.1: trees of a group cost the endpoint delay like all others: twice until the root has it, once more at the leaf.
near, far = [Run((4, lambda r: [coll(1, 'AR', MIB, pg_name='1') if r < 2 else comp(1, 1)]),
                 {**lists('doubleBinaryTree'), 'endpoint-delay': delay}, net('Ring', 4),
                 files={'g.json': {'1': [0, 1]}}, options=['--comm-group-configuration=g.json']) for delay in (10, 1010)]
holds('group_trees_delay', far, [(far.ticks[0] - near.ticks[0], 3000), (far.ticks[1] - near.ticks[1], 2000)])

run = Run((8, lambda r: [coll(1, 'AR', MIB, pg_name=b'12'[r % 2:r % 2 + 1])]), files=GROUPS,
          options=['--comm-group-configuration=g.json'])
finishes('groups_as_bytes', run, 82540)

# Rooted collectives over two dimensions: what a dimension has gathered goes on, and shares of shares come down.
for kind, want in (('GATHER', {0: 14450, 2: 5000}), ('SCATTER', {1: 1275, 3: 3275})):
    rooted = {f'{word}-implementation': ['binomialTree', 'binomialTree'] for word in ('gather', 'scatter')}
    run = Run((6, lambda r: [coll(1, kind, 240000, comm_dst=0, comm_src=0)]), rooted, net('FullyConnected', 2, 3))
    holds('rooted_2d_' + kind, run, [({r: run.ticks.get(r) for r in want}, want)])

# METADATA groups
values = "[''[{\"pg_name\": \"5\", \"ranks\": [0, 2, 4, 6]}, {\"pg_name\": \"6\", \"ranks\": [1, 3, 5, 7]}]'']"[1:-1]
run = Run((8, lambda r: [dict(id=1, type='METADATA', values=values), coll(2, 'AR', MIB, [1], pg_name=str(5 + r % 2))]))
finishes('metadata_groups', run, 82540)

# Dimensions beyond four, involved and not: 2^5 ranks
FIVE = net('Ring', 2, 2, 2, 2, 2)
five = lists(*['ring'] * 5)
alone = Run(one('AR', n=2), network=net('Ring', 2))
for name, more in (('default', {}), ('four_trues', {'involved_dim': [True] * 4}), ('all', {'involved_dim': [True] * 5})):
    run = Run(one('AR', n=32, **more), five, FIVE)
    holds(f'five_dims_{name}', run, [(run.code, 0), (len(run.ticks), 32), (len(set(run.ticks.values())), 1)])
finishes('five_dims_last_only', Run(one('AR', n=32, involved_dim=[False] * 4 + [True]), five, FIVE), alone.ticks[0])

# Any number of members: every rank ends, and no later than a ring of as many would take
for algorithm in ('halvingDoubling', 'doubleBinaryTree', 'bruck'):
    for n in (3, 5, 6, 7, 9, 12):
        run = Run(one('AR', n=n), lists(algorithm), net('Switch', n))
        holds(f'any_number_{algorithm}_{n}', run, [(run.code, 0), (len(run.ticks), n)])

# The kinds ASTRA-sim lacks, in one and three dimensions
for kind in ('REDUCE', 'GATHER', 'SCATTER', 'RSB', 'BARRIER'):
    for name, network, n in (('1', net('Switch', 7), 7), ('3', THREE, 16)):
        run = Run(one(kind, n=n), lists('ring'), network)
        holds(f'{kind.lower()}_{name}_dims', run, [(run.code, 0), (len(run.ticks), n)])
for where in (0, 3, 6):  # the root alone decides who waits: it is first out of a broadcast, last of a reduce
    run = Run(one('BROADCAST', n=7, comm_src=where), {'broadcast-implementation': ['binomialTree']}, net('Switch', 7))
    holds(f'broadcast_root_{where}', run, [(run.code, 0), (next(iter(run.ticks)), where), (len(run.ticks), 7)])
    run = Run(one('REDUCE', n=7, comm_dst=where), network=net('Switch', 7))
    holds(f'reduce_root_{where}', run, [(run.code, 0), (max(run.ticks, key=run.ticks.get), where)])
# 4 members, Switch, T(1 MiB) = 1000 + 19531: root sends to 2 and 1 at once, 2 sends on to 3
run = Run(one('BROADCAST', n=4), {'broadcast-implementation': ['binomialTree']}, net('Switch', 4))
finishes('broadcast_times', run, {0: 10, 1: 20551, 2: 20551, 3: 41092})
finishes('broadcast_replayed', Run(one('BROADCAST', us=7)), 7000)
finishes('broadcast_replay_named', Run(one('BROADCAST', us=7), {'broadcast-implementation': ['replay']}), 7000)
complains('root_outside', Run(one('REDUCE', comm_dst=9)), 'comm_dst 9', 'no member')
# A barrier holds everybody until the last has come, who then finds all messages there
run = Run((4, lambda r: [comp(1, 10 * (r + 1)), coll(2, 'BARRIER', 0, [1])]), network=net('Switch', 4))
holds('barrier_waits', run, [(run.code, 0), (run.ticks, {3: 40030, 1: 41030, 0: 41030, 2: 42030})])

# Algorithms given as traces: a serial chain (10.3's shape: 7 x (send, receive, 7 us), 7 x (send, receive))
def chain(r, n=8, size=131072):
    nodes = []
    for i in range(14):
        dep = [nodes[-1]['id']] if nodes else []
        nodes += [send(3 * i, (r + 1) % n, size, i, dep), recv(3 * i + 1, (r - 1) % n, size, i, [3 * i])]
        if i < 7:
            nodes.append(comp(3 * i + 2, 7, [3 * i + 1]))
    return nodes


RING = {'algo.et': (8, chain)}
CUSTOM = {'all-reduce-implementation-custom': ['algo']}
for mode in ('unaware', 'aware'):
    finishes(f'custom_{mode}', Run(one('AR'), CUSTOM, mode=mode, files=RING), 90174)
finishes('custom_per_node', Run((8, lambda r: [coll(7, 'AR', MIB), coll(8, 'AR', MIB, [7])]),
                                {'per-node-custom-implementation': 'map.yml'}, files={**RING, 'map.yml': '7: algo\n'}), 90174 + 96365)
HALF = {'algo.et': (4, lambda r: chain(r, 4))}
run = Run((8, lambda r: [coll(1, 'AR', MIB, pg_name=str(1 + r % 2))]), CUSTOM, files={**HALF, **GROUPS},
          options=['--comm-group-configuration=g.json'])
finishes('custom_in_groups', run, 7 * 7000 + 14 * 3441)
# tags of its own: the workload's own messages with the same tags do not mix with the algorithm's
run = Run((8, lambda r: [coll(1, 'AR', MIB), send(2, (r + 1) % 8, 64, 0), recv(3, (r - 1) % 8, 64, 0)]), CUSTOM, files=RING)
holds('custom_tags', run, [(run.code, 0), (len(run.ticks), 8)])
run = Run((8, lambda r: [coll(1, 'AR', MIB), coll(2, 'AR', MIB)]), {**CUSTOM, 'concurrent-collectives': 2,
                                                                   'active-chunks-per-dimension': 2}, files=RING)
finishes('custom_twice_at_once', run, 90174)
# The size of their one chunk decides its place in the queue: the small one goes before the large one, which waits as long
def three(last):
    return 8, lambda r: [coll(1, 'AG', MIB), coll(2, 'AG', 2 * MIB), coll(3, 'AG', 1024), comp(4, 900, [last])]


run, large = (Run(three(last), {'all-gather-implementation-custom': ['algo'], 'concurrent-collectives': 3,
                                'scheduling-policy': 'FIFO', 'intra-dimension-scheduling': 'smallestFirst'}, files=RING) for last in (3, 2))
holds('custom_smallest_first', run, [(run.code, 0), (large.ticks[0] - run.ticks[0], (large.ticks[0] - 900000) // 3)])
complains('custom_missing', Run(one('AR'), {'all-reduce-implementation-custom': ['nothing']}), 'nothing.0.et')
complains('custom_bad_member', Run(one('AR'), CUSTOM, files={'algo.et': (8, lambda r: [send(1, 8, 1, 0)])}), 'member 8', 'algo.0.et')
complains('custom_bad_node', Run(one('AR'), CUSTOM, files={'algo.et': (8, lambda r: [coll(1, 'AR', 5)])}), 'COMM_COLL_NODE')
complains('custom_stall', Run(one('AR'), CUSTOM, files={'algo.et': (8, lambda r: [recv(1, (r + 1) % 8, 5, 0), send(2, (r - 1) % 8, 5, 0, [1])])}),
          'cannot go on', 'collective 1')
