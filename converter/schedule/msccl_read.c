/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads an algorithm of MSCCL:
 *
 *     <algo name= nchunksperloop= ngpus= coll= inplace= …>
 *       <gpu id= i_chunks= o_chunks= s_chunks=>
 *         <tb id= send= recv= chan=>
 *           <step s= type= srcbuf= srcoff= dstbuf= dstoff= cnt= depid= deps= hasdep=/>
 *
 * Elements and attributes that are not known here are refused, but for those that say which sizes
 * and runs the algorithm is for.
 */
#include "schedule/msccl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/io/src.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/xml.h"

enum { BLOCKS = 4096 };

typedef const struct asim_xml_node node;

struct dependency { /* depid and deps of a step, whose block may come later */
    uint32_t step, gpu;
    int64_t block, before;
};

struct reader {
    struct asim_msccl *to;
    struct asim_xml xml;
    struct asim_err *err;
    uint32_t first_block;  /* of the GPU that is read */
    struct asim_map steps; /* (gpu << 32 | block, number) -> 1 + step */
    uint32_t channels;     /* 256 where the file does not tell */
    struct asim_map ways;  /* (from << 32 | to, channel) -> its blocks */
    ASIM_VEC(struct dependency) depends;
};

static int fail(struct reader *r, node *at, const char *fmt, const char *a, const char *b)
{
    char x[64], y[64], text[256];

    if (r->err->code) /* what the first error left unset is not looked at */
        return r->err->code;
    snprintf(text, sizeof text, fmt, asim_text_safe(x, sizeof x, a),
             asim_text_safe(y, sizeof y, b));
    return asim_xml_fail(&r->xml, at, r->err, "%s", text);
}

static int nomem(struct reader *r)
{
    return asim_err_nomem(r->err, "reading an algorithm");
}

/* The attribute as a number of `least` to `most`. */
static int64_t number(struct reader *r, node *at, const char *name, int64_t least, int64_t most)
{
    const char *text = asim_xml_get(at, name);
    int64_t value;

    if (text && !asim_text_i64(text, &value) && value >= least && value <= most)
        return value;
    fail(r, at,
         text ? "%s is '%s', which is no number or out of range."
              : "the attribute %s is missing%s.",
         name, text ? text : "");
    return least;
}

static void refuse_unknown(struct reader *r, node *at, const char *const *known)
{
    for (const char **attr = at->attributes; *attr; attr += 2) {
        size_t i = 0;

        while (known[i] && strcmp(known[i], *attr))
            i++;
        if (!known[i])
            fail(r, at, "the attribute %s has no meaning here%s; correct or remove it.", *attr, "");
    }
}

static int buffer(struct reader *r, node *at, const char *name)
{
    const char *text = asim_xml_get(at, name);
    const char *found = text && *text && !text[1] ? strchr("ios", *text) : NULL;

    if (!found)
        fail(r, at, "%s is '%s', expected i, o or s.", name, text ? text : "");
    return found && *found == 'o'   ? ASIM_MSCCL_OUTPUT
           : found && *found == 's' ? ASIM_MSCCL_SCRATCH
                                    : ASIM_MSCCL_INPUT;
}

/* --- ways and waits -----------------------------------------------------------------------------
 */

/* The way of a channel between two GPUs; one sender and one receiver each. */
static uint32_t find_way(struct reader *r, node *at, struct asim_msccl_way way, int is_sender)
{
    uint64_t *ends = asim_map_put(&r->ways, (uint64_t)way.from << 32 | way.to, way.channel);
    const char *bit = is_sender ? "send to" : "receive from";

    if (!ends || (!*ends && ASIM_VEC_PUSH(r->to->way, way))) {
        nomem(r);
        return 0;
    }
    if (!*ends)
        *ends = r->to->way.n << 2;
    if (*ends & (is_sender ? 2 : 1))
        fail(r, at,
             "two thread blocks of this gpu %s one gpu on channel %s; give each a channel "
             "of its own.",
             bit, asim_xml_get(at, "chan"));
    *ends |= is_sender ? 2 : 1;
    return (uint32_t)(*ends >> 2) - 1;
}

