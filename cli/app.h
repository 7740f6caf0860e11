/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run as a command-line program: options in, result lines and one error sentence out, progress
 * on a terminal. AstraSimNetwork and `asim packet` are this with different clocks.
 *
 * Zero the struct, set program (and extra, about, verdict), then _open. Everything else is filled
 * and freed by the three functions.
 */
#ifndef ASIM_CLI_APP_H
#define ASIM_CLI_APP_H

#include "asim/asim.h"
#include "cli/args.h"
#include "cli/eta.h"
#include "cli/files.h"
#include "cli/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct asim_compare;
struct asim_verify;

struct asim_app {
    struct asim_settings settings;
    struct asim_world *world;
    struct asim_err err;
    struct asim_key_value given[ASIM_ARGS_SEEN + 1]; /* settings.given; strings are of argv */
    const char *program;                             /* as messages call it; set before _open */
    /* Set before _open too, or NULL: a command's own options, which fill `settings` as well, and
     * the paragraph --help begins with. */
    const struct asim_option *extra;
    const char *about;
    /* Set before _open, or NULL: called once the world and its reports are open. */
    int (*opened)(struct asim_app *app, struct asim_err *err);
    /* Set before _open, or NULL: the last text on stderr, from the folder --out; the caller frees
     * it. */
    int (*verdict)(const char *folder, char **text, struct asim_err *err);
    int is_analytical; /* set before _open: help shows the options that act on formulas */
    int like;          /* set before _open: of runs without --like that are no scenario */
    int n_own;         /* set before _open: so many words behind argv[0] are the program's own */
    int compare;       /* set before _open: compare whatever --compare says */
    /* With several processes, else NULL: a collective call of all processes that finds the first
     * error of any. Returns its code and fills *err with its sentence. Only process 0 prints. */
    int (*collective_error)(void *self, int code, struct asim_err *err);
    void *collective_self;
    /* Set before _open, or NULL: makes the traces of jobs with a generator and returns their
     * folder, which is settings.scenario_traces from then on; or NULL with app->err. */
    char *(*make_traces)(struct asim_app *app);
    void (*drop_traces)(const char *folder); /* with make_traces: removes their folder */
    int traces_are_temporary;                /* set by make_traces */
    int traces_are_new; /* the same: --out had none, so a refused run leaves none */
    uint64_t *alone_ns; /* --alone */
    struct asim_compare *comparison;
    struct asim_verify *verify;
    struct asim_status status;
    int out_of_time;
    uint32_t calls_left, calls_a_look; /* of asim_app_tick, to the next look at the clock */
    double looked_s;
    double started_s, shown_s, noted_s, noting_s; /* noting_s: what the last look took */
    uint64_t shown_hops;
    struct asim_eta eta;
    struct asim_files_new made; /* folders of outputs */
};

enum { ASIM_APP_GO_ON = -1 };

/* 1 for the command line of a script that was written for ASTRA-sim. */
int asim_app_is_for_astra_sim(int argc, char **argv);

/* Reads the options and opens the world and its reports. Returns ASIM_APP_GO_ON, or the exit code
 * to end with (0 after --help, 2 wrong usage, 1 bad input), everything said and closed. */
int asim_app_open(struct asim_app *app, int argc, char **argv);
/* To be called often; shows progress: twice a second on a terminal, else a line a minute. */
void asim_app_tick(struct asim_app *app);
/* Finishes and closes the world after the run gave `code`; says what there is to say. Returns
 * the exit code: 0, 1, or 130 after Ctrl-C. */
int asim_app_close(struct asim_app *app, int code);

/* The whole program with the clock of the core, as `asim packet` runs it. */
int asim_app_run(struct asim_app *app, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
