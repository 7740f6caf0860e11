/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs a simulation as a program. Result lines go to stdout, everything else to stderr, so that
 * stdout is the same for the same input.
 *
 * The order of a command: asim_app_open reads the options and opens the world and its reports; the
 * caller runs the world with its own clock; asim_app_close ends it. In between only result lines
 * and the progress line are written.
 */
#include "cli/app.h"
#include "asim/packet.h"
#include "asim/version.h"
#include "cli/alone.h"
#include "cli/args.h"
#include "cli/compare.h"
#include "cli/hugepages.h"
#include "cli/idle.h"
#include "cli/interrupt.h"
#include "cli/verify.h"
#include "cli/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_terminal(const struct asim_app *app)
{
    return app->status.fd >= 0;
}

/* Results: stdout, one line. */
static void say_line(void *self, const char *text)
{
    asim_status_clear(&((struct asim_app *)self)->status);
    puts(text);
}

/* Notes do not stop a run and do not reach stdout. */
static void say_note(void *self, const char *text)
{
    asim_status_clear(&((struct asim_app *)self)->status);
    fprintf(stderr, "note: %s\n", text);
}

/* The world calls this between windows, so the progress line is updated here. */
static int stop_asked(void *self)
{
    struct asim_app *app = self;

    if (app->world)
        asim_app_tick(app);
    return app->out_of_time || asim_interrupted();
}

/* The first error of any process; process 0 prints it. */
static int collective(struct asim_app *app, int code)
{
    return app->collective_error ? app->collective_error(app->collective_self, code, &app->err)
                                 : code;
}

/* One sentence on stderr, after all results so far, by process 0 only. A place in an input comes
 * first, as file:line:column, which editors turn into a link. */
static void print_error(struct asim_app *app)
{
    char text[sizeof app->err.text + sizeof app->err.source + 64];

    if (app->settings.process)
        return;
    asim_status_clear(&app->status);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", app->program, asim_err_show(&app->err, text, sizeof text));
}

/* Of analytical runs the options that act there. */
static void help_settings(const struct asim_app *app, int all)
{
    enum { MOST = 128 };
    struct asim_option shown[MOST] = {{0}};
    size_t n = 0;

    for (const struct asim_option *row = asim_settings_options; row->key && n < MOST - 1; row++)
        if (!app->is_analytical || !(row->flags & ASIM_F_PACKETS))
            shown[n++] = *row;
    asim_args_help(stdout, app->extra, shown, all);
}

/* Goes to stdout, because the user asked for it. */
static void help(const struct asim_app *app, int all)
{
    char reports[4000];

    printf("usage: %s --workload=PREFIX [--option=value …]\n\n%s\n\n", app->program,
           app->about
               ? app->about
               : "Simulates the Chakra execution traces PREFIX.0.et, PREFIX.1.et, … frame by frame "
                 "over an\nRDMA / 802.1Qbb network and prints when each rank finishes.");
    help_settings(app, all);
    if (!app->is_analytical) {
        asim_reports_list(reports, sizeof reports);
        printf("\n--reports=NAME,NAME,… or NAME:key=value:… with options of a report:\n%s",
               reports);
    }
    printf("\nExit code: 0 all ranks finished, 1 bad input or a run that cannot go on, 2 wrong "
           "usage, 130 Ctrl-C.\n");
}

static void show_version(const struct asim_app *app)
{
    const char *commit = asim_commit();

    printf("%s %s%s%s%s\n", app->program, asim_version(), *commit ? " (commit " : "", commit,
           *commit ? ")" : "");
}

/* Removes traces that shall not stay, then the folders of outputs that a failed run leaves empty.
 */
static void drop_files(struct asim_app *app, int failed)
{
    if (app->traces_are_temporary && app->settings.scenario_traces)
        app->drop_traces(app->settings.scenario_traces);
    app->traces_are_temporary = 0;
    asim_files_end(&app->made, failed && !app->settings.process);
}

/* Frees the strings of the option tables. */
static void forget_settings(struct asim_app *app)
{
    asim_settings_fini(&app->settings);
    if (app->extra)
        asim_option_fini(app->extra, &app->settings);
    free(app->alone_ns);
    app->alone_ns = NULL;
}

