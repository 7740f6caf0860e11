/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading config.txt (rdma-network.md#network-configuration): "KEY value" a line, with '#' and "//"
 * comments. ASTRA-sim reads a stream of words, skips an unknown key and tries its value as the next
 * key, so that a slip goes unseen; here a line is one setting and words left on it are an error.
 * Values may carry units: times 5us, rates 100Gbps, sizes 32MiB; numbers without unit mean what
 * they mean in ASTRA-sim. As there, the last of repeated keys wins.
 *
 * *net starts from the defaults. At the end the reader warns about keys without effect and about
 * absent keys for which ASTRA-sim has another built-in value than the shipped files: published
 * files must go on running, but their users must learn what a key does.
 */
#include "asim/netconf.h"
#include "conf/netconf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/io/src.h"
#include "base/text.h"
#include "cc/cc.h"
#include "conf/conf.h"
#include "base/io/foreign.h"

enum { MAX_MAP = 4096, MAX_LINK_DOWN = 65536 };
enum { FS_PER_US = 1000 * ASIM_FS_PER_NS };
/* A slower link in a map is a forgotten unit. */
#define LEAST_LINK_BPS 10000000u
/* parity: ASTRA-sim counts LINK_DOWN from 2 s on (rdma-network.md#link-events). */
#define LINK_OFFSET_NS 2000000000u

/* A key and the line that set it, 0 = not yet. */
struct key_seen {
    const struct asim_option *row;
    unsigned line;
};

/* One file being read; lives on the stack of asim_netconf_read. */
struct reader {
    struct asim_netconf *net;
    struct asim_src src;
    const struct asim_diagnostics *diagnostics;
    struct asim_err *err;
    struct key_seen *keys;
    size_t n_keys;
    unsigned map_line[3]; /* as key_seen.line */
    size_t cap_link_down; /* room of net->link_down */
};

/* KMAX_MAP, KMIN_MAP, PMAX_MAP: offsets, and what a value is. */
static const struct {
    const char *key;
    size_t offset;
    double scale, max;
    const char *unit;
} maps[3] = {
    {"KMAX_MAP", offsetof(struct asim_netconf, kmax), 1000, 4e9, "KB"},
    {"KMIN_MAP", offsetof(struct asim_netconf, kmin), 1000, 4e9, "KB"},
    {"PMAX_MAP", offsetof(struct asim_netconf, pmax), 1, 1, "a probability of at most 1"},
};

/* One shape for all refusals: the key, what stands there, what should. found NULL = line's end. */
static int bad(struct reader *r, const char *key, const char *found, const char *expected)
{
    char safe[64];

    if (!found)
        return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src),
                           "%s ends too early; expected %s.", key, expected);
    return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src),
                       "%s has '%s' where %s is "
                       "expected.",
                       key, asim_text_safe(safe, sizeof safe, found), expected);
}

/* Says that a key was set before. */
static void mark_seen(struct reader *r, const char *key, unsigned *line)
{
    if (*line)
        asim_diagnose(r->diagnostics, "%s:%u: %s was set on line %u already; the last one counts.",
                      r->src.name, r->src.word_line, key, *line);
    *line = r->src.word_line;
}

/* The line is noted first, so that a wrong value of a repeated key is reported with both lines. An
 * empty value is an error even for texts: it would mean "not given" later. */
static int read_option(struct reader *r, struct key_seen *key)
{
    const char *value;
    char text[300];
    int rc;

    mark_seen(r, key->row->key, &key->line);
    value = asim_src_word_in_line(&r->src);
    if (!value)
        return bad(r, key->row->key, NULL, "a value after it on the same line");
    rc = asim_netconf_put(r->net, key->row, value, asim_src_where(&r->src), r->err);
    if (!rc && asim_option_is_doubtful(key->row, asim_netconf_field(r->net, key->row), value, text,
                                       sizeof text))
        asim_diagnose(r->diagnostics, "%s:%u: %s", r->src.name, r->src.word_line, text);
    return rc;
}

/* Thresholds are KB of 1000 bytes in ASTRA-sim (rdma-network.md#ecn-marking); they are kept in
 * bytes. */
