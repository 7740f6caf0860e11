# SPDX-License-Identifier: GPL-2.0-only
"""Where ASTRA-sim hangs, crashes or prints a wrong number (system-layer.md#quirks): what happens here."""
import json

import bench
from bench import NETWORK, Run, complains, finishes, holds, lists, net
from et import coll, comp, recv, send

MIB = 1 << 20
AR8 = (8, lambda r: [coll(1, 'AR', MIB)])
R2 = net('Ring', 2)


def without(*keys):
    """A run with these keys of the usual system file left out."""
    kept = dict(bench.SYSTEM)
    for key in keys:
        bench.SYSTEM.pop(key)
    try:
        return Run(AR8)
    finally:
        bench.SYSTEM.clear()
        bench.SYSTEM.update(kept)


# 1: keys ASTRA-sim leaves undefined
finishes('absent_policy', without('scheduling-policy', 'collective-optimization'), 96365)
complains('absent_memory_type', Run(AR8, files={'m.json': {}}, options=['--remote-memory-configuration=m.json']), 'memory-type')
# 2: misspelt keys and options
complains('misspelt_key', Run(AR8, {'active-chunk-per-dimension': 2}), 'active-chunk-per-dimension', 'Did you mean')
run = Run(AR8, options=['--num-queue-per-dim=2'])
holds('misspelt_option', run, [(run.code, 2), ('num-queues-per-dim' in run.err, True)])
# 4: ops that take no time are followed by their children, alone or in a chain
finishes('metadata_first', Run((2, lambda r: [dict(id=1, type='METADATA'), dict(id=2, type='METADATA', deps=[1]),
                                              dict(id=3, type='INVALID', deps=[2]), comp(4, 5, [3])]), network=R2), 5000)
# 4a: a cycle of dependencies
complains('cycle', Run((2, lambda r: [comp(0, 1), comp(1, 1, [2]), comp(2, 1, [1])]), network=R2), 'cycle')
complains('missing_parent', Run((2, lambda r: [comp(0, 1), comp(1, 1, [9])]), network=R2), '9')
complains('duplicate_id', Run((2, lambda r: [comp(1, 1), comp(1, 2)]), network=R2), 'same id')
# 6: a run that cannot go on
run = Run([[comp(1, 1), recv(2, 1, 100, 7)], [comp(1, 1), send(2, 0, 100, 8)]], network=R2)
complains('unmatched_receive', run, 'cannot go on', 'rank 0 waits for op 2', 'tag 7', 'tag 8')
complains('unequal_sizes', Run([[recv(2, 1, 100, 7)], [send(2, 0, 60, 7)]], network=R2), 'cannot go on',
          'rank 0 got 60 bytes from rank 1 with tag 7 that it never received')
run = Run([[coll(1, 'AR', MIB)], [comp(1, 1)]], network=R2)
complains('absent_member', run, 'never joined: 1')
complains('rendezvous_unmatched', Run([[comp(1, 1)], [send(2, 0, 60, 7)]], network=R2, options=['--rendezvous-protocol=true']),
          'cannot go on', 'a send of 60 bytes to rank 0', 'never asked')
complains('different_kinds', Run([[coll(1, 'AR', MIB)], [coll(1, 'AG', MIB)]], network=R2), 'ALL_REDUCE', 'ALL_GATHER')
complains('different_sizes', Run([[coll(1, 'AR', MIB)], [coll(1, 'AR', 2 * MIB)]], network=R2), 'cannot go on', '2097152')
# 7: sizes
finishes('gather_below_splits', Run((4, lambda r: [coll(1, 'AG', 2)]), {'preferred-dataset-splits': 4}, net('Ring', 4)), 2 * 1540)
finishes('absent_splits', without('preferred-dataset-splits'), 96365)
# 8: lists shorter and longer than the dimensions
TWO = net('Ring', 2, 2)
same = Run((4, lambda r: [coll(1, 'AR', MIB)]), lists('ring', 'ring'), TWO)
run = Run((4, lambda r: [coll(1, 'AR', MIB)]), lists('ring'), TWO)
holds('short_list', run, [(run.ticks, same.ticks), ('ring is used for the rest' in run.err, True)])
complains('long_list', Run((4, lambda r: [coll(1, 'AR', MIB)]), lists('ring', 'ring', 'ring'), TWO), '3 algorithms', '2 logical dimensions')
complains('direct0', Run(AR8, lists('direct0')), 'direct0')
complains('unknown_algorithm', Run(AR8, lists('rign')), 'rign', 'ring')
complains('halving_all_to_all', Run((8, lambda r: [coll(1, 'A2A', MIB)]), lists('halvingDoubling')), 'halvingDoubling', 'ALL_TO_ALL')
# 3.6: nobody to talk to
finishes('alone', Run((8, lambda r: [coll(1, 'AR', MIB, involved_dim=[False])]), lists('ring')), 0)
# 10: groups whose ids collide with tags there
for one, two in ((1, 501), (2148, 3000), (0x7ffffff, 5)):
    run = Run((4, lambda r: [coll(1, 'AR', MIB, pg_name=str(two if r % 2 else one)), coll(2, 'AR', MIB)]), network=net('Ring', 4),
              files={'g.json': {str(one): [0, 2], str(two): [1, 3]}}, options=['--comm-group-configuration=g.json'])
    holds(f'group_ids_{one}', run, [(run.code, 0), (len(run.ticks), 4)])
