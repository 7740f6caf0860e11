/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI workload text: header, rows, groups and ops. Groups: each type of group partitions the
 * ranks, all members agree, and no group leaves its pipeline stage. Ops: dependencies point back, a
 * position gives the same op again, sends and receives of neighbouring stages pair up, and all
 * ranks issue the same collectives.
 */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "conf/conf.h"
#include "trace/feed/feed.h"
#include "trace/format.h"
#include "trace/simai/workload.h"

extern const struct asim_trace_format asim_trace_format_simai;

static const char header[] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 "
                             "pp: 2 vpp: 1 ga: 2 all_gpus: 16 checkpoints: 1 1 "
                             "checkpoint_initiates: 1 2 pp_comm 4096.0\n";
static const char rows[] =
    "7\n"
    "head\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER\t8192\t100\n"
    "embedding_layer -1 1500 ALLREDUCE 100 2 NONE 0 3 NONE 0 100\n"
    "layer -1 10 ALLGATHER 65536 20 REDUCESCATTER 0 30 ALLREDUCE_DP_EP 4096 0 # a comment\n"
    "embedding_layer -1 1500 ALLREDUCE 100 2 NONE 0 3 NONE 0 100\n"
    "layer -1 10 ALLGATHER 65536 20 REDUCESCATTER 0 30 ALLREDUCE_DP_EP 4096 0\n"
    "cross_entropy1 -1 0 ALLTOALL_EP 8192 0 NONE 0 0 NONE 0 0\n"
    "last -1 0 NONE 0 0 BROADCAST 5 0 NONE 0 0\n";

static char text[2048];

static void check_read(void)
{
    struct asim_simai w;
    struct asim_err err = {0};
    CHECK_U64(asim_simai_read_bytes(&w, "w.txt", text, strlen(text), &err), 0);
    CHECK_STR(err.text, "");
    CHECK_U64(w.policy, ASIM_SIMAI_FWD_IN_BCKWD);
    CHECK_U64(w.tp, 2);
    CHECK_U64(w.pp_comm, 4096);
    CHECK_U64(w.n_checkpoints, 1);
    CHECK_U64(w.checkpoints[0], 1);
    CHECK_U64(w.initiates[0], 2);
    CHECK_U64(w.n_rows, 7);
    CHECK_U64(w.n_distinct, 5); /* the two micro-batches are the same rows */
    CHECK_U64(w.ignored, 1);
    const struct asim_simai_row *row = asim_simai_row(&w, 4);
    CHECK_STR(row->name, "layer");
    CHECK_U64(row->compute_ns[ASIM_SIMAI_IG], 20);
    CHECK_U64(row->comm[ASIM_SIMAI_FWD].group, ASIM_SIMAI_TP);
    CHECK_U64(row->comm[ASIM_SIMAI_WG].group, ASIM_SIMAI_DP_EP);
    CHECK_U64(asim_simai_row(&w, 0)->comm[ASIM_SIMAI_WG].group, ASIM_SIMAI_DP);
    CHECK_U64(asim_simai_row(&w, 5)->comm[ASIM_SIMAI_FWD].op, ASIM_SIMAI_ALLTOALL);
    asim_simai_fini(&w);
}

static void check_groups(uint32_t gpus, uint32_t tp, uint32_t ep, uint32_t pp)
{
    struct asim_simai w = {.tp = tp, .ep = ep, .pp = pp, .all_gpus = gpus};
    struct asim_simai_layout layout;
    struct asim_err err = {0};
    uint32_t dp = gpus / tp / pp, sizes[] = {tp, dp, ep, dp / ep};
    CHECK_U64(asim_simai_layout(&w, 0, &layout, &err), 0);
    CHECK_U64(layout.dp, dp);
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++)
        for (uint32_t rank = 0; rank < gpus; rank++) {
            struct asim_simai_ranks mine, theirs;
            uint32_t hits = 0;
            asim_simai_group(&layout, g, rank, &mine);
            CHECK_U64(mine.n, sizes[g]);
            for (uint32_t i = 0; i < mine.n; i++) {
                uint32_t member = mine.base + i * mine.stride;
                CHECK(member < gpus && member / (gpus / pp) == rank / (gpus / pp));
                hits += member == rank;
                asim_simai_group(&layout, g, member, &theirs);
                CHECK_U64(theirs.id, mine.id);
            }
            CHECK_U64(hits, 1);
        }
}

