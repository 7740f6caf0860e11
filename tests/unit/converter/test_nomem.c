/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Linking a small job while memory runs out at each allocation in turn: always
 * ASIM_ENOMEM, nothing left allocated, no output under its name. The sources are compiled into this
 * file, so what is static in several of them is renamed here.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/mem.h"
#include "base/io/out.h"
#include "base/text.h"
#include "json/print.h"
#include "link/link.h"
#include "nomem.h"
#include "converter/small_traces.h"

#include "../../../core/base/mem.c"
#ifdef ASIM_ASAN
#include "../../../core/base/mem_asan.c"
#else
#include "../../../core/base/mem_fast.c"
#endif
#include "../../../core/base/io/out.c"
#include "../../../converter/json/value.c"
#include "../../../converter/json/access.c"
#include "../../../converter/json/print.c"
#include "../../../converter/json/reader.c"
#include "../../../converter/json/reread.c"
#define fill  unpack_fill
#define begin unpack_begin
#define step  unpack_step
#define fail  unpack_fail
#include "../../../converter/json/unpack.c"
#undef fill
#undef begin
#undef step
#undef fail
#include "../../../converter/lib/index.c"
#define load         kineto_load
#define bad          kineto_bad
#define times        kineto_times
#define read_members kineto_read_members
#define add_member   kineto_add_member
#include "../../../converter/link/kineto.c"
#undef load
#undef bad
#undef times
#undef read_members
#undef add_member
#include "../../../converter/link/listed.c"
#include "../../../converter/link/nesting.c"
#include "../../../converter/link/launch.c"
#define load host_load
#define bad  host_bad
#include "../../../converter/link/host.c"
#undef load
#undef bad
#include "../../../converter/link/hostprint.c"
#include "../../../converter/link/assign_parent.c"
#define see_node match_see_node
#include "../../../converter/link/match.c"
#undef see_node
#define equal align_equal
#include "../../../converter/link/align.c"
#undef equal
#define number group_number
#define key_of group_key_of
#include "../../../converter/link/group.c"
#undef number
#undef key_of
#undef LOOK_AHEAD
#define add sync_add
#include "../../../converter/link/sync.c"
#undef add
#define write link_write
#include "../../../converter/link/write.c"
#undef write
#include "../../../converter/link/link.c"

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
        CHECK_U64(link.host.adopted, 1);
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
