/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the command line of each backend. The formulas get the network as `asim compare` derives it
 * from the topology, written as network.yml.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/asim.h"
#include "asim/net.h"
#include "asim/observe.h"
#include "base/io/out.h"
#include "cli/interrupt.h"
#include "tools/run/job.h"
#include "tools/scenario/traces.h"

enum { MOST_WORDS = ASIM_JOB_WORDS + 16, WORD = ASIM_JOB_PATH + 32 };

/* A command line being made; owns the words it makes. */
struct line {
    const char *words[MOST_WORDS];
    char *made[MOST_WORDS];
    size_t n, n_made;
    int failed;
};

static void add(struct line *line, const char *word)
{
    line->words[line->n++] = word;
}

static void add_option(struct line *line, const char *key, const char *value)
{
    char *word = malloc(WORD);

    if (!word) {
        line->failed = 1;
        return;
    }
    snprintf(word, WORD, "--%s=%s", key, value);
    line->made[line->n_made++] = word;
    add(line, word);
}

static void drop(struct line *line)
{
    while (line->n_made)
        free(line->made[--line->n_made]);
}

/* Whether `word` of the command line, "--key=value", gives this key. */
static int is_given(const struct asim_job *job, const char *key)
{
    size_t n = strlen(key);

    for (size_t i = 0; i < job->n_words; i++)
        if (!strncmp(job->words[i] + 2, key, n) && job->words[i][2 + n] == '=')
            return 1;
    return 0;
}

/* Options that formulas have no use for, and those that network.yml contains already. */
static int is_of_packets(const char *word)
{
    static const char *const keys[] = {"network=",   "topology=",     "reports=",
                                       "cc=",        "mtu=",          "qps-per-connection=",
                                       "bandwidth=", "latency=",      "threads=",
                                       "placement=", "per-event=",    "pcap=",
                                       "without=",   "logical=",      "fast-forward=",
                                       "model=",     "flow-without=", "verify=",
                                       "correct=",   "like=",         "network-outputs="};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strncmp(word + 2, keys[i], strlen(keys[i])))
            return 1;
    return 0;
}

static void add_common(struct line *line, const struct asim_job *job, const char *folder)
{
    char factor[40];

    if (*job->prefix)
        add_option(line, "workload", job->prefix);
    if (*job->groups)
        add_option(line, "groups", job->groups);
    add_option(line, "out", folder);
    if (job->quiet)
        add_option(line, "quiet", "true");
    if (!is_given(job, "timeline"))
        add_option(line, "timeline", "true");
    if (job->compute_factor > 0 && job->compute_factor != 1) {
        snprintf(factor, sizeof factor, "%.12g", job->compute_factor);
        add_option(line, "compute-factor", factor);
    }
}

/* With --backend=all, what is meant for the flow level. */
static int is_of_flow(const char *word)
{
    return !strncmp(word, "--verify=", 9) || !strncmp(word, "--correct=", 10);
}

static void add_packets(struct line *line, const struct asim_job *job, const char *folder,
                        enum asim_job_backend backend)
{
    add_common(line, job, folder);
    if (*job->topology)
        add_option(line, "topology", job->topology);
    if (*job->logical && !is_given(job, "logical"))
        add_option(line, "logical", job->logical);
    if (is_given(job, "network") && !is_given(job, "network-outputs"))
        add_option(line, "network-outputs", folder);
    if (!is_given(job, "reports"))
        add_option(line, "reports",
                   backend == ASIM_JOB_FLOW ? "flows,links,hosts" : "flows,links,hosts,queues");
    if (!is_given(job, "like") && !is_given(job, "system"))
        add_option(line, "like", job->is_for_astra_sim ? "astra-sim" : "nccl");
    for (size_t i = 0; i < job->n_words; i++)
        if (job->backend != ASIM_JOB_ALL || backend == ASIM_JOB_FLOW || !is_of_flow(job->words[i]))
            add(line, job->words[i]);
}

