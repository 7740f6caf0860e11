/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads one line of each form. A line of a log counts from the word issue or callback on, after any
 * prefix of a logger. A node's name may contain commas if a type follows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "timeline/timeline.h"

static int has_prefix(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

int asim_timeline_track(const char *name, const char *type)
{
    const char *of[] = {name, type};
    static const int tracks[] = {0,
                                 0,
                                 ASIM_TRACK_REMOTE,
                                 ASIM_TRACK_REMOTE,
                                 ASIM_TRACK_COMP,
                                 ASIM_TRACK_COMM,
                                 ASIM_TRACK_COMM,
                                 ASIM_TRACK_COMM};
    for (int i = 0; i < 2; i++) {
        if (!of[i])
            continue;
        if (has_prefix(of[i], "MEM_LOAD_NODE") || has_prefix(of[i], "MEM_STORE_NODE"))
            return strstr(of[i], "LOCAL_MEMORY") ? ASIM_TRACK_LOCAL : ASIM_TRACK_REMOTE;
        if (has_prefix(of[i], "COMP_NODE"))
            return ASIM_TRACK_COMP;
        if (has_prefix(of[i], "COMM_"))
            return ASIM_TRACK_COMM;
    }
    if (type && type[0] >= '2' && type[0] <= '7' && !type[1])
        return tracks[type[0] - '0'];
    return 0;
}

/* Cuts "key=value," at *at; returns the value, or NULL if there is no '='. */
static char *take(char **at, int is_last)
{
    char *field = *at, *comma = is_last ? NULL : strchr(field, ','), *equals;
    if (comma)
        *comma = 0;
    *at = comma ? comma + 1 : field + strlen(field);
    equals = strchr(field, '=');
    return equals ? equals + 1 : NULL;
}

/* Ignores the names of columns, as chakra_timeline_visualizer does. */
static int take_u64(struct asim_timeline *t, char **at, uint64_t *value, struct asim_err *err)
{
    const char *text = take(at, 0);
    if (!text || asim_text_u64(text, value))
        return asim_timeline_fail(t, err,
                                  "expected issue or callback, then x=NPU, x=CYCLE, x=NODE and "
                                  "x=NAME with whole numbers.");
    return 0;
}

/* chakra_timeline_visualizer refuses other names; a line of ASTRA-sim has the type after the
 * name. */
static int place(struct asim_timeline *t, struct asim_timeline_event *event, char *rest,
                 struct asim_err *err)
{
    char *type = NULL, *tail = strstr(rest, ",node->type=");
    if (!tail)
        tail = strstr(rest, ", node->type=");
    if (tail) {
        type = strchr(tail, '=') + 1;
        *tail = 0;
    }
    event->name = take(&rest, 1);
    if (!event->name)
        return asim_timeline_fail(t, err, "the line has no x=NAME at its end.");
    event->track = asim_timeline_track(event->name, t->compat ? NULL : type);
    if (!event->track && t->compat)
        return asim_timeline_fail(t, err, "node '%.60s' is of no known kind.", event->name);
    event->track = event->track ? event->track : ASIM_TRACK_OTHER;
    return 0;
}

/* A callback removes the issue, so an id may occur again. */
static int finish(struct asim_timeline *t, struct asim_timeline_event *event, uint64_t cycle,
                  struct asim_err *err)
{
    uint64_t *issued = asim_map_get(&t->issued, event->npu, event->id);
    if (!issued)
        return asim_timeline_fail(
            t, err, "node %" PRIu64 " of NPU %" PRIu64 " is called back and was not issued before.",
            event->id, event->npu);
    event->start = *issued - 1;
    if (cycle < event->start)
        return asim_timeline_fail(t, err,
                                  "node %" PRIu64 " of NPU %" PRIu64 " ends at cycle %" PRIu64
                                  ", before it was issued at %" PRIu64 ".",
                                  event->id, event->npu, cycle, event->start);
    event->length = cycle - event->start;
    asim_map_delete(&t->issued, event->npu, event->id);
    return asim_timeline_event(t, event, err);
}

/* An issue is stored, a callback makes the event. */
int asim_timeline_log(struct asim_timeline *t, struct asim_err *err)
{
    struct asim_timeline_event event = {0};
    char *callback = strstr(t->text, "callback,"), *issue = strstr(t->text, "issue,");
    char *at = callback ? callback + 9 : issue ? issue + 6 : NULL;
    uint64_t cycle, *slot;
    int rc;
    if (!at)
        return 0; /* a line about something else */
    rc = take_u64(t, &at, &event.npu, err);
    if (!rc)
        rc = take_u64(t, &at, &cycle, err);
    if (!rc)
        rc = take_u64(t, &at, &event.id, err);
    if (!rc)
        rc = place(t, &event, at, err);
    if (rc)
        return rc;
    if (cycle == UINT64_MAX)
        return asim_timeline_fail(t, err, "the cycle is out of range.");
    if (callback)
        return finish(t, &event, cycle, err);
    slot = asim_map_put(&t->issued, event.npu, event.id);
    if (!slot)
        return asim_err_nomem(err, "reading a log");
    *slot = cycle + 1;
    return 0;
}

/* --- a run's completed messages: source and destination address, ports, bytes, start, ns --- */

/* Host of an ASTRA-sim address: 11.H.L.1 is host 256 H + L. */
static uint64_t host_of(uint64_t ip)
{
    return (ip >> 16 & 0xff) * 256 + (ip >> 8 & 0xff);
}

/* Cuts the next word off *at; returns NULL at the end of the line. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");

    *at = word + strcspn(word, " \t");
    if (**at)
        *(*at)++ = 0;
    return *word ? word : NULL;
}

/* Eight lower hexadecimal digits, as asim and ASTRA-sim write addresses. */
static int take_address(char **at, uint64_t *address)
{
    const char *word = next_word(at);

    if (!word || strlen(word) != 8 || strspn(word, "0123456789abcdef") != 8)
        return -1;
    *address = strtoul(word, NULL, 16);
    return 0;
}

static int take_number(char **at, uint64_t *number)
{
    const char *word = next_word(at);

    return !word || asim_text_u64(word, number);
}

int asim_timeline_fct(struct asim_timeline *t, struct asim_err *err)
{
    struct asim_timeline_event event = {.track = ASIM_TRACK_COMM};
    uint64_t src, dst, sport, dport, bytes, ideal;
    char name[96], *at = t->text;
    if (!at[strspn(at, " \t")])
        return 0;
    if (take_address(&at, &src) || take_address(&at, &dst) || take_number(&at, &sport) ||
        take_number(&at, &dport) || take_number(&at, &bytes) || take_number(&at, &event.start) ||
        take_number(&at, &event.length) || take_number(&at, &ideal) || next_word(&at))
        return asim_timeline_fail(t, err,
                                  "expected two addresses, two ports, bytes, start, duration and "
                                  "ideal duration of a message.");
    if (event.length > UINT64_MAX - event.start)
        return asim_timeline_fail(t, err, "the message ends out of range.");
    event.npu = host_of(src);
    snprintf(name, sizeof name, "%" PRIu64 " bytes to %" PRIu64, bytes, host_of(dst));
    event.name = name;
    return asim_timeline_message(t, &event, err);
}
