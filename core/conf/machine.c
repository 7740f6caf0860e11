/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Machine files (machines.md#machine-file): a JSON object whose keys are the rows below. A value is
 * a number, a word, or an object {"value": …, "source": "…"} that says where it comes from;
 * "fitted" instead of "source" names the table it was fitted to. The defaults of rates and
 * latencies are the constants of NCCL's own cost model (src/graph/tuning.cc, topo.h, paths.cc of
 * NCCL 2.29).
 */
#include "asim/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/embedded.h"
#include "base/text.h"
#include "conf/json.h"
#include "base/io/foreign.h"

#define ROW(...)    ASIM_OPTION(struct asim_machine, __VA_ARGS__)
#define F(f)        offsetof(struct asim_machine, f)
#define PROTO(f, p) (offsetof(struct asim_machine, f) + sizeof(double) * (p))
#define NUMBER(key, help, def, field, min, max)                                                    \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_DOUBLE, field, min, max, NULL, 0                              \
    }
#define COUNT(key, help, def, field, max)                                                          \
    {                                                                                              \
        key, NULL, help, def, ASIM_T_U32, field, 1, max, NULL, 0                                   \
    }
#define HOPS(key, text, field, simple, ll, ll128)                                                  \
    NUMBER(key "_simple_us", text ", Simple, us", simple, PROTO(field, 0), 0, 1e6),                \
        NUMBER(key "_ll_us", text ", LL, us", ll, PROTO(field, 1), 0, 1e6),                        \
        NUMBER(key "_ll128_us", text ", LL128, us", ll128, PROTO(field, 2), 0, 1e6)

