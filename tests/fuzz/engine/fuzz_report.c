/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A file of a run's folder, named by the first line of the bytes, as asim report reads it: text,
 * JSON, thresholds and page. identity.json gets the digest of the file and of
 * its own values, which else were refused.
 */
#include "base/io/digest.h"
#include "base/io/json.h"
#include "fuzz/engine/words.h"
#include "tools/report/report.h"
#include "tools/report/threshold.h"

extern const struct asim_command asim_trace_command_generate, asim_command_packet;
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char *make[] = {"generate",    "--output=w",     "--ranks=2", "--type=all_reduce",
                    "--size=4KiB", "--compute-us=1", NULL};
    char *run[] = {"packet", "--workload=w", "--output=r", "--reports=all", "--quiet", NULL};

    (void)argc;
    (void)argv;
    words_folder();
    return asim_args_command(&asim_trace_command_generate, 6, make) ||
           asim_args_command(&asim_command_packet, 5, run);
}

static void note_digest(json_t *identity, const char *name, const char *path)
{
    struct asim_digest digest = {.word = {0}};
    char text[ASIM_DIGEST_TEXT];

    if (asim_digest_add_file(&digest, path, NULL) ||
        json_object_set_new(json_object_get(identity, "files"), name,
                            json_string(asim_digest_show(&digest, text))) ||
        asim_digest_write("r/identity.json", identity, NULL))
        abort();
}

/* An identity.json of others with the digest of its values, which else were refused. */
static void note_own_digest(const char *path)
{
    json_t *root = NULL;

    if (!asim_json_read(&root, path, NULL) && json_is_object(root) &&
        asim_digest_write(path, root, NULL))
        abort();
    json_decref(root);
}

/* A file of the run keeps its text as NAME.was while it is changed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *rest = memchr(data, '\n', size);
    char path[48], was[56], *text = NULL;
    static json_t *identity;
    const char *folder = "r", *name;
    struct asim_err err = {0};
    size_t n = rest ? (size_t)(rest - data) : 0;
    FILE *file;

    if (!n || n > 20 || memchr(data, '/', n) || memchr(data, 0, n))
        return 0;
    if (!identity && asim_json_read(&identity, "r/identity.json", &err))
        abort();
    snprintf(path, sizeof path, "r/%.*s", (int)n, (const char *)data);
    snprintf(was, sizeof was, "%s.was", path);
    name = path + 2;
    if (*name == '.' || rename(path, was) || !(file = fopen(path, "wb")))
        return 0;
    fwrite(rest + 1, 1, size - n - 1, file);
    fclose(file);
    if (strcmp(name, "identity.json"))
        note_digest(identity, name, path);
    else
        note_own_digest(path);
    target_judge(asim_report_text(folder, &text, &err), &err);
    free(text);
    memset(&err, 0, sizeof err);
    if (asim_threshold_judge(&folder, 1, "time>1ms,drops>0,exposed>=10%", 1, &err) < 0)
        target_judge(err.code, &err);
    memset(&err, 0, sizeof err);
    target_judge(asim_report_page(&folder, 1, "page.html", &err), &err);
    if (rename(was, path))
        abort();
    if (strcmp(name, "identity.json"))
        note_digest(identity, name, path);
    return 0;
}
