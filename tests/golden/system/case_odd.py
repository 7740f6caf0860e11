# SPDX-License-Identifier: GPL-2.0-only
"""Workloads that are legal and seldom meant: a note says so, or an error where no meaning can be right."""
import os
import shutil
import subprocess
import tempfile

import bench
import et
from bench import finishes, Run, complains, holds, net, say
from et import coll, comp, recv, send

MIB = 1 << 20
R2, R4 = net('Ring', 2), net('Ring', 4)
AR2 = (2, lambda r: [coll(1, 'AR', MIB)])
ALL = {'g.json': {'1': [0, 1]}}
GROUPS = ['--comm-group-configuration=g.json']


def notes(name, run, *texts):
    """Ends well, and stderr has every text."""
    missing = [t for t in texts if t not in run.err]
    say(name, f'want notes with {missing}; {run.why()}' if run.code or missing else '')


def quiet(name, run):
    """Ends well and says nothing on stderr, but that a trace of computations does not communicate."""
    said = [line for line in run.err.splitlines() if 'the ranks do not communicate' not in line]
    say(name, f'wanted no word; {run.why()}' if run.code or said else '')


# Attributes
complains('attribute_twice', Run((2, lambda r: [dict(coll(1, 'AR', MIB), twice=dict(comm_size=8))]), network=R2),
          "node 1 'coll'", 'attribute comm_size is there twice')
complains('size_as_bool', Run((2, lambda r: [dict(coll(1, 'AR', 0), comm_size=True)]), network=R2), 'comm_size is bool_val 1')
complains('groups_disagree', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name='1', comm_group='2')]), network=R2, files=ALL, options=GROUPS),
          'comm_group names another group than pg_name')

# Computations without a duration
notes('work_without_duration', Run((2, lambda r: [comp(1, 0, num_ops=10**9, tensor_size=10**6)]), network=R2),
      '2 computations have num_ops or tensor_size and no recorded duration; they take 1 ns each (roofline-enabled')
ROOFLINE = {'roofline-enabled': 1, 'peak-perf': 100, 'local-mem-bw': 1000}
quiet('work_with_roofline', Run((2, lambda r: [comp(1, 0, num_ops=10**9, tensor_size=10**6)]), ROOFLINE, R2))
quiet('work_with_duration', Run((2, lambda r: [comp(1, 3, num_ops=10**9, tensor_size=10**6)]), network=R2))
notes('no_duration_at_all', Run((2, lambda r: [comp(1, 0), coll(2, 'AR', MIB, [1])]), network=R2),
      'none of the 2 computations on GPUs has a recorded duration')
quiet('some_without_duration', Run((2, lambda r: [comp(1, 0), comp(2, 5, [1])]), network=R2))
quiet('cpu_without_duration', Run((2, lambda r: [comp(1, 0, is_cpu_op=True)]), network=R2))
notes('replay_without_durations', Run((2, lambda r: [comp(1, 5), coll(2, 'AR', MIB, [1])]), {'replay-only': 1}, R2),
      'replay-only: 2 of 2 collectives, messages and memory accesses have no recorded duration')
quiet('replay', Run((2, lambda r: [comp(1, 5), dict(coll(2, 'AR', MIB, [1]), us=7)]), {'replay-only': 1}, R2))

# Collectives of one rank
notes('one_rank', Run((1, lambda r: [coll(1, 'AR', MIB)]), network=net('Ring', 1), mode='packet'),
      '1 collectives have no other member (the run has one rank) and took no time; op 1 of rank 0')
notes('involved_none', Run((4, lambda r: [comp(1, 1), coll(7, 'AR', MIB, [1], involved_dim=[False])]), network=R4),
      '4 collectives have no other member (involved_dim leaves all others out) and took no time; op 7 of rank 0')
quiet('group_of_one', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name=str(1 + r))]), network=R2,
                          files={'g.json': {'1': [0], '2': [1]}}, options=GROUPS))

# Groups
complains('group_0_of_some', Run((4, lambda r: [coll(1, 'AR', MIB, pg_name='0')]), network=R4, files={'g.json': {'0': [0, 1]}}, options=GROUPS),
          'group "0"', 'means all ranks')
quiet('group_0_of_all', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name='0'), coll(2, 'AR', MIB, [1], pg_name='1')]), network=R2,
                            files={'g.json': {'0': [1, 0], '1': [0, 1]}}, options=GROUPS))
notes('groups_unused', Run(AR2, network=R2, files=ALL, options=GROUPS), 'the communicator groups have no effect: none of the 2 collectives')


def listed(text, n=2, **more):
    return Run((n, lambda r: [dict(id=1, type='METADATA', values=f"['{text}']"), coll(2, 'AR', MIB, [1], pg_name='1')]), network=net('Ring', n), **more)


