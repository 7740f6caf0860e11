# SPDX-License-Identifier: GPL-2.0-only
"""Remote memory in its four kinds (system-layer.md#remote-memory), in both kinds of network."""
from bench import Run, complains, finishes, holds, net

ACCESS = (2, lambda r: [dict(id=1, type='LOAD', tensor_size=1000), dict(id=2, type='STORE', tensor_size=1000)])
FOUR = (4, ACCESS[1])


def memory(kind, **more):
    return {'m.json': {'memory-type': kind, 'remote-mem-latency': 100, 'remote-mem-bw': 10, **more}}


def run(ranks, kind, mode='unaware', n=2, **more):
    return Run(ranks, network=net('Ring', n), mode=mode, files=memory(kind, **more),
               options=['--remote-memory-configuration=m.json'])


for mode in ('unaware', 'packet'):
    finishes(f'memory_pool_{mode}', run(ACCESS, 'MEMORY_POOL', mode), {0: 600, 1: 800})
    finishes(f'memory_per_npu_{mode}', run(ACCESS, 'PER_NPU_MEMORY_EXPANSION', mode), 400)
    finishes(f'memory_per_node_{mode}',
             run(FOUR, 'PER_NODE_MEMORY_EXPANSION', mode, 4, **{'num-nodes': 2, 'num-npus-per-node': 2}),
             {0: 600, 2: 600, 1: 800, 3: 800})
complains('memory_none', run(ACCESS, 'NO_MEMORY_EXPANSION'), 'NO_MEMORY_EXPANSION', 'op 1')
complains('memory_node_too_small', run(FOUR, 'PER_NODE_MEMORY_EXPANSION', n=4,
                                       **{'num-nodes': 1, 'num-npus-per-node': 2}), '1 nodes of 2 NPUs', '4 ranks')
r = run(ACCESS, 'MEMORY_POOL', 'packet')
holds('memory_pool_note', r, [(r.err.count('frame by frame'), 1)])
