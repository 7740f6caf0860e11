/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Linking a small job while memory runs out at each allocation in turn: always
 * ASIM_ENOMEM, nothing left allocated, no output under its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "link/link.h"
#include "nomem.h"
#include "converter/small_traces.h"

static char folder[] = "/tmp/asim-nomem-XXXXXX";
static char host_path[100], device_path[100], linked_path[100];

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static int scenario(struct asim_err *err)
{
    struct asim_link_options opt = {host_path, device_path, linked_path, 0, 1};
    struct asim_linking link;
    int code = asim_link_run(&link, &opt, err);

    if (!code) {
        CHECK_U64(link.counts.gpu_linked, 1);
        CHECK_U64(link.counts.sync_deps, 1);
        CHECK_U64(link.host.parents_assigned, 1);
    } else {
        CHECK(access(linked_path, F_OK) != 0);
    }
    asim_link_fini(&link);
    return code;
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(host_path, sizeof host_path, "%s/host.json", folder);
    snprintf(device_path, sizeof device_path, "%s/device.json", folder);
    snprintf(linked_path, sizeof linked_path, "%s/linked.json", folder);
    save(host_path, host_text);
    save(device_path, device_text);
    nomem_run(scenario);
    remove(host_path);
    remove(device_path);
    remove(linked_path);
    rmdir(folder);
    return CHECK_DONE();
}
