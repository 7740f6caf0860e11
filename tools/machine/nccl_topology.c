/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's topology of a host, as NCCL_TOPO_DUMP_FILE writes it, and RCCL's: <cpu> with <pci>, <gpu>
 * with <nvlink> or <xgmi>, <nic> with <net>. Each element is used, named as unused, or refused.
 * GPUs are joined by switches, each to each other one, or else by PCIe, which is what a ring that
 * leaves a pair has to pass. NICs are those that NCCL's search would take: the quickest, as many as
 * the GPUs share evenly.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/xml.h"
#include "base/text.h"
#include "tools/machine/import.h"

enum { MOST_GPUS = 1024, MOST_COUNT = 1 << 20 };

/* What a GPU of a kind has. A link's rates in GB/s of one direction: of the line, and as NCCL's
 * (topo.h) or RCCL's search counts it. */
struct kind {
    const char *name; /* the start of gcn; NULL: by sm */
    uint32_t sm;      /* from */
    int generation;
    double line, search, pcie_most; /* GT/s of its PCIe generation */
};
static const struct kind kinds[] = {{"gfx940", 0, ASIM_GENERATION_CDNA3, 64, 48, 32},
                                    {"gfx941", 0, ASIM_GENERATION_CDNA3, 64, 48, 32},
                                    {"gfx942", 0, ASIM_GENERATION_CDNA3, 64, 48, 32},
                                    {"gfx950", 0, ASIM_GENERATION_CDNA4, 76.8, 57.6, 32},
                                    {NULL, 120, ASIM_GENERATION_BLACKWELL, 50, 40.1, 32},
                                    {NULL, 103, ASIM_GENERATION_BLACKWELL, 50, 40.1, 64},
                                    {NULL, 100, ASIM_GENERATION_BLACKWELL, 50, 40.1, 32},
                                    {NULL, 90, ASIM_GENERATION_HOPPER, 25, 20.6, 32},
                                    {NULL, 86, ASIM_GENERATION_AMPERE, 14, 12, 16},
                                    {NULL, 80, ASIM_GENERATION_AMPERE, 25, 20, 16},
                                    {NULL, 70, ASIM_GENERATION_VOLTA, 25, 20, 8}};

struct gpu {
    const struct asim_xml_node *node;
    const char *bus; /* of the <pci> around it */
};

struct reader {
    struct asim_xml xml;
    struct asim_import_host *found;
    const struct kind *kind;
    const char *host; /* host_hash of the first <cpu> */
    struct gpu gpu[MOST_GPUS];
    uint32_t gpus, links; /* links: of the first GPU */
    double pcie;          /* the least of the NICs taken */
    double gpu_pcie;      /* the least of the GPUs */
    int has_c2c;
    uint32_t held; /* NICs taken that PCIe holds back */
    double line;   /* their rate without it */
    struct asim_err *err;
};

static int fail(struct reader *r, const struct asim_xml_node *node, const char *text)
{
    return asim_xml_fail(&r->xml, node, r->err, "%s", text);
}

static int is(const struct asim_xml_node *node, const char *name)
{
    return !strcmp(node->name, name);
}

static const char *text_of(const struct asim_xml_node *node, const char *name)
{
    const char *text = asim_xml_get(node, name);

    return text ? text : "";
}

static int read_cpu(struct reader *r, const struct asim_xml_node *node)
{
    const char *vendor = text_of(node, "vendor"), *host = asim_xml_get(node, "host_hash");

    if (host && r->host && strcmp(host, r->host) != 0)
        return fail(r, node,
                    "a second host_hash: where NVLink joins hosts, NCCL writes all of them; leave "
                    "the <cpu> of one host.");
    r->host = host ? host : r->host;
    if (!strcmp(text_of(node, "arch"), "arm64"))
        r->found->cpu = ASIM_CPU_ARM;
    else if (*vendor)
        r->found->cpu = strstr(vendor, "AMD") ? ASIM_CPU_AMD : ASIM_CPU_INTEL;
    return 0;
}

