# SPDX-License-Identifier: GPL-2.0-only
#
# Profile-guided optimization of the core. An instrumented build runs a few small workloads; every later
# build in this repository uses the recorded profile (core/CMakeLists.txt; doc/scaling.md has the
# effect). Results do not depend on it. Sourced after setup.sh.
#
# The profile is recorded once, into build/profile; `./ns3 clean` removes it. A function that has changed
# since, or that the workloads do not reach, is compiled without. So is everything where the compiler
# is not GCC 12 or newer, where recording fails, or where ASIM_PROFILE=off is in the environment.

profile_counts="$root/build/profile/counts"

profile_can() {
    local words=(-fprofile-prefix-path=/ -fprofile-partial-training --param=profile-func-internal-id=1)
    echo 'int x;' | cc "${words[@]}" -x c -S -o /dev/null - 2>/dev/null &&
        cc --version 2>/dev/null | grep -q 'Free Software Foundation'
}

# A line each: collective, ranks, bytes, and words for the run.
profile_runs() {
    local tool=$1 type ranks size words
    while read -r type ranks size words; do
        rm -rf t out
        "$tool" trace generate --out=t/w --ranks="$ranks" --type="$type" --size="$size" || return
        # shellcheck disable=SC2086
        "$tool" packet --workload=t/w --quiet $words || return
    done <<'END'
all_reduce 128 1MiB --topology=auto:leaf_spine --runs=off --out=out
all_reduce 64 1MiB --runs=off --out=out
all_gather 32 512KiB --topology=auto:leaf_spine --runs=off
all_to_all 32 512KiB --topology=auto:leaf_spine --runs=off --out=out
all_to_all 32 512KiB --system={"all-to-all-implementation":["direct"]} --runs=off
all_reduce 64 256KiB --topology=auto:DCN+,g=64,dt=1,psn=8 --runs=off --out=out
all_reduce 64 16MiB --topology=auto:leaf_spine
END
}

profile_count() {
    local folder="$root/build/profile" work code
    rm -rf "$profile_counts"
    work=$(mktemp -d) || return
    (cd "$work" && profile_runs "$folder/asim")
    code=$?
    rm -rf "$work"
    ((code)) || : >"$profile_counts/done"
    return "$code"
}

profile_ready() {
    [[ ! -f $profile_counts/done && ${ASIM_PROFILE:-} != off ]] && profile_can || return 0
    if ! build_c profile asim -DCMAKE_BUILD_TYPE=Release -DASIM_PROFILE=make ||
        ! step profile 'recording a profile of the core for its compiler; a few seconds.' profile_count; then
        say 'the profile could not be recorded; the build goes on without it.'
    fi
}
