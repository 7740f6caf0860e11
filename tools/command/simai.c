/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim simai: SimAI_simulator's command line (simai.md#command-line-and-configuration) as a packet
 * run. What SimAI has built in becomes settings: its NCCL model's algorithms, one chunk a
 * collective, collectives of different groups side by side, the send latency before each flow, the
 * greatest window of all pairs for every flow whatever GLOBAL_T says, and 64-bit sequence numbers
 * in its frames. Everything else is `asim packet`, whose options are taken as well and win where
 * they come later.
 *
 * SimAI.conf as published names files below /etc/astra-sim, which SimAI's installation makes: a
 * packet trace's list of nodes that is not there means no trace, as in SimAI; outputs whose folder
 * is not there go to the working folder, where SimAI would crash.
 *
 * AS_SEND_LAT, AS_NVLS_ENABLE and AS_PXN_ENABLE are read from the environment, as there. Without
 * AS_SEND_LAT SimAI waits 6 ms before each flow, a slip of three digits; here it is the 6 us that
 * it means, unless --compat asks for the slip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/ext/command.h"
#include "asim/netconf.h"
#include "asim/packet.h"
#include "asim/topology.h"
#include "asim/trace.h"
#include "base/text.h"
#include "asim/simai.h"
#include "cli/app.h"
#include "cli/args.h"
#include "tools/report/report.h"
#include "tools/simai.h"

struct options {
    char *workload, *topology, *conf, *csv;
    double latency_us;
    int nvls, pxn, compat;
    uint32_t threads, gpus, ignored, order_seed;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"w", "workload", "SimAI / AICB workload text (or a prefix of Chakra traces)", NULL,
     ASIM_T_STRING, AT(workload), 0, 0, NULL, ASIM_F_READS | ASIM_F_SET},
    {"n", "network-topo", "topology file of either flavour, or auto:NAME,key=value", NULL,
     ASIM_T_STRING, AT(topology), 0, 0, NULL, ASIM_F_READS},
    {"c", "network-conf", "SimAI.conf; without it ASTRA-sim's published values", NULL,
     ASIM_T_STRING, AT(conf), 0, 0, NULL, ASIM_F_READS},
    {"t", "thread", "threads; results never depend on it", "1", ASIM_T_U32, AT(threads), 1, 256},
    {"csv", NULL, "rank 0's rows as SimAI's ncclFlowModel_EndToEnd.csv has them (default: none)",
     NULL, ASIM_T_STRING, AT(csv), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {"g", NULL, "accepted, no effect, as in SimAI: the header's all_gpus counts", "0", ASIM_T_U32,
     AT(gpus), 0, 0, NULL, ASIM_F_NOOP},
    {"s", NULL, "accepted, no effect, as in SimAI", "0", ASIM_T_U32, AT(ignored), 0, 0, NULL,
     ASIM_F_NOOP},
    {"send-lat", "AS_SEND_LAT",
     "delay before each flow's first packet, us (default: the variable AS_SEND_LAT, else 6)", "-1",
     ASIM_T_DOUBLE, AT(latency_us), -1, ASIM_SIMAI_LATENCY_US},
    {"nvls", "AS_NVLS_ENABLE", "NVLS for 8 or more H100 or H800 of one server", "0", ASIM_T_BOOL,
     AT(nvls)},
    {"pxn", "AS_PXN_ENABLE", "cross servers on the destination's rail", "0", ASIM_T_BOOL, AT(pxn)},
    {"flow-order-seed", NULL,
     "seed of the order of flows that start at one instant; 0 = by channel", "0", ASIM_T_U32,
     AT(order_seed)},
    {"compat", NULL,
     "SimAI's slip: 6 ms, not 6 us, where AS_SEND_LAT is not set; its CSV in the working folder; "
     "and of the weight gradients' collectives that wait, the newest first",
     "0", ASIM_T_BOOL, AT(compat)},
    {0}};

enum { MOST_ARGS = 256, OWN_ARGS = 7, MOST_OVERRIDES = 8 };

/* argv in two parts: our options, and those that `asim packet` parses with its own table. */
struct arguments {
    char *own[MOST_ARGS], *rest[MOST_ARGS];
    int n_own, n_rest;
};

/* NULL for an option of `asim packet`. */
static const struct asim_option *find_own(const char *arg)
{
    for (const struct asim_option *row = options; row->key; row++)
        if (asim_args_is(arg, row))
            return row;
    return NULL;
}

