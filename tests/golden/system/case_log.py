# SPDX-License-Identifier: GPL-2.0-only
"""trace-enabled: a line at the issue and the end of each op; what is said of misspelt keys and of ops
that name no tensors."""
import os

from bench import Run, complains, holds, net, say
from et import coll, comp, recv, send

WORK = [[comp(1, 2, name='a "b"'), send(2, 1, 1000, 5, [1])], [recv(7, 0, 1000, 5), coll(9, 'AR', 64, [7], pg_name='0')]]
WORK[0].append(coll(3, 'AR', 64, [2]))
ON = {'trace-enabled': 1}
TWO = net('Ring', 2)


def lines(run, file):
    path = os.path.join(run.path, file)
    return open(path).read().splitlines() if os.path.exists(path) else None


for mode in ('unaware', 'packet'):
    run = Run(WORK, ON, TWO, mode, ['--out=o'])
    got = lines(run, 'o/log.txt') or []
    wanted = ['issue,sys->id=0, tick=0, node->id=1, node->name=a "b", node->type=4',
              'issue,sys->id=1, tick=0, node->id=7, node->name=recv, node->type=6',
              'callback,sys->id=0, tick=2000, node->id=1, node->name=a "b", node->type=4',
              'issue,sys->id=0, tick=2000, node->id=2, node->name=send, node->type=5']
    texts = [line.split('] ')[-1] for line in got]
    times = [int(line[1:].split(' ns')[0]) for line in got]
    ends = [f'tick={t}, node->id={i}' in '\n'.join(texts) for i, t in ((3, run.ticks.get(0)), (9, run.ticks.get(1)))]
    holds(f'log_{mode}', run, [(sorted(texts[:2]) + texts[2:4], wanted), (len(got), 10), (times, sorted(times)),
                               (ends, [True, True]), (got[0].split(' issue')[0], '[0 ns] [workload] [debug]')])
run = Run(WORK, ON, TWO, options=['--out=o', '--logging-folder=l/m'])
holds('log_folder', run, [(len(lines(run, 'l/m/log.log') or []), 10), (lines(run, 'o/log.txt'), None)])
for name, system, options in (('off', {}, ['--out=o', '--logging-folder=l']), ('nowhere', ON, [])):
    run = Run(WORK, system, TWO, options=options)
    say(f'log_{name}', 'a log' if lines(run, 'l/log.log') or lines(run, 'o/log.txt') or run.code else '')

complains('rank_key_misspelt', Run(WORK, {'rank-compute-scales': {'0': 2}}, TWO), "Did you mean 'rank-compute-scale'?")
complains('rank_delay_misspelt', Run(WORK, {'rank-start-dalay': {'0': 2}}, TWO), "Did you mean 'rank-start-delay'?")

TRACK = {'track-local-mem': 1}
NOTE = 'has no attributes inputs and outputs'
run = Run(WORK, TRACK, TWO, options=['--out=o'])
holds('listless_told_once', run, [(run.err.count(NOTE), 1), (run.code, 0)])
run = Run([[comp(1, 2, outputs=['t', '100'])]] * 2, TRACK, TWO)
holds('listed_not_told', run, [(run.err.count(NOTE), 0), (run.code, 0)])