const struct asim_option asim_machine_options[] = {
    ROW("name", STRING, name, "name of the machine"),
    ROW("about", STRING, about, "one line for the list of machines"),
    ROW("gpu", STRING, gpu, "the GPU, as people call it", .def = "H100"),
    ROW("generation", CHOICE, generation, "chooses NCCL's tables; cdna3, cdna4: RCCL",
        .def = "hopper", .choices = "volta|ampere|hopper|blackwell|cdna3|cdna4"),
    ROW("cpu", CHOICE, cpu, "chooses NCCL's tables", .def = "intel", .choices = "intel|amd|arm"),
    ROW("scale_up", CHOICE, scale_up, "how GPUs of a node reach each other", .def = "nvswitch",
        .choices = "nvswitch|mesh|pcie|nic"),
    ROW("gpus", U32, gpus, "GPUs of a host", .def = "8", .min = 1, .max = 1024),
    ROW("hosts", U32, hosts, "hosts of one NVLink domain", .def = "1", .min = 1, .max = 1024),
    ROW("nics", U32, nics, "NICs of a host", .def = "8", .min = 1, .max = 1024),
    NUMBER("nic_gbytes", "line rate of a NIC, GB/s", "50", F(nic_gbytes), 1e-3, 1e6),
    NUMBER("nvlink_gbytes", "line rate of a GPU's NVLinks (xGMI, PCIe), GB/s", "450",
           F(nvlink_gbytes), 1e-3, 1e6),
    NUMBER("pcie_gbytes", "what PCIe carries between a GPU and its NIC, GB/s", "63", F(pcie_gbytes),
           1e-3, 1e6),
    NUMBER("nic_ns", "delay of a NIC with its cable, ns", "500", F(nic_ns), 0, 1e9),
    NUMBER("switch_ns", "delay inside a switch of the fabric, ns", "300", F(switch_ns), 0, 1e9),
    NUMBER("cable_ns", "delay of a cable between two switches, ns", "50", F(cable_ns), 0, 1e9),
    NUMBER("nvlink_ns", "delay of an NVLink, ns", "250", F(nvlink_ns), 0, 1e9),
    NUMBER("wire_us",
           "one way of a small message between two NICs, as ib_write_lat or fi_pingpong prints it, "
           "us; 0 = two nic_ns and a switch_ns",
           "0", F(wire_us), 0, 1e6),
    ROW("nccl", U32, nccl, "NCCL's version as NCCL_VERSION_CODE: 22304 is 2.23.4", .def = "22902",
        .min = 21800, .max = 99999),
    COUNT("channels", "NCCL's channels inside one node", "24", F(channels), 64),
    COUNT("channels_most", "most channels of a collective", "32", F(channels_most), 64),
    COUNT("nvls_channels", "channels of NVLS", "16", F(nvls_channels), 64),
    ROW("nvls", BOOL, nvls, "1: NVSwitches reduce (NVLS)", .def = "0"),
    ROW("ll128_net", BOOL, ll128_net, "1: NCCL uses LL128 between nodes", .def = "1"),
    ROW("adaptive_routing", BOOL, adaptive_routing,
        "1: switches or NICs spread messages over equal ways", .def = "0"),
    NUMBER("graph_gbytes", "NVLink rate of a GPU that NCCL's search assumes, GB/s", "370.8",
           F(graph_gbytes), 1e-3, 1e6),
    NUMBER("channel_gbytes",
           "rate that NCCL's search gives a ring between nodes, GB/s; 0 = by its steps", "0",
           F(channel_gbytes), 0, 1e6),
    NUMBER("return_gbytes",
           "what NCCL's search assumes between two processors, through which a GPU reaches another "
           "one's NIC, GB/s; 0 = another GPU hands over (PXN)",
           "0", F(return_gbytes), 0, 1e6),
    ROW("cross_nic", U32, cross_nic, "NCCL_CROSS_NIC of its jobs; 0: rings return to their NIC",
        .def = "2", .max = 2),
    NUMBER("plugin_us", "latency of a NIC that the network plug-in tells NCCL, us", "0",
           F(plugin_us), 0, 1e6),
    NUMBER("nic_efficiency", "share of a NIC's line rate that payload gets", "0.9",
           F(nic_efficiency), 0.01, 1),
    NUMBER("p2p_efficiency", "share of that where many peers exchange at once", "0.94",
           F(p2p_efficiency), 0.01, 1),
    NUMBER("p2p_spread", "share of that lost for each doubling of nodes beyond two", "0.03",
           F(p2p_spread), 0, 0.1),
    NUMBER("message_us", "least time between two messages of one NIC, us", "0", F(message_us), 0,
           1e6),
    NUMBER("rendezvous_us", "handshake before a message above 4 KiB, us", "0", F(rendezvous_us), 0,
           1e6),
    NUMBER("ll_proxy_gbytes", "bytes with flags that the proxies of a NIC pass on in LL, GB/s",
           "1000", F(ll_proxy_gbytes), 1e-3, 1e6),
    NUMBER(
        "eager_bytes",
        "messages of LL of at most so many bytes pass the proxies at that rate; a longer one has "
        "a handshake instead",
        "1e9", F(eager_bytes), 1, 1e12),
    NUMBER("copied_bytes", "messages of a ring, Simple, of at most so many bytes are copied", "0",
           F(copied_bytes), 0, 1e9),
    NUMBER("copied_gbytes", "at this rate of a NIC, GB/s", "4", F(copied_gbytes), 1e-3, 1e6),
    NUMBER("ring_gbytes", "what a GPU's NVLinks carry of a ring, GB/s; 0 = by generation", "0",
           F(ring_gbytes), 0, 1e6),
    NUMBER("nvls_gbytes", "bus bandwidth of NVLS in one node of 8 GPUs, GB/s; 0 = by generation",
           "0", F(nvls_gbytes), 0, 1e6),
    NUMBER("nvls_tree_gbytes",
           "bytes a second of an all-reduce's buffer through NVLS between nodes, GB/s; 0 = by "
           "generation",
           "0", F(nvls_tree_gbytes), 0, 1e6),
    NUMBER("copy_gbytes", "copy or reduction rate of a channel, Simple, GB/s; 0 = by generation",
           "0", PROTO(copy_gbytes, 0), 0, 1e6),
    NUMBER("copy_ll_gbytes", "the same for LL, GB/s of payload", "10", PROTO(copy_gbytes, 1), 1e-3,
           1e6),
    NUMBER("copy_ll128_gbytes", "the same for LL128, GB/s of payload", "17.5",
           PROTO(copy_gbytes, 2), 1e-3, 1e6),
    NUMBER("p2p_copy_gbytes", "copy rate of a channel of send and receive, GB/s; 0 = by generation",
           "0", F(p2p_copy_gbytes), 0, 1e6),
    NUMBER("pair_copy_gbytes",
           "copy rate of a channel of a send to one peer, GB/s; 0 = p2p_copy_gbytes", "0",
           F(pair_copy_gbytes), 0, 1e6),
    NUMBER("launch_us", "added to the start of each kernel, us", "0", F(launch_us), -100, 1e6),
    NUMBER("least_us",
           "least time between two kernels of a GPU, us: a process that starts those of several "
           "GPUs (nccl-tests -g) takes about 4 us for each",
           "0", F(least_us), 0, 1e6),
    NUMBER("slice_us",
           "a channel's cost of a slice where a ring crosses nodes, us; not in the file: 4.4 since "
           "Hopper",
           "6", F(slice_us), 0, 1e6),
    NUMBER("slice_nvlink_us", "a channel's cost of a slice over NVLink, us", "2.5",
           F(slice_nvlink_us), 0, 1e6),
    HOPS("ring_nvlink", "hop of a ring over NVLink", ring_nvlink_us, "3.4", "0.6", "1.9"),
    HOPS("ring_net", "hop of a ring over the network", ring_net_us, "14", "2.7", "8.5"),
    HOPS("tree_nvlink", "hop of a tree over NVLink", tree_nvlink_us, "4", "0.6", "1.25"),
    HOPS("tree_net", "hop of a tree over the network", tree_net_us, "14", "5", "8.5"),
    HOPS("net", "more for a hop of a ring or tree over this network", net_us, "5", "2", "2"),
    NUMBER("nvls_us", "start of NVLS, us", "25", F(nvls_us), 0, 1e6),
    NUMBER("nvls_tree_net_us", "hop of an NVLS tree between nodes, us", "14", F(nvls_tree_net_us),
           0, 1e6),
    NUMBER("p2p_us", "start of sends and receives, us", "20", F(p2p_us), 0, 1e6),
    NUMBER("p2p_net_us", "more where they cross nodes, us; not in the file: and two net_ll_us",
           "10", F(p2p_net_us), 0, 1e6),
    NUMBER("p2p_peer_us",
           "a proxy's work on a message of sends and receives, us; not in the file: 2 with "
           "processors of AMD",
           "0.8", F(p2p_peer_us), 0, 1e6),
    NUMBER("inject_bytes",
           "sends of at most so many bytes are copied out of the GPU by the processor", "0",
           F(inject_bytes), 0, 1e9),
    NUMBER("inject_us", "more for each of these, us", "0", F(inject_us), 0, 1e6),
    ROW("measured", STRING, measured,
        "tables of nccl-tests: OP NODESxGPUS FROM-TO in bytes, with commas"),
    NUMBER("error_percent", "nine in ten rows of 64 KiB and more are within, %", "0",
           F(error_percent), 0, 1e6),
    NUMBER("error_small_percent", "the same below 64 KiB, %", "0", F(error_small_percent), 0, 1e6),
    {0},
};

