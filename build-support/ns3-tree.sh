# SPDX-License-Identifier: GPL-2.0-only
#
# Finds the ns-3 tree, or makes one. Sourced after setup.sh. The order is: NS3_HOME; the tree that
# contains this repository; the tree provisioned earlier; Debian's source package of ns-3, built optimized
# with MPI (the binary package lacks ns-3's mpi module). The source package comes from the archive that
# the machine uses already: its entries are read as source entries from a private folder, and the
# system's lists stay untouched. A tree of the user is built as the user configured it.

# The source that is fetched, and the SHA-256 of its files. Results and tests were checked with it.
ns3_version=3.37-2
ns3_sums='ff08b1481999a3cb5cbf2d232fd9a0f9432ab37c928df5db81d562face4eab36  ns3_3.37-2.dsc
dfa5ca1994ff3dbe1d4b23cef54e05e6079f5707a2ed6055f717bdd5b458c38d  ns3_3.37.orig.tar.bz2
da1db3d31b04843df1d73b0cfc0a1008eaec193ca74bab9e086e1d53a8014c10  ns3_3.37-2.debian.tar.xz'

tree=          # the ns-3 tree in use
tree_origin=   # home, around or own

tree_is_ns3() {
    [[ -f $1/ns3 && -f $1/VERSION && -f $1/CMakeLists.txt && -d $1/src/core ]]
}

# Sets $tree where this repository, or a link to it by which the script was called, is contrib/asim in one.
tree_around() {
    local place
    for place in "${called:-$root}" "$root"; do
        if [[ $place -ef $root && ${place%/*} == */contrib ]] && tree_is_ns3 "${place%/*/*}"; then
            tree=$(cd "${place%/*/*}" && pwd -P)
            return
        fi
    done
    return 1
}

# Finds a tree without making one; returns 1 where there is none yet.
tree_find() {
    if [[ ${NS3_HOME:-} ]]; then
        tree_is_ns3 "$NS3_HOME" || die "NS3_HOME is '$NS3_HOME', which is not an ns-3 source tree" \
            '(no ns3, VERSION, CMakeLists.txt and src/core there). Set it to one, release 3.37 or newer.'
        tree=$(cd "$NS3_HOME" && pwd -P)
        tree_origin=home
    elif tree_around; then
        tree_origin=around
    elif tree_is_ns3 "$state/ns-3"; then
        tree=$(cd "$state/ns-3" && pwd -P)
        tree_origin=own
    else
        return 1
    fi
    lock_file="$tree/.lock-ns3_linux_build"
    stamp="$state/built-$(printf '%s' "$tree" | cksum | cut -d ' ' -f 1)"
}

tree_version_check() {
    local version
    version=$(head -n 1 "$tree/VERSION")
    if [[ $version =~ ^3\.([0-9]+) ]] && ((BASH_REMATCH[1] < 37)); then
        die "the ns-3 tree $tree is release $version; 3.37 or newer is needed."
    fi
}

# ns-3 refuses to work for a user named root, whatever it is asked to do.
tree_ns3() {
    (cd "$tree" && exec env -u USER python3 ./ns3 "$@")
}

# Copies the machine's package entries, as source entries, to a private folder.
source_entries() {
    local parts=$1 file
    rm -rf "$parts" # those of an earlier try may be of entries that were wrong, and are mended
    mkdir -p "$parts"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ -f $file ]] || continue
        sed -nE 's/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /p' "$file" |
            grep -v 'cdrom:' >"$parts/$(basename "$file" .list | tr -c 'A-Za-z0-9\n' '_').list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ -f $file ]] || continue
        sed -E 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$parts/$(basename "$file")"
    done
}