/* A value in a word of its own goes with its option; switches have none. 0 if there are too many
 * words. */
static int separate(struct arguments *arguments, int argc, char **argv)
{
    if (argc > MOST_ARGS - OWN_ARGS - 1)
        return 0;
    arguments->own[arguments->n_own++] = argv[0];
    for (int i = 1; i < argc; i++) {
        const struct asim_option *row = find_own(argv[i]);

        if (!row) {
            arguments->rest[arguments->n_rest++] = argv[i];
            continue;
        }
        arguments->own[arguments->n_own++] = argv[i];
        if (row->type != ASIM_T_BOOL && !strchr(argv[i], '=') && i + 1 < argc)
            arguments->own[arguments->n_own++] = argv[++i];
    }
    return 1;
}

/* The variables stand where the options say nothing. */
static int read_environment(struct options *opt, struct asim_err *err)
{
    if (asim_simai_env_switches(&opt->nvls, &opt->pxn, err) ||
        asim_simai_env_latency(&opt->latency_us, err))
        return ASIM_EINVAL;
    if (opt->latency_us < 0)
        opt->latency_us = opt->compat ? 6000 : 6;
    if (!opt->workload || !opt->topology)
        return asim_err_set(err, ASIM_EINVAL,
                            "no %s given; say -w WORKLOAD -n TOPOLOGY [-c SimAI.conf].",
                            opt->workload ? "topology" : "workload");
    return 0;
}

/* 10 ns: the memory bus, which every flow passes. A rank does one collective at a time of forward
 * and input gradients, and one of weight gradients beside it: two queues with one chunk each
 * (simai.md#execution), and no limit else. SimAI then takes the newest of those that wait: members
 * of a group may choose differently and wait for each other for ever, so here it is the oldest. The
 * send latency is a flow's, so a ring of n members waits 2 (n-1) times for it: 28 x 3 us of the 576
 * us that SimAI's microbenchmark communicates. */
static void write_system(const struct options *opt, char *text, size_t size)
{
    const char *ring = opt->pxn ? "ncclPxn" : "ncclRing", *all_reduce = ring;

    if (opt->nvls)
        all_reduce = opt->pxn ? "ncclSimaiPxn" : "ncclSimai";

    snprintf(text, size,
             "--system={\"endpoint-delay\": %.0f, \"flow-order-seed\": %u, \"scheduling-policy\": "
             "\"%s\", \"preferred-dataset-splits\": 1, \"active-chunks-per-dimension\": 2, "
             "\"concurrent-collectives\": 1000000, \"local-mem-bw\": 0, "
             "\"all-reduce-implementation\": [\"%s\"], \"all-gather-implementation\": "
             "[\"ncclRing\"], \"reduce-scatter-implementation\": [\"%s\"], "
             "\"all-to-all-implementation\": [\"ncclDirect\"]}",
             opt->latency_us * 1000 + 10, opt->order_seed, opt->compat ? "LIFO" : "FIFO",
             all_reduce, ring);
}

/* Keys and values set over the configuration's, NULL behind the last. */
struct overrides {
    const char *at[2 * MOST_OVERRIDES + 1];
    int n;
};

/* At most MOST_OVERRIDES, which the callers' lists are below. */
static void override(struct overrides *to, const char *key, const char *value)
{
    to->at[to->n++] = key;
    to->at[to->n++] = value;
}

/* Only whether the folder is there: what cannot be written for other reasons is said where it is
 * written.
 * 1 if a file of that name could be made, as far as its folder goes. */
static int has_folder(const char *path)
{
    char folder[4200];
    size_t n = asim_text_dirlen(path);

    if (!n)
        return 1;
    snprintf(folder, sizeof folder, "%.*s", (int)n, path);
    return n < sizeof folder && !access(folder, F_OK);
}

/* The value of a key that is a string; NULL where the file has none. */
static const char *string_of(const struct asim_netconf *net, const char *key)
{
    return *(char *const *)asim_netconf_field(net, asim_netconf_key(key));
}