/* GB/s of the innermost <pci> that says its rate: "32.0 GT/s PCIe" and a width of 16; from PCIe 3
 * on 128 of 130 bits are data. 0 where none does, as in virtual machines. */
static int read_pcie(struct reader *r, const struct asim_xml_node *node, double most, double *out)
{
    for (*out = 0; node && *out <= 0; node = node->parent) {
        const char *speed = text_of(node, "link_speed");
        char number[24];
        double rate = 0;
        uint64_t width;

        if (!is(node, "pci"))
            continue;
        if (asim_xml_count(&r->xml, node, "link_width", 0, 255, &width, r->err))
            return ASIM_EINVAL;
        snprintf(number, sizeof number, "%.*s", (int)strcspn(speed, " "), speed);
        if (*speed && strncmp(speed, "Unknown", 7) &&
            (asim_text_double(number, &rate) || rate < 0 || rate > 256))
            return fail(r, node, "link_speed of <pci> is no rate as \"32.0 GT/s PCIe\".");
        *out = fmin(rate, most) * (double)(width == 255 ? 0 : width) / 8 * 128 / 130;
    }
    return 0;
}

static int find_kind(struct reader *r, const struct asim_xml_node *node)
{
    const char *gcn = asim_xml_get(node, "gcn");
    uint64_t sm;
    size_t i = 0, n = sizeof kinds / sizeof *kinds;
    char name[sizeof r->found->gpu], full[sizeof r->found->gpu];

    if (asim_xml_count(&r->xml, node, "sm", 0, 1000, &sm, r->err))
        return ASIM_EINVAL;
    if (gcn && *gcn >= '0' && *gcn <= '9') { /* as older versions of RCCL write it */
        snprintf(full, sizeof full, "gfx%.16s", gcn);
        gcn = full;
    }
    while (i < n && (gcn ? !kinds[i].name || strncmp(gcn, kinds[i].name, strlen(kinds[i].name))
                         : kinds[i].name != NULL || sm < kinds[i].sm))
        i++;
    if (!gcn && !sm)
        return fail(r, node, "<gpu> says neither sm nor gcn, so its kind is not known.");
    if (gcn)
        asim_text_safe(name, sizeof name, gcn);
    else
        snprintf(name, sizeof name, "sm %u", (unsigned)sm);
    if (i == n)
        return asim_xml_fail(&r->xml, node, r->err,
                             "a GPU of the kind %s; known are sm 70 to 129 (Volta to Blackwell), "
                             "gfx940 to gfx942 (MI300) and gfx950 (MI355).",
                             name);
    if (r->kind && (r->kind != &kinds[i] || strcmp(name, r->found->gpu)))
        return asim_xml_fail(&r->xml, node, r->err,
                             "GPUs of two kinds, %s and %s; a machine file is of one.",
                             r->found->gpu, name);
    r->kind = &kinds[i];
    snprintf(r->found->gpu, sizeof r->found->gpu, "%s", name);
    return 0;
}

static int read_gpu(struct reader *r, const struct asim_xml_node *node)
{
    struct gpu *gpu = &r->gpu[r->gpus];
    double pcie;

    if (r->gpus == MOST_GPUS)
        return fail(r, node, "more than 1024 GPUs; expected one host.");
    if (find_kind(r, node))
        return ASIM_EINVAL;
    *gpu = (struct gpu){.node = node,
                        .bus = node->parent ? asim_xml_get(node->parent, "busid") : NULL};
    for (uint32_t i = 0; i < r->gpus && gpu->bus; i++)
        if (r->gpu[i].bus && !strcmp(r->gpu[i].bus, gpu->bus))
            return asim_xml_fail(&r->xml, node, r->err,
                                 "the GPU at busid %.60s is there twice; expected one host.",
                                 gpu->bus);
    r->gpus++;
    if (read_pcie(r, node->parent, r->kind->pcie_most, &pcie))
        return ASIM_EINVAL;
    if (pcie > 0 && (r->gpu_pcie <= 0 || pcie < r->gpu_pcie))
        r->gpu_pcie = pcie;
    return 0;
}

