/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's topology of a host, as NCCL_TOPO_DUMP_FILE writes it: <cpu> with <pci>, <gpu> with
 * <nvlink>, <nic> with <net>. Only elements and attributes are read; NCCL writes neither text nor
 * entities.
 */
#include "tools/machine/import.h"

#include <stdlib.h>
#include <string.h>

/* The value of an attribute in `element`, which ends at its >, into out; "" where there is none. */
static void attribute(const char *element, const char *name, char *out, size_t size)
{
    const char *end = element + strcspn(element, ">");
    size_t n = strlen(name), used = 0;

    out[0] = '\0';
    for (const char *at = element + 1; at < end; at++) {
        if (!strchr(" \n\t", at[-1]) || strncmp(at, name, n) || strncmp(at + n, "=\"", 2))
            continue;
        for (at += n + 2; *at && *at != '"' && used + 1 < size; at++)
            out[used++] = *at;
        out[used] = '\0';
        return;
    }
}

static double number(const char *element, const char *name)
{
    char text[64];

    attribute(element, name, text, sizeof text);
    return atof(text);
}

static int is_element(const char *at, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(at + 1, name, n) && (at[n + 1] == ' ' || at[n + 1] == '\n');
}

static void read_cpu(struct asim_import_host *found, const char *at)
{
    char arch[32], vendor[32];

    attribute(at, "arch", arch, sizeof arch);
    attribute(at, "vendor", vendor, sizeof vendor);
    if (!strcmp(arch, "arm64"))
        found->cpu = ASIM_CPU_ARM;
    else if (vendor[0])
        found->cpu = strstr(vendor, "AMD") ? ASIM_CPU_AMD : ASIM_CPU_INTEL;
}

static void read_gpu(struct asim_import_host *found, const char *at)
{
    int sm = (int)number(at, "sm");

    found->gpus++;
    if (sm > 0)
        found->generation = sm >= 100  ? ASIM_GENERATION_BLACKWELL
                            : sm >= 90 ? ASIM_GENERATION_HOPPER
                            : sm >= 80 ? ASIM_GENERATION_AMPERE
                                       : ASIM_GENERATION_VOLTA;
}

/* Of the first GPU. NVLink 2 to 4 carry 25 GB/s a link and direction, NVLink 5 50. A target of PCI
 * class 0x0680 is an NVSwitch. */
static void read_nvlink(struct asim_import_host *found, const char *at)
{
    double count = number(at, "count");
    char target[32];

    if (found->gpus != 1)
        return;
    attribute(at, "tclass", target, sizeof target);
    found->scale_up = strncmp(target, "0x0680", 6) ? ASIM_SCALE_UP_MESH : ASIM_SCALE_UP_NVSWITCH;
    found->nvlink_gbytes +=
        (count > 0 ? count : 1) * (found->generation == ASIM_GENERATION_BLACKWELL ? 50 : 25);
}

/* "32.0 GT/s PCIe" and a width of 16; from PCIe 3 on 128 of 130 bits are data. */
static void read_pci(struct asim_import_host *found, const char *at, double *last)
{
    (void)found;
    *last = number(at, "link_speed") * number(at, "link_width") / 8 * 128 / 130;
}

static void read_element(struct asim_import_host *found, const char *at, double *pcie)
{
    if (is_element(at, "cpu"))
        read_cpu(found, at);
    else if (is_element(at, "pci"))
        read_pci(found, at, pcie);
    else if (is_element(at, "gpu")) {
        read_gpu(found, at);
        found->pcie_gbytes = *pcie > found->pcie_gbytes ? *pcie : found->pcie_gbytes;
    } else if (is_element(at, "nvlink"))
        read_nvlink(found, at);
    else if (is_element(at, "net") && number(at, "speed") > 0) {
        found->nics++;
        found->nic_gbytes = number(at, "speed") / 8000;
    }
}

int asim_import_nccl(struct asim_import_host *found, char *text, const char *path,
                     struct asim_err *err)
{
    double pcie = 0;

    for (const char *at = text; (at = strchr(at, '<')) != NULL; at++)
        read_element(found, at, &pcie);
    if (!found->gpus)
        return asim_err_at(
            err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
            "this XML has no <gpu>; expected the file that NCCL writes with NCCL_TOPO_DUMP_FILE.");
    if (found->scale_up < 0)
        found->scale_up = ASIM_SCALE_UP_PCIE;
    return 0;
}
