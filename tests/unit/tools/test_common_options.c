/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who knows the options of one command knows those of all: every command takes --quiet, -q and
 * --force, a name such as --out or -o means the same wherever it is taken, no letter of these
 * stands for something else, and the help has them all.
 */
#include "check.h"
#include "asim/asim.h"
#include "asim/ext/command.h"
#include "cli/args.h"
#include "every_command.h"

/* Names with one meaning, and the type of their rows. */
static const struct {
    const char *name, *key;
    enum asim_type type;
} shared[] = {{"quiet", "quiet", ASIM_T_BOOL},
              {"q", "quiet", ASIM_T_BOOL},
              {"force", "force", ASIM_T_BOOL},
              {"out", "out", ASIM_T_STRING},
              {"o", "out", ASIM_T_STRING}};

/* The folder of runs and of sweeps is --output-dir, since --out is that of one run there. */
static void look(const char *command, const struct asim_option *row)
{
    for (; row && row->key; row++)
        for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
            int is_it = !strcmp(row->key, shared[i].name) ||
                        (row->alias && !strcmp(row->alias, shared[i].name));
            int is_meant = !strcmp(row->key, shared[i].key) || !strcmp(row->key, "output-dir");

            if (is_it && (!is_meant || row->type != shared[i].type))
                fprintf(stderr, "%s --%s: --%s means something else in other commands\n", command,
                        row->key, shared[i].name);
            CHECK(!is_it || (is_meant && row->type == shared[i].type));
        }
}

/* Unknown options are refused before --help is obeyed, and an option that is given twice too. */
static void call(const char *name, const struct asim_command *command)
{
    /* These look for --help first. */
    int is_early = !strcmp(name, "simai") || !strcmp(name, "trace chakra");
    static const struct {
        const char *quiet, *force, *again;
        int code;
    } lines[] = {{"-q", "--force", "--help", 0},
                 {"--quiet=1", "--force=0", "--help", 0},
                 {"-q", "--quiet", "--help", ASIM_ARGS_USAGE},
                 {"--quiet=1", "--help", "--quiet=1", ASIM_ARGS_USAGE}};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char texts[4][16] = {"command"};
        char *argv[] = {texts[0], texts[1], texts[2], texts[3], NULL};
        int code;

        snprintf(texts[1], sizeof texts[1], "%s", lines[i].quiet);
        snprintf(texts[2], sizeof texts[2], "%s", lines[i].force);
        snprintf(texts[3], sizeof texts[3], "%s", lines[i].again);
        code = asim_args_command(command, 4, argv);
        if (code != lines[i].code && !is_early)
            fprintf(stderr, "%s %s %s %s: exit code %d\n", name, texts[1], texts[2], texts[3],
                    code);
        CHECK(code == lines[i].code || (is_early && !code));
    }
}

/* --help=all has a line of every option. */
static void read_help(const char *name, const struct asim_option *options)
{
    static char text[200000];
    FILE *file = tmpfile();
    char line[80];
    size_t n;

    CHECK(file);
    if (!file)
        return;
    asim_args_help(file, NULL, options, 1);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    for (const struct asim_option *row = options; row && row->key; row++) {
        snprintf(line, sizeof line, "\n  --%s=", row->key);
        if (!strstr(text, line) && strncmp(text, line + 1, strlen(line + 1)) != 0)
            fprintf(stderr, "%s --help=all lacks --%s\n", name, row->key);
        CHECK(strstr(text, line) || !strncmp(text, line + 1, strlen(line + 1)));
    }
}

static void see(const char *name, const struct asim_command *command)
{
    look(name, command->member.options);
    call(name, command);
    read_help(name, command->member.options);
}

int main(void)
{
    if (!freopen("/dev/null", "w", stdout)) /* all the help */
        return 1;
    every_command(see);
    look("settings", asim_settings_options);
    return CHECK_DONE();
}