/* --- values -------------------------------------------------------------------------------------
 */

/* Keys beside "value" in an object say where the value comes from. */
static int set_value(const struct asim_option *row, struct asim_machine *machine,
                     const json_t *value, struct asim_err *err)
{
    static const char *const known[] = {"value", "source", "assumption", "fitted", "comment"};
    struct asim_where at = {machine->source, 0, 0};
    json_t *inner = json_object_get(value, "value"), *other;
    const char *key;

    if (json_is_object(value) && !inner)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"%s\" is an object without \"value\"; expected "
                           "{\"value\": …, \"source\": \"…\"}.",
                           row->key);
    json_object_foreach((json_t *)value, key, other)
    {
        size_t i = 0;

        while (i < sizeof known / sizeof *known && strcmp(known[i], key) != 0)
            i++;
        if (i == sizeof known / sizeof *known)
            return asim_err_at(err, ASIM_EINVAL, at,
                               "key \"%s\" has \"%s\" beside \"value\", which is not read; "
                               "expected source, assumption, fitted or comment.",
                               row->key, key);
    }
    return asim_json_option(row, machine, inner ? inner : value, machine->source, err);
}

int asim_machine_next_measured(const char **at, struct asim_machine_table *table)
{
    const char *text = *at;
    int n = 0;

    if (!text ||
        sscanf(text, " %31[a-z_] %" SCNu32 "x%" SCNu32 " %" SCNu64 "-%" SCNu64 " %n", table->op,
               &table->nodes, &table->gpus, &table->from, &table->to, &n) != 5 ||
        (text[n] && text[n] != ','))
        return 0;
    *at = text + n + (text[n] == ',');
    return 1;
}

