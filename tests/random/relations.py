# SPDX-License-Identifier: GPL-2.0-only
"""Relations between two runs that need no recorded result.

Each draws a case of its own for which the relation is exact, changes it, and says how the results
must correspond:

  slower      rates halved, times doubled: every time doubles
  ps          whole ns per byte: counting ps changes nothing
  later       all ranks start later by a time: every time grows by it
  renamed     the ranks of one switch exchanged, with their links and work: their times, too
  unused      a switch without hosts, on a link that may fail, changes nothing
  alone       two jobs on parts of a network that share no link: each as if it were alone
  zipped      traces as .gz change nothing
  unwatched   the same times and stdout without any report
  one_list    ns-3's order of simultaneous events: as in a simulation of one_list.py
  flow_rings  the flow level with rings that the network carries by itself, and message by message; a quarter under sanitizers
"""

import copy
import gzip
import re

import draw
import one_list
from ways import Failure, execute, write, FRAMES

WHOLE = ["8Gbps", "4Gbps", "2Gbps"]  # 1, 2, 4 ns for each byte
HALVED = {"8Gbps": "4Gbps", "4Gbps": "2Gbps", "2Gbps": "1Gbps"}
DELAYS = ["100ns", "300ns", "500ns", "2000ns"]


def rows_set(rows, *pairs):
    """Rows of config.txt with other values for some keys."""
    keys = {key for key, _ in pairs}
    return [row for row in rows if row[0] not in keys] + [list(pair) for pair in pairs]


def exact_system(rng, dims, ranks):
    """Without what has a fixed time of its own: reductions round, the bus and the memory do."""
    system = draw.system_settings(rng, dims, ranks)
    for key in ("model-shared-bus", "L", "o", "g", "G", "rank-compute-scale", "replay-only", "trace-enabled"):
        system.pop(key, None)
    system["local-mem-bw"] = 0
    for key, names in system.items():
        if key.endswith("-implementation"):
            system[key] = ["ring" if name == "replay" or name.startswith("nccl") else name for name in names]
    system["broadcast-implementation"] = ["binomialTree"]
    return system


def exact_case(rng, tool, control="12"):
    """One job on a network whose bytes take whole ns, without congestion control."""
    ranks = rng.choice([2, 3, 4, 5, 6, 8, 9, 12])
    text = (draw.star if rng.random() < .3 else draw.irregular)(rng, ranks, WHOLE, DELAYS)
    dims = draw.dimensions(rng, ranks)
    drop = {"NIC_TOTAL_PAUSE_TIME", "TIME_BASE", "RTO", "NACK_INTERVAL", "LINK_DOWN", "LINK_UP", "PAUSE_TIME", "MIN_RATE"}
    rows = [row for row in draw.network_settings(rng, text, control) if row[0] not in drop]
    rows += [["RTO", "1000us"], ["NACK_INTERVAL", "100us"]]
    if rng.random() < .3:
        a, b = rng.choice(draw.topology_read(text)[2])[:2]
        at = rng.choice([2000, 50000, 500001])
        rows += [["LINK_DOWN", f"{at}ns {a} {b}"], ["LINK_UP", f"{at + rng.choice([1000, 70000])}ns {a} {b}"]]
    work = draw.Workload(rng, ranks, dims, rng.choice([1, .9, .5]))
    job = draw.Job(rng, list(range(ranks)), {}, True, False)
    job.circles = job.circles[:1]
    steps = [s for s in job.steps(rng.choice([1, 2, 4])) if s[0] != "compute" or s[2]]
    for _ in range(rng.choice([1, 2, 4])):
        for step in steps:
            draw.run_step(work, step, int(10 ** rng.uniform(0, 3)), 1000)
    return {"topology": text, "network": rows + draw.outputs(rng)[:2], "system": exact_system(rng, dims, ranks), "logical": dims,
            "memory": None, "groups": {}, "options": ["--exact-events=0"], "reports": "flows,links", "ranks": work.ranks}


def doubled_time(text):
    """Twice a time such as 500ns."""
    number = text.rstrip("nus")
    return f"{2 * int(number)}{text[len(number):]}"


