/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Python's json.dumps(indent=4, ensure_ascii=True) and repr(). These functions recurse: the parser
 * limits nesting to 200.
 */
#include "json/print.h"
#include "json/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void asim_jprint_line(struct asim_jbuf *buf, unsigned level)
{
    static const char blanks[] = "                                ";

    asim_jbuf_put(buf, "\n", 1);
    for (; level > 8; level -= 8)
        asim_jbuf_put(buf, blanks, 32);
    asim_jbuf_put(buf, blanks, (size_t)level * 4);
}

void asim_jprint_int(struct asim_jbuf *buf, int64_t value)
{
    char text[24];

    asim_jbuf_put(buf, text, (size_t)snprintf(text, sizeof text, "%" PRId64, value));
}

/* Digits and decimal exponent of the shortest decimal number that reads back as value (> 0,
 * finite): value = 0.d1d2d3… × 10^*point. */
static size_t shortest(double value, char digits[24], int *point)
{
    char text[40];
    size_t n = 0;

    /* Normal doubles read back from 15 digits, whose trailing zeros are then cut; denormal ones
     * have fewer digits. */
    for (int precision = value < 2.3e-308 ? 1 : 15; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (const char *s = text; *s && *s != 'e'; s++)
        if (*s >= '0' && *s <= '9')
            digits[n++] = *s;
    *point = atoi(strchr(text, 'e') + 1) + 1;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

void asim_jprint_real(struct asim_jbuf *buf, double value)
{
    char digits[24], text[32];
    int point;
    size_t n;

    if (value < 0 || (value == 0 && 1 / value < 0)) {
        asim_jbuf_put(buf, "-", 1);
        value = -value;
    }
    if (value == 0) {
        asim_jbuf_put(buf, "0.0", 3);
        return;
    }
    n = shortest(value, digits, &point);
    if (point > 16 || point < -3) {
        asim_jbuf_put(buf, digits, 1);
        if (n > 1)
            asim_jbuf_put(buf, ".", 1);
        asim_jbuf_put(buf, digits + 1, n - 1);
        snprintf(text, sizeof text, "e%c%02d", point > 0 ? '+' : '-', abs(point - 1));
        asim_jbuf_text(buf, text);
    } else if (point <= 0) {
        asim_jbuf_put(buf, "0.0000", (size_t)(2 - point));
        asim_jbuf_put(buf, digits, n);
    } else {
        size_t front = (size_t)point < n ? (size_t)point : n;

        asim_jbuf_put(buf, digits, front);
        for (size_t i = front; i < (size_t)point; i++)
            asim_jbuf_put(buf, "0", 1);
        asim_jbuf_put(buf, ".", 1);
        if (front < n)
            asim_jbuf_put(buf, digits + front, n - front);
        else
            asim_jbuf_put(buf, "0", 1);
    }
}

/* Decodes one UTF-8 character, three-byte surrogates included; an invalid byte counts as U+FFFD.
 * Returns the bytes taken. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *c)
{
    size_t need = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

    *c = 0xfffd;
    if (!need || need > n)
        return 1;
    for (size_t i = 1; i < need; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 1;
    *c = need == 1 ? *s : *s & (0x7fu >> need);
    for (size_t i = 1; i < need; i++)
        *c = *c << 6 | (s[i] & 0x3fu);
    return need;
}

/* JSON's short escapes, else \uXXXX; two of them for characters above U+FFFF. */
static void json_escape(struct asim_jbuf *buf, uint32_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *hit = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    char text[16];

    if (hit)
        snprintf(text, sizeof text, "\\%c", to[hit - from]);
    else if (c >= 0x10000)
        snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                 0xdc00 + (c & 0x3ff));
    else
        snprintf(text, sizeof text, "\\u%04x", c);
    asim_jbuf_text(buf, text);
}

void asim_jprint_string(struct asim_jbuf *buf, const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text, *end = s + size, *from = s;

    asim_jbuf_put(buf, "\"", 1);
    while (s < end) {
        uint32_t c;
        size_t n;

        if (*s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\') {
            s++;
            continue;
        }
        asim_jbuf_put(buf, (const char *)from, (size_t)(s - from));
        n = decode(s, (size_t)(end - s), &c);
        json_escape(buf, c);
        from = s += n;
    }
    asim_jbuf_put(buf, (const char *)from, (size_t)(s - from));
    asim_jbuf_put(buf, "\"", 1);
}

/* The words of json.dumps and repr for reals that are not finite. */
struct words {
    const char *nan, *infinity;
};

static void print_not_finite(struct asim_jbuf *buf, const char *text, struct words words)
{
    if (*text == '-')
        asim_jbuf_put(buf, "-", 1);
    asim_jbuf_text(buf, *text == 'N' ? words.nan : words.infinity);
}

/* Prints reals anew, because Python writes 1.50 as 1.5 and reads 1e999 as infinity. Integers of any
 * length stay as written, except -0, which Python reads as 0. */
static void print_scalar(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                         const struct asim_jv *v, struct words words)
{
    double real;

    if (v->kind == ASIM_J_REAL && !asim_jv_double(doc, v, &real))
        asim_jprint_real(buf, real);
    else if (v->kind == ASIM_J_REAL && v->text_n < 20) /* longer ones are just too long */
        print_not_finite(buf, asim_jv_text(doc, v), words);
    else if (v->kind == ASIM_J_INT && v->text_n == 2 && !memcmp(asim_jv_text(doc, v), "-0", 2))
        asim_jbuf_put(buf, "0", 1);
    else
        asim_jbuf_put(buf, asim_jv_text(doc, v), v->text_n);
}

/* Copies a plain string or key; decodes others first. */
static void print_span(struct asim_jbuf *buf, const struct asim_jdoc *doc, uint32_t at, uint32_t n)
{
    struct asim_jv v = {.text = at, .text_n = n, .escaped = 1};
    struct asim_jbuf plain = {0};
    int simple = 1;

    for (uint32_t i = 0; i < n && simple; i++)
        simple = (unsigned char)doc->text[at + i] < 0x7f && doc->text[at + i] != '\\';
    if (simple) {
        asim_jbuf_put(buf, "\"", 1);
        asim_jbuf_put(buf, doc->text + at, n);
        asim_jbuf_put(buf, "\"", 1);
        return;
    }
    if (asim_jv_string(doc, &v, &plain))
        asim_jprint_string(buf, plain.at, plain.n);
    buf->failed |= plain.failed;
    asim_jbuf_fini(&plain);
}

void asim_jprint_key(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v)
{
    print_span(buf, doc, v->key, v->key_n);
    asim_jbuf_put(buf, ": ", 2);
}

void asim_jprint_value(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                       unsigned level)
{
    int object = v->kind == ASIM_J_OBJECT, first = 1;

    if (v->kind == ASIM_J_STRING) {
        print_span(buf, doc, v->text, v->text_n);
        return;
    }
    if (v->kind < ASIM_J_ARRAY) {
        print_scalar(buf, doc, v, (struct words){"NaN", "Infinity"});
        return;
    }
    asim_jbuf_put(buf, object ? "{" : "[", 1);
    for (const struct asim_jv *c = asim_jv_first(doc, v); c; c = asim_jv_next(doc, c)) {
        if (!first)
            asim_jbuf_put(buf, ",", 1);
        first = 0;
        asim_jprint_line(buf, level + 1);
        if (object)
            asim_jprint_key(buf, doc, c);
        asim_jprint_value(buf, doc, c, level + 1);
    }
    if (v->n)
        asim_jprint_line(buf, level);
    asim_jbuf_put(buf, object ? "}" : "]", 1);
}

static void repr_char(struct asim_jbuf *buf, uint32_t c, char quote)
{
    char text[16];

    if (c == '\n' || c == '\r' || c == '\t')
        snprintf(text, sizeof text, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    else if (c == (uint32_t)quote || c == '\\')
        snprintf(text, sizeof text, "\\%c", (int)c);
    else
        snprintf(text, sizeof text, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    asim_jbuf_text(buf, text);
}

/* Quotes like Python: single, unless the text has single and no double quotes. */
static void repr_string(struct asim_jbuf *buf, const char *text, size_t size)
{
    char quote = memchr(text, '\'', size) && !memchr(text, '"', size) ? '"' : '\'';
    size_t i = 0, n;

    asim_jbuf_put(buf, &quote, 1);
    for (; i < size; i += n) {
        uint32_t c;

        n = decode((const unsigned char *)text + i, size - i, &c);
        if (c == (uint32_t)quote || c == '\\' || !asim_jprint_is_printable(c))
            repr_char(buf, c, quote);
        else if (c == 0xfffd && n == 1)
            asim_jbuf_text(buf, "\xef\xbf\xbd");
        else
            asim_jbuf_put(buf, text + i, n);
    }
    asim_jbuf_put(buf, &quote, 1);
}

static void repr_key(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *c,
                     struct asim_jbuf *scratch)
{
    struct asim_jv key = {.text = c->key, .text_n = c->key_n, .escaped = c->key_escaped};

    if (asim_jv_string(doc, &key, scratch))
        repr_string(buf, scratch->at, scratch->n);
    asim_jbuf_put(buf, ": ", 2);
}

void asim_jprint_repr(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                      struct asim_jbuf *scratch)
{
    static const char *const words[] = {"None", "False", "True"};
    int object = v->kind == ASIM_J_OBJECT;

    buf->failed |= scratch->failed;
    if (v->kind <= ASIM_J_TRUE) {
        asim_jbuf_text(buf, words[v->kind]);
        return;
    }
    if (v->kind == ASIM_J_STRING) {
        if (asim_jv_string(doc, v, scratch))
            repr_string(buf, scratch->at, scratch->n);
        return;
    }
    if (v->kind < ASIM_J_ARRAY) {
        print_scalar(buf, doc, v, (struct words){"nan", "inf"});
        return;
    }
    asim_jbuf_put(buf, object ? "{" : "[", 1);
    for (const struct asim_jv *c = asim_jv_first(doc, v); c; c = asim_jv_next(doc, c)) {
        if (object)
            repr_key(buf, doc, c, scratch);
        asim_jprint_repr(buf, doc, c, scratch);
        if (c->next)
            asim_jbuf_put(buf, ", ", 2);
    }
    asim_jbuf_put(buf, object ? "}" : "]", 1);
}