/* What cannot be read would count as never measured, and nothing would say so. */
static int check_measured(const struct asim_machine *machine, struct asim_where at,
                          struct asim_err *err)
{
    const uint32_t most = 1 << 24;
    struct asim_machine_table table;

    for (const char *text = machine->measured, *next = text; next && *next; text = next)
        if (!asim_machine_next_measured(&next, &table) || !table.nodes || table.nodes > most ||
            !table.gpus || table.gpus > most || table.from > table.to)
            return asim_err_at(
                err, ASIM_EINVAL, at,
                "\"measured\" has '%.40s' where OP NODESxGPUS FROM-TO is expected, as "
                "in \"all_reduce 2x8 8-1073741824\".",
                text);
    return 0;
}

/* Combinations that no machine has. */
static int check(const struct asim_machine *machine, struct asim_err *err)
{
    struct asim_where at = {machine->source, 0, 0};

    if (check_measured(machine, at, err))
        return ASIM_EINVAL;
    if (!machine->name)
        return asim_err_at(err, ASIM_EINVAL, at, "key \"name\" is missing.");
    if (strspn(machine->name,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+") !=
        strlen(machine->name))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"name\" may have letters, digits, and . _ - + only, for it goes into "
                           "tables.");
    if (machine->nvls && machine->scale_up != ASIM_SCALE_UP_NVSWITCH)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"nvls\" is 1, but \"scale_up\" is not nvswitch: only NVSwitches "
                           "reduce.");
    if (machine->ring_gbytes > 2 * machine->nvlink_gbytes)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"ring_gbytes\" %g is more than twice \"nvlink_gbytes\" %g; both are "
                           "GB/s of one direction.",
                           machine->ring_gbytes, machine->nvlink_gbytes);
    return 0;
}

static int read_keys(struct asim_machine *machine, const json_t *root, struct asim_err *err)
{
    struct asim_where at = {machine->source, 0, 0};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)root, key, value)
    {
        const struct asim_option *row = asim_option_find(asim_machine_options, key);
        int rc;

        if (!strcmp(key, "comment") || !strcmp(key, "fit"))
            continue;
        rc = row ? set_value(row, machine, value, err)
                 : asim_option_unknown(asim_machine_options, key, at, err);
        if (rc) {
            if (strchr(machine->source, '/') || strchr(machine->source, '.'))
                asim_json_place(err, machine->source, key);
            return rc;
        }
    }
    if (machine->about)
        asim_text_clean(machine->about); /* both are shown */
    if (machine->gpu)
        asim_text_clean(machine->gpu);
    return check(machine, err);
}

/* What a file leaves out. NVLink, as shares of nvlink_gbytes: of rings in GB300's and GH200's
 * tables, of NCCL's own number for Hopper (370.8 of 450), and of MI300X (.71) and MI355X (.76); of
 * NVLS the median of B200, GB200 and GB300 (783, 680 and 745 of 900) and what two generations of
 * machine files have. Kernels, GB/s of a channel: fitted on A100 (14 and 15) and Hopper (21.8 to
 * 22.9); Blackwell's 24 channels of one host carry 673 to 690 GB/s of a ring (nvls_vs_ring_by_gpus,
 * gb300_oci_n1_g4_all_reduce), for others what their files have. */
