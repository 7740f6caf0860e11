# SPDX-License-Identifier: GPL-2.0-only
"""Queues, chunks and mixed groups: system-layer.md#recorded-numbers, order of finishing included."""
from bench import Run, finishes, lists, net
from et import coll, comp

MIB = 1 << 20


def one(kind, size=MIB, n=8):
    return n, lambda r: [coll(1, kind, size)]


def tree(text):
    return {int(a): int(b) for a, b in (pair.split(':') for pair in text.split())}


# 10.2: splits 4, active 2; Switch unaware, Switch aware, FullyConnected unaware, FullyConnected aware
for kind, algorithm, numbers in (
        ('AR', 'ring', (72890, 90580, 58890, 60790)), ('AR', 'direct', (10430, 35790, 8430, 9130)),
        ('AR', 'direct3', (27320, 41810, 21320, 21930)), ('AR', 'halvingDoubling', (41014, 70578, 35014, 39376)),
        ('AG', 'direct3', (35372, 143618, 32372, 37254)), ('AG', 'halvingDoubling', (74436, 175962, 71436, 94311)),
        ('RS', 'ring', (50210, 59360, 43210, 43820)), ('RS', 'halvingDoubling', (26412, 41466, 23412, 25853)),
        ('A2A', 'ring', (90740, 125510, 62740, 68840)), ('A2A', 'direct', (3260, 18710, 2260, 2960))):
    for (topology, mode), want in zip((('Switch', 'unaware'), ('Switch', 'aware'), ('FullyConnected', 'unaware'),
                                       ('FullyConnected', 'aware')), numbers):
        run = Run(one(kind), {**lists(algorithm), 'preferred-dataset-splits': 4, 'active-chunks-per-dimension': 2}, net(topology, 8), mode)
        finishes(f'{topology}_{kind}_{algorithm}_{mode}', run, want)

# 10.5: two dimensions and queues
PAIR = net(['Ring', 'Switch'], 4, 2, bw=[100, 50], lat=[300, 1000])
for queues in (1, 2, 4):
    options = [f'--num-queues-per-dim={queues}']
    system = {**lists('ring', 'direct'), 'preferred-dataset-splits': 6, 'active-chunks-per-dimension': 3}
    for kind, optimization, want in (('AR', 'baseline', 95078), ('AR', 'localBWAware', 71378 if queues == 1 else 99567),
                                     ('AG', 'baseline', 72255), ('RS', 'baseline', 63548), ('A2A', 'baseline', 25282)):
        finishes(f'queues_{queues}_{kind}_{optimization}',
                 Run(one(kind, 3 * MIB), {**system, 'collective-optimization': optimization}, PAIR, options=options), want)
    finishes(f'queues_{queues}_eight_chunks', Run(one('AR'), {**lists('ring', 'ring'), 'preferred-dataset-splits': 8, 'active-chunks-per-dimension': 2},
                                                  PAIR, options=options), 69476 if queues == 2 else 38476)
SEQUENCE = (8, lambda r: [coll(1, 'AR', 1 << 20), coll(2, 'AR', 1 << 19, [1]), coll(3, 'AG', 1 << 16, [2])])
for words, queues, want in (
        (('ring', 'ring'), 1, {r: 85206 for r in (1, 2, 3, 0, 5, 6, 7, 4)}),
        (('ring', 'ring'), 2, {r: 143440 for r in (1, 3, 2, 0, 5, 7, 6, 4)}),
        (('doubleBinaryTree',) * 2, 1, tree('4:479621 3:479839 1:481229 6:481742 0:481742 2:481742 5:482255 7:482255')),
        (('doubleBinaryTree',) * 2, 2, tree('4:656259 3:656477 1:657867 6:658380 0:658380 2:658380 5:658893 7:658893')),
        (('direct', 'halvingDoubling'), 1, {r: 40670 for r in range(8)}),
        (('direct', 'halvingDoubling'), 2, {r: 63702 for r in range(8)})):
    run = Run(SEQUENCE, {**lists(*words), 'preferred-dataset-splits': 3, 'active-chunks-per-dimension': 2}, PAIR,
              options=[f'--num-queues-per-dim={queues}'])
    ordered = list(run.ticks.items()) == list(want.items())
    finishes(f'sequence_{words[0]}_{words[1]}_{queues}', run, want if ordered else {'the order': want})

# 10.6: chunks at once
for active, unaware, aware in ((1, 146296, 146296), (2, 73148, 73453), (4, 36574, 42744), (8, 18287, 34680)):
    for mode, want in (('unaware', unaware), ('aware', aware)):
        finishes(f'active_{active}_{mode}', Run(one('AR'), {'preferred-dataset-splits': 8, 'active-chunks-per-dimension': active}, mode=mode), want)
finishes('injection_scale', Run(one('AR'), options=['--injection-scale=2.5']), 96590)

# 10.8: groups and skew
GROUPS = {str(i + 1): [2 * i, 2 * i + 1] for i in range(4)} | {'11': [0, 2, 4, 6], '12': [1, 3, 5, 7]}
MIXED = (8, lambda r: [comp(1, 3 * (r + 1)), coll(2, 'AR', 1 << 18, [1], pg_name=str(r // 2 + 1)), comp(3, 4, [2]),
                       coll(4, 'RS', 1 << 20, [3], pg_name=str(11 + r % 2)), coll(5, 'AG', 1 << 17, [4], pg_name=str(11 + r % 2)),
                       coll(6, 'AR', 1 << 16, [5])])
for algorithm, mode, want in (
        ('ring', 'unaware', tree('2:86435 3:87511 4:88587 5:89663 6:90739 7:91815 0:92891 1:93967')),
        ('ring', 'aware', tree('2:108513 3:109599 4:110609 6:111543 5:111619 0:112553 7:112629 1:113639')),
        ('direct', 'unaware', {r: 52389 for r in (5, 6, 7, 0, 1, 2, 3, 4)}),
        ('direct', 'aware', {r: 81900 if r == 2 else 82052 for r in (2, 1, 0, 7, 6, 5, 4, 3)}),
        ('halvingDoubling', 'unaware', tree('0:59712 4:60788 2:60864 1:61017 6:61940 5:62093 3:62169 7:63245')),
        ('halvingDoubling', 'aware', tree('0:88619 1:89488 4:89705 2:89781 5:90574 3:90650 6:90867 7:92040'))):
    run = Run(MIXED, {**lists(algorithm), 'preferred-dataset-splits': 2, 'active-chunks-per-dimension': 2}, net('Switch', 8), mode,
              files={'g.json': GROUPS}, options=['--comm-group-configuration=g.json'])
    ordered = list(run.ticks.items()) == list(want.items())
    finishes(f'mixed_groups_{algorithm}_{mode}', run, want if ordered else {'the order': want})
