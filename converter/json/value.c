/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parses one JSON value. A loop with an explicit stack of open brackets uses no C stack; 200 levels
 * are enough (PyTorch's deepest lists have about six), and more is an error. The grammar is checked
 * here once; later code relies on it.
 */
#include "json/value.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

enum { MAX_DEPTH = 200, MOST_COMPARED = 256 };

struct parse {
    struct asim_jdoc *doc;
    const char *text, *p, *end;
    const char *why;
    uint32_t open[MAX_DEPTH]; /* index of each open array or object */
    uint32_t last[MAX_DEPTH]; /* its latest child, 0 = none yet */
    unsigned depth;
    uint64_t repeats, no_utf8;
    enum asim_jresult result;
};

static int stop(struct parse *ps, enum asim_jresult result, const char *why)
{
    ps->result = result;
    ps->why = why;
    return -1;
}

static void blanks(struct parse *ps)
{
    while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\n' || *ps->p == '\t' || *ps->p == '\r'))
        ps->p++;
}

/* A quote follows, which ends a character that is cut. */
static int is_utf8(const char *s, const char *end)
{
    for (size_t n = 1; s < end && n; s += n)
        n = asim_text_utf8(s);
    return s == end;
}

/* Moves behind the closing quote; p is behind the opening one. */
static int scan_string(struct parse *ps, uint8_t *escaped)
{
    const char *s = ps->p, *from = s;
    unsigned char high = 0;

    *escaped = 0;
    for (;; s++) {
        while (s < ps->end && *s != '"' && *s != '\\' && (unsigned char)*s >= 0x20)
            high |= (unsigned char)*s++;
        if (s >= ps->end)
            return stop(ps, ASIM_J_MORE, "the text ends inside a string");
        if (*s == '"')
            break;
        ps->p = s;
        if (*s != '\\')
            return stop(ps, ASIM_J_BAD, "a string holds an unescaped control character");
        *escaped = 1;
        if (++s >= ps->end)
            return stop(ps, ASIM_J_MORE, "the text ends inside a string");
        if (!*s || !strchr("\"\\/bfnrtu", *s))
            return stop(ps, ASIM_J_BAD, "a string holds an unknown escape");
        if (*s != 'u')
            continue;
        for (int i = 0; i < 4; i++) {
            if (++s >= ps->end)
                return stop(ps, ASIM_J_MORE, "the text ends inside a string");
            if (!*s || !strchr("0123456789abcdefABCDEF", *s))
                return stop(ps, ASIM_J_BAD, "a \\u escape needs four hexadecimal digits");
        }
    }
    ps->no_utf8 += high >= 0x80 && !is_utf8(from, s);
    ps->p = s + 1;
    return 0;
}

static int string_span(struct parse *ps, uint32_t *from, uint32_t *size, uint8_t *escaped)
{
    *from = (uint32_t)(++ps->p - ps->text);
    if (scan_string(ps, escaped))
        return -1;
    *size = (uint32_t)(ps->p - 1 - ps->text) - *from;
    return 0;
}

static int digits(const char **s, const char *end)
{
    const char *from = *s;

    while (*s < end && **s >= '0' && **s <= '9')
        ++*s;
    return *s > from;
}

/* RFC 8259's grammar exactly: strtod later sees nothing else. */
static int scan_number(struct parse *ps, struct asim_jv *v)
{
    const char *s = ps->p, *first;

    v->kind = ASIM_J_INT;
    s += *s == '-';
    first = s;
    if (!digits(&s, ps->end))
        return s >= ps->end ? stop(ps, ASIM_J_MORE, "the text ends inside a number")
                            : stop(ps, ASIM_J_BAD, "a minus sign without a number");
    if (*first == '0' && s - first > 1)
        return stop(ps, ASIM_J_BAD, "a number with a leading zero");
    if (s < ps->end && *s == '.') {
        v->kind = ASIM_J_REAL;
        s++;
        if (!digits(&s, ps->end))
            return s >= ps->end ? stop(ps, ASIM_J_MORE, "the text ends inside a number")
                                : stop(ps, ASIM_J_BAD, "a number without digits behind its point");
    }
    if (s < ps->end && (*s == 'e' || *s == 'E')) {
        v->kind = ASIM_J_REAL;
        s++;
        if (s < ps->end && (*s == '+' || *s == '-'))
            s++;
        if (!digits(&s, ps->end))
            return s >= ps->end ? stop(ps, ASIM_J_MORE, "the text ends inside a number")
                                : stop(ps, ASIM_J_BAD, "a number with an empty exponent");
    }
    if (s >= ps->end)
        return stop(ps, ASIM_J_MORE, "the text ends behind a number");
    v->text_n = (uint32_t)(s - ps->p);
    ps->p = s;
    return 0;
}

/* Python writes and reads reals that are not finite, and PyTorch's ops have them as arguments.
 * asim_jv_double refuses them. */
static int scan_word(struct parse *ps, struct asim_jv *v)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } words[] = {{"null", ASIM_J_NULL}, {"false", ASIM_J_FALSE},   {"true", ASIM_J_TRUE},
                 {"NaN", ASIM_J_REAL},  {"Infinity", ASIM_J_REAL}, {"-Infinity", ASIM_J_REAL}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word), left = (size_t)(ps->end - ps->p);

        if (strncmp(ps->p, words[i].word, left < n ? left : n))
            continue;
        if (left < n)
            return stop(ps, ASIM_J_MORE, "the text ends inside a word");
        v->kind = words[i].kind;
        v->text_n = (uint32_t)n;
        ps->p += n;
        return 0;
    }
    return stop(ps, ASIM_J_BAD, "neither a value nor a bracket stands here");
}