# 12: an algorithm of a node's own counts after the first use of a group, and in unsorted groups
ALGO = {'algo.et': (2, lambda r: [send(1, 1 - r, 1000, 0), recv(2, 1 - r, 1000, 0), comp(3, 50, [2])])}
run = Run((4, lambda r: [coll(1, 'AR', MIB, pg_name=str(1 + r % 2)), coll(2, 'AR', MIB, [1], pg_name=str(1 + r % 2))]),
          {'per-node-custom-implementation': 'map.yml'}, net('Switch', 4),
          files={**ALGO, 'map.yml': '2: algo\n', 'g.json': {'1': [2, 0], '2': [3, 1]}}, options=['--comm-group-configuration=g.json'])
before = Run((4, lambda r: [coll(1, 'AR', MIB, pg_name=str(1 + r % 2))]), network=net('Switch', 4),
             files={'g.json': {'1': [2, 0], '2': [3, 1]}}, options=['--comm-group-configuration=g.json'])
holds('node_algorithm_in_group', run, [(run.ticks, {r: t + 51018 for r, t in before.ticks.items()})])
complains('unknown_group', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name='9')]), network=R2), "group '9'")
complains('not_a_member', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name='1')]), network=R2, files={'g.json': {'1': [0]}},
                              options=['--comm-group-configuration=g.json']), 'rank 1', 'do not include')
complains('no_such_type', Run((2, lambda r: [dict(id=1, type='COLL', comm_type=12, comm_size=8)]), network=R2), 'comm_type 12')
# 15: messages to oneself
complains('self_send', Run((2, lambda r: [send(1, r, 8, 0)]), network=R2), 'must be another rank')
complains('foreign_send', Run((2, lambda r: [send(1, 1, 8, 0, comm_src=0)]), network=R2), 'comm_src 0', 'rank 1')
# 17: receives of one (source, tag) at once: none is lost
for mode in ('unaware', 'packet'):
    run = Run([[recv(1, 1, 100, 7), recv(2, 1, 100, 7), recv(3, 1, 100, 7)], [comp(1, 1)] + [send(i, 0, 100, 7, [1]) for i in (2, 3, 4)]],
              network=R2, mode=mode)
    holds(f'equal_receives_{mode}', run, [(run.code, 0), (len(run.ticks), 2)])
# 19: a missing attribute is an error wherever it is found
complains('no_size', Run((2, lambda r: [comp(1, 5), dict(id=2, type='COLL', comm_type=0, deps=[1])]), network=R2), 'comm_size', 'op 2')
complains('no_tag', Run((2, lambda r: [dict(id=2, type='SEND', comm_dst=1 - r, comm_size=8)]), network=R2), 'comm_tag')
complains('cpu_collective', Run((2, lambda r: [coll(1, 'AR', 8, is_cpu_op=True)]), network=R2), 'is_cpu_op')
complains('no_files', Run((1, lambda r: [comp(1, 1)]), network=R2), 'w.1.et')
# 21: no local memory bandwidth: reductions cost nothing
finishes('no_memory_bandwidth', Run((4, lambda r: [coll(1, 'AR', MIB)]), {'local-mem-bw': 0}, net('Ring', 4)), 32362)
# 24: events at time 0
finishes('no_endpoint_delay', Run(AR8, {'endpoint-delay': 0}), 96215)
# Scheduling keys reach the orders; whatever the order, every rank ends
THREE = net(['Ring', 'FullyConnected', 'Switch'], 2, 4, 2, bw=[200, 100, 50], lat=[50, 500, 2000])
SPLIT = {**lists(*['ring'] * 3), 'preferred-dataset-splits': 16, 'active-chunks-per-dimension': 4}
W16 = (16, lambda r: [coll(i, kind, MIB, [i - 1] if i > 1 else []) for i, kind in enumerate(('AR', 'AG', 'RS', 'A2A'), 1)])
ticks = {}
for order in ('ascending', 'baseline', 'roundRobin', 'onlineGreedy', 'offlineGreedy', 'themis', 'offlineGreedyFlex'):
    for mode in ('unaware', 'packet'):
        run = Run(W16, {**SPLIT, 'inter-dimension-scheduling': order}, THREE, mode,
                  files={'l.json': {'logical-dims': ['2', '4', '2']}}, options=['--logical-topology-configuration=l.json'] if mode == 'packet' else [])
        ticks[order, mode] = max(run.ticks.values(), default=0)
        holds(f'order_{order}_{mode}', run, [(run.code, 0), (len(run.ticks), 16)])
holds('order_same_words', run, [(ticks['ascending', 'unaware'], ticks['baseline', 'unaware']),
                                (ticks['themis', 'unaware'], ticks['offlineGreedy', 'unaware'])])
for policy in ('FIFO', 'RG', 'smallestFirst', 'lessRemainingPhaseFirst'):
    run = Run(W16, {**SPLIT, 'active-chunks-per-dimension': 1, 'intra-dimension-scheduling': policy}, THREE)
    holds(f'policy_{policy}', run, [(run.code, 0), (len(run.ticks), 16)])
