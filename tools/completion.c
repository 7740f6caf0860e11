/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the completions. Options and their choices are read from the help texts, names of topology
 * makers, models, GPUs and schedulers from their tables. The algorithms, congestion controls and
 * reports of the core stand here as words; tests/install looks whether any is missing.
 */
#include "tools/completion.h"

#include <stdio.h>
#include <string.h>

#include "asim/ext/family.h"
#include "asim/topology.h"
#include "catalogue/table.h"
#include "tools/inference/engine.h"

int asim_manual_open(struct asim_out *out, const char *folder, const char *name,
                     struct asim_err *err)
{
    char path[1200];

    snprintf(path, sizeof path, "%.1000s/%.190s", folder, name);
    return asim_out_open(out, path, err);
}

size_t asim_manual_key(const char *line, const char **key)
{
    size_t n;

    if (strncmp(line, "  --", 4))
        return 0;
    *key = line + 2;
    n = strcspn(line + 4, "= \n");
    return n ? n + 2 : 0;
}

static const char *help_of(const struct asim_manual *manual, const char *name)
{
    for (size_t i = 0; i < manual->n; i++)
        if (!strcmp(manual->pages[i].name, name))
            return manual->pages[i].help;
    return "";
}

static int has_key(const char *help, const char *key, size_t length)
{
    const char *line = help, *own;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (asim_manual_key(line, &own) == length && !strncmp(own, key, length))
            return 1;
    return 0;
}

/* The option keys of a page that the other one has not, from the letter `from` on, each "--key="
 * or, of a switch, "--key". */
static void put_keys(struct asim_out *out, const char *help, const char *other, size_t from)
{
    for (const char *line = help; *line;) {
        size_t n = strcspn(line, "\n"), length;
        const char *key;

        length = asim_manual_key(line, &key);
        if (length && !has_key(other, key, length)) {
            int is_switch = !from && !strncmp(key + length, "=BOOL", 5);

            asim_out_write(out, key + from, length - from);
            asim_out_printf(out, "%s ", key[length] == '=' && !is_switch ? "=" : "");
        }
        line += n + (line[n] == '\n');
    }
}

/* What `asim run` takes, which are options of `asim packet`, too. */
static void put_keys_of_run(struct asim_out *out, const struct asim_manual *manual, size_t from)
{
    const char *own = help_of(manual, "run");

    put_keys(out, own, "", from);
    put_keys(out, help_of(manual, "packet"), own, from);
}

/* Case branches "'trace link') words='--host= …' ;;". */
static void put_cases(struct asim_out *out, const struct asim_manual *manual)
{
    for (size_t i = 0; i < manual->n; i++) {
        const struct asim_manual_page *page = &manual->pages[i];

        asim_out_printf(out, "    '%s') words='", page->name);
        if (!strcmp(page->name, "run"))
            put_keys_of_run(out, manual, 0);
        else
            put_keys(out, page->help, "", 0);
        asim_out_printf(out, "--help' ;;\n");
    }
}

/* Words behind `asim` (group ""), `asim trace`, `asim topo` or `asim scenario`. */
static void put_commands(struct asim_out *out, const struct asim_manual *manual, const char *group)
{
    size_t n = strlen(group);

    asim_out_printf(out, "    '%s') words='", group);
    for (size_t i = 0; i < manual->n; i++) {
        const char *name = manual->pages[i].name;

        if (!n && !strchr(name, ' '))
            asim_out_printf(out, "%s ", name);
        else if (n && !strncmp(name, group, n) && name[n] == ' ')
            asim_out_printf(out, "%s ", name + n + 1);
    }
    asim_out_printf(out, "%s' ;;\n", n ? "" : "trace topo scenario help --version");
}

static void put_tables(struct asim_out *out, const struct asim_manual *manual)
{
    put_commands(out, manual, "");
    put_commands(out, manual, "trace");
    put_commands(out, manual, "topo");
    put_commands(out, manual, "scenario");
    put_cases(out, manual);
}

/* The words of "(one of a|b|c" in the help of the option at line, with blanks between them; returns
 * their length. Help is wrapped at blanks, of which the words have none. */
