# SPDX-License-Identifier: GPL-2.0-only
"""LogGP bus: the eight golden numbers of section 5.8; rendezvous: those of 10.6."""
from bench import NETWORK, Run, finishes, lists
from et import coll

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
