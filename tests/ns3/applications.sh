# SPDX-License-Identifier: GPL-2.0-only
#
# Applications of ns-3 over the ports of RDMA, part of tests/ns3/run: a ping against its closed form,
# bytes of UDP and TCP that arrive once, an all-reduce that they slow down, FlowMonitor's XML.
enabled=$(sed -n 's/^NS3_ENABLED_MODULES:STRING=//p' "${NS3_HOME:-.ns3/ns-3}/cmake-cache/CMakeCache.txt" 2>/dev/null)
if [[ $enabled && $enabled != *flow-monitor* ]]; then
    t_skip ns3/applications "the ns-3 tree has not enabled the modules of asim-applications (ns3-module/README.md has the command)"
    return
fi
if ! ./ns3 build asim-applications >"$work/build" 2>&1; then
    tail -n 30 "$work/build"
    t_not_ok ns3/applications "asim-applications could not be built"
    return
fi
applications=$(find .ns3/ns-3/build ${NS3_HOME:+"$NS3_HOME/build"} -name '*asim-applications*' -type f -perm -u+x 2>/dev/null | head -n 1)
idle=(--workload=$sample --topology=auto:switch,rate=10Gbps)
finished() { sed -n 's/^RDMA: rank 0 finished at \([0-9]*\) ns$/\1/p' "$1"; }

# 84 bytes of IP over two links there and two back: 4 (69 ns + 500 ns).
"$applications" "${idle[@]}" --rate=0bps --bulk=0 --start=100ms >"$work/out" 2>"$work/err"
if grep -q '^ping 2276 ns$' "$work/out" && run "${idle[@]}" >"$work/alone" 2>/dev/null &&
    [[ $(finished "$work/out") == "$(finish "$work/alone" 0)" ]]; then
    t_ok ns3/applications_ping
else
    t_not_ok ns3/applications_ping "$(cat "$work/out" "$work/alone")"
fi

"$applications" "${idle[@]}" --rate=4Gbps --stop=5ms --xml="$work/flows.xml" >"$work/out" 2>"$work/err"
udp=$(sed -n 's/.* UDP .*, sent \([0-9]*\) packets.*/\1/p' "$work/out")
if [[ $udp && $(grep -c ', sent \([0-9]* packets ([0-9]* bytes)\), received .*, lost 0, ' "$work/out") -eq 3 ]] &&
    grep -q '^BulkSend: received 1000000 bytes$' "$work/out" && grep -q '<FlowMonitor>' "$work/flows.xml" &&
    [[ $(sed -n 's/^OnOff: received \([0-9]*\) bytes$/\1/p' "$work/out") -eq $((udp * 972)) ]] &&
    (($(finished "$work/out") > $(finish "$work/alone" 0))); then
    t_ok ns3/applications_share
else
    t_not_ok ns3/applications_share "$(cat "$work/out")"
fi
