# SPDX-License-Identifier: GPL-2.0-only
#
# One run in several processes, part of tests/ns3/run: the same bytes as in one, for rings and
# all-to-all, with losses, links that fail, every congestion control, and threads; and what is said
# where it cannot be. Both in windows and, in each process, event by event.
eight=topologies/8_nodes_2_leaves_4_spines_topology.txt
"$ASIM_TOOL" trace generate --out="$work/ring" --ranks=8 --type=all_reduce --size=256KiB >/dev/null
"$ASIM_TOOL" trace generate --out="$work/all" --ranks=8 --type=all_to_all --size=256KiB >/dev/null

for n in 1 2 3 4; do
    alike "ns3/mpi_ring_$n" '' "--mpi=$n" --workload="$work/ring" --topology=$eight
done
# W = 0 inside each process, against windows in one; --slow: each workload in each number of processes.
for n in 1 2 3 4; do
    workloads=(ring all)
    [[ ${ASIM_SLOW:-} ]] || workloads=("${workloads[n % 2]}")
    for what in "${workloads[@]}"; do
        alike "ns3/mpi_events_${what}_$n" --per-event=1 "--mpi=$n" --workload="$work/$what" --topology=$eight
    done
done
alike ns3/mpi_template '' "--command-template=mpiexec -np 2 %s" --workload="$work/ring" --topology=$eight
alike ns3/mpi_threads --threads=2 --mpi=2 --workload="$work/all" --topology=$eight
alike ns3/threads --threads=2 '' --workload="$work/all" --topology=$eight
# More threads than there are hosts to deal: as many processes as without them.
"$ASIM_TOOL" trace generate --out="$work/four" --ranks=4 --type=all_reduce --size=64KiB >/dev/null
alike ns3/mpi_threads_few --threads=2 --mpi=4 --workload="$work/four" --topology=auto:switch
# Two jobs of a scenario on the same leaves.
printf '{"jobs": [{"workload": "%s", "placement": "spread"}, {"workload": "%s", "placement": "spread", "start": "5us"}]}' \
    "$work/ring" "$work/all" >"$work/jobs.json"
for n in 2 4; do
    alike "ns3/mpi_scenario_$n" '' "--mpi=$n" --scenario="$work/jobs.json" --topology=auto:leaf_spine,gpus=64,leaves=8,psn=2
done
# One switch is the first process's, with the others' cores.
alike ns3/mpi_one_switch '' --mpi=3 --workload="$work/all" --topology=auto:switch
if grep -q 'one switch stays in one process.* the first of 3 runs it, threads: [1-9]' "$work/err2"; then
    t_ok ns3/mpi_one_switch_note
else
    t_not_ok ns3/mpi_one_switch_note "it says $(head -n 3 "$work/err2")"
fi
# So is a run of few events, which keeps ns-3's order of simultaneous events.
if ./ns3 run AstraSimNetwork --mpi=2 --oversubscribe -- --workload="$work/all" --topology=$eight >"$work/b" 2>"$work/err2" &&
    run --workload="$work/all" --topology=$eight >"$work/a" 2>/dev/null && cmp "$work/a" "$work/b" &&
    grep -q "keeps ns-3's order.* the first of 2 runs it" "$work/err2"; then
    t_ok ns3/mpi_exact_events
else
    t_not_ok ns3/mpi_exact_events "$(head -n 3 "$work/err2")"
fi
# With runs, which the reports that alike asks for leave out.
ring=(--workload="$work/ring" --topology=auto:switch)
if run "${ring[@]}" >"$work/a" && ./ns3 run AstraSimNetwork --mpi=2 --oversubscribe -- "${ring[@]}" >"$work/b" 2>"$work/err2" &&
    cmp "$work/a" "$work/b"; then
    t_ok ns3/mpi_one_switch_runs
else
    t_not_ok ns3/mpi_one_switch_runs "$(head -n 3 "$work/err2")"
fi
alike ns3/mpi_one_switch_events --per-event=1 --mpi=2 --workload="$work/all" --topology=auto:switch
alike ns3/mpi_one_switch_memory '' --mpi=2 --workload="$work/all" --topology=auto:switch --memory=configs/memory/pool.json

