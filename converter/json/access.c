/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads members, numbers and strings of a parsed value. Numbers convert exactly or not at all.
 * Reals of up to 15 significant digits, such as most time stamps, take a short exact path (mantissa
 * and power of ten are exact doubles); others go through strtod.
 */
#include "json/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "json/access.h"

const char *asim_jv_text(const struct asim_jdoc *doc, const struct asim_jv *v)
{
    return doc->text + v->text;
}

const char *asim_jv_show(const struct asim_jdoc *doc, const struct asim_jv *v, char *buf)
{
    char text[ASIM_JV_SHOWN], safe[ASIM_JV_SHOWN - 2];
    const char *quote = v && v->kind == ASIM_J_STRING ? "\"" : "";
    int is_long = v && v->text_n > 60;

    if (v)
        snprintf(text, sizeof text, "%.*s%s", is_long ? 60 : (int)v->text_n, doc->text + v->text,
                 is_long ? "..." : "");
    snprintf(buf, ASIM_JV_SHOWN, "%s%s%s", quote,
             v ? asim_text_safe(safe, sizeof safe, text) : "nothing", quote);
    return buf;
}

const struct asim_jv *asim_jv_first(const struct asim_jdoc *doc, const struct asim_jv *v)
{
    if (!v || v->kind < ASIM_J_ARRAY || !v->n)
        return NULL;
    return &doc->at[(size_t)(v - doc->at) + 1];
}

const struct asim_jv *asim_jv_next(const struct asim_jdoc *doc, const struct asim_jv *v)
{
    return v->next ? &doc->at[v->next] : NULL;
}

const struct asim_jv *asim_jv_item(const struct asim_jdoc *doc, const struct asim_jv *v, size_t i)
{
    const struct asim_jv *c = asim_jv_first(doc, v);

    while (c && i--)
        c = asim_jv_next(doc, c);
    return c;
}

/* Objects of traces have about ten members, so a linear search is fastest. */
const struct asim_jv *asim_jv_get(const struct asim_jdoc *doc, const struct asim_jv *v,
                                  const char *name)
{
    const struct asim_jv *found = NULL, *c;
    size_t n = strlen(name);

    if (!v || v->kind != ASIM_J_OBJECT)
        return NULL;
    for (c = asim_jv_first(doc, v); c; c = asim_jv_next(doc, c))
        if (c->key_n == n && !memcmp(doc->text + c->key, name, n))
            found = c;
    return found;
}

int asim_jv_is(const struct asim_jdoc *doc, const struct asim_jv *v, const char *text)
{
    size_t n = strlen(text);

    return v && v->kind == ASIM_J_STRING && v->text_n == n && !memcmp(doc->text + v->text, text, n);
}

/* Accepts digits only, and tests the limit before each step. */
static int whole(const char *s, size_t n, int64_t *out)
{
    uint64_t value = 0, limit = INT64_MAX;
    int negative = n && *s == '-';

    s += negative;
    n -= (size_t)negative;
    if (!n)
        return ASIM_EINVAL;
    limit += (uint64_t)negative;
    for (; n; n--, s++) {
        unsigned digit = (unsigned)(*s - '0');

        if (digit > 9 || value > (limit - digit) / 10)
            return ASIM_EINVAL;
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return 0;
}

int asim_jv_i64(const struct asim_jdoc *doc, const struct asim_jv *v, int64_t *out)
{
    double real;

    if (v && (v->kind == ASIM_J_INT || v->kind == ASIM_J_STRING))
        return whole(doc->text + v->text, v->text_n, out);
    if (!v || v->kind != ASIM_J_REAL || asim_jv_double(doc, v, &real))
        return ASIM_EINVAL;
    if (real != floor(real) || fabs(real) > 9e15)
        return ASIM_EINVAL;
    *out = (int64_t)real;
    return 0;
}

/* digits [. digits] with at most 15 digits: exact. 0 = another form. */
static int short_real(const char *s, size_t n, double *out)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t mantissa = 0;
    size_t count = 0, behind = 0, i = 0;
    int point = 0, negative = n && *s == '-';

    for (i = (size_t)negative; i < n; i++) {
        if (s[i] == '.' && !point) {
            point = 1;
            continue;
        }
        if (s[i] < '0' || s[i] > '9' || ++count > 15)
            return 0;
        mantissa = mantissa * 10 + (uint64_t)(s[i] - '0');
        behind += (size_t)point;
    }
    *out = (double)mantissa / tens[behind];
    if (negative)
        *out = -*out;
    return count > 0;
}