static void say_note(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "note: %s\n", text);
}

/* Sets what the words say; --mode of `asim analytical` is --model elsewhere. */
static int read_words(struct asim_settings *settings, const struct line *line, struct asim_err *err)
{
    int code = asim_settings_init(settings, sizeof *settings, err);

    for (size_t i = 0; i < line->n && !code; i++) {
        const char *word = line->words[i], *value = strchr(word, '=');
        char key[64];

        if (strncmp(word, "--", 2) != 0 || !value)
            continue;
        snprintf(key, sizeof key, "%.*s", (int)(value - word - 2), word + 2);
        code = asim_settings_set(settings, strcmp(key, "mode") ? key : "model", value + 1, err);
    }
    return code;
}

/* The world of a command line, opened but not run. */
static int open_world(struct asim_world **world, const struct line *line,
                      const struct asim_hooks *hooks, struct asim_err *err)
{
    struct asim_scenario_traces traces = {.folder = NULL};
    struct asim_settings settings;
    int code = read_words(&settings, line, err);

    if (!code && settings.scenario && !settings.scenario_traces)
        code = asim_scenario_traces_open(&traces, settings.scenario, err);
    if (traces.folder)
        settings.scenario_traces = traces.folder;
    settings.end_ns = UINT64_MAX;
    if (!code)
        code = asim_world_open(world, &settings, hooks, err);
    if (traces.folder)
        settings.scenario_traces = NULL;
    asim_settings_fini(&settings);
    if (!code && traces.folder) {
        char identity[ASIM_IDENTITY_BYTES]; /* reads the traces, which go */

        code = asim_world_identity(*world, identity, err);
    }
    asim_scenario_traces_close(&traces);
    return code;
}

/* The world of the packet run, opened for its shape only. */
static int derive_shape(const struct asim_job *job, struct asim_netshape *shape,
                        struct asim_err *err)
{
    const struct asim_hooks hooks = {.note = say_note};
    struct line line = {.n = 0};
    struct asim_world *world = NULL;
    int code;

    add_packets(&line, job, job->folder, ASIM_JOB_PACKET);
    code = line.failed ? asim_err_nomem(err, "starting a run")
                       : open_world(&world, &line, &hooks, err);
    if (!code)
        code = asim_world_shape(world, shape, err);
    asim_world_close(world);
    drop(&line);
    return code;
}

static void write_list(struct asim_out *out, const char *key, const struct asim_netshape *shape)
{
    asim_out_printf(out, "%s: [", key);
    for (size_t d = 0; d < shape->n; d++) {
        const struct asim_netdim *dim = &shape->at[d];

        asim_out_printf(out, d ? ", " : " ");
        if (*key == 't')
            asim_out_printf(out, "%s", asim_net_topology_name((int)dim->topology));
        else if (*key == 'n')
            asim_out_printf(out, "%u", dim->npus);
        else
            asim_out_printf(out, "%.9g", *key == 'b' ? dim->bandwidth_gbps : dim->latency_ns);
    }
    asim_out_printf(out, " ]\n");
}

static int write_network(const struct asim_job *job, const char *path, struct asim_err *err)
{
    struct asim_netshape shape;
    struct asim_out out;

    if (derive_shape(job, &shape, err) || asim_out_open(&out, path, err))
        return ASIM_EINVAL;
    asim_out_printf(&out,
                    "# Derived from the topology, as `asim compare` does: an approximation.\n");
    write_list(&out, "topology", &shape);
    write_list(&out, "npus_count", &shape);
    write_list(&out, "bandwidth", &shape);
    write_list(&out, "latency", &shape);
    return asim_out_commit(&out, err);
}

