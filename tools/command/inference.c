/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim inference: serves a stream of requests to a language model (tools/inference/inference.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "cli/args.h"
#include "tools/inference/inference.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/status.h"
#include "cli/temporary.h"

struct options {
    uint32_t prefill, decode, mixed, tp, pp, requests, burst, prompt, output, max_batch;
    uint64_t max_tokens, kv_tokens, seed, mtu;
    double rate, efficiency, overhead_us, graph_saves_us;
    uint32_t prefix, groups;
    int eager, level, arrivals, lengths, chunked, prefix_caching, fast_forward, json;
    char *scheduler, *experts, *requests_file, *model, *gpu, *gpus, *times, *topology, *network,
        *system, *cc, *out;
    char *reports;
};

enum { MOST_HOSTS = 65536 };

#define AT(field) offsetof(struct options, field)

static const struct asim_option options[] = {
    {"prefill", NULL, "instances that prefill and send KV caches away", "0", ASIM_T_U32,
     AT(prefill), 0, 65536},
    {"decode", NULL, "instances that decode what others have prefilled", "0", ASIM_T_U32,
     AT(decode), 0, 65536},
    {"mixed", NULL, "instead of both: instances that prefill and decode", "0", ASIM_T_U32,
     AT(mixed), 0, 65536},
    {"tp", NULL,
     "GPUs of an instance, or of each stage of it, which share each layer (tensor and expert "
     "parallel); they may be in several servers",
     "8", ASIM_T_U32, AT(tp), 1, 1024},
    {"pp", NULL,
     "stages of an instance's pipeline, each of --tp GPUs with an equal share of the layers", "1",
     ASIM_T_U32, AT(pp), 1, 1024},
    {"arrivals", NULL, "times of the requests: random, some at once, or at equal distances",
     "poisson", ASIM_T_CHOICE, AT(arrivals), 0, 0, "poisson|bursts|evenly"},
    {"rate", NULL, "requests per second, in mean", "1", ASIM_T_DOUBLE, AT(rate), 0, 1e9},
    {"requests", NULL, "number of requests", "100", ASIM_T_U32, AT(requests), 1, 10000000},
    {"burst", NULL, "with --arrivals=bursts: requests that come at once", "8", ASIM_T_U32,
     AT(burst), 1, 10000000},
    {"lengths", NULL,
     "lengths of prompts and outputs: all the same, or exponential around the mean", "fixed",
     ASIM_T_CHOICE, AT(lengths), 0, 0, "fixed|exponential"},
    {"prompt", NULL, "tokens of a prompt", "1024", ASIM_T_U32, AT(prompt), 1, 1e8},
    {"output", NULL, "tokens of an output", "128", ASIM_T_U32, AT(output), 1, 1e8},
    {"requests-file", NULL,
     "instead: recorded requests, a CSV with arrival_s, prompt_tokens, output_tokens, and "
     "perhaps prefix_tokens, prefix_group",
     NULL, ASIM_T_STRING, AT(requests_file), 0, 0, NULL, ASIM_F_READS},
    {"prefix", NULL, "tokens that prompts of a group begin with", "0", ASIM_T_U32, AT(prefix), 0,
     1e8},
    {"prefix-groups", NULL, "groups of prompts, of which each request is in one", "1", ASIM_T_U32,
     AT(groups), 1, 10000000},
    {"scheduler", NULL,
     "what an iteration takes: fcfs (prompts in pieces beside new tokens, as vLLM V1), "
     "prefill-first (whole prompts before new tokens, as vLLM V0), disaggregated (whole prompts "
     "here, new tokens there; needs --prefill and --decode)",
     "fcfs", ASIM_T_STRING, AT(scheduler)},
    {"chunked-prefill", NULL, "with fcfs: prompts may be cut (vLLM: on)", "1", ASIM_T_BOOL,
     AT(chunked)},
    {"prefix-caching", NULL, "keep KV blocks of 16 tokens for prompts that begin alike (vLLM: on)",
     "1", ASIM_T_BOOL, AT(prefix_caching)},
    {"max-batch", NULL, "requests that run in an instance (vLLM: max_num_seqs)", "256", ASIM_T_U32,
     AT(max_batch), 1, 1e6},
    {"max-tokens", NULL, "tokens of an iteration (vLLM: max_num_batched_tokens)", "8192",
     ASIM_T_U64, AT(max_tokens), 1, 1e9},
    {"kv-tokens", NULL, "tokens whose KV cache an instance can hold; 0: no limit", "0", ASIM_T_U64,
     AT(kv_tokens), 0, 1e15},
    {"model", NULL,
     "model of catalogue/models.json (llama-3-8b, mixtral-8x22b, deepseek-v3 …), or a file "
     "config.json of Hugging Face",
     "llama-3-70b", ASIM_T_STRING, AT(model), .flags = ASIM_F_READS},
    {"experts", NULL, "of a model with experts, which its tokens go to: uniform, or zipf:EXPONENT",
     "uniform", ASIM_T_STRING, AT(experts)},
    {"gpu", NULL, "GPU of the roofline (catalogue/gpus.json)", "H100", ASIM_T_STRING, AT(gpu)},
    {"gpus", NULL, "file of further GPUs", NULL, ASIM_T_STRING, AT(gpus), 0, 0, NULL, ASIM_F_READS},
    {"efficiency", NULL, "share of the GPU's peaks that is reached (an assumption)", "0.5",
     ASIM_T_DOUBLE, AT(efficiency), 0.001, 1},
    {"overhead-us", NULL, "time of an iteration beside its computation (an assumption)", "0",
     ASIM_T_DOUBLE, AT(overhead_us), 0, 1e9},
    {"enforce-eager", NULL,
     "without CUDA graphs, which launch iterations of at most 512 tokens by default (vLLM)", "0",
     ASIM_T_BOOL, AT(eager)},
    {"graph-saves-us", NULL,
     "on machine:, time of launches that a collective in a CUDA graph is spared", "3",
     ASIM_T_DOUBLE, AT(graph_saves_us), 0, 100},
    {"times", NULL, "instead of the roofline: a CSV with phase (prefill, decode), tokens, us", NULL,
     ASIM_T_STRING, AT(times), 0, 0, NULL, ASIM_F_READS},
    {"topology", NULL, "topology file or auto:NAME,…; instance i has hosts i x tp x pp and up",
     "auto:switch", ASIM_T_STRING, AT(topology), .flags = ASIM_F_READS},
    {"network", NULL, "network configuration", NULL, ASIM_T_STRING, AT(network), 0, 0, NULL,
     ASIM_F_READS},
    {"level", NULL,
     "the network frame by frame; or at the flow level (doc/flow.md), which is faster, and where "
     "collectives of all instances and KV caches slow each other",
     "packet", ASIM_T_CHOICE, AT(level), 0, 0, "packet|flow"},
    {"system", NULL, "system configuration of the collectives inside an instance", NULL,
     ASIM_T_STRING, AT(system), 0, 0, NULL, ASIM_F_READS},
    {"cc", NULL, "congestion control", NULL, ASIM_T_STRING, AT(cc)},
    {"mtu", NULL, "payload bytes of a packet; 0: as the network configuration says", "0",
     ASIM_T_U64, AT(mtu), 0, 65000},
    {"out", "o", "folder for requests.csv, inference.json and the files of asim packet", NULL,
     ASIM_T_STRING, AT(out), .flags = ASIM_F_WRITES | ASIM_F_RESULT},
    {"json", NULL, "print the figures as JSON (inference.json) in place of the table", "0",
     ASIM_T_BOOL, AT(json), .flags = ASIM_F_NO_RESULT},
    {"reports", NULL, "further reports of asim packet in --out", NULL, ASIM_T_STRING, AT(reports),
     .flags = ASIM_F_NO_RESULT},
    {"fast-forward", NULL, "replay traffic that was simulated before, with the same results", "1",
     ASIM_T_BOOL, AT(fast_forward), .flags = ASIM_F_NO_RESULT},
    {"seed", NULL, "of the arrivals and lengths, and of the network", "1", ASIM_T_U64, AT(seed)},
    {0}};

static int check_roles(const struct options *opt, struct asim_err *err)
{
    if (opt->mixed && (opt->prefill || opt->decode))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--mixed goes without --prefill and --decode: an instance either does "
                            "both or one of them.");
    if (!opt->mixed && (!opt->prefill || !opt->decode))
        return asim_err_set(
            err, ASIM_EUSAGE,
            "say --mixed=N, or both --prefill=N and --decode=N: how many instances there are.");
    if (((uint64_t)opt->mixed + opt->prefill + opt->decode) * opt->tp * opt->pp > MOST_HOSTS)
        return asim_err_set(err, ASIM_EUSAGE, "more than %d GPUs in all instances together.",
                            (int)MOST_HOSTS);
    return 0;
}

