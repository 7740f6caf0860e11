/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recorded traces and traces of other tools, if present ($ASIM_SHARED, else ../shared beside the
 * checkout): each opens and runs to its end, or is refused with a sentence. Where the issue order
 * of ASTRA-sim's feeders was recorded, the order here is the same. The v3 order is that of a queue
 * (all ready ops start, lowest id first, and finish in the order of their starts). v2 starts one op
 * at a time and knows no control dependencies, so only traces without them are compared.
 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "../../fuzz/replay.h"
#include "trace/feed/feed.h"

#define LISTED_MAX 100000

struct tally {
    int opened, refused, compared;
};

static int next_op(const struct asim_feed *feed, enum asim_unit *unit, uint32_t *index)
{
    uint64_t lowest = 0;
    int found = 0;
    for (int u = 0; u < ASIM_UNITS; u++) {
        uint32_t i;
        uint64_t id;
        if (!asim_feed_peek(feed, (enum asim_unit)u, &i, &id) || (found && id > lowest))
            continue;
        found = 1;
        lowest = id;
        *unit = (enum asim_unit)u;
        *index = i;
    }
    return found;
}

/* Ids in the order of a queue; returns how many. */
static size_t queue_order(struct asim_feed *feed, uint64_t *ids, uint32_t *queue)
{
    size_t n = 0, done = 0;
    do {
        enum asim_unit unit = ASIM_UNITS;
        uint32_t index = 0;
        while (n < LISTED_MAX && next_op(feed, &unit, &index)) {
            struct asim_op op = {0};
            CHECK_U64(asim_feed_record(feed, index, &op, NULL), 0);
            asim_feed_take(feed, unit);
            queue[n] = index;
            ids[n++] = op.id;
        }
        if (done < n)
            CHECK_U64(asim_feed_finish(feed, queue[done]), 0);
    } while (done++ < n);
    return n;
}

/* Compares with the recorded order "<id>" a line up to "DONE". */
static void compare(const char *golden, const uint64_t *ids, size_t n)
{
    char line[64];
    size_t at = 0, wrong = 0;
    FILE *file = fopen(golden, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file) && line[0] >= '0' && line[0] <= '9') {
        wrong += at >= n || strtoull(line, NULL, 10) != ids[at];
        at++;
    }
    if (file)
        fclose(file);
    if (wrong || at != n)
        fprintf(stderr, "  %s: %zu of %zu differ from our %zu\n", golden, wrong, at, n);
    CHECK_U64(wrong, 0);
    CHECK_U64(at, n);
}

/* The recorded order of a trace, if there is one with ids in it. */
static int golden_of(const char *shared, const char *path, char *golden, size_t size)
{
    char head[8] = "";
    const char *below = path + strlen(shared) + strlen("/data/");
    if (strncmp(path + strlen(shared), "/data/", 6))
        return 0;
    size_t n = (size_t)snprintf(golden, size, "%s/data/golden-feeder/real/", shared);
    snprintf(golden + n, size - n, "%s", below);
    for (char *c = golden + n; *c; c++)
        *c = (char)(*c == '/' ? '_' : *c);
    char *end = strstr(golden + n, ".et");
    snprintf(end, size - (size_t)(end - golden), ".et.v3");
    FILE *file = fopen(golden, "r");
    if (!file)
        return 0;
    int has_ids = fgets(head, sizeof head, file) && head[0] >= '0' && head[0] <= '9';
    fclose(file);
    return has_ids;
}

static void check_file(const char *shared, const char *path, struct tally *tally)
{
    char golden[2048];
    struct asim_feed_options opt = {.path = path, .lenient = 1};
    struct asim_err err = {0};
    struct asim_feed *feed;
    if (asim_feed_open(&feed, &opt, &err)) {
        CHECK(strlen(err.text) > 20);
        tally->refused++;
        return;
    }
    uint64_t *ids = malloc(LISTED_MAX * sizeof *ids);
    uint32_t *queue = malloc(LISTED_MAX * sizeof *queue);
    size_t n = queue_order(feed, ids, queue);
    CHECK_U64(asim_feed_finished(feed), asim_feed_total(feed));
    tally->opened++;
    if (golden_of(shared, path, golden, sizeof golden)) {
        compare(golden, ids, n);
        tally->compared++;
    }
    free(ids);
    free(queue);
    asim_feed_close(feed);
}

static int is_trace(const char *name)
{
    const char *et = strstr(name, ".et");
    return et && (!strcmp(et, ".et") || !strcmp(et, ".et.gz"));
}

/* The folders are a few levels deep. */
static void walk(const char *shared, const char *folder, struct tally *tally)
{
    char path[1500];
    struct stat st;
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode))
            walk(shared, path, tally);
        else if (is_trace(entry->d_name))
            check_file(shared, path, tally);
    }
    if (dir)
        closedir(dir);
}

int main(void)
{
    char root[512], shared[600], folder[700];
    struct tally tally = {0};
    const char *said = getenv("ASIM_SHARED");
    snprintf(shared, sizeof shared, said ? "%s" : "%s../shared",
             said ? said : replay_root(root, sizeof root));
    snprintf(folder, sizeof folder, "%s/data", shared);
    walk(shared, folder, &tally);
    snprintf(folder, sizeof folder, "%s/reference/workloads", shared);
    walk(shared, folder, &tally);
    if (!tally.opened) {
        fprintf(stderr, "skipped: no traces under %s\n", shared);
        return 0;
    }
    fprintf(stderr, "%d traces run, %d refused, %d compared with a recorded order\n", tally.opened,
            tally.refused, tally.compared);
    CHECK(tally.compared > 0);
    return CHECK_DONE();
}