/* The values of net must outlive the run. The run reports errors in the file. */
static void redirect(struct overrides *to, const struct asim_netconf *net)
{
    const char *const outputs[] = {"FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "QLEN_MON_FILE",
                                   "TRACE_OUTPUT_FILE"};
    const char *nodes = string_of(net, "TRACE_FILE");
    const int *traces = asim_netconf_field(net, asim_netconf_key("ENABLE_TRACE"));

    if (*traces && nodes && *nodes && access(nodes, F_OK)) {
        fprintf(stderr, "note: TRACE_FILE %s is not there: no packet trace, as in SimAI\n", nodes);
        override(to, "ENABLE_TRACE", "0");
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = string_of(net, outputs[i]);

        if (!path || has_folder(path))
            continue;
        path += asim_text_dirlen(path);
        fprintf(stderr, "note: the folder of %s is not there: %s is written here\n", outputs[i],
                path);
        override(to, outputs[i], path);
    }
}

/* A run and its options. */
struct program {
    struct asim_app app; /* first: its hook is given this one */
    const struct options *opt;
};

/* SimAI runs all GPUs of the topology, whatever the text says. */
static void note_idle(const struct asim_world *world, const struct options *opt)
{
    const struct asim_topo *topo = asim_world_topo(world);
    uint32_t gpus = asim_packet_is_used(world) ? topo->hosts - topo->endpoints : 0;
    uint32_t ranks = asim_world_ranks(world);

    if (asim_trace_is_shared(opt->workload) && gpus > ranks)
        fprintf(stderr,
                "note: %s has all_gpus %u, the topology %u GPUs: the others do nothing, where "
                "SimAI runs all of them\n",
                opt->workload, ranks, gpus);
}

/* SimAI's NVLS needs Hopper GPUs in servers of 8 or more (simai.md#algorithm-choice), PXN servers
 * of several GPUs. */
static void note_without_effect(const struct asim_world *world, const struct options *opt)
{
    const struct asim_topo *topo = asim_packet_is_used(world) ? asim_world_topo(world) : NULL;
    int hopper = topo && (!strcmp(topo->gpu_type, "H100") || !strcmp(topo->gpu_type, "H800"));

    if (!topo)
        return;
    if (opt->nvls && (!hopper || topo->gpus_per_server < 8))
        fprintf(stderr,
                "note: NVLS has no effect: %s has no servers of 8 or more H100 or H800 GPUs\n",
                opt->topology);
    if (opt->pxn && topo->gpus_per_server < 2)
        fprintf(stderr, "note: PXN has no effect: %s has no servers of several GPUs\n",
                opt->topology);
}

/* Chakra traces have no rows, so without a word about it they have no CSV. */
static int watch(struct asim_app *app, struct asim_err *err)
{
    const struct options *opt = ((struct program *)(void *)app)->opt;
    const char *path = opt->csv;

    note_idle(app->world, opt);
    note_without_effect(app->world, opt);
    if (!path && opt->compat && asim_trace_is_shared(opt->workload))
        path = "ncclFlowModel_EndToEnd.csv";
    return path ? asim_simai_csv_open(app->world, opt->workload, path, err) : 0;
}

/* Own settings first, so that options of `asim packet` behind them win. */
static int start(const struct options *opt, const struct arguments *arguments,
                 const struct overrides *set)
{
    struct program program = {.opt = opt,
                              .app = {.program = "asim simai",
                                      .verdict = asim_report_text,
                                      .opened = watch,
                                      .settings = {.net_overrides = set->at, .verbose = 1}}};
    char system[800], workload[4200], topology[4200], conf[4200], threads[32];
    char queues[] = "--num-queues-per-dim=2", *argv[MOST_ARGS] = {NULL};
    int argc = 0;

    write_system(opt, system, sizeof system);
    snprintf(workload, sizeof workload, "--workload=%s", opt->workload);
    snprintf(topology, sizeof topology, "--topology=%s", opt->topology);
    snprintf(threads, sizeof threads, "--threads=%u", opt->threads);
    snprintf(conf, sizeof conf, "--network=%s", opt->conf ? opt->conf : "");
    argv[argc++] = arguments->own[0];
    argv[argc++] = system;
    argv[argc++] = workload;
    argv[argc++] = topology;
    argv[argc++] = threads;
    argv[argc++] = queues;
    if (opt->conf)
        argv[argc++] = conf;
    program.app.n_own = argc - 1;
    for (int i = 0; i < arguments->n_rest; i++)
        argv[argc++] = arguments->rest[i];
    return asim_app_run(&program.app, argc, argv);
}

/* The run refuses an unreadable text and says what SimAI passes over in one. SimAI's NVLS is for
 * tensor-parallel groups; in a text without them the data-parallel groups are neighbours too. */