static void note(void *self, const char *text)
{
    (void)self;
    if (!strstr(text, "have no nodes") && !strstr(text, "do not communicate") && /* on purpose */
        !strstr(text, "--seed has no effect"))                                   /* on arrivals */
        fprintf(stderr, "note: %s\n", text);
}

/* Everything of a run, so that one place frees it. */
struct serving {
    const struct options *opt;
    struct asim_settings settings;
    struct asim_requests requests;
    struct asim_times times;
    struct asim_instance_comm comm;
    struct asim_world *world;
    struct asim_engine *engine;
    const struct asim_scheduler *scheduler;
    char folder[ASIM_TEMPORARY_PATH], prefix[ASIM_TEMPORARY_PATH + 16];
    uint32_t hosts, looks;
    struct asim_status status;
    struct asim_key_value given[ASIM_ARGS_SEEN + 1]; /* of the command line, for the reports */
};

static void keep_given(struct serving *s, const struct asim_args *args)
{
    size_t n = 0;
    int has_model = 0;

    for (size_t i = 0; i < args->n_seen; i++) {
        const struct asim_args_seen *seen = &args->seen[i];

        if (!(seen->row->flags & (ASIM_F_NOOP | ASIM_F_WRITES | ASIM_F_NO_RESULT)))
            s->given[n++] = (struct asim_key_value){seen->row->key, seen->value};
        has_model |= !strcmp(seen->row->key, "model");
    }
    if (!has_model && n < ASIM_ARGS_SEEN)
        s->given[n] = (struct asim_key_value){"model", s->opt->model};
}

