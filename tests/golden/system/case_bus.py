# SPDX-License-Identifier: GPL-2.0-only
"""LogGP bus: the eight golden numbers of system-layer.md#loggp-bus; rendezvous."""
from bench import NETWORK, Run, complains, finishes, lists, net
from et import coll, comp, recv, send

MIB = 1 << 20
LOGGP = {'model-shared-bus': 1, 'L': 1, 'o': 2, 'g': 3, 'G': 0.01}
for kind, algorithm, splits, active, want in (
        ('AR', 'ring', 1, 1, 161863), ('AR', 'ring', 4, 4, 53522), ('AR', 'direct', 1, 1, 36463),
        ('RS', 'direct', 4, 4, 22464), ('AR', 'halvingDoubling', 2, 2, 68997), ('AG', 'ring', 6, 3, 210805),
        ('AG', 'direct', 4, 4, 148962), ('AR', 'direct2', 3, 3, 55432)):
    run = Run((8, lambda r: [coll(1, kind, MIB)]),
              {**LOGGP, **lists(algorithm), 'preferred-dataset-splits': splits, 'active-chunks-per-dimension': active})
    finishes(f'bus_{kind}_{algorithm}_{splits}_{active}', run, want)

for algorithm, mode, want in (('ring', 'unaware', 105493), ('ring', 'aware', 105493),
                              ('direct', 'unaware', 19079), ('direct', 'aware', 62841)):
    run = Run((8, lambda r: [coll(1, 'AR', MIB)]), lists(algorithm), mode=mode,
              options=['--rendezvous-protocol=true'])
    finishes(f'rendezvous_{algorithm}_{mode}', run, want)

# The first that asks gets the first that is sent, whatever its size (6.2).
run = Run([[send(1, 1, 1000003, 5), send(2, 1, 100, 5)], [recv(1, 0, 100, 5), comp(2, 10), recv(3, 0, 1000003, 5, [2])]],
          network=net('Ring', 2), options=['--rendezvous-protocol=true'])
finishes('rendezvous_sizes', run, 20279)

# A network file is one document.
for name, text in (('indent', ' topology: [Ring]\n npus_count: [8]\n bandwidth: [50]\n latency: [500]\nnpus_count: [4]\n'),
                   ('second', 'topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n---\nfoo: 1\n')):
    complains('yaml_' + name, Run((8, lambda r: [coll(1, 'AR', MIB)]), files={'more.yml': text},
                                  options=['--network-configuration=more.yml']), 'more.yml:5: the settings have ended')
