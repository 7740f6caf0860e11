/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Words, numbers and units as users write them. Parsers take the whole string or refuse it: no
 * trailing rubbish, no silent overflow, no NaN. On failure they return ASIM_EINVAL and leave *out
 * alone; the caller makes the sentence because it knows the place.
 *
 * Parsers return 0 or ASIM_EINVAL and write *out only on success; what shows text writes into the
 * caller's buffer. Nothing here allocates or knows about files.
 */
#ifndef ASIM_BASE_TEXT_H
#define ASIM_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

int asim_text_u64(const char *text, uint64_t *out);
int asim_text_i64(const char *text, int64_t *out);
/* Finite decimal or scientific notation. */
int asim_text_double(const char *text, double *out);
/* 0 1 true false yes no on off */
int asim_text_bool(const char *text, int *out);
/* Bit per second with a unit, as ns-3's DataRate: 200Gbps, 50Mb/s, 1.5Gbit/s, 100MBps, 10GiBps.
 * A part of a bit is dropped. A number without a unit is refused. */
int asim_text_rate(const char *text, uint64_t *out_bps);
enum { ASIM_FS_PER_NS = 1000000 };
/* A time with a unit (fs ps ns us ms s min h d), to whole femtoseconds, half away from zero:
 * 0.0005ms = 500000000 fs. */
int asim_text_time(const char *text, uint64_t *out_fs);
/* Bytes with an optional unit: 4096, 64KiB, 1MiB, 10MB, 2GiB (K M G T, iB binary, B decimal). The
 * bare letter is refused, for it means either, and so is a number of bytes that is not whole. */
int asim_text_size(const char *text, uint64_t *out_bytes);

/* Of the n words, the one nearest to word if it is near enough to be a likely typing slip
 * (edit distance at most 1 + length / 4, case ignored), else NULL. */
const char *asim_text_nearest(const char *word, const char *const *words, size_t n);

/* Writes " Did you mean '…'?" or "" into buf; returns buf. */
const char *asim_text_hint(char *buf, size_t size, const char *nearest);

/* Shows a piece of input safely in a message: quotes kept out, control bytes as '?', cut with
 * "..." when longer than size - 1. Returns buf. */
const char *asim_text_safe(char *buf, size_t size, const char *text);

/* "a, b, c" of the n words, cut with "..." where buf ends. Returns buf. */
const char *asim_text_list(char *buf, size_t size, const char *const *words, size_t n);

/* Length (1 to 4) of the well-formed UTF-8 character at text, 0 if there is none or it is the
 * final NUL. Control characters count as characters. */
size_t asim_text_utf8(const char *text);

/* The number in decimal, at most 20 characters, or in eight hexadecimal digits, written at `at`
 * without a NUL; returns where the next character goes. Eight bytes are written also for a
 * number of one digit. Several times as fast as printf. */
char *asim_text_put_u64(char *at, uint64_t value);
char *asim_text_put_hex8(char *at, uint32_t value);

/* Folder part of path including the last '/', or "" where there is none. */
size_t asim_text_dirlen(const char *path);

#endif
