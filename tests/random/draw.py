# SPDX-License-Identifier: GPL-2.0-only
"""Draws a case: a network, its settings, the ranks' settings and their traces.

A case is plain data (run.py writes it as JSON):

  topology  text of the topology file, ranks <= hosts
  network   rows of config.txt, [key, text]
  system    the system JSON
  logical   sizes of the logical dimensions, or None
  memory    the remote memory JSON, or None
  groups    communicator groups, {id: ranks in the file's order}
  options   further options of the command line
  ranks     the ops of each rank; "op" numbers what belongs together on several ranks

An op waits for earlier ones only, and all ranks name what they do together in one order, so almost
all cases run to their end. A run that cannot go on is a result as good: each way must say the same.
"""

import subprocess

RATES = ["10Gbps", "25Gbps", "40Gbps", "100Gbps", "200Gbps", "400Gbps", "800Gbps", "2400Gbps"]
DELAYS = ["25ns", "100ns", "300ns", "500ns", "700ns", "1us", "2us", "5us"]
CONTROLS = ["12", "1", "3", "7", "8", "10", "swift"]
MTUS = [1000, 1000, 1000, 1000, 256, 1500, 4096, 9000, 500]
KINDS = {  # collective: the algorithms that run it
    "ALL_REDUCE": ["ring", "ring", "direct", "direct2", "halvingDoubling", "doubleBinaryTree", "bruck",
                   "ncclRing", "ncclTree", "ncclAuto"],
    "ALL_GATHER": ["ring", "ring", "direct", "direct3", "halvingDoubling", "bruck", "ncclRing"],
    "REDUCE_SCATTER": ["ring", "ring", "direct", "direct1", "halvingDoubling", "bruck", "ncclRing"],
    "ALL_TO_ALL": ["ring", "direct", "direct", "direct2", "ncclDirect"],
    "BROADCAST": ["binomialTree", "replay"],
    "REDUCE": ["binomialTree"],
    "GATHER": ["binomialTree"],
    "SCATTER": ["binomialTree"],
    "BARRIER": ["dissemination"],
}
FREQUENT = ["ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER", "ALL_TO_ALL"]


# --- networks -----------------------------------------------------------------------------------

def topology_text(hosts, switches, links):
    """The flavour of ASTRA-sim; links are (a, b, rate, delay, error rate)."""
    ids = " ".join(str(hosts + i) for i in range(switches))
    rows = "".join(f"{a} {b} {rate} {delay} {error}\n" for a, b, rate, delay, error in links)
    return f"{hosts + switches} {switches} {len(links)}\n{ids}\n{rows}"


def topology_read(text):
    """(nodes, switch ids, links) of a text in ASTRA-sim's flavour, None for another flavour."""
    head, rest = text.split("\n", 1)
    if len(head.split()) != 3:
        return None
    nodes, switches, _ = map(int, head.split())
    words = rest.split()
    rows = [words[i:i + 5] for i in range(switches, len(words), 5)]
    return nodes, [int(word) for word in words[:switches]], [[int(row[0]), int(row[1])] + row[2:] for row in rows]


def some(rng, values, equal):
    """A function that draws from values: always the same one where `equal`."""
    one = rng.choice(values)
    return (lambda: one) if equal else (lambda: rng.choice(values))


def star(rng, hosts, rates=RATES, delays=DELAYS):
    rate, delay = some(rng, rates, rng.random() < .6), some(rng, delays, rng.random() < .6)
    return topology_text(hosts, 1, [(h, hosts, rate(), delay(), 0) for h in range(hosts)])


def irregular(rng, hosts, rates=RATES, delays=DELAYS):
    """A tree of switches with further links, some of them parallel; hosts with one to three NICs."""
    switches = rng.choice([1, 2, 2, 3, 3, 4, 5, 7])
    rate, delay = some(rng, rates, rng.random() < .5), some(rng, delays, rng.random() < .5)
    error = (lambda: rng.choice([0, 0, 0, 0.001, 0.01])) if rng.random() < .08 else (lambda: 0)
    pairs = [(hosts + s, hosts + rng.randrange(s)) for s in range(1, switches)]
    for _ in range(rng.choice([0, 0, 1, 2, 4, 8]) if switches > 1 else 0):
        pairs.append(tuple(hosts + s for s in rng.sample(range(switches), 2)))
    several = rng.random() < .3
    for host in range(hosts):
        for _ in range(rng.choice([1, 1, 2, 3]) if several else 1):
            pairs.append((host, hosts + rng.randrange(switches)))
    if rng.random() < .5:
        rng.shuffle(pairs)
    return topology_text(hosts, switches, [(a, b, rate(), delay(), error()) for a, b in pairs])