/* Both or neither are -1, which is no wait. */
static int read_wait(struct reader *r, node *at, uint32_t gpu)
{
    struct dependency one = {(uint32_t)r->to->step.n, gpu, number(r, at, "depid", -1, BLOCKS - 1),
                             number(r, at, "deps", -1, ASIM_MSCCL_STEPS)};

    if ((one.block < 0) != (one.before < 0))
        return fail(r, at, "depid is %s and deps %s; both or neither are -1.",
                    asim_xml_get(at, "depid"), asim_xml_get(at, "deps"));
    return one.block >= 0 && ASIM_VEC_PUSH(r->depends, one) ? nomem(r) : 0;
}

static int add_waits(struct reader *r)
{
    for (size_t i = 0; i < r->depends.n; i++) {
        const struct dependency *one = &r->depends.at[i];
        const uint64_t *step =
            asim_map_get(&r->steps, (uint64_t)one->gpu << 32 | one->block, (uint64_t)one->before);

        if (!step)
            return asim_msccl_fail(r->to, &r->to->step.at[one->step], r->err,
                                   "depid and deps name a step that its gpu does not have.");
        if (asim_msccl_add_wait(r->to, one->step, (uint32_t)*step - 1))
            return nomem(r);
    }
    return 0;
}

/* --- elements -----------------------------------------------------------------------------------
 */

static int read_step(struct reader *r, node *at, const struct asim_msccl_step *block)
{
    static const char *const known[] = {"s",   "type",  "srcbuf", "srcoff", "dstbuf", "dstoff",
                                        "cnt", "depid", "deps",   "hasdep", NULL};
    static const struct {
        const char *word;
        uint32_t parts;
    } types[] = {{"s", ASIM_MSCCL_SEND},
                 {"r", ASIM_MSCCL_RECV | ASIM_MSCCL_STORE},
                 {"rcs", ASIM_MSCCL_RECV | ASIM_MSCCL_STORE | ASIM_MSCCL_SEND},
                 {"rrc", ASIM_MSCCL_RECV | ASIM_MSCCL_REDUCE | ASIM_MSCCL_STORE},
                 {"rrs", ASIM_MSCCL_RECV | ASIM_MSCCL_REDUCE | ASIM_MSCCL_SEND},
                 {"rrcs", ASIM_MSCCL_RECV | ASIM_MSCCL_REDUCE | ASIM_MSCCL_STORE | ASIM_MSCCL_SEND},
                 {"cpy", ASIM_MSCCL_STORE},
                 {"re", ASIM_MSCCL_REDUCE | ASIM_MSCCL_STORE},
                 {"nop", 0}};
    struct asim_msccl_step step = *block;
    const char *type = asim_xml_get(at, "type");
    size_t i = 0, n = sizeof types / sizeof *types;
    uint64_t *place;

    refuse_unknown(r, at, known);
    while (i < n && (!type || strcmp(type, types[i].word)))
        i++;
    if (i == n)
        return fail(r, at, "type is '%s'%s; read are s, r, rcs, rrc, rrs, rrcs, cpy, re and nop.",
                    type ? type : "", "");
    step.line = at->line;
    step.parts = types[i].parts;
    step.src = buffer(r, at, "srcbuf");
    step.dst = buffer(r, at, "dstbuf");
    step.src_at = (uint32_t)number(r, at, "srcoff", 0, ASIM_MSCCL_CHUNKS);
    step.dst_at = (uint32_t)number(r, at, "dstoff", 0, ASIM_MSCCL_CHUNKS);
    step.count = (uint32_t)number(r, at, "cnt", 1, ASIM_MSCCL_CHUNKS);
    if (number(r, at, "s", 0, ASIM_MSCCL_STEPS) != block->op)
        fail(r, at, "the step '%s' is out of order: steps of a tb count from 0%s.",
             asim_xml_get(at, "s"), "");
    if (step.parts & ASIM_MSCCL_SEND && step.out == ASIM_MSCCL_NO_WAY)
        fail(r, at, "a step of type '%s' sends, but its tb has send=-1%s.", type, "");
    if (step.parts & ASIM_MSCCL_RECV && step.in == ASIM_MSCCL_NO_WAY)
        fail(r, at, "a step of type '%s' receives, but its tb has recv=-1%s.", type, "");
    if (r->err->code || read_wait(r, at, step.gpu))
        return r->err->code;
    place = asim_map_put(&r->steps, (uint64_t)step.gpu << 32 | step.block, step.op);
    if (!place || asim_msccl_add_step(r->to, (uint32_t)r->to->block.n - 1, &step))
        return nomem(r);
    *place = r->to->step.n;
    return 0;
}

