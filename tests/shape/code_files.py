# SPDX-License-Identifier: GPL-2.0-only
"""What the checks of this folder share: the source files, what they include, their rooms, and circles."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IGNORED = {".git", ".ns3", "build", "__pycache__"}


def files_below(folders, suffixes):
    for folder in folders:
        for at, names, found in os.walk(ROOT / folder):
            names[:] = sorted(n for n in names if n not in IGNORED)
            for name in sorted(found):
                path = Path(at) / name
                if path.suffix in suffixes and not path.is_symlink():
                    yield path


def relative(path):
    return path.relative_to(ROOT).as_posix()


def include_target(path, name):
    """The file an include names, as the compiler would look for it; None for system headers."""
    for base in (path.parent, ROOT / "core", ROOT / "core/include", ROOT, ROOT / "converter",
                 ROOT / "ns3-module/model", ROOT / "ns3-module/helper"):
        target = base / name
        if target.is_file():
            return Path(os.path.normpath(target))
    return None


def includes_of(path):
    # The name in quotes is blanked by strip(); comments are not where includes stand.
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), flags=re.M):
        target = include_target(path, name)
        if target:
            yield target


def room_of(source):
    """core/<stage>/<room>, or the folder of a tool's file."""
    parts = source.split("/")[:-1]
    return "/".join(parts[:3] if parts[0] == "core" else parts[:2])


def components(graph):
    """Strongly connected components of two or more members (Tarjan, without recursion)."""
    number, low, stack, on, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in number:
            continue
        work = [(start, iter(sorted(graph[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on.add(start)
        while work:
            at, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in on:
                    low[at] = min(low[at], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    members = []
                    while True:
                        members.append(stack.pop())
                        on.discard(members[-1])
                        if members[-1] == at:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
    return found
