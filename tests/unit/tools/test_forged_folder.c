/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run's folder made by somebody else, with the right digests: no text of it steers the terminal.
 */
#include "check.h"

#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>
#include "asim/ext/command.h"
#include "base/io/digest.h"
#include "base/io/json.h"
#include "cli/args.h"

extern const struct asim_command asim_trace_command_generate, asim_command_packet,
    asim_command_report;

static const char *const evil = "a\033[2J\007\u202e";
static int forged;

/* Both streams of `asim report` without an escape. */
static void report(const char *what)
{
    char *words[] = {"report", "forged_run", "--fail-if=time>1h", NULL};
    char *text[] = {"report", "forged_run", "--text", NULL};
    int streams[] = {dup(1), dup(2)}, file;
    FILE *said;

    fflush(stdout);
    file = open("forged_said", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && dup2(file, 1) == 1 && dup2(file, 2) == 2);
    asim_args_command(&asim_command_report, 3, words);
    asim_args_command(&asim_command_report, 3, text);
    fflush(stdout);
    dup2(streams[0], 1);
    dup2(streams[1], 2);
    said = fdopen(file, "r");
    CHECK(said && !fseek(said, 0, SEEK_END) && ftell(said) > 0);
    rewind(said);
    for (int c; (c = fgetc(said)) != EOF;)
        if (c == '\033' || c == '\007' || c == 0xe2) {
            fprintf(stderr, "%s reaches the terminal\n", what);
            CHECK(c == 0);
            break;
        }
    fclose(said);
    close(streams[0]);
    close(streams[1]);
    forged++;
}

/* The file with its root in place of what it had, and both digests. */
static void put(const char *name, json_t *root)
{
    struct asim_err err = {0};
    char path[64];

    snprintf(path, sizeof path, "forged_run/%s", name);
    if (!strcmp(name, "identity.json")) {
        CHECK(!asim_digest_write(path, root, &err));
        return;
    }
    CHECK(!json_dump_file(root, path, JSON_INDENT(2)));
    CHECK(!asim_digest_keep("forged_run", name, &err));
}

/* Each text below `value` in turn. Digests are found out by the readers. */
static void forge(const char *name, json_t *root, json_t *value)
{
    json_t *child;
    const char *key;
    size_t i;

    json_object_foreach(value, key, child)
    {
        if (json_is_string(child)) {
            json_t *was = json_copy(child);

            if (!strcmp(key, "digest")) {
                json_decref(was);
                continue;
            }
            json_object_set_new(value, key, json_string(evil));
            put(name, root);
            report(key);
            json_object_set_new(value, key, was);
        } else if (strcmp(key, "files")) {
            forge(name, root, child);
        }
    }
    json_array_foreach(value, i, child) if (i < 2) forge(name, root, child);
}

int main(void)
{
    static const char *const names[] = {"identity.json", "summary.json", "topology.json",
                                        "network.json"};
    char *make[] = {"generate", "--output=forged", "--force", NULL};
    char *run[] = {
        "packet", "--workload=forged", "--output=forged_run", "--topology=auto:1d", "--quiet",
        NULL};
    struct asim_err err = {0};

    CHECK(!asim_args_command(&asim_trace_command_generate, 3, make));
    CHECK(!asim_args_command(&asim_command_packet, 5, run));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        json_t *root;

        snprintf(path, sizeof path, "forged_run/%s", names[i]);
        CHECK(!asim_json_read(&root, path, &err));
        forge(names[i], root, root);
        put(names[i], root);
        json_decref(root);
    }
    CHECK(forged > 20);
    return CHECK_DONE();
}