static void fill_in(struct asim_machine *machine)
{
    static const struct {
        double ring, nvls, nvls_tree, copy, p2p_copy;
    } by[] = {[ASIM_GENERATION_VOLTA] = {.77, 0, 0, 14.5, 14},
              [ASIM_GENERATION_AMPERE] = {.77, 0, 0, 14.5, 14},
              [ASIM_GENERATION_HOPPER] = {.824, 480. / 450, 255. / 450, 22.4, 20.5},
              [ASIM_GENERATION_BLACKWELL] = {.77, .83, 420. / 900, 30, 45},
              [ASIM_GENERATION_CDNA3] = {.73, 0, 0, 12.5, 12},
              [ASIM_GENERATION_CDNA4] = {.73, 0, 0, 12.5, 12}};
    const int g = machine->generation;

    if (machine->ring_gbytes <= 0)
        machine->ring_gbytes = by[g].ring * machine->nvlink_gbytes;
    if (machine->nvls_gbytes <= 0)
        machine->nvls_gbytes = by[g].nvls * machine->nvlink_gbytes;
    if (machine->nvls_tree_gbytes <= 0)
        machine->nvls_tree_gbytes = by[g].nvls_tree * machine->nvlink_gbytes;
    if (machine->copy_gbytes[ASIM_NCCL_SIMPLE] <= 0)
        machine->copy_gbytes[ASIM_NCCL_SIMPLE] = by[g].copy;
    if (machine->p2p_copy_gbytes <= 0)
        machine->p2p_copy_gbytes = by[g].p2p_copy;
    if (machine->pair_copy_gbytes <= 0)
        machine->pair_copy_gbytes = machine->p2p_copy_gbytes;
}

/* Latencies of a network that a file leaves out (machines.md#latencies-of-a-network): the defaults
 * are medians of fitted networks, which have a wire of 1.3 us; a longer one is added, twice with
 * Simple, which waits for a flush. A send waits until the receiver is clear to take it: two ways.
 */
static void fill_in_net(struct asim_machine *machine, const json_t *root)
{
    static const char *const keys[] = {"net_simple_us", "net_ll_us", "net_ll128_us"};
    const double usual = 1.3, wire = machine->wire_us > 0
                                         ? machine->wire_us
                                         : (2 * machine->nic_ns + machine->switch_ns) / 1000;

    for (int proto = 0; proto < 3; proto++)
        if (!json_object_get(root, keys[proto]) && wire > usual)
            machine->net_us[proto] += (proto == ASIM_NCCL_SIMPLE ? 2 : 1) * (wire - usual);
    if (!json_object_get(root, "p2p_peer_us") && machine->cpu == ASIM_CPU_AMD)
        machine->p2p_peer_us = 2;
    if (!json_object_get(root, "p2p_net_us"))
        machine->p2p_net_us += 2 * machine->net_us[ASIM_NCCL_LL];
}

/* Latencies over NVLinks that a file leaves out, where tables are not as NCCL's constants. A hop
 * of a ring with LL: 1.8 to 2 us on GB200 and B200 (gb200_a4x_n2_g4, b200_a4_n2_g8), 0.6 on A100
 * and H200. A slice: 6 us on A100, 3.2 and 6.2 on Hopper, 4.4 and 8.6 on Blackwell. NVLS starts
 * after 20 us on H100, 58 and 63 on B200 and GB200. Since 2.19 a kernel starts 7.5 us later on A100
 * (a100_hgx_n1_g8_all_reduce; Polaris: 9). AMD: mi300x_aac8_n1_g8_all_reduce, also for gfx950;
 * LL128 as LL, as RCCL counts them. */
static void fill_in_nvlink(struct asim_machine *machine, const json_t *root)
{
    static const struct {
        int generation;
        const char *key;
        size_t field;
        double value;
    } usual[] = {{ASIM_GENERATION_AMPERE, "launch_us", F(launch_us), 7.5},
                 {ASIM_GENERATION_HOPPER, "slice_us", F(slice_us), 4.4},
                 {ASIM_GENERATION_HOPPER, "nvls_us", F(nvls_us), 20},
                 {ASIM_GENERATION_BLACKWELL, "slice_us", F(slice_us), 4.4},
                 {ASIM_GENERATION_BLACKWELL, "nvls_us", F(nvls_us), 60},
                 {ASIM_GENERATION_BLACKWELL, "ring_nvlink_ll_us", PROTO(ring_nvlink_us, 1), 1.9},
                 {ASIM_GENERATION_CDNA3, "ring_nvlink_simple_us", PROTO(ring_nvlink_us, 0), .22},
                 {ASIM_GENERATION_CDNA3, "ring_nvlink_ll_us", PROTO(ring_nvlink_us, 1), .38},
                 {ASIM_GENERATION_CDNA3, "slice_nvlink_us", F(slice_nvlink_us), .92},
                 {ASIM_GENERATION_CDNA3, "ring_nvlink_ll128_us", PROTO(ring_nvlink_us, 2), .38},
                 {ASIM_GENERATION_CDNA3, "tree_nvlink_ll128_us", PROTO(tree_nvlink_us, 2), .6}};
    const int g = machine->generation == ASIM_GENERATION_CDNA4 ? ASIM_GENERATION_CDNA3
                                                               : (int)machine->generation;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i].generation == g && !json_object_get(root, usual[i].key))
            *(double *)(void *)((char *)machine + usual[i].field) = usual[i].value;
}