/* Adds the value at p as a new entry; opens a level for arrays and objects. */
static int scan_value(struct parse *ps, const struct asim_jv *named)
{
    struct asim_jdoc *doc = ps->doc;
    struct asim_jv v = *named;
    uint32_t index = (uint32_t)doc->n;

    v.text = (uint32_t)(ps->p - ps->text);
    if (*ps->p == '"') {
        v.kind = ASIM_J_STRING;
        if (string_span(ps, &v.text, &v.text_n, &v.escaped))
            return -1;
    } else if (*ps->p == '{' || *ps->p == '[') {
        v.kind = *ps->p++ == '{' ? ASIM_J_OBJECT : ASIM_J_ARRAY;
        if (ps->depth == MAX_DEPTH)
            return stop(ps, ASIM_J_BAD, "brackets are nested more than 200 deep");
        ps->open[ps->depth] = index;
        ps->last[ps->depth++] = 0;
    } else if ((*ps->p == '-' && (ps->end - ps->p < 2 || ps->p[1] != 'I')) ||
               (*ps->p >= '0' && *ps->p <= '9')) {
        if (scan_number(ps, &v))
            return -1;
    } else if (scan_word(ps, &v)) {
        return -1;
    }
    if (doc->n == doc->cap && asim_grow(&doc->at, &doc->cap, doc->n + 1, sizeof *doc->at))
        return stop(ps, ASIM_J_NOMEM, "out of memory");
    doc->at[doc->n++] = v;
    return 0;
}

/* "key" : with p at the opening quote. */
static int scan_key(struct parse *ps, struct asim_jv *v)
{
    if (*ps->p != '"')
        return stop(ps, ASIM_J_BAD, "a member name in quotes is expected here");
    if (string_span(ps, &v->key, &v->key_n, &v->key_escaped))
        return -1;
    blanks(ps);
    if (ps->p >= ps->end)
        return stop(ps, ASIM_J_MORE, "the text ends behind a member name");
    if (*ps->p != ':')
        return stop(ps, ASIM_J_BAD, "a colon is expected behind the member name");
    ps->p++;
    blanks(ps);
    return ps->p >= ps->end ? stop(ps, ASIM_J_MORE, "the text ends behind a member name") : 0;
}