# Settings beside the defaults, as key and value.
config() {
    printf '%s\n' "$@" "FCT_OUTPUT_FILE $work/net/fct.txt" "PFC_OUTPUT_FILE $work/net/pfc.txt" >"$work/config.txt"
    echo "--network=$work/config.txt"
}

# By turns in windows and event by event; --slow: both.
for cc in 1 3 7 8 10 12; do
    ways=('' --per-event=1)
    [[ ${ASIM_SLOW:-} ]] || ways=("${ways[cc / 2 % 2]}")
    for way in "${ways[@]}"; do
        alike "ns3/mpi${way:+_events}_cc_$cc" "$way" "--mpi=$((2 + cc % 3))" --workload="$work/all" \
            --topology=$eight "$(config "CC_MODE $cc" 'KMAX_MAP 1 400000000000 400' \
                'KMIN_MAP 1 400000000000 20' 'PMAX_MAP 1 400000000000 0.2')"
    done
done
alike ns3/mpi_events_cc_swift --per-event=1 --mpi=4 --workload="$work/all" --topology=$eight "$(config 'CC swift')"
alike ns3/mpi_cc_swift --threads=2 --mpi=2 --workload="$work/all" --topology=$eight "$(config 'CC swift')"
alike ns3/mpi_losses '' --mpi=2 --workload="$work/all" --topology=$eight \
    "$(config 'ERROR_RATE_PER_LINK 0.002' 'RTO 20us')"
alike ns3/mpi_events_losses --per-event=1 --mpi=3 --workload="$work/all" --topology=$eight \
    "$(config 'ERROR_RATE_PER_LINK 0.002' 'RTO 20us')"
alike ns3/mpi_losses_selective '' --mpi=3 --workload="$work/all" --topology=$eight \
    "$(config 'ERROR_RATE_PER_LINK 0.002' 'RTO 20us' 'LOSS_RECOVERY selective_repeat')"
alike ns3/mpi_link_events '' --mpi=4 --workload="$work/all" --topology=$eight \
    "$(config 'LINK_DOWN 5us 8 10' 'LINK_UP 60us 8 10' 'LINK_DOWN 10ms 9 11')"
alike ns3/mpi_events_link_events --per-event=1 --mpi=3 --workload="$work/all" --topology=$eight \
    "$(config 'LINK_DOWN 5us 8 10' 'LINK_UP 60us 8 10' 'LINK_DOWN 10ms 9 11')"
alike ns3/mpi_events_ps --per-event=1 --mpi=2 --workload="$work/all" --topology=$eight "$(config 'TIME_BASE ps')"
alike ns3/mpi_spray --threads=2 --mpi=2 --workload="$work/all" --topology=$eight \
    "$(config 'LOAD_BALANCE spray')"

# What a run says that cannot go on: in the same words, once.
alike ns3/mpi_stall '' --mpi=2 --workload="$work/ring" --topology=$eight \
    "$(config 'LINK_DOWN 5us 0 8' 'RTO 20us' 'RTO_RETRIES 3')"
alike ns3/mpi_one_switch_stall '' --mpi=2 --workload="$work/ring" --topology=auto:switch \
    "$(config 'LINK_DOWN 5us 0 8' 'RTO 20us' 'RTO_RETRIES 3')"
head -c 100 "$work/ring.5.et" >"$work/short" && mv "$work/short" "$work/ring.5.et"
alike ns3/mpi_bad_trace '' --mpi=2 --workload="$work/ring" --topology=$eight
alike ns3/mpi_one_switch_bad_trace '' --mpi=2 --workload="$work/ring" --topology=auto:switch

