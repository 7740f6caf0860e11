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

#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/io/src.h"
#include "base/text.h"

enum { GPUS = 4096, CHUNKS = 1 << 16, BLOCKS = 4096, STEPS = 1 << 24 };

struct reader {
    struct asim_msccl *to;
    struct asim_err *err;
    XML_Parser parser;
    int depth; /* of open elements */
    int rc;
};

static const char *const levels[] = {"algo", "gpu", "tb", "step"};

static int fail(struct reader *r, const char *fmt, const char *a, const char *b)
{
    char x[64], y[64];

    if (!r->rc) {
        struct asim_where at = {r->to->path, (unsigned)XML_GetCurrentLineNumber(r->parser), 0};
        char text[256];

        snprintf(text, sizeof text, fmt, asim_text_safe(x, sizeof x, a),
                 asim_text_safe(y, sizeof y, b));
        r->rc = asim_err_at(r->err, ASIM_EINVAL, at, "%s", text);
        XML_StopParser(r->parser, XML_FALSE);
    }
    return r->rc;
}

static const char *attr(const char **attrs, const char *name)
{
    for (; *attrs; attrs += 2)
        if (!strcmp(*attrs, name))
            return attrs[1];
    return NULL;
}

/* The attribute as a number of `least` to `most`. */
static int64_t number(struct reader *r, const char **attrs, const char *name, int64_t least,
                      int64_t most)
{
    const char *text = attr(attrs, name);
    int64_t value;

    if (text && !asim_text_i64(text, &value) && value >= least && value <= most)
        return value;
    fail(r,
         text ? "%s is '%s', which is no number or out of range."
              : "the attribute %s is missing%s.",
         name, text ? text : "");
    return least;
}

static void refuse_unknown(struct reader *r, const char **attrs, const char *const *known)
{
    for (; *attrs; attrs += 2) {
        size_t i = 0;

        while (known[i] && strcmp(known[i], *attrs))
            i++;
        if (!known[i])
            fail(r, "the attribute %s has no meaning here%s; correct or remove it.", *attrs, "");
    }
}

static void open_algo(struct reader *r, const char **attrs)
{
    static const char *const known[] = {
        "name",       "proto",    "nchannels", "nchunksperloop", "ngpus",         "coll", "inplace",
        "outofplace", "minBytes", "maxBytes",  "redop",          "nthreadblocks", NULL};
    static const struct {
        const char *word;
        int type;
    } colls[] = {{"allreduce", ASIM_ALL_REDUCE},
                 {"allgather", ASIM_ALL_GATHER},
                 {"reduce_scatter", ASIM_REDUCE_SCATTER},
                 {"reducescatter", ASIM_REDUCE_SCATTER},
                 {"alltoall", ASIM_ALL_TO_ALL}};
    const char *coll = attr(attrs, "coll"), *name = attr(attrs, "name");
    size_t i = 0, n = sizeof colls / sizeof *colls;

    refuse_unknown(r, attrs, known);
    while (i < n && (!coll || strcmp(coll, colls[i].word)))
        i++;
    if (i == n) {
        fail(r, "coll is '%s'%s; read are allreduce, allgather, reduce_scatter and alltoall.",
             coll ? coll : "", "");
        return;
    }
    r->to->coll_type = colls[i].type;
    asim_text_safe(r->to->name, sizeof r->to->name, name ? name : "");
    r->to->gpus = (uint32_t)number(r, attrs, "ngpus", 2, GPUS);
    r->to->chunks = (uint32_t)number(r, attrs, "nchunksperloop", 1, CHUNKS);
    r->to->in_place = attr(attrs, "inplace") && number(r, attrs, "inplace", 0, 1);
}