static void show_progress(struct serving *s)
{
    struct asim_progress at;
    char text[160];

    asim_world_progress(s->world, &at);
    snprintf(text, sizeof text, "%" PRIu64 " of %zu requests served, %.3f s simulated in %.0f s",
             asim_engine_finished(s->engine), s->requests.n, (double)at.time_ns / 1e9,
             asim_status_wall_s() - s->status.began_s);
    asim_status_show(&s->status, text);
}

/* The world calls this often. */
static int stop(void *self)
{
    const uint32_t seldom = 256;
    struct serving *s = self;

    if (s->engine && !(++s->looks % seldom) && asim_status_is_due(&s->status))
        show_progress(s);
    return asim_interrupted();
}

static int set(struct serving *s, const char *key, const char *value, struct asim_err *err)
{
    return value ? asim_settings_set(&s->settings, key, value, err) : 0;
}

static int open_settings(struct serving *s, struct asim_err *err)
{
    const struct options *opt = s->opt;
    int code = asim_settings_init(&s->settings, sizeof s->settings, err);

    s->settings.seed = opt->seed;
    s->settings.mtu_bytes = (uint32_t)opt->mtu;
    s->settings.fast_forward = opt->fast_forward;
    s->settings.quiet = 1;
    s->settings.like = opt->system ? ASIM_LIKE_AUTO : ASIM_LIKE_NCCL;
    if (code || (code = set(s, "topology", opt->topology, err)) ||
        (code = set(s, "model", opt->level ? "flow" : NULL, err)) ||
        (code = set(s, "network", opt->network, err)) || (code = set(s, "cc", opt->cc, err)) ||
        (code = set(s, "system", opt->system, err)) ||
        (code = set(s, "reports", opt->reports, err)))
        return code;
    return set(s, "out", opt->out, err);
}

/* A folder for the traces, which are removed at the end. */
static int make_folder(struct serving *s, struct asim_err *err)
{
    int code = asim_temporary_folder(s->folder, err);

    if (code)
        return code;
    snprintf(s->prefix, sizeof s->prefix, "%s/none", s->folder);
    return asim_comm_empty_traces(s->folder, "none", s->hosts, err);
}