def slower(case, _):
    other = copy.deepcopy(case)
    nodes, switches, links = draw.topology_read(case["topology"])
    links = [[a, b, HALVED[rate], doubled_time(delay), error] for a, b, rate, delay, error in links]
    other["topology"] = draw.topology_text(nodes - len(switches), len(switches), links)
    for row in other["network"]:
        words = row[1].split()
        if row[0] in ("RTO", "NACK_INTERVAL", "LINK_DOWN", "LINK_UP"):
            row[1] = " ".join([doubled_time(words[0])] + words[1:])
        elif row[0].endswith("_MAP"):
            row[1] = " ".join(HALVED.get(word, word) for word in words)
    system = other["system"]
    system["endpoint-delay"] *= 2
    for key in ("rank-start-delay", "rank-message-delay"):
        system[key] = {rank: 2 * value for rank, value in system.get(key, {}).items()}
    for ops in other["ranks"]:
        for op in ops:
            op["micros"] *= 2
    return other


def in_ps(case, _):
    return {**case, "network": rows_set(case["network"], ("TIME_BASE", "ps"))}


def start_case(rng, tool):
    case = draw.case(rng, tool)
    case["network"] = [row for row in case["network"] if row[0] not in ("LINK_DOWN", "LINK_UP", "QLEN_MON_FILE", "QLEN_MON_START")]
    case["system"].pop("trace-enabled", None)
    case["system"]["rank-start-delay"] = {str(rank): rng.choice([10, 10, 500, 777]) for rank in range(len(case["ranks"]))}
    case["reports"] = "flows"
    return case


def later(case, by):
    other = copy.deepcopy(case)
    delays = other["system"]["rank-start-delay"]
    other["system"]["rank-start-delay"] = {rank: delay + by for rank, delay in delays.items()}
    return other


def star_case(rng, tool):
    """Groups of some of the ranks of one switch: "all ranks" would be a ring in the order of ranks."""
    ranks = rng.choice([3, 4, 5, 8, 12])
    text = draw.star(rng, ranks)
    control = rng.choice([c for c in draw.CONTROLS if c != "10"])  # PINT draws from the number of the host
    rows = [row for row in draw.network_settings(rng, text, control) if row[0] != "ERROR_RATE_PER_LINK"]
    groups = {}
    ops = draw.workload(rng, ranks, None, 1000, False, groups, [sorted(rng.sample(range(ranks), ranks - 1))])
    system = draw.system_settings(rng, None, ranks)
    system.pop("flow-order-seed", None)
    for key, names in system.items():
        if key.endswith("-implementation"):
            system[key] = ["ring" if name.startswith("nccl") else name for name in names]
    return {"topology": text, "network": rows + draw.outputs(rng)[:2], "system": system,
            "logical": None, "memory": None, "groups": groups, "options": ["--exact-events=0"], "reports": "flows", "ranks": ops}


def renamed(case, names):
    other = copy.deepcopy(case)
    nodes, switches, links = draw.topology_read(case["topology"])
    hosts = nodes - len(switches)
    if len(names) > hosts:
        return None
    names = names + list(range(len(names), hosts))
    other["topology"] = draw.topology_text(hosts, len(switches), [[names[a] if a < hosts else a] + rest for a, *rest in links])
    for row in other["network"]:
        if row[0] in ("LINK_DOWN", "LINK_UP"):
            at, a, b = row[1].split()
            row[1] = " ".join([at] + [str(names[int(w)] if int(w) < hosts else w) for w in (a, b)])
    other["groups"] = {key: [names[r] for r in members] for key, members in case["groups"].items()}
    for key in ("rank-start-delay", "rank-message-delay", "rank-compute-scale"):
        if key in other["system"]:
            other["system"][key] = {r if r == "*" else str(names[int(r)]): v for r, v in other["system"][key].items()}
    other["ranks"] = [None] * len(case["ranks"])
    for rank, ops in enumerate(copy.deepcopy(case["ranks"])):
        for op in ops:
            for key in ("comm_src", "comm_dst"):
                if key in op["attrs"]:
                    op["attrs"][key] = names[op["attrs"][key]]
        other["ranks"][names[rank]] = ops
    return other


def unused_case(rng, tool):
    while True:
        case = draw.case(rng, tool)
        if draw.topology_read(case["topology"]) and draw.topology_read(case["topology"])[1]:
            case["network"] = rows_set(case["network"], ("BUFFER_SIZE", "64"), ("HEADROOM_FACTOR", "1"))
            case["reports"] = "flows"
            # The link that fails would end the order of ns-3's event list, which excludes link events.
            case["options"] = [word for word in case["options"] if not word.startswith("--exact-events")] + ["--exact-events=0"]
            return case