int asim_jv_double(const struct asim_jdoc *doc, const struct asim_jv *v, double *out)
{
    char text[400];
    double value;

    if (!v || (v->kind != ASIM_J_INT && v->kind != ASIM_J_REAL))
        return ASIM_EINVAL;
    if (short_real(doc->text + v->text, v->text_n, out))
        return 0;
    if (v->text_n >= sizeof text)
        return ASIM_EINVAL;
    memcpy(text, doc->text + v->text, v->text_n);
    text[v->text_n] = 0;
    value = strtod(text, NULL);
    if (!isfinite(value))
        return ASIM_EINVAL;
    *out = value;
    return 0;
}

/* Keeps one NUL behind the bytes, so that the buffer is a C string. A failure sets `failed`, which
 * callers test once at the end. */
void asim_jbuf_put(struct asim_jbuf *buf, const char *data, size_t size)
{
    if (buf->failed ||
        (buf->n + size + 1 > buf->cap && asim_grow(&buf->at, &buf->cap, buf->n + size + 1, 1))) {
        buf->failed = 1;
        return;
    }
    memcpy(buf->at + buf->n, data, size);
    buf->n += size;
    buf->at[buf->n] = 0;
}

void asim_jbuf_text(struct asim_jbuf *buf, const char *text)
{
    asim_jbuf_put(buf, text, strlen(text));
}

void asim_jbuf_fini(struct asim_jbuf *buf)
{
    free(buf->at);
    memset(buf, 0, sizeof *buf);
}

void asim_jbuf_utf8(struct asim_jbuf *buf, const char *text, size_t size)
{
    const char *from = text, *end = text + size;

    while (text < end) {
        size_t n = (unsigned char)*text < 0x80 ? 1 : asim_text_utf8(text);

        if (n && n <= (size_t)(end - text)) {
            text += n;
            continue;
        }
        asim_jbuf_put(buf, from, (size_t)(text - from));
        asim_jbuf_text(buf, "\xef\xbf\xbd");
        from = ++text;
    }
    asim_jbuf_put(buf, from, (size_t)(end - from));
}

/* A single surrogate becomes three bytes (WTF-8), so that it can be written again as \ud800, as
 * Python does. */
static void put_utf8(struct asim_jbuf *buf, uint32_t c)
{
    char b[4];
    size_t n = 0;

    if (c < 0x80) {
        b[n++] = (char)c;
    } else if (c < 0x800) {
        b[n++] = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        b[n++] = (char)(0xe0 | c >> 12);
        b[n++] = (char)(0x80 | (c >> 6 & 63));
    } else {
        b[n++] = (char)(0xf0 | c >> 18);
        b[n++] = (char)(0x80 | (c >> 12 & 63));
        b[n++] = (char)(0x80 | (c >> 6 & 63));
    }
    if (c >= 0x80)
        b[n++] = (char)(0x80 | (c & 63));
    asim_jbuf_put(buf, b, n);
}

static uint32_t hex4(const char *s)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)s[i];

        value = value << 4 | (c <= '9' ? c - 48u : (c | 32u) - 87u);
    }
    return value;
}

/* Decodes the escape at s (after its backslash); returns its length. */
static size_t unescape(struct asim_jbuf *buf, const char *s, const char *end)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *hit = strchr(from, *s);
    uint32_t c;

    if (*s != 'u') {
        asim_jbuf_put(buf, hit ? to + (hit - from) : s, 1);
        return 1;
    }
    c = hex4(s + 1);
    if (c >= 0xd800 && c < 0xdc00 && end - s >= 11 && s[5] == '\\' && s[6] == 'u') {
        uint32_t low = hex4(s + 7);

        if (low >= 0xdc00 && low < 0xe000) {
            put_utf8(buf, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
            return 11;
        }
    }
    put_utf8(buf, c);
    return 5;
}

const char *asim_jv_string(const struct asim_jdoc *doc, const struct asim_jv *v,
                           struct asim_jbuf *buf)
{
    const char *s = doc->text + v->text, *end = s + v->text_n;

    buf->n = 0;
    asim_jbuf_put(buf, "", 0);
    if (!v->escaped) {
        asim_jbuf_utf8(buf, s, v->text_n);
        return buf->failed ? NULL : buf->at;
    }
    while (s < end) {
        const char *slash = memchr(s, '\\', (size_t)(end - s));

        asim_jbuf_utf8(buf, s, (size_t)((slash ? slash : end) - s));
        if (!slash)
            break;
        s = slash + 1;
        s += unescape(buf, s, end);
    }
    return buf->failed ? NULL : buf->at;
}
