# SPDX-License-Identifier: GPL-2.0-only
#
# The module in each ns-3 tree that ASIM_NS3_TREES names (paths of unpacked releases, separated by
# colons), part of tests/ns3/run. ASIM_NS3_PROFILES names the profiles, by default all: debug,
# default, optimized, and static, which is optimized with --enable-static. A tree is copied, and the
# copy configured and built with ns-3's own words and its own choice of warnings.

# tree_program NAME ARGS...: starts a program of the copy. $tree is the copy.
tree_program() {
    local name=$1 program
    shift
    program=$(find "$tree/build/scratch" "$tree/build/contrib" -name "*-$name-*" -o -name "*-$name" | grep -v '\.cc' | head -n 1)
    LD_LIBRARY_PATH="$tree/build/lib" "${before[@]}" "$program" "$@"
}

# tree_finishes NAME CYCLES ARGS...: both ranks finish there.
tree_finishes() {
    local name=$1 cycles=$2
    shift 2
    tree_program AstraSimNetwork "$@" >"$work/out" 2>"$work/err"
    if [[ $? -eq 0 && $(finish "$work/out" 0) == "$cycles" && $(finish "$work/out" 1) == "$cycles" ]]; then
        t_ok "$name"
    else
        tail -n 5 "$work/err"
        t_not_ok "$name" "ranks finish at $(finish "$work/out" 0) and $(finish "$work/out" 1), not $cycles"
    fi
}

# A program of somebody else's against the installed headers.
tree_installs() {
    local name=$1 header bad=''
    (cd "$tree/cmake-cache" && cmake --install . --prefix "$tree/installed") >"$work/out" 2>&1 ||
        bad='ns-3 does not install'
    for header in "$tree"/contrib/asim/ns3-module/{model,helper}/*.h; do
        header=${header##*/}
        [[ -f $tree/installed/include/ns3/$header ]] || continue
        echo "#include \"ns3/$header\"" |
            c++ -std="c++$standard" -fsyntax-only -I"$tree/installed/include" -x c++ - 2>>"$work/out" ||
            bad+=" $header"
    done
    [[ -f $tree/installed/include/ns3/asim-helper.h ]] || bad+=' asim-helper.h is not installed'
    if [[ $bad ]]; then
        tail -n 10 "$work/out"
        t_not_ok "$name" "$bad"
    else
        t_ok "$name"
    fi
}

# tree_try TREE PROFILE
tree_try() {
    local from=$1 profile=$2 version name words=(--enable-mpi) kind=$2 tree before=() standard
    version=$(head -n 1 "$from/VERSION")
    name=ns3/tree_${version}_$profile
    t_wants "$name" || return 0
    tree=$work/tree
    rm -rf "$tree" && mkdir "$tree" && tar -C "$from" --exclude=./build --exclude=./cmake-cache \
        --exclude='./contrib/asim*' --exclude='.lock-ns3*' -cf - . | tar -C "$tree" -xf -
    mkdir -p "$tree/contrib" && ln -s "$root" "$tree/contrib/asim"
    if [[ $profile == static ]]; then
        kind=optimized
        words=(--enable-static)
        rm -rf "$tree/scratch/nested-subdir" # of 3.41: does not link statically, with or without asim
    fi
    if ! (cd "$tree" && unset USER && ./ns3 configure -d "$kind" --enable-tests --enable-examples \
        --enable-modules=asim --filter-module-examples-and-tests=asim "${words[@]}" &&
        cmake --build cmake-cache -j "${ASIM_JOBS:-$(nproc)}") >"$work/build" 2>&1; then
        grep -E 'error|undefined|multiple definition' "$work/build" | head -n 20
        t_not_ok "${name}_build" "$(tail -n 1 "$work/build")"
        return
    fi
    t_ok "${name}_build"
    standard=$(sed -n 's/^set(CMAKE_CXX_STANDARD_MINIMUM \([0-9]*\))/\1/p' "$tree/CMakeLists.txt" \
        "$tree/build-support/macros-and-definitions.cmake" | head -n 1)
    # Suites and examples of asim, as the copy is configured for no others.
    (cd "$tree" && unset USER && python3 ./test.py --no-build) >"$work/out" 2>&1
    if grep -qE '^([0-9]+) of \1 tests passed' "$work/out" && [[ $(grep -cE 'PASS.*(asim-first|asim-trace-sources|TestSuite asim)' "$work/out") -ge 4 ]]; then
        t_ok "${name}_test_py"
    else
        tail -n 8 "$work/out"
        t_not_ok "${name}_test_py" 'not all suites and examples of asim pass'
    fi
    tree_finishes "${name}_two_ranks" 62148 --workload=$sample
    tree_finishes "${name}_three_chained" 186444 --workload=$chained --topology=$two
    if [[ $profile != static ]] && has_mpi=$(command -v mpiexec) && [[ $has_mpi ]]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        before=(mpiexec --oversubscribe -np 2)
        tree_finishes "${name}_mpi_2" 62148 --workload=$sample
        tree_program AstraSimNetwork --workload="$work/trees" --topology=$two_tiers >"$work/b" 2>"$work/err"
        before=()
        tree_program AstraSimNetwork --workload="$work/trees" --topology=$two_tiers >"$work/a" 2>"$work/err"
        t_same "${name}_mpi_2_bytes" "$work/b" "$work/a"
    fi
    tree_installs "${name}_install"
}

two_tiers=topologies/8_nodes_2_leaves_4_spines_topology.txt
"$ASIM_TOOL" trace generate --out="$work/trees" --ranks=8 --type=all_to_all --size=256KiB >/dev/null
IFS=: read -r -a trees <<<"$ASIM_NS3_TREES"
for from in "${trees[@]}"; do
    if [[ ! -f $from/VERSION ]]; then
        t_not_ok ns3/trees "ASIM_NS3_TREES names '$from', which is no ns-3 tree"
        continue
    fi
    for profile in ${ASIM_NS3_PROFILES:-debug default optimized static}; do
        tree_try "$from" "$profile"
    done
done
