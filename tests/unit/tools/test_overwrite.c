/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every option of every command that names a file to write: what others read is replaced with
 * --force only, results are replaced without it. Results stand below, so that a new option is
 * decided upon.
 */
#include "check.h"
#include "asim/asim.h"
#include "asim/ext/command.h"
#include "cli/args.h"
#include "cli/files.h"
#include "every_command.h"

static const char *const results[] = {
    "inference --out",
    "manual --out",
    "nccl --out",
    "nccl-tests --csv",
    "nccl-tests --json",
    "nccl-tests --plot",
    "report --out",
    "run --output-dir",
    "settings --logging-folder",
    "settings --network-outputs",
    "settings --out",
    "settings --pcap",
    "simai --csv",
    "simai-analytical --r",
    "simai-analytical --r_f",
    "sweep --output-dir",
    "what-if --output-dir",
    "topo draw --out",
    "trace draw --out",
    "trace timeline --out",
};
static size_t asked, free_ones;

static int is_result(const char *name)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (!strcmp(results[i], name))
            return 1;
    return 0;
}

static void put(const char *path)
{
    FILE *file = fopen(path, "w");

    CHECK(file && !fclose(file));
}

/* Of a command line with that option alone. */
static int check(const struct asim_option *table, void *base, int force, struct asim_err *err)
{
    struct asim_args args = {.tables = {{table, base}}};

    args.limits.force = force;
    memset(err, 0, sizeof *err);
    return asim_files_check(&args, 0, err);
}

static void look(const char *command, const struct asim_option *table, size_t size)
{
    for (const struct asim_option *row = table; row && row->key; row++) {
        int is_set = (row->flags & ASIM_F_SET) != 0;
        struct asim_err err = {0};
        char name[128];
        void *base;

        if (row->type != ASIM_T_STRING || !(row->flags & ASIM_F_WRITES))
            continue;
        snprintf(name, sizeof name, "%s --%s", command, row->key);
        base = calloc(1, size);
        CHECK(base && !asim_option_defaults(table, base, &err));
        CHECK(!asim_option_parse(row, base, "overwrite_out", (struct asim_where){"", 0, 0}, &err));
        CHECK(!check(table, base, 0, &err)); /* nothing is there */
        put(is_set ? "overwrite_out.3.et" : "overwrite_out");
        CHECK(!check(table, base, 1, &err));
        if (is_result(name)) {
            CHECK(!check(table, base, 0, &err));
            free_ones++;
        } else {
            if (check(table, base, 0, &err) != ASIM_EINVAL)
                fprintf(stderr, "%s replaces a file unasked\n", name);
            CHECK(strstr(err.text, "exists already; give --force"));
            asked++;
        }
        remove("overwrite_out.3.et");
        remove("overwrite_out");
        asim_option_fini(table, base);
        free(base);
    }
}

static void see(const char *name, const struct asim_command *command)
{
    look(name, command->member.options, command->member.options_size);
}

int main(void)
{
    remove("overwrite_out.3.et");
    remove("overwrite_out");
    every_command(see);
    look("settings", asim_settings_options, sizeof(struct asim_settings));
    CHECK(asked > 20);
    CHECK_U64(free_ones, sizeof results / sizeof *results);
    return CHECK_DONE();
}