static int open_times(struct serving *s, struct asim_err *err)
{
    const struct options *opt = s->opt;
    const struct asim_times_options times = {opt->model,       opt->gpu,     opt->gpus,
                                             opt->times,       opt->experts, opt->efficiency,
                                             opt->overhead_us, opt->tp};
    const struct asim_stream stream = {
        opt->requests_file, opt->arrivals, opt->rate, opt->requests, opt->burst, opt->lengths,
        opt->prompt,        opt->output,   opt->seed, opt->prefix,   opt->groups};
    int code = asim_times_open(&s->times, &times, err);

    s->comm =
        (struct asim_instance_comm){.settings = &s->settings,
                                    .model = &s->times.model,
                                    .folder = s->folder,
                                    .tp = opt->tp,
                                    .stages = opt->pp,
                                    .hosts = s->hosts,
                                    .busiest = s->times.experts.busiest,
                                    .graph_saves_ns = opt->eager ? 0 : 1000 * opt->graph_saves_us,
                                    .is_together = opt->level};
    if (!code && opt->pp > s->times.model.layers)
        code = asim_err_set(err, ASIM_EUSAGE,
                            "--pp=%" PRIu32 " is more than the %" PRIu64 " layers of the model %s.",
                            opt->pp, (uint64_t)s->times.model.layers, opt->model);
    if (!code && s->times.model.heads % opt->tp)
        code =
            asim_err_set(err, ASIM_EUSAGE,
                         "--tp=%" PRIu32 " does not divide the %" PRIu64 " heads of the model %s.",
                         opt->tp, (uint64_t)s->times.model.heads, opt->model);
    return code ? code : asim_stream_make(&s->requests, &stream, err);
}

static int open_world(struct serving *s, struct asim_err *err)
{
    const struct options *opt = s->opt;
    const struct asim_hooks hooks = {s, .note = note, .stop = stop};
    const struct asim_engine_options engine = {.prefill = opt->prefill,
                                               .decode = opt->decode,
                                               .mixed = opt->mixed,
                                               .gpus = opt->tp * opt->pp,
                                               .stages = opt->pp,
                                               .scheduler = s->scheduler,
                                               .in_pieces = opt->chunked,
                                               .caches_prefixes = opt->prefix_caching,
                                               .max_batch = opt->max_batch,
                                               .max_tokens = opt->max_tokens,
                                               .kv_tokens = opt->kv_tokens,
                                               .kv_bytes =
                                                   asim_model_kv_bytes(&s->times.model, opt->tp)};
    struct asim_settings settings = s->settings;
    int code;

    settings.workload = s->prefix;
    settings.given = s->given;
    code = asim_world_open(&s->world, &settings, &hooks, err);
    if (!code)
        code = asim_world_identify(s->world, options, opt, err);
    if (!code)
        code = asim_reports_open(s->world, opt->out, err);
    if (!code)
        code = asim_engine_open(&s->engine, &engine, &s->requests, s->world, err);
    if (!code)
        asim_engine_use(s->engine, &s->times, &s->comm);
    return code;
}

/* Only names that this command has made. */
static void remove_traces(const struct serving *s)
{
    char path[ASIM_TEMPORARY_PATH + 40];

    for (uint32_t r = 0; *s->folder && r < s->hosts; r++) {
        snprintf(path, sizeof path, "%s/none.%u.et", s->folder, r);
        unlink(path);
        snprintf(path, sizeof path, "%s/collective.%u.et", s->folder, r);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/groups.json", s->folder);
    if (*s->folder)
        unlink(path);
    if (*s->folder)
        rmdir(s->folder);
}

static void close_all(struct serving *s)
{
    asim_world_close(s->world);
    asim_engine_close(s->engine);
    asim_comm_free(&s->comm);
    asim_times_close(&s->times);
    asim_stream_free(&s->requests);
    asim_settings_fini(&s->settings);
    remove_traces(s);
}

static int is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key))
        keys++;
    return *keys != NULL;
}

/* Options that were given and change nothing beside, or without, others. */
static void note_idle(const struct asim_args *args, const struct options *opt)
{
    static const char *const made[] = {"arrivals", "rate",   "requests", "burst",         "lengths",
                                       "prompt",   "output", "prefix",   "prefix-groups", NULL};
    static const char *const roofline[] = {"gpu", "gpus", "efficiency", NULL};
    static const char *const bursts[] = {"burst", NULL}, *const pieces[] = {"chunked-prefill",
                                                                            NULL};
    const struct {
        const char *const *keys;
        int applies;
        const char *why;
    } rows[] = {{made, opt->requests_file != NULL, "beside --requests-file"},
                {roofline, opt->times != NULL, "beside --times"},
                {bursts, !opt->requests_file && opt->arrivals != ASIM_ARRIVE_BURSTS,
                 "without --arrivals=bursts"},
                {pieces, strcmp(opt->scheduler, "fcfs") != 0, "without --scheduler=fcfs"}};

    for (size_t i = 0; i < args->n_seen; i++)
        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
            if (rows[row].applies && is_among(args->seen[i].row->key, rows[row].keys))
                fprintf(stderr, "note: --%s has no effect %s\n", args->seen[i].row->key,
                        rows[row].why);
}