static int read_block(struct reader *r, node *at, uint32_t gpu)
{
    static const char *const known[] = {"id", "send", "recv", "chan", NULL};
    struct asim_msccl_step step = {.gpu = gpu, .in = ASIM_MSCCL_NO_WAY, .out = ASIM_MSCCL_NO_WAY};
    int64_t send, recv, id = number(r, at, "id", 0, BLOCKS - 1);
    uint32_t channel = (uint32_t)number(r, at, "chan", 0, 255);

    refuse_unknown(r, at, known);
    if (!r->err->code && channel >= r->channels)
        return fail(r, at, "chan is %s, and nchannels of <algo> leaves no such channel%s.",
                    asim_xml_get(at, "chan"), "");
    send = number(r, at, "send", -1, r->to->gpus - 1);
    recv = number(r, at, "recv", -1, r->to->gpus - 1);
    step.block = (uint32_t)(r->to->block.n - r->first_block);
    if (r->err->code)
        return r->err->code;
    if (id != step.block)
        return fail(r, at, "the tb '%s' is out of order: ids of a gpu count from 0%s.",
                    asim_xml_get(at, "id"), "");
    if (send == gpu || recv == gpu)
        return fail(r, at, "the tb '%s' sends to its own gpu%s; use cpy.", asim_xml_get(at, "id"),
                    "");
    if (send >= 0)
        step.out = find_way(r, at, (struct asim_msccl_way){gpu, (uint32_t)send, channel}, 1);
    if (recv >= 0)
        step.in = find_way(r, at, (struct asim_msccl_way){(uint32_t)recv, gpu, channel}, 0);
    if (ASIM_VEC_PUSH(r->to->block, (struct asim_msccl_block){.gpu = gpu}))
        return nomem(r);
    for (node *child = at->first; child && !r->err->code; child = child->next, step.op++)
        read_step(r, child, &step);
    return r->err->code;
}

static int read_gpu(struct reader *r, node *at)
{
    static const char *const known[] = {"id", "i_chunks", "o_chunks", "s_chunks", NULL};
    static const char *const buffers[] = {"i_chunks", "o_chunks", "s_chunks"};
    uint32_t gpu = (uint32_t)r->to->gpu.n;

    refuse_unknown(r, at, known);
    if (number(r, at, "id", 0, ASIM_MSCCL_GPUS) != gpu || gpu >= r->to->gpus)
        return fail(r, at, "the gpu '%s' is out of order: ids count from 0 to ngpus - 1%s.",
                    asim_xml_get(at, "id") ? asim_xml_get(at, "id") : "", "");
    if (ASIM_VEC_PUSH(r->to->gpu, (struct asim_msccl_gpu){{0}}))
        return nomem(r);
    for (int b = 0; b < 3; b++)
        r->to->gpu.at[gpu].chunks[b] = (uint32_t)number(r, at, buffers[b], 0, ASIM_MSCCL_CHUNKS);
    r->first_block = (uint32_t)r->to->block.n;
    for (node *child = at->first; child && !r->err->code; child = child->next)
        read_block(r, child, gpu);
    return r->err->code;
}