static void look_at_text(struct options *opt)
{
    const char *path = opt->workload;
    struct asim_simai w;
    struct asim_err err = {0};

    if (asim_simai_read(&w, path, &err))
        return;
    if (opt->gpus && w.all_gpus && opt->gpus != w.all_gpus)
        fprintf(stderr, "note: -g %u has no effect, as in SimAI: %s has all_gpus %u\n", opt->gpus,
                path, w.all_gpus);
    if (w.tp == 1) /* 0: all of them */
        opt->nvls = 0;
    asim_simai_fini(&w);
}

/* The configuration is read twice: here for its outputs, and by the run, which says what is wrong.
 */
static int run_packets(struct options *opt, const struct arguments *arguments)
{
    struct overrides set = {.n = 0};
    struct asim_netconf *net = NULL;
    struct asim_err err = {0};
    int code, read = opt->conf && !asim_netconf_open(&net, opt->conf, &err);

    override(&set, "GLOBAL_T", "1");
    override(&set, "FRAME_EXTRA_BYTES", "8");
    if (read)
        redirect(&set, net);
    look_at_text(opt);
    code = start(opt, arguments, &set);
    asim_netconf_close(net);
    return code;
}

/* Only checks that the workload exists; the run reads or refuses it. */
static int find_workload(const char *path, struct asim_err *err)
{
    char *trace = NULL;
    int found = !access(path, F_OK) || !asim_trace_path(path, 0, &trace, NULL);

    free(trace);
    if (found)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "there is no workload '%.200s', nor a first trace '%.200s.0.et' if it is a "
                        "prefix of Chakra traces; say -w FILE.",
                        path, path);
}

/* Paths of more than 4 kB are no paths; they would be cut. */
static int check_paths(const struct options *opt, struct asim_err *err)
{
    const char *const paths[] = {opt->workload, opt->topology, opt->conf};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && strlen(paths[i]) > 4096)
            return asim_err_set(err, ASIM_EINVAL, "a path of %zu characters is too long.",
                                strlen(paths[i]));
    return find_workload(opt->workload, err);
}

/* Both tables, since both are taken: ours first, as it wins where they share a key. */
static void show_help(int all)
{
    printf("usage: asim simai -w WORKLOAD -n TOPOLOGY [-c SimAI.conf] [options]\n\nRuns SimAI's "
           "inputs at packet level as SimAI_simulator does. Options of `asim packet` follow; they "
           "win over what is set here.\n\n");
    asim_args_help(stdout, options, asim_settings_options, all);
}

/* Exit codes as everywhere: wrong usage is 2, also where a file that must be named is not. */
static int run(int argc, char **argv)
{
    struct options opt = {0};
    struct arguments arguments = {.n_own = 0};
    struct asim_args args = {.tables = {{options, &opt}}};
    struct asim_err err = {0};
    int usage = 1, code = asim_option_defaults(options, &opt, &err);

    if (!code && !separate(&arguments, argc, argv))
        code = asim_err_set(&err, ASIM_EINVAL, "more than %d arguments.", MOST_ARGS - OWN_ARGS - 1);
    for (int i = 0; i < arguments.n_rest; i++)
        args.help |= !strcmp(arguments.rest[i], "--help=all")
                         ? ASIM_ARGS_ALL
                         : !strcmp(arguments.rest[i], "--help") || !strcmp(arguments.rest[i], "-h");
    if (!code && !args.help) {
        code = asim_args_parse(&args, arguments.n_own, arguments.own, &err);
        usage = code || !opt.workload || !opt.topology;
        code = code ? code : read_environment(&opt, &err);
        code = code ? code : check_paths(&opt, &err);
    }
    if (code)
        code = asim_args_fail("simai", &err, usage ? 2 : 1);
    else if (args.help)
        show_help(args.help == ASIM_ARGS_ALL);
    else
        code = run_packets(&opt, &arguments);
    asim_option_fini(options, &opt);
    return code;
}

static const char *const called_as[] = {"SimAI_simulator", NULL};

const struct asim_command asim_command_simai = {
    .member = {"simai", "Run SimAI's inputs at packet level with SimAI_simulator's options.",
               options, sizeof(struct options)},
    .run = run,
    .called_as = called_as,
    .topic = ASIM_TOPIC_RUN,
};
