/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading config.txt (spec rdma-network 5.3): "KEY value" a line, with '#' and "//" comments. The
 * reference reads a stream of words in which an unknown key is skipped one word at a time and its
 * value tried as the next key, so that slips go unseen; here a line is one setting and anything
 * left over on it is an error. Values may carry units: times 5us, rates 100Gbps, sizes 32MiB;
 * bare numbers mean what they mean there. As there, the last of repeated keys wins.
 *
 * *net starts from the defaults, so what a file leaves out is defined; which keys it left out is
 * remembered for the remarks at the end. Cost: linear in the file. Everything the struct owns is
 * freed by asim_netconf_fini.
 */
#include "conf/netconf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/io/src.h"
#include "base/text.h"

enum { MAX_MAP = 4096, MAX_LINK_DOWN = 65536 };
enum { FS_PER_US = 1000 * ASIM_FS_PER_NS };
/* parity: the reference counts LINK_DOWN from here (spec 4.7). */
#define LINK_OFFSET_NS 2000000000u

/* One file being read; lives on the stack of asim_netconf_read. */
struct reader {
    struct asim_netconf *net;
    struct asim_src src;
    const struct asim_diagnostics *notes;
    struct asim_err *err;
    unsigned seen[ASIM_NETCONF_KEYS_MAX]; /* line of each row of the table, 0 = not yet */
    /* Line of each map, as `seen` for the rows. */
    unsigned seen_map[3];
    /* Room of net->link_down; the settings themselves need no capacity. */
    size_t cap_link_down;
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

/* A linear look: config files have tens of lines. */
static const struct asim_netconf_trait *trait_of(const char *key)
{
    for (const struct asim_netconf_trait *t = asim_netconf_traits; t->key; t++)
        if (strcmp(t->key, key) == 0)
            return t;
    return NULL;
}

/* The value with its unit taken off, or as it stands where the option parser knows what to do.
 * buf is only used where something changes; otherwise the word itself goes on. Sizes, times and
 * MiB are turned into the plain numbers the option table expects. */
static const char *plain_value(char *buf, size_t size, const char *key, const char *value)
{
    const struct asim_netconf_trait *trait = trait_of(key);
    double number;
    uint64_t whole;
    int bare = asim_text_double(value, &number) == 0;

    if (!trait || (bare && trait->unit != ASIM_UNIT_MIB))
        return value;
    if (bare && strlen(value) > size - sizeof "MiB")
        return "(a number of more than 60 digits)";
    if (bare)
        snprintf(buf, size, "%sMiB", value);
    else if (trait->unit == ASIM_UNIT_BYTES && asim_text_size(value, &whole) == 0)
        snprintf(buf, size, "%" PRIu64, whole);
    else if (trait->unit == ASIM_UNIT_NS && asim_text_time(value, &whole) == 0)
        snprintf(buf, size, "%" PRIu64, whole / ASIM_FS_PER_NS);
    else if (trait->unit == ASIM_UNIT_US && asim_text_time(value, &whole) == 0)
        snprintf(buf, size, "%" PRIu64, whole / FS_PER_US);
    else
        return value;
    return buf;
}

/* Notes a key that was there before; 0 stays "not seen". */
static void mark_seen(struct reader *r, const char *key, unsigned *line)
{
    if (*line)
        asim_diagnose(r->notes, "%s:%u: %s was set on line %u already; the last one counts.",
                      r->src.name, r->src.word_line, key, *line);
    *line = r->src.word_line;
}

/* A repeated string key is safe: the option parser frees the first value.
 * The line is noted before the value is read, so that a wrong value of a repeated key is told
 * with both. */
static int read_option(struct reader *r, const struct asim_option *row)
{
    char buf[64];
    const char *value;

    mark_seen(r, row->key, &r->seen[row - asim_netconf_options]);
    /* No value is an error even for texts: an empty one would be taken for "not given" later. */
    value = asim_src_word_in_line(&r->src);
    if (!value)
        return bad(r, row->key, NULL, "a value after it on the same line");
    return asim_option_parse(row, r->net, plain_value(buf, sizeof buf, row->key, value),
                             asim_src_where(&r->src), r->err);
}

/* Thresholds are KB of 1000 bytes in the reference (spec 4.5); they are kept in bytes. */
static int read_map_entry(struct reader *r, size_t m, struct asim_rate_value *entry)
{
    const char *word = asim_src_word_in_line(&r->src);

    if (!word || (asim_text_u64(word, &entry->rate_bps) && asim_text_rate(word, &entry->rate_bps)))
        return bad(r, maps[m].key, word,
                   "a link rate, such as 100Gbps or 100000000000, for each "
                   "entry counted");
    word = asim_src_word_in_line(&r->src);
    if (!word || asim_text_double(word, &entry->value) || entry->value < 0 ||
        entry->value > maps[m].max)
        return bad(r, maps[m].key, word, maps[m].unit);
    entry->value *= maps[m].scale;
    return 0;
}

/* A map named twice replaces the first one whole, as in the reference. Comparing each rate with
 * all before it is quadratic, and bounded by the number of entries.
 * The entries follow on the same line; a count that is too small leaves words, which read_line
 * refuses. */
static int read_map(struct reader *r, size_t m)
{
    struct asim_rate_map *map = (struct asim_rate_map *)((char *)r->net + maps[m].offset);
    const char *word;
    uint64_t n;
    int rc = 0;

    mark_seen(r, maps[m].key, &r->seen_map[m]);
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

/* A bare number is the reference's: us after 2 s of the run, 0 = no such event. A time with a unit
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
    uint64_t at_ns, end[2];
    struct asim_netconf *net = r->net;
    const char *word = asim_src_word_in_line(&r->src);

    if (read_link_time(word, &at_ns))
        return bad(r, key, word, "a time (us after 2 s, or with a unit) and two node ids");
    for (int i = 0; i < 2; i++) {
        word = asim_src_word_in_line(&r->src);
        if (!word || asim_text_u64(word, &end[i]) || end[i] > UINT32_MAX)
            return bad(r, key, word, "a time in us and two node ids");
    }
    if (at_ns == UINT64_MAX)
        return 0;
    if (net->link_downs >= MAX_LINK_DOWN)
        return asim_err_at(r->err, ASIM_ENOMEM, asim_src_where(&r->src),
                           "there are more than %d LINK_DOWN and LINK_UP lines.", MAX_LINK_DOWN);
    if (asim_grow(&net->link_down, &r->cap_link_down, net->link_downs + 1, sizeof *net->link_down))
        return asim_err_nomem(r->err, "reading the network settings");
    net->link_down[net->link_downs++] = (struct asim_link_down){
        .at_ns = at_ns, .a = (uint32_t)end[0], .b = (uint32_t)end[1], .up = key[5] == 'U'};
    return 0;
}

/* Maps and link events are no rows of the table but belong to the suggestions.
 * An unknown key ends the reading: in the reference its value is tried as the next key, which is
 * how a slip sets something else. */
static int unknown_key(struct reader *r, const char *key)
{
    const char *words[ASIM_NETCONF_KEYS_MAX + 5];
    char safe[64], hint[96];
    size_t n = 0;

    for (const struct asim_option *row = asim_netconf_options; row->key; row++)
        words[n++] = row->key;
    for (size_t m = 0; m < 3; m++)
        words[n++] = maps[m].key;
    words[n++] = "LINK_DOWN";
    words[n++] = "LINK_UP";
    asim_text_hint(hint, sizeof hint, asim_text_nearest(key, words, n));
    return asim_err_at(r->err, ASIM_EINVAL, asim_src_where(&r->src), "unknown network key '%s'.%s",
                       asim_text_safe(safe, sizeof safe, key), hint);
}

/* What is left on a line is refused, or a value with a blank in it would be cut in silence.
 * Whatever the key is, one line is one setting. */
static int read_line(struct reader *r, const char *key)
{
    const struct asim_option *row = asim_option_find(asim_netconf_options, key);
    const char *extra;
    size_t m = 0;
    int rc;

    while (m < 3 && strcmp(maps[m].key, key) != 0)
        m++;
    if (row)
        rc = read_option(r, row);
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

/* The reference writes both logs whether or not the file names them. */
static int default_output(struct reader *r, char **path, const char *name)
{
    if (!*path)
        *path = strdup(name);
    return *path ? 0 : asim_err_nomem(r->err, "reading the network settings");
}

/* What can only be said once all keys are known. Order matters to the eye only: the first error is
 * the one shown. */
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
    return rc ? rc : asim_netconf_warn(r->net, r->seen, r->src.name, r->notes, r->err);
}

/* *net belongs to the caller on success and is empty on failure. Linear in the file, but for
 * maps. */
int asim_netconf_read(struct asim_netconf *net, const char *path,
                      const struct asim_diagnostics *notes, struct asim_err *err)
{
    struct reader r;
    const char *key;
    int rc;

    memset(&r, 0, sizeof r);
    r.net = net;
    r.notes = notes;
    r.err = err;
    rc = asim_netconf_defaults(net, err);
    if (rc)
        return rc;
    rc = asim_src_open(&r.src, path, err);
    while (!rc && (key = asim_src_word(&r.src)))
        rc = read_line(&r, key);
    if (!rc)
        rc = finish(&r);
    asim_src_close(&r.src);
    if (rc)
        asim_netconf_fini(net);
    return rc;
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
    rc = asim_src_open_bytes(&r.src, "network attribute", line, size, err);
    if (!rc)
        rc = read_line(&r, asim_src_word(&r.src));
    asim_src_close(&r.src);
    free(line);
    return rc;
}
