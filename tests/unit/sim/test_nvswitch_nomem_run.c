/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches that take part in collectives (sim/collective/nvswitch.c), in whole runs: the time of
 * NVLS in closed form, two servers with one NVSwitch, several NVSwitches in turn, and the error
 * where the GPUs of a server do not share an NVSwitch. Then every allocation of such a run fails
 * once: each failure ends in its error and leaves nothing behind.
 */
#include "nomem_malloc.h"
#include "runs.h"

enum { GPUS = 8, FIVE_STAGES = 5 };

static struct run_text text;
static char folder[128], system_file[200];

static void write_system(const char *words)
{
    FILE *file = fopen(system_file, "w");

    CHECK(file != NULL);
    if (!file)
        return;
    fprintf(file,
            "{\"endpoint-delay\": 3010, \"preferred-dataset-splits\": 1, "
            "\"active-chunks-per-dimension\": 4, %s}",
            words);
    CHECK(fclose(file) == 0);
    run_system = system_file;
}

static void write_traces(uint64_t bytes)
{
    const struct run_op op = {.type = ASIM_OP_COMM_COLL, .id = 1, .bytes = bytes, .comm_type = 0};

    for (uint32_t r = 0; r < GPUS; r++)
        run_trace(folder, r, &op, 1);
}

/* ns at which rank 0 ended, 0 if the run failed. */
static uint64_t run_ns(char *topology, struct asim_err *err)
{
    const char *at;

    run_topology = topology;
    memset(err, 0, sizeof *err);
    if (run_all(folder, NULL, &text, err))
        return 0;
    at = strstr(text.at, "sys[0] finished, ");
    return at ? strtoull(at + 17, NULL, 10) : 0;
}

/* A quarter is 4096 frames of 1036 bytes. At 2880 Gb/s a frame takes 3 ns, so a quarter takes 12288
 * ns, after a latency of 3010 ns. There are four stages up and one down, and each adds at most the
 * delay of 25 ns of four links and the way back of its acknowledgements. */
static void time_of_nvls(void)
{
    static char one[] = "auto:Spectrum-X,psn=1,gt=H100,nvbw=2880Gbps";
    static char two[] = "auto:Spectrum-X,psn=1,gt=H100,nvbw=1440Gbps,nsps=2";
    struct asim_err err;
    uint64_t ns, least = FIVE_STAGES * (12288 + 3010);

    write_system("\"all-reduce-implementation\": [\"ncclNvls\"]");
    ns = run_ns(one, &err);
    CHECK_STR(err.text, "");
    CHECK(ns >= least && ns < least + FIVE_STAGES * 250);
    /* Each of two NVSwitches of half the rate carries every other quarter, alone on its links. */
    ns = run_ns(two, &err);
    CHECK_STR(err.text, "");
    CHECK(ns >= least + FIVE_STAGES * 12288 && ns < least + FIVE_STAGES * (12288 + 250));
}

/* The algorithm's name says servers of four, and both servers hang on the NVSwitch of all eight. */
static void two_in_one(void)
{
    static char topology[] = "auto:Spectrum-X,psn=1,gt=H100,nvbw=2880Gbps";
    struct asim_err err;

    write_system("\"all-reduce-implementation\": [\"ncclNvlsTree4\"]");
    CHECK(run_ns(topology, &err) > 0);
    CHECK_STR(err.text, "");
}

static void refused_servers(void)
{
    static char dist[] = "auto:Spectrum-X,psn=1,gt=H100,gps=4";
    struct asim_err err;

    write_system("\"all-reduce-implementation\": [\"ncclNvls8\"]");
    CHECK_U64(run_ns(dist, &err), 0);
    CHECK(strstr(err.text, "joined to different NVSwitches") != NULL);
}

static void refuse_each(void)
{
    static char topology[] = "auto:Spectrum-X,psn=1,gt=H100,gps=4";
    struct asim_err err = {0};
    long n = 0;

    write_system("\"all-reduce-implementation\": [\"ncclNvlsTree\"]");
    run_topology = topology;
    do {
        int code;

        memset(&err, 0, sizeof err);
        refused = 0;
        left = n++;
        code = run_all(folder, NULL, &text, &err);
        left = -1;
        if (!code)
            continue;
        CHECK_U64(err.code, (uint64_t)ASIM_ENOMEM);
        CHECK(strstr(err.text, "memory") != NULL);
        if (check_failures) {
            fprintf(stderr, "  at allocation %ld, code %d: %s\n", n, code, err.text);
            break;
        }
    } while (refused && n < 100000);
    CHECK(n > 100 && !refused);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    snprintf(system_file, sizeof system_file, "%s/system.json", folder);
    write_traces(4 * 4096 * 1000);
    time_of_nvls();
    two_in_one();
    refused_servers();
    write_traces(8 * 5000);
    refuse_each();
    unlink(system_file);
    run_remove(folder, GPUS);
    return CHECK_DONE();
}