/* --- how GPUs are joined ---------------------------------------------------------------------- */

/* Links of a GPU to NVSwitches (PCI class 0x0680), and to how many other GPUs it has links. */
static int read_links(struct reader *r, const struct gpu *gpu, uint64_t *links, uint64_t *switched,
                      uint32_t *peers)
{
    *links = *switched = *peers = 0;
    for (const struct asim_xml_node *at = gpu->node->first; at; at = at->next) {
        const char *target = text_of(at, "target");
        uint64_t count;

        if (!is(at, "nvlink") && !is(at, "xgmi"))
            continue;
        if (asim_xml_count(&r->xml, at, "count", 1, 64, &count, r->err))
            return ASIM_EINVAL;
        *links += count;
        if (!strncmp(text_of(at, "tclass"), "0x0680", 6)) {
            *switched += count;
            continue;
        }
        for (uint32_t i = 0; i < r->gpus && count; i++)
            *peers += r->gpu[i].bus && !strcmp(r->gpu[i].bus, target);
    }
    return 0;
}

/* Marks the GPUs that have a link from this one, and lists those that are new. */
static void reach(const struct reader *r, const struct gpu *gpu, uint8_t *reached, uint32_t *list,
                  uint32_t *n)
{
    for (const struct asim_xml_node *at = gpu->node->first; at; at = at->next)
        for (uint32_t k = 0; k < r->gpus; k++)
            if (!reached[k] && r->gpu[k].bus && !strcmp(r->gpu[k].bus, text_of(at, "target"))) {
                reached[k] = 1;
                list[(*n)++] = k;
            }
}

/* Whether links lead from GPU 0 to every other one; then NCCL's rings need no PCIe. */
static int are_joined(const struct reader *r)
{
    uint8_t reached[MOST_GPUS] = {1};
    uint32_t list[MOST_GPUS] = {0}, n = 1;

    for (uint32_t i = 0; i < n; i++)
        reach(r, &r->gpu[list[i]], reached, list, &n);
    return n == r->gpus;
}

static const char *way_name(int way)
{
    static const char *const names[] = {"switches", "a mesh", "PCIe"};

    return names[way];
}

/* All GPUs have to be joined in one way at one rate. */
static int find_way(struct reader *r)
{
    struct asim_import_host *found = r->found;
    uint64_t most = 0, least = UINT64_MAX;

    for (uint32_t i = 0; i < r->gpus; i++) {
        uint64_t links, switched;
        uint32_t peers;
        int way;

        if (read_links(r, &r->gpu[i], &links, &switched, &peers))
            return ASIM_EINVAL;
        way = links && switched == links                   ? ASIM_SCALE_UP_NVSWITCH
              : links && !switched && peers + 1 == r->gpus ? ASIM_SCALE_UP_MESH
                                                           : ASIM_SCALE_UP_PCIE;
        most = links > most ? links : most;
        least = links < least ? links : least;
        if (found->scale_up >= 0 && way != found->scale_up)
            return asim_xml_fail(&r->xml, r->gpu[i].node, r->err,
                                 "GPUs joined by %s and by %s; expected one way for all.",
                                 way_name(found->scale_up), way_name(way));
        found->scale_up = way;
    }
    if (least != most && found->scale_up != ASIM_SCALE_UP_PCIE)
        return asim_xml_fail(&r->xml, r->gpu[0].node, r->err,
                             "GPUs with %u and with %u links; a machine file has one rate for all.",
                             (unsigned)least, (unsigned)most);
    r->links = (uint32_t)most;
    if (most && found->scale_up == ASIM_SCALE_UP_PCIE && are_joined(r))
        return fail(r, r->gpu[0].node,
                    "its links join all GPUs, but not each to each other one (a cube mesh, or "
                    "switches and pairs); asim has no such machine.");
    return 0;
}

