/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The asim tool's main over the tables below: which command runs for which words, which commands
 * the help lists, which words end with exit code 2. The build compiles main.c for this test with
 * its main renamed to tool_main.
 */
#include "check.h"

#include <stdio.h>
#include <unistd.h>
#include "asim/ext/command.h"

int tool_main(int argc, char **argv); /* main of tools/main.c */

/* Shows what it was called with; the exit code tells that it ran. */
static int echo(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("[%s]", argv[i]);
    return 7;
}

static const char *const link_names[] = {"chakra_trace_link", "trace_link", NULL};
static const struct asim_command analytical = {{"analytical", "Run it.", NULL, 0}, echo, NULL};
static const struct asim_command linker = {{"link", "Join files.", NULL, 0}, echo, link_names};
static const struct asim_command maker = {{"make", "Make one.", NULL, 0}, echo, NULL};
const struct asim_member *const asim_command_table[] = {&analytical.member, NULL};
const struct asim_member *const asim_trace_command_table[] = {&linker.member, NULL};
const struct asim_member *const asim_topo_command_table[] = {&maker.member, NULL};
const struct asim_member *const asim_scenario_command_table[] = {NULL};

/* words: the command line, cut at blanks. out: part of stdout; err: part of stderr. */
static const struct {
    const char *words;
    int code;
    const char *out, *err;
} rows[] = {
    {"asim", 0, "analytical  Run it.", ""},
    {"asim --help", 0, "trace       Make, convert, check and show execution traces.", ""},
    {"asim -h", 0, "usage: asim COMMAND", ""},
    {"asim help", 0, "usage: asim COMMAND", ""},
    {"asim --version", 0, "asim 0.1.0", ""},
    {"asim help analytical", 7, "[analytical][--help]", ""},
    {"asim help trace", 0, "link  Join files.", ""},
    {"asim help trace link", 7, "[link][--help]", ""},
    {"asim trace", 0, "usage: asim trace COMMAND", ""},
    {"asim trace --help", 0, "link  Join files.", ""},
    {"asim topo", 0, "make  Make one.", ""},
    {"asim analytical --x=1 y", 7, "[analytical][--x=1][y]", ""},
    {"asim analytical --help", 7, "[analytical][--help]", ""},
    {"asim analytical --version", 0, "asim 0.1.0", ""},
    {"/usr/bin/asim trace link a", 7, "[link][a]", ""},
    {"bin/chakra_trace_link --x", 7, "[link][--x]", ""},
    {"trace_link help", 7, "[link][help]", ""},
    {"asim analitical", 2, "", "unknown command 'analitical'. Did you mean 'analytical'?"},
    {"asim trcae link", 2, "", "unknown command 'trcae'. Did you mean 'trace'?"},
    {"asim topo mkae", 2, "", "unknown command 'topo mkae'. Did you mean 'make'?"},
    {"asim link", 2, "", "Did you mean 'asim trace link'?"},
    {"asim trace analytical", 2, "", "Did you mean 'asim analytical'?"},
    {"asim help nothing", 2, "", "unknown command 'nothing'. 'asim --help' lists the commands."},
    {"asim --bogus", 2, "", "unknown command '--bogus'."},
    {"asim trace trace", 2, "", "unknown command 'trace trace'."},
};

static const char *take(FILE *file, char *buf, size_t size)
{
    rewind(file);
    buf[fread(buf, 1, size - 1, file)] = '\0';
    return buf;
}

/* Sends descriptor `from` to `to` until put_back. Returns the descriptor it was. */
static int divert(int from, FILE *to)
{
    int kept = dup(from);
    return kept >= 0 && dup2(fileno(to), from) >= 0 ? kept : -1;
}

static void put_back(int kept, int from)
{
    dup2(kept, from);
    close(kept);
}

/* Runs the tool on the words; its output lands in the two files. */
static int run_words(const char *words, FILE *out, FILE *err)
{
    char line[200], *argv[10];
    int argc = 0;
    snprintf(line, sizeof line, "%s", words);
    for (char *word = strtok(line, " "); word && argc < 9; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    int kept_out = divert(1, out), kept_err = divert(2, err);
    int code = tool_main(argc, argv);
    put_back(kept_out, 1);
    put_back(kept_err, 2);
    return code;
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *out = tmpfile(), *err = tmpfile();
        char got_out[2000], got_err[2000];
        if (!out || !err)
            return 1;
        int code = run_words(rows[i].words, out, err);
        take(out, got_out, sizeof got_out);
        take(err, got_err, sizeof got_err);
        int good = code == rows[i].code && strstr(got_out, rows[i].out) &&
                   strstr(got_err, rows[i].err) && !*rows[i].err == !*got_err;
        if (!good)
            fprintf(stderr, "%s: code %d\n%s%s", rows[i].words, code, got_out, got_err);
        CHECK(good);
        fclose(out);
        fclose(err);
    }
    return CHECK_DONE();
}
