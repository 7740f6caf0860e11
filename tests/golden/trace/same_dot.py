# SPDX-License-Identifier: GPL-2.0-only
"""Compares two dot files as graphs: nodes with label and shape, edges with arrowhead. What
graphviz adds when it lays a graph out (positions, sizes) is not compared."""
import re
import sys


def parse(path):
    text = open(path, encoding="utf-8").read()
    nodes, edges = {}, []
    for match in re.finditer(r"(\d+)(?:\s*->\s*(\d+))?\s*\[((?:\"(?:[^\"\\]|\\.)*\"|[^\]\"])*)\]", text):
        source, target, body = match.groups()
        attrs = dict()
        for key, quoted, word in re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s\]]+))', body):
            attrs[key] = quoted or word
        if target is not None:
            edges.append((source, target, attrs.get("arrowhead")))
        elif "label" in attrs:
            nodes[source] = (attrs["label"], attrs.get("shape"), attrs.get("id"))
    return nodes, sorted(edges)


got, want = parse(sys.argv[1]), parse(sys.argv[2])
if got != want or not want[0]:
    print("got ", got)
    print("want", want)
    sys.exit(1)
