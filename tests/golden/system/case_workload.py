# SPDX-License-Identifier: GPL-2.0-only
"""Ops and ranks: mixed workloads, roofline, statistics, concurrency, stragglers, local memory, reports."""
import csv
import json

from bench import Run, complains, finishes, holds, lists, net
from et import coll, comp, recv, send

MIB = 1 << 20


def pipeline(r):
    nodes = []
    for m in range(3):
        if r:
            nodes.append(recv(10 * m + 1, r - 1, MIB, m))
        nodes.append(comp(10 * m + 2, 20, [10 * m + 1] if r else []))
        if r < 3:
            nodes.append(send(10 * m + 3, r + 1, MIB, m, [10 * m + 2]))
    return nodes


for mode in ('unaware', 'aware'):
    run = Run((4, pipeline), network=net('Ring', 4), mode=mode)
    holds(f'pipeline_{mode}', run, [
        (run.ticks, {0: 80093, 1: 120124, 2: 160155, 3: 180155}),
        (run.exposed, {0: 20093, 1: 60124, 2: 100155, 3: 120155}),
        ([run.line(r, 'Comm time') for r in range(4)], ['60093', '120124', '160155', '160155']),
        ([run.line(r, 'GPU time') for r in range(4)], ['60000'] * 4),
        ([run.line(r, 'Total compute-communication overlap') for r in range(4)], ['40000', '60000', '60000', '40000'])])

DAG = (4, lambda r: [comp(1, 10), coll(2, 'AR', 1 << 20, [1]), comp(3, 30, [1]), coll(4, 'RS', 1 << 20, [3]),
                     comp(5, 5, [2, 4]), coll(6, 'AG', 1 << 18, [1])])
for policy in ('LIFO', 'FIFO', 'EXPLICIT'):
    run = Run(DAG, {'preferred-dataset-splits': 4, 'active-chunks-per-dimension': 2, 'scheduling-policy': policy}, net('Ring', 4))
    holds(f'dag_{policy}', run, [(run.ticks, {r: 98740 for r in range(4)}), (run.exposed[0], 53740),
                                 (run.line(0, 'Comm time'), '88740'), (run.line(0, 'Total compute-communication overlap'), '35000')])
run = Run(DAG, {'preferred-dataset-splits': 4, 'active-chunks-per-dimension': 2}, net('Ring', 4), 'aware')
holds('dag_aware', run, [(list(run.ticks.items()), [(2, 109480), (3, 109480), (0, 109480), (1, 109480)])])

SKEW = (4, lambda r: [comp(1, 10 * (r + 1)), coll(2, 'AR', MIB, [1])])
for algorithm, mode, want in (('ring', 'unaware', {2: 73982, 3: 77423, 0: 80864, 1: 84305}),
                              ('direct', 'unaware', {1: 54775, 2: 54775, 3: 54775, 0: 54775}),
                              ('halvingDoubling', 'unaware', {0: 57236, 2: 60677, 1: 63118, 3: 66559}),
                              ('doubleBinaryTree', 'unaware', {0: 167475, 2: 167475, 1: 177475, 3: 177475}),
                              ('ring', 'aware', {2: 93490, 3: 99372, 0: 102823, 1: 103833}),
                              ('direct', 'aware', {2: 74067, 3: 76508, 1: 77822, 0: 77822}),
                              ('doubleBinaryTree', 'aware', {0: 206535, 2: 216300, 1: 216535, 3: 226300})):
    finishes(f'skew_{algorithm}_{mode}', Run(SKEW, {**lists(algorithm), 'preferred-dataset-splits': 2, 'active-chunks-per-dimension': 2},
                                             net('Switch', 4), mode), want)

# Roofline
ROOF = {'roofline-enabled': 1, 'peak-perf': 312, 'local-mem-bw': 2039}
run = Run((4, lambda r: [comp(1, 0, num_ops=4 * 10**10, tensor_size=3 * 10**8), coll(2, 'AR', MIB, [1]),
                         comp(3, 0, [1], num_ops=10**9, tensor_size=10**9)]), ROOF, net('Ring', 4))
holds('roofline', run, [(run.ticks[0], 637566), (run.exposed[0], 0), (run.line(0, 'Comm time'), '33514'),
                        (run.line(0, 'Total compute-communication overlap'), '33514')])