static int read_map_entry(struct reader *r, size_t m, struct asim_rate_value *entry)
{
    const char *word = asim_src_word_in_line(&r->src);

    if (!word || (asim_text_u64(word, &entry->rate_bps) && asim_text_rate(word, &entry->rate_bps)))
        return bad(r, maps[m].key, word,
                   "a link rate, such as 100Gbps or 100000000000, for each "
                   "entry counted");
    if (entry->rate_bps < LEAST_LINK_BPS)
        asim_diagnose(r->diagnostics,
                      "%s:%u: %s has thresholds for links of %" PRIu64
                      " bit/s; a rate without a unit is bit/s",
                      r->src.name, r->src.word_line, maps[m].key, entry->rate_bps);
    word = asim_src_word_in_line(&r->src);
    if (!word || asim_text_double(word, &entry->value) || entry->value < 0 ||
        entry->value > maps[m].max)
        return bad(r, maps[m].key, word, maps[m].unit);
    entry->value *= maps[m].scale;
    return 0;
}

/* A map named twice replaces the first one whole, as in ASTRA-sim. Comparing each rate with
 * all before it is quadratic, and bounded by the number of entries.
 * The entries follow on the same line; a count that is too small leaves words, which read_line
 * refuses. */
static int read_map(struct reader *r, size_t m)
{
    struct asim_rate_map *map = (struct asim_rate_map *)((char *)r->net + maps[m].offset);
    const char *word;
    uint64_t n;
    int rc = 0;

    mark_seen(r, maps[m].key, &r->map_line[m]);
    word = asim_src_word_in_line(&r->src);
    if (!word || asim_text_u64(word, &n) || n > MAX_MAP)
        return bad(r, maps[m].key, word, "the number of entries, at most 4096");
    free(map->at);
    map->n = 0;
    map->at = calloc((size_t)n + 1, sizeof *map->at);
    if (!map->at)
        return asim_err_nomem(r->err, "reading the network settings");
    while (!rc && map->n < n) {
        rc = read_map_entry(r, m, &map->at[map->n]);
        for (size_t i = 0; !rc && i < map->n; i++)
            if (map->at[i].rate_bps == map->at[map->n].rate_bps)
                rc = asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src),
                                 "%s has two entries for %" PRIu64 " bit/s.", maps[m].key,
                                 map->at[i].rate_bps);
        map->n += !rc;
    }
    return rc;
}

/* A bare number is ASTRA-sim's: us after 2 s of the run, 0 = no such event. A time with a unit
 * is a time of the run. Returns 0, or ASIM_EINVAL without a message. */
static int read_link_time(const char *word, uint64_t *at_ns)
{
    uint64_t us, fs;

    if (!word)
        return ASIM_EINVAL;
    if (asim_text_u64(word, &us) == 0) {
        if (us > UINT32_MAX)
            return ASIM_EINVAL;
        *at_ns = us ? LINK_OFFSET_NS + us * (FS_PER_US / ASIM_FS_PER_NS) : UINT64_MAX;
        return 0;
    }
    if (asim_text_time(word, &fs))
        return ASIM_EINVAL;
    *at_ns = fs / ASIM_FS_PER_NS;
    return 0;
}

/* LINK_DOWN t a b, LINK_UP t a b. */
static int read_link_event(struct reader *r, const char *key)
{
    uint64_t at_ns, end[2] = {0, 0};
    struct asim_netconf *net = r->net;
    const char *word = asim_src_word_in_line(&r->src);

    if (read_link_time(word, &at_ns))
        return bad(r, key, word, "a time (us after 2 s, or with a unit) and two node ids");
    for (int i = 0; i < 2; i++) {
        word = asim_src_word_in_line(&r->src);
        if (!word || asim_text_u64(word, &end[i]) || end[i] > UINT32_MAX)
            return bad(r, key, word, "a time in us and two node ids");
    }
    if (at_ns == UINT64_MAX) {
        /* the published files have "0 0 0" */
        if (end[0] || end[1])
            asim_diagnose(r->diagnostics,
                          "%s:%u: %s at time 0 stands for never, as in ASTRA-sim; 0ns is the "
                          "beginning of the run",
                          r->src.name, r->src.word_line, key);
        return 0;
    }
    if (net->link_downs >= MAX_LINK_DOWN)
        return asim_err_at(r->err, ASIM_ENOMEM, asim_src_where(&r->src),
                           "there are more than %d LINK_DOWN and LINK_UP lines.", MAX_LINK_DOWN);
    if (asim_grow(&net->link_down, &r->cap_link_down, net->link_downs + 1, sizeof *net->link_down))
        return asim_err_nomem(r->err, "reading the network settings");
    net->link_down[net->link_downs++] = (struct asim_link_down){
        .at_ns = at_ns, .a = (uint32_t)end[0], .b = (uint32_t)end[1], .up = key[5] == 'U'};
    return 0;
}