static int same_span(const struct parse *ps, uint32_t a, uint32_t a_n, uint32_t b, uint32_t b_n)
{
    return a_n == b_n && !memcmp(ps->text + a, ps->text + b, a_n);
}

/* Counts the keys of an object that come again with another value. Most keys show by length and
 * middle byte that they are new. Objects larger than MOST_COMPARED, which traces do not have, are
 * left out: the work grows with the square. */
static void count_repeats(struct parse *ps, uint32_t object)
{
    const struct asim_jv *at = ps->doc->at;
    uint64_t seen = 0;

    for (uint32_t i = object + 1; at[object].n <= MOST_COMPARED && i; i = at[i].next) {
        unsigned char middle = (unsigned char)ps->text[at[i].key + at[i].key_n / 2];
        uint64_t bit = UINT64_C(1) << ((at[i].key_n * 7 + middle) & 63);

        for (uint32_t j = object + 1; seen & bit && j != i; j = at[j].next)
            ps->repeats += same_span(ps, at[i].key, at[i].key_n, at[j].key, at[j].key_n) &&
                           !same_span(ps, at[i].text, at[i].text_n, at[j].text, at[j].text_n);
        seen |= bit;
    }
}

/* Closes the innermost bracket if p is at its end; returns 1 if it did. */
static int close_level(struct parse *ps)
{
    struct asim_jv *v = &ps->doc->at[ps->open[ps->depth - 1]];

    if (*ps->p != (v->kind == ASIM_J_OBJECT ? '}' : ']'))
        return 0;
    ps->p++;
    ps->depth--;
    v->text_n = (uint32_t)(ps->p - ps->text) - v->text;
    if (v->kind == ASIM_J_OBJECT && v->n > 1)
        count_repeats(ps, ps->open[ps->depth]);
    return 1;
}

/* One step inside an open bracket: its end, or the next child. */
static int step(struct parse *ps)
{
    unsigned level = ps->depth - 1;
    uint32_t parent = ps->open[level], child = (uint32_t)ps->doc->n;
    struct asim_jv named = {0};

    blanks(ps);
    if (ps->p >= ps->end)
        return stop(ps, ASIM_J_MORE, "the text ends inside brackets");
    if (close_level(ps))
        return 0;
    if (ps->last[level]) {
        if (*ps->p != ',')
            return stop(ps, ASIM_J_BAD, "a comma or a closing bracket is expected here");
        ps->p++;
        blanks(ps);
        if (ps->p >= ps->end)
            return stop(ps, ASIM_J_MORE, "the text ends behind a comma");
    }
    if (ps->doc->at[parent].kind == ASIM_J_OBJECT && scan_key(ps, &named))
        return -1;
    if (scan_value(ps, &named))
        return -1;
    if (ps->last[level])
        ps->doc->at[ps->last[level]].next = child;
    ps->last[level] = child;
    ps->doc->at[parent].n++;
    return 0;
}

enum asim_jresult asim_jdoc_parse(struct asim_jdoc *doc, const char *text, size_t size,
                                  size_t *used, const char **why)
{
    struct parse ps = {.doc = doc, .text = text, .p = text, .end = text + size};
    struct asim_jv named = {0};

    doc->text = text;
    doc->n = 0;
    blanks(&ps);
    if (ps.p >= ps.end)
        stop(&ps, ASIM_J_MORE, "the text ends where a value is expected");
    else if (!scan_value(&ps, &named))
        while (ps.depth && !step(&ps))
            ;
    *used = (size_t)(ps.p - text);
    *why = ps.why;
    doc->size = *used;
    if (ps.result == ASIM_J_OK) {
        doc->repeats += ps.repeats;
        doc->no_utf8 += ps.no_utf8;
    }
    return ps.result;
}

void asim_jdoc_fini(struct asim_jdoc *doc)
{
    free(doc->at);
    memset(doc, 0, sizeof *doc);
}
