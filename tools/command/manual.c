/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim manual: the man pages of all commands and the completions of bash and zsh, made from what
 * each command's --help prints, which comes from the option tables. The build calls it for
 * `cmake --install`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "asim/version.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "tools/completion.h"

struct options {
    char *out;
};

static const struct asim_option options[] = {
    {"out", NULL, "folder for man1/*.1, completions/asim (bash) and site-functions/_asim (zsh)",
     "manual", ASIM_T_STRING, offsetof(struct options, out),
     .flags = ASIM_F_WRITES | ASIM_F_RESULT},
    {0}};

/* --- reading ---------------------------------------------------------------------------------- */
static char *read_all(FILE *file)
{
    long n = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *text = n < 0 ? NULL : calloc((size_t)n + 1, 1);

    rewind(file);
    if (text && fread(text, 1, (size_t)n, file) != (size_t)n) {
        free(text);
        text = NULL;
    }
    return text;
}

/* What the command prints for --help; NULL where that fails. */
static char *help_of(const struct asim_command *command)
{
    char name[64], option[] = "--help", *words[] = {name, option, NULL}, *text = NULL;
    FILE *file = tmpfile();
    int kept = file ? dup(STDOUT_FILENO) : -1, code = -1;

    snprintf(name, sizeof name, "%s", command->member.name);
    fflush(stdout);
    if (kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0) {
        code = asim_args_command(command, 2, words);
        fflush(stdout);
        dup2(kept, STDOUT_FILENO);
    }
    if (kept >= 0)
        close(kept);
    if (!code)
        text = read_all(file);
    if (file)
        fclose(file);
    return text;
}

static int collect(struct asim_manual *manual, const char *group,
                   const struct asim_member *const *table, struct asim_err *err)
{
    for (size_t i = 0; table[i] && manual->n < ASIM_MANUAL_PAGES; i++) {
        struct asim_manual_page *page = &manual->pages[manual->n++];

        snprintf(page->name, sizeof page->name, "%s%s%s", group, *group ? " " : "", table[i]->name);
        page->about = table[i]->about;
        page->help = help_of((const struct asim_command *)(const void *)table[i]);
        if (!page->help)
            return asim_err_set(err, ASIM_EIO, "cannot read the help of '%s'.", page->name);
    }
    return 0;
}

/* --- man pages -------------------------------------------------------------------------------- */
/* Text of one line for roff: no request, no escape, hyphens that can be copied. */
static void put_roff(struct asim_out *out, const char *text, size_t n)
{
    if (n && (*text == '.' || *text == '\''))
        asim_out_printf(out, "\\&");
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\\')
            asim_out_printf(out, "\\e");
        else if (text[i] == '-')
            asim_out_printf(out, "\\-");
        else
            asim_out_write(out, text + i, 1);
}

/* An option: its name as the tag of a paragraph, then its text. */
static void put_option(struct asim_out *out, const char *line, size_t n)
{
    const char *gap = strstr(line + 2, "  ");
    size_t left = gap && gap < line + n ? (size_t)(gap - line) - 2 : n - 2;

    asim_out_printf(out, ".TP\n.B ");
    put_roff(out, line + 2, left);
    asim_out_printf(out, "\n");
    if (left + 2 < n) {
        const char *text = line + 2 + left + strspn(line + 2 + left, " ");

        put_roff(out, text, (size_t)(line + n - text));
        asim_out_printf(out, "\n");
    }
}

/* Wrapped help goes on under its option; other indented lines keep their form. */
static void put_line(struct asim_out *out, const char *line, size_t n, int in_option)
{
    const char *key;

    if (!n) {
        asim_out_printf(out, ".PP\n");
    } else if (asim_manual_key(line, &key)) {
        put_option(out, line, n);
    } else if (*line == ' ' && in_option) {
        size_t skip = strspn(line, " ");

        put_roff(out, line + skip, n - skip);
        asim_out_printf(out, "\n");
    } else if (*line == ' ') {
        asim_out_printf(out, ".nf\n");
        put_roff(out, line, n);
        asim_out_printf(out, "\n.fi\n");
    } else {
        put_roff(out, line, n);
        asim_out_printf(out, "\n");
    }
}