SERVERS = ["rail", "Spectrum-X", "AlibabaHPN", "nvl"]


def made(rng, tool, ranks, gps=None):
    """A network of one of the makers; with `gps` one of servers of so many hosts."""
    rate, delay = rng.choice(RATES[2:]), rng.choice(DELAYS)
    words = ["--bw", rate, "--l", delay]
    name = rng.choice(["leaf_spine", "leaf_spine", "fat_tree", "dragonfly", "ring", "mesh", "torus",
                       "fully_connected", "rail", "Spectrum-X", "AlibabaHPN", "DCN+", "nvl", "switch"] if not gps else SERVERS)
    if name == "leaf_spine":
        words += ["--g", ranks, "--npa", rng.randint(1, 4), "--psn", rng.randint(1, 4), "--apbw", rng.choice([rate, "100Gbps"])]
    elif name in ("ring", "mesh", "torus"):
        words += ["--g", ranks]
        if name != "ring":
            words = words[:4] + ["--dims", rng.choice(["2x2", "3x2", "2x4", "2x2x2", "3x3"])]
    elif name in ("rail", "Spectrum-X", "AlibabaHPN", "DCN+", "nvl"):
        gps = gps or rng.choice([2, 4])
        words += ["--g", (ranks + gps - 1) // gps * gps, "--gps", gps, "--psn", rng.choice([1, 2, 4]), "--nsps", rng.choice([1, 1, 2])]
        words += ["--tray", gps] if name == "nvl" else ["--npa", rng.choice([2, 4, 8])]
    else:
        words += ["--g", ranks]
    made_text = subprocess.run([tool, "topo", "make", name, "-q", "-o", "-"] + [str(w) for w in words],
                               capture_output=True, text=True, timeout=20)
    return made_text.stdout if made_text.returncode == 0 and made_text.stdout else None


def hosts_of(text):
    head = text.split("\n", 1)[0].split()
    return int(head[0]) - (int(head[2]) + int(head[3]) if len(head) > 3 else int(head[1]))


# --- settings of the network --------------------------------------------------------------------

def network_settings(rng, text, control=None):
    """Rows of config.txt. Half of the cases stay near the defaults, so that fast paths have work."""
    rows = []
    wild = rng.random() < .5

    def maybe(chance, key, values):
        if rng.random() < chance * (1 if wild else .25):
            rows.append([key, str(rng.choice(values))])

    control = control or (rng.choice(CONTROLS) if rng.random() < .6 else "12")
    rows.append(["CC" if control == "swift" else "CC_MODE", control])
    maybe(.5, "PACKET_PAYLOAD_SIZE", MTUS)
    maybe(.3, "L2_CHUNK_SIZE", [0, 1000, 4000, 9000, 64000])
    maybe(.4, "L2_ACK_INTERVAL", [1, 1000, 2000, 4000, 16000, 1 << 20])
    maybe(.15, "L2_BACK_TO_ZERO", [1])
    maybe(.4, "HAS_WIN", [0])
    maybe(.3, "GLOBAL_T", [1])
    maybe(.3, "VAR_WIN", [0])
    maybe(.15, "RATE_BOUND", [0])
    maybe(.2, "ENABLE_QCN", [0])
    maybe(.2, "ACK_HIGH_PRIO", [1])
    maybe(.2, "SWITCH_ACK_HIGH_PRIO", [1])
    maybe(.6, "BUFFER_SIZE", ["16", "4", "1", "300KB", "200KB", "100KB", "1B"])
    maybe(.15, "HEADROOM_FACTOR", [0, 1, 2, 6])
    maybe(.15, "PRIORITY_GROUP", [1, 2, 5, 7])
    maybe(.1, "FRAME_EXTRA_BYTES", [1, 8, 32])
    maybe(.3, "TIME_BASE", ["ps"])
    maybe(.15, "LOAD_BALANCE", ["spray"])
    maybe(.08, "NIC_TOTAL_PAUSE_TIME", [1, 3])
    maybe(.1, "PAUSE_TIME", ["0", "1", "5us"])
    maybe(.3, "MIN_RATE", ["1Gb/s", "100Mb/s"])
    maybe(.3, "RATE_AI", ["500Mb/s", "50Mb/s"])
    if control == "1":
        maybe(.7, "RP_TIMER", [5, 20, 50, 300])
        maybe(.5, "RATE_DECREASE_INTERVAL", [1, 2, 4, 10])
        maybe(.3, "ALPHA_RESUME_INTERVAL", [1, 5, 55])
        maybe(.3, "CLAMP_TARGET_RATE", [1])
        maybe(.3, "FAST_RECOVERY_TIMES", [1, 5])
        maybe(.3, "EWMA_GAIN", ["0.0625", "0.00390625", "0.5"])
    if control in ("3", "10"):
        maybe(.3, "MI_THRESH", [0, 5])
        maybe(.3, "MULTI_RATE", [1])
        maybe(.2, "SAMPLE_FEEDBACK", [1])
        maybe(.3, "FAST_REACT", [0])
        maybe(.2, "INT_MULTI", [1, 2, 16])
        maybe(.3, "U_TARGET", ["0.5", "0.95"])
        maybe(.3, "PINT_PROB", ["0.1", "1.0"])
    if control == "swift":
        maybe(.3, "SWIFT_TARGET", ["3us", "20us"])
        maybe(.3, "SWIFT_AI", ["0.5", "4"])
    if rng.random() < .35 * (1.5 if wild else .5):
        low = rng.choice([0, 2, 5, 20])
        high = low + rng.choice([0, 1, 10, 100])
        pmax = rng.choice(["0.01", "0.2", "1"])
        used = sorted({word for word in text.split() if word.endswith("Gbps")})
        for key, value in (("KMIN_MAP", low), ("KMAX_MAP", high), ("PMAX_MAP", pmax)):
            rows.append([key, f"{len(used)} " + " ".join(f"{rate} {value}" for rate in used)])
    losses(rng, text, rows, wild)
    maybe(.3, "QPS_PER_CONNECTION", [1, 1, 2, 3])
    return rows


def losses(rng, text, rows, wild):
    parsed = topology_read(text)
    lossy = rng.random() < (.12 if wild else .04)
    if lossy:
        rows.append(["ERROR_RATE_PER_LINK", rng.choice(["0.0001", "0.001", "0.01", "0.05"])])
    if rng.random() < (.15 if wild else .04) and parsed and parsed[2]:
        for _ in range(rng.choice([1, 1, 2, 4])):
            a, b = rng.choice(parsed[2])[:2]
            at = rng.choice([1, 3, 10, 20, 50, 200]) * 1000 + rng.choice([0, 0, 1, 517])
            rows.append(["LINK_DOWN", f"{at}ns {a} {b}"])
            if rng.random() < .9:
                rows.append(["LINK_UP", f"{at + rng.choice([1, 500, 2000, 40000, 300000])}ns {a} {b}"])
    rows.append(["RTO", rng.choice(["20us", "50us", "100us", "400us"])])
    rows.append(["RTO_RETRIES", rng.choice(["4", "16"])])
    if rng.random() < .3:
        rows.append(["NACK_INTERVAL", rng.choice(["1us", "20us", "500us"])])
    if rng.random() < .3:
        rows.append(["LOSS_RECOVERY", "selective_repeat"])


# --- settings of the ranks ----------------------------------------------------------------------

def algorithm(rng, kind, more):
    name = rng.choice(KINDS[kind])
    if more and name in ("ring", "direct", "halvingDoubling") and rng.random() < .1:
        name = "one" + name[0].upper() + name[1:]
    return name


def system_settings(rng, dims, ranks):
    system = {"preferred-dataset-splits": rng.choice([1, 1, 2, 3, 4, 4, 8]),
              "endpoint-delay": rng.choice([10, 10, 0, 1, 100, 2000])}
    for kind in KINDS:
        names = []
        for _ in range(rng.randint(1, len(dims)) if dims else 1):
            names.append(algorithm(rng, kind, True))
            if names[-1].startswith("one"):
                break
        if any(n in ("replay",) or n.startswith("nccl") for n in names):
            names = [rng.choice([n for n in names if n == "replay" or n.startswith("nccl")])]
        system[kind.lower().replace("_", "-") + "-implementation"] = names

    def maybe(chance, key, values):
        if rng.random() < chance:
            system[key] = rng.choice(values)

    maybe(.5, "scheduling-policy", ["LIFO", "FIFO", "EXPLICIT"])
    maybe(.5, "collective-optimization", ["baseline", "localBWAware"])
    maybe(.4, "active-chunks-per-dimension", [1, 2, 3, 8])
    maybe(.6, "local-mem-bw", [0, 50, 100, 1600])
    maybe(.25, "concurrent-collectives", [2, 3])
    maybe(.15, "concurrent-computes", [2])
    maybe(.1, "inter-dimension-scheduling", ["roundRobin", "onlineGreedy", "offlineGreedy", "offlineGreedyFlex"])
    maybe(.1, "intra-dimension-scheduling", ["RG", "smallestFirst", "lessRemainingPhaseFirst"])
    maybe(.1, "flow-order-seed", [1, 7])
    maybe(.2, "trace-enabled", [1])
    maybe(.03, "replay-only", [1])
    if rng.random() < .08:
        system.update({"model-shared-bus": 1, "L": 5, "o": 2, "g": 3, "G": 0.01})
    for key, values in (("rank-start-delay", [1, 500, 20000]), ("rank-message-delay", [1, 77, 1000]),
                        ("rank-compute-scale", [0.5, 1.5, 3])):
        if rng.random() < .12 and not (key == "rank-message-delay" and "model-shared-bus" in system):
            system[key] = {str(rng.randrange(ranks)): rng.choice(values)}
            if rng.random() < .3:
                system[key]["*"] = rng.choice(values)
    return system


def memory_settings(rng, ranks):
    kind = rng.choice(["PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"])
    memory = {"memory-type": kind, "remote-mem-latency": rng.choice([0, 100, 2000]),
              "remote-mem-bw": rng.choice([1, 50, 400])}
    if kind.startswith("PER_NODE"):
        memory["num-npus-per-node"] = rng.choice([1, 2, 4])
        memory["num-nodes"] = -(-ranks // memory["num-npus-per-node"])
    return memory


def dimensions(rng, ranks):
    if rng.random() < .75:
        return None
    dims = []
    while ranks > 1:
        factors = [d for d in range(2, ranks + 1) if ranks % d == 0]
        dims.append(rng.choice(factors))
        ranks //= dims[-1]
    return dims or None


# --- traces -------------------------------------------------------------------------------------

class Workload:
    """Ops of all ranks, in one order."""

    def __init__(self, rng, ranks, dims, chain):
        self.rng, self.dims, self.chain = rng, dims, chain
        self.ranks = [[] for _ in range(ranks)]
        self.last_coll = [None] * ranks
        self.op = 0

    def add(self, rank, kind, attrs, micros=0):
        ops = self.ranks[rank]
        op = {"op": self.op, "id": self.op, "name": f"{kind.lower()}_{self.op}", "type": kind, "attrs": attrs, "deps": [],
              "ctrl": [], "micros": micros}
        if ops and self.rng.random() < self.chain:
            op["deps"].append(ops[-1]["id"])
        elif ops and self.rng.random() < .4:
            op["ctrl" if self.rng.random() < .3 else "deps"].append(self.rng.choice(ops)["id"])
        if kind == "COLL":
            before = self.last_coll[rank]
            if before is not None and before not in op["deps"] and self.rng.random() < .97:
                op["deps"].append(before)
            self.last_coll[rank] = op["id"]
        ops.append(op)

    def collective(self, kind, size, members, group, priority, sizes=None):
        from chakra import COLLECTIVES
        involved = [self.rng.random() < .7 for _ in self.dims] if self.dims and self.rng.random() < .2 else None
        if involved and not any(involved):
            involved[0] = True
        for place, rank in enumerate(members):
            attrs = {"is_cpu_op": False, "comm_type": COLLECTIVES.index(kind), "comm_size": size}
            if group is not None:
                attrs["pg_name"] = group
            if priority is not None:
                attrs["comm_priority"] = priority
            if sizes:
                attrs["comm_sizes"] = sizes[place]
            if involved and group is None:
                attrs["involved_dim"] = involved
            self.add(rank, "COLL", attrs, micros=3)
        self.op += 1

    def message(self, source, destination, size, parts):
        tag = self.rng.choice([0, 0, 1, self.op])
        ends = {"is_cpu_op": False, "comm_src": source, "comm_dst": destination, "comm_tag": tag}
        self.add(source, "SEND", {**ends, "comm_size": size}, micros=2)
        for part in parts:
            self.add(destination, "RECV", {**ends, "comm_size": part}, micros=2)
            self.op += 1 if part != parts[-1] else 0
        self.op += 1

    def compute(self, ranks, micros, cpu):
        for rank in ranks:
            self.add(rank, "COMP", {"is_cpu_op": cpu, "num_ops": 1000, "tensor_size": 4096}, micros=micros)
        self.op += 1

    def memory(self, rank, size):
        self.add(rank, self.rng.choice(["MEM_LOAD", "MEM_STORE"]), {"is_cpu_op": False, "tensor_size": size})
        self.op += 1

    def metadata(self, rank):
        self.add(rank, "METADATA", {"is_cpu_op": False})
        self.op += 1


def spoiled_size(rng, size):
    """Near the size drawn, at times where rounding shows."""
    return max(0, rng.choice([size, size, size, size + 1, size - 1, size | 1, 0 if rng.random() < .1 else size,
                              rng.choice([1, 2, 3, 7, 100, 999, 1000, 1001])]))


class Job:
    """Ranks that work together, and what they may do: a pattern of steps that comes several times."""

    def __init__(self, rng, members, groups, everyone, mem):
        self.rng, self.members, self.mem = rng, members, mem
        self.circles = [(members, None)] if everyone else []
        for _ in range(rng.choice([0, 1, 2, 3]) if everyone else rng.choice([1, 1, 2, 3])):
            if len(members) < 2:
                break
            some_of = rng.sample(members, rng.randint(2, len(members)))
            if rng.random() < .6:
                some_of.sort()
            name = str(len(groups) + 1)
            groups[name] = some_of
            self.circles.append((some_of, name))

    def steps(self, count):
        return [self.step() for _ in range(count)]

    def step(self):
        rng, draw = self.rng, self.rng.random()
        if draw < .5 and self.circles:
            members, group = rng.choice(self.circles)
            kind = rng.choice(FREQUENT) if rng.random() < .85 else rng.choice(list(KINDS))
            sized = kind == "ALL_TO_ALL" and rng.random() < .3
            priority = rng.choice([None, None, 0, 1, 5])
            return ["coll", kind, members, group, priority, sized]
        if draw < .75 and len(self.members) > 1:
            return ["message", rng.sample(self.members, 2), rng.random() < .1]
        if draw < .9 or not self.mem:
            return ["compute", rng.choice([self.members, [rng.choice(self.members)]]), rng.choice([0, 1, 3, 20]),
                    rng.random() < .2]
        return rng.choice([["memory", rng.choice(self.members)], ["metadata", rng.choice(self.members)]])


def run_step(work, step, packets, mtu):
    rng = work.rng
    if step[0] == "coll":
        _, kind, members, group, priority, sized = step
        n = len(members)
        size = packets * mtu // (n * n if kind in ("ALL_GATHER", "GATHER") else 2 * n)
        size = 0 if kind == "BARRIER" else max(1, spoiled_size(rng, size))
        sizes = None
        if sized:
            sizes = [[rng.choice([0, 1, size // n + 1, size]) for _ in members] for _ in members]
        work.collective(kind, size, members, group, priority, sizes)
    elif step[0] == "message":
        size = max(1, spoiled_size(rng, packets * mtu))
        cut = size // 3
        work.message(*step[1], size, [cut, size - cut] if step[2] and cut else [size])
    elif step[0] == "compute":
        work.compute(*step[1:])
    elif step[0] == "memory":
        work.memory(step[1], rng.choice([1, 4096, 1000000]))
    else:
        work.metadata(step[1])


def workload(rng, ranks, dims, mtu, mem, groups, jobs=None, alike=False):
    """Traces of one job of all ranks, or of several of some. `jobs`: their ranks; `alike`: the jobs draw the same steps."""
    work = Workload(rng, ranks, dims, rng.choice([1, .95, .7, .3]))
    order = rng.sample(range(ranks), ranks)
    given = jobs is not None
    if not given:
        cut = rng.randint(1, ranks - 1) if ranks > 3 and rng.random() < .2 else 0
        jobs = [sorted(order[:cut]), sorted(order[cut:])] if cut else [list(range(ranks))]
    made_jobs = [Job(rng, members, groups, not given and len(jobs) == 1, mem) for members in jobs]
    drawn, steps = rng.getstate(), []
    for job in made_jobs:
        if alike:
            rng.setstate(drawn)
        steps.append(job.steps(rng.choice([1, 1, 2, 3, 5])))
    times = rng.choice([1, 1, 2, 3, 5, 8])
    budget = int(10 ** rng.uniform(1.5, 4.4))
    share = max(1, budget // (times * sum(len(s) for s in steps)))
    state = rng.getstate() if rng.random() < .7 else None
    for _ in range(times):
        if state:  # the same sizes again, so that episodes come again
            rng.setstate(state)
        order = [(n, step) for n, job in enumerate(steps) for step in job]
        if len(jobs) > 1:
            rng.shuffle(order)
        sizes = [rng.getstate()] * len(steps)
        for n, step in order:
            if alike:
                rng.setstate(sizes[n])
            run_step(work, step, share, mtu)
            sizes[n] = rng.getstate()
    return work.ranks


# --- cases --------------------------------------------------------------------------------------

def setting(rows, key, default):
    return next((text for name, text in rows if name == key), default)


def outputs(rng):
    rows = [["FCT_OUTPUT_FILE", "fct.txt"], ["PFC_OUTPUT_FILE", "pfc.txt"]]
    if rng.random() < .2:
        rows += [["QLEN_MON_FILE", "qlen.txt"], ["QLEN_MON_START", rng.choice(["0", "5000"])]]
    return rows


def case(rng, tool):
    ranks = rng.choice([2, 2, 3, 4, 4, 5, 6, 8, 8, 9, 12, 16, 24])
    text, gps = None, None
    shape = rng.random()
    if rng.random() < .2:  # servers that all do the same, each with its own switch
        gps, ranks = rng.choice([2, 3, 4]), rng.choice([4, 6, 8, 12, 16])
        ranks -= ranks % gps
        text = made(rng, tool, ranks, gps)
    elif shape < .4:
        text = made(rng, tool, ranks)
    if not text:
        text = star(rng, ranks) if shape > .75 else irregular(rng, ranks)
    ranks = min(ranks, hosts_of(text))
    if rng.random() < .1 and ranks > 2:
        ranks -= 1  # hosts without ranks
    dims = dimensions(rng, ranks)
    rows = network_settings(rng, text)
    memory = memory_settings(rng, ranks) if rng.random() < .15 else None
    groups = {}
    jobs = [list(range(r, min(r + gps, ranks))) for r in range(0, ranks, gps)] if gps else None
    ops = workload(rng, ranks, dims, int(setting(rows, "PACKET_PAYLOAD_SIZE", 1000)), memory is not None, groups, jobs,
                   rng.random() < .8)
    options = []
    if rng.random() < .15:
        options.append(f"--num-queues-per-dim={rng.choice([2, 3, 4])}")
    if rng.random() < .08:
        options.append("--rendezvous-protocol=1")
    if rng.random() < .3:
        options.append(f"--seed={rng.randrange(1000)}")
    if rng.random() < .05:
        options.append("--injection-scale=2.5")
    options += ["--order=exact", f"--exact-events={rng.choice([0, 0, 0, 200, 3000, 300000])}"]
    reports = rng.choice(["flows,links"] * 4 + ["all", "flows,links,rates", "flows"])
    return {"topology": text, "network": rows + outputs(rng), "system": system_settings(rng, dims, ranks), "logical": dims,
            "memory": memory, "groups": groups, "options": options, "reports": reports, "ranks": ops}
