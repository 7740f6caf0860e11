# Of a decoded timeline: spans of a track do not overlap except by nesting, each message has an
# arrow from its op and to its arrival, and the spans of ops are as long as in ops.csv.
FNR == NR { if (FNR > 1) want += $11 - $9; next }
/^packet/ { t = track = type = category = ""; flows = 0 }
/^  timestamp:/ { t = substr($0, index($0, ":") + 2) + 0 }
/^    track_uuid:/ { track = $0 }
/^    type:/ { type = $0; sub(/.*TYPE_/, "", type) }
/^    categories:/ { category = $0; gsub(/.*: |"/, "", category) }
/^    flow_ids:/ { began[$0]++; if (category == "message") messages++ }
/^    terminating_flow_ids:/ { ended++ }
/^}/ && type != "" {
    if (type == "SLICE_BEGIN") {
        if (t < last[track] || (depth[track] && category != "waiting")) bad++
        start[track, ++depth[track]] = t
        kind[track, depth[track]] = category
        spans++
    } else if (type == "SLICE_END") {
        if (!depth[track] || t < start[track, depth[track]]) bad++
        c = kind[track, depth[track]]
        if (c != "message" && c != "waiting" && c != "pause") got += t - start[track, depth[track]]
        depth[track]--
    }
    last[track] = t
}
END {
    for (track in depth) if (depth[track]) bad++
    for (flow in began) if (began[flow] != 2) bad++
    print spans + 0, "spans", bad + 0, "bad", messages + 0, "messages", ended + 0, "arrivals"
    m = got == want
    print "as long as in ops.csv:", m
}