static void put_help(struct asim_out *out, const char *help)
{
    const char *key;
    int in_option = 0;

    asim_out_printf(out, ".SH SYNOPSIS\n.nf\n");
    for (const char *line = help; *line;) {
        size_t n = strcspn(line, "\n"), skip = strncmp(line, "usage: ", 7) ? 0 : 7;

        if (line == help || *line == ' ' || skip) { /* the usage, up to the first empty line */
            put_roff(out, line + skip, n - skip);
            asim_out_printf(out, "\n");
        }
        help = NULL;
        line += n + (line[n] == '\n');
        if (!*line || *line == '\n' || *line != ' ') {
            help = line;
            break;
        }
    }
    asim_out_printf(out, ".fi\n.SH DESCRIPTION\n");
    for (const char *line = help ? help : ""; *line;) {
        size_t n = strcspn(line, "\n");

        put_line(out, line, n, in_option);
        in_option = n && (asim_manual_key(line, &key) || (in_option && *line == ' '));
        line += n + (line[n] == '\n');
    }
}

/* "asim-trace-link". */
static void page_name(char *buf, size_t size, const char *command)
{
    snprintf(buf, size, "asim-%s", command);
    for (char *at = buf; *at; at++)
        if (*at == ' ')
            *at = '-';
}

static int write_page(const struct asim_manual_page *page, const char *folder, struct asim_err *err)
{
    char name[96], file[128];
    struct asim_out out;

    page_name(name, sizeof name, page->name);
    snprintf(file, sizeof file, "man1/%s.1", name);
    if (asim_manual_open(&out, folder, file, err))
        return ASIM_EIO;
    asim_out_printf(&out, ".TH %s 1 \"\" \"asim %s\"\n.SH NAME\n%s \\- ", name, asim_version(),
                    name);
    put_roff(&out, page->about, strlen(page->about));
    asim_out_printf(&out, "\n");
    put_help(&out, page->help);
    asim_out_printf(&out, ".SH SEE ALSO\n.BR asim (1)\n");
    return asim_out_commit(&out, err);
}

static int write_overview(const struct asim_manual *manual, const char *folder,
                          struct asim_err *err)
{
    char name[96];
    struct asim_out out;

    if (asim_manual_open(&out, folder, "man1/asim.1", err))
        return ASIM_EIO;
    asim_out_printf(&out,
                    ".TH asim 1 \"\" \"asim %s\"\n.SH NAME\nasim \\- packet\\-level simulator of "
                    "distributed machine learning\n.SH SYNOPSIS\n.B asim\n.I "
                    "COMMAND\n[\\-\\-option=value ...]\n.SH COMMANDS\n",
                    asim_version());
    for (size_t i = 0; i < manual->n; i++) {
        page_name(name, sizeof name, manual->pages[i].name);
        asim_out_printf(&out, ".TP\n.BR %s (1)\n", name);
        put_roff(&out, manual->pages[i].about, strlen(manual->pages[i].about));
        asim_out_printf(&out, "\n");
    }
    return asim_out_commit(&out, err);
}

static int write_all(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    static struct asim_manual manual;
    int code = collect(&manual, "", asim_command_table, err);

    if (!code)
        code = collect(&manual, "trace", asim_trace_command_table, err);
    if (!code)
        code = collect(&manual, "topo", asim_topo_command_table, err);
    if (!code)
        code = collect(&manual, "scenario", asim_scenario_command_table, err);
    if (!code)
        code = write_overview(&manual, opt->out, err);
    for (size_t i = 0; i < manual.n && !code; i++)
        code = write_page(&manual.pages[i], opt->out, err);
    if (!code)
        code = asim_completion_bash(&manual, opt->out, err);
    if (!code)
        code = asim_completion_zsh(&manual, opt->out, err);
    for (size_t i = 0; i < manual.n; i++)
        free(manual.pages[i].help);
    if (!code)
        printf("wrote %zu man pages and two completions into %s\n", manual.n + 1, opt->out);
    return code;
}

static const struct asim_args_job job = {.name = "manual",
                                         .usage =
                                             "usage: asim manual [--out=DIR]\n\nWrites man pages "
                                             "and the completions of bash and zsh.\n\nOptions:",
                                         .options = options,
                                         .work = write_all};

const struct asim_command asim_command_manual = {
    .member = {.name = "manual",
               .about = "Write man pages and the completions of bash and zsh.",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_OTHER,
};
