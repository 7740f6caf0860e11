# SPDX-License-Identifier: GPL-2.0-only
"""A packet network with one event list, as ns-3 keeps it, in plain Python: slow, and written from doc/model/rdma-network.md
alone. Simultaneous events run in the order in which they were added.

Hosts with one NIC on a tree of switches; messages that all begin at their ranks' first wake; no congestion control, no
marks, no pauses, no losses."""

import heapq
from collections import deque

PAYLOAD, HEADER, ACK = 1000, 36, 48


def ticks(size, bps):
    """Nearest ns, exact halves down."""
    return -((bps - 2 * 8 * 10**9 * size) // (2 * bps))


class Port:
    """One direction of a link, from the end `node`."""

    def __init__(self, node, peer, bps, delay):
        self.node, self.peer, self.bps, self.delay, self.busy, self.queue = node, peer, bps, delay, False, deque()


class Message:
    def __init__(self, src, dst, size, window, at):
        self.src, self.dst, self.size, self.window, self.start = src, dst, size, window, at
        self.sent = self.acked = self.expected = 0
        self.end = None


class Network:
    def __init__(self, hosts, links, has_window):
        self.hosts, self.has_window, self.now, self.added, self.list = hosts, has_window, 0, 0, []
        self.ports = {}  # node -> peer -> Port
        for a, b, bps, delay in links:
            self.ports.setdefault(a, {})[b] = Port(a, b, bps, delay)
            self.ports.setdefault(b, {})[a] = Port(b, a, bps, delay)
        self.acks = [deque() for _ in range(hosts)]
        self.queue_pairs, self.last = [[] for _ in range(hosts)], [0] * hosts
        self.next_hop = {node: {} for node in self.ports}
        for host in range(hosts):
            self.reach(host)

    def reach(self, host):
        """The way of every node to a host."""
        near = deque([host])
        while near:
            node = near.popleft()
            for peer in self.ports[node]:
                if peer != host and host not in self.next_hop[peer]:
                    self.next_hop[peer][host] = node
                    if peer >= self.hosts:
                        near.append(peer)

    def window(self, src, dst):
        """The bandwidth-delay product of the way, in bytes."""
        node, delay, transmission, slowest = src, 0, 0, None
        while node != dst:
            port = self.ports[node][self.next_hop[node][dst]]
            delay, transmission = delay + port.delay, transmission + 8 * 10**9 * PAYLOAD // port.bps
            slowest, node = min(port.bps, slowest or port.bps), port.peer
        return (2 * delay + transmission) * slowest // 10**9 // 8

    def add(self, at, what, *args):
        self.added += 1
        heapq.heappush(self.list, (at, self.added, what, args))

    def run(self):
        while self.list:
            self.now, _, what, args = heapq.heappop(self.list)
            what(*args)

    # --- hosts

    def wake(self, messages):
        for message in messages:
            self.add(self.now, self.begin, message, 0)

    def begin(self, message, stage):
        if not stage:
            self.add(self.now, self.begin, message, 1)
            return
        message.start = self.now
        self.queue_pairs[message.src].append(message)
        self.send(message.src)

    def send(self, host):
        port = next(iter(self.ports[host].values()))
        if port.busy:
            return
        if self.acks[host]:
            self.transmit(port, self.acks[host].popleft())
            return
        message = self.choose(host)
        if message:
            size = min(PAYLOAD, message.size - message.sent)
            message.sent += size
            self.transmit(port, ("data", message, message.sent - size, size + HEADER))

    def choose(self, host):
        """Round robin behind the last one; a scan drops the finished ones that it meets, and all others from the first of
        these on."""
        pairs, found, first = self.queue_pairs[host], None, None
        for i in range(1, len(pairs) + 1):
            place = (self.last[host] + i) % len(pairs)
            pair = pairs[place]
            if pair.sent < pair.size and (not self.has_window or pair.sent - pair.acked < pair.window):
                found = pair
                break
            if pair.acked >= pair.size:
                first = place if first is None else min(first, place)
        if first is not None:
            pairs[first:] = [pair for pair in pairs[first:] if pair.acked < pair.size]
        if found:
            self.last[host] = pairs.index(found)
        return found

    def take(self, host, frame):
        kind, message, offset, size = frame
        if kind == "data":
            message.expected = offset + size - HEADER
            self.acks[host].append(("ack", message, message.expected, ACK))
        else:
            message.acked = offset
            if message.acked >= message.size:
                message.end = self.now
        self.send(host)

    # --- links and switches

    def transmit(self, port, frame):
        port.busy = True
        took = ticks(frame[3], port.bps)
        self.add(self.now + took, self.free, port)
        self.add(self.now + took + port.delay, self.arrive, port.peer, frame)

    def free(self, port):
        port.busy = False
        if port.node < self.hosts:
            self.send(port.node)
        elif port.queue:
            self.transmit(port, port.queue.popleft())

    def arrive(self, node, frame):
        if node < self.hosts:
            self.take(node, frame)
            return
        to = frame[1].dst if frame[0] == "data" else frame[1].src
        port = self.ports[node][self.next_hop[node][to]]
        if port.busy:
            port.queue.append(frame)
        else:
            self.transmit(port, frame)


def simulate(hosts, links, has_window, sends):
    """links: (a, b, bits/s, ns); sends: of each rank (ns of its wake, [(destination, bytes)]).
    Returns (src, dst, bytes, start, end) of each message."""
    network, messages = Network(hosts, links, has_window), []
    for src, (at, to) in enumerate(sends):
        own = [Message(src, dst, size, network.window(src, dst), at) for dst, size in to]
        messages += own
        if at:
            network.add(at, network.wake, own)
        else:
            network.wake(own)
    network.run()
    return sorted((m.src, m.dst, m.size, m.start, m.end) for m in messages)