/* Keeps the fields without an option, which the caller may have set. */
static int init_settings(struct asim_app *app)
{
    struct asim_settings *settings = &app->settings, given = *settings;
    int code = asim_settings_init(settings, sizeof *settings, &app->err);

    settings->net_overrides = given.net_overrides;
    settings->process = given.process;
    settings->processes = given.processes;
    settings->verbose |= given.verbose;
    settings->borrowed_cores = given.borrowed_cores;
    return code || !app->extra ? code : asim_option_defaults(app->extra, settings, &app->err);
}

/* What a scenario needs before the run: traces, its end, and the times of its jobs alone. */
static int prepare(struct asim_app *app, const struct asim_hooks *hooks)
{
    int code;

    if (!app->settings.scenario || app->is_analytical)
        return 0;
    if (app->make_traces && !app->settings.scenario_traces) {
        app->settings.scenario_traces = app->make_traces(app);
        if (app->err.code)
            return app->err.code;
    }
    code = asim_alone_find_end(&app->settings, hooks, &app->err);
    if (code || !app->settings.alone)
        return code;
    code = asim_alone_run(&app->settings, hooks, &app->alone_ns, &app->err);
    app->settings.alone_ns = app->alone_ns;
    return code;
}

/* Opens the world with its reports, and the comparison if one is asked for. */
static int open_world(struct asim_app *app, const struct asim_hooks *hooks)
{
    int code = prepare(app, hooks);

    if (!code)
        code = asim_world_open(&app->world, &app->settings, hooks, &app->err);

    if (!code)
        code = asim_reports_open(app->world, app->settings.out, &app->err);
    if (!code && app->opened)
        code = app->opened(app, &app->err);
    if (!code && asim_packet_is_used(app->world) && (app->compare || app->settings.compare))
        code = asim_compare_open(&app->comparison, app->world, &app->settings, hooks, &app->err);
    if (!code && app->settings.verify)
        code = asim_verify_open(&app->verify, app->world, &app->settings, &app->err);
    return code;
}

/* They use ASTRA-sim's name of the option, and parse its line of each rank. */
int asim_app_is_for_astra_sim(int argc, char **argv)
{
    static const char name[] = "--workload-configuration";

    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, sizeof name - 1))
            return 1;
    return 0;
}

static void follow(struct asim_app *app, int argc, char **argv)
{
    int astra_sim = asim_app_is_for_astra_sim(argc, argv);

    app->settings.verbose |= astra_sim;
    if (app->settings.like == ASIM_LIKE_AUTO && !app->settings.scenario)
        app->settings.like = astra_sim ? ASIM_LIKE_ASTRA_SIM : app->like;
}

/* What decides the result; outputs and the pace of the run do not. */
static void keep_given(struct asim_app *app, const struct asim_args *args)
{
    size_t n = 0;

    for (size_t i = 0; i < args->n_seen; i++) {
        const struct asim_args_seen *seen = &args->seen[i];

        if (!(seen->row->flags & (ASIM_F_NOOP | ASIM_F_WRITES | ASIM_F_NO_RESULT)))
            app->given[n++] = (struct asim_key_value){seen->row->key, seen->value};
    }
    app->settings.given = app->given;
}

