/* SPDX-License-Identifier: GPL-2.0-only
 *
 * More nodes take no less, nor do more bytes, whatever NCCL chooses, on every machine that the
 * program carries, of all GPUs of a node and of some. What is left out has a measured row: rings
 * where they are slow, trees where every byte crosses a NIC, sends that a processor copies, and
 * more nodes than NVLS's one domain or one of xGMI (predict.c). Bytes within an algorithm are in
 * golden/machine/monotone.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include "asim/machine.h"

static int ask(struct asim_nccl_time *time, const struct asim_nccl_job *job)
{
    struct asim_err err = {0};

    return asim_nccl_predict(time, job, &err);
}

/* copied_bytes: rings whose small messages are copied (gh200_alps). */
static int is_slow(const struct asim_machine *m, const struct asim_nccl_time *time)
{
    if (time->algo == ASIM_NCCL_RING && m->copied_bytes > 0)
        return 1;
    return time->proto == ASIM_NCCL_LL &&
           (m->rendezvous_us > 0 || m->scale_up == ASIM_SCALE_UP_PCIE ||
            m->scale_up == ASIM_SCALE_UP_NIC);
}

static void check_nodes(struct asim_nccl_job job)
{
    static const uint32_t nodes[] = {1, 2, 3, 4, 6, 8, 10, 16, 32, 100, 256, 1024};
    double before = 0;

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct asim_nccl_time time;

        job.nodes = nodes[i];
        if (ask(&time, &job))
            continue;
        if (time.algo == ASIM_NCCL_NVLS ||
            (job.nodes == 1 && job.machine->generation >= ASIM_GENERATION_CDNA3))
            continue;
        if (time.us < .999 * before)
            printf("%s op %d, %u x %u, %llu bytes: %.2f us, %.2f on fewer nodes\n",
                   job.machine->name, job.op, job.nodes, job.gpus, (unsigned long long)job.bytes,
                   time.us, before);
        CHECK(time.us >= .999 * before);
        if (!is_slow(job.machine, &time) && time.us > before)
            before = time.us;
    }
}

/* Doublings of the bytes. Times taken from other nodes may fall by 3 %. */
static void check_bytes(struct asim_nccl_job job)
{
    static const uint32_t nodes[] = {1, 2, 4, 10, 64, 256};

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        double before = 0;

        job.nodes = nodes[i];
        for (job.bytes = 1024; job.bytes <= 1ull << 34; job.bytes *= 2) {
            struct asim_nccl_time time;

            if (ask(&time, &job))
                continue;
            if (time.us < .97 * before)
                printf("%s op %d, %u x %u, %llu bytes: %.2f us, %.2f of half\n", job.machine->name,
                       job.op, job.nodes, job.gpus, (unsigned long long)job.bytes, time.us, before);
            CHECK(time.us >= .97 * before);
            before = is_slow(job.machine, &time) ||
                             (job.machine->scale_up == ASIM_SCALE_UP_NIC &&
                              time.algo == ASIM_NCCL_TREE) ||
                             (job.machine->inject_bytes > 0 && time.algo == ASIM_NCCL_DIRECT)
                         ? 0
                         : time.us;
        }
    }
}

static void check_op(const struct asim_machine *machine, int op, uint32_t gpus)
{
    struct asim_nccl_job job = {machine, op, 2, gpus, 8, ASIM_NCCL_AUTO, -1};

    for (uint64_t bytes = 8; bytes <= 1ull << 34; bytes *= 8) {
        job.bytes = bytes;
        check_nodes(job);
    }
    check_bytes(job);
}

int main(void)
{
    for (size_t i = 0; asim_machine_file(i); i++) {
        struct asim_machine machine;
        struct asim_err err = {0};
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(asim_machine_file(i), "."),
                 asim_machine_file(i));
        CHECK(!asim_machine_read(&machine, name, &err));
        for (int op = 0; op < ASIM_NCCL_OPS; op++)
            for (uint32_t gpus = 1; gpus <= machine.gpus && op != ASIM_NCCL_HYPERCUBE; gpus *= 2)
                check_op(&machine, op, gpus);
        asim_machine_fini(&machine);
    }
    return CHECK_DONE();
}