/* GPUs that meet over PCIe: NCCL's own latencies of it (tuning.cc), where a file leaves them out.
 */
static void fill_in_pcie(struct asim_machine *machine, const json_t *root)
{
    static const struct {
        const char *key;
        size_t field;
        double us;
    } hops[] = {{"ring_nvlink_simple_us", PROTO(ring_nvlink_us, 0), 5.7},
                {"ring_nvlink_ll_us", PROTO(ring_nvlink_us, 1), 1},
                {"tree_nvlink_ll_us", PROTO(tree_nvlink_us, 1), 1},
                {"tree_nvlink_ll128_us", PROTO(tree_nvlink_us, 2), 1.9}};

    for (size_t i = 0; i < sizeof hops / sizeof *hops; i++)
        if (!json_object_get(root, hops[i].key))
            *(double *)(void *)((char *)machine + hops[i].field) = hops[i].us;
}

/* --- finding ------------------------------------------------------------------------------------
 */

/* With the ending .json. */
const char *asim_machine_file(size_t i)
{
    return machines_files[i].name;
}

const char *asim_machine_text(const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; machines_files[i].name; i++)
        if (!strncmp(machines_files[i].name, name, n) &&
            (!machines_files[i].name[n] || !strcmp(machines_files[i].name + n, ".json")))
            return machines_files[i].text;
    return NULL;
}

static int unknown(const char *name, struct asim_err *err)
{
    char list[512] = "";
    size_t used = 0;

    for (size_t i = 0; machines_files[i].name && used < sizeof list - 64; i++) {
        const char *file = machines_files[i].name;
        size_t n = strlen(file) - strlen(".json");

        memcpy(list + used, i ? ", " : "", i ? 2 : 0);
        used += i ? 2 : 0;
        memcpy(list + used, file, n);
        used += n;
        list[used] = '\0';
    }
    return asim_err_set(err, ASIM_EINVAL,
                        "no machine is called '%s'; known are %s. A file of your own is named by "
                        "its path, with a slash or the ending .json.",
                        name, list);
}

int asim_machine_read(struct asim_machine *machine, const char *name, struct asim_err *err)
{
    int is_path = strchr(name, '/') || strstr(name, ".json") || name[0] == '{';
    const char *text = is_path ? NULL : asim_machine_text(name);
    json_t *root = NULL;
    int rc;

    memset(machine, 0, sizeof *machine);
    rc = asim_option_defaults(asim_machine_options, machine, err);
    if (!rc && !is_path && !text)
        rc = unknown(name, err);
    if (!rc && !(machine->source = strdup(name)))
        rc = asim_err_nomem(err, "reading a machine");
    if (!rc)
        rc = asim_json_open(&root, text ? strchr(text, '{') : name, err);
    if (!rc)
        rc = read_keys(machine, root, err);
    if (!rc) {
        fill_in(machine);
        fill_in_net(machine, root);
        if (machine->scale_up >= ASIM_SCALE_UP_PCIE)
            fill_in_pcie(machine, root);
        else
            fill_in_nvlink(machine, root);
    }
    json_decref(root);
    return is_path ? asim_foreign_instead(rc, name, "a machine", err) : rc;
}

void asim_machine_fini(struct asim_machine *machine)
{
    asim_option_fini(asim_machine_options, machine);
    free(machine->source);
    machine->source = NULL;
}
