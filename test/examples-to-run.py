#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples that ns-3's ./test.py runs; it looks for this file here and nowhere else in a module.
# (program with its arguments, run it, run it under valgrind); it runs two folders below the tree
cpp_examples = [
    ("asim-first --workload=../../contrib/asim/examples/workloads/all_reduce_2r_1MiB/all_reduce", "True", "True"),
    ("asim-trace-sources --workload=../../contrib/asim/examples/workloads/all_reduce_2r_1MiB/all_reduce", "True", "True"),
]
python_examples = []
