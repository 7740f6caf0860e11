/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of whole commands: making a training workload, estimating
 * it as SimAI-Analytical does, listing a collective's flows, and running such flows by name. The
 * linker puts our malloc in place of libc's (tests/CMakeLists.txt, --wrap). Each failure must end
 * with code 1 and the sentence for it; the sanitizer build says if it left memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/ext/command.h"
#include "check.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

extern const struct asim_command asim_trace_command_llm, asim_command_nccl,
    asim_command_simai_analytical, asim_command_packet;

static long left = -1; /* allocations until the one that fails; negative: none does */
static int refused;

static int refuse_now(void)
{
    if (left < 0)
        return 0;
    refused |= left == 0;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refuse_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse_now() ? NULL : __real_realloc(old, size);
}

/* What the command printed, both streams in one file. */
static char said[65536];

static int run_quietly(const struct asim_command *command, char **argv)
{
    int argc = 0, code, out = dup(1), err = dup(2);
    int file = open("nomem_said.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);

    while (argv[argc])
        argc++;
    fflush(NULL);
    dup2(file, 1);
    dup2(file, 2);
    code = command->run(argc, argv);
    left = -1;
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    lseek(file, 0, SEEK_SET);
    ssize_t n = read(file, said, sizeof said - 1);
    said[n > 0 ? n : 0] = 0;
    close(file);
    return code;
}

static void refuse_each(const struct asim_command *command, char **argv, long least)
{
    long n = 0, step = 1;

    CHECK_U64(run_quietly(command, argv), 0);
    do {
        refused = 0;
        left = n;
        int code = run_quietly(command, argv);

        CHECK(code == 0 || code == 1 || (code == 2 && n < 20)); /* 2: its options' memory */
        CHECK(code == 0 || strstr(said, "memory") != NULL);
        if (check_failures) {
            fprintf(stderr, "  %s at allocation %ld, code %d: %s\n", command->member.name, n, code,
                    said);
            return;
        }
        step = n < 400 ? 1 : 37; /* the many of a run are alike */
        n += step;
    } while (refused && n < 200000);
    fprintf(stderr, "%s: %ld allocations\n", command->member.name, n);
    CHECK(n > least);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

int main(void)
{
    char *make[] = {"llm",
                    "--model=gpt-7b",
                    "--world-size=8",
                    "--tp=4",
                    "--sp",
                    "--layers=2",
                    "--global_batch=2",
                    "--roofline=H100",
                    "--et=nomem_et",
                    "-o",
                    "nomem_w.txt",
                    NULL};
    char *estimate[] = {"simai-analytical", "-w", "nomem_w.txt", "-g",  "8",    "-g_p_s", "8",
                        "-n_p_s",           "8",  "-nv",         "300", "-r_f", ".",      "-r",
                        "nomem-",           NULL};
    char *list[] = {"nccl", "--ranks=8", "--gpus-per-server=4", "--pxn", "-o", "nomem_flows.csv",
                    NULL};
    char *play[] = {"packet", "--workload=nomem_c.txt", "--system=nomem_s.json",
                    "--topology=auto:Spectrum-X,g=4,gps=2,psn=1", NULL};

    put("nomem_s.json", "{\"preferred-dataset-splits\": 1, \"endpoint-delay\": 10, "
                        "\"all-reduce-implementation\": [\"ncclTree\"], "
                        "\"all-gather-implementation\": [\"ncclPxn\"], "
                        "\"reduce-scatter-implementation\": [\"ncclAuto\"]}");
    put("nomem_c.txt", "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 "
                       "all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n2\n"
                       "a -1 1 ALLREDUCE 65536 1 ALLGATHER 65536 1 NONE 0 1\n"
                       "b -1 1 REDUCESCATTER 65536 1 NONE 0 1 NONE 0 1\n");
    refuse_each(&asim_trace_command_llm, make, 20);
    refuse_each(&asim_command_simai_analytical, estimate, 5);
    refuse_each(&asim_command_nccl, list, 5);
    refuse_each(&asim_command_packet, play, 100);
    return CHECK_DONE();
}
