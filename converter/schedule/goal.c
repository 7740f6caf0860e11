/* SPDX-License-Identifier: GPL-2.0-only
 *
 * GOAL text (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009), in the
 * form that LogGOPSim's tools and ATLAHS write:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100 cpu 0
 *     l2: send 10b to 1 tag 7 cpu 0 nic 0
 *     l2 requires l1
 *     }
 *
 * `a requires b`: a starts when b has ended. `a irequires b`: when b has started, which is when all
 * that b waits for has ended, so a waits for that. Times are ns. Line ends are blanks.
 */
#include "schedule/schedule.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/io/foreign.h"
#include "base/io/src.h"
#include "base/map.h"
#include "base/text.h"
#include "lib/index.h"

enum { WORD = 64, CPUS = 256 };

struct label {
    uint32_t block, op; /* 1 + the rank that has it last, 0 = none; its op */
};

struct reader {
    struct asim_schedule *to;
    struct asim_src src;
    struct asim_err *err;
    char word[WORD];                           /* the token at hand; "" at the end of the file */
    unsigned line;                             /* of it */
    uint32_t rank;                             /* whose block is open */
    size_t first_op;                           /* of the block */
    struct asim_names names;                   /* of labels, those of all blocks together */
    ASIM_VEC(struct label) label;              /* by name */
    struct asim_map seen;                      /* ranks whose block has been read */
    ASIM_VEC(struct asim_schedule_wait) start; /* irequires of the block */
    ASIM_VEC(uint32_t) todo;
    uint32_t *stamp; /* of ops of the block: the irequires that has met it */
    size_t cap_stamp;
};

/* --- tokens -------------------------------------------------------------------------------------
 */

static int fail(struct reader *r, const char *expected)
{
    char safe[WORD];

    return asim_err_at(
        r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
        "found '%s', expected %s.",
        *r->word ? asim_text_safe(safe, sizeof safe, r->word) : "the end of the file", expected);
}

static int is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '+';
}

/* Blanks, line ends and comments: two slashes up to the line's end, or C's. */
static void skip_blanks(struct asim_src *src)
{
    int in_line = 0, in_text = 0;

    for (; src->at < src->size; src->at++) {
        const char *c = src->data + src->at;

        if (*c == '\n')
            src->line++, in_line = 0;
        else if (in_text && c[0] == '*' && c[1] == '/')
            src->at++, in_text = 0;
        else if (in_line || in_text || asim_src_is_blank(*c))
            continue;
        else if (c[0] == '/' && c[1] == '/')
            in_line = 1;
        else if (c[0] == '/' && c[1] == '*')
            src->at++, in_text = 1;
        else
            return;
    }
}

/* Reads the next token into r->word; a longer one than any legal one is cut, and refused later. */
static void next(struct reader *r)
{
    struct asim_src *src = &r->src;
    size_t n = 0;

    skip_blanks(src);
    r->line = src->line;
    if (src->at < src->size && !is_of_word(src->data[src->at]))
        r->word[n++] = src->data[src->at++];
    else
        for (; src->at < src->size && is_of_word(src->data[src->at]); src->at++)
            if (n < WORD - 1)
                r->word[n++] = src->data[src->at];
    r->word[n] = '\0';
}

static int is(const struct reader *r, const char *word)
{
    return !strcmp(r->word, word);
}

static int want(struct reader *r, const char *word, const char *expected)
{
    if (!is(r, word))
        return fail(r, expected);
    next(r);
    return 0;
}

/* A number up to `most`, which has been read; goes on to the next token. */
static int number(struct reader *r, uint64_t most, const char *expected, uint64_t *out)
{
    if (!isdigit((unsigned char)*r->word) || asim_text_u64(r->word, out) || *out > most)
        return fail(r, expected);
    next(r);
    return 0;
}

/* --- statements ---------------------------------------------------------------------------------
 */

/* A label that the open block may have; NULL when out of memory. */
static struct label *label_at(struct reader *r, const char *text)
{
    uint32_t name = asim_names_put(&r->names, text, strlen(text));

    while (name != ASIM_NONE && r->label.n <= name)
        if (ASIM_VEC_PUSH(r->label, (struct label){0}))
            return NULL;
    return name == ASIM_NONE ? NULL : &r->label.at[name];
}

/* "10b", or "10 b". */
static int read_bytes(struct reader *r, uint64_t *bytes)
{
    static const char expected[] = "a number of bytes of at least 1, such as 4096b";
    size_t n = strlen(r->word);
    int has_unit = n > 1 && r->word[n - 1] == 'b';

    if (has_unit)
        r->word[n - 1] = '\0';
    if (number(r, INT64_MAX, expected, bytes))
        return ASIM_EINVAL;
    if (!*bytes)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
                           "a message has 0 bytes; a network carries at least 1.");
    return has_unit ? 0 : want(r, "b", "'b' behind the number of bytes");
}