/* Returns ASIM_APP_GO_ON with an open world, or prints the error and returns the exit code. */
int asim_app_open(struct asim_app *app, int argc, char **argv)
{
    struct asim_hooks hooks = {app, say_line, app->settings.process ? NULL : say_note, stop_asked};
    struct asim_args args = {
        .tables = {{asim_settings_options, &app->settings}, {app->extra, &app->settings}},
        .n_own = app->n_own};
    int code;

    if (app->settings.processes < 2) /* else MPI's threads may be allocating */
        asim_pages_large();
    if (argc > 1 && !strcmp(argv[argc - 1], "--version")) {
        if (!app->settings.process)
            show_version(app);
        return 0;
    }
    asim_status_open(&app->status);
    app->status.fd = app->settings.process ? -1 : app->status.fd;
    app->started_s = app->shown_s = app->noted_s = asim_status_wall_s();
    app->noting_s = 0;
    code = init_settings(app);
    if (!code)
        code = asim_args_parse(&args, argc, argv, &app->err);

    if (code || args.help) {
        if (code)
            print_error(app);
        else if (!app->settings.process)
            help(app, args.help == ASIM_ARGS_ALL);
        forget_settings(app);
        return code ? 2 : 0;
    }
    keep_given(app, &args);
    follow(app, argc, argv);
    if (hooks.note)
        asim_idle_options(&app->settings, app->compare, hooks.note, app);
    asim_files_begin(&app->made, &args);
    code = collective(app, open_world(app, &hooks));
    if (!code)
        return ASIM_APP_GO_ON;
    code = asim_args_exit(&app->err);
    print_error(app);
    asim_compare_close(app->comparison);
    asim_verify_close(app->verify);
    asim_world_close(app->world);
    app->world = NULL;
    app->traces_are_temporary |= app->traces_are_new;
    drop_files(app, 1);
    forget_settings(app);
    return code;
}

static double saved_percent(const struct asim_progress *at)
{
    return at->hops ? 100.0 * (double)(at->hops_replayed + at->hops_skipped) / (double)at->hops : 0;
}

/* Where a run has taken a while: what fast-forward has saved, and why not more. */
static void tell_use(struct asim_app *app, int code)
{
    const double while_s = 10;
    double passed = asim_status_wall_s() - app->started_s;
    struct asim_progress at;

    if (passed < while_s || app->settings.process || app->settings.quiet ||
        (code && code != ASIM_EINTR))
        return;
    asim_world_progress(app->world, &at);
    if (!at.hops || !at.carried_most_why)
        return;
    asim_status_clear(&app->status);
    fprintf(stderr,
            "note: the run took %.0f s. Of %.4g packet-hops fast-forward replayed or skipped %.1f "
            "%%; %.1f %% were carried because of this: %s (--reports=fast_forward lists all)\n",
            passed, (double)at.hops, saved_percent(&at),
            100.0 * (double)at.hops_carried_most / (double)at.hops, at.carried_most_why);
}

/* The part of the run that is done: of the bytes of the communication; without communication of the
 * ops. */
static double share_done(const struct asim_progress *at)
{
    if (at->bytes_total)
        return (double)at->bytes_done / (double)at->bytes_total;
    return at->ops_total ? (double)at->ops_done / (double)at->ops_total : 0;
}

/* What a user waits for comes first. */
static void show_progress(struct asim_app *app, const struct asim_progress *at, double now)
{
    double left = asim_eta_left(&app->eta);
    char eta[32] = "?", saved[64] = "", line[400];

    if (left >= 0)
        snprintf(eta, sizeof eta, "%.0f s", left);
    if (at->hops_replayed + at->hops_skipped)
        snprintf(saved, sizeof saved, ", %.1f %% of all replayed or skipped", saved_percent(at));
    snprintf(line, sizeof line,
             "%.3f ms simulated in %.0f s, %s left, %.3g of %.3g GB in %llu of %llu ops, %u of %u "
             "ranks, %.1f M packet-hops/s%s",
             (double)at->time_ns / 1e6, now - app->started_s, eta, (double)at->bytes_done / 1e9,
             (double)at->bytes_total / 1e9, (unsigned long long)at->ops_done,
             (unsigned long long)at->ops_total, at->ranks_done, at->ranks,
             (double)(at->hops - app->shown_hops) / (now - app->shown_s) / 1e6, saved);
    if (on_terminal(app))
        asim_status_show(&app->status, line);
    else
        fprintf(stderr, "%s\n", line);
    app->shown_s = now;
    app->shown_hops = at->hops;
}

/* A look is linear in ranks and, at the flow level, in connections: it takes 2 % of the time at
 * most. A line follows twice a second on a terminal, each minute elsewhere. */
