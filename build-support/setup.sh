# SPDX-License-Identifier: GPL-2.0-only
#
# ./ns3, ./asim and ./tests/run share this: messages, long steps with a log, one lock, and the packages
# of the machine. Sourced by bash with $root set to the repository. Every step is idempotent: the next run
# repeats an interrupted step. Messages go to stderr; stdout belongs to the program that runs.

state="$root/.ns3"
jobs=${ASIM_JOBS:-$(nproc 2>/dev/null || echo 2)}
ticker=

say() {
    printf 'asim: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

ticker_stop() {
    if [[ $ticker ]]; then
        kill "$ticker" 2>/dev/null
        wait "$ticker" 2>/dev/null
    fi
    ticker=
}

# Usage errors: exit code 2.
misuse() {
    say "$*"
    exit 2
}

interrupted() {
    ticker_stop
    say 'interrupted; start the same command again and it goes on where it stopped.'
    exit 130
}

# Every 20 s shows the last line of a log, as a sign of life of a long step. Reading from a pipe that
# nobody writes is a sleep that leaves no child process behind.
ticker_run() {
    local log=$1 begin=$SECONDS last idle
    exec {idle}<> <(:)
    while true; do
        read -r -t 20 -u "$idle"
        last=$(tail -c 300 "$log" 2>/dev/null | tr '\r' '\n' | tail -n 1 | cut -c 1-90)
        printf 'asim:   %d s  %s\n' $((SECONDS - begin)) "$last" >&2
    done
}

# step NAME SENTENCE COMMAND...: says the sentence, runs the command with its output in a log, and
# on failure shows the end of the log and stops.
step() {
    local name=$1 sentence=$2 log code
    shift 2
    mkdir -p "$state/log" 2>/dev/null || die "cannot write to $state; make the repository writable."
    log="$state/log/$name.log"
    say "$sentence"
    : >"$log"
    trap interrupted INT TERM
    ticker_run "$log" &
    ticker=$!
    ("$@") >"$log" 2>&1 </dev/null
    code=$?
    ticker_stop
    trap - INT TERM
    if ((code)); then
        tail -n 30 "$log" | sed 's/^/    /' >&2
        say "this step failed with exit code $code: $name. The whole output is in $log."
        return "$code"
    fi
}

# One set-up at a time in this repository. The lock goes with the process, however it ends.
lock_take() {
    mkdir -p "$state" 2>/dev/null || die "cannot write to $state; make the repository writable."
    { : >>"$state/lock"; } 2>/dev/null || die "cannot write to $state; make the repository writable."
    exec 9>"$state/lock"
    if ! flock -n 9; then
        say 'another run is setting up or building in this repository; waiting for it.'
        flock 9
    fi
}

lock_drop() {
    exec 9>&-
}

has() {
    command -v "$1" >/dev/null 2>&1
}

has_header() {
    echo "#include <$1>" | cc -E -o /dev/null - 2>/dev/null
}

# Prints the Debian packages that the machine needs. Tests for the ability, not for the package: a compiler
# from another source counts.
packages_missing_c() {
    has cc || echo gcc
    has make || echo make
    has cmake || echo cmake
    has pkg-config || echo pkg-config
    has protoc-c || echo protobuf-c-compiler
    if ! has cc || ! has_header stdio.h; then echo libc6-dev; fi
    if ! has cc || ! has_header jansson.h; then echo libjansson-dev; fi
    if ! has cc || ! has_header yaml.h; then echo libyaml-dev; fi
    if ! has cc || ! has_header expat.h; then echo libexpat1-dev; fi
    if ! has cc || ! has_header protobuf-c/protobuf-c.h; then echo libprotobuf-c-dev; fi
    if ! has cc || ! has_header zlib.h; then echo zlib1g-dev; fi
}

packages_missing_ns3() {
    has c++ || echo g++
    has python3 || echo python3
}

packages_missing_ninja() {
    has ninja || echo ninja-build
}

packages_missing_mpi() {
    has mpiexec || echo openmpi-bin
    has mpicxx || echo libopenmpi-dev
}

packages_missing_source() {
    has dpkg-source || echo dpkg-dev
    has bzip2 || echo bzip2
    has xz || echo xz-utils
}

packages_missing_tests() {
    has python3 || echo python3
    has c++ || echo g++
    has dpkg-shlibdeps || echo dpkg-dev
    has file || echo file
}

packages_missing() {
    local group
    for group in "$@"; do
        "packages_missing_$group"
    done | sort -u | paste -sd ' ' -
}

# True where an earlier installation was interrupted, and apt-get would refuse to go on.
packages_interrupted() {
    [[ $(dpkg --audit 2>/dev/null; ls /var/lib/dpkg/updates 2>/dev/null) ]]
}

# Three steps install packages on a Debian machine in any state: finish an interrupted dpkg, refresh the
# lists, install.
packages_apt() {
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive)
    [[ ! $interrupted ]] || "${apt[@]}" dpkg --configure -a || return
    "${apt[@]}" apt-get -o DPkg::Lock::Timeout=600 update ||
        echo 'the package lists could not be refreshed; going on with those that are here'
    "${apt[@]}" apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"
}