/* NCCL's search counts 12 GB/s for a PCIe 3.0 x16 of 15.75. */
static void set_rates(struct reader *r)
{
    struct asim_import_host *found = r->found;

    found->pcie_gbytes = r->gpu_pcie;
    if (found->scale_up != ASIM_SCALE_UP_PCIE) {
        found->nvlink_gbytes = r->links * r->kind->line;
        found->graph_gbytes = r->links * r->kind->search;
    } else {
        if (r->links)
            asim_diagnose(&found->notes,
                          "the links between GPUs join some pairs only: a ring over all GPUs "
                          "passes PCIe, so \"scale_up\" is pcie at its rate");
        found->nvlink_gbytes = found->pcie_gbytes;
        found->graph_gbytes = found->pcie_gbytes * 12 / 15.754;
    }
    if (r->pcie > 0 && (found->pcie_gbytes <= 0 || r->pcie < found->pcie_gbytes))
        found->pcie_gbytes = r->pcie;
}

/* --- NICs ------------------------------------------------------------------------------------- */

/* Ports of one card share its PCIe. */
static uint32_t count_ports(const struct asim_xml_node *net)
{
    uint32_t n = 0;

    for (const struct asim_xml_node *at = net->parent ? net->parent->first : NULL; at;
         at = at->next)
        n += is(at, "net");
    return n ? n : 1;
}

/* GB/s of a NIC: of its line or of its PCIe, the least of both. NCCL takes 10 Gb/s for a NIC
 * without a speed. */
static int read_net(struct reader *r, const struct asim_xml_node *net, double *rate, double *line,
                    double *pcie)
{
    uint64_t speed;

    if (asim_xml_count(&r->xml, net, "speed", 0, 100000000, &speed, r->err) ||
        read_pcie(r, net, 64, pcie))
        return ASIM_EINVAL;
    *line = (double)speed / 8000;
    *rate = speed ? *line : 1.25;
    if (*pcie > 0)
        *rate = fmin(*rate, *pcie / count_ports(net));
    return 0;
}

static void take_first(struct reader *r, double rate, double line)
{
    r->found->nic_gbytes = rate;
    r->found->nics = 0;
    r->line = line;
    r->pcie = 0;
    r->held = 0;
}

/* The quickest NICs, and how many slower ones there are. */
static int each_net(struct reader *r, double *others, uint32_t *n_others)
{
    struct asim_import_host *found = r->found;
    uint32_t unknown = 0;

    for (const struct asim_xml_node *at = r->xml.root; at; at = asim_xml_after(at)) {
        double rate, line, pcie;

        if (!is(at, "net"))
            continue;
        if (read_net(r, at, &rate, &line, &pcie))
            return ASIM_EINVAL;
        unknown += line <= 0;
        if (rate < found->nic_gbytes) {
            *others += rate;
            ++*n_others;
            continue;
        }
        if (rate > found->nic_gbytes) {
            *others += found->nic_gbytes * found->nics;
            *n_others += found->nics;
            take_first(r, rate, line);
        }
        found->nics++;
        r->held += rate < line;
        r->line = fmax(r->line, line);
        r->pcie = pcie > 0 && (r->pcie <= 0 || pcie < r->pcie) ? pcie : r->pcie;
    }
    if (unknown)
        asim_diagnose(&found->notes, "%u NIC%s without a speed: 10 Gb/s each, as in NCCL", unknown,
                      asim_text_s(unknown));
    return 0;
}

/* What a GPU gives its NICs passes its PCIe too, unless it has a way of its own to the processor.
 */
static void hold_by_gpus(struct reader *r)
{
    struct asim_import_host *found = r->found;
    double share = found->nics > found->gpus ? (double)found->gpus / found->nics : 1;

    if (r->has_c2c || r->gpu_pcie <= 0 || found->nic_gbytes <= r->gpu_pcie * share)
        return;
    found->nic_gbytes = r->gpu_pcie * share;
    r->held = found->nics;
}

