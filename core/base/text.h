/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parses numbers and units as users write them, and formats texts for messages. A parser takes the
 * whole string or refuses it: no trailing characters, no silent overflow, no NaN. It returns 0 and
 * writes *out, or returns ASIM_EINVAL and leaves *out alone; the caller makes the error, because
 * the caller knows the place. Formatting functions write into the caller's buffer. Nothing here
 * allocates.
 */
#ifndef ASIM_BASE_TEXT_H
#define ASIM_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

int asim_text_u64(const char *text, uint64_t *out);
int asim_text_i64(const char *text, int64_t *out);
/* Finite, decimal or scientific notation. */
int asim_text_double(const char *text, double *out);
/* 0 1 true false yes no on off */
int asim_text_bool(const char *text, int *out);
/* Bit per second with a unit, as in ns-3's DataRate: 200Gbps, 50Mb/s, 1.5Gbit/s, 100MBps, 10GiBps.
 * Rounds down to a whole bit. A number without a unit is refused. */
int asim_text_rate(const char *text, uint64_t *out_bps);
enum { ASIM_FS_PER_NS = 1000000 };
/* A time with a unit (fs ps ns us ms s min h d), rounded to femtoseconds, half away from zero:
 * 0.0005ms = 500000000 fs. */
int asim_text_time(const char *text, uint64_t *out_fs);
/* Bytes with an optional unit: 4096, 64KiB, 1MiB, 10MB, 2GiB (K M G T; iB binary, B decimal). A
 * bare letter is refused because it is ambiguous, and so is a number of bytes that is not whole. */
int asim_text_size(const char *text, uint64_t *out_bytes);

/* Returns the word that is most similar to `word`, or NULL if none is similar enough to be a slip
 * (edit distance at most 1 + length / 4, ignoring case) or the first part of only one word with _
 * or -. */
const char *asim_text_nearest(const char *word, const char *const *words, size_t n);

/* Writes " Did you mean '…'?" or "" into buf; returns buf. */
const char *asim_text_hint(char *buf, size_t size, const char *nearest);

/* Makes a piece of input safe for a message: no quotes, control bytes as '?', cut with "..." if
 * longer than size - 1. Returns buf. */
const char *asim_text_safe(char *buf, size_t size, const char *text);

/* Letters, in lower case, and digits of the text, as many as fit: "Size (B)" -> "sizeb". Returns
 * buf. */
char *asim_text_plain(char *buf, size_t size, const char *text);

/* "a, b, c" of the n words, cut with "..." at the end of buf. Returns buf. */
const char *asim_text_list(char *buf, size_t size, const char *const *words, size_t n);

/* Length (1 to 4) of the well-formed UTF-8 character at text, or 0 if there is none or at the final
 * NUL. Control characters count as characters. */
size_t asim_text_utf8(const char *text);

/* Writes the number in decimal (at most 20 characters) or as eight hexadecimal digits, without a
 * NUL, and returns the end. May write eight bytes also for a short number. Several times as fast as
 * printf. */
char *asim_text_put_u64(char *at, uint64_t value);
char *asim_text_put_hex8(char *at, uint32_t value);
/* As printf's %.3f in the C locale, to the last digit; value: any, at most 320 characters. */
char *asim_text_put_thousandths(char *at, double value);

/* The ranks that the name of a collective tells, as asim and others write them: 8 of
 * "all_reduce_8npus_1048576B_0"; 0 where it tells none. */
uint32_t asim_text_ranks(const char *name);
/* Length of the folder part of path including the last '/', or 0. */
size_t asim_text_dirlen(const char *path);
/* The s of a plural: "%u NIC%s". */
static inline const char *asim_text_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* 1 if the n bytes at text, one character of UTF-8, do not show or change how the text around them
 * shows: controls, line separators, marks of direction (U+202E makes "gpj" read "jpg"). */
int asim_text_is_hidden(const char *text, size_t n);

/* Puts ? for each character that does not show and each byte that is not UTF-8, in place. Line ends
 * and tabs stay. Returns text. */
char *asim_text_clean(char *text);

#endif
