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

/* Unknown options are refused before --help is obeyed. */
static void call(const char *name, const struct asim_command *command)
{
    char texts[][16] = {"command", "-q", "--quiet=1", "--force", "--help"};
    char *argv[] = {texts[0], texts[1], texts[2], texts[3], texts[4], NULL};
    int code = asim_args_command(command, 5, argv);

    if (code)
        fprintf(stderr, "%s -q --force --help: exit code %d\n", name, code);
    CHECK(!code);
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