static int read_nics(struct reader *r)
{
    struct asim_import_host *found = r->found;
    double others = 0;
    uint32_t n_others = 0, n;

    if (each_net(r, &others, &n_others))
        return ASIM_EINVAL;
    n = found->nics;
    if (others > found->nic_gbytes * n)
        return asim_xml_fail(&r->xml, r->xml.root, r->err,
                             "%u NIC%s of %g Gb/s and %u slower one%s of %g Gb/s in all; remove "
                             "those that NCCL does not use (NCCL_IB_HCA).",
                             n, asim_text_s(n), found->nic_gbytes * 8, n_others,
                             asim_text_s(n_others), others * 8);
    if (n_others)
        asim_diagnose(&found->notes,
                      "%u NIC%s slower than %g Gb/s left out: NCCL takes the quickest", n_others,
                      asim_text_s(n_others), found->nic_gbytes * 8);
    if (n > found->gpus && n % found->gpus)
        found->nics = n / found->gpus * found->gpus;
    if (found->nics < n)
        asim_diagnose(&found->notes, "%u of %u NICs of %g Gb/s taken: %u GPU%s share%s them evenly",
                      found->nics, n, found->nic_gbytes * 8, found->gpus, asim_text_s(found->gpus),
                      found->gpus == 1 ? "s" : "");
    hold_by_gpus(r);
    if (r->held)
        asim_diagnose(&found->notes, "PCIe holds NICs of %g Gb/s back: %.4g Gb/s each are taken",
                      r->line * 8, found->nic_gbytes * 8);
    return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

static int read_element(struct reader *r, const struct asim_xml_node *node)
{
    static const char *const others[] = {"system", "pci", "nvlink",  "xgmi",
                                         "nic",    "net", "pcilink", NULL};

    if (is(node, "cpu"))
        return read_cpu(r, node);
    if (is(node, "gpu"))
        return read_gpu(r, node);
    for (size_t i = 0; others[i]; i++)
        if (is(node, others[i]))
            return 0;
    if (is(node, "c2c")) {
        if (!r->has_c2c++)
            asim_diagnose(&r->found->notes, "<c2c>, the GPU's link to its processor, is not used");
        return 0;
    }
    return asim_xml_fail(&r->xml, node, r->err,
                         "<%.40s> is no element of NCCL's topology that asim knows.", node->name);
}

static int check_root(struct reader *r)
{
    const struct asim_xml_node *root = r->xml.root;

    if (is(root, "system"))
        return 0;
    return asim_xml_fail(&r->xml, root, r->err,
                         "<%.40s> is no topology; expected <system>, as NCCL writes it with "
                         "NCCL_TOPO_DUMP_FILE.",
                         root->name);
}

static int read_tree(struct reader *r)
{
    if (check_root(r))
        return ASIM_EINVAL;
    for (const struct asim_xml_node *at = r->xml.root; at; at = asim_xml_after(at))
        if (read_element(r, at))
            return ASIM_EINVAL;
    if (!r->gpus)
        return fail(r, r->xml.root,
                    "this XML has no <gpu>; expected the file that NCCL writes with "
                    "NCCL_TOPO_DUMP_FILE.");
    r->found->gpus = r->gpus;
    r->found->generation = r->kind->generation;
    if (r->xml.texts)
        asim_diagnose(&r->found->notes, "text between the elements, first in line %u, is not used",
                      r->xml.text_line);
    if (find_way(r) || read_nics(r))
        return ASIM_EINVAL;
    set_rates(r);
    return 0;
}

int asim_import_nccl(struct asim_import_host *found, const struct asim_src *src,
                     struct asim_err *err)
{
    struct reader *r = calloc(1, sizeof *r);
    int code;

    if (!r)
        return asim_err_nomem(err, "reading a topology");
    r->found = found;
    r->err = err;
    code = asim_xml_read(&r->xml, src, err);
    if (!code)
        code = read_tree(r);
    asim_xml_fini(&r->xml);
    free(r);
    return code;
}
