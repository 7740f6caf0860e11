/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Texts for error messages: the word that the user probably meant, lists, and pieces of input made
 * safe to print. Similarity is the edit distance in which a swap of neighbouring letters counts as
 * one slip (Damerau 1964, optimal string alignment), ignoring case. A word that shares nothing with
 * the candidate is not a slip.
 *
 * All functions write into the caller's buffer, cut visibly rather than fail, and return the
 * buffer, so that they can be arguments of the printf that makes the sentence.
 */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 96 }; /* longer words get no suggestion */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Ignores case, the most frequent slip. */
static int letter(const char *word, size_t i)
{
    return tolower((unsigned char)word[i]);
}

/* One row of the table: distances between the first i + 1 letters of a and every start of b. */
static void distance_row(unsigned rows[3][MOST_LETTERS + 1], const char *a, size_t i, const char *b)
{
    unsigned *now = rows[(i + 1) % 3];
    const unsigned *last = rows[i % 3], *before = rows[(i + 2) % 3];
    now[0] = (unsigned)i + 1;
    for (size_t j = 0; b[j]; j++) {
        unsigned d = last[j] + (letter(a, i) != letter(b, j));
        d = least(d, least(last[j + 1], now[j]) + 1);
        if (i && j && letter(a, i) == letter(b, j - 1) && letter(a, i - 1) == letter(b, j))
            d = least(d, before[j - 1] + 1);
        now[j + 1] = d;
    }
}

/* Three rows suffice, because a swap looks two letters back. O(n x m), on error paths only. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][MOST_LETTERS + 1] = {{0}};
    size_t n = strlen(a), m = strlen(b);
    if (n > MOST_LETTERS || m > MOST_LETTERS)
        return MOST_LETTERS + 1;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 0; i < n; i++)
        distance_row(rows, a, i, b);
    return rows[n % 3][m];
}

/* 1 if the word is the first part of the other one: KMAX of KMAX_MAP. */
static int is_first_part(const char *word, size_t length, const char *of)
{
    const size_t fewest = 3;

    for (size_t i = 0; i < length; i++)
        if (letter(word, i) != letter(of, i))
            return 0;
    return length >= fewest && (of[length] == '_' || of[length] == '-');
}

/* The only word of which it is the first part, or NULL. */
static const char *whole_of(const char *word, const char *const *words, size_t n)
{
    const char *whole = NULL;

    for (size_t i = 0; i < n; i++)
        if (is_first_part(word, strlen(word), words[i])) {
            if (whole)
                return NULL;
            whole = words[i];
        }
    return whole;
}

/* Accepts a distance below length / 4 + 2, so that longer words may have more slips. NULL if no
 * word is similar. */
const char *asim_text_nearest(const char *word, const char *const *words, size_t n)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    unsigned best = length > MOST_LETTERS ? 0 : (unsigned)(length / 4 + 2);
    if (best > length && length)
        best = (unsigned)length;
    for (size_t i = 0; i < n && length; i++) {
        unsigned d = distance(word, words[i]);
        /* Only the case differs: a likely slip for any length. */
        if (d < best || (d == 0 && !nearest)) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest ? nearest : whole_of(word, words, n);
}

/* The text begins with a blank or is empty, so it can end any sentence. */
const char *asim_text_hint(char *buf, size_t size, const char *nearest)
{
    if (size && nearest)
        snprintf(buf, size, " Did you mean '%s'?", nearest);
    else if (size)
        buf[0] = '\0';
    return buf;
}

/* Always terminates the text. */
const char *asim_text_list(char *buf, size_t size, const char *const *words, size_t n)
{
    size_t used = 0;
    if (!size)
        return buf;
    buf[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const char *comma = i ? ", " : "";
        size_t need = strlen(comma) + strlen(words[i]);
        /* Keeps room for ", ..." while words follow. */
        if (need + (i + 1 < n ? 5 : 0) >= size - used) {
            snprintf(buf + used, size - used, "%s...", comma);
            break;
        }
        used += (size_t)snprintf(buf + used, size - used, "%s%s", comma, words[i]);
    }
    return buf;
}

/* The length that a lead byte states. The range of the second byte excludes overlong forms,
 * surrogates and values above U+10FFFF. */
static size_t utf8_lead(unsigned char c, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (c >= 0xC2 && c <= 0xDF)
        return 2;
    if (c == 0xE0)
        *low = 0xA0;
    if (c == 0xED)
        *high = 0x9F;
    if (c >= 0xE0 && c <= 0xEF)
        return 3;
    if (c == 0xF0)
        *low = 0x90;
    if (c == 0xF4)
        *high = 0x8F;
    return c >= 0xF0 && c <= 0xF4 ? 4 : 0;
}

size_t asim_text_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low, high;
    if (s[0] < 0x80)
        return s[0] != 0;
    size_t n = utf8_lead(s[0], &low, &high);
    if (!n || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    }
    return n;
}

/* Joiners (U+200C, U+200D) shape letters of some scripts and are no controls. */
int asim_text_is_hidden(const char *text, size_t n)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200B}, {0x200E, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
    uint32_t code = (unsigned char)*text;
    if (n > 1)
        code &= 0xFFu >> (n + 1);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return 1;
    return 0;
}

char *asim_text_clean(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        size_t n = asim_text_utf8(from);

        if (!n || (*from != '\n' && *from != '\t' && asim_text_is_hidden(from, n))) {
            *to++ = '?';
        } else {
            memmove(to, from, n);
            to += n;
        }
        from += n ? n : 1;
    }
    *to = '\0';
    return text;
}

/* Copies one character of *text to buf in its safe form and returns its bytes there. Quotes become
 * `, because messages put the piece between quotes; characters that do not show become ?. */
static size_t safe_char(char *buf, const char **text)
{
    char c = **text;
    size_t n = asim_text_utf8(*text);
    if (n <= 1 || asim_text_is_hidden(*text, n)) {
        buf[0] = n == 1 && !asim_text_is_hidden(*text, 1) ? c : '?';
        if (c == '\'' || c == '"')
            buf[0] = '`';
        *text += n ? n : 1;
        return 1;
    }
    memcpy(buf, *text, n);
    *text += n;
    return n;
}

const char *asim_text_safe(char *buf, size_t size, const char *text)
{
    size_t used = 0, keep = 0; /* keep: the last position where "..." fits */
    char one[4];
    if (!size)
        return buf;
    while (*text) {
        size_t n = safe_char(one, &text);
        if (used + n + 1 > size) {
            snprintf(buf + keep, size - keep, "...");
            return buf;
        }
        memcpy(buf + used, one, n);
        used += n;
        if (used + 4 <= size)
            keep = used;
    }
    buf[used] = '\0';
    return buf;
}

char *asim_text_plain(char *buf, size_t size, const char *text)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            buf[n++] = (char)tolower((unsigned char)*text);
    buf[n] = '\0';
    return buf;
}