# refuses NAME PATTERN ARGS...: exit code 1 and one sentence, from two processes.
refuses() {
    local name=$1 pattern=$2 code
    shift 2
    ./ns3 run AstraSimNetwork --mpi 2 --oversubscribe -- "$@" --exact-events=0 >"$work/out" 2>"$work/err"
    code=$?
    if ((code == 1)) && [[ $(grep -c '^AstraSimNetwork: ' "$work/err") -eq 1 ]] &&
        grep -q "^AstraSimNetwork: .*$pattern" "$work/err"; then
        t_ok "$name"
    else
        t_not_ok "$name" "exit code $code, and: $(head -n 3 "$work/err")"
    fi
}
refuses ns3/mpi_shared_memory 'run this on one' --workload="$work/all" --topology=$eight --memory=configs/memory/pool.json
refuses_all() { # the same, said by each: they have not met yet
    local name=$1 pattern=$2 code
    shift 2
    ./ns3 run AstraSimNetwork --mpi=2 --oversubscribe -- "$@" --exact-events=0 >"$work/out" 2>"$work/err"
    code=$?
    if ((code == 1)) && grep -q "^AstraSimNetwork: .*$pattern" "$work/err"; then
        t_ok "$name"
    else
        t_not_ok "$name" "exit code $code, and: $(head -n 3 "$work/err")"
    fi
}
refuses_all ns3/mpi_null_messages 'cannot run several processes' --workload="$work/all" --topology=$eight \
    --SimulatorImplementationType=ns3::NullMessageSimulatorImpl
./ns3 run AstraSimNetwork --mpi 5 --oversubscribe -- --workload="$work/four" --topology=auto:leaf_spine,leaves=2 \
    >"$work/out" 2>"$work/err"
code=$?
if ((code == 1)) && [[ $(grep -c '^AstraSimNetwork: ' "$work/err") -eq 1 && ! -s $work/out ]] &&
    grep -q '^AstraSimNetwork: 5 processes for a network of 4 hosts' "$work/err"; then
    t_ok ns3/mpi_more_than_hosts
else
    t_not_ok ns3/mpi_more_than_hosts "exit code $code, and: $(head -n 3 "$work/err")"
fi
refuses ns3/mpi_capture 'run one process' --workload="$work/all" --topology=$eight --pcap="$work/x.pcap"

# Ctrl-C, as a terminal sends it: to the launcher's group. A run that would take minutes ends with what
# is known, and its exit code.
interrupt() { # NAME TOPOLOGY [SIGNAL]
    local name=$1 topology=$2 signal=${3:-INT}
    rm -rf "$work/cut"
    set -m
    # Where the tests run in the background Ctrl-C is ignored, and a shell cannot change that for itself.
    env --default-signal="$signal" ./ns3 run AstraSimNetwork --mpi 2 --oversubscribe -- --workload="$work/long" --topology="$topology" \
        --runs=off --exact-events=0 --out="$work/cut" >"$work/out" 2>"$work/err" &
    local leader=$! code
    set +m
    for _ in {1..300}; do # the note on parts: all have been joined
        ! grep -qE 'processes with windows|one switch stays in one process' "$work/err" || break
        sleep 0.1
    done
    sleep 0.5
    kill "-$signal" -- "-$leader"
    wait "$leader"
    code=$?
    if ((code == 130)) && grep -q '^AstraSimNetwork: interrupted at' "$work/err" && [[ -s $work/cut/summary.json ]]; then
        t_ok "$name"
    else
        t_not_ok "$name" "exit code $code, and: $(head -n 3 "$work/err")"
    fi
}
"$ASIM_TOOL" trace generate --out="$work/long" --ranks=8 --type=all_reduce --size=64GiB >/dev/null
interrupt ns3/mpi_interrupt $eight
interrupt ns3/mpi_terminate $eight TERM
interrupt ns3/mpi_one_switch_interrupt auto:switch

# mpiexec itself would not say that it could not write.
./ns3 run AstraSimNetwork --mpi=2 -- --workload="$work/ring" --topology=$eight >/dev/full 2>"$work/err2"
if [[ $? -eq 1 ]] && grep -q 'cannot write the results to standard output' "$work/err2"; then
    t_ok ns3/mpi_full_output
else
    t_not_ok ns3/mpi_full_output "it says $(head -n 3 "$work/err2")"
fi