run = Run((2, lambda r: [comp(1, 0, num_ops=10**12, tensor_size=10**9), comp(2, 0, num_ops=10**9, tensor_size=10**9)]),
          {'roofline-enabled': 1, 'peak-perf': 100, 'local-mem-bw': 1000}, net('Ring', 2))
holds('roofline_statistics', run, [
    (run.ticks[0], 11000000), (run.line(0, 'Compute bound percentage'), '90.909%'),
    (run.line(0, 'Average compute utilization'), '91.000%'), (run.line(0, 'Average memory utilization'), '18.182%'),
    (run.line(0, 'Average operation intensity'), '909.182')])
run = Run((2, lambda r: [comp(1, 0, num_ops=0, tensor_size=10**9)]), ROOF, net('Ring', 2))
finishes('roofline_no_work', run, 0)
complains('roofline_lacks', Run((2, lambda r: [comp(1, 5)]), ROOF, net('Ring', 2)), 'num_ops', 'op 1')

# Replay
run = Run((2, lambda r: [coll(1, 'AR', MIB, us=5), send(2, 1 - r, 8, 0, us=3), comp(3, 0)]), {'replay-only': 1}, net('Ring', 2))
finishes('replay_only', run, 8000)
holds('replay_exposed_does_not_wrap', run, [(run.exposed, {0: 0, 1: 0})])
finishes('replay_scales_compute_only', Run((2, lambda r: [coll(1, 'AR', MIB, us=5), comp(2, 3, [1])]),
                                           {'replay-only': 1, 'rank-compute-scale': {'*': 2}}, net('Ring', 2)), 11000)

# More than one op of a rank at once
TWO = (2, lambda r: [comp(1, 10), comp(2, 10), coll(3, 'AR', MIB), coll(4, 'AR', MIB)])
finishes('one_at_a_time', Run(TWO, network=net('Ring', 2)), 104030)
finishes('two_computes', Run((2, lambda r: [comp(1, 10), comp(2, 10)]), {'concurrent-computes': 2}, net('Ring', 2)), 10000)
run = Run((2, lambda r: [comp(1, 10), comp(2, 10), coll(3, 'AR', MIB, [1, 2])]), {'concurrent-computes': 2}, net('Ring', 2))
holds('two_computes_exposed', run, [(run.exposed[0], run.ticks[0] - 10000)])
finishes('two_cpu_ops', Run((2, lambda r: [comp(1, 10, is_cpu_op=True), comp(2, 10, is_cpu_op=True)]), {'concurrent-cpu-ops': 2}, net('Ring', 2)), 10000)
finishes('two_collectives', Run(TWO, {'concurrent-collectives': 2, 'active-chunks-per-dimension': 2}, net('Ring', 2)), 52015)
# The newer collective overtakes waiting chunks with LIFO and does not with FIFO
ORDER = (2, lambda r: [coll(1, 'AR', 4 * MIB), coll(2, 'AR', 64)])
for policy, first in (('LIFO', 2), ('FIFO', 1)):
    run = Run((2, lambda r: [coll(1, 'AR', 4 * MIB), coll(2, 'AR', 64), comp(10, 1000, [1]), comp(11, 1000, [2])]),
              {'concurrent-collectives': 2, 'preferred-dataset-splits': 4, 'scheduling-policy': policy},
              net('Ring', 2), options=['--out=o'])
    rows = list(csv.DictReader(open(run.path + '/o/ops.csv')))
    ended = [int(row['op']) for row in rows if row['rank'] == '0' and row['collective']]
    holds(f'priority_{policy}', run, [(ended[0], first)])

# Ranks that differ
ONE = (4, lambda r: [comp(1, 100), coll(2, 'AR', MIB, [1])])
base = Run(ONE, network=net('Ring', 4)).ticks
run = Run(ONE, {'rank-compute-scale': {'2': 1.5}}, net('Ring', 4))
holds('slow_rank', run, [(run.line(2, 'GPU time'), '150000'), (run.line(1, 'GPU time'), '100000')])
run = Run(ONE, {'rank-compute-scale': {'*': 2, '1-3': 1}}, net('Ring', 4))
holds('slow_range', run, [(run.line(0, 'GPU time'), '200000'), (run.line(1, 'GPU time'), '100000')])
finishes('late_start', Run(ONE, {'rank-start-delay': {'*': 5000}}, net('Ring', 4)), base[0] + 5000)
finishes('slow_messages', Run((8, lambda r: [coll(1, 'AR', MIB)]), {'rank-message-delay': {'0-7': 90}}), 96365 + 15 * 90)
run = Run(ONE, {'rank-start-delay': {'2-9': 0, '4-7': 9, '*': 0}, 'rank-message-delay': {'3': 0}}, net('Ring', 4))
holds('rank_not_there', run, [(run.ticks[0], base[0]), (run.err.count('which has no effect'), 1),
                              ('rank-start-delay has an entry for rank 4, which has no effect: the run has ranks 0 to 3' in run.err, True)])
