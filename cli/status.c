/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Status lines on a terminal.
 */
#include "cli/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BEGIN_AGAIN "\r\033[K"

double asim_status_wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void asim_status_open(struct asim_status *status)
{
    const char *passed = getenv(ASIM_STATUS_VARIABLE);
    int fd = passed && *passed ? atoi(passed) : -1;

    *status = (struct asim_status){.fd = -1};
    status->began_s = status->shown_s = asim_status_wall_s();
    if (isatty(2))
        status->fd = 2;
    else if (fd > 2 && isatty(fd))
        status->fd = fd;
}

int asim_status_is_due(struct asim_status *status)
{
    const double between_s = 0.5;

    return status->fd >= 0 && asim_status_wall_s() - status->shown_s >= between_s;
}

/* A line that wraps would not be overwritten by the next. */
static void fit(const struct asim_status *status, char *text)
{
    struct winsize size;
    size_t width = ioctl(status->fd, TIOCGWINSZ, &size) || size.ws_col < 2 ? 80 : size.ws_col;

    for (char *end = text + strlen(text); (size_t)(end - text) >= width; *end = '\0')
        for (end--; end > text && strncmp(end, ", ", 2) != 0;)
            end--;
}

void asim_status_show(struct asim_status *status, char *text)
{
    fit(status, text);
    dprintf(status->fd, "%s%s", BEGIN_AGAIN, text);
    status->is_shown = 1;
    status->shown_s = asim_status_wall_s();
}

void asim_status_clear(struct asim_status *status)
{
    if (status->is_shown)
        dprintf(status->fd, BEGIN_AGAIN);
    status->is_shown = 0;
}
