#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Examples that ns-3's test.py runs: name with arguments, condition, condition under valgrind. test.py
# looks for this file in this folder and starts the examples two folders below the ns-3 tree.

cpp_examples = [
    ("asim-first --workload=../../contrib/asim/examples/workloads/all_reduce_2r_1MiB/all_reduce", "True", "True"),
    ("asim-sends", "True", "True"),
    ("asim-sends --hosts=3 --pcap=asim-sends", "True", "False"),
    ("asim-trace-sources --workload=../../contrib/asim/examples/workloads/all_reduce_2r_1MiB/all_reduce", "True", "False"),
]

python_examples = []