def unused(case, what):
    other = copy.deepcopy(case)
    nodes, switches, links = draw.topology_read(case["topology"])
    hosts = nodes - len(switches)
    at = switches[what["at"] % len(switches)]
    if switches != list(range(hosts, nodes)):
        return None
    links = links + [[at, nodes, what["rate"], what["delay"], 0]]
    other["topology"] = draw.topology_text(hosts, len(switches) + 1, links)
    if what["down"]:
        other["network"].append(["LINK_DOWN", f"{what['down']}ns {at} {nodes}"])
    return other


def two_jobs(rng, tool):
    """Two trees of switches, joined by a link that no job uses, each with the hosts of a job."""
    first, second = rng.choice([2, 3, 4, 6]), rng.choice([2, 3, 4, 6])
    hosts, links, switches = first + second, [], 0
    for begin, end in ((0, first), (first, hosts)):
        part, own = draw.topology_read(draw.irregular(rng, end - begin))[1:]
        moved = {host: begin + host for host in range(end - begin)}
        moved.update({switch: hosts + switches + i for i, switch in enumerate(part)})
        links += [[moved[a], moved[b]] + rest for a, b, *rest in own]
        switches += len(part)
        rng.shuffle(links)
    links.append([hosts, hosts + switches - 1, "400Gbps", "500ns", 0])
    text = draw.topology_text(hosts, switches, links)
    rows = [row for row in draw.network_settings(rng, text) if row[0] not in ("LINK_DOWN", "LINK_UP")]
    groups = {}
    jobs = [list(range(first)), list(range(first, hosts))]
    ops = draw.workload(rng, hosts, None, 1000, False, groups, jobs)
    return {"topology": text, "network": rows + draw.outputs(rng)[:2], "system": draw.system_settings(rng, None, hosts), "logical": None,
            "memory": None, "groups": groups, "options": ["--exact-events=0"], "reports": "flows", "ranks": ops, "first": first}


def alone(case, second):
    """The case with the work of one job only."""
    keep = range(case["first"], len(case["ranks"])) if second else range(case["first"])
    return {**case, "ranks": [ops if rank in keep else [] for rank, ops in enumerate(case["ranks"])]}


# --- correspondence -----------------------------------------------------------------------------

def table(result, ranks=None, name=lambda r: r, time=lambda t: t):
    """Finish times and messages in a form that two runs can be compared in."""
    rows = [(name(int(row["rank"])), time(int(row["finish_ns"]))) for row in result.rows("ranks.csv")]
    flows = [(name(int(row["src"])), name(int(row["dst"])), int(row["sport"]), int(row["bytes"]), time(int(row["start_ns"])),
              time(int(row["end_ns"]))) for row in result.rows("flows.csv")]
    if ranks is not None:
        rows, flows = [row for row in rows if row[0] in ranks], [row for row in flows if row[0] in ranks]
    return sorted(rows), sorted(flows)


def correspond(name, one, other):
    if one == other:
        return
    for what, a, b in zip(("rank, finish ns", "src, dst, port, bytes, start, end"), one, other):
        for x, y in zip(a, b):
            if x != y:
                raise Failure(name, f"({what}) should be {x} and is {y}")
        if len(a) != len(b):
            raise Failure(name, f"{len(a)} and {len(b)} rows of ({what})")


def is_paused(result):
    numbers = result.summary()
    return numbers["drops"] or numbers["pfc_pauses"]


class Relation:
    """draw(rng, tool) gives a case, parameters(rng, case) what the change needs, change(case,
    parameters) the other case (None: not applicable), judge(case, parameters, one, other) raises."""

    def __init__(self, draw_case, parameters, change, judge):
        self.draw, self.parameters, self.change, self.judge = draw_case, parameters, change, judge

    def check(self, name, case, parameters, tools, folder):
        """Returns None, or the reason why this case says nothing."""
        other = self.change(case, parameters)
        if other is None:
            return "the change does not apply"
        results = []
        for part, data in (("one", case), ("other", other)):
            words = write(data, folder / part)
            if name == "zipped" and part == "other":
                for rank in range(len(case["ranks"])):
                    path = folder / part / f"w.{rank}.et"
                    (folder / part / f"w.{rank}.et.gz").write_bytes(gzip.compress(path.read_bytes()))
                    path.unlink()
            if name == "unwatched" and part == "other":
                words = [w for w in words if not w.startswith(("--out", "--reports"))]
            results.append(execute(tools, "default" if part == "one" else name, words + ([] if name == "unwatched" else FRAMES),
                                   folder / part / "run"))
        one, other = results
        if one.code and (other.code or name == "alone"):  # a job that stalls ends the run for the other one
            return "the run cannot go on"
        if one.code != other.code:
            raise Failure(name, f"exit codes {one.code} and {other.code}: {(one.said or other.said)[:300]}")
        return self.judge(name, parameters, one, other)