struct sums {
    uint64_t ops, colls, coll_bytes, comp_ns, sends[16], recvs[16];
};

static void walk_rank(const char *path, uint32_t rank, struct sums *sums)
{
    const struct asim_trace_format *f = &asim_trace_format_simai;
    void *reader = NULL;
    struct asim_err err = {0};
    struct asim_op op, again;
    uint64_t positions[512], last = 0, names = 0;
    char name[128];
    CHECK_U64(f->open(&reader, path, rank, &err), 0);
    CHECK_STR(err.text, "");
    while (reader && f->next(reader, &op, &err) == 1 && sums->ops < 512) {
        CHECK_U64(op.id, last + 1);
        last = op.id;
        for (size_t i = 0; i < op.data_dep_n; i++)
            CHECK(op.data_deps[i] < op.id && op.data_deps[i] > 0);
        positions[sums->ops++] = f->tell(reader);
        sums->colls += op.type == ASIM_OP_COMM_COLL;
        sums->coll_bytes += op.type == ASIM_OP_COMM_COLL ? op.comm_bytes : 0;
        sums->comp_ns += op.type == ASIM_OP_COMP && !op.is_cpu ? op.duration_ns : 0;
        sums->sends[op.comm_tag & 15] += op.type == ASIM_OP_COMM_SEND ? op.comm_dst + 1 : 0;
        sums->recvs[op.comm_tag & 15] += op.type == ASIM_OP_COMM_RECV ? op.comm_src + 1 : 0;
        names += op.name[0] != 0;
    }
    CHECK_U64(names, sums->ops);
    for (uint64_t i = sums->ops; reader && i-- > 0;) {
        CHECK_U64(f->at(reader, positions[i], &again, &err), 0);
        CHECK_U64(again.id, i + 1);
        snprintf(name, sizeof name, "%s", again.name);
        CHECK(name[0]);
    }
    if (reader)
        f->close(reader);
}

static void check_ops(const char *path)
{
    static struct sums of[16];
    uint32_t ranks = 0;
    struct asim_err err = {0};
    CHECK_U64(asim_trace_format_simai.ranks(path, &ranks, &err), 0);
    CHECK_U64(ranks, 16);
    for (uint32_t r = 0; r < ranks; r++)
        walk_rank(path, r, &of[r]);
    for (uint32_t r = 0; r < ranks; r++) {
        CHECK_U64(of[r].colls, of[0].colls);
        CHECK_U64(of[r].coll_bytes, of[0].coll_bytes);
        CHECK_U64(of[r].comp_ns, of[0].comp_ns);
    }
    /* forward: head 1, (1500 + 10) twice; backward: 2 + 3, 20 + 30 each, head 1 + 1; the replay of
     * rows 1 and 2 computes 1510 again */
    CHECK_U64(of[0].comp_ns, 1 + 2 * 1510 + 2 * 55 + 2 + 1510);
    /* TP forward in rows 1-4 and the replay's two, EP once, DP once, DP_EP twice; the scatter of 0
     * bytes is none */
    CHECK_U64(of[0].colls, 4 + 2 + 1 + 1 + 2);
    for (uint32_t r = 0; r < 8; r++)
        for (int tag = 0; tag < 4; tag++) {
            int forward = tag % 2 == 0;
            CHECK_U64(forward ? of[r].sends[tag] : of[r + 8].sends[tag], (forward ? r + 8 : r) + 1);
            CHECK_U64(forward ? of[r + 8].recvs[tag] : of[r].recvs[tag], (forward ? r : r + 8) + 1);
        }
}

/* All of a feed in the order of its ids, as one text. */
static void tell_all(struct asim_feed *feed, char *to, size_t size)
{
    size_t used = 0;
    struct asim_op op;
    struct asim_err err = {0};
    for (uint32_t i = 0; i < asim_feed_total(feed); i++) {
        CHECK_U64(asim_feed_record(feed, i, &op, &err), 0);
        used += (size_t)snprintf(to + used, size - used, "%u %u %u %u %u %u %s %s %s\n",
                                 (unsigned)op.id, op.type, op.comm_src, op.comm_dst, op.comm_tag,
                                 (unsigned)op.comm_bytes, op.name, op.pg_name, op.inputs_values);
    }
    CHECK(used < size);
}