static void open_gpu(struct reader *r, const char **attrs)
{
    static const char *const known[] = {"id", "i_chunks", "o_chunks", "s_chunks", NULL};
    struct asim_msccl_gpu gpu = {.first_block = (uint32_t)r->to->block.n};
    int64_t id = number(r, attrs, "id", 0, GPUS);

    refuse_unknown(r, attrs, known);
    gpu.chunks[ASIM_MSCCL_INPUT] = (uint32_t)number(r, attrs, "i_chunks", 0, CHUNKS);
    gpu.chunks[ASIM_MSCCL_OUTPUT] = (uint32_t)number(r, attrs, "o_chunks", 0, CHUNKS);
    gpu.chunks[ASIM_MSCCL_SCRATCH] = (uint32_t)number(r, attrs, "s_chunks", 0, CHUNKS);
    if (id != (int64_t)r->to->gpu.n || id >= r->to->gpus)
        fail(r, "the gpu '%s' is out of order: ids count from 0 to ngpus - 1%s.", attr(attrs, "id"),
             "");
    else if (ASIM_VEC_PUSH(r->to->gpu, gpu))
        r->rc = asim_err_nomem(r->err, "reading an algorithm");
}

static void open_block(struct reader *r, const char **attrs)
{
    static const char *const known[] = {"id", "send", "recv", "chan", NULL};
    struct asim_msccl_block block = {.gpu = (uint32_t)r->to->gpu.n - 1,
                                     .first_step = (uint32_t)r->to->step.n};
    struct asim_msccl_gpu *gpu = &r->to->gpu.at[block.gpu];

    refuse_unknown(r, attrs, known);
    block.id = (uint32_t)number(r, attrs, "id", 0, BLOCKS - 1);
    block.send = number(r, attrs, "send", -1, r->to->gpus - 1);
    block.recv = number(r, attrs, "recv", -1, r->to->gpus - 1);
    block.channel = (uint32_t)number(r, attrs, "chan", 0, 255);
    if (block.id != gpu->blocks)
        fail(r, "the tb '%s' is out of order: ids of a gpu count from 0%s.", attr(attrs, "id"), "");
    else if (block.send == block.gpu || block.recv == block.gpu)
        fail(r, "the tb '%s' sends to its own gpu%s; use cpy.", attr(attrs, "id"), "");
    else if (ASIM_VEC_PUSH(r->to->block, block))
        r->rc = asim_err_nomem(r->err, "reading an algorithm");
    gpu->blocks++;
}

static int buffer(struct reader *r, const char **attrs, const char *name)
{
    const char *text = attr(attrs, name);
    const char *at = text && *text && !text[1] ? strchr("ios", *text) : NULL;

    if (!at)
        fail(r, "%s is '%s', expected i, o or s.", name, text ? text : "");
    return at && *at == 'o' ? ASIM_MSCCL_OUTPUT : at && *at == 's' ? ASIM_MSCCL_SCRATCH : 0;
}

/* -1 where a step waits for none; both or neither. */
static void read_wait(struct reader *r, const char **attrs, struct asim_msccl_step *step)
{
    step->wait_block = number(r, attrs, "depid", -1, BLOCKS - 1);
    step->wait_step = number(r, attrs, "deps", -1, STEPS);
    if ((step->wait_block < 0) != (step->wait_step < 0))
        fail(r, "depid is %s and deps %s; both or neither are -1.", attr(attrs, "depid"),
             attr(attrs, "deps"));
}

