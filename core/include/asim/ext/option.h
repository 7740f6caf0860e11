/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Settings described as data. One table serves parsing, defaults, help text, range checks and
 * did-you-mean, for command lines, JSON objects and "KEY value" files alike. A table ends with a
 * row whose key is NULL; offsets point into one plain struct.
 */
#ifndef ASIM_EXT_OPTION_H
#define ASIM_EXT_OPTION_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

enum asim_type {
    ASIM_T_BOOL,   /* int, 0 or 1 */
    ASIM_T_U32,    /* uint32_t */
    ASIM_T_U64,    /* uint64_t */
    ASIM_T_I64,    /* int64_t */
    ASIM_T_DOUBLE, /* double */
    ASIM_T_STRING, /* char *, malloc'ed; NULL where there is no default */
    ASIM_T_RATE,   /* uint64_t, bit/s; a bare number is bit/s only if ASIM_F_BARE */
    ASIM_T_TIME,   /* uint64_t, fs; a bare number needs ASIM_F_NS or ASIM_F_US */
    ASIM_T_SIZE,   /* uint64_t, bytes */
    ASIM_T_CHOICE  /* int, index of the word among `choices` ("a|b|c") */
};

enum asim_option_flag {
    ASIM_F_BARE = 1, /* rate: a number without unit is bit/s */
    /* time: a number without unit is ns (us). u64: the field holds whole ns (us), and times such as
     * 5us are accepted. */
    ASIM_F_NS = 2,
    ASIM_F_US = 4,
    ASIM_F_NOOP = 8,   /* accepted for old files; has no effect, and help says why */
    ASIM_F_BYTES = 16, /* u32, u64: sizes such as 4KiB are accepted beside numbers of bytes */
    ASIM_F_MIB = 32,   /* size: a number without unit is MiB */
    ASIM_F_WHOLE = 64, /* time with ASIM_F_US: whoever uses the value drops fractions of a us */
    /* string: a file that is read, a file that is written; with SET the traces of a prefix. The
     * tool refuses to write over what a command reads, and over what is there without --force,
     * but for results: tables, pages, pictures and folders of runs (ASIM_F_RESULT). */
    ASIM_F_READS = 128,
    ASIM_F_WRITES = 256,
    ASIM_F_SET = 512,
    ASIM_F_PACKETS = 1024,   /* of the packet network: help of analytical runs leaves it out */
    ASIM_F_LIST = 2048,      /* string: in JSON also a list of whole numbers, [0, 1] for "0,1" */
    ASIM_F_NO_RESULT = 4096, /* never changes a result: no part of the identity of a run */
    ASIM_F_ALONE = 8192,     /* string: on a command line the key may stand alone, for "-" */
    ASIM_F_RESULT = 16384    /* with ASIM_F_WRITES: a result, which a later run replaces */
};

struct asim_option {
    const char *key, *alias; /* alias may be NULL */
    const char *help;        /* one line, with the unit; the default is added by the printer */
    const char *def;         /* as a user would write it; NULL = zero / absent */
    enum asim_type type;
    size_t offset;
    double min, max;     /* numbers only; min == max == 0 = no range. Rates in bit/s, times in ns */
    const char *choices; /* ASIM_T_CHOICE only */
    unsigned flags;
    /* Keys of the network configuration only; NULL elsewhere. */
    const char
        *attribute;      /* in ns-3: "SwitchNode::PauseTime", or a name in RdmaHw, or NULL: the key
                          * in camel case in RdmaHw (SWIFT_BETA: SwiftBeta); none for ASIM_F_NOOP */
    const char *builtin; /* ASTRA-sim's value where a file lacks the key, if it is not def */
    /* Units as min and max. A value outside is legal and seldom meant; 0 never counts as outside.
     * Both 0 = all values are usual. */
    double usual_min, usual_max;
};

/* A row of a table for fields of STRUCT: key, type (BOOL, U32, …), field, help, then further fields
 * by name: ASIM_OPTION(struct ring, "size", SIZE, bytes, "bytes of a chunk", .def = "1MiB"). */
#define ASIM_OPTION(STRUCT, KEY, TYPE, FIELD, ...)                                                 \
    {                                                                                              \
        .key = KEY, .type = ASIM_T_##TYPE, .offset = offsetof(STRUCT, FIELD), .help = __VA_ARGS__  \
    }

/* A setting as text, as a file or a command line gives it. Both strings are borrowed. */
struct asim_key_value {
    const char *key, *value;
};

ASIM_C_BEGIN

/* Row with that key or alias (exact), else with another name of the same meaning (out, output, o;
 * rate, bandwidth, bw; …), or NULL. */
ASIM_API const struct asim_option *asim_option_find(const struct asim_option *table,
                                                    const char *key);
/* Of a field of that type. */
ASIM_API size_t asim_option_bytes(enum asim_type type);
/* Fills every field of *base from the defaults. A default that does not parse is ASIM_EBUG. */
ASIM_API int asim_option_defaults(const struct asim_option *table, void *base,
                                  struct asim_err *err);
/* Parses value into the field of row; at names the place for the message. */
ASIM_API int asim_option_parse(const struct asim_option *row, void *base, const char *value,
                               struct asim_where at, struct asim_err *err);
/* Finds the row of the key and parses the value. The error for an unknown key names the most
 * similar key. */
ASIM_API int asim_option_set(const struct asim_option *table, void *base,
                             struct asim_key_value setting, struct asim_where at,
                             struct asim_err *err);
/* Cuts the first "key=value" off a list, in place; *list becomes the rest, "" behind the last. */
ASIM_API int asim_option_next(struct asim_key_value *pair, char **list, char separator,
                              struct asim_where at, struct asim_err *err);
/* Sets each "key=value" of a list; a key that is there twice is an error. */
ASIM_API int asim_option_set_list(const struct asim_option *table, void *base, const char *list,
                                  char separator, struct asim_where at, struct asim_err *err);
/* Whether the value at `field`, given as `text`, is seldom meant: outside the usual values of the
 * row, or with a fraction that is dropped. Writes the sentence about it to buf. */
ASIM_API int asim_option_is_doubtful(const struct asim_option *row, const void *field,
                                     const char *text, char *buf, size_t size);
/* The sentence for an unknown key, as asim_option_set makes it. */
ASIM_API int asim_option_unknown(const struct asim_option *table, const char *key,
                                 struct asim_where at, struct asim_err *err);
/* Frees the strings of *base. */
ASIM_API void asim_option_fini(const struct asim_option *table, void *base);
/* Help lines, one per row, into buf as "  --key=TYPE  help (default …)\n"; returns bytes needed
 * without the NUL, like snprintf. */
ASIM_API size_t asim_option_help(const struct asim_option *table, char *buf, size_t size);

ASIM_C_END
#endif