static int read_algo(struct reader *r, node *at)
{
    static const char *const known[] = {
        "name",       "proto",    "nchannels", "nchunksperloop", "ngpus",         "coll", "inplace",
        "outofplace", "minBytes", "maxBytes",  "redop",          "nthreadblocks", NULL};
    const char *coll = asim_xml_get(at, "coll"), *name = asim_xml_get(at, "name");

    refuse_unknown(r, at, known);
    r->to->coll_type = asim_msccl_collective(coll);
    if (r->to->coll_type < 0)
        return fail(r, at,
                    "coll is '%s'%s; read are allreduce, allgather, reduce_scatter and alltoall.",
                    coll ? coll : "", "");
    asim_text_safe(r->to->name, sizeof r->to->name, name ? name : "");
    r->to->gpus = (uint32_t)number(r, at, "ngpus", 2, ASIM_MSCCL_GPUS);
    r->to->chunks = (uint32_t)number(r, at, "nchunksperloop", 1, ASIM_MSCCL_CHUNKS);
    if (asim_xml_get(at, "nchannels"))
        r->channels = (uint32_t)number(r, at, "nchannels", 1, 256);
    if (asim_xml_get(at, "proto") && strcmp(asim_xml_get(at, "proto"), "Simple") &&
        strncmp(asim_xml_get(at, "proto"), "LL", 2))
        return fail(r, at, "proto is '%s'; known are Simple, LL and LL128%s.",
                    asim_xml_get(at, "proto"), "");
    r->to->in_place = asim_xml_get(at, "inplace") && number(r, at, "inplace", 0, 1);
    for (node *child = at->first; child && !r->err->code; child = child->next)
        read_gpu(r, child);
    if (!r->err->code && r->to->gpu.n < r->to->gpus)
        fail(r, at, "the file has fewer gpus than ngpus of <algo> says%s%s.", "", "");
    r->to->blocks_of_file = (uint32_t)r->to->block.n;
    return r->err->code ? r->err->code : add_waits(r);
}

static int check_names(struct reader *r)
{
    static const char *const levels[] = {"algo", "gpu", "tb", "step"};
    int depth = 0;

    for (node *at = r->xml.root; at; at = asim_xml_after(at)) {
        depth = 0;
        for (node *up = at->parent; up; up = up->parent)
            depth++;
        if (depth > 3 || strcmp(at->name, levels[depth]))
            return fail(
                r, at,
                "found <%s>, expected <%s>: an algo of MSCCL holds gpus, these tbs, these steps.",
                at->name, levels[depth > 3 ? 3 : depth]);
    }
    return 0;
}

int asim_msccl_read(struct asim_msccl *msccl, const char *path, struct asim_err *err)
{
    struct reader r = {.to = msccl, .err = err, .channels = 256};
    struct asim_src src;
    int rc = asim_src_open(&src, path, err);

    if (rc)
        return rc;
    msccl->path = path;
    if (src.data[src.at + strspn(src.data + src.at, " \t\r\n")] == '{') {
        rc = asim_msccl_read_plan(msccl, &src, err);
        asim_src_close(&src);
        return rc;
    }
    asim_map_init(&r.steps);
    asim_map_init(&r.ways);
    rc = asim_xml_read(&r.xml, &src, err);
    if (!rc && r.xml.texts)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, r.xml.text_line, 0},
                         "there is text between the elements; expected elements with attributes.");
    if (!rc)
        rc = check_names(&r);
    if (!rc)
        rc = read_algo(&r, r.xml.root);
    asim_xml_fini(&r.xml);
    asim_map_fini(&r.steps);
    asim_map_fini(&r.ways);
    free(r.depends.at);
    asim_src_close(&src);
    return rc;
}