/* The suggestions include maps and link events. An unknown key ends the reading: ASTRA-sim tries
 * its value as the next key, so that a slip sets something else. */
static int unknown_key(struct reader *r, const char *key)
{
    const char **words = calloc(r->n_keys + 5, sizeof *words);
    char safe[64], hint[96];
    size_t n = 0;
    int code;

    if (!words)
        return asim_err_nomem(r->err, "reading the network settings");
    for (; n < r->n_keys; n++)
        words[n] = r->keys[n].row->key;
    for (size_t m = 0; m < 3; m++)
        words[n++] = maps[m].key;
    words[n++] = "LINK_DOWN";
    words[n++] = "LINK_UP";
    asim_text_hint(hint, sizeof hint, asim_text_nearest(key, words, n));
    code = asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src), "unknown network key '%s'.%s",
                       asim_text_safe(safe, sizeof safe, key), hint);
    free(words);
    return code;
}

/* One line is one setting. Words left on it are an error, or a value with a blank in it would be
 * cut silently. */
static int read_line(struct reader *r, const char *key)
{
    const char *extra;
    size_t m = 0, k = 0;
    int rc;

    while (k < r->n_keys && strcmp(r->keys[k].row->key, key) != 0)
        k++;
    while (m < 3 && strcmp(maps[m].key, key) != 0)
        m++;
    if (k < r->n_keys)
        rc = read_option(r, &r->keys[k]);
    else if (m < 3)
        rc = read_map(r, m);
    else if (strcmp(key, "LINK_DOWN") == 0 || strcmp(key, "LINK_UP") == 0)
        rc = read_link_event(r, key);
    else
        rc = unknown_key(r, key);
    if (rc)
        return rc;
    extra = asim_src_word_in_line(&r->src);
    return extra ? bad(r, key, extra, "the end of the line") : 0;
}

/* KMIN above KMAX would mark everything or nothing depending on the order of two tests.
 * Rates that stand in one map only are left alone: such a link has no thresholds. */
static int check_ecn(struct reader *r)
{
    const struct asim_netconf *net = r->net;
    struct asim_where at = {r->src.name, 0, 0};

    for (size_t i = 0; i < net->kmin.n; i++)
        for (size_t j = 0; j < net->kmax.n; j++)
            if (net->kmin.at[i].rate_bps == net->kmax.at[j].rate_bps &&
                net->kmin.at[i].value > net->kmax.at[j].value)
                return asim_err_at(r->err, ASIM_EINVAL, at,
                                   "KMIN_MAP has %g KB for %" PRIu64
                                   " bit/s, more than the %g KB of KMAX_MAP.",
                                   net->kmin.at[i].value / 1000, net->kmin.at[i].rate_bps,
                                   net->kmax.at[j].value / 1000);
    return 0;
}

/* Only inputs are looked for beside the file; outputs go where the run stands.
 * The old string is freed only when the new one is there. */
static int resolve(struct reader *r, char **path)
{
    char *found;

    if (!*path)
        return 0;
    found = asim_conf_resolve(r->src.name, *path);
    if (!found)
        return asim_err_nomem(r->err, "reading the network settings");
    free(*path);
    *path = found;
    return 0;
}

/* ASTRA-sim writes both logs whether or not the file names them. */
static int default_output(struct reader *r, char **path, const char *name)
{
    if (!*path)
        *path = strdup(name);
    return *path ? 0 : asim_err_nomem(r->err, "reading the network settings");
}

/* --- warnings: settings without effect, and absent keys that ASTRA-sim has another value for ---
 */

/* Keys for one sentence; cut where the room ends. */
struct list {
    char text[1400];
};

static void add(struct list *list, const char *key, const char *value)
{
    size_t used = strlen(list->text);

    snprintf(list->text + used, sizeof list->text - used, "%s%s%s%s", used ? ", " : "", key,
             value ? " " : "", value ? value : "");
}

/* Comparing bytes suffices: one parser filled both sides, and no default is a NaN or -0. No string
 * has a default. */
static int differs(const struct asim_option *row, const struct asim_netconf *net,
                   const struct asim_netconf *defaults)
{
    return row->type == ASIM_T_STRING ||
           memcmp(asim_netconf_field(net, row), asim_netconf_field(defaults, row),
                  asim_option_bytes(row->type)) != 0;
}

