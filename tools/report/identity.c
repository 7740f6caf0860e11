/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the files of a run's folder with the digests in its identity.json.
 */
#include "tools/report/identity.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/io/digest.h"
#include "base/io/json.h"
#include "tools/report/table.h"

int asim_identity_has(const struct asim_identity *identity, const char *name)
{
    const json_t *files = json_object_get(identity->root, "files");
    const json_t *kept = json_object_get(files, name);
    char path[ASIM_TABLE_PATH];

    if (json_is_true(kept)) /* looked at before */
        return 1;
    snprintf(path, sizeof path, "%s/%s", identity->folder, name);
    return asim_digest_is_of(json_string_value(kept), path);
}

int asim_identity_open(struct asim_identity *identity, const char *folder, struct asim_err *err)
{
    char path[ASIM_TABLE_PATH];
    const char *text;

    memset(identity, 0, sizeof *identity);
    identity->folder = folder;
    snprintf(path, sizeof path, "%s/packet/summary.json", folder);
    if (!access(path, F_OK))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has the runs of several backends; name one, as %s/packet.", folder,
                            folder);
    snprintf(path, sizeof path, "%s/summary.json", folder);
    if (access(path, F_OK))
        return asim_err_set(
            err, ASIM_EINVAL,
            "%s has no summary.json: name the folder that a run wrote with --out=DIR.", folder);
    snprintf(path, sizeof path, "%s/identity.json", folder);
    if (!access(path, F_OK) && asim_json_read(&identity->root, path, err))
        return err->code;
    text = json_string_value(json_object_get(identity->root, "identity"));
    if (!text)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has no identity.json with the digests of its files, so they may be "
                            "of several runs; run the case again with --out=DIR.",
                            folder);
    if (!asim_digest_is_whole(identity->root))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s is not as the run wrote it; run the case again with --out=DIR.",
                            path);
    snprintf(identity->text, sizeof identity->text, "%s", text);
    if (asim_identity_has(identity, "summary.json"))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%s/summary.json is not as the run wrote it that has written "
                        "identity.json; run the case again with --out=DIR.",
                        folder);
}

void asim_identity_close(struct asim_identity *identity)
{
    json_decref(identity->root);
    identity->root = NULL;
}