static size_t choices_of(const char *line, char *words, size_t size)
{
    const char *end = strstr(line + 1, "\n  --"), *at = line;
    size_t n = 0;

    end = end ? end : line + strlen(line);
    while (at < end && strncmp(at, "one", 3) != 0)
        at++;
    at += at < end ? 3 : 0;
    at += strspn(at, " \n");
    if (at >= end || strncmp(at, "of", 2) != 0)
        return 0;
    at += 2;
    at += strspn(at, " \n");
    if (!memchr(at, '|', strcspn(at, "; )\n")))
        return 0;
    for (; n + 1 < size && !strchr("; )\n", *at); at++)
        words[n++] = *at;
    words[n] = '\0';
    for (size_t i = 0; i < n; i++)
        words[i] = words[i] == '|' ? ' ' : words[i];
    return n;
}

/* Case branches "'packet --like') words='auto nccl astra-sim' ;;", of the options in the help of a
 * page. */
static void put_values(struct asim_out *out, const char *name, const char *help)
{
    const char *line = help, *key;
    char words[600];

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = asim_manual_key(line, &key);

        if (length && choices_of(line, words, sizeof words))
            asim_out_printf(out, "        '%s %.*s') words='%s' ;;\n", name, (int)length, key,
                            words);
    }
}

/* A case branch of the values of a key, behind "--key=" and in "--vary key=". */
static void put_members(struct asim_out *out, const char *key,
                        const struct asim_member *const *table)
{
    asim_out_printf(out, "        *' --%s' | *' %s') words='", key, key);
    for (size_t i = 0; table[i]; i++)
        asim_out_printf(out, "%s ", table[i]->name);
    asim_out_printf(out, "' ;;\n");
}

static int put_names(struct asim_out *out, const char *pattern, const char *what,
                     struct asim_err *err)
{
    struct asim_catalogue catalogue;
    int code = asim_catalogue_open(&catalogue, what, "name", NULL, err);
    const json_t *rows = json_object_get(catalogue.root[ASIM_CATALOGUE_BUILT_IN], what);

    asim_out_printf(out, "        %s) words='", pattern);
    for (size_t i = 0; i < json_array_size(rows); i++)
        asim_out_printf(out, "%s ",
                        json_string_value(json_object_get(json_array_get(rows, i), "name")));
    asim_out_printf(out, "' ;;\n");
    asim_catalogue_close(&catalogue);
    return code;
}

/* Case branches of the words behind "--key=" and behind "auto:" and "machine:"; tool: the shell's
 * word for the command itself. */
static int put_value_cases(struct asim_out *out, const struct asim_manual *manual, const char *tool,
                           struct asim_err *err)
{
    int code;

    for (size_t i = 0; i < manual->n; i++)
        put_values(out, manual->pages[i].name, manual->pages[i].help);
    put_values(out, "run", help_of(manual, "packet"));
    code =
        put_names(out, "'trace llm --model' | 'inference --model' | *' llm.model'", "models", err);
    if (!code)
        code = put_names(out, "*' --gpu' | *' gpu'", "gpus", err);
    put_members(out, "scheduler", asim_inference_scheduler_table);
    asim_out_printf(
        out, "        *' --model') words='packet flow' ;;\n"
             "        *' --cc' | *' cc') words='none dcqcn hpcc hpcc_pint timely dctcp swift' ;;\n"
             "        *' --algorithm' | *' algorithm') words='ring direct halvingDoubling "
             "doubleBinaryTree binomialTree bruck dissemination treeOrRing ncclAuto ncclChoice "
             "ncclDirect ncclNvls ncclNvlsTree ncclPxn ncclRing ncclTree ncclSimai "
             "ncclSimaiPxn' ;;\n"
             "        *' --reports') words='all fast_forward flows hosts links queues queues_raw "
             "rates rates_raw traffic' ;;\n"
             "        *' --vary' | *' --set') words='");
    put_keys_of_run(out, manual, 2);
    asim_out_printf(out, "' ;;\n        *' --topology' | *' --topo' | *' topo' | *' topology') "
                         "words='auto: machine:' ;;\n");
    asim_out_printf(out, "        *' auto') words='");
    for (size_t i = 0; asim_topo_maker_table[i]; i++)
        asim_out_printf(out, "%s ", asim_topo_maker_table[i]->name);
    asim_out_printf(out,
                    "' ;;\n"
                    "        *' machine' | *' --machine') "
                    "words=$(\"%s\" machine list 2>/dev/null | cut -d ' ' -f 1) ;;\n"
                    "        esac\n",
                    tool);
    return code;
}

/* Bash parts words at = and at :, so the key is the word before. */
static int put_bash_values(struct asim_out *out, const struct asim_manual *manual,
                           struct asim_err *err)
{
    int code;

