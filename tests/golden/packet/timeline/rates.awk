# Bytes under the counters of rates, over links out of hosts and into them, against flows.csv.
FNR == NR { if (FNR > 1) want += $4; next }
/^packet/ { t = track = name = value = "" }
/^  timestamp:/ { t = substr($0, index($0, ":") + 2) + 0 }
/^    (track_)?uuid:/ { track = $NF }
/^    name:/ { name = $0 }
/^    counter_value:/ { value = $NF + 0 }
/^}/ && name ~ /messages over host/ { way[track] = "out of" }
/^}/ && name ~ /messages over .* to host/ { way[track] = "into" }
/^}/ && value != "" && track in way {
    bytes[way[track]] += last[track] * (t - since[track]) / 8e9
    last[track] = value
    since[track] = t
}
END {
    for (track in last) bad += last[track] != 0
    for (w in bytes) off += (bytes[w] - want) ^ 2 > (want / 1e4) ^ 2
    print "bytes as in flows.csv:", length(bytes) == 2 && !off && !bad ? "yes" : "no"
}