complains('rank_value_wrong', Run(ONE, {'rank-compute-scale': {'x': 2}}, net('Ring', 4)), 'rank-compute-scale', '"x"')

# Statistics of every class of op, and the reports
run = Run((2, lambda r: [dict(id=0, type='METADATA', values=''), comp(1, 10, is_cpu_op=True), comp(2, 20, [1]),
                         dict(id=3, type='INVALID', deps=[2]), coll(4, 'AR', MIB, [3], name='grad, "all"'),
                         dict(id=5, type='LOAD', tensor_size=1000, deps=[4])]),
          network=net('Ring', 2), files={'m.json': {'memory-type': 'PER_NPU_MEMORY_EXPANSION', 'remote-mem-latency': 100, 'remote-mem-bw': 10}},
          options=['--remote-memory-configuration=m.json', '--out=o'])
holds('every_class', run, [(run.code, 0), (run.line(0, 'CPU time'), '10000'), (run.line(0, 'GPU time'), '20000'),
                           (run.line(0, 'Comm time'), '52015'), (run.line(0, 'Remote mem time'), '200')])
rows = list(csv.DictReader(open(run.path + '/o/ops.csv')))
row = [r for r in rows if r['op'] == '4' and r['rank'] == '1'][0]
holds('ops_csv', run, [(len(rows), 12), (row['name'], 'grad, "all"'), (row['issue_ns'], '30000'), (row['end_ns'], '82015'),
                       (row['algbw_GBps'], '20.159'), (row['busbw_GBps'], '20.159'), ([int(r['end_ns']) for r in rows], sorted(int(r['end_ns']) for r in rows))])
run = Run(SKEW, network=net('Switch', 4), options=['--out=o'])
rows = {r['rank']: r for r in csv.DictReader(open(run.path + '/o/ops.csv')) if r['op'] == '2'}
holds('ops_csv_waits', run, [([rows[str(r)]['wait_ns'] for r in range(4)], ['30000', '20000', '10000', '0']),
                             ({r['start_ns'] for r in rows.values()}, {'40000'})])
run = Run((2, lambda r: [recv(1, 1, 1000, 7)] if not r else [comp(1, 3), send(2, 0, 1000, 7, [1])]), network=net('Ring', 2), options=['--out=o'])
row = [r for r in csv.DictReader(open(run.path + '/o/ops.csv')) if 'RECV' in r['type']][0]
holds('ops_csv_receive', run, [(row['wait_ns'], '3000'), (row['transfer_ns'], '518')])

# Local memory
TENSORS = (2, lambda r: [comp(1, 10, inputs=['given', '1048576'], outputs=['a', '2097152']),
                         comp(2, 10, [1], inputs=['a', '2097152'], outputs=['b', '524288', 'none', '0']),
                         comp(3, 10, [2], inputs=['b', '524288'], outputs=['a', '2097152'])])
run = Run(TENSORS, {'track-local-mem': 1, 'local-mem-trace-filename': 'mem'}, net('Ring', 2), options=['--out=o'])
events = json.load(open(run.path + '/o/mem.0.json'))['traceEvents']
counter = [(e['ts'], e['args']['Memory_MB']) for e in events if e['ph'] == 'C']
holds('local_memory', run, [
    ('sys[0] peak memory usage: 3.00 MB' in run.out, True), (counter, [(0, 3), (10, 2.5), (20, 0.5), (30, 0)]),
    (len([e for e in events if e['name'] == 'tensorRead']), 6), (len([e for e in events if e['name'] == 'tensorLifetime']), 6)])
complains('local_memory_odd', Run((2, lambda r: [comp(1, 10, inputs=['given'])]), {'track-local-mem': 1}, net('Ring', 2)), 'inputs', 'op 1')