static void open_step(struct reader *r, const char **attrs)
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
    struct asim_msccl_block *block = &r->to->block.at[r->to->block.n - 1];
    struct asim_msccl_step step = {.line = (unsigned)XML_GetCurrentLineNumber(r->parser)};
    const char *type = attr(attrs, "type");
    size_t i = 0, n = sizeof types / sizeof *types;

    refuse_unknown(r, attrs, known);
    while (i < n && (!type || strcmp(type, types[i].word)))
        i++;
    if (i == n) {
        fail(r, "type is '%s'%s; read are s, r, rcs, rrc, rrs, rrcs, cpy, re and nop.",
             type ? type : "", "");
        return;
    }
    step.parts = types[i].parts;
    step.src = buffer(r, attrs, "srcbuf");
    step.dst = buffer(r, attrs, "dstbuf");
    step.src_at = (uint32_t)number(r, attrs, "srcoff", 0, CHUNKS);
    step.dst_at = (uint32_t)number(r, attrs, "dstoff", 0, CHUNKS);
    step.count = (uint32_t)number(r, attrs, "cnt", 1, CHUNKS);
    read_wait(r, attrs, &step);
    if (number(r, attrs, "s", 0, STEPS) != block->steps)
        fail(r, "the step '%s' is out of order: steps of a tb count from 0%s.", attr(attrs, "s"),
             "");
    if (step.parts & ASIM_MSCCL_SEND && block->send < 0)
        fail(r, "a step of type '%s' sends, but its tb has send=-1%s.", type, "");
    if (step.parts & ASIM_MSCCL_RECV && block->recv < 0)
        fail(r, "a step of type '%s' receives, but its tb has recv=-1%s.", type, "");
    if (!r->rc && (r->to->step.n == STEPS || ASIM_VEC_PUSH(r->to->step, step)))
        r->rc = asim_err_nomem(r->err, "reading an algorithm");
    block->steps++;
}

static void open_element(void *self, const char *name, const char **attrs)
{
    static void (*const openers[])(struct reader *, const char **) = {open_algo, open_gpu,
                                                                      open_block, open_step};
    struct reader *r = self;

    if (r->rc)
        return;
    if (r->depth > 3 || strcmp(name, levels[r->depth]))
        fail(r, "found <%s>, expected <%s>: an algo of MSCCL holds gpus, these tbs, these steps.",
             name, levels[r->depth > 3 ? 3 : r->depth]);
    else
        openers[r->depth](r, attrs);
    r->depth++;
}

static void close_element(void *self, const char *name)
{
    struct reader *r = self;

    (void)name;
    r->depth--;
}

/* Entities of a document's own can grow without bound; no algorithm has any. */
static void refuse_doctype(void *self, const char *name, const char *a, const char *b, int c)
{
    (void)a;
    (void)b;
    (void)c;
    fail(self, "found a document type '%s'%s; an algorithm has none.", name, "");
}

static int parse(struct reader *r, const struct asim_src *src)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, open_element, close_element);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    if (XML_Parse(r->parser, src->data + src->at, (int)(src->size - src->at), 1) ==
            XML_STATUS_ERROR &&
        !r->rc)
        fail(r, "this is no XML: %s%s.", XML_ErrorString(XML_GetErrorCode(r->parser)), "");
    if (!r->rc && r->to->gpu.n < r->to->gpus)
        fail(r, "the file has fewer gpus than ngpus of <algo> says%s%s.", "", "");
    return r->rc;
}

int asim_msccl_read(struct asim_msccl *msccl, const char *path, struct asim_err *err)
{
    struct reader r = {.to = msccl, .err = err};
    struct asim_src src;
    int rc = asim_src_open(&src, path, err);

    if (rc)
        return rc;
    msccl->path = path;
    r.parser = XML_ParserCreate("UTF-8");
    rc = !r.parser ? asim_err_nomem(err, "reading an algorithm")
         : src.data[src.at] == '{'
             ? asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                           "this is JSON, as execution plans of MSCCL++ are, which are not read; "
                           "give MSCCL's XML.")
         : src.size > 256u << 20
             ? asim_err_set(err, ASIM_EINVAL, "%s is larger than 256 MiB, the limit here.", path)
             : parse(&r, &src);
    if (r.parser)
        XML_ParserFree(r.parser);
    asim_src_close(&src);
    return rc;
}

void asim_msccl_fini(struct asim_msccl *msccl)
{
    free(msccl->gpu.at);
    free(msccl->block.at);
    free(msccl->step.at);
}
