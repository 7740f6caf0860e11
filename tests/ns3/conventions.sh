# SPDX-License-Identifier: GPL-2.0-only
#
# What ns-3 asks of a module, part of tests/ns3/run: its style by its own checker, attribute tables that
# name every attribute, a log component in each class, the program of the documentation in scratch/, the
# examples through test.py, and (--slow) doxygen without warnings.
tree=$(./ns3 show profile 2>&1 | sed -n 's/^asim: ns-3 tree: //p')

# ns-3's checker names the versions of clang-format that it takes.
if python3 "$tree/utils/check-style-clang-format.py" ns3-module >"$work/out" 2>&1 &&
    python3 "$tree/utils/check-style-clang-format.py" scratch >>"$work/out" 2>&1; then
    t_ok ns3/style
elif grep -q 'supported version of clang-format' "$work/out"; then
    t_skip ns3/style 'there is no clang-format that the checker of ns-3 takes'
else
    grep '^- ' "$work/out"
    t_not_ok ns3/style 'the checker of ns-3 names files'
fi

unnamed=()
for class in RdmaHw SwitchNode SwitchMmu AsimFabric; do
    for name in $(run --PrintAttributes=ns3::$class 2>/dev/null | sed -n "s/^ *--ns3::$class::\([A-Za-z0-9]*\)=.*/\1/p"); do
        grep -q "^   \"\`\`$name\`\`\"" ns3-module/doc/asim.rst || unnamed+=("$class::$name")
    done
done
if ((${#unnamed[@]})); then
    t_not_ok ns3/attribute_tables "asim.rst does not list ${unnamed[*]}"
else
    t_ok ns3/attribute_tables
fi

without=$(grep -LE 'NS_LOG_COMPONENT_DEFINE' ns3-module/{model,helper}/*.cc | grep -v -e '-none.cc' | xargs)
if [[ $without ]]; then
    t_not_ok ns3/log_components "no log component in $without"
else
    t_ok ns3/log_components
fi

# The program in asim.rst, dropped into scratch/ of the tree.
awk '/^  #include "ns3\/asim-module.h"/ { on = 1 } on && /^[^ ]/ { exit } on { print substr($0, 3) }' \
    ns3-module/doc/asim.rst >"$work/asim-documented.cc"
if [[ $tree == "$root"/.ns3/* ]]; then
    cp "$work/asim-documented.cc" "$tree/scratch/asim-documented.cc"
    (cd "$work" && "$root/ns3" run asim-documented --cwd="$work") >"$work/out" 2>&1
    code=$?
    rm -f "$tree/scratch/asim-documented.cc"
    if ((code == 0)) && grep -q '^received at +[0-9.]*us$' "$work/out" && [[ $(ls "$work"/my-run-*.pcap | wc -l) -eq 6 ]]; then
        t_ok ns3/scratch_program
    else
        tail -n 20 "$work/out"
        t_not_ok ns3/scratch_program "exit code $code, or not what it should print"
    fi
fi

# What doxygen.warnings.report.sh of ns-3 asks for, for this module.
doxygen_warnings() {
    (cd "$tree" && {
        grep -v '^@' doc/doxygen.conf
        printf '%s\n' "INPUT = $root/ns3-module $root/scratch doc/modules src/core/model src/network/model \
            src/network/utils src/network/helper" 'EXTRACT_ALL = no' 'WARNINGS = yes' \
            "WARN_LOGFILE = $work/doxygen.log" "OUTPUT_DIRECTORY = $work/doxygen" 'SOURCE_BROWSER = no' \
            'CREATE_SUBDIRS = no' 'HAVE_DOT = no' 'SEARCHENGINE = no'
    } >"$work/doxygen.conf" && mkdir -p "$work/doxygen" && doxygen "$work/doxygen.conf") >"$work/out" 2>&1 &&
        ! grep -E "^$root/(ns3-module|scratch)/" "$work/doxygen.log"
}
if t_slow ns3/doxygen; then
    if ! command -v doxygen >/dev/null; then
        t_skip ns3/doxygen 'doxygen is not installed'
    elif doxygen_warnings; then
        t_ok ns3/doxygen
    else
        t_not_ok ns3/doxygen 'it warns'
    fi
fi