static int read_message(struct reader *r, struct asim_schedule_op *op)
{
    uint64_t peer;
    int is_send = op->type == ASIM_OP_COMM_SEND;

    next(r);
    if (read_bytes(r, &op->bytes) || want(r, is_send ? "to" : "from", is_send ? "'to'" : "'from'"))
        return ASIM_EINVAL;
    if (is(r, "-1"))
        return fail(r, "a rank: a receive from any source has no place in a simulated network");
    if (number(r, r->to->ranks - 1, "a rank below num_ranks", &peer))
        return ASIM_EINVAL;
    op->peer = (uint32_t)peer;
    if (peer == r->rank)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, op->line, 0},
                           "rank %" PRIu32 " sends to itself; leave such messages out.", r->rank);
    r->to->sends += is_send;
    return 0;
}

/* What may follow each op: tag, cpu, nic, in any order. A rank has one host, whose NICs asim
 * chooses by hash, so nic has no effect. */
static int read_suffixes(struct reader *r, struct asim_schedule_op *op)
{
    uint64_t value;

    for (;;) {
        if (is(r, "tag") && op->type != ASIM_OP_COMP) {
            next(r);
            if (is(r, "-1"))
                return fail(r, "a tag: a receive with any tag has no place in a trace");
            if (number(r, INT32_MAX, "a tag of at most 2147483647", &value))
                return ASIM_EINVAL;
            op->tag = (uint32_t)value;
        } else if (is(r, "cpu")) {
            next(r);
            if (number(r, CPUS - 1, "the number of a CPU, at most 255", &value))
                return ASIM_EINVAL;
            if (op->type == ASIM_OP_COMP && value >= r->to->computes)
                r->to->computes = (uint32_t)value + 1;
        } else if (is(r, "nic")) {
            next(r);
            if (number(r, CPUS - 1, "the number of a NIC, at most 255", &value))
                return ASIM_EINVAL;
        } else {
            return 0;
        }
    }
}

static int read_op(struct reader *r, const char *label)
{
    struct asim_schedule_op op = {.rank = r->rank, .line = r->line};
    struct label *known;
    int rc;

    op.type = is(r, "send") ? ASIM_OP_COMM_SEND : is(r, "recv") ? ASIM_OP_COMM_RECV : ASIM_OP_COMP;
    if (op.type != ASIM_OP_COMP) {
        rc = read_message(r, &op);
    } else {
        rc = want(r, "calc", "send, recv or calc");
        if (!rc)
            rc = number(r, INT64_MAX, "a number of ns", &op.ns);
    }
    if (!rc)
        rc = read_suffixes(r, &op);
    if (rc)
        return rc;
    if (r->to->op.n >= UINT32_MAX - 1 || ASIM_VEC_PUSH(r->to->op, op))
        return asim_err_nomem(r->err, "reading a GOAL schedule");
    if (!label)
        return 0;
    known = label_at(r, label);
    if (!known)
        return asim_err_nomem(r->err, "reading a GOAL schedule");
    if (known->block == r->rank + 1)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, op.line, 0},
                           "label %s stands twice in rank %" PRIu32 ", first in line %u.", label,
                           r->rank, r->to->op.at[known->op].line);
    *known = (struct label){r->rank + 1, (uint32_t)r->to->op.n - 1};
    return 0;
}

/* The op of a label of the open block. */
static int find_op(struct reader *r, const char *text, uint32_t *op)
{
    const struct label *known = label_at(r, text);

    if (!known)
        return asim_err_nomem(r->err, "reading a GOAL schedule");
    if (known->block != r->rank + 1)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
                           "no op of rank %" PRIu32 " before this line has the label %s.", r->rank,
                           text);
    *op = known->op;
    return 0;
}

static int read_wait(struct reader *r, const char *label)
{
    int is_start = is(r, "irequires");
    struct asim_schedule_wait wait;
    int rc;

    next(r);
    rc = find_op(r, label, &wait.op);
    if (!rc)
        rc = find_op(r, r->word, &wait.before);
    if (rc)
        return rc;
    next(r);
    r->to->start_waits += is_start;
    if (is_start ? ASIM_VEC_PUSH(r->start, wait) : ASIM_VEC_PUSH(r->to->wait, wait))
        return asim_err_nomem(r->err, "reading a GOAL schedule");
    return 0;
}

/* --- irequires ----------------------------------------------------------------------------------
 */

ASIM_ORDER(by_op, struct asim_schedule_wait, ->op)

/* The first of the sorted waits that is not of an op before `op`. */
static size_t first_of(const struct asim_schedule_wait *waits, size_t n, uint32_t op)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;

        if (waits[middle].op < op)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* `wait->op` gets what `wait->before` waits for, and all that this one's own irequires lead to. */
