/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Looks for numbers of a machine that do not go together.
 */
#include "tools/machine/odd.h"

static int odd(int is_odd, const char *text, const struct asim_diagnostics *to)
{
    if (is_odd)
        asim_diagnose(to, "%s", text);
    return is_odd;
}

int asim_machine_odd(const struct asim_machine *m, const struct asim_diagnostics *to)
{
    int n = 0;

    n += odd(m->nics > m->gpus, "more NICs than GPUs: NCCL uses one ring a NIC; are some merged?",
             to);
    n += odd(m->gpus % m->nics != 0 && m->nics % m->gpus != 0,
             "GPUs are no multiple of NICs, nor NICs of GPUs: which GPU is near which NIC?", to);
    n += odd(m->nic_gbytes > m->pcie_gbytes && m->pcie_gbytes > 0,
             "nic_gbytes is above pcie_gbytes: PCIe would hold the NIC back; GB/s, not Gb/s?", to);
    n += odd(m->ring_gbytes > m->nvlink_gbytes, "ring_gbytes is above the line rate nvlink_gbytes",
             to);
    n += odd(m->graph_gbytes > m->nvlink_gbytes,
             "graph_gbytes is above the line rate nvlink_gbytes", to);
    n += odd(m->nic_efficiency < .5, "nic_efficiency is below 0.5", to);
    n += odd(m->launch_us < -10, "launch_us takes off more than 10 us: kernels begin uncalled", to);
    n += odd(m->copy_gbytes[1] > m->copy_gbytes[0], "a channel copies LL faster than Simple", to);
    n += odd(m->nvls && m->generation < ASIM_GENERATION_HOPPER,
             "nvls is 1, but NVSwitches reduce from Hopper on", to);
    return n;
}