# Prints what to type where the scripts may not install packages.
packages_by_hand() {
    local shell=''
    if ((EUID != 0)); then
        shell=$(has sudo && echo 'sudo sh -c' || echo 'su -c')
    fi
    say "$1 Type this, then start again:"
    printf '\n    %s\n\n' "${shell:+$shell \"}$words${shell:+\"}" >&2
    exit 1
}

# packages_need GROUP...: says what is missing and how it is installed, then installs it as root or with
# sudo; or prints what to type.
packages_need() {
    local missing words interrupted='' as_root=()
    missing=$(packages_missing "$@")
    [[ $missing ]] || return 0
    has apt-get || die "this machine lacks what these Debian packages supply: $missing. It has no" \
        'apt-get, so install their counterparts with its own package manager and start again.'
    words="apt-get update && apt-get install -y --no-install-recommends $missing"
    if packages_interrupted; then
        interrupted=1
        words="dpkg --configure -a && $words"
    fi
    [[ ${ASIM_INSTALL:-} != no ]] || packages_by_hand 'packages are missing, and ASIM_INSTALL is no.'
    ((EUID == 0)) || has sudo ||
        packages_by_hand 'packages are missing, and installing them needs root.'
    ((EUID == 0)) || as_root=(sudo)
    say "these Debian packages are missing and are installed now${as_root:+ with sudo}: $missing"
    say "that is: $words"
    [[ ! $interrupted ]] ||
        say 'dpkg comes first because an earlier installation on this machine was interrupted.'
    if ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
        [[ -t 0 ]] && sudo -v || packages_by_hand 'packages are missing, and installing them needs root.'
    fi
    # shellcheck disable=SC2086
    step packages 'installing packages; a minute or two.' packages_apt $missing || die "installing packages failed. By hand it is: $words"
    missing=$(packages_missing "$@")
    [[ -z $missing ]] || die "these packages are installed but what they supply is not found: $missing"
}

# build_c NAME TARGET CMAKE-OPTION...: configures build/NAME where needed and builds one target
# (all for everything). Begins again in the build folder of a repository that has been moved.
build_c() {
    local name=$1 target=$2 folder="$root/build/$1" home
    shift 2
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null)
    if [[ $home && ! $home -ef $root ]]; then
        rm -rf "$folder"
    fi
    step "cmake-$name" "configuring build/$name." \
        cmake -S "$root" -B "$folder" -G 'Unix Makefiles' "$@" || return
    step "build-$name" "building build/$name; up to two minutes the first time." \
        cmake --build "$folder" --target "$target" -j "$jobs" -- -k
}