/* Requests that vLLM would refuse, or that are shorter than what they begin with. */
static void note_requests(const struct serving *s)
{
    const struct asim_requests *requests = &s->requests;
    uint64_t most = s->opt->kv_tokens;
    size_t big = 0, cut = 0;

    for (size_t i = 0; i < requests->n; i++) {
        const struct asim_request *at = &requests->at[i];

        big += most && (uint64_t)at->prompt + at->output > most;
        cut += at->prefix > at->prompt;
    }
    if (big)
        fprintf(stderr,
                "note: %zu of %zu requests have more tokens than --kv-tokens=%" PRIu64
                ": each takes what it needs once it is alone in its instance, where vLLM would "
                "refuse it\n",
                big, requests->n, most);
    if (cut)
        fprintf(stderr,
                "note: %zu of %zu requests have a prefix longer than their prompt; it counts up to "
                "the end of the prompt\n",
                cut, requests->n);
}

/* What does not fit would run all the same. */
static void note_memory(const struct serving *s)
{
    const struct options *opt = s->opt;
    const struct asim_model *model = &s->times.model;
    double weights = 2e-9 * model->params / (opt->tp * opt->pp), most = s->times.gpu.peak.memory_gb;
    double cache =
        1e-9 * (double)opt->kv_tokens * (double)asim_model_kv_bytes(model, opt->tp) / opt->pp;

    if (!opt->times && most > 0 && weights + cache > most)
        fprintf(stderr,
                "note: a GPU would hold %.0f GB of weights and %.0f GB of KV caches "
                "(--kv-tokens=%" PRIu64 "), and %s has %.0f GB: raise --tp or --pp, or name "
                "another --gpu\n",
                weights, cache, opt->kv_tokens, s->times.gpu.peak.name, most);
}

static int serve(const struct asim_args *args, struct asim_err *err)
{
    static const char *const names[] = {"requests.csv", "inference.json"};
    const struct options *opt = args->tables[0].base;
    struct serving s = {.opt = opt};
    struct asim_results_about about = {opt->out, 0, opt->json};
    int code = check_roles(opt, err);

    asim_status_open(&s.status);
    keep_given(&s, args);
    if (!code)
        code = asim_scheduler_find(&s.scheduler, opt->scheduler, !opt->mixed, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && !code; i++)
        code = asim_files_check_inside(args, 0, opt->out, names[i], err);

    s.hosts = (opt->mixed ? opt->mixed : opt->prefill + opt->decode) * opt->tp * opt->pp;
    about.gpus = s.hosts;
    if (!code)
        code = open_settings(&s, err);
    if (!code)
        code = make_folder(&s, err);
    if (!code)
        code = open_times(&s, err);
    if (!code) {
        note_idle(args, opt);
        note_requests(&s);
        note_memory(&s);
        code = open_world(&s, err);
    }
    if (!code)
        code = asim_world_run(s.world, err);
    asim_status_clear(&s.status);
    if (!code)
        code = asim_engine_verdict(s.engine, err);
    if (!code)
        asim_times_notes(&s.times, &(struct asim_diagnostics){.say = note});
    if (!code)
        code = asim_results_write(&s.requests, &about, err);
    close_all(&s);
    return code;
}

static const struct asim_args_job job = {
    "inference",
    "usage: asim inference --mixed=N | --prefill=N --decode=N [--option=value ...]\n\n"
    "Serve a stream of requests to a language model. An instance has --tp x --pp GPUs, a host "
    "each.\nKV caches go from prefill to decode instances over the packet network; computation "
    "takes the\ntime of a table or of the roofline model.\n",
    options,
    0,
    serve,
    0,
    0};

const struct asim_command asim_command_inference = {
    .member = {"inference", "Serve requests to a language model: TTFT, TPOT, KV transfer.", options,
               sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_RUN,
};
