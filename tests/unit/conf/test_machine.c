/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Machine files: every machine that the program carries, values with and without a source, and what
 * is refused, with its line.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "asim/machine.h"

static void check_carried(void)
{
    for (size_t i = 0; asim_machine_file(i); i++) {
        struct asim_machine machine;
        struct asim_err err = {0};
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(asim_machine_file(i), "."),
                 asim_machine_file(i));
        CHECK(!asim_machine_read(&machine, name, &err));
        CHECK(machine.name && !strcmp(machine.name, name));
        CHECK(machine.about && machine.nic_gbytes > 0 && machine.gpus > 0);
        asim_machine_fini(&machine);
    }
}

static void write_file(const char *text)
{
    FILE *file = fopen("machine.json", "w");

    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void check_values(void)
{
    struct asim_machine machine;
    struct asim_err err = {0};

    write_file(
        "{\"name\": \"a\", \"gpus\": {\"value\": 4, \"source\": \"x\"}, \"nic_gbytes\": 25,\n"
        "\"copy_ll128_gbytes\": 7, \"generation\": \"cdna3\"}");
    CHECK(!asim_machine_read(&machine, "machine.json", &err));
    CHECK_U64(machine.gpus, 4);
    CHECK(machine.nic_gbytes == 25 && machine.copy_gbytes[ASIM_NCCL_LL128] == 7);
    CHECK(machine.generation == ASIM_GENERATION_CDNA3);
    CHECK(machine.ring_net_us[ASIM_NCCL_LL] == 2.7 && machine.tree_net_us[ASIM_NCCL_SIMPLE] == 14);
    asim_machine_fini(&machine);
}

/* Latencies that a file leaves out follow the wire: a longer one counts twice with Simple, and
 * twice for a send; kernels follow the generation. */
static void check_left_out(void)
{
    struct asim_machine machine;
    struct asim_err err = {0};

    write_file(
        "{\"name\": \"a\", \"wire_us\": 3.3, \"net_ll128_us\": 1, \"generation\": \"ampere\"}");
    CHECK(!asim_machine_read(&machine, "machine.json", &err));
    CHECK(fabs(machine.net_us[ASIM_NCCL_SIMPLE] - 9) < 1e-9);
    CHECK(fabs(machine.net_us[ASIM_NCCL_LL] - 4) < 1e-9);
    CHECK(fabs(machine.net_us[ASIM_NCCL_LL128] - 1) < 1e-9);
    CHECK(fabs(machine.p2p_net_us - 18) < 1e-9);
    CHECK(fabs(machine.copy_gbytes[ASIM_NCCL_SIMPLE] - 14.5) < 1e-9);
    asim_machine_fini(&machine);
    write_file("{\"name\": \"a\", \"nic_ns\": 1000, \"p2p_net_us\": 3}");
    CHECK(!asim_machine_read(&machine, "machine.json", &err));
    CHECK(fabs(machine.net_us[ASIM_NCCL_LL] - 3) < 1e-9);
    CHECK(fabs(machine.p2p_net_us - 3) < 1e-9);
    CHECK(fabs(machine.slice_us - 4.4) < 1e-9);
    CHECK(fabs(machine.nic_efficiency - .9) < 1e-9);
    CHECK(fabs(machine.p2p_peer_us - .8) < 1e-9);
    CHECK(fabs(machine.nvls_us - 20) < 1e-9);
    CHECK(fabs(machine.ring_nvlink_us[ASIM_NCCL_LL] - .6) < 1e-9);
    CHECK(fabs(machine.ring_nvlink_us[ASIM_NCCL_LL128] - 1.9) < 1e-9);
    asim_machine_fini(&machine);
    write_file(
        "{\"name\": \"a\", \"generation\": \"blackwell\", \"slice_us\": 4, \"cpu\": \"amd\"}");
    CHECK(!asim_machine_read(&machine, "machine.json", &err));
    CHECK(fabs(machine.p2p_peer_us - 2) < 1e-9);
    CHECK(fabs(machine.slice_us - 4) < 1e-9);
    CHECK(fabs(machine.ring_nvlink_us[ASIM_NCCL_LL] - 1.9) < 1e-9);
    asim_machine_fini(&machine);
    write_file("{\"name\": \"a\", \"generation\": \"blackwell\", \"scale_up\": \"pcie\"}");
    CHECK(!asim_machine_read(&machine, "machine.json", &err));
    CHECK(fabs(machine.ring_nvlink_us[ASIM_NCCL_LL] - 1) < 1e-9);
    asim_machine_fini(&machine);
}

static void refuse(const char *text, unsigned line, const char *sentence)
{
    struct asim_machine machine;
    struct asim_err err = {0};

    write_file(text);
    CHECK(asim_machine_read(&machine, "machine.json", &err) == ASIM_EINVAL);
    CHECK_U64(err.line, line);
    CHECK(strstr(err.text, sentence) != NULL);
    asim_machine_fini(&machine);
}

int main(void)
{
    check_carried();
    check_values();
    check_left_out();
    refuse("{\"gpus\": 4}", 0, "\"name\" is missing");
    refuse("{\"name\": \"a b\"}", 0, "letters, digits");
    refuse("{\"name\": \"a\",\n\"gpu_count\": 4}", 2, "gpu_count");
    refuse("{\"name\": \"a\",\n\n\"nics\": {\"source\": \"x\"}}", 3, "without \"value\"");
    refuse("{\"name\": \"a\",\n\"nics\": \"8\"}", 2, "a number is expected");
    refuse("{\"name\": \"a\", \"nvls\": 1, \"scale_up\": \"mesh\"}", 0, "only NVSwitches");
    refuse("{\"name\": \"a\", \"ring_gbytes\": 370, \"nvlink_gbytes\": 100}", 0, "more than twice");
    return CHECK_DONE();
}