quiet('listed', listed('[{"pg_name": "1", "ranks": [0, 1], "group_size": 2}]'))
PART = '[{"pg_name": "0", "ranks": [], "group_size": 64}, {"pg_name": "1", "ranks": [0, 1, 7], "group_size": 3}]'
complains('listed_part_of_a_job', listed(PART), "a process group of a job of 64 ranks; give the traces of all ranks, make them with 'asim trace scale', or say --allow-missing-ranks. The run has 2 ranks.")
complains('listed_rank_beyond', listed('[{"pg_name": "1", "ranks": [0, 7]}]'), 'a process group of a job of 8 ranks')
quiet('listed_part_allowed', listed(PART, options=['--allow-missing-ranks']))
finishes('listed_part_as_all', listed(PART, options=['--allow-missing-ranks']), listed('[{"pg_name": "1", "ranks": [0, 1]}]').ticks)
complains('listed_0_of_some', listed('[{"pg_name": "0", "ranks": [0]}]'), 'lists a process group with the name 0, which means all ranks')
complains('listed_twice', listed('[{"pg_name": "1", "ranks": [0]}, {"pg_name": "1", "ranks": [0, 1]}]'), 'lists a process group that is listed twice')
complains('listed_no_list', listed('[{"pg_name": "1", "ranks": "0,1"}]'), 'lists a process group whose ranks are no list')
complains('listed_no_ranks', listed('[{"pg_name": "1"}]'), 'lists a process group without ranks')
complains('listed_other_size', listed('[{"pg_name": "1", "ranks": [], "group_size": 1}]'), 'whose group_size is not the number of its ranks')
complains('listed_larger_size', listed('[{"pg_name": "1", "ranks": [0, 1], "group_size": 4}]'), 'whose group_size is not the number of its ranks')

# Settings without effect
notes('priority_unused', Run((2, lambda r: [coll(1, 'AR', MIB, comm_priority=3)]), network=R2), '2 collectives have a comm_priority, which has no effect')
notes('explicit_unused', Run(AR2, {'scheduling-policy': 'EXPLICIT'}, R2), 'scheduling-policy EXPLICIT has no effect')
quiet('priority', Run((2, lambda r: [coll(1, 'AR', MIB, comm_priority=3)]), {'scheduling-policy': 'EXPLICIT'}, R2))
notes('bus_unused', Run(AR2, {'L': 5}, R2), 'L, o, g and G have no effect without model-shared-bus 1')
notes('seed_unused', Run(AR2, {'flow-order-seed': 5}, R2), 'flow-order-seed has no effect')
complains('delay_not_whole', Run(AR2, {'rank-start-delay': {'0': 0.5}}, R2), 'a whole number from 0 to 1e+15')
POOL = {'memory-type': 'PER_NPU_MEMORY_EXPANSION', 'remote-mem-bw': 1, 'num-nodes': 2}
notes('memory_nodes_unused', Run(AR2, network=R2, files={'m.json': POOL}, options=['--remote-memory-configuration=m.json']),
      'num-nodes and num-npus-per-node have an effect with PER_NODE_MEMORY_EXPANSION only')
POOL = {'memory-type': 'PER_NODE_MEMORY_EXPANSION', 'remote-mem-bw': 1, 'num-nodes': 2, 'num-npus-per-node': 8}
notes('memory_more_npus', Run(AR2, network=R2, files={'m.json': POOL}, options=['--remote-memory-configuration=m.json']), 'some NPUs do not exist')
ALGO = {'algo.et': (2, lambda r: [send(1, 1 - r, MIB, 0), recv(2, 1 - r, MIB, 0)])}
notes('list_beside_traces', Run(AR2, {'all-reduce-implementation-custom': ['algo']}, R2, files=ALGO),
      'all-reduce-implementation has no effect beside all-reduce-implementation-custom')
notes('node_prefix_unused', Run(AR2, {'per-node-custom-implementation': 'map.yml'}, R2, files={**ALGO, 'map.yml': '1: algo\n77: algo\n'}),
      'per-node-custom-implementation names node 77, but no trace has a collective with that id')
quiet('node_prefix', Run(AR2, {'per-node-custom-implementation': 'map.yml'}, R2, files={**ALGO, 'map.yml': '1: algo\n'}))


def packet(name, code, words, ranks=AR2, options=(), change=None):
    """asim packet over files that `change` alters first; words: '' = no word on stderr."""
    with tempfile.TemporaryDirectory() as path:
        et.write(path + '/w', ranks)
        if change:
            change(path)
        p = subprocess.run([bench.TOOL, 'packet', '--workload=w', '--algorithm=ring', *options], cwd=path, capture_output=True, text=True, timeout=60)
    fine = p.returncode == code and (words in p.stderr if words else not p.stderr.strip())
    say(name, '' if fine else f'exit code {p.returncode}, {p.stderr.strip()[-300:]!r}')


