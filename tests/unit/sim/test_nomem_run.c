/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every allocation of a whole run fails once: reading traces, building the network, collectives,
 * messages, reports. The linker replaces malloc for this test (tests/CMakeLists.txt, --wrap), so
 * the core is unchanged. Each failure must end in its error, never in a crash, and leave no half
 * file; the sanitizer build finds leaks.
 */
#include "nomem_malloc.h"
#include "runs.h"

static void write_traces(const char *folder)
{
    static const uint64_t sizes[] = {3000, 0, 1024}; /* an all-to-all-v */
    const struct run_op common[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 2},
        {.type = ASIM_OP_COMM_COLL, .id = 2, .bytes = 9000, .comm_type = 0, .after = 1},
        {.type = ASIM_OP_COMM_COLL, .id = 3, .bytes = 4096, .comm_type = 6, .after = 2},
    };

    for (uint32_t r = 0; r < 3; r++) {
        struct run_op ops[6] = {common[0], common[1], common[2]};

        ops[3] = (struct run_op){.type = ASIM_OP_COMM_SEND,
                                 .id = 4,
                                 .bytes = 5000,
                                 .peer = (r + 1) % 3,
                                 .tag = 9,
                                 .after = 3};
        ops[4] = (struct run_op){.type = ASIM_OP_COMM_RECV,
                                 .id = 5,
                                 .bytes = 5000,
                                 .peer = (r + 2) % 3,
                                 .tag = 9,
                                 .after = 1};
        ops[5] = (struct run_op){
            .type = ASIM_OP_COMM_COLL, .id = 6, .comm_type = 6, .after = 3, .sizes = sizes};
        run_trace(folder, r, ops, 6);
    }
}

static void refuse_each(const char *folder, const char *out)
{
    static struct run_text good, text;
    struct asim_err err = {0};
    long n = 0;

    CHECK(run_all(folder, out, &good, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK(run_reports(out, "") >= 2);
    run_remove_reports(out);
    do {
        int code;

        memset(&err, 0, sizeof err);
        refused = 0;
        left = n++;
        code = run_all(folder, out, &text, &err);
        left = -1;
        if (code == 0) { /* no allocation failed, or the run needs none of it */
            CHECK_STR(text.at, good.at);
            run_remove_reports(out);
            continue;
        }
        CHECK_U64(err.code, (uint64_t)ASIM_ENOMEM);
        CHECK(strstr(err.text, "memory") != NULL);
        CHECK(run_reports(out, ".partial") == 0);
        run_remove_reports(out); /* complete files, where the last report failed */
        if (check_failures) {
            fprintf(stderr, "  at allocation %ld, code %d: %s\n", n, code, err.text);
            break;
        }
    } while (refused && n < 100000);
    fprintf(stderr, "%ld allocations\n", n);
    CHECK(n > 100);
    run_remove_reports(out);
}

int main(void)
{
    static char unaware[] = "unaware", aware[] = "aware";
    char *const modes[] = {NULL, unaware, aware};
    char folder[128], out[160];

    run_folder(folder, sizeof folder);
    snprintf(out, sizeof out, "%s/out", folder);
    write_traces(folder);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        run_mode = modes[i];
        refuse_each(folder, out);
    }
    run_remove(folder, 3);
    return CHECK_DONE();
}