def judge_times(time):
    def judge(name, parameters, one, other):
        correspond(name, table(one, time=lambda t: time(t, parameters)), table(other))
    return judge


def without_identity(path, data):
    """The bytes of a file without the identity of its run, which names the inputs."""
    if path == "out/identity.json":
        return b""
    if path == "out/what_if.csv":
        return re.sub(rb",[0-9a-f]{32}$", b"", data, flags=re.M)
    return re.sub(rb'"identity": "[0-9a-f]+"', b"", data)


def judge_same_bytes(name, _, one, other):
    if one.out != other.out:
        raise Failure(name, "stdout differs")
    for path, data in other.files.items():
        # The configuration has TIME_BASE; networks of what_if.csv have rates whose times are no whole ns.
        if name == "ps" and path in ("out/network.json", "out/what_if.csv"):
            continue
        if without_identity(path, one.files.get(path, b"")) != without_identity(path, data):
            raise Failure(name, f"{path} differs")


def judge_renamed(name, names, one, other):
    correspond(name, table(one, name=lambda r: names[r] if r < len(names) else r), table(other))


def judge_unused(name, _, one, other):
    if is_paused(one) or is_paused(other):
        return "a pause or drop depends on the ports of a switch"
    return correspond(name, table(one), table(other))


def judge_alone(name, _, one, other):
    ranks = {int(row["rank"]) for row in other.rows("ranks.csv") if int(row["ops"])}
    correspond(name, table(one, ranks), table(other, ranks))


