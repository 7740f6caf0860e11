/* SPDX-License-Identifier: GPL-2.0-only
 *
 * For the tests of readers: text to a file, notes to a string, an error as one line.
 */
#ifndef ASIM_TESTS_FILES_H
#define ASIM_TESTS_FILES_H

#include "../../fuzz/replay.h"
#include "base/diagnostics.h"
#include "conf/conf.h"

static char heard[4096];

static inline void hear(void *self, const char *sentence)
{
    size_t used = strlen(heard);

    (void)self;
    snprintf(heard + used, sizeof heard - used, "%s\n", sentence);
}

static const struct asim_diagnostics listen = {hear, NULL};

static inline const char *file_of(const char *text)
{
    heard[0] = '\0';
    return replay_write(text, strlen(text));
}

/* One bad input: the place and a piece of the sentence. */
struct refusal {
    const char *text;
    unsigned line;
    const char *piece;
};

static inline void check_refusals(const struct refusal *rows, size_t n, replay_fn *read)
{
    for (size_t i = 0; i < n; i++) {
        struct asim_err err = {0};
        int rc = read(file_of(rows[i].text), &err);

        CHECK(rc != 0);
        if (err.line != rows[i].line)
            fprintf(stderr, "  %s\n", rows[i].text);
        CHECK_U64(err.line, rows[i].line);
        CHECK_STR(err.source, replay_work);
        CHECK(strstr(err.text, rows[i].piece) != NULL);
        if (!strstr(err.text, rows[i].piece))
            fprintf(stderr, "  \"%s\" says: %s\n", rows[i].text, err.text);
    }
}

#endif