/* A published file carries keys without effect: one sentence names those that ask for something. */
static void say_without_effect(const struct reader *r, const struct asim_netconf *defaults)
{
    struct list noop = {""};

    for (size_t k = 0; k < r->n_keys; k++) {
        const struct asim_option *row = r->keys[k].row;

        if (r->keys[k].line && row->flags & ASIM_F_NOOP && differs(row, r->net, defaults))
            add(&noop, row->key, NULL);
    }
    if (noop.text[0])
        asim_diagnose(
            r->diagnostics, "%s: no effect, as in ASTRA-sim: %s.%s", r->src.name, noop.text,
            r->net->flow_file ? " asim trace flows makes a workload of a FLOW_FILE." : "");
}

/* Options of congestion controls only where CC_MODE chooses one that has them. */
static void say_absent(const struct reader *r)
{
    const struct asim_cc *cc = asim_cc_number(r->net->cc_mode, NULL);
    struct list absent = {""};

    for (size_t k = 0; k < r->n_keys; k++) {
        const struct asim_option *row = r->keys[k].row;

        if (row->builtin && !r->keys[k].line &&
            (asim_netconf_is_own(row) || (cc && asim_option_find(cc->member.options, row->key))))
            add(&absent, row->key, row->builtin);
    }
    if (absent.text[0])
        asim_diagnose(r->diagnostics,
                      "%s: absent keys have the values of the published configuration; ASTRA-sim "
                      "without them would use %s.",
                      r->src.name, absent.text);
}

static int warn(const struct reader *r)
{
    struct asim_netconf defaults;
    int rc = asim_netconf_defaults(&defaults, r->err);

    if (rc)
        return rc;
    say_without_effect(r, &defaults);
    say_absent(r);
    asim_netconf_fini(&defaults);
    return 0;
}

/* Checks that need the whole file. */
static int finish(struct reader *r)
{
    struct asim_netconf *net = r->net;
    int rc = check_ecn(r);

    if (!rc)
        rc = resolve(r, &net->topology_file);
    if (!rc)
        rc = resolve(r, &net->trace_file);
    if (!rc)
        rc = resolve(r, &net->flow_file);
    if (!rc)
        rc = default_output(r, &net->fct_output, "fct.txt");
    if (!rc)
        rc = default_output(r, &net->pfc_output, "pfc.txt");
    return rc ? rc : warn(r);
}

/* All keys, none of them seen. */
static int open_keys(struct reader *r)
{
    const struct asim_option **rows;

    r->n_keys = asim_netconf_keys(NULL, 0);
    rows = calloc(r->n_keys, sizeof *rows);
    r->keys = calloc(r->n_keys, sizeof *r->keys);
    if (rows && r->keys) {
        asim_netconf_keys(rows, r->n_keys);
        for (size_t k = 0; k < r->n_keys; k++)
            r->keys[k].row = rows[k];
    }
    free(rows);
    return rows && r->keys ? 0 : asim_err_nomem(r->err, "reading the network settings");
}

/* *net belongs to the caller on success and is empty on failure. Linear in the file, but for
 * maps. */
int asim_netconf_read(struct asim_netconf *net, const char *path,
                      const struct asim_diagnostics *diagnostics, struct asim_err *err)
{
    struct reader r;
    const char *key;
    int rc;

    memset(&r, 0, sizeof r);
    r.net = net;
    r.diagnostics = diagnostics;
    r.err = err;
    rc = asim_netconf_defaults(net, err);
    if (rc)
        return rc;
    rc = open_keys(&r);
    if (!rc)
        rc = asim_src_open(&r.src, path, err);
    while (!rc && (key = asim_src_word(&r.src)))
        rc = read_line(&r, key);
    if (!rc)
        rc = finish(&r);
    asim_src_close(&r.src);
    free(r.keys);
    if (rc)
        asim_netconf_fini(net);
    return asim_foreign_instead(rc, path, "a configuration of the packet", err);
}

/* The line is put together and read as one of a file, so maps and link events are checked alike. */
int asim_netconf_set(struct asim_netconf *net, const char *const kv[2], struct asim_err *err)
{
    size_t size = strlen(kv[0]) + strlen(kv[1]) + 2;
    char *line = malloc(size + 1);
    struct reader r;
    int rc;

    memset(&r, 0, sizeof r);
    r.net = net;
    r.err = err;
    if (!line)
        return asim_err_nomem(err, "setting a network key");
    snprintf(line, size + 1, "%s %s\n", kv[0], kv[1]);
    rc = open_keys(&r);
    if (!rc)
        rc = asim_src_open_bytes(&r.src, "a network key", line, size, err);
    if (!rc)
        rc = read_line(&r, asim_src_word(&r.src));
    asim_src_close(&r.src);
    ASIM_FREE(r.keys, line);
    return rc;
}