# Files
packet('files', 0, '')
packet('two_files_of_a_rank', 0, 'rank 1 has two traces, w.1.et and w.1.et.gz; the first one is read',
       change=lambda p: shutil.copy(p + '/w.0.et', p + '/w.1.et.gz'))
packet('packed_beside_plain', 0, 'rank 1 has two traces',
       change=lambda p: (os.rename(p + '/w.0.et', p + '/w.0.et.gz'), shutil.copy(p + '/w.1.et', p + '/w.1.et.gz')))
packet('rank_padded', 1, "'w.02.et' has the name of a trace, but its number is no rank's", change=lambda p: shutil.copy(p + '/w.0.et', p + '/w.02.et'))
packet('rank_beyond', 1, "'w.4294967298.et' has the name of a trace", change=lambda p: shutil.copy(p + '/w.0.et', p + '/w.4294967298.et'))
packet('other_files', 0, '', change=lambda p: [shutil.copy(p + '/w.0.et', p + '/' + n) for n in ('w.2.et.bak', 'w.2x.et', 'w.x.2.et', 'v.02.et')])


def with_version(text):
    def change(path):
        for r in (0, 1):
            with open(f'{path}/w.{r}.et', 'rb') as f:
                rest = f.read()
            with open(f'{path}/w.{r}.et', 'wb') as f:
                head = et.field(1, text.encode()) if text else b''
                f.write(et.varint(len(head)) + head + rest[8:])
    return change


packet('version_unknown', 0, "2 of 2 traces state a schema version that asim does not know, that of rank 0 is the first ('2.0.0')", change=with_version('2.0.0'))
packet('version_old', 0, "('0.0.3'); they are read as version 0.0.4", change=with_version('0.0.3'))
packet('version_word', 0, "('schema`'); they are", change=with_version("schema'"))
for version in ('', '1.0.0', '0.1.2', '0.0.14'):
    packet(f'version_{version}', 0, '', change=with_version(version))


def hosts(path):
    with open(path + '/t.txt', 'w') as f:
        f.write('5 1 4\n4\n' + ''.join(f'{h} 4 200Gbps 500ns 0\n' for h in range(4)))


packet('hosts_without_ranks', 0, 'has 4 hosts, the run 2 ranks: hosts 2 to 3 have no rank', change=hosts, options=['--topology=t.txt'])
packet('made_with_more_hosts', 0, '', options=['--topology=auto:leaf_spine,leaves=4'])

# Algorithms given as traces
W4 = (4, lambda r: [coll(1, 'AR', MIB)])


def ring(n, size):
    """The ring all-reduce of n members with messages of that size."""
    return (n, lambda r: [x for s in range(2 * n - 2) for x in (
        send(2 * s + 1, (r + 1) % n, size, s, [2 * s] if s else []), recv(2 * s + 2, (r - 1) % n, size, s, [2 * s] if s else []))])


def given(algo, mode='packet', ranks=W4, **more):
    kept = bench.lists
    bench.lists = lambda *words: {k: v for k, v in kept(*words).items() if k != 'all-reduce-implementation'}
    try:
        return Run(ranks, {'all-reduce-implementation-custom': ['algo']}, R4, mode, files={'algo.et': algo}, **more)
    finally:
        bench.lists = kept