static void note_progress(struct asim_app *app, double now)
{
    const double between_s = 0.5, least_share = 50, line_s = on_terminal(app) ? 0.5 : 60;
    struct asim_progress at;

    if (now - app->noted_s < between_s || now - app->noted_s < least_share * app->noting_s)
        return;
    app->noted_s = now;
    asim_world_progress(app->world, &at);
    app->noting_s = asim_status_wall_s() - now;
    asim_eta_note(&app->eta, now - app->started_s, share_done(&at));
    if (now - app->shown_s >= line_s)
        show_progress(app, &at, now);
}

/* Calls until the next look at the clock: about as many as take 10 to 100 ms, since a call may be
 * short or a long window of a large network. */
static uint32_t calls_to_look(const struct asim_app *app, double now)
{
    const double short_s = 0.01, long_s = 0.1;
    const uint32_t most = 256;

    if (now - app->looked_s > long_s && app->calls_a_look > 1)
        return app->calls_a_look / 2;
    if (now - app->looked_s < short_s && app->calls_a_look < most)
        return app->calls_a_look ? app->calls_a_look * 2 : 1;
    return app->calls_a_look;
}

/* --quiet is for scripts, which have no reader of lines. */
void asim_app_tick(struct asim_app *app)
{
    double limit = app->settings.time_limit_s, now;

    if (app->calls_left) {
        app->calls_left--;
        return;
    }
    now = asim_status_wall_s();
    app->calls_left = app->calls_a_look = calls_to_look(app, now);
    app->looked_s = now;
    app->out_of_time |= limit > 0 && now - app->started_s > limit;
    if (app->settings.process || (!on_terminal(app) && app->settings.quiet))
        return;
    note_progress(app, now);
}

/* What limits the run and its busiest links, read back from --out. On stderr: scripts compare
 * stdout. */
static int print_verdict(struct asim_app *app)
{
    const struct asim_hooks hooks = {.stop = asim_interrupt_stop};
    char now[] = "looking for what limits the run, which --what-if=false leaves out", *text = NULL;
    struct asim_err err = {0};
    int code = 0;

    if (!app->verdict)
        return 0;
    if (app->settings.what_if && on_terminal(app))
        asim_status_show(&app->status, now);
    if (app->settings.what_if)
        code = asim_what_if(app->world, &app->settings, &hooks, &app->err);
    asim_status_clear(&app->status);
    if (!code && !app->verdict(app->settings.out, &text, &err))
        fputs(text, stderr);
    free(text);
    return code;
}

/* The runs after the run: the comparison and the samples. */
static int look_again(struct asim_app *app, int code)
{
    if (!code && app->comparison)
        code = asim_compare_finish(app->comparison, &app->err);
    asim_compare_close(app->comparison);
    if (!code && app->verify)
        code = asim_verify_finish(app->verify, &app->err);
    asim_verify_close(app->verify);
    return code;
}

/* code: the result of the run. Ends the world and returns the exit code; a full disk behind stdout
 * is a failure. */
int asim_app_close(struct asim_app *app, int code)
{
    tell_use(app, code);
    if (!app->settings.process)
        code = asim_world_finish(app->world, code, &app->err);
    if (app->collective_error) /* the verdict of process 0 */
        code = collective(app, app->settings.process ? 0 : code);
    if (app->settings.process)
        code = asim_world_finish(app->world, code, &app->err);
    if (app->collective_error) /* a process that could not write its files */
        code = collective(app, code);
    asim_status_clear(&app->status);
    if (code == ASIM_EINTR && app->out_of_time && !app->settings.process)
        fprintf(stderr, "note: the run reached its --time-limit of %g s\n",
                app->settings.time_limit_s);
    if (!code && app->settings.out && !app->settings.process && !app->settings.quiet)
        code = print_verdict(app);
    code = look_again(app, code);
    if (code)
        print_error(app);
    asim_world_close(app->world);
    app->world = NULL;
    drop_files(app, code);
    forget_settings(app);
    if ((fflush(stdout) || ferror(stdout)) && !code) {
        fprintf(stderr, "%s: cannot write the results to standard output\n", app->program);
        return 1;
    }
    return code == ASIM_EINTR ? 130 : code != 0;
}
