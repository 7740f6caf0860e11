/* SPDX-License-Identifier: GPL-2.0-only
 *
 * File names of PyTorch traces: role and rank, with and without a model tag.
 */
#include "pytorch/folder.h"
#include "check.h"

static void test_names(void)
{
    static const struct {
        const char *name, *tag;
        int role;
        uint32_t rank;
    } cases[] = {{"host_0.json", NULL, 'h', 0},
                 {"host_12.json.gz", NULL, 'h', 12},
                 {"device_3.json", NULL, 'd', 3},
                 {"host.7.json", NULL, 'h', 7},
                 {"device.7.json.gz", NULL, 'd', 7},
                 {"pytorch_et_1.json", NULL, 'h', 1},
                 {"kineto_1.json", NULL, 'd', 1},
                 {"kineto_trace_1.pt.trace.json", NULL, 'd', 1},
                 {"host_rank_2.json", NULL, 'h', 2},
                 {"host_resnet18_3.json", "resnet18", 'h', 3},
                 {"device_3_resnet18.json", "resnet18", 'd', 3},
                 {"resnet18_host_3.json.gz", "resnet18", 'h', 3},
                 {"rank0_trace.json", NULL, 'd', 0},
                 {"rank_12_trace.json.gz", NULL, 'd', 12},
                 {"n1_4711.1767600000123.pt.trace.json", NULL, 'd', ASIM_FOLDER_INSIDE},
                 {"worker0.1767600000123.pt.trace.json.gz", NULL, 'd', ASIM_FOLDER_INSIDE},
                 {"n1.example.org_4711.1767600000123.pt.trace.json", NULL, 'd', ASIM_FOLDER_INSIDE},
                 {"n1_4711.12.pt.trace.json", NULL, 0, 0},
                 {".1767600000123.pt.trace.json", NULL, 0, 0},
                 {"n1_4711.1767600000123.pt.trace.json.bak", NULL, 0, 0},
                 {"n1_4711.1767600000123.pt.trace.json", "m", 0, 0},
                 {"rank0_traces.json", NULL, 0, 0},
                 {"rank_trace.json", NULL, 0, 0},
                 {"rank1234567890_trace.json", NULL, 0, 0},
                 {"host_3.json", "resnet18", 0, 0},
                 {"host_resnet18_3.json", NULL, 0, 0},
                 {"host_x.json", NULL, 0, 0},
                 {"host_3.txt", NULL, 0, 0},
                 {"host.json", NULL, 0, 0},
                 {"hosts_3.json", NULL, 0, 0},
                 {"hdt_3.json", NULL, 0, 0},
                 {"host_9999999999.json", NULL, 0, 0},
                 {"training_3.json", NULL, 0, 0},
                 {"", NULL, 0, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t rank = 0;
        int role = asim_folder_name(cases[i].name, cases[i].tag, &rank);

        if (role != cases[i].role || (role && rank != cases[i].rank)) {
            CHECK(0);
            fprintf(stderr, "  %s: role %d, rank %u\n", cases[i].name, role, (unsigned)rank);
        }
    }
}

static void test_patterns(void)
{
    static const struct {
        const char *pattern, *path;
        int fits;
        uint32_t rank;
    } cases[] = {{"rank{rank}.pt.trace.json", "rank12.pt.trace.json", 1, 12},
                 {"rank%d.json", "rank3.json", 1, 3},
                 {"rank*.json", "rank3.json", 1, 3},
                 {"*_{rank}.*.json", "node7_3.1700.json", 1, 3},
                 {"{rank}/t{rank}.json", "4/t4.json", 1, 4},
                 {"{rank}/t{rank}.json", "4/t5.json", 0, 0},
                 {"r{rank}0.json", "r120.json", 1, 12},
                 {"r{rank}?.json", "r1x.json", 1, 1},
                 {"*.json", "a/0.json", 0, 0},
                 {"*/{rank}.json", "a/0.json", 1, 0},
                 {"rank*.json", "rankx.json", 0, 0},
                 {"rank{rank}.json", "rank9999999999.json", 0, 0},
                 {"rank.json", "rank.json", 0, 0},
                 {"rank{rank}", "rank1.json", 0, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t rank = 0;
        int fits = asim_folder_fits(cases[i].pattern, cases[i].path, &rank);

        CHECK(fits == cases[i].fits && rank == cases[i].rank);
    }
}

static void test_missing(void)
{
    struct asim_folder folder;
    struct asim_err err = {0};

    CHECK(asim_folder_read(&folder, "/nonexistent/folder", &(struct asim_folder_names){0}, &err) !=
          0);
    CHECK(strstr(err.text, "cannot open this folder") != NULL);
    asim_folder_fini(&folder);
}

int main(void)
{
    test_names();
    test_patterns();
    test_missing();
    return CHECK_DONE();
}
