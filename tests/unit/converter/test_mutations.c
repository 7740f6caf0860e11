/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A small job with every fifth byte of its traces changed in turn (to something structural, to a
 * digit, to rubbish, or cut off there), linked and then converted and repaired: every run ends well
 * or with a sentence. The sanitizer build looks for everything else.
 */
#include <stdlib.h>
#include <unistd.h>
#include "convert/convert.h"
#include "link/link.h"
#include "repair/repair.h"
#include "check.h"

static char folder[] = "/tmp/asim-mutate-XXXXXX";
static char paths[4][100]; /* host, device, linked, et */
static unsigned long good, refused;

#define ATTRS(rf)                                                                                  \
    "\"attrs\": [{\"name\": \"rf_id\", \"value\": " #rf "}, {\"name\": \"tid\", \"value\": 1}]}"
#define IO                                                                                         \
    "\"inputs\": {\"values\": [[[3, 3, 0, 64, 4, \"cuda:0\"]], 9, [\"1\", \"g\"], 0, "             \
    "\"allreduce\"], \"shapes\": [], \"types\": [\"GenericList[Tensor(float)]\", \"Int\"]}, "

static const char host_text[] =
    "{\"schema\": \"1.1.0\", \"pid\": 1, \"nodes\": [{\"id\": 1, \"name\": "
    "\"[pytorch|profiler|execution_trace|process]\", \"ctrl_deps\": 1, \"attrs\": []},{\"id\": 2, "
    "\"name\": \"[pytorch|profiler|execution_trace|thread]\", \"ctrl_deps\": 1, " ATTRS(
        0) ","
           "{\"id\": 3, \"name\": \"record_param_comms\", \"ctrl_deps\": 2, " IO ATTRS(
               5) ","
                  "{\"id\": 4, \"name\": \"nccl:all_reduce\", \"ctrl_deps\": 3, " ATTRS(
                      6) ","
                         "{\"id\": 5, \"name\": \"## process_group:init ##\", \"ctrl_deps\": 2, "
                         "\"inputs\": {\"values\":"
                         " [\"[{\\\"pg_name\\\": \\\"1\\\", \\\"ranks\\\": [0, 1]}]\"]}, " ATTRS(
                             7) "]}";

static const char device_text[] =
    "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"record_param_comms\", "
    "\"pid\": 1, \"tid\": 1, \"ts\": 10, \"dur\": 20.5, \"args\": {\"External id\": 1, \"Record "
    "function id\": 5}},{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
    "\"nccl:all_reduce\","
    " \"pid\": 1, \"tid\": 1, \"ts\": 11, \"dur\": 9, \"args\": {\"Record function id\": 6}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 1, "
    "\"tid\": "
    "1, \"ts\": 12, \"dur\": 1, \"args\": {\"correlation\": 7}},{\"ph\": \"X\", \"cat\": "
    "\"kernel\","
    " \"name\": \"ncclDevKernel_Generic\", \"ts\": 15, \"dur\": 10, \"args\": {\"correlation\": 7, "
    "\"stream\": 0, \"device\": 0}},{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"Stream "
    "Sync\", \"ts\": 30, \"dur\": 5, \"args\": {\"correlation\": 8, \"stream\": 0, \"device\": 0}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": 1, "
    "\"tid\": 1, \"ts\": 30, \"dur\": 5, \"args\": {\"correlation\": 8}}]}";

static void save(const char *path, const char *text, size_t n)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fwrite(text, 1, n, file) == n);
    if (file)
        fclose(file);
}

static void judge(int code, const struct asim_err *err)
{
    good += !code;
    refused += code != 0;
    CHECK(code <= 0 && code == err->code);
    CHECK(!code || (err->text[0] && err->text[strlen(err->text) - 1] == '.'));
}

static int try_link(void)
{
    struct asim_link_options opt = {paths[0], paths[1], paths[2], 0, 0};
    struct asim_linking link;
    struct asim_err err = {0};
    int code = asim_link_run(&link, &opt, &err);

    judge(code, &err);
    asim_link_fini(&link);
    return code;
}

static int try_convert(void)
{
    struct asim_convert_options opt = {.input = paths[2], .output = paths[3], .rank = 0};
    struct asim_convert cv;
    struct asim_err err = {0};
    int code = asim_convert_run(&cv, &opt, &err);

    judge(code, &err);
    asim_convert_fini(&cv);
    return code;
}

static void try_repair(void)
{
    struct asim_rankfile file = {paths[3], paths[3], 0, NULL};
    struct asim_repair_options opt = {.gpu_only = 1};
    struct asim_err err = {0};
    uint64_t problems;

    judge(asim_repair_run(&file, 1, &opt, &problems, &err), &err);
}

static void try_all(void)
{
    if (!try_link() && !try_convert())
        try_repair();
}

/* Every fifth byte of text, which stands in paths[which]. */
static void mutate(unsigned which, const char *text, size_t n, void (*attempt)(void))
{
    static const char to[] = "\"{]:,9-x\\\x80";
    char *copy = malloc(n);

    for (size_t i = which; copy && i < n; i += 5) {
        size_t way = i / 5 % (sizeof to - 1);

        memcpy(copy, text, n);
        copy[i] = to[way];
        save(paths[which], copy, n);
        attempt();
        if (i % 4 == 0) {
            save(paths[which], text, i);
            attempt();
        }
    }
    save(paths[which], text, n);
    free(copy);
}

static void attempt_convert(void)
{
    if (!try_convert())
        try_repair();
}

static void attempt_repair(void)
{
    try_repair();
}

static void mutate_file(unsigned which, void (*attempt)(void))
{
    FILE *file = fopen(paths[which], "r");
    static char text[20000];
    size_t n = file ? fread(text, 1, sizeof text, file) : 0;

    CHECK(n > 100);
    if (file)
        fclose(file);
    mutate(which, text, n, attempt);
}

int main(void)
{
    static const char *const names[] = {"host.json", "device.json", "linked.json", "x.0.et"};

    if (!mkdtemp(folder))
        return 1;
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    save(paths[0], host_text, sizeof host_text - 1);
    save(paths[1], device_text, sizeof device_text - 1);
    try_all();
    CHECK(good == 3 && !refused);
    mutate(0, host_text, sizeof host_text - 1, try_all);
    mutate(1, device_text, sizeof device_text - 1, try_all);
    try_all();
    mutate_file(2, attempt_convert);
    attempt_convert();
    mutate_file(3, attempt_repair);
    CHECK(good > 100 && refused > 100);
    for (int i = 0; i < 4; i++)
        remove(paths[i]);
    rmdir(folder);
    return CHECK_DONE();
}