static int add_formulas(struct line *line, const struct asim_job *job, const char *mode,
                        const char *folder, struct asim_err *err)
{
    char path[ASIM_JOB_PATH];

    snprintf(path, sizeof path, "%.1500s/network.yml", folder);
    if (write_network(job, path, err))
        return ASIM_EINVAL;
    add(line, "analytical");
    add_option(line, "mode", mode);
    add_common(line, job, folder);
    add_option(line, "network", path);
    for (size_t i = 0; i < job->n_words; i++)
        if (!is_of_packets(job->words[i]))
            add(line, job->words[i]);
    return 0;
}

/* The script ./ns3 of the repository: beside build/release/asim, or named by ASIM_NS3. */
static int find_ns3(char path[ASIM_JOB_PATH], struct asim_err *err)
{
    const char *given = getenv("ASIM_NS3");
    char *slash;

    if (given) {
        snprintf(path, ASIM_JOB_PATH, "%.2000s", given);
    } else {
        if (asim_child_self(path, err))
            return ASIM_EIO;
        for (int up = 0; up < 3 && (slash = strrchr(path, '/')); up++)
            *slash = '\0';
        strncat(path, "/ns3", ASIM_JOB_PATH - strlen(path) - 1);
    }
    if (!access(path, X_OK))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "there is no program %s; --backend=ns3 needs the repository's ./ns3, which "
                        "the variable ASIM_NS3 may name. --backend=packet gives the same bytes.",
                        path);
}

/* A command line of a backend, with room for its words that are no options. */
struct backend_line {
    struct line line;
    char self[ASIM_JOB_PATH], count[24];
};

static int make_line(struct backend_line *made, const struct asim_job *job,
                     enum asim_job_backend backend, const char *folder, struct asim_err *err)
{
    static const char *const modes[] = {[ASIM_JOB_UNAWARE] = "unaware", [ASIM_JOB_AWARE] = "aware"};
    struct line *line = &made->line;
    int code =
        backend == ASIM_JOB_NS3 ? find_ns3(made->self, err) : asim_child_self(made->self, err);

    memset(line, 0, sizeof *line);
    if (code)
        return code;
    add(line, made->self);
    snprintf(made->count, sizeof made->count, "%" PRIu32, job->mpi);
    if (backend == ASIM_JOB_NS3) {
        add(line, "run");
        add(line, "AstraSimNetwork");
        if (job->mpi > 1) {
            add(line, "--mpi");
            add(line, made->count);
        }
        add(line, "--");
        add_packets(line, job, folder, backend);
    } else if (backend == ASIM_JOB_PACKET || backend == ASIM_JOB_FLOW) {
        add(line, "packet");
        add_packets(line, job, folder, backend);
        if (backend == ASIM_JOB_FLOW)
            add(line, "--model=flow");
    } else {
        code = add_formulas(line, job, modes[backend], folder, err);
    }
    return !code && line->failed ? asim_err_nomem(err, "starting a run") : code;
}

int asim_job_backend(const struct asim_job *job, enum asim_job_backend backend, const char *folder,
                     int *code, struct asim_err *err)
{
    struct backend_line made;
    char log[ASIM_JOB_PATH];
    int failed = make_line(&made, job, backend, folder, err);

    snprintf(log, sizeof log, "%.1500s/log.txt", folder);
    if (!failed)
        failed = asim_child_run(made.line.words, made.line.n, log, code, err);
    if (failed == ASIM_EINTR) { /* its results so far are kept */
        *err = (struct asim_err){0};
        failed = 0;
    }
    drop(&made.line);
    return failed;
}

int asim_job_identity(const struct asim_job *job, char text[ASIM_IDENTITY_BYTES],
                      struct asim_err *err)
{
    const struct asim_hooks hooks = {.stop = asim_interrupt_stop};
    struct asim_world *world = NULL;
    struct backend_line made;
    int code = make_line(&made, job, (enum asim_job_backend)job->backend, job->folder, err);

    if (!code)
        code = open_world(&world, &made.line, &hooks, err);
    if (!code)
        code = asim_world_identity(world, text, err);
    asim_world_close(world);
    drop(&made.line);
    return code;
}