# Private lists must not run the hooks of the system (cleaning caches, desktop notifications).
source_apt() {
    local program=$1
    shift
    "$program" -c "$fetch/apt.conf" -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$fetch/parts" -o Dir::State::Lists="$fetch/lists" \
        -o Dir::Cache="$fetch/cache" -o APT::Sandbox::User="$(id -un)" \
        -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}

# The wanted version, where the archive has it and its files are the right ones.
source_download() {
    local found
    found=$(source_apt apt-cache showsrc ns3 2>/dev/null | sed -n 's/^Version: //p' | sort -u | paste -sd ' ' -)
    if [[ " $found " != *" $ns3_version "* ]]; then
        echo "the package archive of this machine has ns3 ${found:-in no version}, and asim takes $ns3_version"
        return 1
    fi
    source_apt apt-get source --download-only "ns3=$ns3_version" || return
    sha256sum --check --strict <<<"$ns3_sums" || {
        echo "a file of ns3 $ns3_version is not the one that asim was checked with"
        return 1
    }
}

source_fetch() {
    local tmp="$fetch/tmp" found
    mkdir -p "$fetch/lists/partial" "$fetch/cache/archives/partial" "$fetch/files" || return
    source_entries "$fetch/parts"
    printf '#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n' \
        >"$fetch/apt.conf"
    source_apt apt-get update || echo 'some lists could not be fetched; going on with the others'
    (cd "$fetch/files" && source_download) || return
    rm -rf "$tmp"
    mkdir -p "$tmp"
    dpkg-source --no-check -x "$fetch/files/ns3_$ns3_version.dsc" "$tmp/unpacked" || return
    found=$(find "$tmp" -maxdepth 3 -name VERSION -printf '%h\n' | while read -r folder; do
        if tree_is_ns3 "$folder"; then echo "$folder"; fi
    done | head -n 1)
    if [[ -z $found ]]; then
        echo 'the source package ns3 holds no ns-3 tree'
        return 1
    fi
    rm -rf "$state/ns-3" && mv "$found" "$state/ns-3" && rm -rf "$fetch"
}

tree_provision() {
    local fetch="$state/fetch" way
    way='To use an ns-3 source tree of your own instead, set NS3_HOME=/path/to/ns-3 and start again.'
    say "there is no ns-3 yet: its source package, version $ns3_version, is fetched and built once, into"
    say '.ns3/ (about five minutes on two cores, 600 MB). Set NS3_HOME to use a tree of your own instead.'
    has apt-get || die "this machine has no apt-get to fetch ns-3 with. $way"
    packages_need source
    step fetch 'fetching and unpacking the source of ns-3 (some 40 MB); about half a minute.' \
        source_fetch || die "ns-3 could not be fetched. $way"
}

# The link contrib/asim, relative in our own tree so that the repository can be moved.
tree_link() {
    local link="$tree/contrib/asim" to=$root
    [[ $tree_origin == around ]] && return
    [[ $tree_origin == own ]] && to=../../..
    if [[ -e $link && $(cd "$link" && pwd -P) == "$(cd "$root" && pwd -P)" ]]; then
        return
    fi
    if [[ -e $link && ! -L $link ]]; then
        die "$link exists and is not this repository; move it away or choose another NS3_HOME."
    fi
    mkdir -p "$tree/contrib" && ln -sfn "$to" "$link" ||
        die "cannot make the link $link; make $tree writable or choose another NS3_HOME."
}

# Our own tree must also be where it was configured: the repository may have been moved since.
tree_is_configured() {
    [[ -f $lock_file ]] && grep -q "NS3_ENABLED_CONTRIBUTED_MODULES = .*'ns3-asim'" "$lock_file" &&
        { [[ $tree_origin != own ]] || grep -qF "top_dir = '$tree'" "$lock_file"; }
}

cache_value() {
    sed -n "s/^$1:[A-Z]*=//p" "$tree/cmake-cache/CMakeCache.txt" 2>/dev/null
}

# Without words of the user: our own tree gets the settings we need, a tree of the user keeps its own.
tree_configure() {
    local ours=(-d optimized --enable-mpi --enable-tests --filter-module-examples-and-tests=asim
        '--enable-modules=core;network;stats;mpi;asim')
    local words=("$@") modules
    modules=$(cache_value NS3_ENABLED_MODULES)
    if [[ ! -f $tree/cmake-cache/CMakeCache.txt ]]; then
        words=("${ours[@]}" "$@")
    elif [[ $tree_origin == own && $(cache_value CMAKE_HOME_DIRECTORY) != "$tree" ]]; then
        rm -rf "$tree/cmake-cache" "$tree/build" "$lock_file"
        words=("${ours[@]}" "$@")
    elif [[ $modules && ";${modules//,/;};" != *';asim;'* && "$*" != *--enable-modules* ]]; then
        words=("--enable-modules=$modules;asim" "$@")
    fi
    rm -f "$stamp"
    step configure 'configuring ns-3 with this repository as its module contrib/asim.' \
        tree_ns3 configure "${words[@]}"
}

tree_needs() {
    local groups=(c ns3) generator
    generator=$(cache_value CMAKE_GENERATOR)
    [[ ${generator:-Ninja} != Ninja ]] || groups+=(ninja)
    if [[ -z $(cache_value NS3_MPI) || $(cache_value NS3_MPI) == ON ]]; then
        groups+=(mpi)
    fi
    packages_need "${groups[@]}"
}

# Everything before a build, done only as far as it is not done.
tree_prepare() {
    tree_find || {
        packages_need c ns3 ninja mpi source
        tree_provision
        tree_find || die 'the new ns-3 tree cannot be found; remove .ns3 and start again.'
    }
    tree_version_check
    tree_needs
    tree_link
}

tree_ready() {
    tree_prepare
    profile_ready
    tree_is_configured || tree_configure || die 'ns-3 could not be configured; see above.'
}

program_path() {
    grep -o "'[^']*/scratch/ns3[^'/]*-$1[-'][^',]*" "$lock_file" | tr -d "'" | head -n 1
}

# Builds AstraSimNetwork and notes where it is. The note carries the time at which the build began,
# so a file saved while it ran is seen as newer. (ns-3's ./ns3 build is one CMake call too, but drops -j.)
# CLICOLOR is what ns-3's launcher sets: without it CMake, called where a file is new, would take another flag
# for all of ns-3 and compile it anew.
tree_build_program() {
    local began="$stamp.began" program sentence='building AstraSimNetwork.'
    : >"$began" || die "cannot write to $state; make the repository writable."
    if [[ ! -x $(program_path AstraSimNetwork) ]]; then
        sentence='building ns-3 and AstraSimNetwork; two to five minutes on two cores, this once.'
    fi
    step build "$sentence" \
        env CLICOLOR=1 cmake --build "$tree/cmake-cache" --target scratch_AstraSimNetwork -j "$jobs" || return
    program=$(program_path AstraSimNetwork)
    [[ -x $program ]] || die "ns-3 has built, but AstraSimNetwork is not among its programs; see $lock_file."
    printf '%s\n' "$program" >"$stamp.new"
    touch -r "$began" "$stamp.new"
    mv "$stamp.new" "$stamp"
    rm -f "$began"
}

# True when the program is built and no source is newer than the beginning of its build.
program_is_fresh() {
    local sources=("$root"/{core,cli,tools,ns3-module,scratch,cmake,CMakeLists.txt})
    [[ -f $stamp ]] || return 1
    read -r program <"$stamp"
    [[ -x $program && ! $lock_file -nt $stamp ]] || return 1
    [[ $tree_origin == own ]] || sources+=("$tree/src")
    [[ -z $(find "${sources[@]}" -newer "$stamp" -print -quit 2>/dev/null) ]]
}