def listed_case(rng, tool):
    """Many messages on a tree of switches, most of them at one time."""
    ranks = rng.choice([2, 3, 5, 8, 12, 24, 40, 70])
    switches, rates, delays = rng.choice([1, 1, 2, 3, 6]), rng.sample(["40Gbps", "100Gbps", "200Gbps", "400Gbps"], 2), rng.sample(DELAYS, 2)
    if rng.random() < .6:
        rates, delays = rates[:1], delays[:1]
    pairs = [(ranks + s, ranks + rng.randrange(s)) for s in range(1, switches)] + [(h, ranks + rng.randrange(switches)) for h in range(ranks)]
    links = [(a, b, rng.choice(rates), rng.choice(delays), 0) for a, b in pairs]
    work = draw.Workload(rng, ranks, None, 0)
    starts = rng.choice([[0], [0, 1], [0, 1, 2]])
    sizes = rng.choice([[3000], [1000, 5000], [1, 999, 1001, 20000], [40000]])
    sends = [[rng.choice(starts), []] for _ in range(ranks)]
    for _ in range(min(4000 // ranks, rng.choice([1, 3, 8]))):
        shift = rng.randrange(1, ranks)
        for src in range(ranks):
            sends[src][1].append(((src + shift) % ranks if rng.random() < .7 else (src + rng.randrange(1, ranks)) % ranks, rng.choice(sizes)))
    for rank, (micros, to) in enumerate(sends):
        if micros:
            work.compute([rank], micros, False)
            work.ranks[rank][-1]["deps"] = []
        for dst, size in to:
            work.add(rank, "SEND", {"is_cpu_op": False, "comm_src": rank, "comm_dst": dst, "comm_tag": 0, "comm_size": size})
            work.ranks[rank][-1].update(deps=[work.ranks[rank][0]["id"]] if micros else [], ctrl=[])
            work.op += 1
    for rank, (_, to) in enumerate(sends):
        for dst, size in to:
            work.add(dst, "RECV", {"is_cpu_op": False, "comm_src": rank, "comm_dst": dst, "comm_tag": 0, "comm_size": size})
            work.ranks[dst][-1].update(deps=[], ctrl=[])
            work.op += 1
    has_window = rng.randrange(2)
    network = [["CC_MODE", "12"], ["ENABLE_QCN", "0"], ["HAS_WIN", str(has_window)], ["BUFFER_SIZE", "64"]]
    return {"topology": draw.topology_text(ranks, switches, links), "network": network, "system": {"endpoint-delay": 0, "concurrent-collectives": 100},
            "logical": None, "memory": None, "groups": {}, "options": [], "reports": "flows", "ranks": work.ranks,
            "sends": sends, "has_window": has_window}


class Emulated:
    """A case, and the same in one_list.py."""

    def __init__(self, draw_case):
        self.draw, self.parameters = draw_case, lambda rng, case: None

    def check(self, name, case, _, tools, folder):
        words = write(case, folder / "one")
        one = execute(tools, "default", words, folder / "one" / "run")
        if one.code:
            raise Failure(name, one.said[:300])
        nodes, switches, links = draw.topology_read(case["topology"])
        got = sorted((int(row["src"]), int(row["dst"]), int(row["bytes"]), int(row["start_ns"]), int(row["end_ns"]))
                     for row in one.rows("flows.csv"))
        if is_paused(one):
            return "a switch paused or dropped"
        want = one_list.simulate(nodes - len(switches), [(a, b, int(rate[:-4]) * 10**9, int(delay[:-2])) for a, b, rate, delay, _ in links],
                                 case["has_window"], [(micros * 1000, to) for micros, to in case["sends"]])
        for x, y in zip(want, got):
            if x != y:
                raise Failure(name, f"(src, dst, bytes, start, end) should be {x} and is {y}")
        if len(want) != len(got):
            raise Failure(name, f"{len(want)} and {len(got)} messages")
        return None


class FlowLevel:
    """A case of --model=flow with and without relays; rows of one ns are in any order."""

    def __init__(self, draw_case):
        self.draw, self.parameters = draw_case, lambda rng, case: rng.random() < .25

    def check(self, name, case, is_sanitized, tools, folder):
        words = [w for w in write(case, folder / "one") if not w.startswith(("--order", "--exact-events", "--model"))]
        way = "sanitize" if is_sanitized and not tools.why_not("sanitize") else "default"
        one, other = (execute(tools, way, [*words, "--model=flow", *more], folder / "one" / part)
                      for part, more in (("messages", ["--without=uniform-phase"]), ("rings", [])))
        if one.code != other.code:
            raise Failure(name, f"exit codes {one.code} and {other.code}: {(one.said or other.said)[:300]}")
        if one.code:
            return "the flow level refuses it, or the run cannot go on"
        for path in one.files.keys() | other.files.keys():
            a, b = (sorted(without_identity(path, x.files.get(path, b"")).splitlines()) for x in (one, other))
            if a != b:
                raise Failure(name, f"{path} differs")
        return None


def shuffled(rng, case):
    ranks = list(range(len(case["ranks"])))
    rates = {link[2] for link in draw.topology_read(case["topology"])[2]}
    order = rng.sample(ranks, len(ranks)) if len(rates) == 1 else [0] + rng.sample(ranks[1:], len(ranks) - 1)
    return order  # host 0 keeps its place where rates differ: its rate scales the shared buffer


RELATIONS = {
    "slower": Relation(exact_case, lambda rng, case: None, slower, judge_times(lambda t, _: 2 * t)),
    "ps": Relation(exact_case, lambda rng, case: None, in_ps, judge_same_bytes),
    "later": Relation(start_case, lambda rng, case: rng.choice([1, 999, 100000]), later, judge_times(lambda t, by: t + by)),
    "renamed": Relation(star_case, shuffled, renamed, judge_renamed),
    "unused": Relation(unused_case, lambda rng, case: {"at": rng.randrange(9), "rate": rng.choice(draw.RATES),
                                                       "delay": rng.choice(draw.DELAYS), "down": rng.choice([0, 1000, 30000])},
                       unused, judge_unused),
    "alone": Relation(two_jobs, lambda rng, case: rng.random() < .5, alone, judge_alone),
    "zipped": Relation(draw.case, lambda rng, case: None, lambda case, _: case, judge_same_bytes),
    "one_list": Emulated(listed_case),
    "flow_rings": FlowLevel(draw.case),
    "unwatched": Relation(draw.case, lambda rng, case: None, lambda case, _: case, judge_same_bytes),
}