static void count(void *self, const struct asim_op *op)
{
    (void)op;
    ++*(unsigned *)self;
}

/* Each rank, opened from the one before it and on its own. The first rank of each of two stages is
 * read, the others are not. */
static void check_like(const char *path)
{
    static char own[65536], alike[65536];
    struct asim_err err = {0};
    struct asim_feed *last = NULL, *feed, *alone;
    unsigned visits = 0, read = 0;
    struct asim_op_visitor visitor = {count, &visits};
    for (uint32_t r = 0; r < 16; r++) {
        struct asim_feed_options opt = {.prefix = path, .rank = r, .visitor = &visitor};
        CHECK_U64(asim_feed_open(&alone, &opt, &err), 0);
        CHECK(!asim_feed_unread(alone));
        visits = 0;
        opt.like = last;
        CHECK_U64(asim_feed_open(&feed, &opt, &err), 0);
        read += !asim_feed_unread(feed);
        CHECK_U64(visits, asim_feed_unread(feed) ? 0 : asim_feed_total(alone));
        CHECK_U64(asim_feed_total(feed), asim_feed_total(alone));
        asim_feed_close(last);
        tell_all(feed, alike, sizeof alike);
        tell_all(alone, own, sizeof own);
        CHECK_STR(alike, own);
        asim_feed_close(alone);
        last = feed;
    }
    CHECK_U64(read, 2);
    asim_feed_close(last);
}

/* 100 bytes forward are raised to 4096; a gather of S bytes over 2 ranks is S/2 each. */
static void check_sizes(const char *path)
{
    void *reader = NULL;
    struct asim_err err = {0};
    struct asim_op op;
    uint64_t reduce = 0, gather = 0;
    CHECK_U64(asim_trace_format_simai.open(&reader, path, 3, &err), 0);
    while (reader && asim_trace_format_simai.next(reader, &op, &err) == 1) {
        if (op.type == ASIM_OP_METADATA)
            CHECK(strstr(op.inputs_values, "{\"pg_name\": \"3\", \"ranks\": [2, 3]}"));
        if (op.type == ASIM_OP_COMM_COLL && op.comm_type == ASIM_ALL_REDUCE && !reduce)
            reduce = op.comm_bytes;
        if (op.type == ASIM_OP_COMM_COLL && op.comm_type == ASIM_ALL_GATHER && !gather)
            gather = op.comm_bytes;
    }
    CHECK_U64(reduce, 4096);
    CHECK_U64(gather, 32768);
    if (reader)
        asim_trace_format_simai.close(reader);
}

static void check_cuts(void)
{
    struct asim_simai w;
    for (size_t n = 0; n < strlen(text); n++) {
        struct asim_err err = {0};
        int rc = asim_simai_read_bytes(&w, "w.txt", text, n, &err);
        CHECK(rc || n + 2 >= strlen(text));
        CHECK(!rc || (err.text[0] && err.line));
        if (!rc)
            asim_simai_fini(&w);
    }
}

static void check_flips(void)
{
    static const char swaps[] = {'0', '9', '-', ' ', '\n', 'x', '#', ':', '\xff', '\0'};
    char changed[sizeof text];
    struct asim_simai w;
    for (size_t i = 0; i < strlen(text); i++)
        for (size_t s = 0; s < sizeof swaps; s++) {
            struct asim_err err = {0};
            memcpy(changed, text, sizeof text);
            changed[i] = swaps[s];
            if (!asim_simai_read_bytes(&w, "w.txt", changed, strlen(text), &err))
                asim_simai_fini(&w);
            else
                CHECK(err.text[0]);
        }
}

int main(void)
{
    static const char path[] = "test_simai.tmp.txt";
    snprintf(text, sizeof text, "%s%s", header, rows);
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
    check_read();
    check_groups(16, 2, 2, 2);
    check_groups(64, 8, 4, 1);
    check_groups(24, 1, 3, 2);
    check_groups(8, 8, 1, 1);
    check_ops(path);
    check_like(path);
    check_sizes(path);
    check_cuts();
    check_flips();
    remove(path);
    return CHECK_DONE();
}