for mode in ('packet', 'unaware'):
    quiet(f'given_{mode}', given(ring(4, MIB // 4), mode))
    complains(f'given_empty_{mode}', given((4, lambda r: []), mode), 'collective algorithm', 'of all 4 members have no nodes')
    complains(f'given_unreceived_{mode}', given((4, lambda r: [send(1, (r + 1) % 4, 100, 0)]), mode),
              'from member 0 to member 1 with tag 0, 100 bytes are sent and 0 are received')
    complains(f'given_unsent_{mode}', given((4, lambda r: [recv(1, (r + 1) % 4, 100, 0)]), mode),
              'from member 0 to member 3 with tag 0, 0 bytes are sent and 100 are received')
    complains(f'given_part_received_{mode}', given((4, lambda r: [send(1, (r + 1) % 4, 1000, 0), recv(2, (r - 1) % 4, 500, 0)]), mode),
              '1000 bytes are sent and 500 are received')
    complains(f'given_other_owner_{mode}', given((4, lambda r: [send(1, (r + 1) % 4, 100, 0, comm_src=3), recv(2, (r - 1) % 4, 100, 0)]), mode),
              'node 1 has comm_src 3; it must be 0')
    complains(f'given_larger_{mode}', given(ring(8, MIB // 8), mode), 'exchanges with member 7; it must be another one, of 0 to 3')
    notes(f'given_more_{mode}', given((8, lambda r: [send(1, r ^ 1, MIB, 0), recv(2, r ^ 1, MIB, 0)]), mode),
          'has traces of more members than the 4 of the collective; those from member 4 on are not used')
    notes(f'given_small_{mode}', given(ring(4, 10), mode), 'sends 240 bytes among its 4 members, whatever comm_size is; the ALL_REDUCE of 1048576 '
          'bytes of op 1 needs at least 6291456')
    notes(f'given_large_{mode}', given(ring(4, 64 * MIB), mode), 'needs at most 25165824')
    notes(f'given_two_sizes_{mode}', given(ring(4, MIB // 4), mode, (4, lambda r: [coll(1, 'AR', MIB), coll(2, 'AR', 64 * MIB, [1])])),
          'the ALL_REDUCE of 67108864 bytes of op 2 needs at least')
    # a member with nothing to do, and one that receives only what is there already
    idle = given((4, lambda r: [[], [send(1, 2, 9 * MIB, 0)], [recv(1, 1, 9 * MIB, 0)], []][r]), mode, (4, lambda r: [coll(1, 'AR', MIB), comp(2, 5, [1])]))
    holds(f'given_idle_member_{mode}', idle, [(idle.code, 0), (idle.ticks.get(0), 5000), (idle.ticks.get(3), 5000)])
    late = given((4, lambda r: [[], [send(1, 2, 9 * MIB, 0)], [recv(1, 1, 9 * MIB, 0)], []][r]), mode,
                 (4, lambda r: [comp(1, 10000), coll(2, 'AR', MIB, [1])] if r == 2 else [coll(2, 'AR', MIB)]))
    holds(f'given_late_member_{mode}', late, [(late.code, 0), (late.ticks.get(2), 10000000)])

# Names of attributes
for name, value in (('involved_dims', [True]), ('Involved-Dim', [True]), ('pgname', '3'), ('tensor_sizes', 4), ('num_op', 4), ('comm_sise', 4)):
    notes(f'slip_{name}', Run((2, lambda r: [coll(1, 'AR', MIB, **{name: value})]), network=R2), f"2 nodes have an attribute '{name}', which has no effect")
for name in ('comm_topology', 'tensor_loc', 'stream', 'rf_id', 'comm', 'is_gpu_op', 'num_cores', 'dims'):
    quiet(f'other_{name}', Run((2, lambda r: [coll(1, 'AR', MIB, **{name: 4})]), network=R2))
notes('dims_in_group', Run((2, lambda r: [coll(1, 'AR', MIB, pg_name='1', involved_dim=[False])]), network=R2, files=ALL, options=GROUPS),
      '2 collectives of a group have an involved_dim, which has no effect there')

quiet('broadcast_as_traces', Run((2, lambda r: [coll(1, 'BROADCAST', MIB)]), {'broadcast-implementation-custom': ['algo']}, R2, files=ALGO))
notes('dims_as_traces', Run((2, lambda r: [coll(1, 'BROADCAST', MIB, involved_dim=[False])]), {'broadcast-implementation-custom': ['algo']}, R2, files=ALGO),
      'runs among all 2 members, whatever involved_dim is')

# Members that differ
for kind, end in (('BROADCAST', 'comm_src'), ('SCATTER', 'comm_src'), ('REDUCE', 'comm_dst'), ('GATHER', 'comm_dst')):
    complains(f'roots_differ_{kind.lower()}', Run((4, lambda r: [coll(1, kind, 4096, **{end: r})]), {'broadcast-implementation': ['binomialTree']}, R4),
              f'is {kind} with root 1, but another member\'s is {kind} with root 0')
notes('sizes_differ', Run((4, lambda r: [coll(1, 'AR', 4096 + r), coll(2, 'AR', 4096, [1])]), network=R4, mode='packet'),
      'the members of 1 collectives have different sizes; the first is ALL_REDUCE of 4096 bytes for rank 0 and of 4097 bytes for rank 1')
notes('sizes_differ_unaware', Run((2, lambda r: [coll(1, 'A2A', 101 - r)]), network=R2), 'the first is ALL_TO_ALL of 101 bytes for rank 0 and of 100')
quiet('barrier_sizes_differ', Run((4, lambda r: [coll(1, 'BARRIER', r)]), network=R4))
notes('roofline_without_bytes', Run((2, lambda r: [comp(1, 0, num_ops=10**9, tensor_size=0)]), ROOFLINE, R2),
      '2 computations have a num_ops or a tensor_size of 0; the roofline model gives them no time')
notes('roofline_on_cpu', Run((2, lambda r: [comp(1, 0, is_cpu_op=True, num_ops=10**9, tensor_size=8)]), ROOFLINE, R2),
      '2 CPU ops have num_ops and no recorded duration; they take 1 ns each')