    asim_out_printf(
        out,
        "    local last=${COMP_WORDS[COMP_CWORD-1]-} key=\n"
        "    if [[ $cur == [=:] ]]; then last=$cur key=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
        "    elif [[ $last == [=:] ]]; then key=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    elif [[ $last == --vary || $last == --set ]]; then key=$last\n"
        "    elif [[ ${COMP_WORDS[1]} == machine && $cur != -* && COMP_CWORD -gt 1 ]]; then "
        "key=\" $last\"; fi\n"
        "    if [[ $key ]]; then\n        case \"${COMP_WORDS[*]:1:at} $key\" in\n"
        "        'machine  machine') words='list show check import' ;;\n"
        "        'machine  show' | 'machine  check') words=$(\"${COMP_WORDS[0]}\" machine list "
        "2>/dev/null | cut -d ' ' -f 1) ;;\n");
    code = put_value_cases(out, manual, "${COMP_WORDS[0]}", err);
    asim_out_printf(out, "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                         "        [[ ${COMPREPLY[0]-} != *[:=] ]] || compopt -o nospace\n"
                         "        return\n    fi\n");
    return code;
}

/* Zsh does not: what stands before the last = or : is put aside. Files where no words are known. */
static int put_zsh_values(struct asim_out *out, const struct asim_manual *manual,
                          struct asim_err *err)
{
    int code;

    asim_out_printf(out, "if [[ $PREFIX == --*=* ]]; then\n"
                         "    local key=${PREFIX%%%%=*} tool=$words[1]\n"
                         "    compset -P 1 '*='\n"
                         "    [[ $PREFIX != (auto|machine):* ]] || { key=${PREFIX%%%%:*}; "
                         "compset -P 1 '*:'; }\n"
                         "    () {\n        local words=\n        case \"$command $key\" in\n");
    code = put_value_cases(out, manual, "$tool", err);
    asim_out_printf(out, "        words_of=$words\n    }\n"
                         "    if [[ -n $words_of ]]; then compadd -S '' -- ${=words_of}; "
                         "else _files; fi\n"
                         "    return\nfi\n");
    return code;
}

int asim_completion_bash(const struct asim_manual *manual, const char *folder, struct asim_err *err)
{
    struct asim_out out;
    int code;

    if (asim_manual_open(&out, folder, "completions/asim", err))
        return ASIM_EIO;
    asim_out_printf(&out, "# Completion of asim for bash, made by asim manual.\n_asim() {\n"
                          "    local cur=${COMP_WORDS[COMP_CWORD]} at=1 command= words=\n"
                          "    case ${COMP_WORDS[1]} in trace | topo | scenario) at=2 ;; esac\n");
    code = put_bash_values(&out, manual, err);
    asim_out_printf(&out, "    ((COMP_CWORD <= at)) && command=${COMP_WORDS[*]:1:at-1} ||\n"
                          "        command=${COMP_WORDS[*]:1:at}\n"
                          "    ((COMP_CWORD > at)) && [[ $cur != -* ]] && return # a file\n"
                          "    case $command in\n");
    put_tables(&out, manual);
    asim_out_printf(&out, "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                          "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n}\n"
                          "complete -o default -F _asim asim\n");
    return asim_out_commit(&out, err) || code;
}

int asim_completion_zsh(const struct asim_manual *manual, const char *folder, struct asim_err *err)
{
    struct asim_out out;
    int code;

    if (asim_manual_open(&out, folder, "site-functions/_asim", err))
        return ASIM_EIO;
    asim_out_printf(&out,
                    "#compdef asim\n# Completion of asim for zsh, made by asim manual.\n"
                    "local at=1 command= words_of= list\n"
                    "list=(\"${(@)words[2,-1]}\")\n"
                    "[[ $list[1] != (trace|topo|scenario) ]] || at=2\n"
                    "if ((CURRENT - 1 <= at)); then command=\"${(j: :)list[1,at-1]}\"\n"
                    "else command=\"${(j: :)list[1,at]}\"; fi\n"
                    "if ((CURRENT - 1 > at)) && [[ $PREFIX != -* ]]; then _files; return; fi\n");
    code = put_zsh_values(&out, manual, err);
    asim_out_printf(&out, "() {\n    local words=\n    case $command in\n");
    put_tables(&out, manual);
    asim_out_printf(&out, "    esac\n    words_of=$words\n}\n"
                          "compadd -S '' -- ${=words_of}\n");
    return asim_out_commit(&out, err) || code;
}