static int resolve_start(struct reader *r, const struct asim_schedule_wait *wait, size_t first_wait,
                         size_t waits, uint32_t stamp)
{
    r->todo.n = 0;
    if (ASIM_VEC_PUSH(r->todo, wait->before))
        return ASIM_ENOMEM;
    while (r->todo.n) {
        uint32_t at = ASIM_VEC_POP(r->todo);
        size_t n = waits - first_wait;
        const struct asim_schedule_wait *ends = n ? r->to->wait.at + first_wait : NULL;

        if (r->stamp[at - r->first_op] == stamp)
            continue;
        r->stamp[at - r->first_op] = stamp;
        for (size_t i = first_of(ends, n, at); i < n && r->to->wait.at[first_wait + i].op == at;
             i++)
            if (ASIM_VEC_PUSH(r->to->wait, ((struct asim_schedule_wait){
                                               wait->op, r->to->wait.at[first_wait + i].before})))
                return ASIM_ENOMEM;
        for (size_t i = first_of(r->start.at, r->start.n, at);
             i < r->start.n && r->start.at[i].op == at; i++)
            if (ASIM_VEC_PUSH(r->todo, r->start.at[i].before))
                return ASIM_ENOMEM;
    }
    return 0;
}

static int resolve_starts(struct reader *r, size_t first_wait)
{
    size_t waits = r->to->wait.n, ops = r->to->op.n - r->first_op;

    if (!r->start.n)
        return 0;
    if (asim_grow(&r->stamp, &r->cap_stamp, ops, sizeof *r->stamp))
        return ASIM_ENOMEM;
    memset(r->stamp, 0, ops * sizeof *r->stamp);
    qsort(r->start.at, r->start.n, sizeof *r->start.at, by_op);
    if (waits > first_wait)
        qsort(r->to->wait.at + first_wait, waits - first_wait, sizeof *r->start.at, by_op);
    for (size_t i = 0; i < r->start.n; i++)
        if (resolve_start(r, &r->start.at[i], first_wait, waits, (uint32_t)i + 1))
            return ASIM_ENOMEM;
    r->start.n = 0;
    return 0;
}

/* --- blocks -------------------------------------------------------------------------------------
 */

static int read_statement(struct reader *r)
{
    char label[WORD];

    if (is(r, "send") || is(r, "recv") || is(r, "calc"))
        return read_op(r, NULL);
    if (!isalpha((unsigned char)*r->word) || strlen(r->word) == WORD - 1)
        return fail(r, "an op, a label of at most 62 characters, or }");
    memcpy(label, r->word, WORD);
    next(r);
    if (is(r, "requires") || is(r, "irequires"))
        return read_wait(r, label);
    return want(r, ":", "':', requires or irequires behind the label") ? ASIM_EINVAL
                                                                       : read_op(r, label);
}

static int read_block(struct reader *r)
{
    size_t first_wait = r->to->wait.n;
    uint64_t rank, *seen;
    int rc = want(r, "rank", "rank");

    if (rc || number(r, r->to->ranks - 1, "a rank below num_ranks", &rank))
        return ASIM_EINVAL;
    seen = asim_map_put(&r->seen, 0, rank);
    if (!seen)
        return asim_err_nomem(r->err, "reading a GOAL schedule");
    if ((*seen)++)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
                           "rank %" PRIu64 " has a block already; give each rank one.", rank);
    r->rank = (uint32_t)rank;
    r->first_op = r->to->op.n;
    rc = want(r, "{", "{");
    while (!rc && !is(r, "}"))
        rc = read_statement(r);
    if (!rc && resolve_starts(r, first_wait))
        rc = asim_err_nomem(r->err, "reading a GOAL schedule");
    if (!rc)
        next(r);
    return rc;
}

static int read_file(struct reader *r)
{
    uint64_t ranks = 0;

    next(r);
    if (want(r, "num_ranks", "num_ranks, as in GOAL text (the binary form is not read)"))
        return asim_foreign_say(r->to->path, r->src.data, r->src.size, r->err);
    if (number(r, ASIM_SCHEDULE_RANKS, "a number of ranks, at most 1048576", &ranks))
        return ASIM_EINVAL;
    if (!ranks)
        return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
                           "num_ranks is 0; a job has at least one rank.");
    r->to->ranks = (uint32_t)ranks;
    while (*r->word)
        if (read_block(r))
            return r->err->code;
    for (uint64_t rank = 0; rank < ranks; rank++)
        if (!asim_map_get(&r->seen, 0, rank))
            return asim_err_at(r->err, ASIM_EINVAL, (struct asim_where){r->to->path, r->line, 0},
                               "rank %" PRIu64
                               " has no block; a rank without ops has an empty one, "
                               "rank %" PRIu64 " { }.",
                               rank, rank);
    return 0;
}

int asim_schedule_read_goal(struct asim_schedule *schedule, const char *path, struct asim_err *err)
{
    struct reader r = {.to = schedule, .err = err};
    int rc = asim_src_open(&r.src, path, err);

    if (rc)
        return rc;
    schedule->path = path;
    asim_names_init(&r.names, 1 << 30);
    asim_map_init(&r.seen);
    rc = read_file(&r);
    asim_names_fini(&r.names);
    free(r.label.at);
    asim_map_fini(&r.seen);
    ASIM_FREE(r.start.at, r.todo.at, r.stamp);
    asim_src_close(&r.src);
    return rc;
}
