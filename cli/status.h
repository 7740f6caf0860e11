/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The line of a terminal that tells how far a command is. The next line replaces it, so it is cut
 * to the terminal's width. A run within `asim run` writes it past the pipe that its errors take.
 */
#ifndef ASIM_CLI_STATUS_H
#define ASIM_CLI_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Names the file descriptor of the terminal to a child whose stderr is a pipe. */
#define ASIM_STATUS_VARIABLE "ASIM_TERMINAL"

struct asim_status {
    int fd; /* -1: nobody looks */
    int is_shown;
    double began_s, shown_s;
};

void asim_status_open(struct asim_status *status);
/* The wall clock, for what a reader waits for only. */
double asim_status_wall_s(void);
/* 1 twice a second where somebody looks. */
int asim_status_is_due(struct asim_status *status);
/* Cuts the text behind the last of its parts, between ", ", that fits. */
void asim_status_show(struct asim_status *status, char *text);
/* To be called before any other output. */
void asim_status_clear(struct asim_status *status);

#ifdef __cplusplus
}
#endif
#endif
