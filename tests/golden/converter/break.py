#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""break.py IN OUT EDIT: copies a JSON file with one thing broken.

EDIT is `cut N` (keep N per mille), `text OLD=>NEW` (first occurrence), or `N key=VALUE` /
`N key=` on the Nth (from 0) element of the file's array of nodes or events, dots going into
objects; VALUE is written as it stands, so it may be no JSON at all (NaN); nothing removes the key.
"""
import json
import sys

source, target, edit = sys.argv[1:]
text = open(source).read()
if edit.startswith("cut "):
    text = text[:len(text) * int(edit[4:]) // 1000]
elif edit.startswith("text "):
    old, new = edit[5:].split("=>")
    if old not in text:
        sys.exit("%s does not hold %s" % (source, old))
    text = text.replace(old, new, 1)
else:
    data = json.loads(text)
    number, change = edit.split(" ", 1)
    path, value = change.split("=", 1)
    array = data["traceEvents"] if "traceEvents" in data else data["nodes"]
    at = array[int(number)]
    *outer, key = path.split(".")
    for name in outer:
        at = at[name]
    if key not in at:
        sys.exit("element %s has no %s" % (number, path))
    if value:
        at[key] = "@@@"
    else:
        del at[key]
    text = json.dumps(data).replace('"@@@"', value)
open(target, "w").write(text)
