# SPDX-License-Identifier: GPL-2.0-only
"""Workloads whose bottleneck is known. Called with the folder to write to."""
import os
import sys

import et

os.chdir(sys.argv[1])


def sends(name, pairs, ranks, size):
    """One message of size bytes from a to b for each pair."""
    nodes = [[] for _ in range(ranks)]
    for tag, (a, b) in enumerate(pairs):
        nodes[a].append(dict(id=tag + 1, type="SEND", comm_src=a, comm_dst=b, comm_size=size, comm_tag=tag))
        nodes[b].append(dict(id=tag + 1, type="RECV", comm_src=a, comm_dst=b, comm_size=size, comm_tag=tag))
    et.write(name, nodes)


# Hosts 0 to 7 under one leaf send to hosts 8 to 15 under another; one spine is between.
sends("uplinks", [(h, h + 8) for h in range(8)], 16, 4 << 20)
# 10 x 200 us of computation, then 64 KiB.
et.write("compute", (4, lambda r: [n for i in range(10) for n in (
    et.comp(2 * i + 1, 200, [2 * i] if i else []), et.coll(2 * i + 2, "AR", 65536, [2 * i + 1]))]))
# Rank 2 computes three times as long as the others.
et.write("slow", (4, lambda r: [n for i in range(5) for n in (
    et.comp(2 * i + 1, 300 if r == 2 else 100, [2 * i] if i else []), et.coll(2 * i + 2, "AR", 65536, [2 * i + 1]))]))
# Hosts of two leaves send to host 0, without congestion control, through a small buffer.
sends("pfc", [(h, 0) for h in range(4, 12)] + [(h, h - 3) for h in range(4, 7)], 12, 4 << 20)
# Six hosts send to host 6, one pair beside them.
sends("incast", [(h, 6) for h in range(6)] + [(6, 0), (0, 1), (1, 2), (2, 3), (3, 4)], 8, 1 << 20)
# Four hosts send to host 8 at first; DCQCN cuts their rates, which then hardly rise.
sends("control", [(h, 8) for h in range(4)], 16, 1 << 20)
# GPUs of one server send over NVLink, and one to the other server over its NIC.
sends("servers", [(0, 1), (2, 1), (0, 8)], 16, 4 << 20)
# Hosts with two ports, of which a queue pair takes one: what switches spray does not help.
sends("ports", [(h, h + 8) for h in range(8)], 16, 4 << 20)
# 1 KiB all-reduces, one after the other.
et.write("latency", (8, lambda r: [et.coll(i + 1, "AR", 1024, [i] if i else []) for i in range(10)]))
# 1 MiB over links that lose one frame of 1,000.
et.write("lossy", (4, lambda r: [et.coll(1, "AR", 1 << 20)]))
# Rank 1 waits for a message that rank 0 sends under another tag.
et.write("stalled", [[et.comp(1, 5), dict(id=2, type="SEND", deps=[1], comm_src=0, comm_dst=1, comm_size=1000, comm_tag=1)],
                     [dict(id=1, type="RECV", comm_src=0, comm_dst=1, comm_size=1000, comm_tag=9)]])
# Names that would end an element or a script.
et.write("hostile", (2, lambda r: [
    et.comp(1, 5, name="</script><script>alert(1)</script>"),
    et.coll(2, "AR", 4096, [1], name="a\"b'c&amp;<img src=x onerror=alert(2)>\u202egpj")]))
