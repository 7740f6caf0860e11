# SPDX-License-Identifier: GPL-2.0-only
#
# For scripted tests in bash: `. tests/lib.sh`. The protocol is one line per test on stdout, `ok
# NAME`, `not ok NAME: reason` or `skip NAME: reason`; tests/run counts these lines and ignores all
# others. NAME begins with the folder of the test (golden/ring_4).

t_failed=0

# t_wants NAME: false where the user asked for other tests (tests/run --only PATTERN).
t_wants() {
    [[ -z ${ASIM_ONLY:-} || $1 =~ $ASIM_ONLY ]]
}

# t_slow NAME: false, with a skip line, unless slow tests were asked for (tests/run --slow).
t_slow() {
    if [[ ${ASIM_SLOW:-} ]]; then return 0; fi
    t_skip "$1" 'slow; tests/run --slow runs it'
    return 1
}

t_ok() {
    printf 'ok %s\n' "$1"
}

t_not_ok() {
    printf 'not ok %s: %s\n' "$1" "$2"
    t_failed=1
}

t_skip() {
    printf 'skip %s: %s\n' "$1" "$2"
}

# t_run NAME COMMAND...: passes where the command exits with 0; its output is shown where it does not.
t_run() {
    local name=$1 output code
    shift
    t_wants "$name" || return 0
    output=$("$@" 2>&1)
    code=$?
    if ((code == 0)); then
        t_ok "$name"
    else
        printf '%s\n' "$output" | tail -n 20 | sed 's/^/    /'
        t_not_ok "$name" "exit code $code from: $*"
    fi
}

# t_last COMMAND...: runs the command; of an option that is there several times, only the last one counts.
# So a test may add to the options that its cases share.
t_last() {
    local -A last=()
    local -a words=() keys=()
    local i key
    while (($#)); do
        key=''
        if [[ $1 =~ ^-+([a-zA-Z][a-zA-Z0-9_-]*) ]]; then
            key=${BASH_REMATCH[1]//_/-}
            last[$key]=${#words[@]}
        fi
        keys+=("$key") words+=("$1")
        if [[ $key && $1 != *=* ]] && (($# > 1)) && [[ $2 != -[a-zA-Z-]* ]]; then
            keys+=("+$key") words+=("$2") # its value
            shift
        fi
        shift
    done
    local -a line=()
    for i in "${!words[@]}"; do
        key=${keys[i]}
        [[ ! $key || $i == "${last[${key#+}]:-}" || ($key == +* && $((i - 1)) == "${last[${key#+}]}") ]] &&
            line+=("${words[i]}")
    done
    "${line[@]}"
}

# t_same NAME GOT WANT: passes where two files have the same bytes.
t_same() {
    local difference
    t_wants "$1" || return 0
    if difference=$(diff -u "$3" "$2" 2>&1); then
        t_ok "$1"
    else
        printf '%s\n' "$difference" | head -n 40 | sed 's/^/    /'
        t_not_ok "$1" "$2 differs from $3"
    fi
}

# t_catches PID SIGNAL: waits until the process is no bash any more and has a handler for the signal of that
# number, at most a minute. How long it takes to get there depends on what else the machine does.
t_catches() {
    local bits
    for _ in {1..6000}; do
        bits=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
        [[ ! /proc/$1/exe -ef /proc/$$/exe ]] && ((0x${bits:-0} >> ($2 - 1) & 1)) && return
        sleep 0.01
    done
    return 1
}

# t_waits PID: waits until the process sleeps, at most a minute.
t_waits() {
    for _ in {1..6000}; do
        grep -q '^State:[[:space:]]*S' "/proc/$1/status" 2>/dev/null && return
        sleep 0.01
    done
    return 1
}

t_done() {
    exit "$t_failed"
}
